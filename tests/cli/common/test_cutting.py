"""A stream cut into strings: where chunks end makes no difference, and a limit is kept while reading."""

from __future__ import annotations

from itertools import chain, islice

from hypothesis import given
from hypothesis import strategies as st

from abnforge.cli.common.cutting import blocks, split


def test_an_endless_line_is_reported_before_it_ends() -> None:
    def endless():  # type: ignore[no-untyped-def]
        while True:
            yield b"a" * 1000

    assert [None] in islice(split(endless(), b"\n", 10_000), 12)


@given(st.binary(max_size=40), st.integers(1, 9), st.integers(1, 12), st.booleans())
def test_chunks_do_not_matter(data: bytes, step: int, limit: int, null: bool) -> None:
    end = b"\0" if null else b"\n"
    chunks = [data[i : i + step] for i in range(0, len(data), step)]
    whole = data.split(end)
    last = whole.pop()
    lines = [line if null else line.removesuffix(b"\r") for line in whole] + ([last] if last else [])
    assert list(chain.from_iterable(split(chunks, end, limit))) == [
        line if len(line) <= limit else None for line in lines
    ]


@given(
    st.lists(st.sampled_from([b"a", b"bb", b"\r", b"\n", b"\r\n", b"ccc"]), max_size=30),
    st.integers(1, 12),
    st.integers(1, 9),
)
def test_blocks_have_the_same_lines(pieces: list[bytes], step: int, limit: int) -> None:
    """Those of a block are whole lines, and those beside it began in a chunk before."""
    data = b"".join(pieces)
    step = min(step, limit)  # no chunk passes the limit
    chunks = [data[i : i + step] for i in range(0, len(data), step)]
    found: list[bytes | None] = []
    for lines, block in blocks(chunks, limit):
        found += lines
        assert not block or block.endswith(b"\n")
        found += [line.removesuffix(b"\r") for line in block.split(b"\n")[:-1]]
    assert found == list(chain.from_iterable(split(chunks, b"\n", limit)))


def test_an_endless_line_takes_no_memory_in_blocks() -> None:
    def endless():  # type: ignore[no-untyped-def]
        while True:
            yield b"a" * 1000

    assert ([None], b"") in islice(blocks(endless(), 10_000), 12)

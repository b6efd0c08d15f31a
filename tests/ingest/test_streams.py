"""Octets of sources: standard input, which cannot be gone back in."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("numpy")
from abnforge.ingest import Job, Refused, run, texts
from tests.ingest.jobs import done, job, outputs, stop_after


class Stdin:
    """Standard input that holds these octets, and gives a few at a time."""

    def __init__(self, octets: bytes) -> None:
        self.buffer = self
        self._left = io.BytesIO(octets)

    def read(self, size: int) -> bytes:
        return self._left.read(min(size, 1_000))


@pytest.mark.parametrize("kind", ["csv", "jsonl", "lines"])
def test_standard_input_is_given_again_to_go_on(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "BLOCK", 700)
    row = {"csv": "{}\n", "jsonl": '{{"url":"{}"}}\n', "lines": "{}\n"}[kind]
    rows = [row.format(f"a:{at}" if at % 3 else "a b") for at in range(1_200)]
    octets = ("url\n" * (kind == "csv") + "".join(rows)).encode()

    def given(octets: bytes) -> Job:
        monkeypatch.setattr("sys.stdin", Stdin(octets))
        ending = "txt" if kind == "lines" else kind
        return job(tmp_path, "-", input_format=kind, accepted=tmp_path / f"good.{ending}")

    done(task := given(octets))
    wanted = outputs(task)
    for path in task.outputs:
        path.unlink()
    assert run(given(octets), stop=stop_after(4)).status == "stopped"
    with pytest.raises(Refused, match="standard input is not what it was"):
        run(replace(given(octets.replace(b"a:1", b"a:0", 1)), resume=True))
    with pytest.raises(Refused, match="standard input is not what it was"):
        run(replace(given(octets[:900]), resume=True))
    result = run(replace(given(octets), resume=True))
    assert (result.resumed, outputs(task)) == (True, wanted)

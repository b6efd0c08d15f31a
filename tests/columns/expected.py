"""Realistic strings, columns of them in every layout, and the expected results."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

import abnforge
from abnforge import uri
from tests.places import ROOT

URI = abnforge.load("rfc3986")["URI"]
IRI = abnforge.load("rfc3987")["IRI"]

EXAMPLES = (ROOT / "examples" / "uris.txt").read_text("utf-8").splitlines()
TEXTS: list[str | None] = [
    *EXAMPLES,
    None,
    "",
    "urn:",
    "é:",
    "http://é",
    "http://example.com/日本",
    "http://𝒶.example/\U0010ffff",
    "a:\n",
    "http://[::1%25eth0]/",
    "http://u:p@[v1.x]:0/a/b/../c;d=1?e#f",
    None,
    None,
    *(
        "a:" + "b" * length + end
        for length in (0, 9, 10, 11, 14, 29, 30, 31, 61, 62, 68)
        for end in ("", " ")
    ),
]
BROKEN = [
    b"\xff",
    b"http://a/\xe2\x82",
    b"http://\xc3\xa9/\xf0\x9f",
    b"a:\xc0\xaf",
    b"a:\xed\xa0\x80",
    b"a:b",
]

TYPES = {
    "string": pa.string(),
    "large_string": pa.large_string(),
    "string_view": pa.string_view(),
    "binary": pa.binary(),
    "large_binary": pa.large_binary(),
    "binary_view": pa.binary_view(),
}
PARTS = ("scheme", "userinfo", "host", "port", "path", "query", "fragment")


class Tagged(pa.ExtensionType):  # type: ignore[misc]
    """An extension type that stores an Arrow type."""

    def __init__(self, storage: Any) -> None:
        super().__init__(storage, "tests.tagged")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: Any, serialized: bytes) -> Tagged:
        """Return the type if only a nested type still refers to it."""
        return cls(storage)


def octets_in(kind: Any) -> bool:
    if pa.types.is_dictionary(kind):
        return octets_in(kind.value_type)
    return kind in (pa.binary(), pa.large_binary(), pa.binary_view())


def layouts(texts: Sequence[str | None]) -> dict[str, Any]:
    """Return the strings in every layout that columns accept, by name."""
    plain = pa.array(texts, pa.string())
    results = {name: plain.cast(kind) for name, kind in TYPES.items()}
    results["dictionary"] = plain.dictionary_encode()
    views = results["dictionary"].dictionary.cast(pa.string_view())
    results["dictionary of views"] = pa.DictionaryArray.from_arrays(results["dictionary"].indices, views)
    results["dictionary with a missing value"] = _with_missing_value(texts)
    results["runs"] = pc.run_end_encode(plain)
    results["extension"] = pa.ExtensionArray.from_storage(Tagged(pa.string()), plain)
    results["octets in a dictionary"] = results["binary"].dictionary_encode()
    return results


def _with_missing_value(texts: Sequence[str | None]) -> Any:
    values = list(dict.fromkeys(texts))
    indices = pa.array([values.index(text) for text in texts], pa.uint8())
    return pa.DictionaryArray.from_arrays(indices, pa.array(values, pa.large_string()))


@cache
def matches(text: str | bytes, rule: abnforge.Rule = URI) -> bool:
    return bool(rule.matches(text))


@cache
def rejection(text: str | bytes, rule: abnforge.Rule = URI) -> abnforge.Rejection | None:
    return rule.explain(text, suggest=False)


@cache
def parts(text: str, octets: bool) -> dict[str, Any] | None:
    """Return the seven components from ``uri.parse`` as values of a column."""
    if not uri.is_valid(text, "URI-reference"):
        return None
    tree = uri.parse(text)
    results = {name: getattr(tree, name) for name in PARTS}
    return {name: each.encode() if octets and each is not None else each for name, each in results.items()}


def wanted_matches(texts: Sequence[str | None]) -> list[bool | None]:
    return [None if text is None else matches(text) for text in texts]


def wanted_offsets(texts: Sequence[str | None], octets: bool) -> list[int | None]:
    return [_offset(text, octets) for text in texts]


def _offset(text: str | None, octets: bool) -> int | None:
    result = None if text is None else rejection(text.encode() if octets else text)
    return None if result is None else result.offset


def wanted_parts(texts: Sequence[str | None], octets: bool) -> list[dict[str, Any] | None]:
    return [None if text is None else parts(text, octets) for text in texts]


def broken(kind: Any) -> Any:
    """Return ``BROKEN`` in a type that may promise UTF-8."""
    stored = {"string": "binary", "large_string": "large_binary", "string_view": "binary_view"}
    octets = pa.array(BROKEN).cast(TYPES[stored.get(str(kind), str(kind))])
    return pa.Array.from_buffers(kind, len(octets), octets.buffers())

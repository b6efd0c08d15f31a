"""Test vectors (strings with their verdicts), and vector files for tests in other languages.

A file has a JSON object per line: ``id``, ``text``, ``rule`` (``grammar:rule``), ``valid``, and the ``code``
and ``section`` of the rejection, or null. A string with a lone surrogate, which UTF-8 cannot encode, is in
``base64`` of its generalized UTF-8 (WTF-8). A string of bytes is in ``base64``, with ``"alphabet": "bytes"``.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from abnforge.catalog import ArgumentError
from abnforge.charset import BYTES
from abnforge.conformance.messages import message
from abnforge.engine.rule import Rule
from abnforge.text import ByteText

SUFFIX = ".vectors.jsonl"  # the suffix of vector files


@dataclass(frozen=True, slots=True)
class Vector:
    """A string, the rule's verdict on it, and the pass of the suite that generated it (``why``)."""

    text: str
    valid: bool
    why: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """A line of a vector file. ``rule`` is ``grammar:rule``; ``line`` counts from 1."""

    id: str
    text: str
    rule: str
    valid: bool
    code: str | None = None
    section: str | None = None
    line: int = 0


def record(rule: Rule, text: str, valid: bool) -> dict[str, Any]:
    """Return the line of a vector as plain data. Cost: an explanation for an invalid string."""
    octets = bytes(text) if isinstance(text, ByteText) else text.encode(errors="surrogatepass")
    rejection = None if valid else rule.explain(text, suggest=False)
    content = {"text": text}
    if isinstance(text, ByteText):
        content = {"base64": b64encode(octets).decode(), "alphabet": BYTES}
    elif any("\ud800" <= char <= "\udfff" for char in text):
        content = {"base64": b64encode(octets).decode()}
    return {
        "id": f"{rule.name}-{sha256(octets).hexdigest()[:12]}",
        **content,
        "rule": f"{rule.grammar.name}:{rule.name}",
        "valid": valid,
        "code": None if rejection is None else rejection.code,
        "section": rule.section if rejection is None else rejection.section,
    }


def lines(rule: Rule, vectors: Iterable[Vector]) -> Iterator[str]:
    """Yield the lines of a vector file, in ASCII."""
    for vector in vectors:
        yield json.dumps(record(rule, vector.text, vector.valid)) + "\n"


def recorded(source: Iterable[str]) -> Iterator[Recorded]:
    """Yield the vectors of a file, skipping empty lines. Raises ValueError with the line number."""
    for number, line in enumerate(source, 1):
        if not line.strip():
            continue
        try:
            yield _recorded(json.loads(line), number)
        except ValueError as error:
            problem = error.message if isinstance(error, ArgumentError) else str(error)
            raise ArgumentError(message("vector-line", number=number, problem=problem)) from None


def text_of(value: Mapping[str, object]) -> str:
    """Return the string of an object: its ``text``, or its decoded ``base64``. Raises ValueError."""
    text = value.get("text")
    if "base64" in value:
        try:
            octets = b64decode(value["base64"], validate=True)  # type: ignore[arg-type]
            if value.get("alphabet") == BYTES:
                return ByteText.of(octets)
            return octets.decode(errors="surrogatepass")
        except (TypeError, ValueError):
            raise ArgumentError(message("vector-base64")) from None
    if not isinstance(text, str):
        raise ArgumentError(message("vector-text"))
    return text


def _recorded(value: object, line: int) -> Recorded:
    if not isinstance(value, Mapping):
        raise ArgumentError(message("vector-not-object"))
    text, rule, valid = text_of(value), value.get("rule"), value.get("valid")
    if not isinstance(rule, str) or not rule.partition(":")[2]:
        raise ArgumentError(message("vector-rule"))
    if not isinstance(valid, bool):
        raise ArgumentError(message("vector-valid"))
    more = {key: each for key in ("code", "section") if isinstance(each := value.get(key), str)}
    name = value.get("id")
    return Recorded(name if isinstance(name, str) else f"line-{line}", text, rule, valid, line=line, **more)

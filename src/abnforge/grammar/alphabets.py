"""Check that grammars of bytes contain only values up to %xFF.

A grammar has the alphabet that its caller requests, or the one that it declares (``annotations``). In a
grammar of bytes, each byte of an input is one character from %x00 to %xFF, as RFC 5234 defines OCTET.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from abnforge.charset import BYTES, MAX_BYTE, UNICODE
from abnforge.errors import GrammarError
from abnforge.grammar.annotations import read_alphabet
from abnforge.grammar.messages import message
from abnforge.grammar.syntax import BoundGrammar, BoundRule, CharVal, NumVal, Rulelist, elements
from abnforge.grammar.syntax_errors import MAX_ERRORS, shorten
from abnforge.records import replace
from abnforge.rejection import Edit
from abnforge.text import Source, Span

if TYPE_CHECKING:
    from abnforge.grammar.binding import BindOptions


def with_alphabet(grammar: BoundGrammar, alphabet: str | None) -> BoundGrammar:
    """Return a grammar with another alphabet (None: the same). Raises GrammarError. Cost: linear."""
    if alphabet is None or alphabet == grammar.alphabet:
        return grammar
    if alphabet == BYTES:
        errors = [_error(rule, grammar.source) for rule in grammar.rules.values()]
        if found := [error for error in errors if error is not None]:
            raise GrammarError.combine(found[:MAX_ERRORS])
    return replace(grammar, alphabet=alphabet)


def alphabet_of(
    rulelist: Rulelist,
    options: BindOptions,
    rules: Mapping[str, BoundRule],
    source: Callable[[str], Source],
) -> tuple[str, list[GrammarError]]:
    """Return the alphabet of a grammar: the requested or the declared one. Also return its errors.

    ``source`` returns the source of a rule by key.
    """
    try:
        declared = read_alphabet(rulelist.source, rulelist.annotations)
    except GrammarError as error:
        return options.alphabet or UNICODE, [error]
    alphabet = options.alphabet or declared or UNICODE
    if alphabet != BYTES:
        return alphabet, []
    found = [_error(rule, *options.places.get(key, (source(key), None))) for key, rule in rules.items()]
    return alphabet, [error for error in found if error is not None][:MAX_ERRORS]


def _error(rule: BoundRule, source: Source, span: Span | None = None) -> GrammarError | None:
    """Return the error for the first value of a rule after %xFF, or None."""
    value = next(filter(_is_beyond_bytes, elements(rule.elements)), None)
    if not isinstance(value, CharVal | NumVal):
        return None
    facts: dict[str, Any] = {"code": "value-out-of-range", "rule": rule.name}
    if rule.origin == "import":
        grammar = (rule.section or "another grammar").partition(", ")[0]
        problem = message("value-not-byte-imported", name=rule.name, grammar=grammar)
        return GrammarError(problem, source=source, span=span or Span(0, 0), **facts)
    fix = message("write-range-as-bytes")
    if isinstance(value, CharVal) or not value.is_range:
        text = value.value if isinstance(value, CharVal) else "".join(map(chr, value.values))
        octets = "%x" + ".".join(f"{octet:02X}" for octet in text.encode(errors="surrogatepass"))
        fix = message("write-as-bytes", value=octets)
        facts["edits"] = [Edit(value.span.start, value.span.end, octets)]
    written = shorten(source.text[value.span.start : value.span.end])
    return GrammarError(
        message("value-not-byte", value=written, fix=fix), source=source, span=value.span, **facts
    )


def _is_beyond_bytes(element: object) -> bool:
    if isinstance(element, NumVal):
        return max(element.values) > MAX_BYTE
    return isinstance(element, CharVal) and any(ord(char) > MAX_BYTE for char in element.value)

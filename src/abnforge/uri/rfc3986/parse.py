"""The verbs of RFC 3986 on strings."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, overload

from abnforge._kernel.loaded import compiled
from abnforge.arguments import Text, given, judged_argument, plain_argument
from abnforge.errors import Rejected
from abnforge.late import importing
from abnforge.rejection import Rejection
from abnforge.uri.common.grammars import explain_text, judging, rule_of, table_of_rule
from abnforge.uri.rfc3986.components import URI, Authority, RelativeRef
from abnforge.uri.rfc3986.find_components import parsing, reader, table_of, text_reader

GRAMMAR = "rfc3986"


@overload
def parse(value: Text, rule: Literal["URI-reference"] = ...) -> URI | RelativeRef: ...
@overload
def parse(value: Text, rule: Literal["URI", "absolute-URI"]) -> URI: ...
@overload
def parse(value: Text, rule: Literal["relative-ref"]) -> RelativeRef: ...
@overload
def parse(value: Text, rule: Literal["authority"]) -> Authority: ...
@overload
def parse(value: Text, rule: str) -> URI | RelativeRef | Authority | str: ...
def parse(value: Text, rule: str = "URI-reference") -> URI | RelativeRef | Authority | str:
    """Read a text as ``rule`` of RFC 3986; ``str`` of the result is the text.

    Gives a :class:`URI` or :class:`RelativeRef` for URI-reference, URI, absolute-URI and relative-ref, an
    :class:`Authority` for authority, and the text itself for every other rule.

    Raises :class:`abnforge.Rejected` when the rule does not derive the text, KeyError for a rule that does
    not exist, TypeError for a value that is neither a str, UTF-8 as bytes, nor a component object. Cost:
    linear; for references one match of a pattern, their components being cut out when they are asked for.
    """
    read = _reader(rule if type(rule) is str else plain_argument(rule, "rule"))
    if type(value) is str:
        found = read(value)
    else:
        it = given(value, "value")
        found = read(it.text) if it.broken is None else None
    if found is None:
        rejection = explain(value, rule)
        assert rejection is not None, "the lanes disagree"
        raise Rejected(rejection)
    return found


def is_valid(value: Text, rule: str = "URI") -> bool:
    """Whether ``rule`` derives the text. Valid is not safe: nothing is said about where it leads.

    Errors as for :func:`parse`, but never Rejected. Cost: linear.
    """
    text = value if type(value) is str else judged_argument(value, "value")
    return _verdict(rule if type(rule) is str else plain_argument(rule, "rule"))(text)


def explain(value: Text, rule: str = "URI") -> Rejection | None:
    """Why ``rule`` does not derive the text; None when it does. Errors as for :func:`is_valid`."""
    return explain_text(GRAMMAR, rule, value)


def _here() -> ModuleType:
    """What has ``parse`` and ``is_valid``, wherever they travel to."""
    return sys.modules[__name__]


# Objects of the C extension by the names of rules; the functions above add them at the first call by a name.
_readers: dict[str, Any] = {}
_verdicts: dict[str, Any] = {}
# With the kernel the usual call costs no more than its walk: all else goes on to the functions above.
if not TYPE_CHECKING and compiled is not None:
    reference = partial(table_of, GRAMMAR, "URI-reference")
    parse = parsing(reference, "URI-reference", parse, (_here, ()), _readers)
    is_valid = judging(partial(table_of_rule, GRAMMAR, "URI"), is_valid, (_here, ()), _verdicts)


Parsed = URI | RelativeRef | Authority | str


@cache
def _verdict(rule: str) -> Callable[[Text], bool]:
    """Return the function that validates by a rule."""
    matches: Callable[[Text], bool] = rule_of(GRAMMAR, rule).matches
    if compiled is not None and isinstance(found := getattr(matches, "__self__", None), compiled.Verdict):
        _verdicts[rule] = found
    return matches


@cache
def _reader(rule: str) -> Callable[[str], Parsed | None]:
    """A function from a text to what ``parse`` gives; None for one that is not valid."""
    read: Callable[[str], Parsed | None] | None = reader(GRAMMAR, rule)
    if read is None:
        is_authority = rule_of(GRAMMAR, rule).key == "authority"
        read = _authority_reader() if is_authority else text_reader(GRAMMAR, rule)
    if compiled is not None and isinstance(found := getattr(read, "__self__", None), compiled.Reader):
        _readers[rule] = found
    return read


def _authority_reader() -> Callable[[str], Authority | None]:
    """Return a function from a string to its authority; None for a string that is not valid."""
    # Imported on first use: lark takes longer to import than everything here together.
    with importing:
        from abnforge.uri.rfc3986.transformer import URITransformer

    transform = URITransformer().transform
    found = rule_of(GRAMMAR, "authority")
    return lambda text: transform(found.parse(text)) if found.matches(text) else None

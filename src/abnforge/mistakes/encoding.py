"""Values of ``model`` as lists that JSON holds, and back: what is stored of mistakes with a bundled grammar.

A value is a list that begins with its class, or with ``()`` for a tuple and ``{}`` for a set, sorted; then
its fields in order, but for places in the text. What JSON has is itself.
"""

from __future__ import annotations

from typing import Any

from abnforge.grammar import syntax as abnf
from abnforge.mistakes import model
from abnforge.records import fields

_CLASSES: dict[str, Any] = {
    each.__name__: each
    for each in (
        abnf.Alternation,
        abnf.CharVal,
        abnf.Concatenation,
        abnf.Group,
        abnf.NumVal,
        abnf.Option,
        abnf.ProseVal,
        abnf.Repetition,
        abnf.Rule,
        abnf.RuleName,
        model.Example,
        model.Mapped,
        model.Mistake,
        model.Near,
        model.Slot,
        model.Substituted,
        model.Text,
    )
}


def encoded(value: Any) -> Any:
    """A value as JSON has it. Raises KeyError for classes that are no part of a mistake."""
    if value is None or isinstance(value, str | int):
        return value
    if type(value) is tuple:
        return ["()", *map(encoded, value)]
    if isinstance(value, frozenset):
        return ["{}", *sorted(value)]
    name = type(value).__name__
    if name not in _CLASSES:  # a subclass, as a stored mistake is
        name = next((each.__name__ for each in type(value).__mro__ if each.__name__ in _CLASSES), name)
    if isinstance(value, tuple):  # with names
        return [_CLASSES[name].__name__, *map(encoded, value)]
    # What does not count when values are compared comes last, and has a default.
    return [name, *(encoded(getattr(value, field.name)) for field in fields(_CLASSES[name]) if field.compare)]


def decoded(data: Any) -> Any:
    """What was encoded, without its places in the text."""
    if not isinstance(data, list):
        return data
    name, *rest = data
    if name == "()":
        return tuple([decoded(each) for each in rest])
    if name == "{}":
        return frozenset(rest)
    return _CLASSES[name](*[decoded(each) for each in rest])

"""Rules as patterns for other engines: the choice of an expression, and why there may be none."""

from __future__ import annotations

from collections.abc import Iterable

from abnforge.arguments import plain_argument
from abnforge.backends.regex.dialects import DIALECTS, Dialect
from abnforge.backends.regex.proof import UndecidedError
from abnforge.backends.regex.tree import TooLargeError, UnsafeError
from abnforge.engine.compilation import Compilation
from abnforge.errors import LimitExceeded, UnknownNameError
from abnforge.near_misses import near_misses


def dialect_named(name: str) -> Dialect:
    """The dialect of a name; raises UnknownNameError, which lists them."""
    name = plain_argument(name, "dialect")
    try:
        return DIALECTS[name.lower()]
    except KeyError:
        close = near_misses(name, DIALECTS)
        hint = f" (did you mean {close[0]}?)" if close else ""
        raise UnknownNameError(f"no dialect {name!r}{hint}; there are {', '.join(DIALECTS)}") from None


def export(
    compilation: Compilation,
    key: str,
    dialect: Dialect,
    groups: frozenset[str] = frozenset(),
    anchored: bool = True,
) -> str:
    """The pattern of a rule in a dialect, with a named group for each place of the rules in ``groups``.

    It was proved to accept what the rule's automaton does. Where that cannot be decided within the budget, it
    is the rule's plain expression, of which no quantifier gives nothing back, if that is safe to match. All
    rules are given by key. Raises ValueError, with the reason and with what would work, when the rule has no
    such pattern. Cost: that of the automata of alternatives that overlap, and of the proof; below a second
    for URI rules.
    """
    name = compilation.core.names[key]
    if groups and dialect.group is None:
        able = _names(d for d in DIALECTS.values() if d.group is not None)
        raise ValueError(f"{dialect.name} has no named groups; these dialects have: {able}")
    unused = sorted(groups.difference(compilation.facts.reachable(key)))
    if unused:
        names = ", ".join(compilation.core.names[group] for group in unused)
        raise ValueError(f"no group for {names}: {name} does not use {'it' if len(unused) == 1 else 'them'}")
    if not compilation.is_regular(key):
        raise ValueError(f"{name} is recursive in a way that no regular expression can follow")
    try:
        return _write(compilation, key, dialect, groups, anchored)
    except UnsafeError as error:
        elsewhere = "" if isinstance(error, TooLargeError) else _elsewhere(dialect)
        raise ValueError(f"no pattern of {name} for {dialect.name}: {error}{elsewhere}") from None


def _write(
    compilation: Compilation, key: str, dialect: Dialect, groups: frozenset[str], anchored: bool
) -> str:
    meter = compilation.budget.meter(f"the pattern of {compilation.core.names[key]} for {dialect.name}")
    patterns = compilation.patterns
    try:
        if not groups and dialect.name in compilation.exports_proved(key):
            return patterns.write(key, dialect, groups, anchored, meter)
        return patterns.proved(key, dialect, groups, anchored, meter)
    except (UndecidedError, LimitExceeded) as error:
        reason = str(error)
        if isinstance(error, LimitExceeded):
            reason = f"whether one is right is not decided: {error.message}"
    try:
        return patterns.write_plain(key, dialect, groups, anchored)
    except UnsafeError as error:
        raise UnsafeError(f"{reason}; {error}") from None


def _elsewhere(dialect: Dialect) -> str:
    if dialect.linear:
        return ""
    return f"; engines that do not backtrack may take it: {_names(d for d in DIALECTS.values() if d.linear)}"


def _names(dialects: Iterable[Dialect]) -> str:
    return ", ".join(dialect.name for dialect in dialects)

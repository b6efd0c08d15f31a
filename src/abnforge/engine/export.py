"""Export rules as patterns for other engines, or report why a rule does not have a pattern."""

from __future__ import annotations

from abnforge._arguments import plain_argument
from abnforge.catalog import ArgumentError
from abnforge.engine.compilation import Compilation
from abnforge.engine.messages import message
from abnforge.errors import LimitExceeded, UnknownNameError
from abnforge.regex.dialects import DIALECTS, Dialect
from abnforge.regex.errors import TooLargeError, UndecidedError, UnsafeError
from abnforge.regex.messages import message as regex_message

LARK = "lark"
TARGETS = (*DIALECTS, LARK)


def dialect_named(name: str) -> Dialect:
    """Return the dialect with a name. Raises UnknownNameError, which lists the targets."""
    name = plain_argument(name, "target")
    try:
        return DIALECTS[name.lower()]
    except KeyError:
        raise UnknownNameError(message("dialect-unknown", dialect=name, dialects=TARGETS)) from None


def groups_unsupported(target: str) -> ArgumentError:
    """Return the error about groups for a target without groups."""
    able = tuple(each.name for each in DIALECTS.values() if each.group is not None)
    return ArgumentError(message("export-groups", dialect=target, dialects=able))


def export(
    compilation: Compilation,
    key: str,
    dialect: Dialect,
    groups: frozenset[str] = frozenset(),
    anchored: bool = True,
) -> str:
    """Return the pattern of a rule in a dialect, with a named group for each occurrence of ``groups``.

    The pattern is proved to accept exactly the strings of the rule's automaton. If a proof exceeds the
    budget, the result is the rule's plain expression, without possessive quantifiers, if that is safe to
    match. Rules are represented by keys. Raises ValueError, with the reason and the alternatives, if the rule
    does not have such a pattern. Cost: that of the automata of overlapping alternatives and of the proof;
    less than a second for URI rules.
    """
    name = compilation.core.names[key]
    if groups and dialect.group is None:
        raise groups_unsupported(dialect.name)
    unused = sorted(groups.difference(compilation.facts.reachable(key)))
    if unused:
        names = tuple(compilation.core.names[group] for group in unused)
        raise ArgumentError(message("export-group-unused", rule=name, unused=names))
    if not compilation.is_regular(key):
        raise ArgumentError(message("rule-not-regular", rule=name, grammar=compilation.bound.name))
    try:
        return _write(compilation, key, dialect, groups, anchored)
    except UnsafeError as error:
        facts = {"rule": name, "dialect": dialect.name, "reason": error.message}
        if dialect.linear or isinstance(error, TooLargeError):
            raise ArgumentError(message("export-failed", **facts)) from None
        others = tuple(each.name for each in DIALECTS.values() if each.linear)
        raise ArgumentError(message("export-failed-linear", dialects=others, **facts)) from None


def _write(
    compilation: Compilation, key: str, dialect: Dialect, groups: frozenset[str], anchored: bool
) -> str:
    meter = compilation.budget.meter(f"pattern of {compilation.core.names[key]} for {dialect.name}")
    patterns = compilation.patterns
    try:
        if not groups and dialect.name in compilation.exports_proved(key):
            return patterns.write(key, dialect, groups, anchored, meter)
        return patterns.proved(key, dialect, groups, anchored, meter)
    except (UndecidedError, LimitExceeded) as error:
        undecided = error
    try:
        return patterns.write_plain(key, dialect, groups, anchored)
    except UnsafeError as error:
        reason = undecided.message
        if isinstance(undecided, LimitExceeded):
            if undecided.setting.startswith("budget."):
                raise undecided from None
            reason = regex_message("regex-undecided", reason=reason)
        raise UnsafeError(regex_message("regex-both", first=reason, second=error.message)) from None

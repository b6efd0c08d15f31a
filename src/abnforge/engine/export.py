"""Export rules as patterns, grammars or source code, or report why that is not possible."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import TYPE_CHECKING

from abnforge._arguments import plain_argument
from abnforge._lazy import lazy
from abnforge.budget import DEFAULT
from abnforge.catalog import ArgumentError
from abnforge.charset import BYTES
from abnforge.codegen import proof
from abnforge.engine.compilation import Compilation
from abnforge.errors import LimitExceeded, UnknownNameError
from abnforge.grammar.core import Core
from abnforge.grammar.facts import Facts, terminals
from abnforge.grammar.shipped import bundled_names, generated
from abnforge.messages import message
from abnforge.notations.notation import NOTATIONS
from abnforge.regex.dialects import DIALECTS, Dialect
from abnforge.regex.errors import TooLargeError, UndecidedError, UnsafeError
from abnforge.regex.messages import message as regex_message

with lazy:
    from importlib import metadata

    from abnforge.automata import code_points
    from abnforge.codegen import model, regular, writer
    from abnforge.notations import ordered as notation_ordered
    from abnforge.notations import rules as notation_rules
    from abnforge.notations import writer as notation_writer

if TYPE_CHECKING:
    from abnforge.codegen.model import FileHeading
    from abnforge.engine.rule import Rule

LARK = "lark"
CODE_TARGETS = proof.TARGETS
TARGETS = (*DIALECTS, LARK, *NOTATIONS, *CODE_TARGETS)

BYTE_TARGETS = ("python", "re2", LARK, *CODE_TARGETS)
"""The targets for grammars of bytes: Python's patterns of bytes, RE2 with the encoding Latin-1, Lark with
strings decoded from Latin-1, and source code.
"""


def dialect_named(name: str) -> Dialect:
    """Return the dialect with a name. Raises UnknownNameError, which lists the targets."""
    name = plain_argument(name, "target")
    try:
        return DIALECTS[name.lower()]
    except KeyError:
        raise UnknownNameError(message("dialect-unknown", dialect=name, dialects=TARGETS)) from None


def require_alphabet(compilation: Compilation, target: str) -> None:
    """Raise ArgumentError for a grammar of bytes and a target whose strings cannot be bytes."""
    if compilation.bound.alphabet == BYTES and target not in BYTE_TARGETS:
        raise ArgumentError(message("export-bytes", target=target, targets=BYTE_TARGETS))


def groups_unsupported(target: str) -> ArgumentError:
    """Return the error about groups for a target without groups."""
    able = tuple(each.name for each in DIALECTS.values() if each.group is not None)
    return ArgumentError(message("export-groups", dialect=target, dialects=able))


def parts_unsupported(target: str) -> ArgumentError:
    """Return the error about parts or a name for a target that is not source code."""
    return ArgumentError(message("export-parts", target=target, targets=tuple(CODE_TARGETS)))


def export(
    rule: Rule,
    dialect: Dialect,
    groups: frozenset[str] = frozenset(),
    anchored: bool = True,
    allow_backtracking: bool = False,
) -> tuple[str, tuple[str, ...]]:
    """Return the pattern of a rule in a dialect, and the names of rules that can backtrack at length in it.

    The pattern has a named group for each occurrence of ``groups``, which are keys of rules. It is proved to
    accept exactly the strings of the rule's automaton. If a proof exceeds the budget, the result is the
    rule's plain expression, without possessive quantifiers, if that is safe to match. With
    ``allow_backtracking``, a rule without such a pattern gets one that can backtrack at length. Raises
    ValueError, with the reason and the alternatives, if the rule does not have such a pattern. Cost: that of
    the automata of overlapping alternatives and of the proof; less than a second for URI rules.
    """
    compilation, key, name = rule._compilation, rule.key, rule.name
    require_alphabet(compilation, dialect.name)
    compilation.refuse_prose(key)
    if groups and dialect.group is None:
        raise groups_unsupported(dialect.name)
    unused = sorted(groups.difference(compilation.facts.reachable(key)))
    if unused:
        names = tuple(compilation.core.names[group] for group in unused)
        raise ArgumentError(message("export-group-unused", rule=name, unused=names))
    if not compilation.is_regular(key):
        raise ArgumentError(message("rule-not-regular", rule=name, grammar=compilation.bound.name))
    try:
        try:
            return _write(compilation, key, dialect, groups, anchored), ()
        except (UnsafeError, LimitExceeded) as error:
            if dialect.linear or not allow_backtracking or isinstance(error, TooLargeError):
                raise
        meter = compilation.budget.meter(f"pattern of {name} for {dialect.name}")
        pattern, sources = compilation.patterns.backtracking(key, dialect, groups, anchored, meter)
        return pattern, tuple(compilation.core.names[source] for source in sources)
    except UnsafeError as error:
        facts = {"rule": name, "dialect": dialect.name, "reason": error.message}
        if dialect.linear or allow_backtracking or isinstance(error, TooLargeError):
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


def source_code(
    rule: Rule,
    target: str,
    parts: Sequence[str],
    name: str | None,
    options: Sequence[str] | None = None,
    output: str | None = None,
) -> str:
    """Return a source file that validates strings by a rule, in the language of a target such as "code-c".

    ``parts`` are names of rules whose places the file finds; ``name`` is the base of its identifiers. If the
    command was the caller, ``options`` are its further options, and ``output`` is its output file. The
    numbers in the file are read back and proved. Raises ArgumentError if the rule does not have such a file,
    LimitExceeded.
    """
    compilation, key = rule._compilation, rule.key
    require_alphabet(compilation, target)
    compilation.refuse_prose(key)
    names, is_set = compilation.core.names, key == compilation.store.defined
    keys = tuple(dict.fromkeys(map(compilation.bound.key, parts)))
    reachable = keys if is_set else compilation.facts.reachable(key)
    if unused := tuple(names[part] for part in keys if part not in reachable):
        raise ArgumentError(message("code-part-unused", rule=rule.name, unused=unused))
    heading = _heading(rule, target, tuple(names[part] for part in keys), name, options, output)
    meter = compilation.budget.meter(f"source code of {rule.name}")
    language = CODE_TARGETS[target]
    if not compilation.is_regular(key):
        if keys:
            raise ArgumentError(message("code-parts-recursive", rule=rule.name))
        return proof.stacked_file(language, compilation.plan, key, heading, meter)
    automaton = compilation.automaton(key)
    points = code_points.without_tags(automaton)
    if keys:
        tagged = compilation.tagged(key, {names[part]: (part,) for part in keys}, {})
        if tagged is None:
            reason = "code-parts-recursive" if rule.recursive else "code-parts-too-large"
            raise ArgumentError(message(reason, rule=rule.name))
        points = tagged
    following: regular.Following = (
        regular.FollowingBySet(automaton, rule.name)
        if is_set
        else regular.FollowingByRule(compilation.plan, compilation.bodies, key)
    )
    automata = regular.RuleAutomata(automaton, points, following)
    pattern = rule.pattern if language.has_pattern else None
    return proof.regular_file(language, automata, heading, meter, pattern)


def notation_text(
    rule: Rule, target: str, options: Sequence[str] | None = None, output: str | None = None
) -> str:
    """Return a grammar for a rule in another notation, such as "gbnf".

    ``options`` and ``output`` are as in ``source_code``. A regular rule becomes one terminal if the notation
    has patterns. Raises ArgumentError if the notation cannot express the rule, LimitExceeded.
    """
    compilation, key = rule._compilation, rule.key
    require_alphabet(compilation, target)
    compilation.refuse_prose(key)
    notation = NOTATIONS[target]
    heading = _heading(rule, target, (), None, options, output)
    is_text = compilation.bound.alphabet == "unicode"
    if notation.pattern is not None and compilation.is_regular(key) and is_text:
        with suppress(ArgumentError, LimitExceeded):
            pattern, _ = export(rule, DIALECTS[notation.pattern], anchored=False)
            return notation_writer.pattern_text(pattern, notation, heading)
    facts = {"rule": rule.name, "notation": notation.engines}
    core = compilation.core
    if key == compilation.store.defined:
        core, key = notation_rules.of_automaton(compilation.automaton(key), rule.name), "0"
    elif notation.ordered and compilation.is_regular(key):
        core = Core(compilation.bodies, core.names)
    if compilation.bound.alphabet == "bytes" and _has_high_bytes(core, key):
        raise ArgumentError(message("notation-bytes", **facts))

    def order(core: Core, key: str) -> Core:
        if not compilation.is_regular(rule.key):
            recursive, undecided = notation_ordered.recursive_rules(core, key)
            if undecided:
                raise ArgumentError(message("notation-ordered", choices=undecided, **facts))
            return recursive
        automaton = compilation.automaton(rule.key)
        meter = compilation.budget.meter(f"{notation.name} grammar of {rule.name}")
        ordered = notation_ordered.regular_rules(core, key, automaton, meter)
        if ordered is None:
            limit = notation_ordered.MAX_STATES
            text = message("notation-states", states=automaton.states, limit=limit, **facts)
            raise ArgumentError(text)
        return ordered

    return notation_writer.grammar_text(core, key, notation, heading, order)


def _has_high_bytes(core: Core, key: str) -> bool:
    rules = (core.rules[each] for each in Facts(core).reachable(key))
    return any(charset.ranges[-1][1] > 0x7F for charset in terminals(rules))


def path_as_given(path: str) -> str:
    """Return a relative path as given, an absolute path as its file name."""
    return PurePath(path).name if PurePath(path).is_absolute() else PurePath(path).as_posix()


def _heading(
    rule: Rule,
    target: str,
    parts: Sequence[str],
    name: str | None,
    given: Sequence[str] | None,
    output: str | None,
) -> FileHeading:
    source, grammar = rule.grammar.source, rule.grammar.name
    built_in = generated() / f"{grammar}.abnf"
    is_built_in = grammar in bundled_names() and built_in.read_text("utf-8") == source.text
    file = grammar if is_built_in else path_as_given(source.name)
    is_set = rule.key == rule._compilation.store.defined
    origins = rule.grammar.compilation.bound.rules
    linked = "".join(
        each.definition + "\n"
        for each in rule.grammar.values()
        if origins[each.key].origin != "core" and (is_set or origins[each.key].origin != "file")
    )
    linked = "" if is_built_in and not is_set else linked
    is_default = not linked and rule._compilation.budget == DEFAULT
    is_known = given is not None or (is_default and not source.name.startswith("<"))
    options = ["--to", target, "--grammar", file]
    if "--rule" not in (given or ()):
        options += ["--rule", rule.name]
    for part in parts:
        options += ["--part", part]
    if name is not None:
        options += ["--name", writer.check_identifier(name, CODE_TARGETS[target])]
    options += given or ()
    if rule.grammar.alphabet == BYTES and "--bytes" not in options:
        options.append("--bytes")
    base = writer.identifier(rule.name) if name is None else name
    if output is not None:
        if target in CODE_TARGETS:
            suffixes = {each.suffix for each in CODE_TARGETS.values()}
            writer.check_output(base, PurePath(output).name, CODE_TARGETS[target], suffixes)
        options += ["-o", path_as_given(output)]
    return model.FileHeading(
        title=f"{grammar}:{rule.name}",
        name=base,
        grammar=file,
        sha256=hashlib.sha256(source.text.encode()).hexdigest(),
        version=metadata.version("abnforge"),
        linked_sha256=hashlib.sha256(linked.encode()).hexdigest() if linked else "",
        command=shlex.join(["abnforge", "export", *options]) if is_known else "",
        definition=tuple(rule.definition.splitlines()),
        of_bytes=rule.grammar.alphabet == BYTES,
    )

"""Which texts of a row are judged: ``NAME[:[GRAMMAR:]RULE]`` as people write it; paths into nested rows."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from abnforge.catalog import Message, shown
from abnforge.engine.grammar import Grammar
from abnforge.engine.rule import Rule
from abnforge.engine.set_algebra import is_expression
from abnforge.errors import UnknownNameError
from abnforge.ingest.failures import JobError
from abnforge.ingest.messages import message
from abnforge.text import in_quotes, near_misses

EACH: Final = "[]"  # a step to all elements of a list


def meant(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the names that are close to an unknown one. Names of columns are short."""
    return tuple(near_misses(name, names, 0.6))


def unknown_column(name: str, names: Sequence[str]) -> Message:
    """Return the message about a column that is not one of ``names``."""
    near = meant(name, names)
    return message("column-unknown", column=name, near=near, columns=() if near else tuple(names))


def name_changes(first: Sequence[str], other: Sequence[str]) -> list[str]:
    """Return the names that the second of two tables lacks, and those that only it has."""
    names = dict.fromkeys([*first, *other])
    return [
        f"{in_quotes(shown(name))} is {'missing' if first.count(name) > other.count(name) else 'additional'}"
        for name in names
        if first.count(name) != other.count(name)
    ]


_PIECE = re.compile(r"((?:[^\\:]|\\.|\\$)*)(?::|$)", re.DOTALL)
_STEP = re.compile(r"((?:[^\\.\[]|\\.|\[(?!\]))*)((?:\[\])*)(?:\.|$)", re.DOTALL)


def plain_name(name: str) -> str:
    """A name without the backslashes that take the meaning from what follows them."""
    return re.sub(r"\\(.)", r"\1", name, flags=re.DOTALL)


def steps_of(name: str) -> tuple[str, ...]:
    """The keys that a path such as ``a.b`` or ``urls[]`` leads along."""
    steps: list[str] = []
    at = 0
    while True:
        found = _STEP.match(name, at)
        assert found is not None
        steps.append(plain_name(found[1]))
        steps += [EACH] * (len(found[2]) // 2)
        if found.end() == len(name) and not found[0].endswith("."):
            return tuple(steps)
        at = found.end()


@dataclass(frozen=True)
class Column:
    """A column to be judged: its name as it was given, and the rule.

    ``name`` may be a path: ``a.b`` is the field ``b`` of ``a``, and ``urls[]`` are all elements of a list. A
    backslash before ``.``, ``[`` or ``:`` takes the meaning from it.
    """

    name: str
    rule: Rule

    @property
    def plain(self) -> str:
        """The name without the backslashes: how a column of a table would be called."""
        return plain_name(self.name)

    @property
    def steps(self) -> tuple[str, ...]:
        """The keys that lead to the texts; :data:`EACH` is none, but says that all elements are meant."""
        return steps_of(self.name)

    @property
    def listed(self) -> bool:
        """Whether one row can have many texts."""
        return EACH in self.steps

    @property
    def sha256(self) -> str:
        """That of the grammar's text."""
        grammar = self.rule.grammar
        digest = hashlib.sha256(grammar.source.text.encode(errors="surrogatepass"))
        for rule in grammar.values():
            if rule.origin in ("import", "define"):
                digest.update(rule.definition.encode(errors="surrogatepass"))
        return digest.hexdigest()


def column(text: str, load: Callable[[str | None], Grammar]) -> Column:
    """The column that ``NAME[:[GRAMMAR:]RULE]`` means.

    ``load`` gives a grammar by its name or path, for None the one that is meant without a name. Raises
    JobError for what is no such text, and what ``load`` raises; UnknownNameError for a rule that does not
    exist.
    """
    pieces = [match[1] for match in _PIECE.finditer(text)]
    if len(text) == 0 or text[-1:] != ":":
        pieces.pop()  # the empty match at the end
    name, *rest = pieces or [""]
    name = name.replace(r"\:", ":")
    if not name:
        raise JobError(message("column-unnamed", text=text))
    if any(not each for each in rest):
        raise JobError(message("column-rule-missing", text=text))
    if not rest:
        return Column(name, load(None).start)
    if is_expression(":".join(rest)):
        raise JobError(message("column-rule-set", text=text))
    *grammar, rule = rest
    loaded = load(":".join(each.replace(r"\:", ":") for each in grammar) or None)
    try:
        return Column(name, loaded[rule])
    except UnknownNameError as error:
        if grammar:
            raise
        try:
            other = load(rule)
        except (OSError, KeyError, ValueError):
            raise error from None
        full = f"{name}:{rule}:{other.start.name}"
        raise JobError(message("column-rule-grammar", grammar=rule, column=full)) from None

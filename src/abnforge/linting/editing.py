"""What is asked of a grammar while it is being written: another name for a rule, names to go on with.

Texts may be unfinished: what can be read of them counts. Offsets are in code points.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from abnforge.abnf.bundled import bundled_names
from abnforge.abnf.core_rules import core_rules
from abnforge.catalog import ArgumentError
from abnforge.linting.messages import message
from abnforge.linting.occurrences import Occurrence
from abnforge.rejection import Edit

RULE, CORE, GRAMMAR = "rule", "core rule", "grammar"
"""What a proposed name is: a rule of the text, one of RFC 5234, appendix B.1, a grammar to import from."""

_RULE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*", re.ASCII)
_IMPORT = re.compile(r";@[ \t]*import[ \t]+[\w.-]*$")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A name that can stand where somebody is writing, and what it is."""

    name: str
    kind: str


def at(found: Sequence[Occurrence], offset: int) -> Occurrence | None:
    """The name that stands at an offset, or ends there."""
    here = [each for each in found if each.span.start <= offset <= each.span.end]
    return here[-1] if here else None


def own(found: Sequence[Occurrence], occurrence: Occurrence | None) -> bool:
    """Whether a name is that of a rule which the text defines."""
    return occurrence is not None and any(each.defines and each.key == occurrence.key for each in found)


def renaming(found: Sequence[Occurrence], offset: int, name: str) -> list[Edit]:
    """The edits that give the rule at an offset another name, wherever it stands, in the order of the text.

    ``found`` are the text's ``occurrences``. Raises ValueError, whose message is for people, where no rule of
    the text stands there, for what is no name, and for a name that another rule has. Cost: linear.
    """
    here = at(found, offset)
    if here is None or not own(found, here):
        raise ArgumentError(message("rename-nothing"))
    if _RULE_NAME.fullmatch(name) is None:
        raise ArgumentError(message("rename-invalid", name=name))
    taken = {each.key for each in found} | set(core_rules())
    if name.lower() in taken - {here.key}:
        raise ArgumentError(message("rename-taken", name=name))
    return [Edit(each.span.start, each.span.end, name) for each in found if each.key == here.key]


def proposals(text: str, found: Sequence[Occurrence], offset: int) -> Iterator[Proposal]:
    """Names that could stand at an offset: rules of the text, then core rules; of ``;@ import`` grammars.
    In other comments there are none.
    """
    line = text[:offset].rsplit("\n", 1)[-1]
    if _IMPORT.match(line):
        yield from (Proposal(name, GRAMMAR) for name in bundled_names())
    elif ";" not in line:
        for name in sorted({each.name for each in found if each.defines}, key=str.lower):
            yield Proposal(name, RULE)
        yield from (Proposal(rule.name, CORE) for rule in core_rules().values())

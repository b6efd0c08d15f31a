"""The codes of a grammar: every one that a rejection by it can have, and what it means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from abnforge.explain.bind import BoundMistakes
from abnforge.explain.mistakes import ANY_RULE, OF, Mistake, MistakeExample, Near, outline
from abnforge.explain.reading import unreadable
from abnforge.grammar.printer import print_rule
from abnforge.grammar.syntax import BoundGrammar
from abnforge.records import Frozen
from abnforge.rejection import NOT_UTF8


@dataclass(frozen=True, slots=True)
class Code:
    """What a code means.

    ``meaning`` is one sentence; where it is about a certain text, the slot that has it is named
    (``<junk>``). ``rule`` is the rule that a person would name, ``place`` how the mistake stands to it
    (``instead of port``), both None for a code about no rule. ``examples`` are wrong texts and what is right,
    ``valid_examples`` valid strings that look alike, ``sources`` where it occurred. ``definition`` is the
    ABNF that describes it; None for a code that is no mistake's. What is ``derived`` follows from the
    grammar, and nobody has written it down. ``others`` are what it means, too, where several mistakes share
    it.
    """

    code: str
    meaning: str
    rule: str | None = None
    place: str | None = None
    section: str | None = None
    examples: tuple[MistakeExample, ...] = ()
    valid_examples: tuple[Near, ...] = ()
    sources: tuple[str, ...] = ()
    definition: str | None = None
    derived: bool = False
    others: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.meaning


def codes(grammar: BoundGrammar, bound: Iterable[BoundMistakes]) -> Mapping[str, Code]:
    """The codes of a grammar by name: its mistakes, those of each rule that texts are read by in turn, in the
    order in which they are preferred, then what no mistake explains.

    Of mistakes that share a code, the first says what it means, and all tell their examples. Cost: linear in
    the size of the grammar and its mistakes.
    """
    found: dict[str, Code] = {}
    for mistakes in bound:
        met: dict[str, Code] = {}
        for mistake in mistakes.mistakes.mistakes:
            name = mistake.code
            if name in found:
                met.setdefault(name, found[name])
            else:
                code = declared(mistakes, mistake)
                met[name] = _together(met[name], code) if name in met else code
        found = met | found  # what is known by a code stays
    return Codes((*found.values(), *_general(grammar)))


class Codes(Frozen, Mapping[str, Code]):
    """Codes by name, in order."""

    _codes: Mapping[str, Code]

    def __init__(self, codes: Iterable[Code]) -> None:
        self._fill(_codes={code.code: code for code in codes})

    def __getitem__(self, name: str) -> Code:
        return self._codes[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._codes)

    def __len__(self) -> int:
        return len(self._codes)

    def __repr__(self) -> str:
        return f"<Codes: {len(self)}>"

    def __reduce__(self) -> tuple[type[Codes], tuple[list[Code]]]:
        return Codes, (list(self.values()),)


def _together(one: Code, other: Code) -> Code:
    """A code that two mistakes share."""

    def both(name: str) -> tuple[Any, ...]:
        return tuple(dict.fromkeys((*getattr(one, name), *getattr(other, name))))

    definitions = [each.definition for each in (one, other) if each.definition is not None]
    meanings = dict.fromkeys((one.meaning, *one.others, other.meaning))
    return replace(
        one,
        examples=both("examples"),
        valid_examples=both("valid_examples"),
        sources=both("sources"),
        definition="\n".join(definitions),
        others=tuple(meanings)[1:],
    )


def _general(grammar: BoundGrammar) -> Iterator[Code]:
    """Yield the codes that do not belong to a mistake."""
    for rule in grammar.rules.values():
        meaning = f"the input is not a valid {rule.name}, for a reason that is not a known mistake"
        yield Code(unreadable(rule.name), meaning, rule.name, f"instead of {rule.name}", rule.section)
    yield Code(NOT_UTF8, "the input is not valid UTF-8", section="RFC 3629, section 3")


def declared(bound: BoundMistakes, mistake: Mistake) -> Code:
    """Return the meaning of the code of a declared mistake."""
    rules = bound.grammar.rules
    targets = ["any rule" if key == ANY_RULE else rules[key].name for key in mistake.targets]
    what = " or ".join(targets)
    if mistake.literal is not None:
        what = f'"{mistake.literal}" in {what}'
    place = "instead of" if mistake.place == OF else mistake.place
    about = mistake.about or next((key for key in mistake.targets if key != ANY_RULE), None)
    return Code(
        mistake.code,
        outline(mistake.say) if mistake.say is not None else f"a mistake {place} {what}",
        None if about is None else rules[about].name,
        f"{place} {what}",
        bound.section(mistake),
        mistake.examples,
        mistake.near,
        mistake.sources,
        print_rule(mistake.rule).strip(),
        mistake.derived,
    )

"""The codes that the rejections of a grammar can have, and their meanings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from abnforge.explain.bind import BoundMistakes
from abnforge.explain.mistakes import ANY_RULE, OF, Mistake, MistakeExample, Near, outline
from abnforge.explain.reading import unreadable
from abnforge.families import family_of
from abnforge.grammar.printer import print_rule
from abnforge.grammar.syntax import BoundGrammar
from abnforge.records import Frozen
from abnforge.rejection import NOT_UTF8


@dataclass(frozen=True, slots=True)
class Code:
    """The meaning of a code.

    ``meaning`` is one sentence, with slots by name (``<junk>``). ``rule`` is the rule to show to users, and
    ``place`` is the mistake's relation to it (``instead of port``); both are None for a code without a rule.
    ``examples`` are pairs of wrong and right strings, ``valid_examples`` are similar valid strings, and
    ``sources`` cite where the mistake occurred. ``definition`` is the ABNF of the mistake, or None. A
    ``derived`` code follows from the grammar. ``others`` are further meanings if several mistakes share the
    code. ``component`` is the rule to group codes by. ``severity`` is ``error``, or for valid strings
    ``warning`` or ``note``.
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
    component: str | None = None
    severity: str = "error"

    @property
    def family(self) -> str:
        """The family of the code, one of ``abnforge.families.FAMILIES``."""
        return family_of(self.code)

    def __str__(self) -> str:
        return self.meaning


def codes(grammar: BoundGrammar, bound: Iterable[BoundMistakes]) -> Mapping[str, Code]:
    """Return the codes of a grammar by name.

    Codes of mistakes come first, for each start rule, in order of preference, followed by general codes.

    If mistakes share a code, the meaning is that of the first, and the examples are those of all. Cost:
    linear in the size of the grammar and its mistakes.
    """
    result: dict[str, Code] = {}
    for mistakes in bound:
        merged: dict[str, Code] = {}
        for mistake in mistakes.mistakes.mistakes:
            name = mistake.code
            if name in result:
                merged.setdefault(name, result[name])
            else:
                code = declared(mistakes, mistake)
                merged[name] = _merged(merged[name], code) if name in merged else code
        result = merged | result  # earlier meanings win
    return Codes((*result.values(), *_general_codes(grammar)))


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


def _merged(one: Code, other: Code) -> Code:
    """Merge two mistakes that share a code."""

    def union(name: str) -> tuple[Any, ...]:
        return tuple(dict.fromkeys((*getattr(one, name), *getattr(other, name))))

    definitions = [each.definition for each in (one, other) if each.definition is not None]
    meanings = dict.fromkeys((one.meaning, *one.others, other.meaning))
    return replace(
        one,
        examples=union("examples"),
        valid_examples=union("valid_examples"),
        sources=union("sources"),
        definition="\n".join(definitions),
        others=tuple(meanings)[1:],
    )


def _general_codes(grammar: BoundGrammar) -> Iterator[Code]:
    """Yield the codes for rejections without a mistake."""
    for rule in grammar.rules.values():
        meaning = f"the input is not a valid {rule.name}, for a reason that is not a known mistake"
        place = f"instead of {rule.name}"
        yield Code(unreadable(rule.name), meaning, rule.name, place, rule.section, component=rule.name)
    yield Code(NOT_UTF8, "the input is not valid UTF-8", section="RFC 3629, section 3")


def declared(bound: BoundMistakes, mistake: Mistake) -> Code:
    """Return the code of a mistake, with its meaning."""
    rules = bound.grammar.rules
    targets = ["any rule" if key == ANY_RULE else rules[key].name for key in mistake.targets]
    described = " or ".join(targets)
    if mistake.literal is not None:
        described = f'"{mistake.literal}" in {described}'
    place = "instead of" if mistake.place == OF else mistake.place
    about = mistake.about or next((key for key in mistake.targets if key != ANY_RULE), None)
    return Code(
        mistake.code,
        outline(mistake.say) if mistake.say is not None else f"a mistake {place} {described}",
        None if about is None else rules[about].name,
        f"{place} {described}",
        bound.section(mistake),
        mistake.examples,
        mistake.near,
        mistake.sources,
        print_rule(mistake.rule).strip(),
        mistake.derived,
        component=bound.component(mistake.code),
    )

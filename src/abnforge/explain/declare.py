"""One rule of a file of mistakes and the directives above it, made into mistakes: one, or one a member."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from abnforge.explain.messages import message
from abnforge.explain.mistakes import (
    ALL,
    ANY_RULE,
    DECODE,
    DROP,
    ENCODE,
    END,
    IDNA,
    LIKE,
    OF,
    START,
    FixPart,
    Mapped,
    Mistake,
    MistakeExample,
    Near,
    Slot,
    SlotUses,
    Substituted,
    Text,
    slots,
)
from abnforge.grammar.annotations import Arguments as AnyArguments
from abnforge.grammar.annotations import Directive, DirectiveError, DirectiveToken
from abnforge.grammar.annotations import directives as any_directives
from abnforge.grammar.messages import message as _message
from abnforge.grammar.syntax import RuleDefinition, RuleName, map_names
from abnforge.text import Source, Span, near_misses

# The directives of mistakes: ``;@ of port; blame junk; fix digits``, cut up by ``grammar.annotations``.


CODE = "mistake-directive"
"""What errors about these directives are called."""

PLACES = ("of", "before", "after")

MEANINGS = {
    "of": 'of RULE... or of RULE "literal"',
    "before": "before RULE...",
    "after": "after RULE...",
    "each": 'each T: member... (each may carry a "text")',
    "blame": "blame SLOT... (or all, start, end)",
    "fix": "fix SLOT, text or map...; or fix none",
    "cost": "cost NUMBER",
    "code": "code NAME",
    "inner": "inner RULE...",
    "about": "about RULE",
    "unwanted": "unwanted",
    "say": 'say "sentence"',
    "section": "section 3.2.3, or section RFC 5952, section 4",
    "example": 'example [RULE] "wrong" -> "right" (or none)',
    "near": 'near [RULE] "valid"',
    "seen": 'seen "where"',
    "adopt": "adopt GRAMMAR",
    "without": "without MISTAKE...",
    "only": "only MISTAKE...",
    "without-example": 'without-example "wrong"',
    "as": "as RULE NAME... (a rule there, and its name here)",
    "complete": "complete",
}
"""Every directive of a mistake, with how it is written."""

SEVERAL = frozenset({"example", "near", "seen", "inner"})
"""Directives that may stand more than once above one rule."""

ADOPTING = ("adopt", "without", "without-example", "only", "as")
"""Directives about another grammar's mistakes: they stand at the head of a file, above a blank line."""

COMPLETE = "complete"
"""The directive at the head of a file that no further mistakes are derived."""

ELSEWHERE = frozenset({"allow", "import", "except", "match", "no-match"})
"""Structured comments of the same form that are for other readers."""

MAY_DECLARE = re.compile(
    r"^[ \t]*;@(?:[^\n]*;)?[ \t]*(?:(?:of|before|after|each)[ \t]|complete[ \t\r]*(?:;|$))", re.MULTILINE
)
"""What a text that declares mistakes has in it."""


def directives(source: Source, start: int, end: int) -> Iterator[Directive]:
    """The directives of one line, ``start`` being the offset behind its ``;@``.

    Those that are for other readers are left out. Raises DirectiveError.
    """
    for directive in any_directives(source, start, end, CODE, ELSEWHERE):
        if directive.word not in MEANINGS:
            near = near_misses(directive.word, MEANINGS)
            start = directive.span.start
            span = Span(start, start + len(directive.word))
            raise error(source, span, _message("directive-misspelled", word=directive.word, near=near))
        yield directive


class DirectiveArguments(AnyArguments):
    """What stands behind the word of a directive of mistakes."""

    def __init__(self, source: Source, directive: Directive) -> None:
        super().__init__(source, directive, MEANINGS[directive.word], CODE)


def error(source: Source, span: Span, message: str) -> DirectiveError:
    """An error about a place in the directives."""
    return DirectiveError(message, code=CODE, source=source, span=span)


MAX_COST = 1000
"""A mistake's price: prices are compared, so nobody needs larger ones."""

MAPS = (ENCODE, DROP, DECODE, LIKE, IDNA)
_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


class DirectiveBlock:
    """A rule with its directives. ``members`` are those of its family; [None] if it is a rule of its own.
    A member may carry a text, which replaces the family's parameter in the fix; if the
    fix does not have the parameter, in the message.

    Raises DirectiveError where a directive cannot be understood, there twice, or of no use.
    """

    def __init__(self, source: Source, rule: RuleDefinition, found: list[Directive]) -> None:
        self._source = source
        self._rule = rule
        self._found: dict[str, list[Directive]] = {}
        for directive in found:
            same = self._found.setdefault(directive.word, [])
            if same and directive.word not in SEVERAL:
                repeated = message("directive-repeated-for-rule", word=directive.word, rule=rule.name)
                raise self._error(directive.span, repeated)
            same.append(directive)
        self._parameter = ""
        self.members: list[str | None] = [None]
        self._texts: dict[str | None, str] = {}
        if family := self._arguments("each"):
            self._parameter = family.take("name").text
            family.take(":")
            self.members = []
            while family.more or not self.members:
                self.members.append(family.take("name").text)
                if family.next_is("string", "chars"):
                    self._texts[self.members[-1]] = family.text()
            if self._parameter not in rule.name.split("-"):
                missing = message("name-part-missing", rule=rule.name, parameter=self._parameter)
                raise self._error(rule.name_span, missing)
        self._place = next((word for word in PLACES if word in self._found), None)
        others = [word for word in self._found if word not in (*PLACES, "each")]
        if self._place is None and others:
            raise self._error(self._found[others[0]][0].span, message("place-missing", word=others[0]))

    def renamed(self, member: str | None) -> RuleDefinition:
        """The rule of one member: its name put in the place of the parameter in every name."""
        if member is None:
            return self._rule
        put = self._put(member)

        def change(name: RuleName) -> RuleName:
            return replace(name, name=put(name.name))

        elements = map_names(self._rule.elements, change)
        return replace(self._rule, name=put(self._rule.name), elements=elements)

    def mistake(self, member: str | None, order: int) -> Mistake | None:
        """The mistake that one member is; None for a rule that only helps."""
        if self._place is None:
            return None
        rule = self.renamed(member)
        written = {self._parameter: self._texts[member]} if member in self._texts else {}
        maker = _Maker(self._source, rule, self._put(member), self._found, self._place, written)
        return maker.mistake(order, self._rule.name if member is not None else None)

    def _put(self, member: str | None) -> Callable[[str], str]:
        """What a name becomes for a member."""
        if member is None:
            return lambda name: name
        parameter = self._parameter
        return lambda name: "-".join(member if part == parameter else part for part in name.split("-"))

    def _arguments(self, word: str) -> DirectiveArguments | None:
        directives = self._found.get(word)
        return DirectiveArguments(self._source, directives[0]) if directives else None

    def _error(self, span: Span, message: str) -> DirectiveError:
        return error(self._source, span, message)


class _Maker:
    """The directives of one member read."""

    def __init__(
        self,
        source: Source,
        rule: RuleDefinition,
        put: Callable[[str], str],
        found: dict[str, list[Directive]],
        place: str,
        written: dict[str, str],
    ) -> None:
        self._source = source
        self._rule = rule
        self._put = put
        self._found = found
        self._place = place
        self._written = written  # texts that names stand for in the fix
        self._shown = dict(written)  # in the message: those that the fix does not have
        self._slots = slots(rule.elements)

    def mistake(self, order: int, family: str | None) -> Mistake:
        targets, literal = self._targets()
        for word in ("blame", "fix"):
            if word not in self._found:
                missing = message("directive-missing", word=word, rule=self._rule.name)
                raise error(self._source, self._rule.name_span, missing)
        self._alone("unwanted")
        return Mistake(
            code=self._code(),
            rule=self._rule,
            place=self._place,
            targets=targets,
            literal=literal,
            blame=self._blame(),
            fix=self._fix(),
            cost=self._cost(),
            order=order,
            about=self._about(),
            inner=self._inner(),
            unwanted="unwanted" in self._found,
            say=self._say(),
            section=self._section(),
            family=family,
            examples=self._examples(),
            near=self._near(),
            sources=tuple(self._texts("seen")),
            span=self._rule.name_span,
        )

    def _all(self, word: str) -> list[DirectiveArguments]:
        return [DirectiveArguments(self._source, directive) for directive in self._found.get(word, ())]

    def _alone(self, word: str) -> None:
        for arguments in self._all(word):
            arguments.end()

    def _name(self, token: DirectiveToken) -> str:
        if "." in token.text:
            raise error(self._source, token.span, message("rule-with-number", name=token.text))
        return self._put(token.text).lower()

    def _targets(self) -> tuple[tuple[str, ...], str | None]:
        places = [word for word in PLACES if word in self._found]
        if len(places) > 1:
            several = message("places-several", first=places[0], second=places[1])
            raise error(self._source, self._found[places[1]][0].span, several)
        (arguments,) = self._all(self._place)
        targets: list[str] = []
        kinds = ("name",) if self._place == OF else ("name", ANY_RULE)
        while not targets or arguments.next_is(*kinds):
            token = arguments.take(*kinds)
            targets.append(ANY_RULE if token.kind == ANY_RULE else self._name(token))
        literal = None
        if self._place == OF and arguments.next_is("string", "chars"):
            literal = arguments.text()
        arguments.end()
        return tuple(dict.fromkeys(targets)), literal

    def _slot(self, token: DirectiveToken, words: tuple[Slot, ...]) -> Slot:
        """A slot that the body has, or one of some words."""
        written, _, number = token.text.partition(".")
        name = self._put(written)
        for word in words:
            if not number and name == word.name:
                return word
        uses = self._slots.get(name.lower())
        if uses is None:
            near = near_misses(name, self._slots)
            unknown = message("slot-unknown", rule=self._rule.name, name=name, near=near)
            raise error(self._source, token.span, unknown)
        turn = int(number or 1)
        if turn == 0 or (uses.most is not None and turn > uses.most):
            unknown = message("slot-zero", slot=token.text)
            if turn:
                rule = self._rule.name
                unknown = message("slot-number", slot=token.text, rule=rule, name=name, most=uses.most)
            raise error(self._source, token.span, unknown)
        return Slot(name.lower(), turn)

    def _blame(self) -> tuple[Slot, ...]:
        (arguments,) = self._all("blame")
        blame = [self._slot(arguments.take("name"), (ALL, START, END))]
        while arguments.more:
            blame.append(self._slot(arguments.take("name"), (ALL, START, END)))
        return tuple(blame)

    def _fix(self) -> tuple[FixPart, ...] | None:
        (arguments,) = self._all("fix")
        parts: list[FixPart] = []
        while not parts or arguments.more:
            if arguments.next_is("string", "chars"):
                parts.append(Text(arguments.text()))
                continue
            token = arguments.take("name")
            if token.text == "none" and not parts:
                arguments.end()
                return None
            if arguments.next_is("("):
                parts.append(self._call(token, arguments))
            elif token.text in self._written:
                parts.append(Text(self._written[token.text]))
                self._shown.pop(token.text, None)
            else:
                parts.append(self._copied(token))
        self._nothing_lost(parts)
        return tuple(parts)

    def _copied(self, token: DirectiveToken) -> Slot:
        """A slot that a fix writes: one that a text may use any number of times cannot be written once."""
        slot = self._slot(token, (ALL,))
        uses = self._slots.get(slot.name, SlotUses(1, 1)) if slot != ALL else SlotUses(1, 1)
        if uses.most is None:
            raise error(self._source, token.span, message("fix-loses-text", slot=slot.name))
        return slot

    def _call(self, function: DirectiveToken, arguments: DirectiveArguments) -> FixPart:
        arguments.take("(")
        if function.text == "subst":
            pairs: list[tuple[str, str]] = []
            while not pairs or arguments.next_is(","):
                if pairs:
                    arguments.take(",")
                token = arguments.take("name")
                slot = self._slot(token, ())
                if slot.turn != 1 or slot.name in dict(pairs):
                    raise error(self._source, token.span, message("subst-slot", name=token.text))
                arguments.take(",")
                pairs.append((slot.name, arguments.text()))
            arguments.take(")")
            return Substituted(tuple(pairs))
        if function.text not in MAPS:
            unknown = message("map-unknown", name=function.text, known=(*MAPS, "subst"))
            raise error(self._source, function.span, unknown)
        slot = self._copied(arguments.take("name"))
        rule = None
        if function.text != DECODE or arguments.next_is(","):
            arguments.take(",")
            rule = self._name(arguments.take("name"))
        arguments.take(")")
        return Mapped(function.text, slot, rule)

    def _nothing_lost(self, parts: list[FixPart]) -> None:
        """A slot is written once: twice would be a copy that nobody wrote."""
        written = [str(part.slot if isinstance(part, Mapped) else part) for part in parts if _slot(part)]
        twice = next((name for name in written if written.count(name) > 1), None)
        if twice is not None:
            span = self._found["fix"][0].span
            raise error(self._source, span, message("fix-copies-twice", slot=twice))

    def _code(self) -> str:
        """The code that a person is shown: the rule's name, or one that it shares with others."""
        for arguments in self._all("code"):
            name = arguments.take("name")
            arguments.end()
            if "." in name.text:
                raise error(self._source, name.span, message("code-with-number", name=name.text))
            return self._put(name.text)
        return self._rule.name

    def _cost(self) -> int:
        for arguments in self._all("cost"):
            token = arguments.take("number")
            arguments.end()
            if not token.text.isdigit() or not 1 <= int(token.text[:9]) <= MAX_COST:
                raise error(self._source, token.span, message("cost-out-of-range", most=MAX_COST))
            return int(token.text)
        return 1

    def _about(self) -> str | None:
        for arguments in self._all("about"):
            name = self._name(arguments.take("name"))
            arguments.end()
            return name
        return None

    def _inner(self) -> frozenset[str]:
        found: set[str] = set()
        for arguments in self._all("inner"):
            while arguments.more or not found:
                slot = self._slot(arguments.take("name"), ())
                found.add(slot.name)
        return frozenset(found)

    def _say(self) -> str | None:
        for arguments in self._all("say"):
            said = arguments.text()
            arguments.end()
            return _PLACEHOLDER.sub(self._placeholder, said)
        return None

    def _placeholder(self, match: re.Match[str]) -> str:
        """``{slot}`` of a sentence, with the name or the text of the member in it."""
        if match[0] in ("{{", "}}"):
            return match[0]
        span = self._found["say"][0].span
        if match[1] is None:
            raise error(self._source, span, message("brace-alone", brace=match[0]))
        put = self._put(match[1])
        if put != match[1] and "-" not in match[1]:
            return self._shown.get(match[1], put).replace("{", "{{").replace("}", "}}")
        return f"{{{self._slot(DirectiveToken('name', match[1], span), (ALL,))}}}"

    def _section(self) -> str | None:
        for arguments in self._all("section"):
            return arguments.raw()
        section = self._rule.section
        if section is not None and re.fullmatch(r"[A-Z](\.[0-9.]+)?", section):
            return f"appendix {section}"  # as it is read where nobody knows what kind of section it is
        return section

    def _texts(self, word: str) -> list[str]:
        texts = []
        for arguments in self._all(word):
            texts.append(arguments.text())
            arguments.end()
        return texts

    def _reader(self, arguments: DirectiveArguments) -> str | None:
        return self._name(arguments.take("name")) if arguments.next_is("name") else None

    def _examples(self) -> tuple[MistakeExample, ...]:
        examples = []
        for arguments in self._all("example"):
            rule = self._reader(arguments)
            wrong = arguments.text()
            arguments.take("->")
            right = None
            if not arguments.take_word("none"):
                right = arguments.text()
            arguments.end()
            examples.append(MistakeExample(wrong, right, rule))
        return tuple(examples)

    def _near(self) -> tuple[Near, ...]:
        near = []
        for arguments in self._all("near"):
            rule = self._reader(arguments)
            near.append(Near(arguments.text(), rule))
            arguments.end()
        return tuple(near)


def _slot(part: FixPart) -> bool:
    return isinstance(part, Slot | Mapped)

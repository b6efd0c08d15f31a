"""Parse the directives of a rule (``;@ of port; blame junk; fix digits``) to its mistakes.

``grammar.annotations`` splits the comments into directives and tokens. A rule with ``each`` declares a
family: one mistake for each member, whose name replaces the parameter in all rule names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

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
    UNESCAPE,
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
from abnforge.grammar.annotations import GRAMMAR_WORDS, Directive, DirectiveError, DirectiveToken
from abnforge.grammar.annotations import Arguments as AnyArguments
from abnforge.grammar.annotations import directives as any_directives
from abnforge.grammar.messages import message as _message
from abnforge.grammar.syntax import RuleDefinition, RuleName, map_names
from abnforge.messages import message
from abnforge.text import Source, Span, near_misses

CODE = "mistake-directive"  # the code of errors in directives of mistakes

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
    "withhold": "withhold",
}
"""Every directive of a mistake, with its syntax."""

SEVERAL = frozenset({"example", "near", "seen", "inner"})
"""Directives that may occur more than once above a rule."""

ADOPTING = ("adopt", "without", "without-example", "only", "as")
"""Directives at the start of a file that inherit mistakes from another grammar."""

WITHHOLD = "withhold"  # the directive of a rule whose strings are never suggested

COMPLETE = "complete"  # the directive at the start of a file that turns off derived mistakes

MAY_DECLARE = re.compile(
    r"^[ \t]*;@(?:[^\n]*;)?[ \t]*(?:(?:of|before|after|each)[ \t]|(?:complete|withhold)[ \t\r]*(?:;|$))",
    re.MULTILINE,
)
"""A pattern that occurs in every file with mistakes."""


def directives(source: Source, start: int, end: int) -> Iterator[Directive]:
    """Yield the directives of a line; ``start`` is the offset after its ``;@``.

    Directives that ``grammar`` parses are skipped. Raises DirectiveError.
    """
    for directive in any_directives(source, start, end, CODE, GRAMMAR_WORDS):
        if directive.word not in MEANINGS:
            near = near_misses(directive.word, MEANINGS)
            start = directive.span.start
            span = Span(start, start + len(directive.word))
            raise error(source, span, _message("directive-misspelled", word=directive.word, near=near))
        yield directive


class DirectiveArguments(AnyArguments):
    """The arguments of a mistake's directive."""

    def __init__(self, source: Source, directive: Directive) -> None:
        super().__init__(source, directive, MEANINGS[directive.word], CODE)


def error(source: Source, span: Span, message: str) -> DirectiveError:
    """Return an error about a span in the directives."""
    return DirectiveError(message, code=CODE, source=source, span=span)


MAX_COST = 1000  # the maximum cost of a mistake

MAPS = (ENCODE, DROP, DECODE, LIKE, IDNA, UNESCAPE)
_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


class DirectiveBlock:
    """A rule and its directives. ``members`` are the members of its family, or [None].

    A member may have a string, which replaces the parameter in the fix, or in the message if it does not
    occur in the fix. Raises DirectiveError for an invalid, repeated or useless directive.
    """

    def __init__(self, source: Source, rule: RuleDefinition, block: list[Directive]) -> None:
        self._source = source
        self._rule = rule
        self._directives: dict[str, list[Directive]] = {}
        for directive in block:
            repeated_directives = self._directives.setdefault(directive.word, [])
            if repeated_directives and directive.word not in SEVERAL:
                repeated = message("directive-repeated-for-rule", word=directive.word, rule=rule.name)
                raise self._error(directive.span, repeated)
            repeated_directives.append(directive)
        self._parameter = ""
        self.members: list[str | None] = [None]
        self._texts: dict[str | None, str] = {}
        if arguments := self._arguments("each"):
            self._parameter = arguments.take("name").text
            arguments.take(":")
            self.members = []
            while arguments.more or not self.members:
                self.members.append(arguments.take("name").text)
                if arguments.next_is("string", "chars"):
                    self._texts[self.members[-1]] = arguments.text()
            if self._parameter not in rule.name.split("-"):
                problem = message("name-part-missing", rule=rule.name, parameter=self._parameter)
                raise self._error(rule.name_span, problem)
        self._place = next((word for word in PLACES if word in self._directives), None)
        other_words = [word for word in self._directives if word not in (*PLACES, "each", WITHHOLD)]
        if arguments := self._arguments(WITHHOLD):
            arguments.end()
        if self._place is None and other_words:
            raise self._error(
                self._directives[other_words[0]][0].span, message("place-missing", word=other_words[0])
            )

    @property
    def withholds(self) -> bool:
        """Return whether strings of the rule are never suggested."""
        return WITHHOLD in self._directives

    def renamed(self, member: str | None) -> RuleDefinition:
        """Return the rule of one member, whose name replaces the parameter in every rule name."""
        if member is None:
            return self._rule
        rename = self._renamer(member)

        def change(name: RuleName) -> RuleName:
            return replace(name, name=rename(name.name))

        elements = map_names(self._rule.elements, change)
        return replace(self._rule, name=rename(self._rule.name), elements=elements)

    def mistake(self, member: str | None, order: int) -> Mistake | None:
        """Return the mistake of one member, or None for a helper rule."""
        if self._place is None:
            return None
        rule = self.renamed(member)
        fix_texts = {self._parameter: self._texts[member]} if member in self._texts else {}
        builder = _MistakeBuilder(
            self._source, rule, self._renamer(member), self._directives, self._place, fix_texts
        )
        return builder.mistake(order, self._rule.name if member is not None else None)

    def _renamer(self, member: str | None) -> Callable[[str], str]:
        """Return the function that renames rules for a member."""
        if member is None:
            return lambda name: name
        parameter = self._parameter
        return lambda name: "-".join(member if part == parameter else part for part in name.split("-"))

    def _arguments(self, word: str) -> DirectiveArguments | None:
        directives = self._directives.get(word)
        return DirectiveArguments(self._source, directives[0]) if directives else None

    def _error(self, span: Span, message: str) -> DirectiveError:
        return error(self._source, span, message)


class _MistakeBuilder:
    """Build the mistake of one member from its directives."""

    def __init__(
        self,
        source: Source,
        rule: RuleDefinition,
        rename: Callable[[str], str],
        directives: dict[str, list[Directive]],
        place: str,
        fix_texts: dict[str, str],
    ) -> None:
        self._source = source
        self._rule = rule
        self._rename = rename
        self._directives = directives
        self._place = place
        self._fix_texts = fix_texts  # parameter -> string in the fix
        self._message_texts = dict(fix_texts)  # parameter -> string in the message
        self._slots = slots(rule.elements)

    def mistake(self, order: int, family: str | None) -> Mistake:
        targets, literal = self._targets()
        for word in ("blame", "fix"):
            if word not in self._directives:
                missing = message("directive-missing", word=word, rule=self._rule.name)
                raise error(self._source, self._rule.name_span, missing)
        self._check_empty("unwanted")
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
            unwanted="unwanted" in self._directives,
            say=self._say(),
            section=self._section(),
            family=family,
            examples=self._examples(),
            near=self._near(),
            sources=tuple(self._texts("seen")),
            span=self._rule.name_span,
        )

    def _all(self, word: str) -> list[DirectiveArguments]:
        return [DirectiveArguments(self._source, directive) for directive in self._directives.get(word, ())]

    def _check_empty(self, word: str) -> None:
        for arguments in self._all(word):
            arguments.end()

    def _name(self, token: DirectiveToken) -> str:
        if "." in token.text:
            raise error(self._source, token.span, message("rule-with-number", name=token.text))
        return self._rename(token.text).lower()

    def _targets(self) -> tuple[tuple[str, ...], str | None]:
        places = [word for word in PLACES if word in self._directives]
        if len(places) > 1:
            problem = message("places-several", first=places[0], second=places[1])
            raise error(self._source, self._directives[places[1]][0].span, problem)
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
        """Return a slot of the body, or one of the words in ``words``."""
        written, _, number = token.text.partition(".")
        name = self._rename(written)
        for word in words:
            if not number and name == word.name:
                return word
        uses = self._slots.get(name.lower())
        if uses is None:
            close = near_misses(name, self._slots)
            problem = message("slot-unknown", rule=self._rule.name, name=name, near=close)
            raise error(self._source, token.span, problem)
        turn = int(number or 1)
        if turn == 0 or (uses.most is not None and turn > uses.most):
            problem = message("slot-zero", slot=token.text)
            if turn:
                rule = self._rule.name
                problem = message("slot-number", slot=token.text, rule=rule, name=name, most=uses.most)
            raise error(self._source, token.span, problem)
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
            elif token.text in self._fix_texts:
                parts.append(Text(self._fix_texts[token.text]))
                self._message_texts.pop(token.text, None)
            else:
                parts.append(self._copied(token))
        self._check_copies(parts)
        return tuple(parts)

    def _copied(self, token: DirectiveToken) -> Slot:
        """Return a slot that a fix copies; its number of uses must be limited."""
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

    def _check_copies(self, parts: list[FixPart]) -> None:
        """Raise an error if a fix copies a slot twice, since the input contains it once."""
        written = [str(part.slot if isinstance(part, Mapped) else part) for part in parts if _slot(part)]
        twice = next((name for name in written if written.count(name) > 1), None)
        if twice is not None:
            span = self._directives["fix"][0].span
            raise error(self._source, span, message("fix-copies-twice", slot=twice))

    def _code(self) -> str:
        """Return the code: the rule's name, or a declared shared code."""
        for arguments in self._all("code"):
            name = arguments.take("name")
            arguments.end()
            if "." in name.text:
                raise error(self._source, name.span, message("code-with-number", name=name.text))
            return self._rename(name.text)
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
        keys: set[str] = set()
        for arguments in self._all("inner"):
            while arguments.more or not keys:
                slot = self._slot(arguments.take("name"), ())
                keys.add(slot.name)
        return frozenset(keys)

    def _say(self) -> str | None:
        for arguments in self._all("say"):
            template = arguments.text()
            arguments.end()
            return _PLACEHOLDER.sub(self._placeholder, template)
        return None

    def _placeholder(self, match: re.Match[str]) -> str:
        """Return the replacement of ``{slot}`` in a message: a renamed slot, or the member's string."""
        if match[0] in ("{{", "}}"):
            return match[0]
        span = self._directives["say"][0].span
        if match[1] is None:
            raise error(self._source, span, message("brace-alone", brace=match[0]))
        renamed = self._rename(match[1])
        if renamed != match[1] and "-" not in match[1]:
            return self._message_texts.get(match[1], renamed).replace("{", "{{").replace("}", "}}")
        return f"{{{self._slot(DirectiveToken('name', match[1], span), (ALL,))}}}"

    def _section(self) -> str | None:
        for arguments in self._all("section"):
            return arguments.raw()
        section = self._rule.section
        if section is not None and re.fullmatch(r"[A-Z](\.[0-9.]+)?", section):
            return f"appendix {section}"  # the notation for appendices
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

"""Examples beside the rules of a grammar: strings that a rule derives, and strings that it does not.

They stand in structured comments above a rule, or indented below it or behind it; so does what stands right
under a rule, with a blank line or nothing behind it::

    ;@ match "80", "" (RFC 3986, section 3.2.3)
    ;@ no-match "80x", "8"%x0A"0"
    port = *DIGIT

Strings are written as directives of mistakes write them: ``"text"`` and ``%x0D.0A``, one behind the other,
case and all. A note in brackets is about the strings of its directive before it, back to the note before
that. Whether the rule derives them is asked by ``engine.examples``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from abnforge.abnf.messages import message
from abnforge.abnf.model import Rule, Rulelist
from abnforge.abnf.structured import Arguments, Directive, DirectiveError, directives, places
from abnforge.catalog import Message
from abnforge.errors import GrammarError
from abnforge.near_misses import near_misses
from abnforge.source import Source, Span

MATCH, NO_MATCH = "match", "no-match"

EXAMPLES = re.compile(r";@[ \t]*(?:no-)?match(?![A-Za-z0-9-])")
"""How a comment with examples begins."""

MAX_EXAMPLES = 100_000
"""Examples in one grammar: each is a question of its own, with a budget of its own."""

CODE = "example-directive"
"""What errors about examples are called."""

_WORD = re.compile(r";@[ \t]*(?P<word>[A-Za-z][A-Za-z0-9-]*)")
_LIKENESS = 0.75  # that of "macth"; less is that of "each", which is another directive
_HOW = '{} "text", "a"%x0D.0A (note)'


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Example:
    """A string that a rule derives, or one that it does not.

    ``valid`` says which; ``rule`` is the rule's name. ``line`` and ``column`` are where the string is written
    in the grammar, from 1, ``end_column`` is behind it; ``note`` is what the grammar says of it, or None.
    """

    rule: str
    text: str
    valid: bool
    line: int
    column: int
    end_column: int
    note: str | None = None

    @property
    def directive(self) -> str:
        """``match`` or ``no-match``."""
        return MATCH if self.valid else NO_MATCH


def read_examples(rulelist: Rulelist, known: Collection[str]) -> tuple[list[Example], list[GrammarError]]:
    """The examples of a text in its order, and what is wrong with those that are none.

    ``known`` are the rules that can have some, by lower-case name. Cost: linear in the text.
    """
    found: list[Example] = []
    errors: list[GrammarError] = []
    source = rulelist.source
    for span, rule in places(rulelist, _has_examples):
        try:
            if rule is None:
                raise _error(source, span, message("example-without-rule"))
            if rule.name.lower() not in known:
                raise _error(source, span, message("example-of-mistake", name=rule.name))
            for each in _examples(source, span, rule):
                if len(found) == MAX_EXAMPLES:
                    problem = message("example-limit", limit=MAX_EXAMPLES)
                    return found, [*errors, _error(source, span, problem)]
                found.append(each)
        except GrammarError as error:
            errors.append(error)
    return found, errors


def written(examples: Iterable[Example]) -> str:
    """Examples of one rule as a grammar has them, a line each; they read back as they are."""
    return "".join(
        f";@ {each.directive} {text_written(each.text)}{'' if each.note is None else f' ({each.note})'}\n"
        for each in examples
    )


def text_written(text: str) -> str:
    """A text as examples write it: ``"text"``, or ``%x0D.0A`` for what strings cannot hold or nobody sees."""
    parts = re.findall(r"[ -!#-~]+|[^ -!#-~]+", text) or [""]
    return "".join(
        f'"{part}"' if re.fullmatch(r"[ -!#-~]*", part) else "%x" + ".".join(f"{ord(c):02X}" for c in part)
        for part in parts
    )


def _has_examples(source: Source, span: Span) -> bool:
    """Whether a comment has examples, or would have them if its word were not misspelt."""
    if EXAMPLES.match(source.text, span.start, span.end):
        return True
    word = _WORD.match(source.text, span.start, span.end)
    return word is not None and bool(near_misses(word["word"], (MATCH, NO_MATCH), _LIKENESS))


def _examples(source: Source, span: Span, rule: Rule) -> Iterator[Example]:
    """The examples of one comment."""
    start = span.start + len(";@")
    end = span.start + len(source.text[span.start : span.end].rstrip())
    for directive in directives(source, start, end, CODE):
        if directive.word not in (MATCH, NO_MATCH):
            near = tuple(near_misses(directive.word, (MATCH, NO_MATCH), _LIKENESS)[:1])
            begin = directive.span.start
            word = Span(begin, begin + len(directive.word))
            problem = (
                message("directive-misspelled", word=directive.word, near=near)
                if near
                else message("directive-not-allowed", word=directive.word, allowed=(MATCH, NO_MATCH))
            )
            raise _error(source, word, problem)
        yield from _strings(source, directive, rule)


def _strings(source: Source, directive: Directive, rule: Rule) -> Iterator[Example]:
    """The examples of one directive; a note is about those before it that have none."""
    arguments = Arguments(source, directive, _HOW.format(directive.word), CODE)
    waiting: list[Example] = []
    while True:
        text, span = arguments.placed_text()
        line, column = source.position(span.start)
        behind = column + span.end - span.start
        waiting.append(Example(rule.name, text, directive.word == MATCH, line, column, behind))
        if arguments.next_is("("):
            note = arguments.bracketed()
            yield from (replace(each, note=note) for each in waiting)
            waiting = []
        if not arguments.more:
            break
        arguments.take(",")
    yield from waiting


def _error(source: Source, span: Span, problem: Message) -> DirectiveError:
    return DirectiveError(problem, code=CODE, source=source, span=span)

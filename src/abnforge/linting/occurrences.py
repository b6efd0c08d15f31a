"""Where the names of rules occur in a grammar's text: what editors go to, and rename."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from abnforge.abnf.lexing import comments_within
from abnforge.abnf.model import Alternation, Group, Option, Rulelist, RuleName
from abnforge.abnf.structured import directives
from abnforge.errors import GrammarError
from abnforge.source import Span

# Directives (";@ ...") that name rules of the grammar that they stand in.
NAMING = ("except", "of")


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A name where it stands; ``defines`` on the left of ``=`` or ``=/``."""

    name: str
    span: Span
    defines: bool = False

    @property
    def key(self) -> str:
        """The name in lower case: names match without regard to it."""
        return self.name.lower()


def occurrences(rulelist: Rulelist) -> list[Occurrence]:
    """The names of a grammar, in the order of its text, those of structured comments too. Cost: linear."""
    found = []
    for rule in rulelist.rules:
        found.append(Occurrence(rule.name, rule.name_span, True))
        found += [
            Occurrence(each.name, _bare(rulelist.source.text, each.span)) for each in _within(rule.elements)
        ]
    found += _in_comments(rulelist)
    return sorted(found, key=lambda each: each.span.start)


def _bare(text: str, span: Span) -> Span:
    """The place of a name without the brackets of ``<name>``, prose that names a rule."""
    return Span(span.start + 1, span.end - 1) if text.startswith("<", span.start) else span


def _within(alternation: Alternation) -> Iterator[RuleName]:
    waiting = [alternation]
    while waiting:
        for concatenation in waiting.pop().alternatives:
            for repetition in concatenation.items:
                match repetition.element:
                    case RuleName() as name:
                        yield name
                    case Group(alternation=inner) | Option(alternation=inner):
                        waiting.append(inner)


def _in_comments(rulelist: Rulelist) -> Iterator[Occurrence]:
    source = rulelist.source
    if ";@" not in source.text:
        return
    for span in comments_within(source.text, 0, len(source.text)):
        if not source.text.startswith(";@", span.start):
            continue
        end = span.start + len(source.text[span.start : span.end].rstrip())
        try:
            for directive in directives(source, span.start + len(";@"), end, "names"):
                if directive.word in NAMING:
                    for token in directive.arguments:
                        if token.kind == "name":
                            yield Occurrence(token.text, token.span)
        except GrammarError:
            continue  # lint tells what is wrong with it

"""Rules without what others derive: ``;@ except keyword`` at a rule, as examples stand at one.

An example::

    ;@ except keyword
    name = ALPHA *( ALPHA / DIGIT )
    keyword = "if" / "else"

Here ``name`` derives what its definition derives and ``keyword`` does not. ABNF has no words for that;
specifications say it in prose. The difference is made in the core form (``automaton.differences``).
"""

from __future__ import annotations

from abnforge.abnf.messages import message
from abnforge.abnf.model import Rulelist, RuleName
from abnforge.abnf.structured import Arguments, DirectiveError, directives, places
from abnforge.errors import GrammarError
from abnforge.once import lazy_pattern
from abnforge.source import Source, Span

CODE = "except-directive"
"""What errors about exceptions are called."""

_EXCEPT = lazy_pattern(r";@[ \t]*except(?![A-Za-z0-9-])")


def read_exceptions(rulelist: Rulelist) -> tuple[dict[str, tuple[RuleName, ...]], list[GrammarError]]:
    """The rules that each rule is without, by its lower-case name; and what is wrong with directives that
    say nothing. Cost: linear in the text.
    """
    found: dict[str, tuple[RuleName, ...]] = {}
    errors: list[GrammarError] = []
    for span, rule in places(rulelist, _has_exceptions):
        try:
            if rule is None:
                raise DirectiveError(
                    message("exception-without-rule"),
                    code=CODE,
                    source=rulelist.source,
                    span=span,
                )
            key = rule.name.lower()
            found[key] = found.get(key, ()) + _names(rulelist.source, span)
        except GrammarError as error:
            errors.append(error)
    return found, errors


def _has_exceptions(source: Source, span: Span) -> bool:
    return _EXCEPT.match(source.text, span.start, span.end) is not None


def _names(source: Source, span: Span) -> tuple[RuleName, ...]:
    end = span.start + len(source.text[span.start : span.end].rstrip())
    names: list[RuleName] = []
    for directive in directives(source, span.start + len(";@"), end, CODE):
        if directive.word != "except":
            raise DirectiveError(
                message("directive-not-allowed", word=directive.word, allowed=("except",)),
                code=CODE,
                source=source,
                span=directive.span,
            )
        arguments = Arguments(source, directive, "except keyword, literal", CODE)
        while True:
            token = arguments.take("name")
            names.append(RuleName(token.text, span=token.span))
            if not arguments.more:
                break
            arguments.take(",")
    return tuple(names)

"""Read structured comments: ``;@ ...`` (examples, exceptions, imports) and ``; abnforge: allow ...``.

``grammar.reader`` finds these comments once and stores them in the syntax tree, from which the bound grammar
gets them. A comment applies to the rule that contains it or to the next rule. A directive may also be
directly below its rule if an empty line or the end of the grammar follows::

    ;@ match "80", "" (RFC 3986, section 3.2.3)
    ;@ no-match "80x", "8"%x0A"0"
    port = *DIGIT

    ;@ except keyword
    name = ALPHA *( ALPHA / DIGIT )
    keyword = "if" / "else"

A directive is a word and its arguments; a semicolon separates directives on one line. Strings are written as
in ABNF (``"text"``, ``%x0D.0A``, or a sequence of these), but may contain any character. ``match`` and
``no-match`` introduce examples: strings that the rule matches or does not match. A note in parentheses
applies to the strings of its directive since the previous note; ``engine.examples`` runs the examples. With
the ``except`` directive above, ``name`` matches the strings of its definition that ``keyword`` does not
match. ABNF has no notation for this, so specifications state it in prose (``automata.expressions`` builds the
difference). ``alphabet bytes`` in any place applies to the whole grammar: each byte of an input is one
character, %x00-FF. ``import`` names a grammar and its rules (``grammar.files``). ``explain`` parses the
directives of mistakes with the same :class:`Arguments`.

``; abnforge: allow NAME, NAME (reason)`` accepts lint findings about the rule.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache

from abnforge._lazy import lazy_pattern
from abnforge.catalog import Message
from abnforge.charset import ALPHABETS, BYTES, UNICODE
from abnforge.errors import GrammarError
from abnforge.grammar.lexer import comments_within
from abnforge.grammar.messages import message
from abnforge.grammar.syntax import Annotation, Comment, RuleDefinition, Rulelist, RuleName, references
from abnforge.records import dataclass, replace
from abnforge.text import ByteText, Source, Span, near_misses

GRAMMAR_WORDS = frozenset({"allow", "alphabet", "import", "except", "match", "no-match"})
"""The words of the directives that this module reads; ``explain.declare`` reads those of mistakes."""

_ANNOTATION = lazy_pattern(r";@|;[;\s]*abnforge:[ \t]*allow\b", re.IGNORECASE)

_TOKEN = lazy_pattern(
    r"""(?P<space>[ \t]+)
    |(?P<string>"[^"]*"?)
    |(?P<chars>%[xX][0-9A-Fa-f]+(?:\.[0-9A-Fa-f]+)*)
    |(?P<name>[A-Za-z][A-Za-z0-9-]*(?:\.[0-9]+)?)
    |(?P<number>[0-9]+(?:\.[0-9]+)*)
    |(?P<mark>->|[(),:;*])
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class DirectiveToken:
    """A token: ``kind`` is a group name of the pattern above, a mark, or ``end`` after the last token."""

    kind: str
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Directive:
    """One directive: its word, the tokens after it, and its place in the file."""

    word: str
    arguments: tuple[DirectiveToken, ...]
    span: Span


class DirectiveError(GrammarError):
    """An invalid directive; ``code`` names the kind of directive."""


def read_annotations(rulelist: Rulelist) -> Iterator[Annotation]:
    """Yield the structured comments of a grammar in source order. Cost: linear."""
    text = rulelist.source.text
    ends = [*(item.span.start for item in rulelist.items[1:]), len(text)]
    above: str | None = None
    pending: list[Span] = []
    comments: list[Annotation] = []
    for item, end in zip(rulelist.items, ends, strict=True):
        if isinstance(item, RuleDefinition):
            inside = comments_within(text, item.span.start, end)
            comments += (Annotation(span, item.name) for span in (*pending, *inside))
            above, pending = item.name, []
        elif item.text:
            pending.append(item.span)
        else:
            comments += (Annotation(span, above, after=True) for span in pending)
            above, pending = None, []
    comments += (Annotation(span, above, after=True) for span in pending)
    return (comment for comment in comments if _ANNOTATION.match(text, comment.span.start, comment.span.end))


def directives(
    source: Source, start: int, end: int, code: str, elsewhere: Collection[str] = ()
) -> Iterator[Directive]:
    """Yield the directives of one line; ``start`` is the offset after its ``;@``.

    A word in ``elsewhere`` ends the line: other code parses the rest. Raises DirectiveError with ``code``.
    """
    pending: list[DirectiveToken] = []
    for token in _tokens(source, start, end, code):
        if token.kind != ";":
            pending.append(token)
            if len(pending) == 1 and token.text in elsewhere:
                return
        elif pending:
            yield _directive(pending)
            pending = []
    if pending:
        yield _directive(pending)


def _directives_in(source: Source, span: Span, code: str) -> Iterator[Directive]:
    """Yield the directives of one comment."""
    end = span.start + len(source.text[span.start : span.end].rstrip())
    return directives(source, span.start + len(";@"), end, code)


def _directive(tokens: list[DirectiveToken]) -> Directive:
    word, *arguments = tokens
    return Directive(word.text, tuple(arguments), Span(word.span.start, tokens[-1].span.end))


def _tokens(source: Source, start: int, end: int, code: str) -> Iterator[DirectiveToken]:
    while start < end:
        match = _TOKEN.match(source.text, start, end)
        assert match is not None  # the last alternative matches any character
        kind, span = str(match.lastgroup), Span(start, match.end())
        start = match.end()
        if kind == "string" and (len(match[0]) < 2 or not match[0].endswith('"')):
            raise DirectiveError(message("string-unclosed"), code=code, source=source, span=span)
        if kind != "space":
            yield DirectiveToken(match[0] if kind == "mark" else kind, match[0], span)


class Arguments:
    """The arguments of a directive, read from left to right.

    Every method raises DirectiveError with ``code`` and the usage ``meaning``.
    """

    def __init__(self, source: Source, directive: Directive, meaning: str, code: str) -> None:
        self._source = source
        self._directive = directive
        self._meaning = meaning
        self._code = code
        self._left = list(directive.arguments[::-1])

    @property
    def more(self) -> bool:
        """True if arguments remain."""
        return bool(self._left)

    def items(self) -> Iterator[None]:
        """Yield once for each item of a list with commas; the caller consumes the item."""
        yield
        while self.more:
            self.take(",")
            yield

    def next_is(self, *kinds: str) -> bool:
        """Return whether the next token has one of these kinds."""
        return bool(self._left) and self._left[-1].kind in kinds

    def take(self, *kinds: str) -> DirectiveToken:
        """Consume and return the next token, which must have one of these kinds."""
        if not self.next_is(*kinds):
            raise self.refused()
        return self._left.pop()

    def take_word(self, word: str) -> bool:
        """Consume the next token if it is ``word``; return whether the token was consumed."""
        is_word = self.next_is("name") and self._left[-1].text == word
        if is_word:
            self._left.pop()
        return is_word

    def text(self) -> str:
        """Consume a string, a sequence of ``"text"`` and ``%x0D.0A``, and return its value."""
        return self.placed_text()[0]

    def placed_text(self, of_bytes: bool = False) -> tuple[str, Span]:
        """Consume a string; return its value and place. With ``of_bytes``, ``"text"`` is UTF-8."""
        parts: list[str] = []
        start = self._left[-1].span.start if self._left else 0
        end = start
        while not parts or self.next_is("string", "chars"):
            token = self.take("string", "chars")
            end = token.span.end
            if token.kind == "string":
                text = token.text[1:-1]
                parts.append(ByteText.of(text.encode("utf-8", "surrogatepass")) if of_bytes else text)
                continue
            codes = [int(digits, 16) for digits in token.text[2:].split(".")]
            if max(codes) > 0x10FFFF:
                raise self._error(token.span, message("value-too-large", value=token.text))
            parts.extend(map(chr, codes))
        return "".join(parts), Span(start, end)

    def bracketed(self) -> str:
        """Return the source text in parentheses, which may be nested."""
        opening = self.take("(")
        depth, inside = 1, opening.span.end
        while self._left:
            token = self._left.pop()
            depth += (token.kind == "(") - (token.kind == ")")
            if depth == 0:
                return self._source.text[inside : token.span.start].strip()
        raise self._error(opening.span, message("directive-parenthesis"))

    def raw(self) -> str:
        """Return the source text of all remaining arguments."""
        if not self._left:
            raise self.refused()
        text = self._source.text[self._left[-1].span.start : self._left[0].span.end]
        self._left = []
        return text

    def end(self) -> None:
        """Require that no argument remains."""
        if self._left:
            raise self.refused()

    def refused(self) -> GrammarError:
        """Return the error about the next token, or about a missing argument at the end."""
        if self._left:
            token = self._left[-1]
            return self._error(token.span, message("directive-token", found=token.text, usage=self._meaning))
        end = self._directive.span.end
        return self._error(Span(end, end), message("directive-incomplete", usage=self._meaning))

    def _error(self, span: Span, problem: Message) -> DirectiveError:
        return DirectiveError(problem, code=self._code, source=self._source, span=span)


_FIRST_WORD = lazy_pattern(r";@[ \t]*([A-Za-z-]+)")


CHANGING_WORDS = ("except", "alphabet")  # directives that change the strings of a rule
_STRING_WORDS = ("import", *CHANGING_WORDS)
_WORD_LIKENESS = 0.8  # the minimum similarity of a misspelled word, such as "imports" or "excpet"


IMPORT = lazy_pattern(r";@[ \t]*import\b[ \t]*(?P<from>[^\n]*?)[ \t\r]*")


_RULE_NAMES = lazy_pattern(r"[A-Za-z][A-Za-z0-9_-]*(?:[ \t]*,[ \t]*[A-Za-z][A-Za-z0-9_-]*)*")


@dataclass(frozen=True)
class ImportDirective:
    """An import: the name or path of the imported grammar, and the imported rules, or None for any."""

    grammar: str
    rules: tuple[str, ...] | None
    source: Source
    span: Span


def import_directives(rulelist: Rulelist) -> Iterator[ImportDirective]:
    """Yield the imports of a grammar. Raises GrammarError for an invalid import."""
    for item in rulelist.items:
        if not isinstance(item, Comment) or not item.text.startswith("@"):
            continue
        match = IMPORT.fullmatch(rulelist.source.text, item.span.start, item.span.end)
        if match is None:
            _misspelt(rulelist.source, item.span)
            continue
        span = Span(*match.span("from"))
        grammar, rules = _split_import(match["from"])
        if not grammar or (rules is not None and not _RULE_NAMES.fullmatch(rules)):
            raise GrammarError(
                message("import-malformed"),
                code="import-directive",
                source=rulelist.source,
                span=span if span.end > span.start else item.span,
            )
        names = None if rules is None else tuple(name.strip() for name in rules.split(","))
        yield ImportDirective(grammar, names, rulelist.source, span)


def _misspelt(source: Source, span: Span) -> None:
    """Raise GrammarError if a comment has a misspelled word of a directive that changes the strings."""
    word = _FIRST_WORD.match(source.text, span.start, span.end)
    if word and (near := _misspelt_word(word[1])):
        raise GrammarError(
            message("directive-misspelled", word=word[1], near=near),
            code=f"{near[0]}-directive",
            source=source,
            span=Span(*word.span(1)),
        )


@lru_cache
def _misspelt_word(word: str) -> tuple[str, ...]:
    """Return the word of a directive that ``word`` misspells; empty if it misspells none."""
    return () if word in _STRING_WORDS else tuple(near_misses(word, _STRING_WORDS, _WORD_LIKENESS)[:1])


def _split_import(text: str) -> tuple[str, str | None]:
    """Split an import into a grammar and rule names; colons of ``abnf:NAME`` and of drives do not count."""
    head, colon, tail = text.rpartition(":")
    if not colon or head in ("", "abnf") or tail.startswith(("/", "\\")):
        return text, None
    return head.strip(), tail.strip()


EXCEPT_CODE = "except-directive"  # the code of errors about exceptions

_EXCEPT = lazy_pattern(r";@[ \t]*except(?![A-Za-z0-9-])")


def read_exceptions(
    source: Source, annotations: Iterable[Annotation], names: Collection[str]
) -> tuple[dict[str, tuple[RuleName, ...]], list[GrammarError]]:
    """Return the rules that each rule excludes, by lower-case rule name, and errors in the directives.

    ``names`` contains the lower-case names of the grammar's rules. Cost: linear in the comments.
    """
    excepted: dict[str, tuple[RuleName, ...]] = {}
    errors: list[GrammarError] = []
    for annotation in annotations:
        span = annotation.span
        if not _EXCEPT.match(source.text, span.start, span.end):
            continue
        try:
            key = (annotation.rule or "").lower()
            if key not in names:
                problem = message("exception-without-rule")
                raise DirectiveError(problem, code=EXCEPT_CODE, source=source, span=span)
            excepted[key] = excepted.get(key, ()) + _names(source, span)
        except GrammarError as error:
            errors.append(error)
    return excepted, errors


def _names(source: Source, span: Span) -> tuple[RuleName, ...]:
    names: list[RuleName] = []
    for directive in _directives_in(source, span, EXCEPT_CODE):
        if directive.word != "except":
            problem = message("directive-not-allowed", word=directive.word, allowed=("except",))
            raise DirectiveError(problem, code=EXCEPT_CODE, source=source, span=directive.span)
        arguments = Arguments(source, directive, "except keyword, literal", EXCEPT_CODE)
        for _ in arguments.items():
            token = arguments.take("name")
            names.append(RuleName(token.text, span=token.span))
    return tuple(names)


ALPHABET_CODE = "alphabet-directive"  # the code of errors about alphabets

_ALPHABET = lazy_pattern(r";@[ \t]*alphabet(?![A-Za-z0-9-])")


def read_alphabet(source: Source, annotations: Iterable[Annotation]) -> str | None:
    """Return the alphabet that a grammar declares, or None. Raises DirectiveError. Cost: linear."""
    result: str | None = None
    for span in (each.span for each in annotations):
        if not _ALPHABET.match(source.text, span.start, span.end):
            continue
        for directive in _directives_in(source, span, ALPHABET_CODE):
            arguments = Arguments(source, directive, f"alphabet {BYTES}", ALPHABET_CODE)
            alphabet = next(filter(arguments.take_word, ALPHABETS), None)
            if directive.word != "alphabet" or alphabet is None:
                raise arguments.refused()
            arguments.end()
            if result not in (None, alphabet):
                problem = message("alphabet-twice", alphabet=result)
                raise DirectiveError(problem, code=ALPHABET_CODE, source=source, span=directive.span)
            result = alphabet
    return result


MATCH, NO_MATCH = "match", "no-match"

EXAMPLES = lazy_pattern(r";@[ \t]*(?:no-)?match(?![A-Za-z0-9-])")  # the start of a comment with examples
MAX_EXAMPLES = 100_000  # maximum for one grammar: each is matched with a separate budget
EXAMPLE_CODE = "example-directive"  # the code of errors about examples

_WORD = lazy_pattern(r";@[ \t]*(?P<word>[A-Za-z][A-Za-z0-9-]*)")
_LIKENESS = 0.75  # the similarity of "macth"; "each", another directive, is less similar
_HOW = '{} "text", "a"%x0D.0A (note)'


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Example:
    """A string that a rule matches or does not match.

    ``rule`` is the rule's name. The string begins at ``line`` and ``column`` of the grammar, counted from 1,
    and ends before ``end_column``. ``note`` is the grammar's note about the string, or None.
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


def read_examples(
    source: Source, annotations: Iterable[Annotation], names: Collection[str], alphabet: str = UNICODE
) -> tuple[list[Example], list[GrammarError]]:
    """Return the examples of a grammar in source order, and the errors in their directives.

    ``names`` contains the lower-case names of the rules that can have examples. In the alphabet ``"bytes"``,
    ``"text"`` is the bytes of its UTF-8, one character each. Cost: linear in the comments.
    """
    examples: list[Example] = []
    errors: list[GrammarError] = []
    for annotation in annotations:
        span, rule = annotation.span, annotation.rule
        if not _has_examples(source, span):
            continue
        try:
            if rule is None:
                raise _error(source, span, message("example-without-rule"))
            if rule.lower() not in names:
                raise _error(source, span, message("example-of-mistake", name=rule))
            for example in _examples(source, span, rule, alphabet == BYTES):
                if len(examples) == MAX_EXAMPLES:
                    problem = message("example-limit", limit=MAX_EXAMPLES)
                    return examples, [*errors, _error(source, span, problem)]
                examples.append(example)
        except GrammarError as error:
            errors.append(error)
    return examples, errors


def written(examples: Iterable[Example]) -> str:
    """Return examples of one rule as comments; reading the comments returns equal examples."""
    lines = []
    for example in examples:
        note = "" if example.note is None else f" ({example.note})"
        lines.append(f";@ {example.directive} {text_written(example.text)}{note}\n")
    return "".join(lines)


def text_written(text: str) -> str:
    """Return a string in the notation of examples: ``"text"``, or ``%x0D.0A`` for special characters."""
    parts = re.findall(r"[ -!#-~]+|[^ -!#-~]+", text) or [""]
    return "".join(
        f'"{part}"' if re.fullmatch(r"[ -!#-~]*", part) else "%x" + ".".join(f"{ord(c):02X}" for c in part)
        for part in parts
    )


def _has_examples(source: Source, span: Span) -> bool:
    """Return whether a comment contains examples, including with a misspelled directive word."""
    if EXAMPLES.match(source.text, span.start, span.end):
        return True
    word = _WORD.match(source.text, span.start, span.end)
    return word is not None and bool(near_misses(word["word"], (MATCH, NO_MATCH), _LIKENESS))


def _examples(source: Source, span: Span, rule: str, of_bytes: bool) -> Iterator[Example]:
    """Yield the examples of one comment."""
    for directive in _directives_in(source, span, EXAMPLE_CODE):
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
        yield from _strings(source, directive, rule, of_bytes)


def _strings(source: Source, directive: Directive, rule: str, of_bytes: bool) -> Iterator[Example]:
    """Yield the examples of one directive; a note applies to all preceding examples without a note."""
    arguments = Arguments(source, directive, _HOW.format(directive.word), EXAMPLE_CODE)
    pending: list[Example] = []
    for _ in arguments.items():
        text, span = arguments.placed_text(of_bytes)
        line, column = source.position(span.start)
        end = column + span.end - span.start
        pending.append(Example(rule, text, directive.word == MATCH, line, column, end))
        if arguments.next_is("("):
            note = arguments.bracketed()
            yield from (replace(example, note=note) for example in pending)
            pending = []
    yield from pending


def _error(source: Source, span: Span, problem: Message) -> DirectiveError:
    return DirectiveError(problem, code=EXAMPLE_CODE, source=source, span=span)


_ALLOW = lazy_pattern(
    r";[;\s]*abnforge:[ \t]*allow\b(?P<names>[^(\n]*)(?:\((?P<reason>[^\n]*)\))?", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Allow:
    """An accepted name: its rule (None if no rule follows), the reason, and its place."""

    name: str
    rule: str | None
    reason: str
    span: Span


def read_allows(source: Source, annotations: Iterable[Annotation]) -> Iterator[Allow]:
    """Yield every name that ``allow`` comments accept. Cost: linear in the comments."""
    for annotation in annotations:
        span = annotation.span
        if match := _ALLOW.match(source.text, span.start, span.end):
            rule = None if annotation.after or annotation.rule is None else annotation.rule.lower()
            reason = (match["reason"] or "").strip()
            for name in match["names"].split(","):
                yield Allow(name.strip().lower(), rule, reason, span)


# Directives (";@ ...") whose arguments are rule names.
NAMING = ("except", "of")


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A rule name and its place; ``defines`` is True on the left of ``=`` or ``=/``."""

    name: str
    span: Span
    defines: bool = False

    @property
    def key(self) -> str:
        """The name in lower case."""
        return self.name.lower()


def occurrences(rulelist: Rulelist) -> list[Occurrence]:
    """Return the rule names of a grammar and of its structured comments, in source order. Cost: linear."""
    text = rulelist.source.text
    names = []
    for rule in rulelist.rules:
        names.append(Occurrence(rule.name, rule.name_span, True))
        names += [Occurrence(name.name, _bare(text, name.span)) for name in references(rule.elements)]
    names += _in_comments(rulelist)
    return sorted(names, key=lambda occurrence: occurrence.span.start)


def _bare(text: str, span: Span) -> Span:
    """Return the span of a name without the brackets of ``<name>``."""
    return Span(span.start + 1, span.end - 1) if text.startswith("<", span.start) else span


def _in_comments(rulelist: Rulelist) -> Iterator[Occurrence]:
    source = rulelist.source
    if ";@" not in source.text:
        return
    for span in comments_within(source.text, 0, len(source.text)):
        if not source.text.startswith(";@", span.start):
            continue
        try:
            for directive in _directives_in(source, span, "names"):
                tokens = directive.arguments if directive.word in NAMING else ()
                yield from (Occurrence(token.text, token.span) for token in tokens if token.kind == "name")
        except GrammarError:
            continue  # lint reports the error

"""Findings about mistakes: malformed directives, and the results of proofs about the others.

A file ``NAME.mistakes.abnf`` belongs to the grammar ``NAME.abnf`` in its directory, or to the built-in
grammar of that name. Another file with directives contains both the grammar and its mistakes: the rules
without directives are the grammar.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from errno import ENOENT
from pathlib import Path

from abnforge.budget import Budget
from abnforge.catalog import CodedError, Message
from abnforge.errors import GrammarError
from abnforge.explain.bind import BoundMistakes, bind_mistakes
from abnforge.explain.fixes import Fixer
from abnforge.explain.mistakes import Mistakes
from abnforge.explain.mistakes_file import read_mistakes, split_mistakes, with_inherited
from abnforge.explain.proofs import OVERLAP, remarks
from abnforge.explain.reading import Interpretation, Interpreter
from abnforge.explain.shipped import shipped_mistakes
from abnforge.grammar.binding import bind
from abnforge.grammar.reader import read, read_file
from abnforge.grammar.shipped import bundled_names, generated, start_of
from abnforge.grammar.syntax import BoundGrammar
from abnforge.linting.finding import Finding, from_error, in_order, make
from abnforge.linting.messages import message
from abnforge.text import Source, Span, near_misses

_ENDING = ".mistakes.abnf"


class MissingGrammarError(CodedError, FileNotFoundError):
    """An error: the grammar of a mistakes file does not exist."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.errno, self.strerror, self.filename = ENOENT, message, message.data["file"]


def mistake_findings(
    text: str | Source, path: str, budget: Budget, about: str | None = None
) -> list[Finding]:
    """Return the findings about mistakes in text order; ``path`` is its name in messages.

    ``about`` is the grammar of a mistakes file, a built-in name or a path, if the file is not named after it.
    Raises OSError if that grammar cannot be read, FileNotFoundError if it does not exist.
    """
    try:
        if about is not None or path.endswith(_ENDING):
            own = read_mistakes(text, path)
            mistakes = with_inherited(own, _mistakes_beside(Path(path)))
            grammar = _grammar_of(Path(path), about)
        else:
            rulelist, declared = split_mistakes(read(text, path), path)
            if declared is None:
                return []
            own = mistakes = declared
            grammar = bind(rulelist, name=path)
        bound = bind_mistakes(mistakes, grammar)
    except GrammarError as error:
        return in_order(from_error(each) for each in error.errors)
    findings = [
        make(
            mistakes.source,
            each.rule,
            _place(own, each.rule),
            each.message,
            witness=each.witness,
            kind=each.kind,
        )
        for each in remarks(bound, budget)
        # A finding about the shared rules of mistakes has the place of these rules.
        if each.kind != OVERLAP or each.rule in {mistake.rule.name for mistake in own.mistakes}
    ]
    return in_order([*findings, *_examples(own, bound)])


def _examples(own: Mistakes, bound: BoundMistakes) -> Iterator[Finding]:
    """Yield examples that do not match their mistake or are not fixed as stated, and invalid near misses."""
    readers: dict[str, Interpreter] = {}
    fixer = Fixer(bound)
    start = start_of(bound.grammar)

    def read(rule: str | None, text: str) -> Interpretation:
        name = rule or start
        if name not in readers:
            readers[name] = Interpreter(bound, name)
        return readers[name].interpret(text)

    for mistake in own.mistakes:
        code = mistake.code
        failures: list[tuple[str, Message]] = []
        for example in mistake.examples:
            reading = read(example.rule, example.wrong)
            if not reading.mistakes:
                problem = message("mistake-example-valid", example=example.wrong, mistake=code)
                failures.append((example.wrong, problem))
                continue
            # An example of a family may be an example of any of its members.
            family = {each.code for each in own.mistakes if each.family and each.family == mistake.family}
            if not {mistake.code, *family} & set(reading.codes):
                other = reading.codes[0]
                problem = message("mistake-example-other", example=example.wrong, mistake=code, code=other)
                failures.append((example.wrong, problem))
                continue
            mended = fixer.fix(reading, include_unwanted=True)
            if (mended and mended.text) != example.right:
                if mended is None:
                    problem = message("mistake-example-unfixed", example=example.wrong, mistake=code)
                else:
                    problem = message(
                        "mistake-example-fix", example=example.wrong, mistake=code, fixed=mended.text
                    )
                failures.append((example.wrong, problem))
        for near in mistake.near:
            if read(near.rule, near.valid).mistakes:
                problem = message("mistake-example-near", example=near.valid, mistake=code)
                failures.append((near.valid, problem))
        for witness, problem in failures:
            yield make(own.source, mistake.rule.name, mistake.span, problem, witness=witness)


def _place(own: Mistakes, rule: str) -> Span:
    """Return the place where a mistake is declared; for an inherited one, its directive."""
    spans = {mistake.rule.name: mistake.span for mistake in own.mistakes}
    return spans.get(rule) or own.adopts[0].span


def _mistakes_beside(path: Path) -> Callable[[str], Mistakes | None]:
    """Return a function that finds the mistakes of other grammars: in files, or built in."""

    def find(name: str) -> Mistakes | None:
        other = path.with_name(name + _ENDING)
        if not other.is_file():
            return shipped_mistakes(generated(), name)
        return with_inherited(read_mistakes(read_file(other), str(other)), find)

    return find


def _grammar_of(path: Path, about: str | None) -> BoundGrammar:
    """Return the grammar that a mistakes file is about."""
    name = about or path.name.removesuffix(_ENDING)
    file = path.with_name(f"{name}.abnf") if about is None else Path(about)
    if file.is_file():
        return bind(read(read_file(file), str(file)), name=file.stem)
    if name in bundled_names():
        text = (generated() / f"{name}.abnf").read_text("utf-8")
        return bind(read(text, f"{name}.abnf"), name=name)
    near = tuple(near_misses(name, bundled_names()))
    raise MissingGrammarError(message("mistakes-grammar-unknown", file=str(file), near=near))

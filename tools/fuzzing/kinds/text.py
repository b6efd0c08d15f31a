"""Grammars as text: the reader takes anything, and what is printed reads as the same grammar."""

from __future__ import annotations

from functools import cache
from random import Random

import abnforge
from abnforge.grammar import extract, printer, reader
from abnforge.grammar.syntax import Rulelist
from fuzzing.cases import SourceCase
from fuzzing.kind import Kind
from fuzzing.notation import abnf
from fuzzing.questions import Name, Questions
from fuzzing.random_grammars import Profile, random_rules

# What grammars are made of, and what people write in their place.
TOKENS = (
    *('"a"', '""', '"', "%x61", "%x61-7A", "%x0D.0A", "%d97", "%b1100001", '%s"aB"', '%i"aB"', "%x", "%x61-"),
    *("%xFFFFFFFF", "%x5A-41", "%d1114112", "'a'", "<a prose>", "<", ">", "<r0>", "<ALPHA>"),
    *("(", ")", "[", "]", "*", "1*", "*2", "3*2", "2*3", "0*0", "99999999999999999999*", "#", "1#", "2#3r0"),
    *(
        "=",
        "=/",
        ":=",
        "::=",
        "/",
        "|",
        "//",
        ".",
        ",",
        "-",
        "--",
        ";",
        "; a comment",
        "; section 3.2",
        ";;;",
    ),
    *(
        "r0",
        "r1",
        "r-2",
        "r_3",
        "R0",
        "-r",
        "9r",
        "ALPHA",
        "DIGIT",
        "undefined",
        "é",
        "\u2028",
        "\ud800",
        "\0",
    ),
    *("\n", "\r\n", "\r", "\n ", "\n\n", "\t", " ", "  ", "\f", "\x0b", "\x85", "\ufeff", "\n;\n"),
    *("[Page 7]\n", "RFC 1234   Title   May 2001\n", ";@ match", "; abnforge: allow unused-rule (so)"),
)


@cache
def _corpus() -> tuple[str, ...]:
    """The rules of all bundled grammars, each with the comments around it."""
    texts = [abnforge.load(name).source.text for name in abnforge.grammar_names()]
    return tuple(part for text in texts for part in text.split("\n\n") if part.strip())


def draw(chance: Random) -> SourceCase:
    """Parts of bundled grammars and random rules, with tokens put in, taken out, doubled; or tokens alone."""
    kind = chance.random()
    if kind < 0.15:
        return SourceCase("".join(chance.choices(TOKENS, k=chance.randint(1, 30))))
    if kind < 0.55:
        text = "\n\n".join(chance.choices(_corpus(), k=chance.randint(1, 3)))
    else:
        text = abnf(random_rules(chance, Profile(recursion="any", depth=4)))
    for _ in range(chance.choice((0, 0, 1, 1, 2, 4))):
        place = chance.randint(0, len(text))
        end = min(len(text), place + chance.choice((0, 0, 1, 1, 3, 12)))
        text = text[:place] + chance.choice((*TOKENS, text[place:end] * 2, "")) + text[end:]
    return SourceCase(text)


def check(case: SourceCase, ask: Questions) -> None:
    """Reading, linting and extracting end in answers; places lie in the text; printing loses nothing."""
    ask.names |= {"abnforge": abnforge, "reader": reader, "printer": printer, "extract": extract}
    ask.names["text"] = text = case.text
    lines = text.count("\n") + 1
    ask.law = "read"
    model, errors = ask.call("reader.read_partial", Name("text"))
    try:
        ask.call("abnforge.loads", Name("text"))
    except abnforge.GrammarError as error:
        for found in error.errors:
            ask.hold(
                0 <= found.line <= lines and found.column >= 0,
                "False",
                f"an error at {found.line}:{found.column} of {lines} lines",
            )
        str(error)
        loads = False
    else:
        loads = True
    ask.law = "extract"
    ask.call("extract.extract", Name("text"))
    ask.law = "lint"
    findings = ask.call("abnforge.lint", Name("text"))
    source = ask.asked
    for finding in findings:
        ask.hold(
            0 <= finding.line <= lines,
            f"all(0 <= finding.line <= {lines} for finding in {source})",
            f"{finding.name} at line {finding.line} of {lines}",
        )
    if not loads:
        ask.hold(
            any(finding.severity == "error" for finding in findings),
            f'any(finding.severity == "error" for finding in {source})',
            "it does not load, and lint finds no error",
        )
    if not errors:
        _printed(ask, model)


def _printed(ask: Questions, model: Rulelist) -> None:
    ask.law = "print"
    ask.names["model"] = model
    printed = ask.call("printer.print_rulelist", Name("model"))
    claim = "reader.read(printer.print_rulelist(model), dialect=model.dialect)"
    ask.asked = claim
    try:
        again = reader.read(printed, dialect=model.dialect)
    except abnforge.GrammarError as error:
        ask.fail(f"{claim} == model", f"what is printed does not read: {error.message}: {printed!r}")
    ask.hold(again == model, f"{claim} == model", f"printed as {printed!r}, it reads as another grammar")
    twice = printer.print_rulelist(again)
    ask.hold(
        twice == printed,
        f"printer.print_rulelist({claim}) == printer.print_rulelist(model)",
        f"printed as {printed!r}, and then as {twice!r}",
    )
    for rule in model.rules:
        definition = printer.print_alternation(rule.elements)
        ask.asked = f"reader.read({f'x = {definition}'!r}, dialect=model.dialect)"
        reader.read(f"x = {definition}\n", dialect=model.dialect)


KIND = Kind("text", "reading mutated text, places of errors, printing and reading again", draw, check)

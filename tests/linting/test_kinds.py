"""The registry of findings: for each, a grammar that triggers it, and a similar grammar that does not."""

from __future__ import annotations

import pytest

import abnforge
from abnforge import Finding, lint
from abnforge.linting.finding import KINDS, find, kind_of
from tests.law import each_row, one_in
from tests.raising import raises


@each_row("name", one_in(3, [k for k in KINDS if k != "file-too-large"]))
def test_the_registrys_examples(name: str) -> None:
    assert name in {f.name for f in lint(KINDS[name].bad, first_match=True)}
    assert lint(KINDS[name].good, first_match=True) == []


def test_codes_are_numbered_without_gaps_and_found_by_either_name() -> None:
    assert [kind.code for kind in KINDS.values()] == [f"ABNF{n:03d}" for n in range(1, len(KINDS) + 1)]
    assert all(find(kind.code.lower()) is kind and find(name.upper()) is kind for name, kind in KINDS.items())
    assert find("ABNF999") is None


def findings_in(text: str, *starts: str) -> list[Finding]:
    return abnforge.lint(text, starts or None)


def place(finding: Finding) -> tuple[str, int, int, int]:
    return finding.name, finding.line, finding.column, finding.end_column


# name, grammar, and the finding's line, column, end column, rule and witness
FOUND = [
    ("syntax-error", 'a = "x" / / "y"\n', 1, 11, 12, "a", None),
    ("undefined-rule", "a = b\nB2 = ALPHA\n", 1, 5, 6, "a", None),
    ("duplicate-rule", 'a = "x"\na = "y"\n', 2, 1, 2, "a", None),
    ("case-collision", 'host = "x"\nHost = "y"\n', 2, 1, 5, "Host", None),
    ("incremental-without-base", 'a =/ "x"\n', 1, 1, 2, "a", None),
    ("repetition-out-of-order", "a = 3*2DIGIT\n", 1, 5, 8, "a", None),
    ("value-out-of-range", "a = %x110000\n", 1, 7, 13, "a", None),
    ("value-out-of-range", ";@ alphabet bytes\na = %x3B1\n", 2, 5, 10, "a", None),
    ("alphabet-directive", ";@ alphabet octets\na = OCTET\n", 1, 13, 19, None, None),
    ("value-out-of-range", "a = 1234567890DIGIT\n", 1, 5, 15, "a", None),
    ("empty-range", "a = %x39-30\n", 1, 5, 12, "a", None),
    ("unused-rule", 'a = "."\nb = "," c\nc = "." b / ";"\n', 2, 1, 2, "b", None),
    ("left-recursion-direct", 'sum = DIGIT / sum "+" DIGIT\n', 1, 15, 18, "sum", None),
    ("left-recursion-direct", 'a = [ "x" ] a "." / "y"\n', 1, 13, 14, "a", None),
    ("left-recursion-indirect", 's = *DIGIT t / "x"\nt = s "."\n', 1, 12, 13, "s", None),
    ("never-terminates", 'a = "." a\n', 1, 1, 2, "a", None),
    ("nullable-loop", "a = 2*( *DIGIT )\n", 1, 5, 17, "a", ""),
    ("redundant-option", '\na = "." [ *DIGIT ]\n', 2, 9, 19, "a", ""),
    ("shadowed-alternative", 'a = 1*ALPHA / "get"\n', 1, 15, 20, "a", "get"),
    ("shadowed-alternative", 'a = "." ( "x" / "y" / %x58-59 )\n', 1, 23, 30, "a", "X"),
    ("shadowed-alternative", 'a = "b" / "c" / *2%x62-63 / 2%x62\n', 1, 29, 34, "a", "bb"),
    ("ambiguous", "a = b / c\nb = 1*DIGIT\nc = 1*( %x61 / DIGIT )\n", 1, 9, 10, "a", "1"),
    ("ambiguous", "a = *DIGIT *DIGIT\n", 1, 5, 18, "a", "1"),
    ("ambiguous", 'a = [ "." ] "," [ "." ] *"."\n', 1, 17, 29, "a", "."),
    ("ambiguous", 'a = 1*( "." / ".," / "," )\n', 1, 5, 27, "a", ".,"),
    ("ambiguous", 'a = *3( "." / ".." )\n', 1, 5, 21, "a", ".."),
    ("ambiguous", 'a = "(" a ")" / "[" a "]" / b / c\nb = "(.)" \nc = "." / "(.)"\n', 1, 29, 30, "a", "(.)"),
    ("prose-val", "a = 1*<any letter>\n", 1, 7, 19, "a", None),
    ("case-insensitive-literal", 'a = "x" / "X" / "y"\n', 1, 5, 8, "a", "X"),
    ("case-insensitive-literal", 'a = "v" 1*%x61-7A\n', 1, 5, 8, "a", "V"),
    ("case-insensitive-literal", 'a = b "v" 1*DIGIT\nb = %s"id"\n', 1, 7, 10, "a", "V"),
    ("case-insensitive-literal", ';@ match "1rc"\n;@ no-match "1RC"\na = DIGIT "rc"\n', 3, 11, 15, "a", "RC"),
    ("case-insensitive-literal", '; names are case-sensitive\na = "v" 1*DIGIT\n', 2, 5, 8, "a", "V"),
    ("case-insensitive-literal", 'a = "get" / b\nb = %x67.65.74 "s"\n', 1, 5, 10, "a", "GET"),
    ("case-insensitive-literal", 'a = "get" / %s"PUT"\n', 1, 5, 10, "a", "GET"),
    ("reserved-word", 'a = 1*ALPHA ; but not "true"\n', 1, 1, 2, "a", "true"),
    ("reserved-word", '; a name, other than a keyword\na = 1*ALPHA\nkeyword = %s"if"\n', 2, 1, 2, "a", "if"),
    ("reserved-word", '; must not match `.in` or `.out`\na = "." 1*ALPHA\n', 2, 1, 2, "a", ".in"),
    ("reserved-word", '; Reserved: "x-y"\na = b\nb = *( ALPHA / "-" / "(" b ")" )\n', 2, 1, 2, "a", "x-y"),
    ("name-in-another-case", 'a = "." B / "," B\nb = ALPHA\n', 1, 9, 10, "a", None),
    ("name-in-another-case", 'a = *b\nb = "x"\nb =/ [ "y" A ]\n', 3, 12, 13, "b", None),
    ("name-in-another-case", "a = DIGIT b / Digit\nb = hexdig\n", 1, 15, 20, "a", None),
    ("core-rule-redefined", "alpha = %x61-7A\n", 1, 1, 6, "alpha", None),
    ("core-rule-redefined", 'DIGIT =/ "-"\n', 1, 1, 6, "DIGIT", None),
    ("useless-allow", '; abnforge: allow prose-val (no)\na = "."\n', 1, 1, 33, "a", None),
    ("useless-allow", 'a = "." ; abnforge: allow nonsense (no)\n', 1, 9, 40, "a", None),
]


@each_row(("name", "text", "line", "column", "end", "rule", "witness"), FOUND)
def test_found(
    name: str, text: str, line: int, column: int, end: int, rule: str, witness: str | None
) -> None:
    findings = [f for f in findings_in(text) if f.name == name]
    assert [place(f) for f in findings][:1] == [(name, line, column, end)]
    assert (findings[0].rule, findings[0].witness) == (rule, witness)


# Grammars that are similar to a grammar with the finding, but do not trigger it.
NOT_FOUND = [
    ("undefined-rule", "a = ALPHA B\nb = DIGIT\n"),
    ("undefined-rule", 'a = b\nb = "x" / /\n'),  # malformed, but defined
    ("unused-rule", 'a = "x" a / "y"\n'),  # an unused recursive rule is a start rule
    ("left-recursion-direct", 'a = "x" [ a ]\n'),
    ("left-recursion-indirect", "a = b\nb = *DIGIT [ c ]\nc = DIGIT a\n"),
    ("never-terminates", 'a = "." [ a ]\n'),
    ("nullable-loop", 'a = *( *DIGIT "." )\n'),
    ("nullable-loop", "a = *2( *DIGIT )\n"),
    ("redundant-option", "a = [ 1*DIGIT ]\n"),
    ("shadowed-alternative", 'a = "get" / 1*ALPHA\n'),
    ("shadowed-alternative", 'a = "x" / <something> / "y"\n'),
    ("ambiguous", 'a = 1*ALPHA / "get"\n'),  # shadowed, and reported once
    ("ambiguous", 'a = "x" / "xy" / "xyz"\n'),
    ("ambiguous", "a = [ DIGIT ] DIGIT\n"),
    ("ambiguous", 'a = *( *DIGIT "." ) *DIGIT\n'),
    ("ambiguous", 'a = *( "." / ".," )\n'),
    ("ambiguous", 'a = 2( "." / ",,." )\n'),
    ("ambiguous", "a = *( *DIGIT )\n"),  # a nullable loop
    ("prose-val", "a = 0<nothing at all>\n"),
    ("prose-val", "a = *<b>\nb = DIGIT\n"),
    ("case-insensitive-literal", 'a = "http" / "GET" / "1" / %i"v"\n'),
    ("case-insensitive-literal", 'a = %x21 "v" 1*DIGIT\n'),
    ("case-insensitive-literal", ';@ match "1v"\n;@ no-match "1V."\na = 1*DIGIT "v"\n'),
    ("case-insensitive-literal", 'a = "v" 1*( %x61-7A / %x41-5A )\n'),
    ("case-insensitive-literal", 'a = "v" 1*DIGIT ; not case-sensitive\n'),
    ("reserved-word", 'a = 1*ALPHA ; but not "a-b"\n'),
    ("reserved-word", 'a = 1*%x2D-2F ; begins with "-" but not "--"\n'),
    ("reserved-word", 'a = 1*ALPHA / ; but not "true"\n    1*DIGIT\n'),
    ("reserved-word", ';@ except b\n; a name, except "if"\na = 1*ALPHA\nb = "if"\n'),
    ("reserved-word", '; except as in section 2\n;@ match "ab"\na = 1*ALPHA\n'),
    ("reserved-word", "a = 1*ALPHA ; no word except those of b\nb = DIGIT\n"),
    ("name-in-another-case", "a = digit / Alpha\n"),
    ("core-rule-redefined", "alpha = lower / upper\nlower = %x61-7A\nupper = %x41-5A\n"),
    ("core-rule-redefined", 'HEXDIG = DIGIT / "a" / "b" / "c" / "d" / "e" / "f"\n'),
    ("useless-allow", "; abnforge: allow nullable-loop (a reason)\na = *( *DIGIT )\n"),
]


@each_row(("name", "text"), NOT_FOUND)
def test_not_found(name: str, text: str) -> None:
    assert [place(f) for f in findings_in(text) if f.name == name] == []


def test_both_places_of_a_duplicate_and_of_a_shadow() -> None:
    [duplicate] = findings_in('a = "x"\nb = a\na = "y"\n')
    assert [(p.line, p.column) for p in duplicate.related] == [(1, 1)]
    [shadow] = findings_in('a = 1*ALPHA / "-" / "get"\n')
    assert [(p.line, p.column) for p in shadow.related] == [(1, 5)]


def test_starts() -> None:
    text = "a = b\nb = DIGIT\nc = b\nd = DIGIT\n"
    assert findings_in(text) == []
    assert [f.rule for f in findings_in(text, "A")] == ["c", "d"]
    assert [f.rule for f in findings_in(text, "c", "d")] == ["a"]
    with raises(abnforge.UnknownNameError, "rule-name-unknown", name="e", grammar="<string>"):
        findings_in(text, "e")


def test_alternatives_of_a_core_rule_take_part() -> None:
    [finding] = [f for f in findings_in('ALPHA =/ "x"\n') if f.name == "shadowed-alternative"]
    assert (finding.line, finding.column, finding.witness) == (1, 10, "X")


# Searches for ambiguities that end only at their limits, after about a second each.
LONG = ("rfc3261", "rfc5322", "rfc9051")


@pytest.mark.parametrize(
    "name", one_in(10, [*(name for name in abnforge.grammar_names() if name not in LONG), *LONG])
)
def test_the_projects_own_grammars_are_explained(name: str) -> None:
    assert [f.message for f in abnforge.load(name).lint() if f.accepted is None] == []


def test_findings_in_rfc_3986() -> None:
    results = {(f.rule, f.name, f.witness) for f in abnforge.load("rfc3986").lint()}
    assert results == {
        ("host", "ambiguous", "1.1.1.1"),
        ("path", "shadowed-alternative", "/"),
        ("path", "shadowed-alternative", ""),
        ("path", "ambiguous", "a"),
    }


@pytest.mark.parametrize("code", ["", "nothing", "nothing-of-the-kind", "syntax"])
def test_a_code_of_no_kind_is_an_error(code: str) -> None:
    with pytest.raises(KeyError):
        kind_of(code)

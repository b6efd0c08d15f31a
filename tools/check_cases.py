"""Run test cases of other projects, and explanations labeled by hand.

    python tools/check_cases.py [DIRECTORY]

Verdicts, components, offsets and lint findings must be equal: a wrong one sets the exit status to 1.
Hypotheses and suggestions are counted. ``cases.toml`` lists the cases whose source contradicts the RFC, with
the reason. Test suites for the languages of grammars are in ``grammars/suites`` next to DIRECTORY. Without
DIRECTORY, the tool prints "skipped" and exits with 0.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import abnforge
from abnforge import uri
from abnforge.engine.rule import ENGINES
from abnforge.linting.finding import fix

Case = Mapping[str, Any]

DEFAULT = Path(__file__).resolve().parent.parent.parent / "shared" / "cases"
KNOWN = tomllib.loads(Path(__file__).with_name("cases.toml").read_text("utf-8"))

VERDICTS = {tuple(each["case"]): each for each in KNOWN["verdict"]}
TARGETS = {tuple(case): each for each in KNOWN["target"] for case in each["cases"]}
NORMAL_FORMS = {each["text"]: each for each in KNOWN["normal"]}

# The names of fluent-uri for the rules of a host.
HOST_KINDS = {"Ipv4": "IPv4address", "Ipv6": "IPv6address", "IpvFuture": "IPvFuture", "RegName": "reg-name"}
RFC3986_RULES = frozenset(rule.name for rule in abnforge.load("rfc3986").own_rules)
PATHS = ("path-abempty", "path-absolute", "path-noscheme", "path-rootless", "path-empty")


@dataclass
class Report:
    """Counts by source and fact, failures, hypotheses that differ from the label, and cases not followed."""

    directory: Path = DEFAULT
    passed: Counter[tuple[str, str]] = field(default_factory=Counter)
    total: Counter[tuple[str, str]] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)
    decisions: list[str] = field(default_factory=list)

    def exact(self, source: str, fact: str, case: object, expected: object, result: object) -> None:
        """Count a fact; it fails if the result differs from the expected value."""
        self.count(source, fact, expected == result)
        if expected != result:
            self.failures.append(f"{source}: {fact} of {case!r}: expected {expected!r}, got {result!r}")

    def judge(self, source: str, fact: str, case: object, good: bool, result: object) -> None:
        """Count a hypothesis or a suggestion, which may be wrong without a failure."""
        self.count(source, fact, good)
        if not good:
            self.misses.append(f"{source}: {fact} of {case!r}: {result!r}")

    def decide(self, source: str, case: object, reason: str) -> None:
        """Record why abnforge deliberately differs from a case."""
        self.decisions.append(f"{source}: {case!r}: {reason}")

    def count(self, source: str, fact: str, good: bool) -> None:
        self.total[source, fact] += 1
        self.passed[source, fact] += good

    def share(self, source: str, fact: str) -> float:
        """Return the share of correct results for a kind of fact."""
        return self.passed[source, fact] / self.total[source, fact]


def rule_of(spec: str, name: str) -> abnforge.Rule:
    """Return a rule. The sources use the rule names of RFC 3986 even for rules of RFC 3987."""
    grammar = abnforge.load(spec)
    return grammar[name if name in grammar else name.replace("URI", "IRI").replace("relative", "irelative")]


def check_verdict(report: Report, source: str, case: Case) -> None:
    spec, rule, text = case["spec"], case["rule"], case["input"]
    expected = case["valid"]
    if (spec, rule, text) in VERDICTS:
        expected = VERDICTS[spec, rule, text]["valid"]
        report.decide(source, text, VERDICTS[spec, rule, text]["reason"])
    elif case.get("doubtful"):
        report.decide(source, text, f"as the source says: {case.get('note')}")
    report.exact(source, "verdict", (spec, rule, text), expected, rule_of(spec, rule).matches(text))
    if case.get("components") is not None:
        expected = dict(case["components"])
        if "host_kind" in expected:
            expected["host_kind"] = expected["host_kind"] and HOST_KINDS[expected["host_kind"]]
        result = _parsed(spec, rule, text, expected)
        report.exact(source, "components", (spec, rule, text), expected, result)


def _parsed(spec: str, rule: str, text: str, names: Case) -> dict[str, Any]:
    """Return components by the names of RFC 3986, from its objects or from the tree of another grammar."""
    if spec == "rfc3986":
        parsed = uri.parse(text, rule)
        return {name: getattr(parsed, name) for name in names}
    start = rule_of(spec, rule)
    components: dict[str, str] = {}
    for tree in start.parse(text).iter_subtrees_topdown():  # type: ignore[no-untyped-call]
        name = start.lark_names[tree.data]
        name = name if name in RFC3986_RULES else name.removeprefix("i")
        name = "path" if name in PATHS else name
        components.setdefault(name, "".join(tree.scan_values(lambda _: True)))
    user, colon, password = components.get("userinfo", "").partition(":")
    if "userinfo" in components:
        components |= {"user": user, **({"password": password} if colon else {})}
    return {name: components.get(name) for name in names}


def check_resolution(report: Report, source: str, case: Case) -> None:
    spec, base, ref = case["spec"], case["base"], case["ref"]
    expected = case["expected"]
    if (spec, base, ref) in TARGETS:
        expected = TARGETS[spec, base, ref].get("target")
        report.decide(source, (base, ref), TARGETS[spec, base, ref]["reason"])
    elif case.get("doubtful"):
        report.failures.append(f"{source}: {ref!r} from {base!r} is doubtful: decide in cases.toml")
    resolve = uri.resolve if spec == "rfc3986" else uri.rfc2396.resolve
    try:
        result = str(resolve(base, ref, strict=case["strict"]))
    except ValueError:
        result = None
    report.exact(source, f"target {spec}", (base, ref), expected, result)


def check_normalization(report: Report, source: str, case: Case) -> None:
    text, expected = case["input"], case["expected"]
    if case["spec"] != "rfc3986":
        report.total[source, f"not yet {case['spec']}"] += 1
        return
    steps: tuple[str, ...] = uri.SYNTAX_BASED
    if known := NORMAL_FORMS.get(text):
        expected = known["normal"]
        steps += (known["step"],) if "step" in known else ()
        report.decide(source, text, known["reason"])
    report.exact(source, "normal form", text, expected, str(uri.normalize(text, steps=steps)))


def _is_relative(reference: uri.URI | uri.RelativeRef) -> bool:
    return reference.scheme is None and reference.authority is None


# The properties of a URI reference in uritools (RFC 3986, sections 4.1 to 4.4).
CLASSES: Mapping[str, Callable[[uri.URI | uri.RelativeRef], bool]] = {
    "is_uri": lambda each: each.scheme is not None,
    "is_absolute_uri": lambda each: each.scheme is not None and each.fragment is None,
    "is_network_path": lambda each: each.scheme is None and each.authority is not None,
    "is_absolute_path": lambda each: _is_relative(each) and each.path.startswith("/"),
    "is_relative_path": lambda each: _is_relative(each) and not each.path.startswith("/"),
    "is_same_document": lambda each: str(each).partition("#")[0] == "",
}


def check_classes(report: Report, source: str, case: Case) -> None:
    for name, is_of in CLASSES.items():
        result = is_of(uri.parse(case["input"], "URI-reference"))
        report.exact(source, name, case["input"], case[name], result)


def check_explanation(report: Report, source: str, case: Case) -> None:
    """Check the first hypothesis and the suggestion of a label for RFC 3986, and the offset."""
    blame, rule = case["blame"], abnforge.load("rfc3986")[case["rule"]]
    rejection = rule.explain(case["input"])
    report.exact(source, "offset", case["input"], case["viable_prefix"], rejection and rejection.offset)
    label = {"rules": case["acceptable_rules"], "fixes": case["best_fixes"], **blame}
    _judge_explanation(report, source, rule, rejection, {**label, "input": case["input"]})


def check_other_explanation(report: Report, source: str, case: Case) -> None:
    """Check a label for another grammar: a bundled one, or a file next to the cases."""
    name = case["grammar"]
    rule = abnforge.load(report.directory / name if name.endswith(".abnf") else name)[case["rule"]]
    rejection = rule.explain(case["input"])
    report.exact(source, "verdict", case["id"], False, rejection is None)
    _judge_explanation(report, source, rule, rejection, case)


def _judge_explanation(
    report: Report, source: str, rule: abnforge.Rule, rejection: abnforge.Rejection | None, label: Case
) -> None:
    if rejection is None:
        return
    text, start, end = label["input"], label["start"], label["end"]
    first = rejection.hypotheses[0]
    if start == end or first.offset == first.end:  # an insertion at the place, or next to the span
        is_there = first.offset <= end and start <= first.end
    else:
        is_there = first.offset < end and start < first.end
    is_named = first.rule in label["rules"]
    report.judge(source, "hypothesis", text, is_there and is_named, (first.offset, first.rule))
    forbidden = [each for each in label.get("must_not_say", ()) if each in first.message]
    if "must_not_say" in label:
        report.exact(source, "wording", text, [], forbidden)
    suggested = None if rejection.suggestion is None else rejection.suggestion.text
    if label["fixes"]:
        report.judge(source, "fix found", text, suggested in label["fixes"], suggested)
    if suggested is not None:
        report.exact(source, "suggestion valid", text, True, rule.matches(suggested))
        report.judge(source, "suggestion accepted", text, suggested in label["fixes"], suggested)


def check_abnf(report: Report, source: str, case: Case) -> None:
    """Check a real mistake in ABNF; ``meant`` is the intended text.

    If the source is not ABNF, the first error is on the blamed line, and all edits together give the intended
    rules. If it is ABNF with another meaning, the expected finding is on that line.
    """
    text, name = case["text"], case["id"]
    findings = [each for each in abnforge.lint(text) if case["class"] != "syntax" or each.severity != "info"]
    if case["class"] == "syntax":
        report.exact(source, "line", name, case["line"], findings[0].line if findings else None)
        fixed = fix(text, abnforge.lint).text
        outcome = "no edits" if fixed == text else "as meant" if _is_same(fixed, case["meant"]) else fixed
        without = KNOWN["without-edits"].get(name)
        report.exact(source, "edits", name, "no edits" if without else "as meant", outcome)
    else:
        lines = {each.line for each in findings if each.name == KNOWN["expected-finding"].get(name)}
        without = KNOWN["without-finding"].get(name)
        is_reported = bool(lines & {case["line"], case["line"] - 1})
        report.exact(source, "to the point", name, not without, is_reported)
    if without:
        report.decide(source, name, without)


def _is_same(text: str, meant: str) -> bool:
    """Return whether every intended rule matches the same strings in the other source."""
    try:
        ours, theirs = abnforge.loads(text), abnforge.loads(meant)
    except abnforge.GrammarError:
        return text == meant
    return all(rule.name in ours and _is_equal(ours[rule.name], rule) for rule in theirs.own_rules)


def _is_equal(ours: abnforge.Rule, theirs: abnforge.Rule) -> bool:
    try:
        return abnforge.compare(ours, theirs).relation == "equal"
    except abnforge.GrammarError:  # prose
        return ours.definition == theirs.definition


# Test suites for the languages of grammars. For each case, all engines must return the same verdict, tree or
# rejection.

SUITES = ("toml", "json", "sf-list", "sf-dictionary", "sf-item")
LARK_CHARACTERS = 3_000  # limit for a suite, since Lark is slow
LARK_LONGEST = 120


def check_suites(report: Report, grammars: Path, names: Sequence[str] = SUITES) -> None:
    for name in names:
        path = grammars / "suites" / name / "cases.jsonl"
        if path.is_file():
            about = json.loads(path.with_name("META.json").read_text("utf-8"))
            grammar = about["grammar"]
            loaded = abnforge.load(grammar if grammar.startswith("abnf:") else grammars / grammar)
            cases = [
                case
                for case in map(json.loads, path.read_text("utf-8").splitlines())
                if case["text"] is not None
            ]
            _check_suite(report, name, loaded[about["rule"]], cases)


def _check_suite(report: Report, suite: str, rule: abnforge.Rule, cases: Sequence[Case]) -> None:
    engines = [e for e in ENGINES if e not in ("auto", "lark") and not (e == "automaton" and rule.recursive)]
    by_lark = {case["id"] for case in sample(cases)}
    for case in cases:
        name, text = case["id"], case["text"]
        if not engines and name not in by_lark:  # only Lark parses the rule
            continue
        verdict = rule.matches(text)
        if case["expect"] is not None:
            reason = _beyond(suite, name) if verdict is not case["expect"] else None
            if reason is not None:
                report.decide(suite, name, reason)
            report.exact(suite, "verdict", name, case["expect"] if reason is None else verdict, verdict)
        tried = [*engines, *(["lark"] if name in by_lark else [])]
        for engine in tried if len(tried) > 1 else ():
            report.exact(suite, f"verdict {engine}", name, verdict, rule.matches(text, engine=engine))
        if name in by_lark:
            results = [_result(rule, text, verdict, engine) for engine in tried]
            fact = "one tree" if verdict else "one rejection"
            report.exact(suite, fact, name, True, all(result == results[0] for result in results))


def sample(cases: Sequence[Case]) -> list[Case]:
    """Return short cases, spread over the whole test suite, with about ``LARK_CHARACTERS`` in total."""
    short = [case for case in cases if len(case["text"]) <= LARK_LONGEST]
    return short[:: max(1, -(-sum(len(case["text"]) for case in short) // LARK_CHARACTERS))]


def _result(rule: abnforge.Rule, text: str, valid: bool, engine: str) -> object:
    return rule.parse(text, engine=engine) if valid else rule.explain(text, suggest=False, engine=engine)


def _beyond(suite: str, name: str) -> str | None:
    """Return the reason why the verdict of a case differs from the grammar's verdict."""
    entries = (each for each in KNOWN["beyond"] if each["suite"] == suite)
    return next(
        (each["reason"] for each in entries if any(fnmatchcase(name, case) for case in each["cases"])), None
    )


FILES: Mapping[str, Callable[[Report, str, Case], None]] = {
    **dict.fromkeys(("json_schema_test_suite", "fluent_uri", "iri_string", "python_rfc3986"), check_verdict),
    "classification_uritools": check_classes,
    **dict.fromkeys(
        ("resolution_fluent_uri", "resolution_uritools", "resolution_perl_uri"), check_resolution
    ),
    "normalization_fluent_uri": check_normalization,
    "explanations": check_explanation,
    "explanations_other": check_other_explanation,
    "wild_abnf": check_abnf,
}


def run(directory: Path, names: Sequence[str] = tuple(FILES)) -> Report:
    """Check the cases in the files of a directory."""
    report = Report(directory)
    for name in names:
        array, lines = directory / f"{name}.json", directory / f"{name}.jsonl"
        if array.is_file():
            cases = json.loads(array.read_text("utf-8"))
        else:
            cases = map(json.loads, lines.read_text("utf-8").splitlines() if lines.is_file() else ())
        for case in cases:
            FILES[name](report, name, case)
    return report


def main(arguments: list[str]) -> int:
    """Run the command line and return its exit status."""
    directory = Path(arguments[0]) if arguments else DEFAULT
    report = run(directory)
    check_suites(report, directory.parent / "grammars")
    if not report.total:
        print("skipped: no cases")
        return 0
    for (source, fact), total in report.total.items():
        print(f"{source:<24}  {fact:<20} {report.passed[source, fact]:>5} of {total}")
    for title, lines in (
        ("decided by the RFC", report.decisions),
        ("other judgments", report.misses),
        ("FAILURES", report.failures),
    ):
        if lines:
            print(f"\n{title}:", *lines, sep="\n  ")
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Run other projects' test cases, as far as they concern syntax, and explanations labelled by hand.

    python tools/check_cases.py [DIRECTORY]

Verdicts, components and offsets are exact: one failure among them, and the exit status is 1. Hypotheses and
suggestions are judgements: they are counted. Mistakes in ABNF are in ``grammar_slips.py``. Without the
directory it says "skipped", status 0. Suites of languages with a grammar (``grammar_suites.py``) are in
``grammars`` beside it.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grammar_slips
import grammar_suites

import abnforge
from abnforge import uri

DEFAULT = Path(__file__).resolve().parent.parent.parent / "shared" / "cases"

VERDICTS = ("json_schema_test_suite", "fluent_uri", "iri_string", "python_rfc3986")
NOT_YET = ("components_uritools",)  # the splitter of appendix B, which takes texts that no rule derives
RESOLUTIONS = ("resolution_fluent_uri", "resolution_uritools", "resolution_perl_uri")

# fluent-uri's names for the rules of a host.
HOST_KINDS = {"Ipv4": "IPv4address", "Ipv6": "IPv6address", "IpvFuture": "IPvFuture", "RegName": "reg-name"}
# Component -> the rules that derive it, with RFC 3987's "i" taken off.
COMPONENTS: Mapping[str, tuple[str, ...]] = {
    "scheme": ("scheme",),
    "authority": ("authority",),
    "userinfo": ("userinfo",),
    "host": ("host",),
    "port": ("port",),
    "path": ("path-abempty", "path-absolute", "path-noscheme", "path-rootless", "path-empty"),
    "query": ("query",),
    "fragment": ("fragment",),
}

# (spec, rule, input) -> the verdict by the letter of the RFC, and why, where a source states another one.
DECISIONS: dict[tuple[str, str, str], tuple[bool, str]] = {
    ("rfc3986", "URI", "https://256.256.256.256"): (
        True,
        "no IPv4address, so a reg-name (section 3.2.2); the source refuses it by a policy of its own",
    ),
}

# (spec, base, reference) -> the target by the letter of the RFC, None for a refusal, and why.
_RELATIVE_BASE = "a base is an absolute-URI (section 5.1), so a relative one is refused"
TARGETS: dict[tuple[str, str, str], tuple[str | None, str]] = {
    ("rfc3986", "foo:/", ".//@@"): (
        "foo:/.//@@",
        "the literal foo://@@ would turn a path into an authority; guarded unless asked otherwise",
    ),
    ("rfc3986", "foo:/bar/baz/.%2E/", ".."): (
        "foo:/bar/baz/",
        "resolution decodes nothing (section 5.2.4), so .%2E is no dot-segment",
    ),
    ("rfc3986", "foo:/bar/..", "."): ("foo:/bar/", "the base is not normalized first (section 5.2.1)"),
    ("rfc3986", "http://example.com/#title1", "foo"): (
        "http://example.com/foo",
        "a base is stripped of its fragment (section 5.1)",
    ),
    ("rfc3986", "foo:bar", "baz"): ("foo:baz", "a rootless path is merged like any other (section 5.2.3)"),
    ("rfc3986", "foo:bar", "?baz"): ("foo:bar?baz", "an empty path takes the base's (section 5.2.2)"),
    **{
        ("rfc3986", base, ref): (None, _RELATIVE_BASE)
        for base in ("", "foo", "foo/", ".", "./", "./foo", "./foo/", "..", "../", "../foo", "../foo/")
        for ref in ("bar", "../bar")
    },
    ("rfc2396", "http://a/b/c/d;p?q", "http:"): (None, "no rule of RFC 2396 derives http:"),
    ("rfc1808", "http://a/b/c/d;p?q#f", "http:"): (None, "resolved by RFC 2396, where no rule derives http:"),
    ("rfc1808", "http://a/b/c/d;p?q#f", ""): (
        "http://a/b/c/d;p?q",
        "resolved by RFC 2396, where the fragment is no part of the base (sections 4 and 5.1)",
    ),
}

# input -> the normal form, the step that is added for it, and why.
_RFC5952 = "RFC 3986 has no normal form of an IPv6address; the step that has it is asked for"
NORMAL_FORMS: dict[str, tuple[str, str | None, str]] = {
    "foo:bar/../baz": ("foo:/baz", None, "what remove_dot_segments gives (sections 6.2.2.3 and 5.2.4)"),
    "//[0000:0000:0000::1]": ("//[::1]", "ipv6", _RFC5952),
    "//[0:0:0:0:0:ffff:192.0.2.1]": ("//[::ffff:192.0.2.1]", "ipv6", _RFC5952),
    "//[::192.0.2.1]": ("//[::c000:201]", "ipv6", _RFC5952),
}


@dataclass
class Report:
    """Counts of a file by what was asked, the failures among the exact ones, and the decisions taken."""

    passed: Counter[tuple[str, str]] = field(default_factory=Counter)
    total: Counter[tuple[str, str]] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)
    decisions: list[str] = field(default_factory=list)

    def exact(self, source: str, what: str, case: object, expected: object, got: object) -> None:
        """Count a fact; another value is a failure."""
        self.count(source, what, expected == got)
        if expected != got:
            self.failures.append(f"{source}: {what} of {case!r}: expected {expected!r}, got {got!r}")

    def judged(self, source: str, what: str, case: object, good: bool, got: object) -> None:
        """Count a judgement; one that a person would not share is a miss."""
        self.count(source, what, good)
        if not good:
            self.misses.append(f"{source}: {what} of {case!r}: {got!r}")

    def count(self, source: str, what: str, good: bool) -> None:
        self.total[source, what] += 1
        self.passed[source, what] += good

    def share(self, source: str, what: str) -> float:
        """The part of the questions of one kind that came out well."""
        return self.passed[source, what] / self.total[source, what]


def run(directory: Path) -> Report:
    """Check every case in a directory."""
    report = Report()
    for name in VERDICTS:
        for case in _cases(directory, name):
            _verdict(report, name, case)
            if case.get("components") is not None:
                _components(report, name, case)
    for case in _cases(directory, "classification_uritools"):
        for predicate, classify in CLASSES.items():
            report.exact(
                "classification_uritools", predicate, case["input"], case[predicate], classify(case["input"])
            )
    for name in RESOLUTIONS:
        for case in _cases(directory, name):
            _resolution(report, name, case)
    for case in _cases(directory, "normalization_fluent_uri"):
        _normalization(report, "normalization_fluent_uri", case)
    for case in _cases(directory, "explanations"):
        _explanation(report, case)
    grammar_suites.check(report, directory.parent / "grammars")
    grammar_slips.check(report, directory / "wild_abnf.jsonl")
    for name in NOT_YET:
        if cases := _cases(directory, name):
            report.total[name, "not yet"] = len(cases)
    return report


def _cases(directory: Path, name: str) -> list[dict[str, Any]]:
    path = directory / f"{name}.json"
    return json.loads(path.read_text("utf-8")) if path.is_file() else []


def _verdict(report: Report, source: str, case: Mapping[str, Any]) -> None:
    spec, rule, text = case["spec"], case["rule"], case["input"]
    expected = case["valid"]
    if (spec, rule, text) in DECISIONS:
        expected, reason = DECISIONS[spec, rule, text]
        report.decisions.append(f"{source}: {text!r} is {'valid' if expected else 'rejected'}: {reason}")
    elif case.get("doubtful"):
        report.decisions.append(f"{source}: {text!r} as the source has it: {case.get('note')}")
    report.exact(source, "verdict", (spec, rule, text), expected, _rule(spec, rule).matches(text))


def _resolution(report: Report, source: str, case: Mapping[str, Any]) -> None:
    spec, base, ref = case["spec"], case["base"], case["ref"]
    expected = case["expected"]
    if (spec, base, ref) in TARGETS:
        expected, reason = TARGETS[spec, base, ref]
        report.decisions.append(f"{source}: {ref!r} from {base!r} is {expected or 'refused'}: {reason}")
    elif case.get("doubtful"):
        report.failures.append(f"{source}: {ref!r} from {base!r} is doubtful and nothing has been decided")
    resolve = uri.resolve if spec == "rfc3986" else uri.rfc2396.resolve
    try:
        got = str(resolve(base, ref, strict=case["strict"]))
    except ValueError:
        got = None
    report.exact(source, f"target {spec}", (base, ref), expected, got)


def _normalization(report: Report, source: str, case: Mapping[str, Any]) -> None:
    text, expected = case["input"], case["expected"]
    if case["spec"] != "rfc3986":
        report.total[source, f"not yet {case['spec']}"] += 1
        return
    steps: tuple[str, ...] = uri.SYNTAX_BASED
    if text in NORMAL_FORMS:
        expected, step, reason = NORMAL_FORMS[text]
        steps = (*steps, step) if step else steps
        report.decisions.append(f"{source}: {text!r} becomes {expected!r}: {reason}")
    report.exact(source, "normal form", text, expected, str(uri.normalize(text, steps=steps)))


def _rule(spec: str, name: str) -> abnforge.Rule:
    """A rule; the sources call RFC 3987's by their names in RFC 3986, too."""
    grammar = abnforge.load(spec)
    if name not in grammar:
        name = name.replace("URI", "IRI").replace("relative", "irelative")
    return grammar[name]


def _components(report: Report, source: str, case: Mapping[str, Any]) -> None:
    spec, rule, text = case["spec"], case["rule"], case["input"]
    expected = dict(case["components"])
    if "host_kind" in expected:
        expected["host_kind"] = expected["host_kind"] and HOST_KINDS[expected["host_kind"]]
    if spec == "rfc3986":
        parsed = uri.parse(text, rule)
        got = {name: getattr(parsed, name) for name in expected}
    else:
        found = _from_tree(spec, rule, text)
        got = {name: found.get(name) for name in expected}
    report.exact(source, "components", (spec, rule, text), expected, got)


def _from_tree(spec: str, rule: str, text: str) -> dict[str, str]:
    """The components in a parse tree, by the names RFC 3986 has for them."""
    start = _rule(spec, rule)
    found: dict[str, str] = {}
    for tree in start.parse(text).iter_subtrees_topdown():  # type: ignore[no-untyped-call]
        name = start.lark_names[tree.data]
        for component, rules in COMPONENTS.items():
            if component not in found and (name in rules or name.removeprefix("i") in rules):
                found[component] = "".join(tree.scan_values(lambda _: True))
    if "userinfo" in found:
        user, colon, password = found["userinfo"].partition(":")
        found["user"] = user
        if colon:
            found["password"] = password
    return found


def _reference(text: str) -> uri.URI | uri.RelativeRef:
    return uri.parse(text, "URI-reference")


# What uritools' properties say, where the text is a URI-reference (RFC 3986, sections 4.1 to 4.4).
CLASSES: Mapping[str, Callable[[str], bool]] = {
    "is_uri": lambda text: _reference(text).scheme is not None,
    "is_absolute_uri": lambda text: _reference(text).scheme is not None and _reference(text).fragment is None,
    "is_network_path": lambda text: (
        _reference(text).scheme is None and _reference(text).authority is not None
    ),
    "is_absolute_path": lambda text: _is_relative(text) and _reference(text).path.startswith("/"),
    "is_relative_path": lambda text: _is_relative(text) and not _reference(text).path.startswith("/"),
    "is_same_document": lambda text: text.partition("#")[0] == "",
}


def _is_relative(text: str) -> bool:
    return _reference(text).scheme is None and _reference(text).authority is None


def _explanation(report: Report, case: Mapping[str, Any]) -> None:
    source, text, blame = "explanations", case["input"], case["blame"]
    rule = abnforge.load("rfc3986")[case["rule"]]
    rejection = rule.explain(text)
    report.exact(source, "offset", text, case["viable_prefix"], rejection and rejection.offset)
    if rejection is None:
        return
    first = rejection.hypotheses[0]
    in_span = blame["start"] <= first.offset < max(blame["end"], blame["start"] + 1)
    named = first.rule in case["acceptable_rules"]
    report.judged(source, "hypothesis", text, in_span and named, (first.offset, first.rule))
    if rejection.suggestion is None:
        report.count(source, "suggestion valid", False)
    else:
        suggested = rejection.suggestion.text
        report.exact(source, "suggestion valid", text, True, rule.matches(suggested))
        report.judged(source, "suggestion accepted", text, suggested in case["best_fixes"], suggested)


def _table(report: Report) -> Iterator[str]:
    width = max(len(source) for source, _ in report.total)
    for (source, what), total in report.total.items():
        counts = f"{total}" if what.startswith("not yet") else f"{report.passed[source, what]}/{total}"
        yield f"{source:<{width}}  {what:<20} {counts:>9}"


def main(argv: list[str]) -> int:
    """The command line; returns the exit status."""
    directory = Path(argv[0]) if argv else DEFAULT
    if not directory.is_dir():
        print("skipped: no directory of cases")
        return 0
    report = run(directory)
    if not report.total:
        print("skipped: no cases in the directory")
        return 0
    print(*_table(report), sep="\n")
    for title, lines in (
        ("decided by reading the RFC", report.decisions),
        ("a person says otherwise", report.misses),
        ("FAILURES", report.failures),
    ):
        if lines:
            print(f"\n{title}:", *lines, sep="\n  ")
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

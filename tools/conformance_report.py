"""Write ``docs/conformance.md``: the strings that implementations accept, compared with the specifications.

    python tools/conformance_report.py             test the installed implementations, write the page
    python tools/conformance_report.py --check     write nothing; exit 1 if the page is stale
    python tools/conformance_report.py --only yarl --date 2026-11-23
    python tools/conformance_report.py --learn     learn the sizes of automata: ten minutes
    python tools/conformance_report.py --compare   write docs/disagreements.md

``reporting/results.json`` records all results. The result of an implementation that is not installed is kept.
``--check`` tests the implementations whose recorded versions are installed, but does not learn automata.
``--date`` sets the date of new results (default: today). Node finds packages through ``NODE_PATH``; learning
requires AALpy.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from generated import ROOT, parser, table, update
from reporting.survey import (
    IMPLEMENTATIONS,
    MAX_COMPARED,
    PROMISES,
    QUERIES,
    SECTIONS,
    SPELLINGS,
    Ask,
    Implementation,
    Row,
    cause,
    compare,
    fingerprint,
    learned,
    measure,
    versions,
    with_current_code,
)

import abnforge
from abnforge.cli.output.matrix import counts
from abnforge.text import escape

COMMAND = "tools/conformance_report.py"
PAGE = ROOT / "docs" / "conformance.md"
COMPARISON = ROOT / "docs" / "disagreements.md"
COMPARED = Path(__file__).parent / "reporting" / "disagreements.md"
TEMPLATE = Path(__file__).parent / "reporting" / "page.md"
RECORDED = Path(__file__).parent / "reporting" / "results.json"

Results = Mapping[tuple[str, str], Row]
"""Results by implementation and rule."""

MAX_CLUSTERS = 12
"""Maximum number of clusters of a rule on the page of disagreements."""

MAX_SHOWN = 40
"""Maximum number of characters of a string on the page."""


def shown(string: str) -> str:
    """Return a string as Markdown code for a table cell; long strings are shortened."""
    more = f"… ({len(string):,} characters)" if len(string) > MAX_SHOWN else ""
    quoted = '"' + escape(string[:MAX_SHOWN], doubled=True).replace('"', '\\"') + '"'
    fence = "`"
    while fence in quoted:
        fence += "`"
    return f"{fence}{quoted}{fence}{more}".replace("|", "\\|")


def mark(result: Row | None, ask: Ask | None) -> str:
    """Return the cell for a result in the overview table."""
    if result is None or ask is None:
        return ""
    accepted, rejected = result["accepts"], result["refuses"]
    counts = [f"+{accepted['causes']}"] if accepted else []
    counts += [f"−{rejected['causes']}"] if rejected else []
    return (" ".join(counts) or "=") + ("*" if ask.strings is not None else "")


def page(implementations: Sequence[Implementation], results: Results) -> str:
    """Return the page as Markdown."""
    dates = sorted({each["date"] for each in results.values()}) or ["never"]
    rules = [abnforge.rule(rule.partition(" ")[0]) for section in SECTIONS for rule in section["rules"]]
    sizes = {f"`{rule.grammar.name}:{rule.name}`": rule.automaton.states for rule in rules if rule.regular}
    parts = ["\n## Overview\n"]
    for section in SECTIONS:
        parts += _overview(section, implementations, results)
    parts += _promises(implementations, results)
    for section in SECTIONS:
        parts.append(f"\n## {section['title']}\n")
        for rule, row in section["rules"].items():
            parts += _rule(rule, row, implementations, results)
    return TEMPLATE.read_text("utf-8").format(
        count=len(implementations),
        measured=f"Measured {dates[0]}." if len(dates) == 1 else f"Measured from {dates[0]} to {dates[-1]}.",
        queries=QUERIES,
        sizes=", ".join(f"{name} {size}" for name, size in sizes.items()),
        tables="".join(parts),
    )


def _overview(section: Row, implementations: Sequence[Implementation], results: Results) -> Iterator[str]:
    rows = []
    for each in implementations:
        marks = [mark(results.get((each.name, rule)), each.ask.get(rule)) for rule in section["rules"]]
        if any(marks):
            rows.append([each.name, each.promise, *marks])
    header = ["Implementation", "Promises", *(f"{rule['short']}:" for rule in section["rules"].values())]
    yield f"\n{section['title']}:\n\n{table(header, rows)}"


def _promises(implementations: Sequence[Implementation], results: Results) -> Iterator[str]:
    yield "\n## Promises\n"
    measured = {name: result for (name, _), result in results.items()}
    for promise, words in PROMISES.items():
        rows = [
            (each.name, _versions(each, measured[each.name]), f"{each.says} ([source]({each.source}))")
            for each in implementations
            if each.promise == promise and each.name in measured
        ]
        if rows:
            yield f"\nThey promise {words} (`{promise}`):\n\n"
            yield table(("Implementation", "Version", "Promise"), rows)
    if missing := [each.name for each in implementations if each.name not in measured]:
        yield f"\nWithout recorded results here: {', '.join(missing)}.\n"


def _versions(implementation: Implementation, result: Row) -> str:
    of = result["versions"]
    beside = [f"{name.removeprefix('npm:')} {of[name]}" for name in implementation.beside if name in of]
    name = {"python": "Python ", "node": "Node ", "java": "OpenJDK "}.get(implementation.package, "")
    return f"{name}{of[implementation.package]}" + (f" with {', '.join(beside)}" if beside else "")


def _rule(
    rule: str, titles: Row, implementations: Sequence[Implementation], results: Results
) -> Iterator[str]:
    tested = [(each, result) for each in implementations if (result := results.get((each.name, rule)))]
    if not tested:
        return
    learned_some = any(result["states"] is not None for _, result in tested)
    rows = []
    for each, result in tested:
        ask = each.ask[rule]
        row = [
            each.name,
            each.promise,
            "`" + ask.call.replace("|", "\\|") + "`",
            f"{result['tried']:,}" + ("*" if ask.strings is not None else ""),
        ]
        for wrong in (result["accepts"], result["refuses"]):
            row += (
                [f"{wrong['causes']:,}", f"{shown(wrong['text'])} {wrong['reason']}"] if wrong else ["0", ""]
            )
        rows.append([*row, *([result["states"] or ""] if learned_some else []), ask.known])
    yield f"\n### {titles['title']}\n\n"
    if "note" in titles:
        yield f"{titles['note']}\n\n"
    header = ["Implementation", "Promises", "Call", "Strings:", "Wrongly accepted:", "such as"]
    header += ["Wrongly rejected:", "such as", *(["States:"] if learned_some else []), "Known"]
    yield table(header, rows)


def comparison(implementations: Sequence[Implementation], date: str) -> str:
    """Return the page of disagreements as Markdown, for the installed implementations."""
    installed = {each.name: each for each in implementations if versions(each) is not None}
    parts = []
    for section in SECTIONS:
        for rule, names in section.get("compared", {}).items():
            chosen = [installed[name] for name in names if name in installed]
            parts.append(f"\n## {section['rules'][rule]['title']}\n\n")
            parts += _clusters(rule, chosen)
    return COMPARED.read_text("utf-8").format(
        date=date, most=MAX_CLUSTERS, strings=MAX_COMPARED, tables="".join(parts)
    )


def _clusters(rule: str, implementations: Sequence[Implementation]) -> Iterator[str]:
    matrix = compare(implementations, rule)
    letters = SPELLINGS.get(rule.partition(" ")[2], {})
    numbers = range(1, len(implementations) + 1)
    rows = []
    for number, each, row in zip(numbers, implementations, counts(matrix), strict=True):
        found = matrix.witness(each.name)
        name = f"{number} {each.name} {_versions(each, {'versions': versions(each)})}"
        rows.append([name, *row, "" if found is None else shown(found.translate(letters))])
    yield table(["Implementation", "Rule:", *(f"{number}:" for number in numbers), "Shortest string"], rows)
    kept = sorted(matrix.clusters, key=lambda each: -each.count)[:MAX_CLUSTERS]
    order = {name: str(number) for number, name in zip(numbers, matrix.names, strict=True)}
    rows = [
        [
            shown(each.text.translate(letters)),
            "matches" if each.valid else "rejects",
            ", ".join(order[name] for name in each.deviating),
            f"{each.count:,}",
            cause(each.deviations[0]),
        ]
        for each in sorted(kept, key=lambda each: (len(each.text), each.text))
    ]
    total = len(matrix.clusters)
    yield f"\n{len(matrix.suite):,} strings, {total:,} clusters"
    yield f"; the {len(kept)} largest:\n\n" if len(kept) < total else ":\n\n"
    yield table(["Shortest string", "Rule", "Implementations that differ", "Strings:", "Cause"], rows)


def recorded(path: Path) -> dict[tuple[str, str], Row]:
    """Return the recorded results, with the codes that abnforge now reports for wrongly accepted strings."""
    rows = json.loads(path.read_text("utf-8")) if path.is_file() else []
    return {(row["implementation"], row["rule"]): with_current_code(row) for row in rows}


def ordered(implementations: Sequence[Implementation], results: Results) -> Results:
    """Return the results in the order of the page, without results for removed implementations and rules."""
    listed = [(each.name, rule) for each in implementations for rule in each.ask]
    return {key: results[key] for key in listed if key in results}


def changes(old: Row, new: Row) -> str:
    """Return the values that differ between a recorded and a new result, except the date and the states."""
    return "; ".join(
        f"{key} was {old[key]!a}, is {new[key]!a}"
        for key in old
        if key not in {"date", "states"} and old[key] != new[key]
    )


def written(results: Results, implementations: Sequence[Implementation]) -> dict[Path, str]:
    """Return the expected content of each generated file."""
    rows = ",\n".join(json.dumps(each) for each in results.values())
    return {RECORDED: f"[\n{rows}\n]\n", PAGE: page(implementations, results)}


def measured(
    implementations: Sequence[Implementation], old: Results, only: str, date: str, learning: bool = False
) -> Results:
    """Return the recorded results, updated for installed implementations whose names contain ``only``."""
    results = dict(old)
    for each in implementations:
        if only not in each.name:
            continue
        installed = versions(each)
        if installed is None:
            print(f"{each.name} is not installed: its recorded results stay", file=sys.stderr)
            continue
        for rule, ask in each.ask.items():
            key = each.name, rule
            before = old.get(key)
            if not learning or before is None:
                result = measure(each, rule, date)
                if before is None or changes(before, result):
                    same = before is not None and before["versions"] == installed
                    results[key] = {**result, "states": before["states"] if before and same else None}
                    print(f"{each.name}, {rule}: {mark(result, ask)}", file=sys.stderr)
            if learning:
                results[key] = {**results[key], "states": learned(ask, rule)}
    return ordered(implementations, results)


def differing(implementations: Sequence[Implementation], old: Results, only: str) -> list[str]:
    """Return a line for each recorded result that no longer holds for the recorded version, if installed."""
    wrong: dict[str, None] = {}
    skipped: dict[str, None] = {}
    for each in implementations:
        if only not in each.name:
            continue
        installed = versions(each)
        for rule, ask in each.ask.items():
            before = old.get((each.name, rule))
            if before is None and installed is not None:
                wrong[f"{each.name}, {rule}: installed, and not recorded"] = None
            elif before is None or before["versions"] != installed:
                skipped[each.name] = None
            elif before["suite"] != fingerprint(rule, ask.strings):
                wrong[f"{rule}: the suite changed"] = None
            elif different := changes(before, measure(each, rule, before["date"])):
                wrong[f"{each.name}, {rule}: {different}"] = None
    if skipped:
        print(f"not tested, because other versions or none are installed: {', '.join(skipped)}")
    return list(wrong)


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    command = parser(__doc__)
    command.add_argument("--only", default="", metavar="TEXT", help="test names that contain TEXT")
    command.add_argument("--learn", action="store_true", help="learn the sizes of automata")
    command.add_argument("--compare", action="store_true", help="write docs/disagreements.md")
    command.add_argument("--date", help="set the date of new results (default: today, UTC)")
    options = command.parse_args(argv)
    warnings.simplefilter("ignore")  # implementations warn
    old = recorded(RECORDED)
    if options.check:
        texts = written(ordered(IMPLEMENTATIONS, old), IMPLEMENTATIONS)
        wrong = differing(IMPLEMENTATIONS, old, options.only)
        for line in wrong:
            print(f"{line}; run: python {COMMAND}", file=sys.stderr)
        return update(texts, True, COMMAND) or int(bool(wrong))
    date = options.date or datetime.now(UTC).strftime("%Y-%m-%d")
    if options.compare:
        return update({COMPARISON: comparison(IMPLEMENTATIONS, date)}, False, COMMAND)
    results = measured(IMPLEMENTATIONS, old, options.only, date, options.learn)
    return update(written(results, IMPLEMENTATIONS), False, COMMAND)


if __name__ == "__main__":
    sys.exit(main())

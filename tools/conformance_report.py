"""Write ``docs/conformance.md`` and its picture: what implementations accept, against the specifications.

    python tools/conformance_report.py             ask what is installed, write the page
    python tools/conformance_report.py --check     write nothing; exit 1 if the page is not current
    python tools/conformance_report.py --only yarl --date 2026-11-23
    python tools/conformance_report.py --learn     learn sizes of automata: ten minutes

What is recorded in ``reporting/results.json`` makes the page, so it can be written where little is
installed. ``--check`` asks those again whose recorded versions are the installed ones; others are named, and
left alone, as are the sizes of automata. Whatever is not installed keeps what was recorded. Results have
the date of ``--date``, today if that is not given; those that did not change keep theirs. Node finds
packages by ``NODE_PATH``; learning needs AALpy.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import zip_longest
from pathlib import Path

from reporting.implementation import Implementation, versions
from reporting.matrix import matrix
from reporting.measure import Result, fingerprint, learnt, measure
from reporting.page import page
from reporting.tables import FIELDS, IMPLEMENTATIONS

ROOT = Path(__file__).resolve().parent.parent
PAGE, PICTURE = ROOT / "docs" / "conformance.md", ROOT / "docs" / "conformance.svg"
RECORDED = Path(__file__).parent / "reporting" / "results.json"
CAPTION = "Implementations against the rules of the specifications: causes of wrong answers"

Answers = dict[tuple[str, str], Result]


def recorded(path: Path) -> Answers:
    """Return the recorded results by implementation and rule, with today's codes of wrongly accepted strings.

    The rule alone decides a code, so that it can be current where the implementation is not installed.
    """
    if not path.is_file():
        return {}
    results = [Result.from_dict(row).with_current_code() for row in json.loads(path.read_text("utf-8"))]
    return {(each.implementation, each.rule): each for each in results}


def ordered(implementations: Sequence[Implementation], answers: Answers) -> Answers:
    """Answers in the order of the page, without those of entries that are no more."""
    wanted = [(each.name, rule) for each in implementations for rule in each.asked]
    return {key: answers[key] for key in wanted if key in answers}


def changes(old: Result, new: Result) -> str:
    """Return the values that differ between a recorded result and a new one, except date and states."""
    before, after = old.to_dict(), new.to_dict()
    return "; ".join(
        f"{key} was {before[key]!a}, is {after[key]!a}"
        for key in before
        if key not in {"date", "states"} and before[key] != after[key]
    )


def written(answers: Answers, implementations: Sequence[Implementation]) -> dict[Path, str]:
    """The files and their texts."""
    rows = [json.dumps(each.to_dict()) for each in answers.values()]
    return {
        RECORDED: "[\n" + ",\n".join(rows) + "\n]\n",
        PAGE: page(FIELDS, implementations, answers),
        PICTURE: matrix(FIELDS, implementations, answers, CAPTION),
    }


def first_difference(path: Path, text: str) -> str | None:
    """Return the first line of a file that differs from the text, and the line it must be."""
    if not path.is_file():
        return "the file is missing"
    lines = zip_longest(path.read_text("utf-8").split("\n"), text.split("\n"))
    for number, (old, new) in enumerate(lines, 1):
        if old != new:
            return f"line {number} is {old!a}, must be {new!a}"
    return None


def measured(
    implementations: Sequence[Implementation], old: Answers, only: str, date: str, learning: bool = False
) -> Answers:
    """The recorded answers, and new ones of those that are installed and whose names hold ``only``."""
    found = dict(old)
    for each in implementations:
        if only not in each.name:
            continue
        if versions(each) is None:
            print(f"{each.name} is not installed: what was recorded is kept", file=sys.stderr)
            continue
        for rule, asked in each.asked.items():
            key = each.name, rule
            if not learning or key not in old:
                result = measure(each, rule, date)
                before = old.get(key)
                if before is None or changes(before, result):
                    same = before is not None and before.versions == result.versions
                    found[key] = replace(result, states=before.states if before and same else None)
                    print(f"{each.name}, {rule}: {result.kind}", file=sys.stderr)
            if learning:
                found[key] = replace(found[key], states=learnt(asked, rule))
    return ordered(implementations, found)


def differing(implementations: Sequence[Implementation], old: Answers, only: str) -> list[str]:
    """What is not as it was recorded, a line each, of what is installed in the recorded versions."""
    wrong = []
    left: list[str] = []
    for each in implementations:
        if only not in each.name:
            continue
        installed = versions(each)
        for rule, asked in each.asked.items():
            before = old.get((each.name, rule))
            if before is None or before.versions != installed:
                if before is None and installed is not None:
                    wrong.append(f"{each.name}, {rule}: installed, and not recorded")
                elif each.name not in left:
                    left.append(each.name)
            elif before.suite != fingerprint(rule, asked.strings):
                changed = f"{rule}: the suite is another than the one that was asked"
                wrong += [changed] if changed not in wrong else []
            elif different := changes(before, measure(each, rule, before.date)):
                wrong.append(f"{each.name}, {rule}: {different}")
    if left:
        print(f"not installed in the recorded versions, and not asked: {', '.join(left)}")
    return wrong


def main(argv: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page is not current")
    parser.add_argument("--only", default="", metavar="TEXT", help="implementations whose names hold that")
    parser.add_argument(
        "--learn", action="store_true", help="learn sizes of automata; ask nothing else of who is recorded"
    )
    parser.add_argument("--date", help="the date of results that are new (default: today, UTC)")
    options = parser.parse_args(argv)
    warnings.simplefilter("ignore")  # what is asked warns of itself
    old = recorded(RECORDED)
    if options.check:
        wrong = [
            f"{path.relative_to(ROOT)}: {difference}"
            for path, text in written(ordered(IMPLEMENTATIONS, old), IMPLEMENTATIONS).items()
            if (difference := first_difference(path, text))
        ]
        wrong += differing(IMPLEMENTATIONS, old, options.only)
        for line in wrong:
            print(f"{line}; run: python tools/conformance_report.py", file=sys.stderr)
        print("docs/conformance.md is " + ("not current" if wrong else "current"))
        return 1 if wrong else 0
    date = options.date or datetime.now(UTC).strftime("%Y-%m-%d")
    answers = measured(IMPLEMENTATIONS, old, options.only, date, options.learn)
    for path, text in written(answers, IMPLEMENTATIONS).items():
        current = path.is_file() and path.read_text("utf-8") == text
        if not current:
            path.write_text(text, "utf-8")
        print(f"{path.relative_to(ROOT)} {'is current' if current else 'written'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

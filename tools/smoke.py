"""Test an installed wheel after it was built.

    python tools/smoke.py compiled     the wheel must have the C extension
    python tools/smoke.py python       the wheel must not have the C extension

Calls each part of the package once, with only the required dependencies installed. Exit status: 0 the wheel
works, 1 it does not.
"""

from __future__ import annotations

import pickle
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter

import abnforge
from abnforge import uri
from abnforge.teaching.exercises import exercises


def wrong(kernel: str) -> list[str]:
    """Return a line for each wrong result."""
    rule = abnforge.rule("rfc3986:URI")
    long = "http://user@example.com:8080/" + 200 * "a" + "?q#f"
    outcome = uri.parse(long)
    own = abnforge.loads('list = item *("," item)\nitem = 1*%xE9-10FFFF\n')["list"]
    rejection = rule.explain("http://a b")
    checks = {
        f"KERNEL is {abnforge.KERNEL!r}, not {kernel!r}": kernel == abnforge.KERNEL,
        "a long URI is not derived": rule.matches(long) and not rule.matches(long + " "),
        "a verdict does not travel": pickle.loads(pickle.dumps(rule.matches))("urn:a"),
        "an offset is wrong": rejection is not None and rejection.offset == 8,
        "components are wrong": (outcome.host, outcome.port, outcome.query) == ("example.com", "8080", "q"),
        "parts beyond US-ASCII are wrong": own.components("é,丁😀", ["item"]) == {"item": (2, 4)},
        "exercises are missing": len(exercises()) == 40,
        "a notebook shows no rule": "<strong>URI</strong>" in (rule._repr_html_() or ""),
        "a lone surrogate is derived": not rule.matches("urn:\ud800"),
    }
    return [message for message, right in checks.items() if not right]


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("kernel", choices=("compiled", "python"))
    messages = wrong(parser.parse_args(arguments).kernel)
    for message in messages:
        print(message)
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())

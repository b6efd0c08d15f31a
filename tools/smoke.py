"""Does an installed wheel work? For builds that test each wheel where it is made.

    python tools/smoke.py compiled     the kernel has to be there
    python tools/smoke.py python       there has to be none

Asks a little of each part, with what the wheel needs and nothing else. Exit status: 0 it works, 1 it
does not.
"""

from __future__ import annotations

import argparse
import pickle
import sys

import abnforge
from abnforge import uri
from abnforge.teaching.exercises.exercise import exercises


def wrong(kernel: str) -> list[str]:
    """What is not as it should be, a line each."""
    rule = abnforge.rule("rfc3986:URI")
    long = "http://user@example.com:8080/" + 200 * "a" + "?q#f"
    found = uri.parse(long)
    own = abnforge.loads('list = item *("," item)\nitem = 1*%xE9-10FFFF\n')["list"]
    rejection = rule.explain("http://a b")
    checks = {
        f"KERNEL is {abnforge.KERNEL!r}, not {kernel!r}": kernel == abnforge.KERNEL,
        "a long URI is not derived": rule.matches(long) and not rule.matches(long + " "),
        "a verdict does not travel": pickle.loads(pickle.dumps(rule.matches))("urn:a"),
        "an offset is wrong": rejection is not None and rejection.offset == 8,
        "components are wrong": (found.host, found.port, found.query) == ("example.com", "8080", "q"),
        "parts beyond US-ASCII are wrong": own.components("é,丁😀", ["item"]) == {"item": (2, 4)},
        "exercises are missing": len(exercises()) == 40,
        "a notebook shows no rule": "<strong>URI</strong>" in (rule._repr_html_() or ""),
        "a lone surrogate is derived": not rule.matches("urn:\ud800"),
    }
    return [message for message, right in checks.items() if not right]


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kernel", choices=("compiled", "python"))
    messages = wrong(parser.parse_args(arguments).kernel)
    for message in messages:
        print(message)
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())

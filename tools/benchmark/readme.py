"""The README's table, out of the sections verdicts, mistakes and columns."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from statistics import median

from benchmark import columns
from benchmark.report import Section, duration, table

NEEDED = ("verdicts", "mistakes", "columns")
BEGIN, END = (
    "<!-- measured: python tools/bench.py --section verdicts,mistakes,columns --readme -->",
    "<!-- end -->",
)

# Who is shown, by the name in its section; our pattern is in the engines of columns.
ONE_BY_ONE = {
    "rule.matches": "**abnforge, `rule.matches`**",
    "re, by hand, possessive": "`re`, by hand",
    "can_ada.can_parse": "can-ada (WHATWG URL)",
    "pydantic AnyUrl": "pydantic, `AnyUrl`",
    "urllib.parse.urlsplit": "`urllib.parse.urlsplit`",
    "rfc3986 Validator": "rfc3986, `Validator`",
}
IN_COLUMNS = {
    columns.ONE: "**abnforge, `columns.matches`**",
    columns.POLARS: "polars, with the pattern that abnforge exports",
    columns.RE2: "RE2 in pyarrow, the same",
}


def readme_table(results: Mapping[str, Section], strings: int, rows: int) -> str:
    """Of who was measured: the time of a URI, and how many verdicts are wrong."""
    wrong = {
        each["real"]["name"]: (len(each["real"]["accepted"]), len(each["real"]["rejected"]))
        for each in results["mistakes"].data
        if each["real"]["strings"] == strings
    }
    lines: list[list[str]] = []
    for name, rounds in results["columns"].data.items():
        if name in IN_COLUMNS:
            lines.append([IN_COLUMNS[name], duration(median(rounds) / rows), "0", "0"])
    for name, rounds in results["verdicts"].data.items():
        if name in ONE_BY_ONE and name in wrong:
            yes, no = wrong[name]
            lines.append([ONE_BY_ONE[name], duration(median(rounds)), f"{yes:,}", f"{no:,}"])
    order = [*IN_COLUMNS.values(), *ONE_BY_ONE.values()]
    lines.sort(key=lambda line: order.index(line[0]))
    return table(("verdict", "a URI", "wrongly yes", "wrongly no"), lines)


def write_readme(path: Path, made: str) -> None:
    """Put a table in the place of the one that is there."""
    text = path.read_text("utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"{path} has no {BEGIN} and {END} with the table between them")
    path.write_text(f"{before}{BEGIN}\n{made}\n{END}{after}", "utf-8")

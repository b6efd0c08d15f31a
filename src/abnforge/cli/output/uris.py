"""URIs: resolved, compared, found in files, and their components. Passwords are masked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from abnforge.cli.common.inputs import Unreadable
from abnforge.cli.common.output import Style, print_stderr, stderr_style, without_passwords
from abnforge.cli.output import rejection
from abnforge.cli.output.formats import JsonLines, LineReport
from abnforge.text import draw, escape

if TYPE_CHECKING:  # each run imports only one of these modules
    from abnforge.cli.common.uris import Changed, Result
    from abnforge.uri.rfc3986.equivalence import Equivalence
    from abnforge.uri.rfc_differences import EditionDiff
    from abnforge.uri.scan import LocatedURI

SHOWN_COLUMNS = 2000  # maximum width: enough to copy a URI, although a line may have a megabyte


class ResultText(LineReport["Result"]):
    """One result per line; standard error explains rejected strings."""

    wraps = False

    def lines(self, result: Result) -> Iterator[str]:
        record = result.record
        if isinstance(record, Unreadable):
            problem = rejection.unreadable(record, stderr_style())
        elif result.error is not None:
            problem = rejection.refusal(record.text, result.error, stderr_style())
        else:
            yield escape(str(result.value))
            return
        print_stderr(f"{escape(record.source)}:{record.line}: {problem}")


class EquivalenceText(LineReport["Equivalence"]):
    """The result, and both URIs with their normal forms."""

    def lines(self, result: Equivalence) -> Iterator[str]:
        paint = self.style.good if result else self.style.error
        yield paint(escape(result.message))
        for name, before, after in (
            ("A", result.left, result.normal_left),
            ("B", result.right, result.normal_right),
        ):
            changed = f"  ->  {masked(after)}" if before != after else ""
            yield f"  {self.style.faint(name)}  {masked(before)}{changed}"


class ChangeText(LineReport["Changed"]):
    """A string and its changes, one per line."""

    def lines(self, changed: Changed) -> Iterator[str]:
        record = changed.record
        place = self.style.strong(f"{escape(record.source)}:{record.line}:")
        yield f"{place} {masked(record.text) or '(empty)'}"
        yield from change_lines(changed.found, self.style)


class PlaceText(LineReport["LocatedURI"]):
    """One line per URI: its position, the URI, and notes about it."""

    def lines(self, place: LocatedURI) -> Iterator[str]:
        result = place.found
        notes = []
        if result.joined:
            notes.append(f"joined from {len(place.pieces)} pieces")
        if result.without_hyphens is not None:
            notes.append(f"or {escape(result.without_hyphens)}, if the hyphen breaks a word")
        if result.cut:
            notes.append("followed by a character that a URI cannot contain")
        note = self.style.faint(f"  ({'; '.join(notes)})") if notes else ""
        line, column, _ = place.pieces[0]
        where = self.style.strong(f"{escape(place.source)}:{line}:{column}:")
        yield f"{where} {escape(result.uri)}{note}"


class Uris(LineReport["LocatedURI"]):
    """Only the URIs, one per line, for programs."""

    wraps = False

    def lines(self, place: LocatedURI) -> Iterable[str]:
        return (place.found.uri,)


class PlaceLines(JsonLines):
    """URIs and their places as JSON; the keys are stable."""

    def objects(self, place: LocatedURI) -> Iterator[Any]:
        result = place.found
        yield {
            "source": place.source,
            "line": place.pieces[0][0],
            "column": place.pieces[0][1],
            "uri": result.uri,
            "wrapper": result.wrapper.value,
            "prefix": result.prefix,
            "joined": result.joined,
            "cut": result.cut,
            "pieces": [{"line": n, "column": c, "end_column": end} for n, c, end in place.pieces],
            "hyphens": [{"line": n, "column": c} for n, c in place.hyphens],
            "without_hyphens": result.without_hyphens,
        }


def masked(value: object) -> str:
    """Return a URI with every password replaced by ``***``, safe for a terminal."""
    return shown(without_passwords(str(value)))


def shown(text: str) -> str:
    """Return a string, safe for a terminal and shortened."""
    return draw(text, 0, columns=SHOWN_COLUMNS)[0]


def change_lines(result: EditionDiff, style: Style) -> Iterator[str]:
    """Yield one line per change with the old and new value, and below it the reason for a missing value."""
    reasons = list(zip((result.old, result.new), result.rejections, result.errors, strict=True))
    for aspect, old, new in (change.masked() for change in result.changes):
        was, now = ("undefined" if text is None else shown(text) or "(empty)" for text in (old, new))
        yield f"  {style.faint(aspect.ljust(9))}  {was}  ->  {now}"
        for name, why, error in reasons if result.quotable else ():
            name = rejection.specification(name)
            if aspect == "valid" and why is not None:
                yield f"             {name}: {escape(why.message)}"
            if aspect == "target" and why is None and error is not None:
                yield f"             {name}: {escape(error)}"


def component_lines(components: dict[str, Any], style: Style) -> Iterator[str]:
    """Yield one line per component: its name and its value in quotes, or "undefined"."""
    rows = {name: value for name, value in components.items() if name not in ("rule", "text")}
    columns = max(map(len, rows))
    yield f'{style.strong(escape(components["rule"]))}  "{escape(components["text"])}"'
    for name, value in rows.items():
        yield f"  {name.replace('_', ' ').ljust(columns)}  {_component(name, value, style)}"


def _component(name: str, value: Any, style: Style) -> str:
    if value is None:
        return style.faint("undefined")
    if isinstance(value, list):
        return "  ".join(_component(name, item, style) for item in value) or style.faint("none")
    if name == "query_parameters":
        return " = ".join(_component("", value[each], style) for each in ("name", "value"))
    if name.endswith("kind") or not isinstance(value, str):
        return escape(str(value))
    return f'"{escape(value)}"'

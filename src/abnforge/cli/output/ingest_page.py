"""The result of a job as one page of HTML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from abnforge.cli.output.pages import render
from abnforge.text import escape

_ENDS = {
    "finished": "",
    "stopped": " (stopped)",
    "too-many-rejects": " (too many; no output was written)",
    "failed": " (the job failed; no output was written)",
}


def page(summary: Mapping[str, Any], notes: Mapping[str, str] | None = None) -> str:
    """Return the page for a summary; ``notes`` has a sentence on the rule of a column, by its name."""
    rows, rejected = summary["rows"], summary["rejected"]
    share = rejected / rows if rows else 0
    details = {f"{each['grammar']} (sha256)": each["sha256"] for each in summary["columns"]}
    details |= {name: value for name, value in summary["options"].items() if value not in (None, False, [])}
    details |= summary["versions"]
    pieces = render(
        "split",
        title=f"{rejected:,} of {rows:,} rows rejected{_ENDS[summary['status']]}",
        summary=summary,
        notes=notes or {},
        share=share,
        values={
            "rows": f"{rows:,}",
            "valid": f"{summary['valid']:,}",
            "rejected": f"{rejected:,}",
            "reject rate": f"{share:.2%}",
            "seconds": f"{summary['seconds']:,.1f}",
        },
        details={name: str(value) for name, value in details.items()},
        anchor=_anchor,
        blamed=_blamed,
    )
    return "".join(pieces)


def _anchor(title: str, code: str) -> str:
    """Return the id of the examples of a code, without spaces and quotes in a column's name."""
    return quote(f"{title}-{code}", safe="", errors="surrogatepass")


def _blamed(sample: Mapping[str, Any]) -> tuple[str, str, str, str]:
    """Return a rejected string before, in and after the mistake, and a caret below the mistake."""
    text, start = sample["text"], sample["start"] or 0
    end = max(sample["end"] or 0, start + 1)
    before, blamed, after = (escape(batch) for batch in (text[:start], text[start:end], text[end:]))
    return before, blamed, after, " " * len(before) + "^" * max(1, len(blamed))

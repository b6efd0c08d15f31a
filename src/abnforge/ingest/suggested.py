"""Suggestions that rejects hold, taken where somebody says so, and where they are still what is suggested."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from abnforge.columns.selecting import taken
from abnforge.ingest.explaining import FIELDS, explained, judged, one_by_one
from abnforge.ingest.failures import JobError
from abnforge.ingest.judging import Judge, element
from abnforge.ingest.messages import message
from abnforge.ingest.replayed import Edit, Replay
from abnforge.ingest.selection import Column, meant

ALL = "all"
_AT_ONCE = 1 << 12  # rows whose reasons are values of Python at a time


class Suggestions:
    """Applies suggestions of some codes to rows that are valid then; other rows stay as they are."""

    def __init__(self, judge: Judge, codes: Sequence[str]) -> None:
        """Raises JobError for a code that no grammar of the columns has. :data:`ALL` stands for all codes."""
        self._judge = judge
        self._all = ALL in codes
        self._codes = frozenset(codes)
        grammars: list[Any] = [column.rule.grammar for column in judge.columns]
        known = {code for grammar in grammars for code in grammar.codes}
        for code in sorted(self._codes - {ALL} - known):
            raise JobError(message("suggestion-code-unknown", name=code, near=meant(code, known)))

    def applied(self, part: Replay) -> Replay:
        """The part with the suggestions that hold. One holds where the text, as it stands, is still rejected
        by that code with that suggestion; whether the row is good then is judged as that of any row.
        """
        found = {column: self._of(column, part) for column in self._judge.columns}
        edits = {column: list(each) for column, each in found.items() if each}
        if not edits:
            return part
        good = self._judge.judge(part.edited(edits), 0).good
        if good is not None:
            edits = {
                column: [edit for edit in each if good[edit.row].as_py()] for column, each in edits.items()
            }
        made = part.edited(edits) if any(edits.values()) else part
        made.applied = Counter(
            (column.name, found[column][edit]) for column, each in edits.items() for edit in each
        )
        return made

    def _of(self, column: Column, part: Replay) -> dict[Edit, str]:
        """The changes that suggestions of a column ask for, each with its code."""
        texts = part.texts(column)
        wanted: list[tuple[Edit, str]] = []
        ordinals: Counter[int] = Counter()
        rows = range(part.rows) if texts.rows is None else texts.rows.to_pylist()
        places = None if texts.places is None else texts.places.to_pylist()
        told = [
            self._told(each.reasons)
            for begin in range(0, part.rows, _AT_ONCE)
            for each in part.pasts(range(begin, min(begin + _AT_ONCE, part.rows)))
        ]
        for at, row in enumerate(rows):
            ordinal = ordinals[row]
            ordinals[row] += 1
            if told[row]:
                name = column.name if places is None else element(column.name, places[at])
                for code, suggestion in told[row].get(name, ()):
                    wanted.append((Edit(row, at, ordinal, suggestion), code))
        still = self._suggested(column, texts.values, sorted({edit.at for edit, _ in wanted}))
        return {edit: code for edit, code in wanted if still.get(edit.at) == (code, edit.text)}

    def _told(self, reasons: Sequence[Mapping[str, Any]]) -> dict[str | None, list[tuple[str, str]]]:
        """The suggestions of a row by column that are wanted."""
        found: dict[str | None, list[tuple[str, str]]] = {}
        for each in reasons:
            if each["suggestion"] is not None and (self._all or each["code"] in self._codes):
                found.setdefault(each["column"], []).append((each["code"], each["suggestion"]))
        return found

    def _suggested(self, column: Column, values: Any, places: Sequence[int]) -> dict[int, tuple[str, str]]:
        """Of texts that are rejected the code and the suggestion, as they are now."""
        some = one_by_one(taken(values, pa.array(places, pa.int64())))
        verdicts, undecided = judged(column.rule, some)
        which = [at for at, good in enumerate(verdicts.to_pylist()) if good is False and at not in undecided]
        if not which:
            return {}
        told = explained(column.rule, taken(some, pa.array(which, pa.int64())), True)
        code, suggestion = FIELDS.index("code"), FIELDS.index("suggestion")
        return {
            places[at]: (each[code], each[suggestion])
            for at, each in zip(which, told, strict=True)
            if each[suggestion] is not None
        }

"""What the budget does not suffice for is told, and ends no job."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("numpy")
import pyarrow as pa

import abnforge
from abnforge.ingest import Column
from abnforge.ingest.validate import judged, processors
from tests.ingest.jobs import done, job, lines_of


def test_what_the_budget_does_not_suffice_for(tmp_path: Path) -> None:
    """It is no verdict, and no reason to end a job of a million rows."""
    budget = abnforge.Budget(steps=100, per_character=0)
    rule = abnforge.loads('r = "(" *( r "," ) r ")" / 1*"a"\n', budget=budget)["r"]
    deep = "(" * 20 + "a" * 20 + ")" * 19
    column = pa.array(["a", deep, None, "b"])
    verdicts, told = judged(rule, column)
    assert verdicts.to_pylist() == [True, False, None, False]
    assert [each[0] for each in told.values()] == ["limit-exceeded"]
    (tmp_path / "rows.txt").write_text(f"a\n{deep}\nb\n")
    done(task := job(tmp_path, tmp_path / "rows.txt", columns=[Column("x", rule)]))
    assert task.rejects is not None
    codes = [[each["code"] for each in row["_errors"]] for row in lines_of(task.rejects)]
    assert codes[0] == ["limit-exceeded"]
    assert len(codes) == 2
    (tmp_path / "rows.txt").write_text(f"b\na\n{deep}\nb\n{deep}\n{deep}\n" * 2)
    for samples in (0, 1, 3):  # however few are told, these are counted by their code
        columns = [Column("x", rule)]
        task = job(tmp_path, tmp_path / "rows.txt", columns=columns, on_error="drop", samples=samples)
        result = done(task)
        assert (result.counts.undecided, result.counts.rejected) == (6, 10)


def test_there_is_a_processor() -> None:
    assert processors() >= 1

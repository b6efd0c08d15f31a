"""Reasons told by several processes are those told by one; what the budget does not suffice for is told."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("numpy")
import pyarrow as pa

import abnforge
from abnforge.ingest import Column, explaining, texts
from abnforge.ingest.explaining import Explainer, explained, give_memory_back, judged, processors
from tests.ingest.jobs import PORT, SCHEME, URI, URLS, done, job, lines_of, outputs, table, write_csv

BAD = pa.array([text for text in URLS if text is not None and not URI.matches(text)])


@pytest.mark.slow
def test_several_processes_tell_what_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explaining, "MANY", 10)
    monkeypatch.setattr(explaining, "BATCH", 4)
    texts = pa.concat_arrays([BAD] * 3)
    explainer = Explainer([SCHEME, URI], False, 2)
    try:
        assert explainer.ask(1, BAD[:2])() == explained(URI, BAD[:2], False)  # few: told at once
        answers = [explainer.ask(number, texts.slice(1)) for number in (1, 0, 1)]
        assert [answer() for answer in answers] == [
            explained(rule, texts.slice(1), False) for rule in (URI, SCHEME, URI)
        ]
    finally:
        explainer.close()


def test_a_process_that_is_killed_is_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explaining, "MANY", 1)
    explainer = Explainer([URI], True, 1 + 1)
    try:
        assert explainer.ask(0, BAD)() == explained(URI, BAD, True)
        assert explainer._pool is not None
        for process in explainer._pool._processes.values():
            process.kill()
            process.join()
        for _ in range(3):
            assert explainer.ask(0, BAD)() == explained(URI, BAD, True)
    finally:
        explainer.close()


def test_files_do_not_depend_on_the_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explaining, "MANY", 10)
    monkeypatch.setattr(explaining, "BATCH", 10)
    monkeypatch.setattr(texts, "BLOCK", 2_000)
    path = tmp_path / "rows.csv"
    write_csv(path, table(20))
    done(task := job(tmp_path, path, columns=[Column("url", URI), Column("port", PORT)]))
    alone = outputs(task)
    done(task := job(tmp_path, path, columns=[Column("url", URI), Column("port", PORT)], jobs=2))
    assert outputs(task) == alone


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
    assert task.rejected is not None
    codes = [[each["code"] for each in row["_reject"]] for row in lines_of(task.rejected)]
    assert codes[0] == ["limit-exceeded"]
    assert len(codes) == 2
    (tmp_path / "rows.txt").write_text(f"b\na\n{deep}\nb\n{deep}\n{deep}\n" * 2)
    for samples in (0, 1, 3):  # however few are told, these are counted by their code
        columns = [Column("x", rule)]
        task = job(tmp_path, tmp_path / "rows.txt", columns=columns, on_reject="drop", samples=samples)
        result = done(task)
        assert (result.counts.undecided, result.counts.rejected) == (6, 10)


def test_there_is_a_processor() -> None:
    assert processors() >= 1


def test_memory_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    before = pa.default_memory_pool()
    monkeypatch.setenv("ARROW_DEFAULT_MEMORY_POOL", before.backend_name)
    try:
        give_memory_back()
        assert pa.default_memory_pool().backend_name == before.backend_name  # somebody chose it
        monkeypatch.delenv("ARROW_DEFAULT_MEMORY_POOL")
        give_memory_back()
        there = "jemalloc" in pa.supported_memory_backends()
        assert pa.default_memory_pool().backend_name == ("jemalloc" if there else before.backend_name)
    finally:
        pa.set_memory_pool(before)

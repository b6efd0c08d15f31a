"""Plain lines, which have one column."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy")
from abnforge.ingest import Column, JobError
from abnforge.ingest.pipeline import run
from abnforge.ingest.sources import text as texts
from tests.ingest.jobs import URI, URLS, done, job, lines_of
from tests.raising import raises

LINES = [
    ({"id": "x"}, "id-of-lines"),
    ({"columns": [Column("a", URI), Column("b", URI)]}, "lines-one-column"),
    ({"on_error": "keep"}, "lines-without-flag"),
]


@pytest.mark.parametrize(("options", "said"), LINES)
def test_what_lines_do_not_have(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    path = tmp_path / "rows.txt"
    path.write_text("a:b\n")
    with raises(JobError, said):
        run(job(tmp_path, path, **options))


PIECES = [
    *(text.replace("\n", " ") for text in URLS if text),
    "",
    "x:" + "y" * 300,
    "\x00",
    "a:\rb",
    "é:",
    "\u2028",
    "\x85:",
]


@pytest.mark.parametrize("seeds", [range(10), pytest.param(range(10, 100), marks=pytest.mark.slow)], ids=str)
def test_lines_are_parted(tmp_path: Path, seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line ends with LF or CRLF, and with nothing else."""
    monkeypatch.setattr(texts, "BLOCK", 400)
    for seed in seeds:
        r = random.Random(seed)
        files = [
            "".join(
                r.choice(PIECES).replace("\n", " ") + r.choice(["\n", "\r\n"])
                for _ in range(r.choice([0, 1, 50]))
            )
            for _ in range(r.randrange(1, 4))
        ]
        for number, text in enumerate(files):
            (tmp_path / f"{number}.txt").write_bytes(text.encode())
        task = job(tmp_path, tmp_path / "?.txt", valid=tmp_path / "good.txt", columns=[Column("x", URI)])
        result = done(task)
        rows = [line + "\n" for text in files for line in text.split("\n")[:-1]]
        plain = [row.removesuffix("\n").removesuffix("\r") for row in rows]
        good = list(map(URI.matches, plain))
        assert result.counts.rows == len(rows)
        kept = "".join(row for row, keep in zip(rows, good, strict=True) if keep)
        assert task.valid.read_bytes().decode() == kept
        assert task.rejects is not None
        bad = [text for text, keep in zip(plain, good, strict=True) if not keep]
        assert [row["x"] for row in lines_of(task.rejects)] == bad
        for path in list(tmp_path.iterdir()):
            path.unlink()

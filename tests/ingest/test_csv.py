"""CSV files in every layout, with and without a header, and with an additional column."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from abnforge import loads
from abnforge.ingest import Column, CsvOptions, JobError
from abnforge.ingest.pipeline import run
from abnforge.ingest.sources import records
from abnforge.ingest.sources import text as texts
from abnforge.ingest.sources.csv import split_cells
from abnforge.ingest.sources.records import CsvSplitter, cell_counts
from tests.ingest.jobs import SCHEME, URI, URLS, cells_of, done, job, lines_of
from tests.law import law, one_in
from tests.raising import raises
from tests.reference import csv_rows

pytest.importorskip("numpy")
pq = pytest.importorskip("pyarrow.parquet")


def test_flagged_rows_that_are_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("url,n\na:b,1\nx\n")
    done(task := job(tmp_path, path, on_error="keep"))
    rows = cells_of(task.valid.read_bytes())
    assert rows[:2] == [["url", "n", "_errors"], ["a:b", "1", ""]]
    assert rows[2][:2] == ["", ""]
    [reason] = json.loads(rows[2][2])
    assert (reason["code"], reason["row"]) == ("malformed-row", "x")
    with raises(JobError, "column-flagged", column="_errors"):
        run(job(tmp_path, task.valid, valid=tmp_path / "again.csv", on_error="keep"))


PIECES = st.sampled_from(
    [
        b'"',
        b'"',
        b"\\",
        b"\\",
        b'\\"',
        b",",
        b"\n",
        b"\r\n",
        b"\r",
        b"a",
        b'""',
        b"\xc3\xa9",
        b'","',
        b'"\n"\r\n',
        b'a"\n',
    ]
)
FILES, BLOCKS = st.lists(PIECES, max_size=24).map(b"".join), st.lists(st.integers(1, 9), min_size=1)


@law(FILES, BLOCKS, st.sampled_from(["", "\\"]), few=300, many=5_000)
def test_rows_do_not_depend_on_blocks(data: bytes, sizes: list[int], escape: str) -> None:
    """Split bytes into rows as a state machine does, whatever blocks they are read in."""
    splitter, rest, pending = CsvSplitter(",", 1 << 24, '"', escape), data, cycle(sizes)
    rows: list[tuple[bytes, bool]] = []
    counts: list[int] = []
    size = next(pending)
    while rest:
        cut = splitter.rows(rest[:size], len(rest) <= size)
        bounds = zip(cut.begins.tolist(), cut.ends.tolist(), strict=True)
        rows += ((rest[a:b], number not in cut.broken) for number, (a, b) in enumerate(bounds))
        counts += cell_counts(cut).tolist()
        rest, size = rest[cut.behind :], next(pending) if len(cut) else 2 * size
    assert rows == [*csv_rows.rows(data, escape=escape.encode())]
    layout = CsvOptions(escape=escape or None)
    for (row, is_regular), count in zip(rows, counts, strict=True):
        assert not is_regular or len(split_cells(re.sub(rb"\r?\n\Z", b"", row), layout)) == count
        assert escape or not is_regular or not (cells := csv_rows.cells(row)) or len(cells) == count


def quoted_cells(texts: list[str], delimiter: str, end: str, quoting: Any) -> str:
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter, lineterminator=end, quoting=quoting).writerow(texts)
    return file.getvalue()


CELLS = [
    *(text for text in URLS if text is not None),
    "a:\r\nb",
    "a;b|c\td,e",
    "é:",
    '"',
    "x:" + "y" * 300,
    "'",
]


@pytest.mark.parametrize(
    "header", one_in(3, [None, [], ["id", "url", "n"]]), ids=["header", "numbers", "names"]
)
@pytest.mark.parametrize("delimiter", [",", ";", "|", "\t", "\x01", "^", "]", "-"])
def test_rows_as_the_csv_module_writes_and_reads_them(
    tmp_path: Path, delimiter: str, header: list[str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "BLOCK", 900)
    for seed in range(3):
        r = random.Random(f"{seed}{delimiter}{header}")
        end, quoting = r.choice(["\n", "\r\n"]), r.choice([csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
        files = []
        for _ in range(r.randrange(1, 4)):
            size = r.choice([0, 1, 30])
            inputs = [[str(at), r.choice(CELLS), r.choice(CELLS)] for at in range(size)]
            files.append([quoted_cells(cells, delimiter, end, quoting) for cells in inputs])
        head = "" if header is not None else quoted_cells(["id", "url", "n"], delimiter, end, quoting)
        for number, rows in enumerate(files):
            (tmp_path / f"{number}.csv").write_bytes((head + "".join(rows)).encode())
        name = {None: "url", 0: "2", 3: "url"}[None if header is None else len(header)]
        rule = Column(name, URI)
        task = job(
            tmp_path,
            *(tmp_path / f"{number}.csv" for number in range(len(files))),
            columns=[rule],
            valid=tmp_path / "good.csv",
            layout=CsvOptions(delimiter, header),
        )
        result = done(task)
        rows = [row for each in files for row in each]
        cells = [next(csv.reader(io.StringIO(row, newline=""), delimiter=delimiter))[1] for row in rows]
        missing = [quoting == csv.QUOTE_MINIMAL and not cell for cell in cells]
        good = [gone or URI.matches(cell) for gone, cell in zip(missing, cells, strict=True)]
        assert result.counts.rows == len(rows)
        kept = [row for row, keep in zip(rows, good, strict=True) if keep]
        assert task.valid.read_bytes() == (head + "".join(kept)).encode()
        assert task.rejects is not None
        assert [row[name] for row in lines_of(task.rejects)] == [
            cell for cell, keep in zip(cells, good, strict=True) if not keep
        ]
        for path in [*tmp_path.iterdir()]:
            path.unlink()


LAYOUTS: list[tuple[CsvOptions, bytes, str, str]] = [
    (CsvOptions(None, ["u", "n"]), b"a,b,c\n", "u", "cells-differ-from-names"),
    (CsvOptions(None, []), b"a,b,c\n", "4", "column-unknown"),
    (CsvOptions(), b"u;n\na:b;2\n", "u", "column-unknown-delimiter"),
    (CsvOptions(), b"a:b,2\n", "1", "column-unknown-header"),
    (CsvOptions(), b"u,n\na:b,2\n", "u.x", "column-unknown-path"),
]


@pytest.mark.parametrize(("layout", "octets", "name", "code"), LAYOUTS)
def test_layouts_that_do_not_fit(
    tmp_path: Path, layout: CsvOptions, octets: bytes, name: str, code: str
) -> None:
    (tmp_path / "rows.csv").write_bytes(octets)
    with raises(JobError, code):
        run(job(tmp_path, tmp_path / "rows.csv", columns=[Column(name, URI)], layout=layout))


@pytest.mark.parametrize("delimiter", ["", ";;", "\n", "\r", "é"])
def test_invalid_delimiters(tmp_path: Path, delimiter: str) -> None:
    with raises(JobError, "delimiter-malformed", parameter="delimiter"):
        job(tmp_path, "rows.csv", layout=CsvOptions(delimiter))


@pytest.mark.parametrize(
    ("names", "code"), [(["a", "a"], "header-name-repeated"), (["a", ""], "header-name-empty")]
)
def test_names_that_are_none(tmp_path: Path, names: list[str], code: str) -> None:
    with raises(JobError, code):
        job(tmp_path, "rows.csv", layout=CsvOptions(None, names))


def test_layouts_are_for_csv(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"url":"a:b"}\n')
    with raises(
        JobError, "parameter-requires-format", parameter="delimiter", formats=("csv", "tsv"), format="jsonl"
    ):
        run(job(tmp_path, tmp_path / "rows.jsonl", layout=CsvOptions(";")))


def test_files_without_a_header_that_differ_or_are_empty(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_bytes(b"")
    (tmp_path / "2.csv").write_bytes(b"x\na:b,1\nc d,2\n")
    task = job(
        tmp_path,
        tmp_path / "?.csv",
        valid=tmp_path / "good.csv",
        columns=[Column("1", URI)],
        layout=CsvOptions(None, []),
    )
    done(task)
    assert task.valid.read_bytes() == b"a:b,1\n"
    assert task.rejects is not None
    first, second = lines_of(task.rejects)
    assert first["_errors"][0]["code"] == "malformed-row"
    assert second["1"] == "c d"
    (tmp_path / "3.csv").write_bytes(b"a:b,1,2\n")
    with raises(JobError, "cells-differ", count=3, expected=2, first=str(tmp_path / "2.csv")):
        run(task)
    (tmp_path / "2.csv").unlink()
    (tmp_path / "3.csv").unlink()
    assert done(task).counts.rows == 0
    assert task.valid.read_bytes() == b""


def test_flagged_rows_without_a_header(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("a:b_1\nc d_2\n")
    task = job(
        tmp_path,
        tmp_path / "rows.csv",
        columns=[Column("1", URI)],
        on_error="keep",
        layout=CsvOptions("_", []),
    )
    done(task)
    first, second = csv.reader(io.StringIO(task.valid.read_text()), delimiter="_")
    assert first == ["a:b", "1", ""]
    assert json.loads(second[2])[0]["column"] == "1"


DIALECTS = st.sampled_from(
    [('"', "\\", "#"), ("'", "\\", ""), ("", "\\", "%"), ('"', "", "#"), ('"', "^", "")]
)
VALUES = st.lists(
    st.sampled_from(["a", '"', "'", "\\", "^", ",", "\n", "#", "%", "é", "n", "\\N"]), max_size=6
)


def cell_of(text: str, quote: str, escape: str, is_quoted: bool) -> str:
    """Return a string as a cell of a dialect: an escape character has a meaning only in quoted cells."""
    if quote and not is_quoted:
        return text
    if quote:
        for each in filter(None, (escape, quote)):
            text = text.replace(each, (escape or quote) + each)
        return quote + text + quote
    for each in (escape, ",", "\n"):
        text = text.replace(each, escape + each) if each else text
    return text


@law(
    DIALECTS,
    st.lists(st.tuples(VALUES, VALUES, st.integers(0, 7)), min_size=1, max_size=9),
    BLOCKS,
    few=200,
    many=3_000,
)
def test_cells_of_dialects(marks: tuple[str, str, str], rows: list[Any], sizes: list[int]) -> None:
    """Cells of every dialect are read back, in whatever blocks; comments between them are skipped."""
    quote, escape, comment = marks
    lines, expected = [], []
    for first, second, layout in rows:
        pair = ["".join(first), "".join(second)]
        requires_quotes = [bool(quote) and bool({quote, ",", "\n"} & {*text}) for text in pair]
        bare = [bool(layout & 1) and not requires_quotes[0], bool(layout & 2) and not requires_quotes[1]]
        if comment and (layout & 4 or (bare[0] and pair[0].startswith(comment))):
            lines.append(f"{comment} it's\\\n")
            pair[0] = "b" + pair[0]
        cells = [cell_of(text, quote, escape, not is_bare) for text, is_bare in zip(pair, bare, strict=True)]
        if not quote and comment and cells[0].startswith(comment):
            continue
        lines.append(",".join(cells) + "\n")
        is_missing = [not text and (not quote or is_bare) for text, is_bare in zip(pair, bare, strict=True)]
        expected.append(
            [None if gone else text.encode() for text, gone in zip(pair, is_missing, strict=True)]
        )
    layout = CsvOptions(",", None, quote, escape or None, comment or None)
    splitter, rest, pending = CsvSplitter(",", 1 << 24, *marks), "".join(lines).encode(), cycle(sizes)
    columns: list[list[Any]] = [[], []]
    each_row: list[Any] = []
    size = next(pending)
    while rest:
        cut = splitter.rows(rest[:size], len(rest) <= size)
        assert not cut.broken
        for number, values in enumerate(columns):
            begins, ends, there = records.cells(cut, 2, number, texts.usable(len(cut), ()))
            values += texts.string_array(cut.block, begins, ends, there, cut.dropped).to_pylist()
        for begin, end in zip(cut.begins.tolist(), cut.ends.tolist(), strict=True):
            each_row.append(split_cells(cut.block[begin:end].removesuffix(b"\n"), layout))
        rest, size = rest[cut.behind :], next(pending) if cut.behind else 2 * size
    assert each_row == expected
    read = [[None if cell is None else cell.encode() for cell in row] for row in zip(*columns, strict=True)]
    assert read == expected


# The values, and the cells that programs wrote for them: only Spark without quoteAll writes unquoted cells.
RECORDED = {
    "a": ("a", '"a"', '"a"'),
    "a\\b": ("a\\b", r'"a\\b"', r'"a\\b"'),
    "a\\": ("a\\", r'"a\\"', r'"a\\"'),
    "a\\\\": (r"a\\", r'"a\\\\"', r'"a\\\\"'),
    'a"b': (r'"a\"b"', r'"a\"b"', r'"a\"b"'),
    'a\\"b': (r'"a\\\"b"', r'"a\\\"b"', r'"a\\\"b"'),
    'a\\\\"b': (r'"a\\\\\"b"', r'"a\\\\\"b"', r'"a\\\\\"b"'),
    '"': (r'"\""', r'"\""', r'"\""'),
    'a"': (r'"a\""', r'"a\""', r'"a\""'),
    "a,b": ('"a,b"', '"a,b"', '"a,b"'),
    "a\\,b": (r'"a\\,b"', r'"a\\,b"', r'"a\\,b"'),
    'x\\","y': (r'"x\\\",\"y"', r'"x\\\",\"y"', r'"x\\\",\"y"'),
    "\\N": ("\\N", r'"\\N"', r'"\\N"'),
    "\\\\srv\\y": (r"\\srv\y", r'"\\\\srv\\y"', r'"\\\\srv\\y"'),
    "a\nb": ('"a\nb"', '"a\nb"', '"a\\\nb"'),
    "a\\\nb": ('"a\\\\\nb"', '"a\\\\\nb"', '"a\\\\\\\nb"'),
}
WRITERS = ["Spark 4.3", "Spark 4.3 with quoteAll", "MariaDB 10.11 with ENCLOSED BY"]


@pytest.mark.parametrize("number", range(len(WRITERS)), ids=WRITERS)
def test_recorded_cells_with_escapes(number: int) -> None:
    """Values are read back from the cells that other programs wrote, in all blocks."""
    expected = list(RECORDED)
    data = "".join(f"7,{RECORDED[value][number]},8\n" for value in expected).encode()
    splitter, layout = CsvSplitter(",", 1 << 24, '"', "\\"), CsvOptions(escape="\\")
    for size in (17, 40, len(data)):
        values, rest = [], data
        while rest:
            cut = splitter.rows(rest[:size], len(rest) <= size)
            begins, ends, there = records.cells(cut, 3, 1, texts.usable(len(cut), cut.broken))
            values += texts.string_array(cut.block, begins, ends, there, cut.dropped).to_pylist()
            rest = rest[cut.behind :]
            size = size if len(cut) else 2 * size
        assert values == expected
    assert [
        split_cells(b"7," + RECORDED[value][number].encode() + b",8", layout)[1].decode()
        for value in expected
    ] == expected


# Written by MariaDB 10.11 with SELECT ... INTO OUTFILE: by default, and with ENCLOSED BY.
EXPORTED = ["http://a/", "a\\b", "a\tb", "a\nb", "\\N", None, "", 'a"b', "x\\", "a,b", "\r", "NULL"]
EXPORTS = {
    "\t": (
        b"http://a/",
        rb"a\\b",
        b"a\\\tb",
        b"a\\\nb",
        rb"\\N",
        rb"\N",
        b"",
        b'a"b',
        rb"x\\",
        b"a,b",
        b"\r",
        b"NULL",
    ),
    ",": (
        b'"http://a/"',
        rb'"a\\b"',
        b'"a\tb"',
        b'"a\\\nb"',
        rb'"\\N"',
        rb"\N",
        b'""',
        rb'"a\"b"',
        rb'"x\\"',
        b'"a,b"',
        b'"\r"',
        b'"NULL"',
    ),
}


@pytest.mark.parametrize("delimiter", EXPORTS)
@pytest.mark.parametrize("copies", [1, 200])
def test_exports_of_mariadb(tmp_path: Path, delimiter: str, copies: int) -> None:
    """The null word as text, the empty string and a missing value stay different."""
    cells = EXPORTS[delimiter]
    lines = b"".join(b"7" + delimiter.encode() + cell + delimiter.encode() + b"8\n" for cell in cells)
    (tmp_path / "rows.csv").write_bytes(lines * copies)
    any_text = loads("any = *%x0-10FFFF\n")["any"]
    quote = "" if delimiter == "\t" else '"'
    csv_options = CsvOptions(delimiter, ["id", "text", "n"], quote, "\\")
    task = job(
        tmp_path,
        tmp_path / "rows.csv",
        columns=[Column("text", any_text)],
        layout=csv_options,
        null_values=["\\N"],
        valid=tmp_path / "valid.parquet",
    )
    done(task)
    assert pq.read_table(tmp_path / "valid.parquet")["text"].to_pylist() == EXPORTED * copies
    missing = job(
        tmp_path,
        tmp_path / "rows.csv",
        columns=task.columns,
        layout=csv_options,
        null_values=["\\N"],
        nulls="reject",
    )
    assert done(missing).rejected == copies
    for ending in ("jsonl", "parquet"):
        rejects, left = tmp_path / f"bad.{ending}", tmp_path / f"left.{ending}"
        done(replace(task, columns=[*task.columns, Column("n", SCHEME)], valid=None, rejects=rejects))
        fixed = tmp_path / f"fixed.{ending}"
        done(job(tmp_path, rejects, replay=True, columns=task.columns, valid=fixed, rejects=left))
        for path in (rejects, fixed):
            rows = lines_of(path) if ending == "jsonl" else pq.read_table(path).to_pylist()
            assert [row["text"] for row in rows] == EXPORTED * copies


@pytest.mark.parametrize("marks", [{"delimiter": '"'}, {"escape": ","}, {"escape": "#", "comment": "#"}])
def test_equal_characters(tmp_path: Path, marks: dict[str, str]) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("url\na:b\n")
    with raises(JobError, "characters-equal"):
        run(job(tmp_path, path, layout=CsvOptions(**marks)))


MYSQL = b"# export\nid,url\n1,http://h/?q=a\\,b\n# it's\n2,\\N\n3,http://h/\\\\\n4,NA\n"


def test_a_file_with_escapes_comments_and_null_words(tmp_path: Path) -> None:
    """Valid rows keep their escapes, and comments are not rows; line numbers count them."""
    path = tmp_path / "rows.csv"
    path.write_bytes(MYSQL)
    layout = CsvOptions(quote="", escape="\\", comment="#")
    task = job(tmp_path, path, layout=layout, null_values=["NA", "\\N"], id="id")
    assert done(task).counts.rows == 4
    assert task.valid.read_bytes() == b"id,url\n1,http://h/?q=a\\,b\n2,\\N\n4,NA\n"
    [reject] = lines_of(task.rejects)
    assert (reject["url"], reject["_source"]["line"], reject["_source"]["id"]) == ("http://h/\\", 6, "3")
    task = job(tmp_path, path, layout=layout, null_values=["NA", "\\N"], nulls="reject")
    done(task)
    assert [row["_errors"][0]["code"] for row in lines_of(task.rejects)][::2] == ["null", "null"]


def test_a_file_of_comments(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("# a\n# b")
    assert done(job(tmp_path, path, layout=CsvOptions(names=["url"], comment="#"))).rows == 0
    with raises(JobError, "source-empty"):
        run(job(tmp_path, path, layout=CsvOptions(comment="#")))


def test_errors_of_escaped_rows(tmp_path: Path) -> None:
    """The additional cell has the same escapes as the file."""
    path = tmp_path / "rows.csv"
    path.write_text("url,n\na b,1\n")
    for quote in ('"', ""):
        layout = CsvOptions(",", None, quote, "\\")
        task = job(tmp_path, path, layout=layout, on_error="keep", valid=tmp_path / "all.csv")
        done(task)
        [_, row] = task.valid.read_bytes().splitlines()
        [*cells, errors] = split_cells(row, layout)
        assert cells == [b"a b", b"1"]
        assert json.loads(errors or b"")[0]["column"] == "url"
    with raises(JobError, "parameter-excluded-if", parameter="quote"):
        run(job(tmp_path, path, layout=CsvOptions(quote=""), on_error="keep", valid=tmp_path / "all.csv"))


@pytest.mark.parametrize("rejects", ["csv", "jsonl"])
@pytest.mark.parametrize("words", [["NULL"], []])
def test_null_words_of_replayed_rows(tmp_path: Path, rejects: str, words: list[str]) -> None:
    """Rejects keep the cells of columns that are not validated; missing cells can be written as before."""
    path, bad = tmp_path / "rows.csv", tmp_path / f"bad.{rejects}"
    path.write_text("url,page,name\na b,NULL,NULL\nhttp://h/,NULL,NULL\n")
    columns = [Column("url", URI), Column("page", URI)]
    done(task := job(tmp_path, path, columns=columns, rejects=bad, null_values=["NULL"]))
    assert task.valid.read_text() == "url,page,name\nhttp://h/,NULL,NULL\n"
    bad.write_text(bad.read_text().replace("a b", "http://h/"))
    fixed = tmp_path / "fixed.csv"
    done(job(tmp_path, bad, replay=True, columns=columns, valid=fixed, null_values=words))
    assert fixed.read_text() == f"url,page,name\nhttp://h/,{''.join(words)},NULL\n"

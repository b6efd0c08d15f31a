"""``abnforge split``: files, exit statuses, messages, signals."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

pytest.importorskip("numpy")
pytest.importorskip("jinja2")
import pyarrow as pa
import pyarrow.parquet as pq
from click.testing import Result

from abnforge.ingest import lineage, schema
from abnforge.ingest.checkpoint import Disk
from abnforge.ingest.summary import Counts
from tests.cli.command import Seen, fails, run
from tests.law import each_row, one_in

CSV = (
    'id,url,sent\n1,http://example.com/,2026-11-22T16:00:00Z\n2,http://exa mple.com/,yesterday\n3,,\n4,"",\n'
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text(CSV)
    return tmp_path


def split(*arguments: str, status: int, stdin: str | bytes | None = None) -> Result:
    result = run("split", *arguments, stdin=stdin)
    assert result.exit_code == status, result.output
    return result


# In this process, parts of files are small, so that there are many of them.
SMALL = """
from abnforge.cli import main
from abnforge.ingest.sources import text as texts
texts.BLOCK = 1 << 17
main()
"""

TO = ("-o", "good.csv", "--rejects", "bad.jsonl")


def test_good_rows_and_bad_rows() -> None:
    result = split("in.csv", "-c", "url", "-c", "sent:rfc3339:date-time", *TO, "--id", "id", status=1)
    assert Path("good.csv").read_text() == "".join(CSV.splitlines(keepends=True)[at] for at in (0, 1, 3))
    second, fourth = map(json.loads, Path("bad.jsonl").read_text().splitlines())
    assert {name: second[name] for name in ("id", "url", "sent")} == {
        "id": "2",
        "url": "http://exa mple.com/",
        "sent": "yesterday",
    }
    assert [(each["column"], each["code"], each["rule"], each["offset"]) for each in second["_errors"]] == [
        ("url", "space-in-host", "URI", 10),
        ("sent", "no-date-time", "date-time", 0),
    ]
    assert second["_source"] == {"source": "in.csv", "row": 1, "line": 3, "byte_offset": 55, "id": "2"}
    assert (fourth["url"], fourth["_source"]["row"]) == ("", 3)
    assert result.stderr.startswith("4 rows, 2 rejected, in ")
    assert sorted(os.listdir()) == ["bad.jsonl", "good.csv", "in.csv"]


def test_nothing_rejected() -> None:
    split("in.csv", "-c", "id:port", *TO, status=0)
    assert Path("good.csv").read_text() == CSV
    assert Path("bad.jsonl").read_text() == ""


WRONG = [
    (
        ["in.csv", "-c", "url", "-o", "x.jsonl", "--on-error", "keep"],
        "format-of-accepted",
    ),
    ([], "sources-argument-missing"),
    (["in.csv", *TO], "parameter-required"),
    (["in.csv", "-c", "url"], "parameter-required-unless"),
    (["in.csv", "-c", "url", "--on-error", "keep"], "parameter-required-if"),
    (["in.csv", "-c", "url", "-o", "-", "--rejects", "-"], "outputs-equal"),
    (["in.csv", "-c", "url", *TO, "--report", "in.csv"], "report-is-source"),
    (["in.csv", "-c", "url", *TO, "--report", "-", "--summary", "-"], "report-repeated"),
    (["in.csv", "-c", "url", "-o", ".", "--on-error", "drop"], "output-unusable"),
    (["in.csv", "-c", "ulr", *TO], "column-unknown"),
    (["in.csv", "-c", "url:rfc3986", *TO], "column-rule-grammar"),
    (["in.csv", "-c", "url:hots", *TO], "rule-name-unknown"),
    (["in.csv", "-c", "url:", *TO], "column-rule-missing"),
    (["in.csv", "-c", "url", "--id", "idd", *TO], "column-unknown"),
    (["no.csv", "-c", "url", *TO], "source-missing"),
    (["*.tsv", "-c", "url", *TO], "glob-empty"),
    (["-", "-c", "url", *TO], "format-missing"),
    (["in.csv", "in.csv", "-c", "url", *TO], "source-repeated"),
    (["in.csv", "-c", "url", "-o", "in.csv", "--on-error", "drop"], "source-is-output"),
    (["in.csv", "-c", "url", "-o", "no/x.csv", "--on-error", "drop"], "output-unusable"),
    (["in.csv", "-c", "url", *TO, "--encoding", "latin-99"], "encoding-unknown"),
    (["in.csv", "-c", "url", *TO, "--max-rejects", "lots"], "max-rejects-malformed"),
]


@pytest.mark.parametrize(("arguments", "code"), WRONG)
def test_wrong_usage(arguments: list[str], code: str) -> None:
    if not arguments:
        arguments = ["-c", "url", *TO]
    result = split(*arguments, status=2)
    fails(result, code)
    assert os.listdir() == ["in.csv"]


def test_limits(seen: Seen) -> None:
    result = split("in.csv", "-c", "url", *TO, "--max-rejects", "1", "--summary", "sum.json", status=3)
    seen(result.stderr)
    assert sorted(os.listdir()) == ["in.csv", "sum.json"]
    assert json.loads(Path("sum.json").read_text())["status"] == "too-many-rejects"
    result = split("in.csv", "-c", "url", "-o", "good.csv", "--on-error", "fail", status=3)
    seen(result.stderr)
    assert not Path("good.csv").exists()
    split("in.csv", "-c", "url", *TO, "--max-rejects", "50%", status=1)


def test_flagged() -> None:
    split("in.csv", "-c", "url", "-o", "all.csv", "--on-error", "keep", status=1)
    lines = Path("all.csv").read_text().splitlines()
    assert lines[0] == "id,url,sent,_errors"
    assert lines[1] == CSV.splitlines()[1] + ","
    assert lines[2].startswith(
        '2,http://exa mple.com/,yesterday,"[{""column"":""url"",""code"":""space-in-host""'
    )


def test_standard_input_and_output() -> None:
    result = split(
        "-",
        "--input-format",
        "jsonl",
        "-c",
        "u",
        "-o",
        "good.jsonl",
        "--on-error",
        "drop",
        "--summary",
        "-",
        stdin='{"u":"a:b"}\n',
        status=0,
    )
    assert json.loads(result.stdout)["sources"] == [{"source": "<stdin>", "rows": 1, "rejected": 0}]
    assert Path("good.jsonl").read_text() == '{"u":"a:b"}\n'


def test_a_plan(seen: Seen) -> None:
    result = split("in.csv", "-c", "url", *TO, "--dry-run", status=0)
    seen(result.stdout.splitlines())
    assert os.listdir() == ["in.csv"]


def test_events() -> None:
    for level, expected in LOGGED.items():
        result = split("in.csv", "-c", "url", *TO, "--log-format", "json", "--log-level", level, status=1)
        events = [json.loads(line) for line in result.stderr.splitlines()]
        assert [(each["level"], each["event"]) for each in events] == expected
        plain = split("in.csv", "-c", "url", *TO, "--log-level", level, status=1)
        assert bool(plain.stderr) is bool(expected)
        result = split("in.csv", "-c", "ulr", *TO, "--log-format", "json", "--log-level", level, status=2)
        [event] = map(json.loads, result.stderr.splitlines())
        assert (event["event"], "ulr" in event["message"]) == ("error", True)


LOGGED = {
    "debug": [("info", "started"), ("debug", "progress"), ("info", "finished")],
    "info": [("info", "started"), ("info", "finished")],
    "error": [],
}
RUN_ID = "6F9619FF-8B86-4D11-B42D-00C04FC964FF"


def test_everything_has_the_run_id() -> None:
    """A UUID in any form becomes canonical. Outputs do not contain it, so that resumed jobs are equal."""
    told = ("--summary", "s.json", "--metrics", "m.prom", "--report", "r.html", "--log-format", "json")
    result = split("in.csv", "-c", "url", *TO, *told, "--run-id", RUN_ID, status=1)
    files = ["bad.jsonl", "good.csv", "m.prom", "r.html", "s.json"]
    assert [name for name in files if RUN_ID.lower() in Path(name).read_text()] == files[2:]
    assert json.loads(Path("s.json").read_text())["run_id"] == RUN_ID.lower()
    assert {json.loads(line)["run_id"] for line in result.stderr.splitlines()} == {RUN_ID.lower()}


@pytest.mark.parametrize(
    "arguments",
    [
        ["--run-id", "7"],
        ["--jobs", "x"],
        ["--other"],
        ["-c", "url:hots"],
        ["-g", "missing"],
        ["--config", "x"],
    ],
)
def test_every_error_is_an_event(arguments: list[str]) -> None:
    result = split("in.csv", "-c", "id:port", *TO, *arguments, "--log-format", "json", status=2)
    [event] = map(json.loads, result.stderr.splitlines())
    assert (event["level"], event["event"], event["traceback"]) == ("error", "error", None)
    assert split("in.csv", "-c", "id:port", *TO, *arguments, status=2).stderr.startswith("error: ")


def test_a_client_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Missing:
        def __getattr__(self, name: str) -> None:
            raise ModuleNotFoundError(name="openlineage")

    monkeypatch.setattr(lineage, "client", Missing())
    result = split("in.csv", "-c", "url", *TO, "--openlineage", "--metrics", "m.prom", status=2)
    fails(result, "lineage-missing")
    assert len(result.stderr.splitlines()) == 1
    assert not Path("good.csv").exists()
    assert 'status="failed"' in Path("m.prom").read_text()


def test_a_defect_is_an_event_with_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counts, "add", lambda *_: 1 // 0)
    result = split("in.csv", "-c", "url", *TO, "--log-format", "json", status=2)
    *_, event = map(json.loads, result.stderr.splitlines())
    assert event["traceback"].splitlines()[-1].startswith("ZeroDivisionError")


@pytest.mark.parametrize("rejects", ["bad.jsonl", "bad.parquet", "bad.csv"])
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_passwords_are_hidden_on_request(kind: str, rejects: str) -> None:
    url = "http://me:secret@h/ x"
    rows = pa.table({"url": [url, "http://me:secret@h:x/"], "other": [f"see {url}", None]})
    if kind == "parquet":
        pq.write_table(rows, "in.parquet")
    elif kind == "csv":
        Path("in.csv").write_text(f"url,other\n{url},see {url}\nhttp://me:secret@h:x/,\n")
    else:
        Path("in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows.to_pylist()))
    result = ("--summary", "s.json", "--report", "r.html", "--metrics", "m.prom")
    options = (f"in.{kind}", "-c", "url", "-o", f"good.{kind}", "--rejects", rejects, *result)

    def written() -> str:
        results = [Path(name).read_text() for name in ("s.json", "r.html", "m.prom")]
        if rejects.endswith("parquet"):
            results.append(str(pq.read_table(rejects).to_pylist()))
        else:
            results.append(Path(rejects).read_text())
        return "".join(results)

    split(*options, status=1)
    assert "secret" in written()
    split(*options, "--mask-passwords", status=1)
    assert "secret" not in written()
    assert "me:******@h" in written()


def test_output_matches_the_schema() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    split(
        "in.csv",
        "-c",
        "url",
        "-c",
        "sent:rfc3339:date-time",
        *TO,
        "--summary",
        "s.json",
        "--suggest",
        status=1,
    )
    for name, lines in (
        ("reject", Path("bad.jsonl").read_text().splitlines()),
        ("summary", [Path("s.json").read_text()]),
    ):
        validator = jsonschema.Draft202012Validator(schema(name))
        validator.check_schema(schema(name))
        for text in lines:
            validator.validate(json.loads(text))


# Sends a signal to itself: after a batch, in a write to standard error, before publishing, or in publishing.
SIGNALED = (
    """
import contextlib, io, signal, sys
from abnforge.cli.common.ingesting import JsonLog
from abnforge.ingest import checkpoint
moment, number = sys.argv.pop(), int(sys.argv.pop())

def before(owner, name, condition=lambda *args: True):
    function = getattr(owner, name)
    def patched(self, *args, **more):
        if condition(*args):
            setattr(owner, name, function)
            signal.raise_signal(number)
        return function(self, *args, **more)
    setattr(owner, name, patched)

class Raw(io.FileIO):
    def write(self, octets):
        return super().write(octets)

match moment:
    case "batch":
        before(JsonLog, "advanced")
    case "write":
        before(Raw, "write", lambda octets: b"progress" in bytes(octets))
        sys.stderr = io.TextIOWrapper(io.BufferedWriter(Raw(2, "w")), line_buffering=True)
    case "ready":
        before(checkpoint.WorkDir, "save", lambda name, state: "ready" in state and state["ready"])
    case "publishing":
        before(JsonLog, "publishing")
"""
    + SMALL
)


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize(
    ("name", "moment"),
    one_in(3, product(("SIGTERM", "SIGINT", "SIGHUP"), ("batch", "write", "ready", "publishing"))),
)
def test_a_signal_ends_it_unless_it_is_publishing(name: str, moment: str) -> None:
    with open("in.txt", "w") as stream:
        for row in range(20_000):
            stream.write(f"http://example.com/a/long/path/{row}\n" if row % 50 else "a b\n")
    command = ["split", "in.txt", "-c", "url", "-o", "good.txt", "--rejects", "bad.jsonl"]
    command += ["--log-format", "json", "--log-level", "debug", "--jobs", "1"]
    number = getattr(signal, name)
    signaled = [sys.executable, "-c", SIGNALED, *command, str(int(number)), moment]
    first = subprocess.run(signaled, capture_output=True, text=True, timeout=60)
    if moment == "publishing":
        assert first.returncode == 1, first.stderr
    else:
        assert first.returncode == 128 + number, first.stderr
        assert f"{name}: stopping" in first.stderr
        assert "--resume" in first.stderr
        assert not Path("good.txt").exists()
        again = subprocess.run(
            [sys.executable, "-c", SMALL, *command, "--resume"], capture_output=True, text=True, timeout=60
        )
        assert again.returncode == 1, again.stderr
        assert '"resuming"' in again.stderr
    assert Path("good.txt").read_text().count("\n") == 19_600
    assert sorted(os.listdir()) == ["bad.jsonl", "good.txt", "in.csv", "in.txt"]


def test_a_disk_that_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Disk, what: str, path: Path) -> None:
        if what == "fsync" and path.name == "whole":
            raise OSError(errno.ENOSPC, "No space left on device", str(path))

    with monkeypatch.context() as patched:
        patched.setattr(Disk, "step", full)
        result = split("in.csv", "-c", "url", *TO, status=2)
    fails(result, "job-resumable")
    split("in.csv", "-c", "url", *TO, "--resume", status=1)
    assert sorted(os.listdir()) == ["bad.jsonl", "good.csv", "in.csv"]


def test_numpy_or_pyarrow_is_missing(monkeypatch: pytest.MonkeyPatch, seen: Seen) -> None:
    for name in [name for name in sys.modules if name.startswith("abnforge.ingest")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "abnforge.cli.common.ingesting", raising=False)
    monkeypatch.setitem(sys.modules, "numpy", None)
    result = split("in.csv", "-c", "url", *TO, status=2)
    seen(result.stderr)


def test_csv_without_a_header_and_with_another_delimiter(seen: Seen) -> None:
    Path("rows.csv").write_text("a:b;1\nc d;2\n")
    for options, name in (
        (["--no-header"], "1"),
        (["--header", "u,n"], "u"),
        (["--header", '"a,b",n'], "a,b"),
    ):
        split("rows.csv", "-c", name, "--delimiter", ";", *options, *TO, status=1)
        assert Path("good.csv").read_text() == "a:b;1\n"
        assert json.loads(Path("bad.jsonl").read_text())[name] == "c d"
    Path("rows.csv").write_text("u\tn\na:b\t1\n")
    split("rows.csv", "-c", "u", "--delimiter", r"\t", *TO, status=0)
    both = split("rows.csv", "-c", "u", "--header", "u", "--no-header", *TO, status=2)
    fails(both, "option-excluded", option="--header", other="--no-header")
    broken = split("rows.csv", "-c", "u", "--header", 'u"', *TO, status=2)
    fails(broken, "option-malformed", option="--header", value='u"')


@pytest.mark.parametrize("on_error", ["reject", "drop", "fail"])
def test_a_text_that_the_budget_does_not_suffice_for(on_error: str, seen: Seen) -> None:
    """The string is undecided, and the exit status of the job is that of ``check``."""
    Path("g.abnf").write_text('r = "(" *( r "," ) r ")" / 1*"a"\n')
    deep = "(" * 20 + "a" * 20 + ")" * 19
    Path("rows.txt").write_text(f"a\n{deep}\nb\n")
    to = ["-o", "good.txt", "--on-error", on_error, "--budget", "steps=100,per_character=0"]
    to += ["--rejects", "bad.jsonl"] * (on_error == "reject")
    result = split("rows.txt", "-c", "x:r", "--grammar", "./g.abnf", *to, "--summary", "s.json", status=2)
    data = json.loads(Path("s.json").read_text())
    assert data["rejected"] == 2
    assert data["columns"][0]["codes"]["limit-exceeded"]["count"] == 1
    if on_error == "fail":
        seen(result.stderr)
        assert not Path("good.txt").exists()
    else:
        seen(result.stderr)
        assert Path("good.txt").read_text() == "a\n"


AGAIN = ("--replay", "bad.jsonl", "-c", "url", "-o", "more.csv", "--rejects", "still.jsonl")


def test_judged_again(seen: Seen) -> None:
    Path("in.csv").write_text("id,url\n1,http://a/ \n2,http://exa mple.com/\n3,http://b:80x/\n")
    split("in.csv", "-c", "url", *TO, status=1)
    text = Path("bad.jsonl").read_text()
    Path("bad.jsonl").write_text(text.replace('"url":"http://exa mple.com/"', '"url":"http://example.com/"'))
    output = split(*AGAIN, "--dry-run", status=0).stdout
    seen(output)
    assert not Path("more.csv").exists()
    seen(split(*AGAIN, status=1).stderr)
    assert Path("more.csv").read_text() == "id,url\n2,http://example.com/\n"
    assert Path("still.jsonl").read_text().count("\n") == 2
    Path("job.toml").write_text('replay = true\nsource = ["still.jsonl"]\n')
    split("--config", "job.toml", *AGAIN[2:4], "-o", "none.csv", "--on-error", "drop", "--resume", status=1)
    assert Path("none.csv").read_text() == "id,url\n"


@pytest.mark.parametrize(
    ("options", "error_code"),
    [
        (("--replay", "in.csv", *AGAIN[2:]), "rejects-lack"),
        ((*AGAIN[:-1], "bad.jsonl"), "source-is-output"),
        (tuple(each.replace("more.csv", "more.parquet") for each in AGAIN), "format-of-replayed"),
    ],
)
def test_rejects_that_cannot_be_replayed(options: tuple[str, ...], error_code: str) -> None:
    split("in.csv", "-c", "url", *TO, status=1)
    assert split(*options, status=2).code == error_code
    assert sorted(os.listdir()) == ["bad.jsonl", "good.csv", "in.csv"]


@pytest.mark.parametrize(
    ("arguments", "error_code"),
    [
        (["-c", "url:none:URI", "-o", "o.csv"], "grammar-unknown"),
        (["-c", "url:rfc3986:none", "-o", "o.csv"], "rule-name-unknown"),
        (["-c", "url", "-o", "o.csv", "--also", "none"], "rule-name-unknown"),
        (["-c", "url:./bad.abnf:r", "-o", "o.csv"], "bad.abnf:1:5: "),
        (
            ["-c", "url", "-o", "o.csv", "--summary", "s3://b/s.json"],
            "report-is-remote",
        ),
        (["-c", "url", "-o", "o.csv", "--header", "a", "--no-header"], "option-excluded"),
        (["-c", "url", "-o", "-", "--summary", "-"], "report-is-output"),
        (["-c", "url", "-o", "o.csv", "--summary", "in.csv"], "report-is-source"),
        (["-c", "url", "-o", "o.csv", "--report", "./o.csv"], "report-is-output"),
        (["-c", "url", "-o", "o.csv", "--report", "x", "--metrics", "x"], "report-repeated"),
    ],
)
def test_usage_errors(arguments: list[str], error_code: str) -> None:
    Path("bad.abnf").write_text('r = = "a"\n')
    result = split("in.csv", "--on-error", "drop", *arguments, status=2)
    if "bad.abnf" in error_code:
        assert error_code in result.stderr
    else:
        fails(result, error_code)
    assert "Traceback" not in result.stderr
    assert result.code != "job-crashed"
    assert Path("in.csv").read_text() == CSV
    assert not Path("o.csv").exists()


def test_tokens_are_masked_in_all_that_is_written() -> None:
    Path("t.csv").write_text(
        "id,url\n1,https://h/?access_token=hush1&x y\n2,u:hush2@h/a b\n3,https://h/a b#sig=hush3\n", "utf-8"
    )
    options = ("t.csv", "-c", "url", "-o", "g.csv", "--rejects", "r.jsonl", "--id", "url", "--suggest")
    outputs = ("--summary", "s.json", "--report", "r.html")
    split(*options, *outputs, "--mask-passwords", status=1)
    written = "".join(Path(name).read_text("utf-8") for name in ("r.jsonl", "s.json", "r.html"))
    assert "hush" not in written
    rows = [json.loads(line) for line in Path("r.jsonl").read_text("utf-8").splitlines()]
    assert [row["url"] for row in rows] == [
        "https://h/?access_token=*****&x y",
        "u:*****@h/a b",
        "https://h/a b#sig=*****",
    ]
    split(*options, status=1)
    plain = [json.loads(line) for line in Path("r.jsonl").read_text("utf-8").splitlines()]
    places = ("code", "offset", "start", "end", "found")
    assert [[each["_errors"][0][name] for name in places] for each in rows] == [
        [each["_errors"][0][name] for name in places] for each in plain
    ]


def test_bad_sources() -> None:
    """A skipped source makes the status 1; every report names it."""
    Path("bad.csv").write_text("")
    Path("good.csv").write_text("url\na:b\n")
    words = ["good.csv", "bad.csv", "-c", "url", "--on-error", "drop", "--on-bad-source", "skip"]
    result = split(*words, "--summary", "-", "--metrics", "m.prom", "--report", "r.html", status=1)
    assert [each["source"] for each in json.loads(result.stdout)["bad_sources"]] == ["bad.csv"]
    assert 'abnforge_split_bad_sources{job="m"} 1\n' in Path("m.prom").read_text()
    assert "bad.csv is empty" in Path("r.html").read_text()
    assert "bad.csv is empty" in split(*words, "--dry-run", status=0).stdout
    split(*words, "--exit-zero", status=0)


@each_row(
    "options, status, shown",
    [
        ([], 0, "0 rejected, 3 with warnings"),
        (["--fail-on", "error"], 0, "3 with warnings"),
        (["--fail-on", "warning"], 1, "3 with warnings"),
        (["--fail-on", "note", "--exit-zero"], 0, "3 with warnings"),
        (["--on-warning", "reject"], 1, "2 rejected, 1 with warnings"),
    ],
)
def test_warnings(
    tmp_path_factory: pytest.TempPathFactory, options: list[str], status: int, shown: str
) -> None:
    folder = tmp_path_factory.mktemp("warnings")
    rows = folder / "rows.csv"
    rows.write_text("url\nhttp://a/?b&amp;c\nhttps://https://a/\nhttp:\na:b\n")
    outputs = [
        "--rejects",
        str(folder / "r.jsonl"),
        "--warnings",
        str(folder / "w.jsonl"),
        "--report",
        str(folder / "r.html"),
    ]
    result = run("split", str(rows), "-c", "url", "--warn", "all", *outputs, *options)
    assert result.exit_code == status, result.stderr
    assert shown in result.stderr
    page = (folder / "r.html").read_text("utf-8")
    assert "Warnings in column url" in page
    assert "html-entity" in page


def test_wrong_warnings(tmp_path: Path, seen: Seen) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("url\nhttp:\n")
    command = ("split", str(rows), "-c", "url", "--on-error", "drop")
    for wrong in (["--fail-on", "warning"], ["--warn", "pasword"]):
        result = run(*command, *wrong)
        assert result.exit_code == 2
        seen(result.stderr)
    result = run("split", str(rows), "-c", "url:host", "--on-error", "drop", "--warn", "all")
    assert result.exit_code == 2
    seen(result.stderr)


def test_warnings_in_the_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seen: Seen) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_text("url\nhttp:\n")
    command = ("split", "rows.csv", "-c", "url", "--on-error", "drop", "--warn", "missing", "--dry-run")
    seen(run(*command, "--warnings", "w.csv").output)


def test_text_and_bytes_of_a_grammar_of_bytes(tmp_path: Path) -> None:
    grammar, text, parquet = tmp_path / "frame.abnf", tmp_path / "a.csv", tmp_path / "a.parquet"
    grammar.write_text(';@ alphabet bytes\nframe = "#" 1*( ALPHA / %xC3 %xA9 / %xFF )\n')
    text.write_text("a,b\n#x,1\n#\u00e9,2\n#\u00e8,3\n", "utf-8")
    pq.write_table(pa.table({"a": pa.array([b"#\xff", b"#\xfe", None], pa.binary())}), parquet)
    for source, offset, row in ((text, 2, 2), (parquet, 1, 1)):
        valid, rejects = tmp_path / f"valid{source.suffix}", tmp_path / f"{source.suffix[1:]}.jsonl"
        options = ("--valid", str(valid), "--rejects", str(rejects))
        result = run("split", str(source), "-g", str(grammar), "-c", "a:frame", *options)
        assert result.exit_code == 1, result.output
        [rejected] = map(json.loads, rejects.read_text().splitlines())
        assert (rejected["_errors"][0]["offset"], rejected["_source"]["row"]) == (offset, row)

"""tools/bench.py runs and reports. Its reference pattern and arithmetic are right. Times are not tested."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

import abnforge
from tests.law import each_row, one_in
from tests.places import ROOT

pyperf = pytest.importorskip("pyperf")
pytestmark = pytest.mark.usefixtures("little_garbage")  # each measurement collects garbage
EXAMPLES = ROOT / "examples" / "uris.txt"
sys.path.insert(0, str(ROOT / "tools"))

from benchmark import columns, first_use, measure, pattern, peers, recursive, report, sample, verdicts  # noqa: E402

URI = abnforge.load("rfc3986")["URI"]


@each_row("text", one_in(5, [*sample.TRICKY, *sample.read_corpus(EXAMPLES).strings]))
def test_the_yardstick_matches_exactly_the_rule(text: str) -> None:
    assert (pattern.fullmatch(text) is not None) == URI.automaton.accepts(text)


def test_the_yardstick_names_components() -> None:
    match = pattern.fullmatch("http://u:p@[::1]:80/a/b?q#f")
    assert match is not None
    assert [match[name] for name in ("scheme", "userinfo", "host", "port", "path_abempty", "query")] == [
        *("http", "u:p", "[::1]", "80", "/a/b", "q")
    ]


@pytest.mark.slow
def test_rounds_are_interleaved() -> None:
    calls: list[tuple[str, str]] = []
    names = ("a", "b", "c")
    contenders = [measure.Contender(n, lambda text, n=n: calls.append((n, text))) for n in names]  # type: ignore[misc]
    result = measure.interleave(contenders, ["x", "y"], 3)
    assert [len(result[name].rounds) for name in names] == [3, 3, 3]
    turns = [n for i, (n, _) in enumerate(calls) if i == 0 or calls[i - 1][0] != n]
    assert len(turns) > 2 * len(names)  # separate runs would have three passes after the three of the warm-up
    assert set(calls) == {(n, text) for n in names for text in "xy"}


def test_rejections_by_exception_are_part_of_the_measurement() -> None:
    resets: list[int] = []
    contender = measure.Contender("int", int, (ValueError,), lambda: resets.append(1))
    assert contender.run(["1", "x"]) > 0
    assert resets == [1]
    with pytest.raises(ValueError, match="invalid literal"):
        measure.Contender("int", int).run(["x"])


def test_ratios() -> None:
    slow, fast = measure.Timing("slow", (2.0, 40.0, 6.0)), measure.Timing("fast", (1.0, 2.0, 3.0))
    assert slow.ratio(fast) == 3.0
    assert slow.paired_ratio(fast) == 2.0


@pytest.mark.parametrize(
    ("target", "met"),
    [
        (report.Target("t", 1.0, 1.0), True),
        (report.Target("t", 1.1, 1.0), False),
        (report.Target("t", 4.0, 4.0, at_least=True), True),
        (report.Target("t", 3.9, 4.0, at_least=True), False),
        (report.Target("t", math.nan, 4.0), False),
    ],
)
def test_targets(target: report.Target, met: bool) -> None:
    assert target.met == met
    assert target.line().startswith("met " if met else "MISSED ")


@pytest.mark.parametrize(
    ("seconds", "text"), [(2.5, "2.50 s"), (0.0125, "12.5 ms"), (0.000123, "123 µs"), (6.5e-7, "650 ns")]
)
def test_durations(seconds: float, text: str) -> None:
    assert report.duration(seconds) == text


def test_mistakes_have_kinds() -> None:
    def odd(text: str) -> bool:
        if text == "crash:":
            raise RuntimeError
        return text in {"no", "x:yes"}

    peer = peers.Peer("python", "odd", lambda: measure.Contender("odd", odd))
    result = verdicts.count_mistakes(peer, peer.load(), URI, ["no", "x:yes", "x:no", "", "crash:"])
    assert (result.accepted, result.rejected, result.crashed) == (["no"], ["x:no"], ["crash:"])


def test_processes_have_byte_code_and_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    code = "import sys, time; assert not sys.dont_write_bytecode; time.sleep(0.1)"
    result = measure.run_interleaved({"bare": ["-c", code]}, 1)
    assert result["bare"].wall.median >= 0.1
    assert result["bare"].peak > 0 or not Path("/proc/self/smaps_rollup").exists()
    with pytest.raises(RuntimeError, match="status 3"):
        measure.run_interleaved({"wrong": ["-c", "raise SystemExit(3)"]}, 1)


def test_targets_of_first_uses_are_measured() -> None:
    assert first_use.WANTED.keys() < first_use.PROCESSES.keys()


@pytest.mark.slow
def test_the_tool_runs_without_the_corpus(tmp_path: Path) -> None:
    raw = tmp_path / "raw.json"
    command = [sys.executable, ROOT / "tools" / "bench.py", "--quick", "--rounds", "1", "--corpus", EXAMPLES]
    command += ["--only", "verdicts,columns,ingest,first-use", "--json", raw]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    for title in ("Verdict", "Mistakes", "Columns", "Split", "First use", "Targets"):
        assert f"\n## {title}\n" in run.stdout
    assert re.search(r"uris\.txt, 23 ", run.stdout)
    suite = pyperf.BenchmarkSuite.load(str(raw))
    assert {"verdicts: rule.matches", "first-use: import"} <= set(suite.get_benchmark_names())


def test_an_unknown_section_is_rejected() -> None:
    command = [sys.executable, ROOT / "tools" / "bench.py", "--only", "verdict"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "verdicts," in run.stderr


@pytest.mark.slow
def test_documents_are_measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert list(recursive.suites(tmp_path)) == []
    monkeypatch.setattr(recursive, "suites", lambda: iter(()))
    assert recursive.documents(1).rows == []
    path = tmp_path / "g.abnf"
    path.write_text('s = "[" *( s / char ) "]"\nchar = %x61-7A\n', "utf-8")
    suite = recursive.Suite("lists", path, "s", ("[a[bc]]", "[[[]]]"))
    monkeypatch.setattr(recursive, "suites", lambda: iter([suite]))
    peer = measure.Contender("peer", suite.fresh().matches)
    monkeypatch.setattr(recursive, "peers", lambda suite: iter([peer]))
    section = recursive.documents(1)
    assert {"verdict", "events", "tree", "peer"} <= {row[1] for row in section.rows}
    assert {target.text.partition(":")[0] for target in section.targets} >= {"lists, verdict", "lists, tree"}


def test_more_strings_are_rejected() -> None:
    strings = sample.read_corpus(EXAMPLES).strings
    more = columns.rejected_more(strings, URI, 0.8)
    assert sum(not URI.matches(text) for text in more) >= sum(not URI.matches(text) for text in strings)
    assert len(more) == len(strings)


def test_the_table_of_the_readme(tmp_path: Path) -> None:
    """The new measurements replace those in the old table, in the same order."""
    timings = [measure.Timing("columns.matches", [4.0, 2.0, 3.0]), measure.Timing("other", [1.0])]
    measured = report.Section("", (), timings=timings)
    timings = [measure.Timing("rule.matches", [5e-7]), measure.Timing("another", [1.0])]
    called = report.Section("", (), timings=timings, wrong={"rule.matches": (0, 2)})
    table = report.readme_table(called, measured, 1_000_000)
    assert [line.split("|")[1:] for line in table.splitlines()[2:]] == [
        [" **abnforge, `columns.matches`** ", " 3.00 µs ", "                0 ", "              0 ", ""],
        [" **abnforge, `rule.matches`**    ", "  500 ns ", "                0 ", "              2 ", ""],
    ]
    page = tmp_path / "README.md"
    page.write_text(f"a\n{report.BEGIN}\nold\n{report.END}\nb\n", "utf-8")
    report.write_readme(page, "new")
    assert page.read_text("utf-8") == f"a\n{report.BEGIN}\nnew\n{report.END}\nb\n"
    page.write_text("nothing\n", "utf-8")
    with pytest.raises(ValueError, match="has no <!-- measured"):
        report.write_readme(page, "new")
    assert report.BEGIN in (ROOT / "README.md").read_text("utf-8")

"""tools/bench.py runs and reports, its yardstick is exact, its arithmetic right. No timing is tested."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import abnforge
from tests.law import each_row, one_in
from tests.places import ROOT
from tests.reference.recogniser import Recogniser

pytestmark = pytest.mark.usefixtures("little_garbage")  # measurements go through all that there is
EXAMPLES = ROOT / "examples" / "uris.txt"
sys.path.insert(0, str(ROOT / "tools"))

from benchmark import (  # noqa: E402
    chart,
    documents,
    first_use,
    growth,
    hard,
    measure,
    pattern,
    peers,
    readme,
    recursive,
    report,
    sample,
    strictness,
    texts,
)

URI = abnforge.load("rfc3986")["URI"]


@each_row("text", one_in(5, [*sample.TRICKY, *sample.read_corpus(EXAMPLES).strings]))
def test_the_yardstick_reads_exactly_the_rule(text: str) -> None:
    assert (pattern.fullmatch(text) is not None) == URI.automaton.accepts(text)


def test_the_yardstick_names_components() -> None:
    match = pattern.fullmatch("http://u:p@[::1]:80/a/b?q#f")
    assert match is not None
    assert match.groupdict() == {
        "scheme": "http",
        "userinfo": "u:p",
        "host": "[::1]",
        "port": "80",
        "path_abempty": "/a/b",
        "path": None,
        "query": "q",
        "fragment": "f",
    }


def test_the_script_reports_what_the_rule_rejects(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(pattern.SCRIPT, "utf-8")
    run = subprocess.run([sys.executable, script, EXAMPLES], capture_output=True, text=True, check=False)
    lines = EXAMPLES.read_text("utf-8").splitlines()
    wanted = [number for number, line in enumerate(lines, 1) if not URI.matches(line)]
    assert [json.loads(line)["line"] for line in run.stdout.splitlines()] == wanted
    assert run.returncode == 1


@pytest.mark.slow
def test_rounds_are_interleaved() -> None:
    calls: list[tuple[str, str]] = []
    names = ("a", "b", "c")
    contenders = [measure.Contender(n, lambda text, n=n: calls.append((n, text))) for n in names]  # type: ignore[misc]
    found = measure.interleave(contenders, ["x", "y"], 3)
    assert [len(found[name].rounds) for name in names] == [3, 3, 3]
    turns = [n for i, (n, _) in enumerate(calls) if i == 0 or calls[i - 1][0] != n]
    assert len(turns) > 2 * len(names)  # one after the other would be three turns after the warm-up's three
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


@pytest.mark.parametrize("power", [0, 1, 2])
def test_exponents(power: int) -> None:
    seconds = {size: 1e-9 * size**power for size in growth.SIZES}
    assert growth.Growth("shape", "verdict", seconds, 0.0).exponent == pytest.approx(power)


def test_an_exponent_needs_two_sizes() -> None:
    assert math.isnan(growth.Growth("shape", "verdict", {1000: 1.0}, 0.0).exponent)


@each_row("shape", growth.SHAPES)
def test_shapes_have_the_wanted_length(shape: str) -> None:
    for size in (1_000, 4_000):
        assert len(growth.SHAPES[shape](size)) == pytest.approx(size, rel=0.02)


@pytest.mark.slow
def test_questions_fit_the_verdict() -> None:
    found = {
        g.question: g
        for g in growth.measure_growth(URI, (50, 100), limit=1.0, shapes=("long path", "many @"))
    }
    assert list(found) == ["verdict", "offset", "components", "explanation", "suggestion"]
    assert all(list(g.seconds) == [50, 100] for g in found.values())
    assert found["components"].memory > 0


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
    ("seconds", "text"), [(2.5, "2.50 s"), (0.0125, "12.5 ms"), (0.000123, "123 us"), (6.5e-7, "650 ns")]
)
def test_durations(seconds: float, text: str) -> None:
    assert report.duration(seconds) == text


def test_mistakes_are_told_apart() -> None:
    def odd(text: str) -> bool:
        if text == "crash:":
            raise RuntimeError
        return text in {"no", "x:yes"}

    peer = peers.Peer("python", "odd", lambda: measure.Contender("odd", odd))
    found = strictness.count_mistakes(peer, peer.load(), URI, ["no", "x:yes", "x:no", "", "crash:"])
    assert (found.accepted, found.rejected, found.crashed) == (["no"], ["x:no"], ["crash:"])


def test_first_uses_are_measured_in_fresh_processes_with_byte_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setattr(first_use, "PROCESSES", {"bare": "import sys; assert not sys.dont_write_bytecode"})
    assert list(first_use.measure_first_uses(1)) == ["bare"]


def test_targets_of_first_uses_are_of_what_is_measured() -> None:
    assert first_use.WANTED.keys() < first_use.PROCESSES.keys()


@pytest.mark.slow
def test_the_tool_runs_without_the_corpus(tmp_path: Path) -> None:
    raw = tmp_path / "raw.json"
    command = [sys.executable, ROOT / "tools" / "bench.py", "--quick", "--rounds", "1", "--corpus", EXAMPLES]
    command += [
        "--only",
        "verdicts,components,rejections,kernel,columns,ingest,first-use,commands,mistakes",
        "--json",
        raw,
    ]
    command += ["--chart", tmp_path / "chart.svg"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    for title in (
        "Verdict",
        "Components",
        "Rejections",
        "Kernel",
        "Columns",
        "Ingestion",
        "First use",
        "Command",
        "Targets",
    ):
        assert f"\n## {title}\n" in run.stdout
    assert re.search(r"uris\.txt, 23 ", run.stdout)
    data = json.loads(raw.read_text("utf-8"))
    assert data["sections"]["verdicts"]["rule.matches"][0] > 0
    assert all(isinstance(target["met"], bool) for target in data["targets"])
    assert "rule.matches" in (tmp_path / "chart.svg").read_text("utf-8")


def test_an_unknown_section_is_refused() -> None:
    command = [sys.executable, ROOT / "tools" / "bench.py", "--only", "verdict"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "verdicts," in run.stderr


def read_by_the_book(name: str, size: int) -> tuple[bool, int]:
    """The verdict of a small one of the hard texts, by a recogniser of its own, and its length."""
    case = hard.HARD[name]
    text = case.text(size)
    loads = abnforge.loads if isinstance(case.grammar, str) and "=" in case.grammar else abnforge.load
    return Recogniser(loads(case.grammar).core, case.rule.lower()).read(text).valid, len(text)


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n.startswith("RFC") else n for n in hard.HARD]
)
def test_hard_texts_are_what_they_are_said_to_be(name: str) -> None:
    if not hard.available(name):
        pytest.skip("the grammar is not beside the project")
    size = 1_000 if "RFC" in name else 60
    valid, length = read_by_the_book(name, size)
    assert valid is hard.HARD[name].valid
    assert length == pytest.approx(2 * size if "nested" in name else size, abs=110)


@pytest.mark.slow
def test_a_hard_text_has_figures_or_a_reason() -> None:
    name = "dangling else, 10,000"
    found = hard.measure(name, "verdict", 60, 100)
    assert found.why == ""
    assert found.first > 0
    assert found.peak >= 0
    assert "0.001 s" in hard.measure(name, "verdict", 0.001).why
    section = recursive.hard(5, [name])
    assert section.rows[0][0] == name


def test_suites_that_are_not_there_are_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(recursive, "suites", lambda: documents.suites(tmp_path))
    section = recursive.documents(1)
    assert section.rows == []
    assert "Skipped" in section.notes[0]


@pytest.mark.slow
def test_documents_are_measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "g.abnf"
    path.write_text('s = "[" *( s / char ) "]"\nchar = %x61-7A\n', "utf-8")
    suite = documents.Suite("lists", path, "s", ("[a[bc]]", "[[[]]]" * 1))
    monkeypatch.setattr(recursive, "suites", lambda: iter([suite]))
    section = recursive.documents(1)
    assert {"verdict", "events", "tree", "first contact", "Lark, Earley"} <= {row[1] for row in section.rows}
    assert {target.text.partition(":")[0] for target in section.targets} >= {"lists, verdict", "lists, tree"}


def test_a_chart_shows_who_is_fast_and_who_is_right() -> None:
    judges = [
        chart.Judge("ours & exact", 6e-8, 0, True),
        chart.Judge("slow <exact>", 2.6e-6, 0),
        *(
            chart.Judge(f"wrong {wrong}", 1e-6 * (1 + wrong / 9000), wrong)
            for wrong in (3, 10, 1700, 1750, 9000)
        ),
    ]
    drawn = chart.chart(judges, 99_972)
    root = ElementTree.fromstring(drawn)
    svg = "{http://www.w3.org/2000/svg}"
    points = [(float(c.get("cx", "")), float(c.get("cy", ""))) for c in root.iter(f"{svg}circle")]
    assert len(points) == len(judges)
    names = [text.text for text in root.iter(f"{svg}text")]
    assert {judge.name for judge in judges} <= set(names)
    ours, *others = points  # drawn first
    assert all(ours[0] < x for x, _ in others)
    assert all(ours[1] >= y for _, y in others)
    heights = [chart._up(wrong) for wrong in (0, 3, 10, 1700, 1750, 9000)]
    assert heights == sorted(heights, reverse=True)
    assert drawn == chart.chart(judges, 99_972)


def test_names_in_a_chart_cover_nothing() -> None:
    taken: list[chart.Box] = []
    for _ in range(8):
        _, box = chart._free("a name", 300.0, 200.0, taken)
        assert not any(chart._overlap(box, other) for other in taken)
        taken.append(box)


@pytest.mark.parametrize(("name", "regular"), [(name, True) for name in texts.OTHER_RULES])
def test_texts_of_other_rules(name: str, regular: bool) -> None:
    rule, drawn = texts.rule_texts(name, 50)
    assert rule.regular is regular
    verdicts = [rule.matches(text) for text in drawn]
    assert 40 <= sum(verdicts) < 50
    assert texts.rule_texts(name, 50)[1] == drawn


def test_texts_of_uris() -> None:
    strings = sample.read_corpus(EXAMPLES).strings
    kinds = list(texts.uri_texts(strings, 20))
    assert len({label for _, label, _ in kinds}) == len(kinds) == 6
    for name, label, drawn in kinds:
        rule = abnforge.load("rfc3986")[name]
        assert drawn
        if "queries" in label or "schemes" in label:
            assert all(map(rule.matches, drawn))
    more = texts.rejected_more(strings, URI, 0.8)
    assert sum(not URI.matches(text) for text in more) >= sum(not URI.matches(text) for text in strings)
    assert len(more) == len(strings)


def test_the_table_of_the_readme(tmp_path: Path) -> None:
    """Those who were measured, in the table's order, in the place of what was there."""
    judged = [{"real": {"name": "rule.matches", "strings": 9, "accepted": [], "rejected": ["a", "b"]}}]
    results = {
        "columns": report.Section("", (), [], data={"columns.matches": [4.0, 2.0, 3.0], "read once": [1.0]}),
        "verdicts": report.Section("", (), [], data={"rule.matches": [5e-7], "someone else": [1.0]}),
        "mistakes": report.Section("", (), [], data=judged),
    }
    made = readme.readme_table(results, 9, 1_000_000)
    assert [line.split("|")[1:] for line in made.splitlines()[2:]] == [
        [" **abnforge, `columns.matches`** ", " 3.00 us ", "           0 ", "          0 ", ""],
        [" **abnforge, `rule.matches`**    ", "  500 ns ", "           0 ", "          2 ", ""],
    ]
    page = tmp_path / "README.md"
    page.write_text(f"a\n{readme.BEGIN}\nold\n{readme.END}\nb\n", "utf-8")
    readme.write_readme(page, "new")
    assert page.read_text("utf-8") == f"a\n{readme.BEGIN}\nnew\n{readme.END}\nb\n"
    page.write_text("nothing\n", "utf-8")
    with pytest.raises(ValueError, match="has no <!-- measured"):
        readme.write_readme(page, "new")
    assert readme.BEGIN in (ROOT / "README.md").read_text("utf-8")

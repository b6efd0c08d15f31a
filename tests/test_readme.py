"""The examples in README.md and docs/ print the output that the pages show."""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name

import pytest
from click.testing import CliRunner

import abnforge
from abnforge.cli.app import cli
from tests import pages
from tests.law import each_row
from tests.places import ROOT

README = (ROOT / "README.md").read_text("utf-8")
PAGES = {"README.md": README} | {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for folder in ("docs", "docs/tutorial")
    for path in sorted((ROOT / folder).glob("*.md"))
}

NEEDED = {"split": "numpy", "railroad": "railroad"}  # libraries that commands need in addition to the core


def blocks(page: str, language: str) -> list[str]:
    return [block.text for block in pages.blocks(PAGES[page]) if block.language == language]


def test_the_readme_has_examples() -> None:
    assert all(blocks("README.md", language) for language in ("pycon", "console", "sh"))


# Libraries that the examples of a page need in addition to the core. The examples of a section in this table
# run in a separate session.
LIBRARIES = {
    "docs/data-quality.md#dataframely": ("pyarrow", "polars", "dataframely"),
    "docs/data-quality.md#great-expectations": ("pyarrow", "pandas", "great_expectations"),
    "docs/data-quality.md#pointblank": ("pyarrow", "polars", "pointblank"),
    "docs/data-quality.md#soda": ("pyarrow", "duckdb", "soda_duckdb"),
    "docs/columns.md": ("pyarrow", "polars", "pandas", "duckdb"),
    "docs/grammar-tests.md#pytest-and-hypothesis": ("hypothesis",),
    "docs/implementations.md#learn-the-accepted-strings": ("aalpy",),
    "docs/ingest.md": ("numpy", "pyarrow"),
    "docs/security.md": ("pyarrow",),
    "docs/integrations.md": (*("pydantic", "jsonschema", "duckdb", "pyarrow", "pandera.pandas", "pandas"),),
    "docs/integrations.md#ray-data": ("pyarrow", "pandas", "ray.data"),
    "docs/integrations.md#libraries-without-an-adapter": (
        *("attrs", "cattrs", "msgspec", "sqlalchemy", "django"),
        *("pyarrow", "pandas", "dask.dataframe"),
    ),
    "docs/policies.md": ("pyarrow",),
}
# Importing these libraries, or starting their services, takes seconds.
SLOW = {
    "docs/data-quality.md#dataframely",
    "docs/data-quality.md#great-expectations",
    "docs/data-quality.md#pointblank",
    "docs/data-quality.md#soda",
    "docs/implementations.md",
    "docs/integrations.md#ray-data",
    "docs/integrations.md#libraries-without-an-adapter",
    "docs/grammar-tests.md#pytest-and-hypothesis",
}

# Libraries that warn about their own code.
OWN_WARNINGS = {"docs/integrations.md#ray-data": [pytest.mark.filterwarnings("ignore::DeprecationWarning")]}


def sessions() -> dict[str, list[pages.Block]]:
    """Return the Python examples of each session. A session is a page, or a section listed in LIBRARIES."""
    results: dict[str, list[pages.Block]] = defaultdict(list)
    for page, text in PAGES.items():
        headings = [(match.start(), match[1]) for match in re.finditer(r"^## (.+)$", text, re.MULTILINE)]
        parts = [(place, f"{page}#{heading.lower().replace(' ', '-')}") for place, heading in headings]
        for block in pages.blocks(text):
            if block.language == "pycon":
                above = [name for place, name in parts if place < block.place and name in LIBRARIES]
                results[[page, *above][-1]].append(block)
    return results


SESSIONS = sessions()


def test_every_session_has_examples() -> None:
    assert {*LIBRARIES, *SLOW, *OWN_WARNINGS} <= SESSIONS.keys()


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[*([pytest.mark.slow] if name in SLOW else []), *OWN_WARNINGS.get(name, [])])
        for name in SESSIONS
    ],
)
def test_python(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, docs: pages.Pages) -> None:
    """The examples of a page run one after the other, as a reader would type them."""
    page, _, _ = name.partition("#")
    for library in LIBRARIES.get(name, ()):
        pytest.importorskip(library)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))  # Ray writes a file there
    monkeypatch.setenv("SODA_CORE_TELEMETRY_ENABLED", "false")
    results: dict[str, object] = {}
    for block in SESSIONS[name]:
        for file, text in pages.files_above(PAGES[page], block.place).items():
            Path(file).parent.mkdir(parents=True, exist_ok=True)
            Path(file).write_text(text, "utf-8")
        test = doctest.DocTestParser().get_doctest(block.text, results, page, page, 0)
        runner = Changes()
        output: list[str] = []
        assert runner.run(test, out=output.append, clear_globs=False).attempted
        lines = block.text.splitlines(keepends=True)
        for example, printed in runner.changed:
            place = sum(map(len, lines[: example.lineno + example.source.count("\n")]), block.start)
            assert printed == docs.expected(page, place, example.want, printed)
        assert not output, "".join(output)
        results |= test.globs


class Changes(doctest.DocTestRunner):
    """Runs examples, and collects those with output that differs from the page."""

    def __init__(self) -> None:
        super().__init__()
        self.changed: list[tuple[doctest.Example, str]] = []

    def report_failure(self, out: object, test: object, example: doctest.Example, got: str) -> None:
        if example.exc_msg is not None:
            _, head, trace = got.rpartition("Traceback (most recent call last):\n")
            dots = "    ...\n" if "\n    ...\n" in example.want else ""
            got = head + dots + re.sub(r"\A(?: .*\n)*", "", trace)
        self.changed.append((example, re.sub(r"^$\n", "<BLANKLINE>\n", got, flags=re.MULTILINE)))


LONG = {"docs/implementations.md"}
"""Pages whose commands are slow, since they compare whole implementations."""


def commands() -> list[tuple[str, int, str, str | None]]:
    """Return the commands of all examples: page, position of the output, command, and output.

    The output is None if the example only suggests commands.
    """
    results: list[tuple[str, int, str, str | None]] = []
    for page, text in PAGES.items():
        for block in pages.blocks(text):
            listed = block.commands() if block.language == "console" else []
            shown = page == "README.md" or any(each.output for each in listed)
            results += [(page, each.place, each.text, each.output if shown else None) for each in listed]
    return results


@pytest.mark.parametrize(
    ("page", "place", "command", "output"),
    [
        pytest.param(
            *case, marks=[pytest.mark.slow] if case[0] in LONG else [], id="-".join(map(str, case[:3]))
        )
        for case in commands()
    ],
)
def test_commands(
    page: str,
    place: int,
    command: str,
    output: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    docs: pages.Pages,
) -> None:
    """README.md shows standard output. Pages in docs/ show standard output, or standard output and error.

    If an example writes to a file that exists next to the page, the file has this content.
    """
    if "examples" in command:
        shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for name, text in pages.files_above(PAGES[page], place).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    command, _, target = command.partition(" > ")
    command, _, source = command.partition(" < ")
    program, *arguments = shlex.split(command)
    assert program == "abnforge"
    for library in (NEEDED[word] for word in arguments[:2] if word in NEEDED):
        pytest.importorskip(library)
    text = Path(source).read_text("utf-8") if source else None
    result = CliRunner().invoke(cli, arguments, input=text, prog_name=program)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    # A command that does not exist is a mistake on the page, unless the page shows the error.
    assert result.exit_code in (0, 1) or (output or "").lower().startswith("error: ")
    if output is None:
        assert result.output
    elif target:
        assert result.stdout
        beside = (ROOT / page).parent / target
        if beside.exists():
            # The package railroad-diagrams can draw the lines differently in each run.
            shown, printed = beside.read_text("utf-8"), result.stdout
            words = re.compile(r">\s*([^<>\s][^<>]*)<")
            if docs.updating and words.findall(shown) != words.findall(printed):
                beside.write_text(shown := printed, "utf-8")
            assert words.findall(shown) == words.findall(printed)
            assert shown == printed or "railroad" in arguments
        assert output == ""
    elif page == "README.md":
        assert result.stdout == docs.expected(page, place, output, result.stdout)
        assert all(f"`{line}`" in README for line in result.stderr.splitlines())
    else:
        printed = pages.nearest(output, result.stdout, result.stdout + result.stderr)
        assert printed == docs.expected(page, place, output, printed)


def test_first_commands() -> None:
    """CI runs the first commands of README.md: the installation, an example, the tests."""
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    for block in blocks("README.md", "sh"):
        environment, install, run = re.split(r" && |\n", block.strip())
        assert environment == "python3 -m venv .venv"
        assert install.startswith(".venv/bin/pip install -q ")
        assert run.startswith(".venv/bin/")
        assert f" {run.removeprefix('.venv/bin/')}\n" in script.replace(" || status=$?", "")


def test_a_quarantine_and_a_report_in_three_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files exist with the content that README.md describes, and fixed rejects are validated again."""
    pytest.importorskip("jinja2")
    pytest.importorskip("numpy")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    [command] = [
        line for block in blocks("README.md", "sh") for line in block.splitlines() if " split " in line
    ]
    program, *arguments = shlex.split(command)
    assert program == ".venv/bin/abnforge"
    assert CliRunner().invoke(cli, arguments, prog_name="abnforge").exit_code == 1
    rejects = Path("bad.jsonl").read_text("utf-8").splitlines()
    rows = len(rejects) + len(Path("good.csv").read_text("utf-8").splitlines()) - 1
    assert f"`bad.jsonl` has {len(rejects)} of {rows} rows" in README
    assert "</html>" in Path("report.html").read_text("utf-8")
    Path("bad.jsonl").write_text("\n".join(rejects).replace("exa mple", "example") + "\n", "utf-8")
    again = ["split", "--replay", "bad.jsonl", "-c", "url"]
    result = CliRunner().invoke(cli, [*again, "-o", "more.csv", "--rejects", "still.jsonl"])
    assert result.exit_code == 1
    left = len(Path("still.jsonl").read_text("utf-8").splitlines())
    assert 0 < left < len(rejects)


def test_excerpts_are_what_the_first_command_prints(
    monkeypatch: pytest.MonkeyPatch, docs: pages.Pages
) -> None:
    monkeypatch.chdir(ROOT)
    lines = CliRunner().invoke(cli, ["check", "examples/uris.txt"]).output.splitlines(keepends=True)
    excerpts = [block for block in pages.blocks(README) if block.language == "text"]
    assert excerpts
    for block in excerpts:
        length = block.text.count("\n")
        parts = ["".join(lines[start : start + length]) for start in range(len(lines))]
        printed = pages.nearest(block.text, *parts)
        assert printed == docs.expected("README.md", block.start, block.text, printed)


def test_the_readme_is_for_a_first_look() -> None:
    assert README.count("\n") < 120


def test_every_bundled_grammar_is_named() -> None:
    page = PAGES["docs/grammars.md"]
    named = re.findall(r"^\| `([^`]+)` \|[^|]*\| `([^`]+)` \|", page, re.MULTILINE)
    assert [name for name, _ in named] == abnforge.grammar_names()
    for name, rule in named:
        assert abnforge.load(name).start.name == rule


def targets(path: Path) -> Iterator[str]:
    """Yield the files of this repository that a page links to, relative to the page."""
    text = re.sub(r"^```.*?^```$", "code", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"(`+)[^\n]*?\1|<code>.*?</code>", "code", text)  # code does not contain links
    return (each for each in re.findall(r"(?<!\\)\]\(([^)#]+)[^)]*\)", text) if "://" not in each)


@each_row("path", [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
def test_links_lead_somewhere(path: Path) -> None:
    for target in targets(path):
        assert (path.parent / target).is_file(), target


@each_row("start", ["README.md", "docs/index.md"])
def test_every_page_is_within_three_clicks(start: str) -> None:
    reached = {ROOT / start}
    for _ in range(3):
        pages_reached = [path for path in reached if path.suffix == ".md"]
        reached |= {(path.parent / target).resolve() for path in pages_reached for target in targets(path)}
    assert set((ROOT / "docs").rglob("*.md")) - reached == set()


def test_every_environment_variable_is_on_its_page() -> None:
    named = set(re.findall(r"`([A-Z][A-Z_]+)`", PAGES["docs/environment.md"]))
    files = (path.read_text("utf-8") for path in PACKAGE.rglob("*.py"))
    strings = re.compile(r'"([A-Z]{3,}|[A-Z]+(?:_[A-Z]+)+)"')
    names = {name for text in files if "os.environ" in text for name in strings.findall(text)}
    others = {name for name in names if name.startswith(("O_", "SIG", "CS_"))}  # in os and signal
    others |= {"ABNFORGE", "ABORT", "BATCH", "COMPLETE", "FAIL", "JOB", "START"}  # in OpenLineage events
    assert names - others == named


PACKAGE = ROOT / "src" / "abnforge"
PAGES_ON_CODE = {f"docs/{page}.md" for page in ("architecture", "limits", "kernel", "mistakes", "testing")}
_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_FILE = re.compile(r"[.\w][\w.-]*(?:/[\w.*-]+)*/?")
_CODE_FILE = re.compile(r"\w+\.(?:c|h|py|sh)")
_DOTTED = re.compile(r"abnforge(?:\.[a-z_]\w*){2,}")
_NAME = re.compile(r"\b(?:(?:MAX|MIN)_[A-Z_]+|[A-Z]\w+Error|[A-Z]\w+(?=\.\w+))\b")
_OTHER_SPANS = {"N/A", "conf.py", ".hypothesis/", "pages/"}  # names that only look like files


@cache
def words_of_the_code() -> frozenset[str]:
    """Return the words in all files of the package and of tools/."""
    files = (path for folder in ("src", "tools") for path in (ROOT / folder).rglob("*.py"))
    return frozenset(word for path in files for word in re.findall(r"\w+", path.read_text("utf-8")))


def is_importable(name: str) -> bool:
    """Return whether a dotted name is a module, or can be imported if its libraries are installed."""
    path = ROOT.joinpath("src", *name.split("."))
    if path.is_dir() or path.with_suffix(".py").is_file():
        return True
    try:
        resolve_name(name)
    except ImportError as error:
        return not str(error.name).startswith("abnforge")
    except AttributeError:  # resolve_name hides that a library of the module is missing
        try:
            import_module(name.rpartition(".")[0])
        except ImportError as error:
            return not str(error.name).startswith("abnforge")
        return False
    return True


def is_named(path: str, page: Path) -> bool:
    """Return whether a page can name this path.

    Paths start at the repository, at the package, or at the page; ``.py`` is optional. ``NAME`` means any
    file name. The directory of a code file can be omitted. ``engine/rule.Rule.parse`` is a name in the file
    ``engine/rule.py``.
    """
    pattern = path.replace("NAME", "*")
    if any(
        any(base.glob(pattern.rstrip("/") + suffix))
        for base in (ROOT, PACKAGE, page.parent)
        for suffix in ("", ".py")
    ):
        return True
    if "/" not in path:
        return any(any((ROOT / folder).rglob(path)) for folder in ("src", "tests", "tools", "docs", "fuzz"))
    folder, _, last = path.rpartition("/")
    module, *names = last.split(".")
    files = (PACKAGE / folder / f"{module}.py", PACKAGE / folder / module / "__init__.py")
    code = "".join(file.read_text("utf-8") for file in files if file.is_file())
    definition = r"^\s*(?:(?:async )?(?:def|class) {0}\b|{0}\b[^=\n]*=)"
    return bool(names) and all(re.search(definition.format(name), code, re.MULTILINE) for name in names)


@each_row("page", ["CONTRIBUTING.md", *PAGES])
def test_named_files_and_modules_exist(page: str) -> None:
    path = ROOT / page
    text = re.sub(r"^(`{3,}).*?^\1$", "", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    for span in _SPAN.findall(text):
        if span in _OTHER_SPANS or span.startswith(("./", "../")):
            continue
        for name in _NAME.findall(span) if page in PAGES_ON_CODE else ():
            assert name in words_of_the_code(), span
        if _DOTTED.fullmatch(span):
            assert is_importable(span), span
        elif _CODE_FILE.fullmatch(span) or ("/" in span and _FILE.fullmatch(span)):
            assert is_named(span, path), span

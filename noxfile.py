"""The steps of .ci/run by name: ``nox -l`` lists them, ``nox -s lint`` runs one in its own environment.

.ci/run calls most sessions in its own environment: ``nox --no-venv --no-install``.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import nox
from nox.command import CommandFailed

nox.options.sessions = ["lint", "tests"]
nox.options.reuse_existing_virtualenvs = True

COMPILED = {"ABNFORGE_KERNEL": "required"}
PURE = {"ABNFORGE_KERNEL": "python"}
ONLY_WITHOUT_EXTENSION = [  # these test code that runs only without the C extension
    "tests/_native",
    *(f"tests/automata/test_{name}.py" for name in ("code_points", "tables", "tagged")),
    "tests/uri",
    "tests/parsing/recognizer",
    "tests/columns",
]
CALLERS = [  # these test other callers of the C extension; all other code uses those
    *("tests/engine", "tests/parsing", "tests/explain", "tests/laws", "tests/ingest", "tests/cli/commands"),
    *map(str, sorted(Path("tests").glob("test_*.py"))),
]
SLOW_GROUPS = ["browser", "dev", "engines", "frames", "integrations", "notebooks", "quality", "storage"]
TIMED_OUT = [124, 137]


def install(session: nox.Session, *requirements: str) -> None:
    session.install("pip>=25.1")  # the first version that supports dependency groups
    session.install(*requirements, env=COMPILED)


def timed(session: nox.Session, seconds: int, *arguments: str) -> None:
    """Run slow tests in one process. If they exceed the time limit, the session ends without a result."""
    command = [
        "timeout",
        "--kill-after=30",
        str(seconds),
        "python",
        "-m",
        "pytest",
        "-n",
        "0",
        "-q",
        "-rs",
        "-m",
        "slow",
    ]
    session.run(*command, *arguments, *session.posargs, external=True, success_codes=[0, *TIMED_OUT])


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests on all processors."""
    install(session, ".[test]", "--group=checks")
    session.run("pytest", *session.posargs)


@nox.session
def slow(session: nox.Session) -> None:
    """Run the slow tests, such as long searches."""
    install(session, ".[all,test]", *(f"--group={each}" for each in SLOW_GROUPS))
    session.run("pytest", "-m", "slow", *session.posargs)


@nox.session
def laws(session: nox.Session) -> None:
    """Test each law on random cases for six seconds."""
    install(session, ".[test]")
    session.run("pytest", "-q", "tests/laws", "-m", "law", "--fuzz", *(session.posargs or ["6"]))


@nox.session
def fuzz(session: nox.Session) -> None:
    """Fuzz each target with coverage for a minute, side by side (on Linux)."""
    install(session, ".[ingest,test]", "--group=fuzz")
    session.run("python", "fuzz/run.py", *session.posargs)


@nox.session
def coverage(session: nox.Session) -> None:
    """Report the coverage of the last test run, plus code that runs only without the C extension."""
    install(session, ".[test]")
    session.run("pytest", "-q", "--cov-append", *ONLY_WITHOUT_EXTENSION, env=PURE)
    session.run("coverage", "report")


@nox.session
def tests_pure(session: nox.Session) -> None:
    """Run the tests of code that calls the C extension with Python instead of the extension."""
    install(session, ".[test]")
    session.run("pytest", "-q", *(session.posargs or CALLERS), env=PURE)


@nox.session
def checks(session: nox.Session) -> None:
    """Check generated files and pages, test cases of other projects, and the C extension with sanitizers."""
    install(session, "-e", ".[test]")
    session.run("python", "tools/build_grammars.py", "--check")
    session.run("python", "tools/grammar_table.py", "--check")
    session.run("python", "tools/trace_requirements.py", "--check")
    session.run("python", "tools/check_cases.py")
    session.run("tools/sanitize.sh", external=True)


@nox.session
def instructions(session: nox.Session) -> None:
    """Count the instructions of hot paths, and compare them with the recorded counts."""
    install(session, ".", "--group=instructions")
    session.run("python", "tools/instructions.py", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check the style, format and types of the code, and the prose."""
    install(session, "-e", ".[test]", "--group=dev")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("mypy")
    session.run("codespell")
    session.run("zizmor", "--offline", "--quiet", "--no-progress", ".github", "action.yml")
    session.run("python", "tools/check_style.py")


@nox.session
def package(session: nox.Session) -> None:
    """Build the package from a source distribution and from the files; compare and check the wheels."""
    try:
        session.install("pip>=25.1")
        session.install("--group=package")
    except CommandFailed:
        session.skip("the tools for packages cannot be installed here")
    builds = [Path(session.create_tmp(), name) for name in ("sdist", "files")]
    for build, arguments in zip(builds, ([], ["--sdist", "--wheel"]), strict=True):
        shutil.rmtree(build, ignore_errors=True)
        env = COMPILED | {"SOURCE_DATE_EPOCH": "1767225600"}  # 2026-01-01
        session.run("python", "-m", "build", "--no-isolation", f"--outdir={build}", *arguments, env=env)
    session.run("python", "tools/check_wheel.py", *map(str, builds))
    wheels = [*map(str, builds[0].glob("*.whl"))]
    session.run("twine", "check", "--strict", *map(str, builds[0].iterdir()))
    session.run("check-wheel-contents", *wheels)
    if sys.platform == "linux":  # cibuildwheel runs the similar programs of other systems
        session.run("abi3audit", "--strict", "--report", *wheels)
        session.run("auditwheel", "repair", f"--wheel-dir={builds[0] / 'repaired'}", *wheels)


@nox.session
def docs(session: nox.Session) -> None:
    """Build the website and check its links; ``-- --external`` also checks links to other hosts."""
    install(session, "-e", ".[ingest,railroad]", "--group=site")
    session.run("python", "tools/build_site.py", *session.posargs)


@nox.session
def report(session: nox.Session) -> None:
    """Repeat the tests of docs/conformance.md with the recorded versions of the libraries."""
    install(session, "-e", ".[test]", "--group=report")
    session.run("python", "tools/conformance_report.py", "--check", *session.posargs)


@nox.session
def spark(session: nox.Session) -> None:
    """Run the tests on a Spark cluster, which requires an older pandas, for at most eight minutes."""
    try:
        install(session, ".[spark,test]")
    except CommandFailed:
        session.skip("Spark cannot be installed here")
    timed(session, 360, "tests/integrations/test_spark.py")
    try:
        session.install("--group=quality-spark")
    except CommandFailed:
        session.skip("DQX and spark-expectations cannot be installed here")
    timed(session, 120, "tests/test_recipes.py", "-k", "spark-quality")


@nox.session
def pipelines(session: nox.Session) -> None:
    """Run the dbt and Ray examples, which require older libraries, for at most four minutes."""
    try:
        install(session, ".[duckdb,test]", "--group=dbt", "--group=ray")
    except CommandFailed:
        session.skip("dbt and Ray cannot be installed here")
    timed(session, 240, "tests/test_readme.py", "tests/test_recipes.py", "-k", "ray or dbt")

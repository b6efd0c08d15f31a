"""Workflows: pinned actions, few permissions, and only sessions, files and versions that exist.

``zizmor`` (``nox -s lint``) checks their security.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

from tests.law import each_row
from tests.places import ROOT

yaml = pytest.importorskip("yaml")

PATHS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
WORKFLOWS: dict[str, dict[Any, Any]] = {path.name: yaml.safe_load(path.read_text("utf-8")) for path in PATHS}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PINNED = re.compile(r"uses: ([\w./-]+)@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)")


def needs(*programs: str) -> pytest.MarkDecorator:
    missing = [program for program in programs if not shutil.which(program)]
    return pytest.mark.skipif(os.name == "nt" or bool(missing), reason=f"missing: {missing}")


def jobs(name: str) -> dict[str, dict[str, Any]]:
    return WORKFLOWS[name]["jobs"]


def calls() -> Iterator[list[str]]:
    """Yield the words of each line of a step that runs commands."""
    for workflow in WORKFLOWS.values():
        for job in workflow["jobs"].values():
            for step in job.get("steps", []):
                for line in step.get("run", "").splitlines():
                    yield shlex.split(line)


@each_row("path", PATHS)
def test_actions_are_pinned_by_hash(path: Path) -> None:
    """A tag can move; a comment names its version, which Dependabot updates together with the hash."""
    lines = [line for line in path.read_text("utf-8").splitlines() if "uses:" in line]
    assert [line for line in lines if not PINNED.search(line) and "uses: ./" not in line] == []


def test_an_action_has_one_version() -> None:
    pins: dict[str, set[tuple[str, ...]]] = {}
    for path in PATHS:
        for action, *pin in PINNED.findall(path.read_text("utf-8")):
            pins.setdefault("/".join(action.split("/")[:2]), set()).add(tuple(pin))
    assert pins
    assert {action: each for action, each in pins.items() if len(each) > 1} == {}


@each_row("name", WORKFLOWS)
def test_jobs_have_only_their_own_permissions(name: str) -> None:
    assert WORKFLOWS[name]["permissions"] == {}
    assert all(job["permissions"]["contents"] in ("read", "write") for job in jobs(name).values())


def test_only_one_job_can_publish() -> None:
    """It builds nothing: it uploads the files of the other jobs, which cannot get a token."""
    publishers = [
        (name, key)
        for name in WORKFLOWS
        for key, job in jobs(name).items()
        if "id-token" in job["permissions"] and name != "scorecard.yml"
    ]
    assert publishers == [("release.yml", "publish")]
    job = jobs("release.yml")["publish"]
    assert job["environment"]["name"] == "pypi"
    assert not any("run" in step for step in job["steps"])


def test_a_release_is_checked_first() -> None:
    """Without an owner, nothing is built and nothing is published."""
    release = jobs("release.yml")
    [command] = [step["run"] for step in release["check"]["steps"] if "run" in step]
    assert command == 'python tools/check_release.py "$GITHUB_REF_NAME"'
    needed = {key: job.get("needs") for key, job in release.items()}
    assert needed == {
        "check": None,
        "wheels": "check",
        "tests": "check",
        "publish": ["tests", "wheels"],
        "notes": "publish",
    }
    assert {key: Path(job["uses"]).name for key, job in release.items() if "uses" in job} == {
        "tests": "tests.yml",
        "wheels": "wheels.yml",
    }


@each_row("name", ["tests.yml", "wheels.yml"])
def test_a_release_can_call_a_workflow(name: str) -> None:
    """YAML reads the key ``on`` as true. Both have another group of runs than their caller, which waits."""
    assert "workflow_call" in WORKFLOWS[name][True]
    assert WORKFLOWS[name]["concurrency"]["group"] != WORKFLOWS["release.yml"]["concurrency"]["group"]


def run(script: str, folder: Path, **variables: str) -> str:
    """Run a script of a step like GitHub does, and return its output."""
    environment = os.environ | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"} | variables
    command = ["bash", "-e", "-o", "pipefail", "-c", script]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True
    ).stdout


@needs("bash", "awk", "perl")
def test_notes_of_a_release_have_absolute_links(tmp_path: Path) -> None:
    """They are its section of the changelog; links are those of the tag."""
    [script] = [step["run"] for step in jobs("release.yml")["notes"]["steps"] if "run" in step]
    (tmp_path / "gh").write_text('#!/bin/sh\necho "$2 $3"\n', "utf-8")
    (tmp_path / "gh").chmod(0o755)
    (tmp_path / "CHANGELOG.md").write_text(
        "[x](x.md)\n## [0.2.0]\n[a](docs/a.md#b) [c](https://host.test) [d](#d)\n\n## [0.1.0]\n- e\n",
        "utf-8",
    )
    variables = {
        "GITHUB_REF_NAME": "v0.2.0",
        "GITHUB_REPOSITORY": "ada/abnforge",
        "GITHUB_SERVER_URL": "https://host.test",
    }
    assert run(script, tmp_path, **variables) == "create v0.2.0\n"
    link = "https://host.test/ada/abnforge/blob/v0.2.0/docs/a.md#b"
    expected = f"## [0.2.0]\n[a]({link}) [c](https://host.test) [d](#d)\n\n"
    assert (tmp_path / "notes.md").read_text("utf-8") == expected


@needs("bash", "git")
@each_row("base, expected", [("", 1), ("0" * 40, 1), ("HEAD~2", 0), ("HEAD~1", 1)])
def test_instructions_are_compared_with_the_base(
    base: str, expected: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A change of several commits has an older base than the previous commit. A tag has no base."""
    steps = jobs("tests.yml")["instructions"]["steps"]
    [script] = [step["run"] for step in steps if "BASE" in step.get("env", {})]
    assert steps[0]["with"]["fetch-depth"] == 0
    assert "--required" in shlex.split(steps[-1]["run"])
    folder = tmp_path_factory.mktemp("repository") / "head"
    folder.mkdir()
    git = "git -c user.name=a -c user.email=a@host.test"
    run(f"git init -q; for n in 0 1 2; do {git} commit -q --allow-empty -m $n; done", folder)
    if base.startswith("HEAD"):
        base = run(f"git rev-parse {base}", folder).strip()
    run(script, folder, BASE=base)
    assert run("git -C ../base log -1 --format=%s", folder).strip() == str(expected)


def test_fuzzing_continues_with_the_inputs_of_the_last_run() -> None:
    """They are stored after a finding, too."""
    steps = jobs("fuzz.yml")["fuzz"]["steps"]
    names = [step.get("uses", step.get("run", "")).partition("@")[0] for step in steps]
    fuzz = next(number for number, name in enumerate(names) if name.startswith("nox"))
    before, after = (steps[names.index(f"actions/cache/{name}")] for name in ("restore", "save"))
    assert steps.index(before) < fuzz < steps.index(after)
    assert all(before["with"][key] == after["with"][key] for key in ("path", "key"))
    assert before["with"]["key"].startswith(before["with"]["restore-keys"])
    assert after["if"] == "${{ !cancelled() }}"


def test_sessions_and_files_exist() -> None:
    sessions = re.findall(
        r"^@nox\.session\ndef (\w+)", (ROOT / "noxfile.py").read_text("utf-8"), re.MULTILINE
    )
    calls_of_nox = [words for words in calls() if words[:2] == ["nox", "-s"]]
    named = [word for words in calls_of_nox for word in takewhile("--".__ne__, words[2:])]
    assert named
    assert set(named) <= {*sessions}
    files = [word for words in calls() for word in words if re.fullmatch(r"(tools|tests)/\S+", word)]
    assert files
    assert [file for file in files if not (ROOT / file).is_file()] == []


def test_all_declared_versions_of_python_are_tested() -> None:
    tested = jobs("tests.yml")["tests"]["strategy"]["matrix"]["python"]
    declared = [
        each.rpartition(" :: ")[2]
        for each in PROJECT["classifiers"]
        if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", each)
    ]
    assert [each for each in tested if not each.endswith("t")] == declared
    assert tested[-1] == declared[-1] + "t"
    page = (ROOT / "docs" / "stability.md").read_text("utf-8")
    assert re.findall(r"^\| (3\.\d+)", page, re.MULTILINE) == declared

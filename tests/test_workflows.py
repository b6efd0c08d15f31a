"""Workflows: pinned actions, few permissions, and only sessions, files and versions that exist.

``zizmor`` (``nox -s lint``) checks their security.
"""

from __future__ import annotations

import re
import shlex
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
    needs = {key: job.get("needs") for key, job in release.items()}
    assert needs == {"check": None, "wheels": "check", "publish": "wheels", "notes": "publish"}


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

"""``abnforge exercise show`` shows a task, and its hints one by one."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

from tests.cli.command import fails
from tests.cli.command import run as command
from tests.cli.commands.test_exercise_list import OWN

run = partial(command, "exercise", "show")


def test_hints_step_by_step() -> None:
    assert "Hint" not in run("time-24").stdout
    assert [run("time-24", "--hint", str(n)).stdout.count("Hint ") for n in range(5)] == [0, 1, 2, 3, 3]
    assert "minute = " not in run("time-24", "--hint", "3").stdout
    assert "minute = " in run("time-24", "--solution").stdout
    plain = json.loads(run("time-24", "--hint", "2", "-f", "json").stdout)
    assert (plain["hints"], len(plain["hints_shown"])) == (3, 2)
    assert "solution" not in plain
    assert "hour" in json.loads(run("time-24", "--solution", "-f", "json").stdout)["solution"]


def test_own_ones_and_wrong_usage(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(OWN)
    assert run("digit", "--file", str(path)).exit_code == 0
    fails(run("time24"), "exercise-unknown", name="time24", near=("time-24",))
    assert run("pin", "--file", str(path)).exit_code == run("pin", "--hint", "-1").exit_code == 2
    assert run().exit_code == 2

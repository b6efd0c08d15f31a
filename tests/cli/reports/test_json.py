"""JSON as one array."""

from __future__ import annotations

import json

import pytest

from abnforge.cli.common.outcome import Outcome
from abnforge.cli.reports.json import JsonArray
from tests.cli.reports.outcomes import (
    ALL,
    VALID,
    run,
)


@pytest.mark.parametrize("outcomes", [(), (VALID,), ALL])
def test_json_is_one_array(outcomes: tuple[Outcome, ...]) -> None:
    assert json.loads(run(JsonArray, *outcomes)) == [outcome.to_dict() for outcome in outcomes]

"""What the library says, as wrong usage."""

from __future__ import annotations

import click
import pytest

from abnforge.cli.common.usage import usage_errors
from abnforge.errors import GrammarError


def test_values_that_make_no_sense_are_wrong_usage() -> None:
    with pytest.raises(click.UsageError, match=r"^so$"), usage_errors():
        raise ValueError("so")
    with pytest.raises(click.UsageError, match=r"^--engine lark: so$"), usage_errors("--engine lark"):
        raise ValueError("so")


def test_errors_of_grammars_pass() -> None:
    with pytest.raises(GrammarError, match="so"), usage_errors():
        raise GrammarError("so")

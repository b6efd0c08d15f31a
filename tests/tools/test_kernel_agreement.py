"""All walks agree on texts of bundled grammars; a walk that does not is found."""

from __future__ import annotations

import re
import sys
from random import Random

import pytest

from abnforge._native import compiled
from tests.places import ROOT

sys.path.insert(0, str(ROOT / "tools"))

import kernel_agreement
from kernel_agreement import Agreement

pytestmark = pytest.mark.skipif(compiled is None, reason="there is no kernel")


@pytest.mark.slow
def test_all_walks_agree(capsys: pytest.CaptureFixture[str]) -> None:
    assert kernel_agreement.main(["--texts", "100000", "--lark", "20", "--seed", "7"]) == 0
    assert re.fullmatch(r"seed 7\n.* 100,000 .* 400 .*\n", capsys.readouterr().out)


def test_rules_are_20_of_8_grammars() -> None:
    assert len(kernel_agreement.RULES) == 20
    assert len({name.rpartition(":")[0] for name in kernel_agreement.RULES}) == 8


def test_another_answer_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_agreement, "BATCH", 200)
    monkeypatch.setattr(kernel_agreement, "SPELT", 50)
    agreement = Agreement("rfc3339:full-date", ("date-month",), Random(1))
    other = Agreement("rfc5234:num-val", (), Random(1))
    texts = agreement.draw()
    assert agreement.wrong(texts) == ""
    assert agreement.wrong_by_lark(5) == ""
    for name in ("tables", "walker", "tagged"):
        with monkeypatch.context() as changed:
            changed.setattr(agreement, name, getattr(other, name))
            assert agreement.wrong(texts) != ""

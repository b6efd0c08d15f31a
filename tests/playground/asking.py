"""Questions to the playground, as its page asks them."""

from __future__ import annotations

import json
from typing import Any

from abnforge.playground.questions import answer


def ask(ask: str, **told: Any) -> Any:
    """The answer; fails where there is none."""
    found = json.loads(answer(json.dumps({"ask": ask, **told})))
    assert "answer" in found, found
    return found["answer"]


def refused(ask: str, **told: Any) -> str:
    """The message of a question that has no answer."""
    found = json.loads(answer(json.dumps({"ask": ask, **told})))
    assert list(found) == ["error"], found
    assert found["error"]["message"]
    return str(found["error"]["message"])

"""Calls of the playground, in the form that its page sends."""

from __future__ import annotations

import json
from typing import Any

from abnforge.teaching.playground.questions import answer


def ask(ask: str, **told: Any) -> Any:
    """Return the result; fail if the call fails."""
    data = json.loads(answer(json.dumps({"ask": ask, **told})))
    assert "answer" in data, data
    return data["answer"]


def refused(ask: str, **told: Any) -> dict[str, str | None]:
    """Return the code and the message of a call that must fail."""
    data = json.loads(answer(json.dumps({"ask": ask, **told})))
    assert list(data) == ["error"], data
    assert data["error"]["message"]
    error: dict[str, str | None] = data["error"]
    return error

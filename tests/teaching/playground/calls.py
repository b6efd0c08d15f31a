"""Calls of the playground, in the form that its page sends, and wheels for its archive."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import abnforge
from abnforge.teaching.playground.building import PLATFORM
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


def wheel_with(
    extension: bytes, folder: Path, tag: str = f"{abnforge.__version__}-cp311-abi3-{PLATFORM}"
) -> Path:
    """Return a wheel of the installed files with another C extension."""
    package = Path(abnforge.__file__).parent
    path = folder / f"abnforge-{tag}.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for each in package.rglob("*"):
            if each.is_file() and each.suffix not in (".so", ".pyc"):
                archive.write(each, Path("abnforge", each.relative_to(package)))
        archive.writestr("abnforge/_native/binding.abi3.so", extension)
    return path

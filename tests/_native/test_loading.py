"""abnforge uses the C extension, unless the extension is missing or turned off."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import abnforge
from abnforge import _native

ANSWERS = """
import abnforge, pickle
from abnforge import uri
from abnforge._native import compiled
rule = abnforge.load("rfc3986")["URI"]
matches = pickle.loads(pickle.dumps(rule.matches))
found = uri.parse("http://user@[::1]:80/a?b#c")
print(abnforge.KERNEL, compiled is None, matches("urn:a"), matches("a b"), matches(text="urn:a"))
print(found.host, found.host_kind)
print(rule.components("urn:a", ["scheme", "query"]), rule.explain("http://a b").offset)
"""
TOLD = "True False True\n[::1] IPv6address\n{'scheme': (0, 3), 'query': None} 8\n"


def run(code: str, **environment: str) -> str:
    env = {**os.environ, **environment}
    return subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True, timeout=60
    ).stdout


@pytest.mark.skipif(_native.compiled is None, reason="there is no kernel")
def test_it_is_compiled() -> None:
    assert abnforge.KERNEL == _native.KERNEL == "compiled"
    assert run(ANSWERS, ABNFORGE_KERNEL="") == f"compiled False {TOLD}"


def test_it_can_be_turned_off() -> None:
    assert run(ANSWERS, ABNFORGE_KERNEL="python") == f"python True {TOLD}"


def test_it_may_be_missing() -> None:
    code = f"import sys; sys.modules['abnforge._native.binding'] = None\n{ANSWERS}"
    assert run(code, ABNFORGE_KERNEL="") == f"python True {TOLD}"


def test_it_is_for_machines_with_little_endian_numbers() -> None:
    code = "import sys; sys.byteorder = 'big'\nimport abnforge._native as it; print(it.KERNEL)"
    assert run(code, ABNFORGE_KERNEL="") == "python\n"

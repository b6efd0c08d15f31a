"""Errors in tests: by their class, their code and their data, never by their sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from abnforge.catalog import CodedError


@contextmanager
def raises(
    kind: type[BaseException] | tuple[type[BaseException], ...], code: str, **data: Any
) -> Iterator[pytest.ExceptionInfo[Any]]:
    """Expect an error of a kind, with a code, and with at least the given data.

    The code is that of the error, or of its message where several messages share one (a syntax error).
    """
    with pytest.raises(kind) as caught:
        yield caught
    error = caught.value
    assert isinstance(error, CodedError)
    codes = {error.code, getattr(error.message, "code", error.code)}
    assert code in codes
    assert {name: getattr(error, name) for name in data} == data

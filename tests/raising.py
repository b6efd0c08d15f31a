"""Assertions about errors: class, code and data, and never the message."""

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
    """Expect an error of a class, with a code and with at least some data.

    The code is that of the error, or of its message if several messages share the code of the error (a syntax
    error).
    """
    with pytest.raises(kind) as caught:
        yield caught
    error = caught.value
    assert isinstance(error, CodedError)
    codes = {error.code, getattr(error.message, "code", error.code)}
    assert code in codes
    assert {name: getattr(error, name) for name in data} == data

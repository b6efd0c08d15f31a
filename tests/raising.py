"""Assertions about errors: their class, code and data, but never their message."""

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
    """Expect an error of a class, with this code and at least this data.

    ``code`` is the code of the error or of its message. They differ if several messages share the code of an
    error, such as a syntax error.
    """
    with pytest.raises(kind) as caught:
        yield caught
    error = caught.value
    assert isinstance(error, CodedError)
    codes = {error.code, getattr(error.message, "code", error.code)}
    assert code in codes
    assert {name: getattr(error, name) for name in data} == data

"""What the library says of a command line that makes no sense, as wrong usage."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from abnforge.errors import GrammarError


@contextmanager
def usage_errors(option: str = "") -> Iterator[None]:
    """ValueErrors as UsageError; ``option`` is named before what they say. GrammarErrors, which are
    ValueErrors too, pass: they have a place to show.
    """
    try:
        yield
    except GrammarError:
        raise
    except ValueError as error:
        raise click.UsageError(f"{option}: {error}" if option else str(error)) from None

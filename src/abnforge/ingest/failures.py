"""Why a job does not begin, or does not go on."""

from __future__ import annotations

OTHER_STDIN = "standard input is not what it was: give the same from its beginning, or start again"


class JobError(ValueError):
    """A job that cannot be done as it is: a column that is not there, sources that do not fit together."""


class ConflictError(JobError):
    """A job that is not done, though it could be: another one writes here, or something changed since."""

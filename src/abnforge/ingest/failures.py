"""Why a job does not begin, or does not continue."""

from __future__ import annotations

from abnforge.catalog import CodedError


class JobError(CodedError, ValueError):
    """A job that cannot be done: an unknown column, sources that do not fit together."""


class ConflictError(JobError):
    """A job that is rejected for now: another job writes here, or something changed since."""

"""The one function behind adapters to engines that work on batches; it is :func:`abnforge.columns.split`.

Verdicts and reasons for rows that stay where they are come from the same columns.
"""

from __future__ import annotations

from abnforge import columns
from abnforge.columns.fields import REASON
from abnforge.columns.tables import Rules

split = columns.split
matches = columns.matches
reasons = columns.reasons

__all__ = ["REASON", "Rules", "matches", "reasons", "split"]

"""One set of settings for every hypothesis test."""

from __future__ import annotations

from hypothesis import settings

# The default run gives everybody the same result: the same examples each time, and no deadline that a busy
# machine could miss. The searches of `-m slow` choose their own numbers of examples.
settings.register_profile("abnforge", derandomize=True, deadline=None, database=None)
settings.load_profile("abnforge")

"""What brute force knows of a random grammar: its strings up to a length, their prefixes, the preferred tree.

The work is done by ``tests.reference``, which the tests compare with, too.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

from fuzzing.notation import Rules, alphabet, core  # noqa: E402
from tests.reference.counts import count  # noqa: E402
from tests.reference.derivations import preferred  # noqa: E402
from tests.reference.derive import Language  # noqa: E402
from tests.reference.recogniser import Reading, Recogniser  # noqa: E402
from tests.reference.stop import stop  # noqa: E402
from tests.reference.trees import check as check_tree  # noqa: E402
from tests.reference.trees import flat  # noqa: E402

__all__ = [
    "ROOT",
    "Language",
    "Reading",
    "Recogniser",
    "check_tree",
    "count",
    "flat",
    "language",
    "preferred",
    "recogniser",
    "stop",
]


@lru_cache(maxsize=8)
def language(rules: Rules, longest: int) -> Language:
    """The strings of every rule over the characters that the grammar names. Cost: exponential in
    ``longest``.
    """
    return Language(core(rules), alphabet(rules), longest)


@lru_cache(maxsize=8)
def recogniser(rules: Rules, start: str) -> Recogniser:
    """What reads long texts by a rule, independently of the project."""
    return Recogniser(core(rules), start)

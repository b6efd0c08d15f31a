"""Implementations written by hand, each with one bug that a real library had, and some without any.

They were written, and reduced to one bug each, before any suite was run against them. The bugs were collected
from threads of public projects, few of them from proposals that were not merged; the code is new.
"""

from tests.conformance.wrong import (
    addresses,
    correct,
    dates,
    http,
    json_text,
    mail,
    names,
    others,
    toml,
    uris,
    versions,
)
from tests.conformance.wrong.entries import RIGHT, WRONG, Right, Wrong

FAMILIES = (addresses, dates, http, json_text, mail, names, others, toml, uris, versions)

__all__ = ["FAMILIES", "RIGHT", "WRONG", "Right", "Wrong", "correct"]

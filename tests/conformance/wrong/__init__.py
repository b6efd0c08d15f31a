"""Handwritten implementations, each with one bug of a real library, and some without a bug.

They were written, and reduced to one bug each, before any test suite ran against them. The bugs come from
threads of public projects, a few of them about proposals that were not merged. The code is new.
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

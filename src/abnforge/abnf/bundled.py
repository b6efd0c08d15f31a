"""Where the files of bundled grammars are: texts, and what ``tools/build_grammars.py`` made of them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from abnforge.late import importing

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


def generated() -> Traversable:
    """The folder of what ``tools/build_grammars.py`` has made."""
    folder = Path(__file__).parents[1] / "_generated"
    if folder.is_dir():
        return folder
    # The package lies in an archive. Importing this takes as long as half of the package.
    with importing:
        from importlib import resources

        return resources.files("abnforge._generated")


PACKAGE_PREFIX = "abnf:"
"""What stands before the name of a grammar of the ``abnf`` package."""


@cache
def bundled_names() -> tuple[str, ...]:
    """The bundled grammars, by name."""
    files = generated().iterdir()
    names = (f.name.removesuffix(".abnf") for f in files if f.name.endswith(".abnf"))
    return tuple(sorted(name for name in names if not name.endswith(".mistakes")))


_HEADING = re.compile(r"^; (?P<elsewhere>RFC \d+, )?(?:section|appendix) ", re.IGNORECASE | re.MULTILINE)

MIN_TOLD = 3
"""The shortest name that is looked for elsewhere: JSONPath's ``B`` and ``S`` are its own."""


def defining(name: str) -> list[str]:
    """The bundled grammars that define a rule of this name, in more than words; those that restate another
    specification's only if that is not bundled. Cost: their texts are gone through.
    """
    if len(name) < MIN_TOLD:
        return []
    pattern = re.compile(rf"^{re.escape(name)}[ \t]*=(?!/|[ \t]*<)", re.IGNORECASE | re.MULTILINE)
    own: list[str] = []
    restating: list[str] = []
    for each in bundled_names():
        text = generated().joinpath(f"{each}.abnf").read_text("utf-8")
        match = pattern.search(text)
        if match is not None:
            above = list(_HEADING.finditer(text, 0, match.start()))
            (restating if above and above[-1]["elsewhere"] else own).append(each)
    return own or restating

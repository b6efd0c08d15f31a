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


@cache
def bundled_names() -> tuple[str, ...]:
    """The bundled grammars, by name."""
    files = generated().iterdir()
    names = (f.name.removesuffix(".abnf") for f in files if f.name.endswith(".abnf"))
    return tuple(sorted(name for name in names if not name.endswith(".mistakes")))


def defining(name: str) -> list[str]:
    """The bundled grammars that define a rule of this name. Cost: their texts are gone through."""
    pattern = re.compile(rf"^{re.escape(name)}[ \t]*=(?!/)", re.IGNORECASE | re.MULTILINE)
    texts = ((each, generated().joinpath(f"{each}.abnf").read_text("utf-8")) for each in bundled_names())
    return [each for each, text in texts if pattern.search(text)]

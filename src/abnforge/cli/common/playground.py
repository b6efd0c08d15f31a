"""Build the playground; its errors are usage errors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from abnforge.cli.common.output import tell
from abnforge.cli.common.usage import UsageError

if TYPE_CHECKING:
    from abnforge.teaching.playground.building import Built


def built(folder: Path, modules: Path | None = None) -> Built:
    """Build the playground in a folder. Raises UsageError."""
    from abnforge.teaching.playground.building import BuildError, build, refuse

    try:
        refuse(folder)
        source = "npm" if modules is None else str(modules)
        tell(f"building the playground in {folder}, with packages from {source} ...")
        return build(folder, modules=modules)
    except BuildError as error:
        for note in getattr(error, "__notes__", ()):
            tell(note)
        raise UsageError(error.message) from None
    except ModuleNotFoundError as error:
        raise UsageError(error.msg) from None

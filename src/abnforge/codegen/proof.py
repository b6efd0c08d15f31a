"""The targets of source code export by name, and the steps from tables to a proved file."""

from __future__ import annotations

from abnforge.codegen.c import C
from abnforge.codegen.model import CodeTables
from abnforge.codegen.writer import Target

TARGETS = {target.name: target for target in (C,)}


def source_file(target: Target, tables: CodeTables) -> str:
    """Return the text of a file."""
    return target.write(tables)

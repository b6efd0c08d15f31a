"""The public names of abnforge, read from its source by griffe."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import pytest

from tests.places import ROOT

sys.path.insert(0, str(ROOT / "tools"))

from reference.api import INTERNAL, STABLE


@cache
def public_names() -> dict[str, list[str]]:
    """Return the names of public modules, the members of their classes, and the parameters of functions.

    The parameters of ``f`` are listed under ``f()``.
    """
    griffe = pytest.importorskip("griffe")
    package = griffe.load("abnforge", search_paths=[ROOT / "src"], resolve_aliases=True)

    def resolved(module: Any, name: str) -> Any:
        entry = module.members[name]
        target = entry.final_target if entry.is_alias else entry
        # A module and the public function in it can have the same name.
        return resolved(target, name) if target.is_module and name in target.members else target

    names: dict[str, list[str]] = {}
    for path in STABLE:
        module = package.modules_collection[path]
        names[path] = sorted(map(str, module.exports))
        for name in names[path]:
            target = resolved(module, name)
            members = target.all_members if target.is_class else {}
            public = {each for each in members if not each.startswith("_")} - INTERNAL.get(name, set())
            if public:
                names[f"{path}.{name}"] = sorted(public)
            functions = {name: target} | {f"{name}.{each}": members[each] for each in sorted(public)}
            for label, function in functions.items():
                if function.is_function:
                    parameters = [each.name for each in function.parameters]
                    names[f"{path}.{label}()"] = [each for each in parameters if each not in ("self", "cls")]
    return names

"""The public names of `abnforge.uri` and its subpackages, and the cost of importing it."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import pytest

from abnforge import uri
from abnforge.uri import rfc2396, rfc3986


@pytest.mark.parametrize(
    ("module", "modules"),
    [(uri, {"rfc2396"}), (rfc2396, set()), (rfc3986, set())],
)
def test_exported_names(module: ModuleType, modules: set[str]) -> None:
    assert [name for name in module.__all__ if not hasattr(module, name)] == []
    public = {name for name, value in vars(module).items() if not name.startswith("_")}
    submodules = {name for name in public if isinstance(getattr(module, name), ModuleType)}
    assert set(module.__all__) == (public - submodules) | modules


def test_importing_the_components_does_not_import_the_parser() -> None:
    code = "import sys, abnforge.uri; sys.exit('lark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_operations_of_rfc_3986_are_public() -> None:
    offered = {name: getattr(uri, name) for name in rfc3986.__all__}
    assert offered == {name: getattr(rfc3986, name) for name in rfc3986.__all__}

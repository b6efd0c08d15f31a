"""Compiles the kernel into the wheel. Without a C compiler the wheel is one of pure Python, which says so.

``ABNFORGE_KERNEL=required`` in the environment makes a kernel that cannot be built an error, and
``ABNFORGE_KERNEL=python`` leaves it out.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

KERNEL = Path("src", "abnforge", "_native")
GNU = ["-std=gnu11", "-O3", "-g0", "-fno-strict-aliasing", "-fvisibility=hidden"]
OLDEST = "0x030B0000"  # stable ABI: a build for CPython 3.11 serves all later versions


class KernelHook(BuildHookInterface[Any]):
    """Build the extension module, and report its path and the platforms of the wheel to hatchling."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the extension before a wheel; ``version`` is "standard" or "editable"."""
        wanted = os.environ.get("ABNFORGE_KERNEL", "")
        if version == "editable":  # an old one would be imported even if not wanted, or not rebuilt
            for pattern in ("binding.*.so", "binding.so", "binding*.pyd"):
                for old in (Path(self.root) / KERNEL).glob(pattern):
                    old.unlink()
        if wanted == "python":
            return
        self._folder = tempfile.mkdtemp()
        try:
            made = self._compiled(Path(self._folder))
        except Exception as error:  # output of a compiler
            if wanted == "required":
                raise
            said = "the kernel was not compiled, so abnforge will walk its tables in Python"
            self.app.display_warning(f"{said}: {error}")
            return
        if version == "editable":  # the package is where its sources are, and so has to be the kernel
            shutil.copy(made, Path(self.root) / KERNEL)
            return
        build_data["pure_python"] = False
        build_data["force_include"][str(made)] = f"abnforge/_native/{made.name}"
        if _limited():
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["tag"] = f"cp311-abi3-{platform}"
        else:
            build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the build directory after the wheel is written."""
        shutil.rmtree(getattr(self, "_folder", ""), ignore_errors=True)

    def _compiled(self, folder: Path) -> Path:
        from setuptools import Distribution, Extension
        from setuptools.command.build_ext import build_ext

        extension = Extension(
            "abnforge._native.binding",
            [str(KERNEL / source.name) for source in sorted((Path(self.root) / KERNEL).glob("*.c"))],
            py_limited_api=_limited(),
            define_macros=[("Py_LIMITED_API", OLDEST)] if _limited() else [],
            extra_compile_args=GNU if os.name != "nt" else ["/std:c11", "/O2"],
        )
        command = build_ext(Distribution({"ext_modules": [extension]}))
        command.ensure_finalized()
        command.build_lib = command.build_temp = str(folder)
        before = Path.cwd()
        os.chdir(self.root)
        try:
            command.run()
        finally:
            os.chdir(before)
        suffix = sysconfig.get_config_var("EXT_SUFFIX").rpartition(".")[2]
        return next(folder.rglob(f"binding*.{suffix}"))


def _limited() -> bool:
    """Return whether the stable ABI can be built for: free-threaded CPython 3.13 and 3.14 have none."""
    return sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED")

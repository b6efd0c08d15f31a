"""Build the C extension and the SBOM of a wheel, and read the owner of the project.

Without a C compiler, the wheel is pure Python. ``ABNFORGE_KERNEL=required`` in the environment makes a failed
compilation an error, and ``ABNFORGE_KERNEL=python`` omits the extension.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import sysconfig
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

KERNEL = Path("src", "abnforge", "_native")
GNU = ["-std=gnu11", "-O3", "-g0", "-fno-strict-aliasing", "-fvisibility=hidden"]
OLDEST = "0x030B0000"  # stable ABI: a build for CPython 3.11 serves all later versions


LINK = re.compile(r"(!?)(\[[^\]]*\]\()(?!https?:|#)")


class OwnerHook(MetadataHookInterface):
    """Add authors and URLs from packaging/owner.toml, and the README with absolute links, to the metadata."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the dynamic fields. Without an owner, the metadata has no URLs, and links stay relative."""
        owner = tomllib.loads(Path(self.root, "packaging", "owner.toml").read_text("utf-8"))
        author = {key: owner[key] for key in ("name", "email") if owner[key]}
        metadata["authors"] = [author or {"name": "the abnforge authors"}]
        pages = {
            "Repository": "",
            "Changelog": "/blob/main/CHANGELOG.md",
            "Documentation": "/blob/main/docs/index.md",
            "Issues": "/issues",
            "Security": "/security/policy",
        }
        metadata["urls"] = {key: owner["url"] + path for key, path in pages.items() if owner["url"]}
        text = Path(self.root, "README.md").read_text("utf-8")
        if owner["url"]:
            text = LINK.sub(
                lambda link: f"{link[0]}{owner['url']}/{'raw' if link[1] else 'blob'}/main/", text
            )
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


class KernelHook(BuildHookInterface[Any]):
    """Build the extension module, and report its path and the platforms of the wheel to hatchling."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the extension before a wheel; ``version`` is "standard" or "editable"."""
        self._folder = tempfile.mkdtemp()
        if version != "editable":
            build_data["sbom_files"].append(str(self._sbom(Path(self._folder))))
        requested = os.environ.get("ABNFORGE_KERNEL", "")
        if version == "editable":  # an old one would be imported even if it is not requested, or not rebuilt
            for pattern in ("binding.*.so", "binding.so", "binding*.pyd"):
                for old in (Path(self.root) / KERNEL).glob(pattern):
                    old.unlink()
        if requested == "python":
            return
        try:
            extension = self._compiled(Path(self._folder))
        except Exception as error:  # output of a compiler
            if requested == "required":
                raise
            self.app.display_warning(
                f"the C extension was not compiled, so abnforge uses Python code: {error}"
            )
            return
        if version == "editable":  # the extension must be next to the sources
            shutil.copy(extension, Path(self.root) / KERNEL)
            return
        build_data["pure_python"] = False
        build_data["force_include"][str(extension)] = f"abnforge/_native/{extension.name}"
        if _limited():
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["tag"] = f"cp311-abi3-{platform}"
        else:
            build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the build directory after the wheel is written."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _sbom(self, folder: Path) -> Path:
        """Write the software bill of materials (PEP 770): the package, and the packages that it requires."""
        core = self.metadata.core
        required = sorted(re.match(r"[\w.-]+", each)[0] for each in core.dependencies)
        package = {
            "name": core.name,
            "version": self.metadata.version,
            "licenses": [{"expression": core.license_expression}],
        }
        document = {
            "bomFormat": "CycloneDX",
            "specVersion": "1.6",
            "version": 1,
            "metadata": {"component": _component(**package)},
            "components": [_component(name) for name in required],
            "dependencies": [
                {"ref": core.name, "dependsOn": required},
                *({"ref": name} for name in required),
            ],
        }
        path = folder / f"{core.name}.cdx.json"
        path.write_text(json.dumps(document, indent=2) + "\n", "utf-8")
        return path

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


def _component(name: str, version: str = "", **fields: Any) -> dict[str, Any]:
    url = f"pkg:pypi/{name}" + f"@{version}" * bool(version)
    versions = {"version": version} if version else {}
    return {"type": "library", "bom-ref": name, "name": name, **versions, "purl": url, **fields}


def _limited() -> bool:
    """Return whether the stable ABI can be built for: free-threaded CPython 3.13 and 3.14 have none."""
    return sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED")

"""Build the wheel for Pyodide, a CPython for browsers, with the C extension as WebAssembly.

    python tools/pyodide_wheel.py DIR

Uses Clang and the linker of the package ``ziglang``, and the headers of the running CPython, whose stable ABI
is the same everywhere, except for the sizes of C's types. The release uses Pyodide's own tools instead.
Prints the wheel's path. Exit status: 0 built, 1 not built.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from importlib.util import find_spec
from pathlib import Path

from abnforge.teaching.playground.building import PLATFORM

ROOT = Path(__file__).parent.parent
SIZES = {
    **dict.fromkeys(("INT", "LONG", "SIZE_T", "VOID_P", "WCHAR_T", "UINTPTR_T", "FLOAT"), 4),
    **dict.fromkeys(("LONG_LONG", "TIME_T", "DOUBLE"), 8),
    "SHORT": 2,
}
"""The sizes of C's types for ``wasm32-emscripten``, which ``pyconfig.h`` defines."""


def build(folder: Path) -> Path:
    """Build the wheel, and return its path. Raises ModuleNotFoundError; CalledProcessError."""
    spec = find_spec("ziglang")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("ziglang is missing; run pip install ziglang", name="ziglang")
    zig = Path(spec.origin).parent
    headers = ("include", "libc/include/wasm-wasi-musl", "libc/include/generic-musl")
    with tempfile.TemporaryDirectory() as work:
        config = Path(work, "pyconfig.h")
        config.write_text("".join(f"#define SIZEOF_{name} {size}\n" for name, size in SIZES.items()))
        # Py_PYCONFIG_H is the guard of this machine's pyconfig.h. The headers of libc require __wasi__.
        compiler = f"clang --target=wasm32-emscripten -nostdinc -D__wasi__ -DPy_PYCONFIG_H -include {config}"
        linker = "wasm-ld -shared --experimental-pic --strip-all --unresolved-symbols=import-dynamic"
        environment = {
            **os.environ,
            "ABNFORGE_KERNEL": "required",
            "CC": " ".join(
                [f"{zig / 'zig'} {compiler}", *(f"-isystem {zig / 'lib' / each}" for each in headers)]
            ),
            "LDSHARED": f"{zig / 'zig'} {linker} --export=PyInit_binding",
            "_PYTHON_HOST_PLATFORM": PLATFORM.replace("_", "-"),
        }
        command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", work, str(ROOT)]
        subprocess.run(command, check=True, env=environment)
        [wheel] = Path(work).glob("*.whl")
        folder.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy(wheel, folder))


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR", type=Path)
    try:
        print(build(parser.parse_args(arguments).folder))
    except (ModuleNotFoundError, subprocess.CalledProcessError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

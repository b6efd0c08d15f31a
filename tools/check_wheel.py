"""Check a built wheel: equal builds, size, SBOM, and a test in an environment without a compiler.

    python tools/check_wheel.py BUILD BUILD

BUILD is a directory with the files of one build. Exit status: 0 no problem, 1 problems.
"""

from __future__ import annotations

import filecmp
import json
import os
import re
import subprocess
import sys
import venv
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from email.parser import BytesParser
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

SMOKE = Path(__file__).with_name("smoke.py")
MAX_BYTES = 4_000_000  # of a wheel; the data of the built-in grammars need most of it


def differences(first: Path, second: Path) -> list[str]:
    """Return a line for each file that differs between two builds, or exists in only one."""
    names = sorted({path.name for folder in (first, second) for path in folder.iterdir()})
    _, unequal, missing = filecmp.cmpfiles(first, second, names, shallow=False)
    return [
        f"{name} differs between two builds; remove what depends on time or place" for name in unequal
    ] + [f"{name} is missing in one of two builds" for name in missing]


def problems(wheel: Path) -> list[str]:
    """Return a line for each wrong property of a wheel."""
    lines = []
    if (size := wheel.stat().st_size) > MAX_BYTES:
        lines.append(f"{wheel.name} has {size:,} bytes, more than {MAX_BYTES:,}")
    with ZipFile(wheel) as archive:
        names = {name.partition(".dist-info/")[2]: name for name in archive.namelist()}
        metadata = BytesParser().parsebytes(archive.read(names["METADATA"]))
        sbom = names.get(f"sboms/{metadata['Name']}.cdx.json")
        if sbom is None:
            return [*lines, f"{wheel.name} does not contain an SBOM"]
        document = json.loads(archive.read(sbom))
    component = document["metadata"]["component"]
    described = [component["name"], component["version"], *(each["name"] for each in document["components"])]
    requirements = [each for each in metadata.get_all("Requires-Dist", []) if ";" not in each]
    required = sorted(re.split(r"[^\w.-]", each)[0] for each in requirements)
    if described != [metadata["Name"], metadata["Version"], *required]:
        lines.append(f"the SBOM of {wheel.name} describes other packages than the metadata")
    return lines


def smoke(wheel: Path) -> int:
    """Install a wheel and run its test, without programs on the path, and so without a compiler."""
    kernel = "python" if wheel.name.endswith("-any.whl") else "compiled"
    with TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        scripts = Path(folder, "Scripts" if os.name == "nt" else "bin")
        environment = {
            key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "ABNFORGE"))
        }
        environment["PATH"] = str(scripts)
        for arguments in (
            ["-m", "pip", "install", "-q", "--only-binary=:all:", str(wheel)],
            [str(SMOKE), kernel],
        ):
            status = subprocess.run([scripts / "python", *arguments], cwd=folder, env=environment).returncode
            if status:
                return status
    return 0


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("builds", nargs=2, type=Path, metavar="BUILD")
    first, second = parser.parse_args(arguments).builds
    lines = differences(first, second)
    wheels = sorted(first.glob("*.whl"))
    lines += [line for wheel in wheels for line in problems(wheel)] if wheels else [f"no wheel in {first}"]
    print(*lines, sep="\n", end="\n" if lines else "")
    return 1 if lines or any(smoke(wheel.resolve()) for wheel in wheels) else 0


if __name__ == "__main__":
    sys.exit(main())

"""Fuzz targets side by side, and print what each of them did.

    python fuzz/run.py                              all targets, for a minute
    python fuzz/run.py reader csv --seconds 1200    two targets, for 20 minutes
    python fuzz/targets.py csv FILE                 repeat a finding

Requires Atheris (``pip install --group fuzz``), and clang for the target "kernel", which is skipped without
clang unless you name it. Inputs that reach new code are kept in ``build/fuzz``, and the next run continues
with them. A target stops at its first finding, whose file is printed.

Exit status: 0 no finding, 1 a finding, 2 usage error.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path
from time import time

FUZZ = Path(__file__).resolve().parent
sys.path.insert(0, str(FUZZ))

import build_kernel  # noqa: E402
import targets  # noqa: E402

KERNEL = "kernel"
NAMES = (*targets.TARGETS, KERNEL)
FINDINGS = ("crash-", "leak-", "oom-", "timeout-")
STATUS = re.compile(r"^#(\d+)\s.*cov: (\d+) ft: (\d+)", re.MULTILINE)


def command(name: str, folder: Path, compiler: str) -> list[str]:
    """Return the command that fuzzes a target, with its directories of inputs."""
    inputs = folder / "inputs"
    inputs.mkdir(parents=True, exist_ok=True)
    if name == KERNEL:
        status = build_kernel.main([str(folder), "--coverage", "--compiler", compiler])
        paths = (folder / "kernel_fuzz", inputs, FUZZ / "seeds" / KERNEL)
        return [] if status else [*map(str, paths)]
    more = sorted({str(path.parent) for path in targets.seeds(name)})
    return [sys.executable, str(FUZZ / "targets.py"), name, str(inputs), *more]


def row(name: str, folder: Path, begin: float) -> tuple[str, list[str]]:
    """Return the row of a target in the table, and the files of its findings."""
    minutes = ((folder / "log").stat().st_mtime - begin) / 60
    statuses = STATUS.findall((folder / "log").read_text("utf-8", "replace"))
    executions, coverage, features = map(int, statuses[-1] if statuses else (0, 0, 0))
    found = sorted(str(path) for prefix in FINDINGS for path in folder.glob(f"{prefix}*"))
    figures = f"{minutes:7.1f} {executions:>12,} {coverage:>9,} {features:>9,} {len(found):>9}"
    return f"{name:10}{figures}", found


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="TARGET", help=", ".join(NAMES))
    parser.add_argument("--seconds", type=int, default=60, help="time for each target (default: 60)")
    parser.add_argument("--directory", type=Path, default=Path("build", "fuzz"), help="inputs and findings")
    parser.add_argument("--compiler", default="clang", help="compiler with libFuzzer (default: clang)")
    options = parser.parse_args(arguments)
    names = options.names or [*NAMES]
    if not options.names and not shutil.which(options.compiler):
        names.remove(KERNEL)
        print(
            f"{KERNEL}: skipped; install {options.compiler}, or name a compiler with --compiler", flush=True
        )
    if unknown := sorted({*names} - {*NAMES}):
        parser.error(f"unknown target: {unknown[0]}; use one of: {', '.join(NAMES)}")
    running = {}
    for name in names:
        folder = options.directory.resolve() / name
        if not (arguments_of := command(name, folder, options.compiler)):
            return 2
        limits = [f"-max_total_time={options.seconds}", f"-artifact_prefix={folder}/"]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen([*arguments_of, *limits], stdout=log, stderr=subprocess.STDOUT)
        running[name] = (folder, process, time())
    print("target    minutes   executions  coverage  features  findings", flush=True)
    is_faulty = False
    for name, (folder, process, begin) in running.items():
        status = process.wait()
        line, found = row(name, folder, begin)
        print(line, *found, *([f"see {folder / 'log'}"] if status else []), sep="\n  ", flush=True)
        is_faulty |= bool(status or found)
    return int(is_faulty)


if __name__ == "__main__":
    sys.exit(main())

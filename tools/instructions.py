"""Count the instructions of ten hot paths, and compare the counts with recorded ones.

    python tools/instructions.py               fail if a path needs 5 % more instructions
    python tools/instructions.py --update      record the counts of this machine

valgrind (callgrind) runs each path in its own process. It counts one call, after calls that fill the caches.
Other load does not change a count. The interpreter, the compiler, the libraries and the processor do, so the
comparison is skipped if one of them is not the recorded one.

Exit status: 0 no regression, or skipped; 1 regressions, or skipped despite --required; 2 usage error.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import json
import os
import platform
import re
import subprocess
import sys
from argparse import SUPPRESS, ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import metadata
from pathlib import Path
from shutil import rmtree, which
from tempfile import TemporaryDirectory, mkdtemp

import abnforge

BASELINE = Path(__file__).with_suffix(".json")
TOLERANCE = 0.05
WARM = 3  # calls before the counted one
CONTROL = """\
#include <valgrind/callgrind.h>
void start(void) { CALLGRIND_START_INSTRUMENTATION; }
void stop(void) { CALLGRIND_STOP_INSTRUMENTATION; }
"""
ENVIRONMENT = {  # no variable of the caller changes a count
    "PATH": os.environ.get("PATH", ""),
    "PYTHONHASHSEED": "0",
    "ABNFORGE_CACHE": "off",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}

URIS = [
    "http://user@example.com:8080/over/there?name=ferret#nose",
    "https://www.example.org/wiki/Augmented_Backus%E2%80%93Naur_form",
    "urn:example:animal:ferret:nose",
    "ftp://[2001:db8::7]/c=GB?objectClass?one",
    "mailto:John.Doe@example.com",
]
RECORD = {"id": 12345, "name": "caf\u00e9 \u4e2d", "tags": ["a", "b\n"], "ok": True, "x": -1.5e10, "n": None}
DOCUMENT = json.dumps([RECORD] * 5, ensure_ascii=False)
LIST = 'list = item *("," item)\nitem = 1*ALPHA "=" (1*DIGIT ["." 1*DIGIT] / DQUOTE *%x23-7E DQUOTE)\n'

Call = Callable[[int], object]  # each call has another argument, so that it cannot find an earlier result


def verdict() -> Call:
    matches = abnforge.rule("rfc3986:URI").matches
    return lambda call: [matches(text) for text in 40 * URIS]


def columns() -> Call:
    import pyarrow

    from abnforge.columns import matches

    rule, array = abnforge.rule("rfc3986:URI"), pyarrow.array(400 * URIS)
    return lambda call: matches(rule, array, threads=1)


def recursive_verdict() -> Call:
    matches = abnforge.rule("rfc8259:JSON-text").matches
    return lambda call: matches(DOCUMENT)


def tree() -> Call:
    parse = abnforge.rule("rfc8259:JSON-text").parse
    return lambda call: parse(DOCUMENT)


def components() -> Call:
    from abnforge.uri import parse

    return lambda call: [parse(f"{text}{call}") for text in 4 * URIS]


def declared_mistake() -> Call:
    explain = abnforge.rule("rfc3986:URI").explain
    return lambda call: explain(f"http://example.com:80{call}x/path").to_dict()  # type: ignore[union-attr]


def derived_mistake() -> Call:
    explain = abnforge.rule("semver-2.0.0:valid-semver").explain
    return lambda call: explain(f"1.0{call}.3-beta").to_dict()  # type: ignore[union-attr]


def load() -> Call:
    names = ("rfc6570:URI-Template", "rfc3339:date-time", "rfc5646:Language-Tag", "rfc3986:URI")
    return lambda call: abnforge.rule(names[call]).matches("urn:a")


def compile_grammar() -> Call:
    return lambda call: abnforge.loads(LIST.replace("item", f"item{call}"))["list"].matches('a=1,b="c"')


def split_batch() -> Call:
    from abnforge.ingest import split

    folder = mkdtemp()
    atexit.register(rmtree, folder)
    rows = [f"{number},{text}{' ' * (number % 10 == 0)}" for number, text in enumerate(80 * URIS)]
    source = Path(folder, "rows.csv")
    source.write_text("\n".join(["id,url", *rows, ""]), "utf-8")

    def call(call: int) -> object:
        valid, rejects = (Path(folder, f"{call}.{suffix}") for suffix in ("csv", "jsonl"))
        return split(source, {"url": "rfc3986:URI"}, valid, rejects, jobs=1).rejected

    return call


REGULAR = (verdict, columns, components, declared_mistake, derived_mistake)
OTHERS = (recursive_verdict, tree, load, compile_grammar, split_batch)
PATHS = {function.__name__.replace("_", "-"): function for function in (*REGULAR, *OTHERS)}


def run(name: str, library: str) -> None:
    """Run a path. callgrind counts the last call only."""
    call, control = PATHS[name](), ctypes.CDLL(library)
    for number in range(WARM):
        call(number)
    gc.collect()
    gc.disable()
    control.start()
    call(WARM)
    control.stop()


def count(library: str, name: str) -> int:
    """Return the number of instructions of a path."""
    command = ["setarch", "--addr-no-randomize", "valgrind", "--tool=callgrind", "--instr-atstart=no"]
    command += ["--callgrind-out-file=/dev/null", sys.executable, str(Path(__file__).resolve())]
    process = subprocess.run(
        [*command, "--path", name, library], env=ENVIRONMENT, cwd="/", capture_output=True, text=True
    )
    collected = re.search(r"Collected : (\d+)", process.stderr)
    if process.returncode or not collected:
        raise SystemExit(f"{name} failed\n{process.stderr}")
    return int(collected[1])


def counts() -> dict[str, int]:
    """Return the number of instructions of each path."""
    with TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        library = f"{folder}/control.so"
        subprocess.run(
            ["cc", "-shared", "-fPIC", "-xc", "-o", library, "-"], input=CONTROL, text=True, check=True
        )
        return dict(zip(PATHS, pool.map(partial(count, library), PATHS), strict=True))


def machine() -> dict[str, str]:
    """Return everything that counts depend on."""
    versions = [
        subprocess.run([each, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
        for each in ("cc", "valgrind")
    ]
    avx2 = "avx2" if "avx2" in Path("/proc/cpuinfo").read_text("ascii").split() else "no avx2"
    return {
        "interpreter": f"{platform.python_implementation()} {platform.python_version()}",
        "compilers": f"{platform.python_compiler()}; {versions[0]}",
        "libraries": f"{' '.join(platform.libc_ver())}, pyarrow {metadata.version('pyarrow')}",
        "processor": f"{platform.machine()}, {avx2}; {versions[1]}",
        "implementation": abnforge.KERNEL,
    }


def compare(old: Mapping[str, int], new: Mapping[str, int]) -> tuple[list[str], bool]:
    """Return a line for each path, and whether a path needs at least 5 % more instructions."""
    ratios = {name: value / old.get(name, value) - 1 for name, value in new.items()}
    lines = []
    for name, ratio in ratios.items():
        text = f"{name:18}{new[name]:>12,}  " + (f"{ratio:+.1%}" if name in old else "new")
        if abs(ratio) >= TOLERANCE:
            text += "; find the cause" if ratio > 0 else "; record it with --update"
        lines.append(text)
    return lines, max(ratios.values()) >= TOLERANCE


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--required", action="store_true", help="fail if the comparison is skipped")
    parser.add_argument("--baseline", type=Path, default=BASELINE, metavar="FILE")
    parser.add_argument("--path", nargs=2, help=SUPPRESS)
    options = parser.parse_args(arguments)
    if options.path:
        run(*options.path)
        return 0
    if missing := [name for name in ("valgrind", "setarch", "cc") if not which(name)]:
        print(f"skipped: {', '.join(missing)} cannot be found")
        return int(options.required)
    if not options.update and not options.baseline.is_file():
        parser.error(f"no such file: {options.baseline}; record it with --update")
    here = machine()
    if options.update:
        text = json.dumps({"machine": here, "instructions": counts()}, indent=4)
        options.baseline.write_text(text + "\n", "utf-8")
        return 0
    recorded = json.loads(options.baseline.read_text("utf-8"))
    pairs = {key: (here.get(key), recorded["machine"].get(key)) for key in here | recorded["machine"]}
    if different := [f"{key} is {new!r}, not {old!r}" for key, (new, old) in pairs.items() if new != old]:
        print(*(f"skipped: {text}" for text in different), sep="\n")
        return int(options.required)
    lines, worse = compare(recorded["instructions"], counts())
    print(*lines, sep="\n")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())

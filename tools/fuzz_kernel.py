"""Fuzz the C extension without Python: find differences between its walks, and reads out of bounds.

    python tools/fuzz_kernel.py                            a million executions with a fresh seed
    python tools/fuzz_kernel.py --executions 10000000      ten million executions
    python tools/fuzz_kernel.py --seed 7                   the same executions each time
    python tools/fuzz_kernel.py --plain                    guarded pages only, without sanitizers
    python tools/fuzz_kernel.py --plain --compiler "aarch64-linux-gnu-gcc -static" --runner qemu-aarch64

Writes tables of bundled and random grammars, compiles ``tests/reference/kernel_fuzz.c``, and runs it. Exit
status: 0 no difference, 1 a difference or a sanitizer report, 2 usage error, 77 the compilation failed.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import SystemRandom

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT))  # the tests generate random grammars

import abnforge  # noqa: E402
from abnforge.automata.code_points import without_tags  # noqa: E402
from abnforge.automata.tables import TableTooLargeError, packed  # noqa: E402
from abnforge.automata.tagged import tagged  # noqa: E402
from abnforge.budget import Budget  # noqa: E402
from abnforge.errors import LimitExceeded  # noqa: E402
from tests.reference.regular_grammars import grammar  # noqa: E402

KERNEL = ROOT / "src" / "abnforge" / "_native"
REFERENCE = ROOT / "tests" / "reference"
SOURCES = (
    *(REFERENCE / f"{name}_fuzz.c" for name in ("kernel", "references", "follow")),
    *(KERNEL / f"{name}.c" for name in ("walk", "columns", "references", "follow", "weighted")),
)
ALLOCATIONS = ("-Dmalloc=fuzz_malloc", "-Drealloc=fuzz_realloc")  # some allocations fail
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")

# Rules of bundled grammars, and the components whose positions are compared.
RULES = {
    "rfc3986:URI": ("scheme", "userinfo", "host", "port", "path-abempty", "query", "fragment"),
    "rfc3986:URI-reference": (),
    "rfc3986:IPv6address": ("h16", "IPv4address"),
    "rfc3987:IRI": ("ihost", "iquery", "ifragment"),
    "rfc6874:URI": ("ZoneID",),
    "rfc2396:URI-reference": ("scheme", "path"),
    "rfc3339:date-time": ("full-date", "time-secfrac", "time-offset"),
    "rfc5321:Mailbox": (),
    "rfc5234:comment": (),
}
RANDOM = 40
SMALL = Budget(steps=60_000)
NO_COMPILER = 77


def tables() -> Iterator[bytes]:
    """Yield tables for rules of bundled and random grammars, with and without tags."""
    for name, parts in RULES.items():
        yield from _tables(abnforge.rule(name), parts, 16)
    for seed in range(RANDOM):
        loaded = abnforge.loads(grammar(seed))
        others = [rule.name for rule in loaded.own_rules[1:]]
        yield from _tables(loaded["r0"], others, (1, 2, 16)[seed % 3])


def _tables(rule: abnforge.Rule, parts: tuple[str, ...] | list[str], least_loop: int) -> Iterator[bytes]:
    made = rule.grammar.compilation
    key = rule.name.lower()
    try:
        yield packed(without_tags(rule.automaton), least_loop=least_loop)
        if parts:
            expected = {part: (part.lower(),) for part in parts}
            points = tagged(
                made.core, made.bodies, key, expected, {}, SMALL.meter(f"the parts of {rule.name}")
            )
            yield packed(points, least_loop=least_loop)
    except (LimitExceeded, TableTooLargeError):  # some random automata are too large
        return


def compiled(
    compiler: str, folder: Path, *, plain: bool = False, sources: Sequence[Path] = SOURCES
) -> Path | str:
    """Return the path of the compiled program, or the compiler's error output."""
    program = folder / "kernel_fuzz"
    options = ["-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", "-Werror", *ALLOCATIONS]
    options += () if plain else SANITIZERS
    paths = [f"-I{KERNEL}", f"-I{REFERENCE}", *map(str, sources), "-o", str(program)]
    try:
        process = subprocess.run([*shlex.split(compiler), *options, *paths], capture_output=True, text=True)
    except OSError as error:
        return str(error)
    return program if process.returncode == 0 else process.stderr


def written(folder: Path) -> list[str]:
    """Write each table to a file, and return the names of the files."""
    names = []
    for number, table in enumerate(tables()):
        path = folder / f"{number}.table"
        path.write_bytes(table)
        names.append(str(path))
    return names


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--executions", type=int, default=1_000_000, help="number of strings (default: a million)"
    )
    parser.add_argument("--seed", type=int, help="seed of the random strings (default: a fresh one)")
    parser.add_argument("--plain", action="store_true", help="compile without sanitizers")
    parser.add_argument("--compiler", default="cc", help="command of the compiler (default: cc)")
    parser.add_argument("--runner", default="", help="command that runs the program, such as an emulator")
    options = parser.parse_args(arguments)
    seed = SystemRandom().randrange(10**9) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = compiled(options.compiler, folder, plain=options.plain)
        if isinstance(program, str):
            print(f"the program cannot be compiled:\n{program}", file=sys.stderr)
            return NO_COMPILER
        files = written(folder)
        print(f"{len(files)} tables", flush=True)
        command = [*shlex.split(options.runner), str(program), str(options.executions), str(seed), *files]
        return 1 if subprocess.run(command).returncode else 0


if __name__ == "__main__":
    sys.exit(main())

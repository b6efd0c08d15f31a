"""Build the program that fuzzes the C extension without Python, and the tables that it reads.

    python fuzz/build_kernel.py DIRECTORY                                    with sanitizers
    python fuzz/build_kernel.py DIRECTORY --coverage --compiler clang        for libFuzzer
    python fuzz/build_kernel.py DIRECTORY --plain --compiler "aarch64-linux-gnu-gcc -static"
    DIRECTORY/kernel_fuzz EXECUTIONS SEED                                    fuzz; qemu-aarch64 DIRECTORY/...

Writes tables of built-in and random grammars, and compiles ``fuzz/kernel/kernel_fuzz.c``. Exit status:
0 done, 2 usage error, 77 the compilation failed.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

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
FUZZ = ROOT / "fuzz" / "kernel"
SOURCES = (
    *(FUZZ / f"{name}_fuzz.c" for name in ("kernel", "references", "follow")),
    *(KERNEL / f"{name}.c" for name in ("walk", "columns", "references", "follow", "weighted")),
)
ALLOCATIONS = ("-Dmalloc=fuzz_malloc", "-Drealloc=fuzz_realloc")  # some allocations fail
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
COVERAGE = ("-DCOVERAGE", "-fsanitize=fuzzer")

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
    compiler: str,
    folder: Path,
    *,
    options: Sequence[str] = SANITIZERS,
    sources: Sequence[Path] = SOURCES,
) -> Path | str:
    """Return the path of the compiled program, or the compiler's error output."""
    program = folder / "kernel_fuzz"
    warnings = ["-Wall", "-Wextra", "-Werror"]
    paths = [f"-I{KERNEL}", f"-I{FUZZ}", *map(str, sources), "-o", str(program)]
    command = [*shlex.split(compiler), "-std=gnu11", "-O2", "-g", *warnings, *ALLOCATIONS, *options, *paths]
    try:
        process = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        return str(error)
    return program if process.returncode == 0 else process.stderr


def write_tables(folder: Path) -> Path:
    """Write the file of tables that the program reads, and return its path."""
    path = folder / "kernel_fuzz.tables"
    path.write_bytes(b"".join(tables()))
    return path


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("directory", type=Path)
    parser.add_argument("--coverage", action="store_true", help="compile for libFuzzer (requires clang)")
    parser.add_argument("--plain", action="store_true", help="compile without sanitizers")
    parser.add_argument("--compiler", default="cc", help="command of the compiler (default: cc)")
    options = parser.parse_args(arguments)
    options.directory.mkdir(parents=True, exist_ok=True)
    more = [*(() if options.plain else SANITIZERS), *(COVERAGE if options.coverage else ())]
    program = compiled(options.compiler, options.directory, options=more)
    if isinstance(program, str):
        print(f"the program cannot be compiled:\n{program}", file=sys.stderr)
        return NO_COMPILER
    write_tables(options.directory)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What an entry of the report says: who is asked, what it promises, by what call, for which rules."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from pathlib import Path

from abnforge.conformance.judges import Answer, Function, Judge, as_judge
from abnforge.conformance.processes import Process

PROGRAMS = Path(__file__).parent / "programs"

SPECIFICATION, ANOTHER, OWN, SPLITS = "specification", "another", "own", "splits"
PROMISES = {
    SPECIFICATION: "the specification",
    ANOTHER: "another specification",
    OWN: "rules of their own",
    SPLITS: "no validation",
}
"""What is promised, in the order of the page."""

Load = Callable[[], AbstractContextManager[Judge]]


@dataclass(frozen=True)
class Asked:
    """How an implementation is asked for one rule. ``call`` is what is called, ``s`` being the string;
    ``load`` gives the judge, and imports what it needs only then. ``strings`` is how many of the suite are
    asked, None being all; ``slow`` says that each takes long.
    """

    call: str
    load: Load
    strings: int | None = None
    slow: bool = False


@dataclass(frozen=True)
class Implementation:
    """A row of the report. ``package`` is whose version counts: a distribution, ``python``, ``node``,
    ``java`` or ``npm:NAME``; those of ``beside`` count, too. ``says`` tells in few words what is promised,
    ``source`` where. ``known`` is by rule what was reported already, as links.
    """

    name: str
    package: str
    promise: str
    says: str
    source: str
    asked: Mapping[str, Asked]
    beside: Sequence[str] = ()
    known: Mapping[str, str] = field(default_factory=dict)


def function(load: Callable[[], Judge | Function]) -> Load:
    """A judge of a function of this process; ``load`` imports it."""

    @contextmanager
    def judge() -> Iterator[Judge]:
        yield as_judge(load())

    return judge


def encodable(load: Callable[[], Judge | Function]) -> Load:
    """The same for documents, which are UTF-8: those with lone surrogates are not asked."""

    @contextmanager
    def judge() -> Iterator[Judge]:
        yield _Encodable(as_judge(load()))

    return judge


class _Encodable(Judge):
    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    def answers(self, texts: Sequence[str]) -> Iterator[Answer | None]:
        """An answer a string, None for one that is no UTF-8."""
        for text in texts:
            surrogates = any("\ud800" <= char <= "\udfff" for char in text)
            yield None if surrogates else self._judge.ask(text)


def between(before: str, behind: str, delimiters: str, accepts: Callable[[str], object]) -> Function:
    """A function for a part of what ``accepts`` is asked for. A string with one of the delimiters would be
    another part, so it is refused without asking.
    """
    refused = frozenset(delimiters)

    def judge(text: str) -> object:
        return refused.isdisjoint(text) and accepts(before + text + behind)

    return judge


def always(parse: Callable[[str], object]) -> Callable[[str], bool]:
    """Says no by raising alone."""

    def judge(text: str) -> bool:
        parse(text)
        return True

    return judge


def program(args: Sequence[str]) -> Load:
    """A judge that runs beside this process, and reads JSON Lines."""

    def judge() -> Process:
        return Process(args)

    return judge


@cache
def version(package: str) -> str | None:
    """The version that is installed; None where it is not."""
    if package == "python":
        return platform.python_version()
    if package == "node":
        return (_said("node", "--version") or "").lstrip("v") or None
    if package == "java":
        return _said("java", "--version", words=2)
    kind, _, name = package.partition(":")
    if kind == "npm":
        return _said("node", "-p", f"require({json.dumps(name + '/package.json')}).version")
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _said(command: str, *args: str, words: int = 1) -> str | None:
    """The last of the first words that a command says."""
    if shutil.which(command) is None:
        return None
    done = subprocess.run([command, *args], capture_output=True, text=True, timeout=60, check=False)
    said = done.stdout.split()[:words]
    return said[-1] if done.returncode == 0 and said else None


def versions(implementation: Implementation) -> dict[str, str] | None:
    """The versions that count, by package; None where one is not installed. Functions of this process depend
    on its Python, too.
    """
    packages = [implementation.package, *implementation.beside]
    if not {"node", "java"} & {each.partition(":")[0].replace("npm", "node") for each in packages}:
        packages.append("python")
    found = {each: version(each) for each in dict.fromkeys(packages)}
    return None if None in found.values() else {name: str(each) for name, each in found.items()}

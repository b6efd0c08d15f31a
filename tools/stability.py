"""Write the lists in ``docs/stability.md``: every name, key and code that is promised to stay.

    python tools/stability.py             add what is new; exit 1 if something has gone, and write nothing
    python tools/stability.py --remove    write the lists even so (after a deprecation, see the page)
    python tools/stability.py --check     exit 1 if the lists are not what the code has

The lists stand in the page as blocks of text behind ``<!-- list: NAME -->``. They are found by looking at the
code, and for JSON by running the commands.
"""

from __future__ import annotations

import argparse
import ast
import dataclasses
import enum
import inspect
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent, fill
from typing import Any

import click
from click.testing import CliRunner

import abnforge
from abnforge.cli.app import cli
from abnforge.cli.common import status
from abnforge.comparison.grammars import RELATIONS
from abnforge.linting.registry import KINDS
from abnforge.uri import HostKind, PathKind, Severity, Step, Wrapper, rfc2396

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "stability.md"
PACKAGE = Path(abnforge.__file__).parent

MODULES = ("abnforge", "abnforge.uri", "abnforge.uri.rfc2396")
COLUMNS = 110

# Members without an underscore because other packages of abnforge use them; callers do not need them.
INTERNAL = {
    *(
        f"Grammar.{name}"
        for name in ("bound", "compilation", "core", "derivatives", "facts", "readers", "start_key")
    ),
    *(f"{cls}.{name}" for cls in ("Reference", "URI", "RelativeRef") for name in ("with_rule",)),
    *(f"Rule.{name}" for name in ("key", "lane", "rules")),
    *(f"{cls}.{name}" for cls in ("GrammarError", "LimitExceeded") for name in ("combine",)),
    "Budget.meter",
}

Items = dict[str, list[str]]
"""What a list says: of each name, the names that belong to it, in their order."""


def names() -> Items:
    """The public modules' names; of classes their members, of functions and methods their parameters."""
    found: Items = {}
    for module_name in MODULES:
        module = import_module(module_name)
        found[module_name] = sorted(module.__all__)
        for name in sorted(module.__all__):
            value = getattr(module, name)
            if inspect.isclass(value):
                found |= _members(f"{module_name}.{name}", value)
            elif inspect.isroutine(value):
                found[f"{module_name}.{name}()"] = _parameters(value)
    return found


def _members(label: str, cls: type) -> Items:
    own = {name for base in cls.__mro__ if _ours(base) for name in vars(base)}
    fields = {field.name for field in dataclasses.fields(cls)} if dataclasses.is_dataclass(cls) else set()
    slots = {name for base in cls.__mro__ if _ours(base) for name in getattr(base, "__annotations__", {})}
    public = sorted(
        name
        for name in own | fields | slots | set(_assigned(cls))
        if not name.startswith("_") and f"{cls.__name__}.{name}" not in INTERNAL
    )
    found = {label: public} if public else {}
    for name in public:
        member = inspect.getattr_static(cls, name, None)
        if isinstance(member, classmethod | staticmethod) or inspect.isfunction(member):
            found[f"{label}.{name}()"] = _parameters(getattr(cls, name))
    return {head: items for head, items in found.items() if items}


def _assigned(cls: type) -> Iterator[str]:
    """The attributes that objects get when they are made."""
    for base in filter(_ours, cls.__mro__):
        if inspect.isfunction(made := vars(base).get("__init__")) and made.__module__ == base.__module__:
            try:
                source = inspect.getsource(made)
            except OSError:
                continue  # written by dataclasses: its fields are known
            for node in ast.walk(ast.parse(dedent(source))):
                if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                    yield node.attr


def _ours(cls: type) -> bool:
    return cls.__module__.partition(".")[0] == "abnforge"


def _parameters(function: Any) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]


GRAMMAR = "doc = 1*( word LF )\nword = 1*ALPHA\nloop = *( *DIGIT )\n"

# What is run to see the keys of JSON: the name it goes by, arguments, standard input.
SAMPLES: tuple[tuple[str, tuple[str, ...], bytes], ...] = (
    (
        "check --format jsonl",
        ("check", "--all", "--security", "--suggest"),
        b"http://u:p@h\nhttp://h:80x/\n\xff\n",
    ),
    ("check --format json", ("check", "--suggest"), b"http://h:80x/\n"),
    ("check --verbose --format jsonl", ("check", "--verbose"), b"http://h:80x/\n"),
    ("check --verbose --format json", ("check", "--verbose"), b"http://h:80x/\n"),
    (
        "check --whole-file --format json",
        ("check", "--whole-file", "--newline", "lf", "--suggest", "--grammar", "my.abnf"),
        b" ab\r\nc\n",
    ),
    ("explain --format json", ("explain", "--null"), b"http://h:80x/\nx"),
    ("explain --format jsonl", ("explain", "--null"), b"http://h:80x/\nx"),
    ("parse --format json", ("parse", "--rule", "URI-reference"), b"http://h/\n//u@h:80\nhttp://h:8x\n"),
    ("parse --grammar rfc2396 --format json", ("parse", "--grammar", "rfc2396"), b"http://u@h:80/\nx:y\n"),
    (
        "uri normalize --format json",
        (
            "uri",
            "normalize",
        ),
        b"http://h/\nx y\n",
    ),
    ("uri resolve --format json", ("uri", "resolve", "http://h/"), b"a\nx y\n"),
    ("uri compare --format json", ("uri", "compare", "http://h/a", "http://h/b"), b""),
    (
        "uri compare --between RFC RFC --format json",
        ("uri", "compare", "--between", "rfc2396", "rfc3986"),
        b"mailto:a?b\na:\nhttp://h/a b\n",
    ),
    (
        "uri scan --format jsonl",
        (
            "uri",
            "scan",
        ),
        b"<http://h/a-\nb>",
    ),
    ("code --format json", ("code", "port-not-digits"), b""),
    ("code --list --format json", ("code", "--list", "-g", "rfc3339"), b""),
    ("list --format json", ("list",), b""),
    ("show --format json", ("show", "host"), b""),
    ("lint --format json", ("lint", "--all", "my.abnf"), b""),
    ("test --format json", ("test", "rfc3339"), b""),
    ("coverage --format json", ("coverage", "--rule", "port"), b"80\nx\n"),
    ("exercise list --format json", ("exercise", "list"), b""),
    ("exercise show --format json", ("exercise", "show", "pin", "--hint", "1", "--solution"), b""),
    ("exercise check --format json", ("exercise", "check", "-e", "pin", "-"), b"pin = 3*5DIGIT"),
    ("diff --format json", ("diff", "rfc2396:IPv4address", "rfc3986:IPv4address"), b""),
    (
        "diff --compat --format json",
        ("diff", "--compat", "rfc2396:IPv4address", "rfc3986:IPv4address"),
        b"",
    ),
)


def keys() -> Items:
    """The keys of every object that a verb writes as JSON; ``[]`` stands for the elements of an array."""
    found: Items = {}
    for label, arguments, given in SAMPLES:
        report_format = label.rpartition(" ")[2]
        with TemporaryDirectory() as folder:
            path = Path(folder) / "my.abnf"
            path.write_text(GRAMMAR, "utf-8")
            options = [str(path) if argument == path.name else argument for argument in arguments]
            result = CliRunner().invoke(cli, [*options, "--format", report_format], input=given)
        text = result.stdout
        values = json.loads(text if text.startswith("[") else f"[{','.join(text.splitlines())}]")
        if not values:
            raise RuntimeError(f"{label} wrote nothing: {result.stderr}")
        for value in values:
            for place, names in _keys(value, ""):
                items = found.setdefault(f"{label} {place}".strip(), [])
                items += [name for name in names if name not in items]
    return found


def _keys(value: Any, path: str) -> Iterator[tuple[str, Iterable[str]]]:
    if isinstance(value, list):
        for element in value:
            yield from _keys(element, f"{path}[]" if path else "")
    elif isinstance(value, dict):
        yield path, value
        for name, inner in value.items():
            # Children of children, and rejections within other values, have the same keys.
            if not (name == "children" and path.endswith("children[]")):
                yield from _keys(inner, f"{path}.{name}" if path else name)


def codes() -> Items:
    """Codes and other fixed words, by where they are found."""
    kinds: Mapping[str, type[enum.Enum]] = {
        "host_kind of a component object": HostKind,
        "path_kind of a component object": PathKind,
        "host_kind by RFC 2396": rfc2396.HostKind,
        "path_kind by RFC 2396": rfc2396.PathKind,
        "severity of a security finding": Severity,
        "step of a normalization": Step,
        "wrapper of a URI in a text": Wrapper,
    }
    return {
        "code of a lint finding": [f"{kind.code}={kind.name}" for kind in KINDS.values()],
        "severity of a lint finding": sorted({kind.severity for kind in KINDS.values()}),
        "code of a GrammarError": sorted(set(_called_with("code"))),
        **{
            f"code of a rejection by {name}": sorted(
                code.code
                for code in abnforge.load(name).codes.values()
                if code.definition and not code.derived
            )
            for name in ("rfc3986", "rfc3339", "rfc5321")
        },
        "code of a security finding": sorted(set(_security_codes())),
        "error of a line that is no string": ["file-too-large", "line-too-long", "not-utf-8"],
        "relation of two rules": sorted(RELATIONS),
        **{label: sorted(str(member.value) for member in members) for label, members in kinds.items()},
        "exit status": sorted(
            {"0"} | {str(value) for name, value in vars(status).items() if name.startswith("EXIT_")}, key=int
        ),
    }


def _called_with(keyword: str) -> Iterator[str]:
    """The texts that exceptions are raised with as this keyword, and their defaults; a constant of the module
    stands for its text.
    """
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        constants = {
            ast.unparse(each.targets[0]): each.value for each in tree.body if isinstance(each, ast.Assign)
        }
        for node in ast.walk(tree):
            pairs: list[tuple[str | None, ast.expr | None]] = []
            if isinstance(node, ast.Call):
                pairs += [(each.arg, each.value) for each in node.keywords]
            elif isinstance(node, ast.FunctionDef):
                names = [each.arg for each in node.args.kwonlyargs]
                pairs += zip(names, node.args.kw_defaults, strict=True)
            for name, given in pairs:
                value = constants.get(given.id) if isinstance(given, ast.Name) else given
                if name == keyword and isinstance(value, ast.Constant) and isinstance(value.value, str):
                    yield value.value


def _security_codes() -> Iterator[str]:
    tree = ast.parse((PACKAGE / "uri" / "security.py").read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in ("SecurityFinding", "_first") and isinstance(node.args[0], ast.Constant):
                yield str(node.args[0].value)
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_OCTETS":
            yield from ast.literal_eval(ast.unparse(ast.Tuple(node.value.keys)))  # type: ignore[attr-defined]


def command() -> Items:
    """Verbs, their options and what those offer; the names that options have beside each other."""
    return {label: items for label, items in _command(cli, "abnforge") if items}


def _command(group: click.Command, label: str) -> Iterator[tuple[str, list[str]]]:
    options = [param for param in group.params if isinstance(param, click.Option)]
    flags = [name for option in options for name in (*option.opts, *option.secondary_opts)]
    if isinstance(group, click.Group):
        context = click.Context(group)
        verbs = group.list_commands(context)
        yield label, [*verbs, *flags]
        for verb in verbs:
            found = group.get_command(context, verb)
            if found is not None:
                yield from _command(found, f"{label} {verb}")
        return
    yield label, flags
    for option in options:
        if isinstance(option.type, click.Choice):
            yield f"{label} {max(option.opts, key=len)}", list(option.type.choices)


LISTS = {"names": names, "keys": keys, "codes": codes, "command": command}

_BLOCK = re.compile(
    r"(?<=<!-- list: )(?P<name>\w+)(?P<before> -->\n\n```text\n)(?P<text>.*?)(?=```\n)", re.DOTALL
)


def written(page: str) -> dict[str, Items]:
    """The lists of a page."""
    found: dict[str, Items] = {}
    for block in _BLOCK.finditer(page):
        lines = block["text"].replace("\n    ", " ").splitlines()
        pairs = (line.partition(":") for line in lines)
        found[block["name"]] = {head: items.split() for head, _, items in pairs}
    return found


def rendered(items: Items) -> str:
    """A list as the page has it."""
    return "".join(
        fill(
            f"{head}: {' '.join(names)}",
            COLUMNS,
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        + "\n"
        for head, names in items.items()
    )


def gone(old: Mapping[str, Items], new: Mapping[str, Items]) -> list[str]:
    """What was promised and is no longer there."""
    return [
        f"{head}: {name}" if name else head
        for kind, items in old.items()
        for head, names in items.items()
        for name in (names if head in new.get(kind, {}) else [""])
        if not name or name not in new[kind][head]
    ]


def main(argv: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail if the lists are not current"
    )
    parser.add_argument("--remove", action="store_true", help="write the lists even if something has gone")
    options = parser.parse_args(argv)
    page = PAGE.read_text("utf-8")
    new = {name: make() for name, make in LISTS.items()}
    current = _BLOCK.sub(
        lambda block: f"{block['name']}{block['before']}{rendered(new[block['name']])}", page
    )
    missing = gone(written(page), new)
    for each in missing:
        print(f"gone, and was promised: {each}", file=sys.stderr)
    if page == current:
        print("docs/stability.md is current")
        return 0
    if options.check:
        print("docs/stability.md is not current; run: python tools/stability.py", file=sys.stderr)
        return 1
    if missing and not options.remove:
        print("docs/stability.md says how a name is given up; then run it with --remove", file=sys.stderr)
        return 1
    PAGE.write_text(current, "utf-8")
    print("wrote docs/stability.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())

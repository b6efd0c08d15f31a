"""The snapshot lists everything that docs/stability.md promises. Removing a line breaks other programs.

``pytest --snapshot-update`` records new lines.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from syrupy.assertion import SnapshotAssertion

import abnforge
from abnforge.cli.app import cli
from abnforge.cli.common import errors as status
from abnforge.cli.common.codes import _shared_codes
from abnforge.comparison.grammars import RELATIONS
from abnforge.linting.finding import KINDS
from abnforge.uri import HostKind, PathKind, Severity, Step, Wrapper, rfc2396
from tests.public_names import public_names

GRAMMAR = "doc = 1*( word LF )\nword = 1*ALPHA\nloop = *( *DIGIT )\n"

# Commands whose JSON output is listed, and their standard input. The file `my.abnf` contains GRAMMAR.
SAMPLES = {
    "conform --rule port --pattern '^[0-9]+$' --how search --format json -q": b"",
    "conform --rule port --against rfc3986:port --format json -q": b"",
    "generate --kind suite --level quick --rule port --format jsonl": b"",
    "check --all --security --suggest --format jsonl": b"http://u:p@h\nhttp://h:80x/\n\xff\n",
    "check --suggest --format json": b"http://h:80x/\n",
    "check -g rfc5234 -r rulelist --budget steps=1 --format jsonl": b"a=b\n",
    "parse -g rfc5234 -r rulelist --budget steps=1 --format json": b"a=b\n",
    "check --verbose --format jsonl": b"http://h:80x/\n",
    "check --verbose --format json": b"http://h:80x/\n",
    "check --whole-file --newline lf --suggest --grammar my.abnf --format json": b" ab\r\nc\n",
    "explain --null --format json": b"http://h:80x/\nx",
    "explain --null --format jsonl": b"http://h:80x/\nx",
    "explain --all-fixes --format json": b"http://[::1/\n",
    "parse --rule URI-reference --format json": b"http://h/\n//u@h:80\nhttp://h:8x\n",
    "parse --grammar rfc2396 --format json": b"http://u@h:80/\nx:y\n",
    "uri normalize --format json": b"http://h/\nx y\n",
    "uri resolve http://h/ --format json": b"a\nx y\n",
    "uri compare http://h/a http://h/b --format json": b"",
    "uri compare --between rfc2396 rfc3986 --format json": b"mailto:a?b\na:\nhttp://h/a b\n",
    "uri scan --format jsonl": b"<http://h/a-\nb>",
    "code port-not-digits --format json": b"",
    "code --list -g rfc3339 --format json": b"",
    "list --format json": b"",
    "show host --format json": b"",
    "lint --all my.abnf --format json": b"",
    "test rfc3339 --format json": b"",
    "coverage --rule port --format json": b"80\nx\n",
    "exercise list --format json": b"",
    "exercise show pin --hint 1 --solution --format json": b"",
    "exercise check -e pin - --format json": b"pin = 3*5DIGIT",
    "diff rfc2396:IPv4address rfc3986:IPv4address --format json": b"",
    "diff --compat rfc2396:IPv4address rfc3986:IPv4address --format json": b"",
}


def lines(items: dict[str, Iterable[str]]) -> str:
    """Return a line for each list that is not empty."""
    texts = {head: " ".join(names) for head, names in items.items()}
    return "".join(f"{head}: {names}\n" for head, names in texts.items() if names)


@pytest.mark.slow  # requires griffe, which the extra `test` does not install
def test_python_names(snapshot: SnapshotAssertion) -> None:
    names = public_names()
    assert {"load", "loads", "Rejected"} <= {*names["abnforge"]}
    assert {"line", "column", "errors"} <= {*names["abnforge.GrammarError"]}
    assert {"source", "dialect"} <= {*names["abnforge.load()"]}
    assert lines(names) == snapshot


SCHEMA = json.loads((Path(abnforge.__file__).parent / "cli" / "schemas" / "output.json").read_text("utf-8"))


def closed(schema: Any) -> Any:
    """Return a schema that forbids additional keys."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    further = {"additionalProperties": False} if "properties" in schema else {}
    return {key: closed(value) for key, value in schema.items()} | further


@pytest.mark.parametrize("command", SAMPLES)
def test_json_output(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The schema lists every key of the output, and the output contains every required key."""
    jsonschema = pytest.importorskip("jsonschema")
    monkeypatch.chdir(tmp_path)
    Path("my.abnf").write_text(GRAMMAR, "utf-8")
    arguments = shlex.split(command)
    output = CliRunner().invoke(cli, arguments, input=SAMPLES[command]).stdout
    values = json.loads(output if output.startswith("[") else f"[{','.join(output.splitlines())}]")
    assert values
    names = [word for word in arguments if word in ("--between", "--compat")]
    name = " ".join([*arguments[: 2 if arguments[0] in ("uri", "exercise") else 1], *names])
    validator = jsonschema.Draft202012Validator({**closed(SCHEMA), "$ref": f"#/$defs/{name}"})
    assert [error.message for value in values for error in validator.iter_errors(value)] == []
    assert not validator.is_valid({**values[0], "another": 1})
    assert not validator.is_valid(dict([*values[0].items()][1:]))


def test_every_command_with_json_output_has_a_schema() -> None:
    formats = {name: {*members} for name, members in commands(cli, "abnforge") if name.endswith(" --format")}
    with_json = [
        name.split(" ", 1)[1].rsplit(" ", 1)[0] for name in formats if {"json", "jsonl"} & formats[name]
    ]
    assert len(with_json) > 15
    assert [name for name in with_json if name not in SCHEMA["$defs"]] == []


ENUMS: dict[str, type[Enum]] = {
    "host_kind of a component object": HostKind,
    "path_kind of a component object": PathKind,
    "host_kind by RFC 2396": rfc2396.HostKind,
    "path_kind by RFC 2396": rfc2396.PathKind,
    "severity of a security finding": Severity,
    "step of a normalization": Step,
    "wrapper of a URI in a text": Wrapper,
}


def test_codes(snapshot: SnapshotAssertion) -> None:
    codes: dict[str, Iterable[str]] = {
        "code of a lint finding": [f"{kind.code}={kind.name}" for kind in KINDS.values()],
        "severity of a lint finding": sorted({kind.severity for kind in KINDS.values()}),
        "code of an error": sorted(_shared_codes()),
        "code of a row": sorted(abnforge.ROW_CODES),
        "relation of two rules": sorted(RELATIONS),
        "exit status": sorted(str(value) for name, value in vars(status).items() if name.startswith("EXIT_")),
    }
    for label, members in ENUMS.items():
        codes[label] = sorted(str(member.value) for member in members)
    for name in ("rfc3986", "rfc3339", "rfc5321"):
        own = [code for code in abnforge.load(name).codes.values() if code.definition and not code.derived]
        codes[f"code of a rejection by {name}"] = sorted(code.code for code in own)
    assert lines(codes) == snapshot


def commands(group: click.Command, label: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the names of each command and option."""
    options = [param for param in group.params if isinstance(param, click.Option)]
    flags = [name for option in options for name in (*option.opts, *option.secondary_opts)]
    context = click.Context(group)
    nested = group.list_commands(context) if isinstance(group, click.Group) else []
    yield label, [*nested, *flags]
    for name in nested:
        yield from commands(group.get_command(context, name), f"{label} {name}")
    for option in options:
        if isinstance(option.type, click.Choice):
            yield f"{label} {max(option.opts, key=len)}", list(option.type.choices)


def test_command_line(snapshot: SnapshotAssertion) -> None:
    assert lines(dict(commands(cli, "abnforge"))) == snapshot

"""The page about JSON output, generated from the bundled JSON Schemas: keys, types and meanings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from abnforge.cli.app import cli

PAGE = "docs/json-output.md"
# The schema of most commands, and the results of a job by the title of their section.
OUTPUT = "src/abnforge/cli/schemas/output.json"
JOBS = {"split --rejects": "reject", "split --summary": "summary"}
_HEAD = f"""\
# JSON output

These are the keys of the objects that commands write. With `--format jsonl`, each line is an object. With
`--format json`, the output is an array of objects, or one object for a command with one result. `generate
--format json` writes an array of strings.

Keys marked with \\* are always present. New keys can be added in later versions, so ignore unknown keys;
[stability policy](stability.md) has the details. The output is ASCII.

The same as JSON Schema 2020-12: [commands](../{OUTPUT}); for `split`,
`abnforge.ingest.schema("reject")` and `abnforge.ingest.schema("summary")`.
"""


def json_pages(root: Path) -> dict[str, str]:
    """Return the page about JSON output by path."""
    from abnforge.ingest import schema  # the extra "ingest" may be missing

    schemas = json.loads((root / OUTPUT).read_text("utf-8"))["$defs"]
    for name, result in JOBS.items():
        schemas[name] = schema(result)
        schemas |= schemas[name].get("$defs", {})
    commands = click.Context(cli)
    shared = [name for name in schemas if cli.get_command(commands, name.split(" ")[0]) is None]
    parts = [_HEAD]
    for name in sorted(schemas.keys() - shared):
        parts += [f"\n## {name}\n\n", *_section(schemas[name])]
    parts.append("\n## Shared objects\n")
    for name in sorted(shared):
        parts += [f"\n### {name}\n\n", *_section(schemas[name])]
    return {PAGE: "".join(parts)}


def _section(schema: dict[str, Any]) -> Iterator[str]:
    """Yield the description of an object and the table of its keys."""
    if "$ref" in schema:
        yield f"The same keys as {_type(schema)}.\n"
        return
    if "description" in schema:
        yield f"{_escaped(schema['description'])}\n\n"
    yield "| Key | Type | Meaning |\n| --- | --- | --- |\n"
    yield from _rows(schema, "")


def _rows(schema: dict[str, Any], path: str) -> Iterator[str]:
    """Yield a row for each key of an object, or of the objects in a value, and rows for nested objects."""
    for key, value in schema.get("properties", {}).items():
        name = f"{path}.{key}".removeprefix(".")
        star = " \\*" if key in schema.get("required", ()) else ""
        yield f"| `{name}`{star} | {_type(value)} | {_escaped(value.get('description', ''))} |\n"
        yield from _rows(value, name)
    for each in schema.get("anyOf", ()):
        yield from _rows(each, path)
    for key, suffix in (("items", "[]"), ("additionalProperties", ".CODE")):
        if isinstance(schema.get(key), dict):
            yield from _rows(schema[key], f"{path}{suffix}")


def _type(value: dict[str, Any]) -> str:
    """Return the type of a value; named types are links."""
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        return f"[{name}](#{name})"
    if "const" in value or "enum" in value:
        return " or ".join(f"`{json.dumps(each)}`" for each in value.get("enum", [value.get("const")]))
    if "anyOf" in value:
        return " or ".join(map(_type, value["anyOf"]))
    types = value.get("type", "value")
    names = [types] if isinstance(types, str) else types
    element = _type(value["items"]) if "items" in value else "values"
    element = f"{element}s" if element.isalpha() else f"({element})" if " or " in element else element
    listed = f"list of {element}"
    return " or ".join(listed if name == "array" else name for name in names)


def _escaped(text: str) -> str:
    """Return Markdown for a description in a table cell; code spans are kept."""
    return re.sub(r"([|<>*_\\])(?=[^`]*(?:`[^`]*`[^`]*)*$)", r"\\\1", text)

"""Options in TOML: ``--config FILE`` for a command, and ``[tool.abnforge]`` for a project."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import click

from abnforge.catalog import Message
from abnforge.cli.common.errors import UsageError
from abnforge.cli.common.messages import message
from abnforge.cli.common.output import file_problem
from abnforge.text import near_misses


def read_options_file(ctx: click.Context, param: click.Parameter, value: Path | None) -> None:
    if value is None:
        return
    names = {name: each for each in ctx.command.params for name in _names(each) if each is not param}
    defaults, wrong = _defaults(_table(value), names, str(value))
    ctx.default_map = {**(ctx.default_map or {}), **defaults}
    if wrong:  # valid values still apply, as they may say where to report a failure
        raise UsageError(wrong[0])


PROJECT_FILES = ("abnforge.toml", "pyproject.toml")
PROJECT_OPTIONS = (
    *("grammar", "rule", "import", "define", "mistakes", "allow-undefined"),
    *("lists", "bytes", "budget", "no-cache", "engine"),
)
_PATHS = ("grammar", "import", "mistakes")


def project_options(parameters: Iterable[click.Parameter]) -> dict[str, Any]:
    """Return the values of parameters in the nearest abnforge.toml, or pyproject.toml with [tool.abnforge].

    File names are relative to its directory. Options of other commands are allowed. Raises UsageError.
    """
    path = _project_file()
    if path is None:
        return {}
    table = _table(path)
    if path.name == PROJECT_FILES[1]:
        table = table["tool"]["abnforge"]
    names = {name: each for each in parameters for name in _names(each)}
    others = {name for name in PROJECT_OPTIONS if name not in names}
    own = {name: value for name, value in table.items() if name.replace("_", "-") not in others}
    for name in own:
        if name in _PATHS:
            own[name] = _located(own[name], path.parent)
    defaults, wrong = _defaults(own, names, str(path))
    if wrong:
        raise UsageError(wrong[0])
    return defaults


def named_options(
    ctx: click.Context, path: Path, table: str, names: Collection[str]
) -> dict[str, dict[str, Any]]:
    """Return the values of some of a command's parameters in each table [TABLE.NAME] of a file, by name.

    A parameter that a table omits has its value from the command line. Raises UsageError.
    """
    entries = _table(path)
    own = entries.get(table)
    if set(entries) != {table} or not isinstance(own, dict) or not own:
        raise UsageError(message("config-tables", path=str(path), table=table))
    parameters = {name: each for each in ctx.command.params for name in _names(each) if name in names}
    values = {}
    for name, entry in own.items():
        place = f"{path}: {table}.{name}"
        if not isinstance(entry, dict):
            raise UsageError(message("config-tables", path=str(path), table=table))
        given, wrong = _defaults(entry, parameters, place)
        if wrong:
            raise UsageError(wrong[0])
        values[name] = {
            str(each.name): each.process_value(ctx, given[str(each.name)])
            if each.name in given
            else ctx.params[str(each.name)]
            for each in parameters.values()
        }
    return values


def _project_file() -> Path | None:
    here = Path.cwd()
    for directory in (here, *here.parents):
        for name in PROJECT_FILES:
            path = directory / name
            if path.is_file() and (name == PROJECT_FILES[0] or b"[tool.abnforge]" in path.read_bytes()):
                return path
    return None


def _located(value: Any, directory: Path) -> Any:
    """Return file names relative to a directory as paths, and built-in names unchanged."""
    if isinstance(value, list):
        return [_located(each, directory) for each in value]
    is_file = isinstance(value, str) and (directory / value).is_file()
    return str(directory / value) if is_file else value


def _table(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(file_problem(error, str(path))) from None
    except ValueError as error:  # invalid TOML or UTF-8
        raise UsageError(message("config-unreadable", path=str(path), reason=str(error))) from None


def _defaults(
    table: dict[str, Any], names: dict[str, click.Parameter], path: str
) -> tuple[dict[str, Any], list[Message]]:
    """Return the values of a table for the parameters with these names, and the errors in the table."""
    defaults: dict[str, Any] = {}
    wrong: list[Message] = []
    for name, value in table.items():
        each = names.get(name.replace("_", "-"))
        if each is None:
            near = tuple(near_misses(name, names))
            wrong.append(message("config-option-unknown", path=path, name=name, near=near))
            continue
        assert each.name is not None
        try:
            defaults[each.name] = _value(each, value)
        except _WrongKindError as error:
            expected, kind = error.args
            wrong.append(message("config-choice", path=path, name=name, expected=expected, kind=kind))
        except _WrongItemError as error:
            wrong.append(message("config-list-item", path=path, name=name, value=error.args[0]))
    return defaults, wrong


class _WrongKindError(Exception):
    """A value of an unexpected type."""


class _WrongItemError(Exception):
    """An item of a list of names that must be written within a string."""


def _value(parameter: click.Parameter, value: Any) -> Any:
    """Convert a value from TOML for click."""
    several = parameter.multiple if isinstance(parameter, click.Option) else parameter.nargs == -1
    if several:
        return [_one(parameter, each) for each in (value if isinstance(value, list) else [value])]
    if isinstance(value, list) and "," in (parameter.metavar or ""):  # accepts a string with commas or a list
        texts = [_one(parameter, each) for each in value]
        if wrong := next((each for each in texts if "," in each or '"' in each), None):
            raise _WrongItemError(wrong)
        return ",".join(texts)
    return _one(parameter, value)


def _one(parameter: click.Parameter, value: Any) -> Any:
    kind, expected = type(value), "a string"
    if isinstance(parameter, click.Option) and parameter.is_flag:
        if kind is bool:
            return value
        expected = "true or false"
    elif isinstance(parameter.type, click.types.IntParamType):
        if kind is int:
            return value
        expected = "a whole number"
    elif kind in (str, int, float):  # for options such as --max-rejects, and columns with numbers as names
        return str(value)
    if kind in (list, dict):
        expected = re.sub("^a ", "one ", expected)
    raise _WrongKindError(expected, _KINDS.get(kind, "a date or time"))


_KINDS = {
    bool: "true or false",
    int: "a number",
    float: "a fraction",
    str: "a string",
    list: "a list",
    dict: "a table",
}


def _names(parameter: click.Parameter) -> list[str]:
    """Return the names of a parameter in a file: its command-line names without the leading hyphens."""
    if isinstance(parameter, click.Argument):
        return [parameter.name.rstrip("s")] if parameter.name else []
    return [option.removeprefix("--") for option in parameter.opts if option.startswith("--")]

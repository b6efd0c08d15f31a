"""``--config FILE``: options of a verb out of a TOML file, under the same names."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import click

from abnforge.catalog import Message
from abnforge.cli.common.messages import message
from abnforge.cli.common.usage import UsageError
from abnforge.text import near_misses


def _read(ctx: click.Context, param: click.Parameter, value: Path | None) -> None:
    if value is None:
        return
    try:
        found = tomllib.loads(value.read_text("utf-8"))
    except OSError as error:
        raise UsageError(message("config-unreadable", path=str(value), reason=error.strerror)) from None
    except ValueError as error:  # TOML, or UTF-8
        raise UsageError(message("config-unreadable", path=str(value), reason=str(error))) from None
    names = {name: each for each in ctx.command.params for name in _names(each) if each is not param}
    defaults: dict[str, Any] = {}
    wrong: list[Message] = []
    path = str(value)
    for name, given in found.items():
        each = names.get(name.replace("_", "-"))
        if each is None:
            near = tuple(near_misses(name, names))
            wrong.append(message("config-option-unknown", path=path, name=name, near=near))
            continue
        assert each.name is not None
        try:
            defaults[each.name] = _value(each, given)
        except _WrongKindError as error:
            expected, kind = error.args
            wrong.append(message("config-choice", path=path, name=name, expected=expected, kind=kind))
        except _WrongItemError as error:
            wrong.append(message("config-list-item", path=path, name=name, value=error.args[0]))
    ctx.default_map = {**(ctx.default_map or {}), **defaults}
    if wrong:  # the rest holds all the same: it may say where a failure is reported
        raise UsageError(wrong[0])


class _WrongKindError(Exception):
    """A value of another type: the expected type, and its own."""


class _WrongItemError(Exception):
    """An item of a list of names that must be written within a string."""


def _value(parameter: click.Parameter, given: Any) -> Any:
    """Return the value of a parameter, as click takes it."""
    several = parameter.multiple if isinstance(parameter, click.Option) else parameter.nargs == -1
    if several:
        return [_one(parameter, each) for each in (given if isinstance(given, list) else [given])]
    if isinstance(given, list) and "," in (parameter.metavar or ""):  # a text with commas, or a list
        texts = [_one(parameter, each) for each in given]
        if wrong := next((each for each in texts if "," in each or '"' in each), None):
            raise _WrongItemError(wrong)
        return ",".join(texts)
    return _one(parameter, given)


def _one(parameter: click.Parameter, given: Any) -> Any:
    kind, wanted = type(given), "a string"
    if isinstance(parameter, click.Option) and parameter.is_flag:
        if kind is bool:
            return given
        wanted = "true or false"
    elif isinstance(parameter.type, click.types.IntParamType):
        if kind is int:
            return given
        wanted = "a whole number"
    elif kind in (str, int, float):  # of --max-rejects, say, or a column that is called 1
        return str(given)
    if kind in (list, dict):
        wanted = re.sub("^a ", "one ", wanted)
    raise _WrongKindError(wanted, _KINDS.get(kind, "a date or time"))


_KINDS = {
    bool: "true or false",
    int: "a number",
    float: "a fraction",
    str: "a string",
    list: "a list",
    dict: "a table",
}


def _names(parameter: click.Parameter) -> list[str]:
    """What a parameter is called in a file: as on the command line, without the hyphens before it."""
    if isinstance(parameter, click.Argument):
        return [parameter.name.rstrip("s")] if parameter.name else []
    return [option.removeprefix("--") for option in parameter.opts if option.startswith("--")]


config_option = click.option(
    "--config",
    metavar="FILE",
    type=click.Path(path_type=Path),
    is_eager=True,
    expose_value=False,
    callback=_read,
    help="Read options from a TOML file; command-line options take precedence.",
)

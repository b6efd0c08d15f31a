"""``--config FILE``: options of a verb out of a TOML file, under the same names."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import click

from abnforge.near_misses import did_you_mean


def _read(ctx: click.Context, param: click.Parameter, value: Path | None) -> None:
    if value is None:
        return
    try:
        found = tomllib.loads(value.read_text("utf-8"))
    except OSError as error:
        raise click.BadParameter(f"{value}: {error.strerror}", ctx, param) from None
    except ValueError as error:  # TOML, or UTF-8
        raise click.BadParameter(f"{value}: {error}", ctx, param) from None
    names = {name: each for each in ctx.command.params for name in _names(each) if each is not param}
    defaults: dict[str, Any] = {}
    wrong: list[str] = []
    for name, given in found.items():
        each = names.get(name.replace("_", "-"))
        if each is None:
            wrong.append(f"there is no option {name!r}{did_you_mean(name, names)}")
            continue
        assert each.name is not None
        try:
            defaults[each.name] = _value(each, given)
        except ValueError as error:
            wrong.append(f"{name} is {error}")
    ctx.default_map = {**(ctx.default_map or {}), **defaults}
    if wrong:  # the rest holds all the same: it may say where a failure is reported
        raise click.BadParameter(f"{value}: {wrong[0]}", ctx, param)


def _value(parameter: click.Parameter, given: Any) -> Any:
    """The value of a parameter, as click takes it. Raises ValueError, with what it is, for another kind."""
    several = parameter.multiple if isinstance(parameter, click.Option) else parameter.nargs == -1
    if several:
        return [_one(parameter, each) for each in (given if isinstance(given, list) else [given])]
    if isinstance(given, list) and "," in (parameter.metavar or ""):  # a text with commas, or a list
        texts = [_one(parameter, each) for each in given]
        if wrong := next((each for each in texts if "," in each or '"' in each), None):
            raise ValueError(
                f"a list of names here; {wrong!r} is written in one text, as on the command line"
            )
        return ",".join(texts)
    return _one(parameter, given)


def _one(parameter: click.Parameter, given: Any) -> Any:
    kind, wanted = type(given), "a text"
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
        wanted = f"one value, {wanted}"
    raise ValueError(f"{wanted}, not {_KINDS.get(kind, 'a date or time')}")


_KINDS = {
    bool: "true or false",
    int: "a number",
    float: "a fraction",
    str: "a text",
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
    help="Read options from a TOML file; those of the command line come before them.",
)

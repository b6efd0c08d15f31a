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
    for name, given in found.items():
        each = names.get(name.replace("_", "-"))
        if each is None:
            near = did_you_mean(name, names)
            raise click.BadParameter(f"{value}: there is no option {name!r}{near}", ctx, param)
        if each.multiple if isinstance(each, click.Option) else each.nargs == -1:
            given = given if isinstance(given, list) else [given]
        elif isinstance(given, list | dict):
            raise click.BadParameter(f"{value}: {name} is one value", ctx, param)
        assert each.name is not None
        defaults[each.name] = given
    ctx.default_map = {**(ctx.default_map or {}), **defaults}


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

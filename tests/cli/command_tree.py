"""All commands, collected from click's command objects."""

from __future__ import annotations

from collections.abc import Iterator

import click

from abnforge.cli.app import cli


def verbs(
    group: click.Command = cli, words: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield the command and all its groups and subcommands, with the words that call them."""
    yield words, group
    if isinstance(group, click.Group):
        context = click.Context(group)
        for name in group.list_commands(context):
            verb = group.get_command(context, name)
            assert verb is not None
            yield from verbs(verb, (*words, name))


VERBS = dict(verbs())

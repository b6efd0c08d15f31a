"""``abnforge uri``: the commands on URIs, one module each."""

from __future__ import annotations

import click

from abnforge.cli.common.groups import CONTEXT, LazyGroup


@click.group(
    cls=LazyGroup,
    short_help="Resolve, normalize, compare and find URIs.",
    context_settings=CONTEXT,
    sections={
        "Commands": {
            "resolve": "abnforge.cli.commands.uri.resolve:resolve",
            "normalize": "abnforge.cli.commands.uri.normalize:normalize",
            "compare": "abnforge.cli.commands.uri.compare:compare",
            "scan": "abnforge.cli.commands.uri.scan:scan_files",
        }
    },
)
def uri() -> None:
    """Resolve, normalize, compare and find URIs, by RFC 3986 or RFC 2396.

    \b
    Examples:
      abnforge uri resolve http://a/b/c/d ../g
      abnforge uri normalize eXAMPLE://a/./b/../b/%63
      abnforge uri compare http://a/%7e HTTP://a/~
      abnforge uri scan README.md
    """

"""``abnforge grammar list``: the grammars that load by name."""

from __future__ import annotations

import click

from abnforge.cli.common.output import dumps, write


@click.command("list", short_help="List the grammars that load by name.")
@click.option(
    "-f", "--format", "list_format", type=click.Choice(("text", "json")), default="text", show_default=True
)
def list_grammars(list_format: str) -> None:
    """List the grammars that load by name.

    Those of the package "abnf" are shipped with it and are named with the prefix "abnf:".

    \b
    Examples:
      abnforge grammar list
      abnforge check --grammar abnf:rfc5322 --rule addr-spec addresses.txt
    """
    import abnforge
    from abnforge.cli.common.options import default_rule

    # The package's grammars are not loaded for their rules: that takes seconds for all of them.
    bundled = [abnforge.load(name) for name in abnforge.grammar_names()]
    packaged = abnforge.package_names()
    if list_format == "json":
        rows = [
            {"name": g.name, "origin": "abnforge", "rules": len(g.own_rules), "default_rule": default_rule(g)}
            for g in bundled
        ]
        rows += [{"name": name, "origin": "abnf", "rules": None, "default_rule": None} for name in packaged]
        write("[\n" + ",\n".join(map(dumps, rows)) + "\n]\n")
        return
    columns = max((len(name) for name in [*(g.name for g in bundled), *packaged]), default=0)
    for loaded in bundled:
        count = f"{len(loaded.own_rules):3d} rules"
        write(f"{loaded.name.ljust(columns)}  {count}, starts at {default_rule(loaded)}\n")
    for name in packaged:
        write(f"{name.ljust(columns)}  from the package abnf\n")

"""Drawing components: their names and their texts."""

from __future__ import annotations

from typing import Any

from abnforge.cli.common.output import Style
from abnforge.text import escape


def component_lines(components: dict[str, Any], style: Style) -> list[str]:
    """One line a component: its name and its text in quotes, or that it is undefined."""
    rows = [
        (name.replace("_", " "), value) for name, value in components.items() if name not in ("rule", "text")
    ]
    columns = max(len(name) for name, _ in rows)
    head = f'{style.strong(escape(components["rule"]))}  "{escape(components["text"])}"'
    return [head, *(f"  {name.ljust(columns)}  {_value(name, value, style)}" for name, value in rows)]


def _value(name: str, value: Any, style: Style) -> str:
    if value is None:
        return style.faint("undefined")
    if isinstance(value, list):
        return "  ".join(_value(name, item, style) for item in value) or style.faint("none")
    if name.endswith("kind") or not isinstance(value, str):
        return escape(str(value))
    return f'"{escape(value)}"'

"""Component objects in notebooks: a table of what they are made of, without passwords."""

from __future__ import annotations

from abnforge._arguments import TextLike
from abnforge.notebook.markup import code, frame, line, quoted, soft, strong, table
from abnforge.teaching.pictures.drawing import safe
from abnforge.uri.common.password import without_password

_ROWS = (
    "scheme",
    "authority",
    "userinfo",
    "host",
    "host_kind",
    "port",
    "path",
    "path_kind",
    "query",
    "fragment",
)


def component_html(component: TextLike) -> str:
    """A component object: its text, and the components that one of its kind has."""
    text = str(component)
    own = getattr(component, "rule", None)
    said = without_password(text, "authority") if own is None else without_password(text)
    rows = []
    for name in _ROWS:
        if hasattr(component, name):
            rows.append((safe(name.replace("_", " ")), _cell(name, getattr(component, name))))
    head = line(strong(type(component).__name__), soft(f"read as {own}") if own else "")
    return frame(head, line(quoted(said)), table(rows))


def _cell(name: str, value: object) -> str:
    if value is None:
        return soft("undefined")
    text = str(value)
    if name.endswith("kind"):
        return code(text)
    known = name if name in ("userinfo", "authority") else ""
    return quoted(without_password(text, known))

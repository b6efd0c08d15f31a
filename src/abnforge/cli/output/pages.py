"""HTML reports by jinja2 (extra ``reports``): one base template, one stylesheet, all text escaped.

Pages do not need scripts or the network, and have light and dark colors.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from abnforge._lazy import importing
from abnforge.cli.common.errors import UsageError
from abnforge.cli.common.messages import message
from abnforge.teaching.pictures.page import stylesheet
from abnforge.text import escape

if TYPE_CHECKING:
    from jinja2 import Environment

_FOLDER = Path(__file__).parent / "templates"


def render(name: str, **values: Any) -> Iterator[str]:
    """Yield the pieces of a page. Raises UsageError without jinja2."""
    return _environment().get_template(f"{name}.html").generate(**values)


def require() -> ModuleType:
    """Return jinja2. Raises UsageError without it."""
    try:
        with importing:
            import jinja2
    except ImportError:
        raise UsageError(message("extra-missing", package="jinja2", extra="reports")) from None
    return jinja2


@cache
def _environment() -> Environment:
    jinja2 = require()
    from markupsafe import Markup

    def printable(value: Any) -> Any:
        return escape(value) if type(value) is str else value

    def text_lines(text: str) -> Markup:
        return Markup("\n").join(map(escape, text.split("\n")))

    environment: Environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER),
        autoescape=True,
        finalize=printable,  # pages do not contain control or bidirectional characters
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.globals["stylesheet"] = Markup(stylesheet())
    environment.filters["number"] = "{:,}".format
    environment.filters["text_lines"] = text_lines
    return environment

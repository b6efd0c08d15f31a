"""Sphinx's configuration. The sources are written by tools/build_site.py; this file is copied beside them."""

from __future__ import annotations

import inspect
import re
from importlib.util import find_spec
from typing import Any

import abnforge

project = "abnforge"
author = "the abnforge maintainers"
copyright = author
version = release = abnforge.__version__
language = "en"
smartquotes = False  # characters are what these pages are about

extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "index"
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_static"]

# Pages link to headings of others as they do on a repository's own pages.
myst_heading_anchors = 6

# Links in docstrings lead somewhere; types in signatures and values may be of other packages.
nitpick_ignore_regex = [("py:class", ".*"), ("py:data", ".*")]

autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True  # names of constants: a table of schemes is long
# Adapters whose library is not there are shown all the same.
_LIBRARIES = (
    *("duckdb", "hypothesis", "jsonschema", "numpy", "pandas", "pandera"),
    *("polars", "pydantic", "pydantic_core", "pyspark"),
)
autodoc_mock_imports = [name for name in _LIBRARIES if find_spec(name) is None]
python_maximum_signature_line_length = 88
toc_object_entries_show_parents = "hide"

# Some lessons show what is no ABNF: it is shown as an error, and is none here. Languages of blocks that there
# are not are found by tests/test_blocks.py.
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_title = f"abnforge {release}"
html_static_path = ["_static"]
html_css_files = ["site.css", "rails.css"]
html_copy_source = False
html_show_sphinx = False


def mended(app: Any, what: str, name: str, value: object, options: object, lines: list[str]) -> None:
    """A docstring on the site: pages that it names are links, and what pytest reads is left out."""
    text = re.sub(r"PYTEST_DONT_REWRITE:.*?(?:\n\n|\Z)", "", "\n".join(lines), flags=re.DOTALL)
    lines[:] = re.sub(r"docs/([a-z0-9-]+)\.md", r":doc:`/docs/\1`", text).split("\n")


def valued(
    app: Any, what: str, name: str, value: Any, options: object, signature: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """A signature in which texts and numbers stand for the constants that hold them, and which is Python."""
    made = value.__init__ if isinstance(value, type) else value
    known = getattr(inspect.unwrap(made), "__globals__", {}) if callable(made) else {}

    def shown(match: re.Match[str]) -> str:
        default = known.get(match[2])
        return match[1] + repr(default) if isinstance(default, str | int | float) else match[0]

    if signature is None:
        return None, returned
    return re.sub(r"(= ?)([A-Z][A-Z_]+)\b", shown, signature.replace("<factory>", "...")), returned


def accessible(app: Any, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Give code that scrolls a place in the tab order, and the theme's captions a level as headings."""
    for key in ("body", "furo_navigation_tree"):
        if key in context:
            text = context[key].replace(
                '<div class="highlight"><pre>', '<div class="highlight"><pre tabindex="0">'
            )
            context[key] = text.replace(' role="heading">', ' role="heading" aria-level="2">')


def setup(app: Any) -> None:
    """ABNF has the colours of our lexer; by its name Sphinx would take the one of Pygments, which has none
    for CSV.
    """
    from pygments.lexers import TextLexer

    from abnforge.integrations.pygments import AbnfLexer

    app.add_lexer("abnf", AbnfLexer)
    app.add_lexer("csv", TextLexer)
    app.connect("autodoc-process-docstring", mended)
    app.connect("autodoc-process-signature", valued)
    app.connect("html-page-context", accessible, priority=900)  # after the theme has made its navigation

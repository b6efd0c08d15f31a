"""Sphinx configuration. tools/build_site.py writes the pages and copies this file next to them."""

from __future__ import annotations

import inspect
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from reference.api import INTERNAL, MODULES

import abnforge

project = "abnforge"
author = "the abnforge maintainers"
copyright = author
version = release = abnforge.__version__
language = "en"
smartquotes = False  # the pages show exact characters

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
root_doc = "index"
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_static"]

# Links to headings have the same form as on GitHub.
myst_heading_anchors = 6

# References in docstrings must resolve; types in signatures may belong to other packages.
nitpick_ignore_regex = [("py:class", ".*"), ("py:data", ".*")]

autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True  # show the name of a constant, not its value
# Document adapters even if their library is not installed.
_LIBRARIES = (
    *("duckdb", "hypothesis", "jsonschema", "numpy", "pandas", "pandera"),
    *("polars", "pydantic", "pydantic_core", "pyspark"),
)
autodoc_mock_imports = [name for name in _LIBRARIES if find_spec(name) is None]
python_maximum_signature_line_length = 88
toc_object_entries_show_parents = "hide"

# Some lessons show invalid ABNF on purpose. tests/test_blocks.py finds unknown languages of blocks.
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_title = f"abnforge {release}"
html_static_path = ["_static"]
html_css_files = ["site.css", "rails.css"]
html_extra_path = ["llms.txt"]
html_search_scorer = str(Path(__file__).with_name("scorer.js"))
html_copy_source = False
html_show_sphinx = False

# The button copies the commands of a console or of Python, without prompts and output.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


_ERROR = r"(?:[A-Z]\w*Error|LimitExceeded|Rejected)\b"
# A sentence of a docstring that is a field on the site, and the exceptions in it.
_FIELD = re.compile(r"(?:^|(?<=\. ))(Raises(?=:? )|Cost(?=: )|Complexity(?=: )):? (.*?)\.(?= [A-Z]|$)")
_NEXT_ERROR = re.compile(rf"[;,] (?:and )?(?={_ERROR})| and (?={_ERROR})")


def format_docstring(
    app: Any, what: str, name: str, value: object, options: object, lines: list[str]
) -> None:
    """Make links of the pages that a docstring names, and fields of its sentences about errors and cost."""
    text = re.sub(r"PYTEST_DONT_REWRITE:.*?(?:\n\n|\Z)", "", "\n".join(lines), flags=re.DOTALL)
    text = re.sub(r"docs/([a-z0-9-]+)\.md", r":doc:`/docs/\1`", text)
    text = re.sub(r"(?<!`)``([A-Za-z_.\d]+)``(?!`)", _link_name, text)
    fields: dict[str, list[str]] = {}
    paragraphs = []
    for paragraph in text.split("\n\n"):
        if not paragraph.startswith((" ", "..", "-", "*", ">>>")):
            joined = " ".join(paragraph.split())
            for label, sentence in _FIELD.findall(joined):
                fields.setdefault(label, []).append(sentence)
            paragraph = _FIELD.sub("", joined).strip() if _FIELD.search(joined) else paragraph
        paragraphs.append(paragraph)
    for label, sentences in fields.items():
        items = [each for sentence in sentences for each in _NEXT_ERROR.split(sentence)]
        if label == "Raises" and len(items) > 1:
            paragraphs.append(f":{label}:\n" + "\n".join(f"   - {_linked(each)}" for each in items))
        else:
            paragraphs.append(f":{label}: {_linked('; '.join(sentences))}")
    lines[:] = "\n\n".join(paragraphs).split("\n")


_NAMES = {f"{module}.{name}" for module in MODULES for names in MODULES[module].values() for name in names}


def _link_name(match: re.Match[str]) -> str:
    """Return a link to ``abnforge.NAME`` or ``CLASS.MEMBER`` of the API; other code unchanged."""
    owner, _, member = match[1].partition(".")
    members = vars(getattr(abnforge, owner)) if f"abnforge.{owner}" in _NAMES and member else {}
    if member in members and member not in INTERNAL.get(owner, ()):
        return f":py:obj:`{match[1]} <abnforge.{match[1]}>`"
    return f":py:obj:`{match[1]}`" if match[1] in _NAMES else match[0]


def _linked(text: str) -> str:
    """Return a description with exceptions as code; those of abnforge are links."""

    def link(match: re.Match[str]) -> str:
        public = match[0] in abnforge.__all__
        return f":py:exc:`~abnforge.{match[0]}`" if public else f"``{match[0]}``"

    return re.sub(rf"(?<![`.\w]){_ERROR}", link, text)


# Classes that users call. Other objects are results, and the attributes of their classes are listed anyway.
_CONSTRUCTED = {"Abnf", "Budget", "Column", "Command", "CsvOptions", "Process", "Scheme"}


def simplify_signature(
    app: Any, what: str, name: str, value: Any, options: object, signature: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """Replace constants in a signature by their values, if these are strings or numbers, and protocols."""
    function = value.__init__ if isinstance(value, type) else value
    constants = getattr(inspect.unwrap(function), "__globals__", {}) if callable(function) else {}

    def with_value(match: re.Match[str]) -> str:
        default = constants.get(match[2])
        return match[1] + repr(default) if isinstance(default, str | int | float) else match[0]

    if signature is None:
        return None, returned
    if what == "class" and value.__name__ not in _CONSTRUCTED and value.__module__.startswith("abnforge"):
        return "", returned
    signature = re.sub(r"(= ?)([A-Z][A-Z_]+)\b", with_value, signature.replace("<factory>", "..."))
    # Protocols: users know the class, and docstrings say that component objects are strings, too.
    signature = re.sub(r"\b(?:[a-z_]+\.)*HasBoundGrammar\b", "Grammar", signature)
    return re.sub(r"\b(?:[a-z_]+\.)*TextLike \| ", "", signature), returned


def improve_access(app: Any, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Add scrolling code to the tab order, and heading levels to the captions of the theme."""
    for key in ("body", "furo_navigation_tree"):
        if key in context:
            text = context[key].replace(
                '<div class="highlight"><pre>', '<div class="highlight"><pre tabindex="0">'
            )
            context[key] = text.replace(' role="heading">', ' role="heading" aria-level="2">')


def setup(app: Any) -> None:
    """Register lexers and handlers. Without our lexer, "abnf" would select the lexer of Pygments."""
    from pygments.lexers import TextLexer

    from abnforge.integrations.pygments import AbnfLexer

    app.add_lexer("abnf", AbnfLexer)
    app.add_lexer("csv", TextLexer)
    app.connect("autodoc-process-docstring", format_docstring)
    app.connect("autodoc-process-signature", simplify_signature)
    app.connect("html-page-context", improve_access, priority=900)  # after the theme adds its navigation

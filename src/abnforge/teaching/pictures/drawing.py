"""Escaping, widths and colors that all images share."""

from __future__ import annotations

import html
import re

from abnforge.text import escape

COLUMN = 7.9  # px of a character of 13 px in a monospaced font, at most
SOFT_COLUMN = 6.7  # of 11 px

FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"

COLOURS = """
--ink: #1c2024; --soft: #5b6470; --line: #aab3bd; --paper: #ffffff; --shade: #f4f6f8; --mark: #b3261e;
--l0: #1f4fa3; --l1: #8a3a9c; --l2: #1b7046; --l3: #a14a12; --l4: #0b6b78; --l5: #97224f;
""".strip()
DARK = """
--ink: #e6e9ed; --soft: #9aa4b0; --line: #59636f; --paper: #15181c; --shade: #1e2329; --mark: #ef7d74;
--l0: #8ab4f8; --l1: #d6a2e8; --l2: #7fd1a0; --l3: #f0a878; --l4: #74cbd8; --l5: #f29bbd;
""".strip()


def palette(root: str) -> str:
    """Rules of CSS that set the colours for an element, light and dark."""
    return f"{root} {{ {COLOURS} }}\n@media (prefers-color-scheme: dark) {{ {root} {{ {DARK} }} }}\n"


_VALUES = dict(re.findall(r"--(\w+): (#\w+);", COLOURS))


def with_values(style: str) -> str:
    """Return rules of CSS with the light values, followed by the same rules with the variables.

    librsvg, CairoSVG and Inkscape do not support variables, and would draw black on black.
    """
    plain = re.sub(r"var\(--(\w+)\)", lambda name: _VALUES[name[1]], style)
    return f"{plain}@supports (color: var(--ink)) {{{style}}}\n"


def safe(text: str) -> str:
    """Escape text for XML and HTML; controls and bidirectional characters become visible escapes, as on a
    terminal.
    """
    return html.escape(escape(text))


def shown(text: str, start: int, end: int, most: int) -> str:
    """Return a part of a string in quotes, shortened at its end. Only the shown part is read."""
    if end - start > most:
        return f'"{escape(text[start : start + most])}..."'
    return f'"{escape(text[start:end])}"'


def number(value: float) -> str:
    """A coordinate, short."""
    return f"{value:.1f}".removesuffix(".0")

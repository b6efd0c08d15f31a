"""The few elements of SVG that the pictures in docs/ are made of."""

from __future__ import annotations

from xml.sax.saxutils import escape

FAMILY = "system-ui, sans-serif"


def opening(width: float, height: float, font: int) -> str:
    """The tag that a picture begins with."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="{FAMILY}" font-size="{font}" role="img">'
    )


def text(words: str, x: float, y: float, rest: str) -> str:
    """A line of text from x on, with its baseline at y; ``rest`` are further attributes."""
    return f'<text x="{x:.1f}" y="{y:.1f}" {rest}>{escape(words)}</text>'

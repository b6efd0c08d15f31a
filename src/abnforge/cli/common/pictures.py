"""Options and files of diagrams: formats by the ending of a file, themes, and conversion to PNG and PDF."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from abnforge._lazy import importing
from abnforge.cli.common.errors import UsageError
from abnforge.cli.common.groups import option
from abnforge.cli.common.messages import message
from abnforge.cli.common.options import output_option
from abnforge.cli.common.output import Write, is_terminal, write_result
from abnforge.errors import LimitExceeded
from abnforge.outputs import STDOUT
from abnforge.text import ByteText

F = TypeVar("F", bound=Callable[..., Any])

IMAGES = "png", "pdf"  # formats that are converted from SVG
DRAWN = "svg", *IMAGES
PAGES = "html", "lecture"
NEVER_EMPTY = "svg", "dot", *IMAGES  # without a valid string, parse does not write a file of these
SCALE = 2.0  # pixels of a PNG image for each px, which is sharp on a projector
MAX_PIXELS = 64_000_000  # 256 MB of memory while a PNG image is drawn
MAX_CHARACTERS = 2_000_000  # of SVG, about 10,000 boxes of a tree, which take a minute to convert
_OTHER_IMAGES = "bmp", "eps", "gif", "jpeg", "jpg", "ps", "tif", "tiff", "webp"
_FILES = *DRAWN, "dot", "jff", "html", "csv", "json", "jsonl", "abnf", "xml"
_ENDINGS = {"gv": "dot", "htm": "html"}
_SIZE = re.compile(r'width="([\d.]+)" height="([\d.]+)"|height="([\d.]+)"[^>]*? width="([\d.]+)"')


def format_by_ending(ctx: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Return the format that the ending of ``--output`` names, unless there is an explicit ``--format``.

    Without an ending, and for text in ``.txt``, this is the default. Raises UsageError for other endings.
    """
    output = ctx.params.get("output")
    if output is None or ctx.get_parameter_source(str(parameter.name)) is not ParameterSource.DEFAULT:
        return value
    ending = ending_of(output)
    assert isinstance(parameter.type, click.Choice)
    if ending in parameter.type.choices:
        return ending
    is_text = value not in DRAWN
    if not ending or (ending == "txt" and is_text):
        return value
    known = [*(each for each in parameter.type.choices if each in _FILES), *(["txt"] if is_text else [])]
    raise UsageError(message("ending-unknown", path=str(output), known=[f".{each}" for each in known]))


def ending_of(path: Path | str) -> str:
    """Return the ending of a file, which may be the name of a format."""
    ending = Path(path).suffix.lower().removeprefix(".")
    return _ENDINGS.get(ending, ending)


def picture_options(*more: str) -> Callable[[F], F]:
    """Declare ``--output``, and ``--theme``, which ``more`` formats than images and pages support."""
    formats = "|".join(["svg", *IMAGES, "html", *more])
    theme: Callable[[F], F] = option(
        "--theme",
        type=click.Choice(["light", "dark", "auto"]),
        help="Set the colors.  [default: light; html: auto]",
        needs=f"--format {formats}",
    )
    return lambda function: output_option(theme(function))


@contextmanager
def destination(path: Path | None, kind: str | None) -> Iterator[Write | None]:
    """Return a function that collects a file, which is converted and written at the end.

    The result is None for text on standard output, which reports write themselves. Nothing is written after
    an error. Raises UsageError for an image on a terminal, without the converter, or for another format in
    a file with the ending of an image or a page.
    """
    ending = "" if path is None else ending_of(path)
    if ending in (*DRAWN, *_OTHER_IMAGES, "html") and ending != ("html" if kind in PAGES else kind):
        raise UsageError(message("image-format", format=kind, path=str(path)))
    is_image = kind in IMAGES
    to_stdout = path is None or str(path) == STDOUT
    if is_image and to_stdout and is_terminal(sys.stdout):
        raise UsageError(message("image-on-terminal", format=kind))
    if is_image:
        _converter()
    elif path is None:
        yield None
        return
    pieces: list[str] = []
    yield pieces.append
    if is_image and pieces:
        pieces = [converted("".join(pieces), str(kind))]
    if pieces or kind not in NEVER_EMPTY:
        write_result(path, pieces)


def converted(svg: str, kind: str) -> ByteText:
    """Return an SVG document as the bytes of a PNG image or a PDF file.

    A PNG image has ``SCALE`` pixels for each px, or one if it would exceed ``MAX_PIXELS``. Raises UsageError
    without vl-convert, and LimitExceeded. Cost: linear in the document and in the pixels.
    """
    library = _converter()
    _limit(len(svg), MAX_CHARACTERS, "characters of SVG", "MAX_CHARACTERS")
    if kind == "pdf":
        return ByteText.of(library.svg_to_pdf(svg))
    size = _SIZE.search(svg)
    assert size is not None
    wide, high = (float(each) for each in size.groups() if each)
    scale = SCALE if wide * high * SCALE**2 <= MAX_PIXELS else 1.0
    _limit(int(wide * high * scale**2), MAX_PIXELS, "pixels", "MAX_PIXELS")
    return ByteText.of(library.svg_to_png(svg, scale=scale))


def _limit(used: int, limit: int, unit: str, setting: str) -> None:
    if used > limit:
        raise LimitExceeded(
            message("image-too-large", used=used, unit=unit, limit=limit),
            operation="image of a diagram",
            used=used,
            limit=limit,
            setting=setting,
        )


def _converter() -> Any:
    try:
        with importing:
            import vl_convert
    except ModuleNotFoundError:
        raise UsageError(message("extra-missing", package="vl-convert-python", extra="images")) from None
    return vl_convert

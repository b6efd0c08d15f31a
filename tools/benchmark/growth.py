"""How time and memory grow with the input, on strings made to be hard.

For each shape and question: the time at sizes from 1 kB to 1 MB, and the slope of the line that fits best
through them on logarithmic scales. 1 is linear, 2 quadratic. Below 1 is fine: a fixed cost still shows, or
the answer is known before the end. The time is the processor's: what else runs interrupts long answers
more often than short ones, which on the wall's clock would look like growth.
"""

from __future__ import annotations

import gc
import math
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import linear_regression, median
from time import process_time

from abnforge import Rule, uri

SIZES = (1_000, 4_000, 16_000, 64_000, 256_000, 1_000_000)
REPEATS = 5
# One measurement is not repeated beyond this many seconds, so that slow answers get fewer repetitions.
PATIENCE = 0.3
# Peak memory is taken at this size: tracing makes everything several times as slow.
MEMORY_SIZE = 16_000


def _filled(before: str, unit: str, after: str = "") -> Callable[[int], str]:
    """Texts of the wanted length: ``before``, as many units as fit, ``after``."""
    return lambda size: before + unit * max(1, (size - len(before) - len(after)) // len(unit)) + after


def _middle(before: str, unit: str, bad: str) -> Callable[[int], str]:
    return lambda size: before + unit * (size // 2) + bad + unit * (size // 2)


SHAPES: dict[str, Callable[[int], str]] = {
    "long path": _filled("http://h/", "a"),
    "many segments": _filled("http://h", "/a"),
    "many empty segments": _filled("http://h", "/"),
    "many pct-encoded": _filled("http://h/", "%41"),
    "letters and pct-encoded": _filled("http://h/", "a%41"),
    "long host": _filled("http://", "a"),
    "host of pct-encoded": _filled("http://", "%41"),
    "host of dots": _filled("http://", "."),
    "host of digits and dots": _filled("http://", "1."),
    "long port": _filled("http://h:", "1"),
    "long userinfo": _filled("http://", "a:", "@h/"),
    "long scheme": _filled("a", "+", ":"),
    "scheme without end": _filled("a", "+"),
    "rootless path of colons": _filled("x", ":"),
    "colons in the authority": _filled("http://", ":"),
    "userinfo without @": _filled("http://", "a:", "/"),
    "many @": _filled("http://", "a@"),
    "many [": _filled("http://", "["),
    "many [ in the path": _filled("http://h/", "["),
    "IPv6 address without end": _filled("http://[", "1:"),
    "IPv6 address of colons": _filled("http://[", ":", "]/"),
    "IPvFuture without end": _filled("http://[v1.", "a"),
    "only %": _filled("", "%"),
    "% in the path": _filled("http://h/", "%"),
    "dots": _filled("http://h/", "../"),
    "long query": _filled("http://h/?", "a=b&"),
    "query, bad at the end": _filled("http://h/?", "a", " "),
    "query, bad in the middle": _middle("http://h/?", "a", "{"),
    "query, bad at the start": _filled("http://h/?{", "a"),
    "fragment, bad at the end": _filled("http://h/#", "a", "#"),
    "many bad characters": _filled("http://h/?", "a{b} "),
    "pct-encoded, bad at the end": _filled("http://h/", "%41", "%4"),
    "host, bad at the end": _filled("http://", "a", " "),
    "spaces": _filled("", " "),
    "letters beyond ASCII": _filled("http://h/", "é"),
    "beyond the BMP": _filled("http://h/", "\U0001f600"),
    "NUL": _filled("http://h/", "\0"),
}

QUESTIONS = ("verdict", "offset", "components", "explanation", "suggestion")


@dataclass(frozen=True)
class Growth:
    """One question on one shape: seconds by size (as far as the time limit allowed), and bytes per character.

    ``memory`` is the peak of what Python allocated beside the input, divided by the input's length;
    NaN when it was not taken.
    """

    shape: str
    question: str
    seconds: dict[int, float]
    memory: float

    @property
    def exponent(self) -> float:
        """The slope over all sizes; NaN when there are fewer than two."""
        return _slope(list(self.seconds.items()))

    @property
    def last_exponent(self) -> float:
        """The slope between the two largest sizes, where a fixed cost no longer shows."""
        return _slope(list(self.seconds.items())[-2:])


def _slope(points: Sequence[tuple[int, float]]) -> float:
    if len(points) < 2:
        return math.nan
    sizes, seconds = zip(*points, strict=True)
    return linear_regression([math.log(s) for s in sizes], [math.log(s) for s in seconds]).slope


def questions(rule: Rule, text: str) -> dict[str, Callable[[str], object]]:
    """What can be asked about a text: components of a valid one, the reason for a rejected one."""
    asked: dict[str, Callable[[str], object]] = {"verdict": rule.matches, "offset": rule.automaton.read}
    if rule.matches(text):
        asked["components"] = lambda text: uri.parse(text, "URI")
    else:
        asked["explanation"] = lambda text: rule.explain(text, suggest=False)
        asked["suggestion"] = rule.explain
    return asked


def measure_growth(
    rule: Rule, sizes: Sequence[int], *, limit: float, shapes: Sequence[str] = tuple(SHAPES)
) -> Iterator[Growth]:
    """Every question on every shape.

    Sizes are left out when one answer would, at linear growth, take longer than ``limit`` seconds.
    """
    for shape in shapes:
        build = SHAPES[shape]
        for question, ask in questions(rule, build(sizes[0])).items():
            ask(build(sizes[0]))
            seconds = {sizes[0]: _time(ask, build(sizes[0]))}
            for before, size in pairwise(sizes):
                if seconds[before] * size / before > limit:
                    break
                seconds[size] = _time(ask, build(size))
            # The search behind a suggestion is bounded by its own limits, and slow to trace.
            searches = question == "suggestion"
            memory = math.nan if searches else _peak(ask, build(min(MEMORY_SIZE, sizes[-1])))
            yield Growth(shape, question, seconds, memory)


def _time(ask: Callable[[str], object], text: str) -> float:
    """The median of some repetitions."""
    found: list[float] = []
    gc.collect()
    gc.disable()
    try:
        while len(found) < REPEATS and sum(found) < PATIENCE:
            start = process_time()
            ask(text)
            found.append(process_time() - start)
    finally:
        gc.enable()
    return median(found)


def _peak(ask: Callable[[str], object], text: str) -> float:
    """Bytes per character of the input that a question needs at its peak."""
    tracemalloc.start()
    try:
        ask(text)
        return tracemalloc.get_traced_memory()[1] / len(text)
    finally:
        tracemalloc.stop()

"""Rules as railroad diagrams: each path along the rails is a string of the rule.

The railroad-diagrams package (extra ``railroad``) draws the grammar in its written form. Case-insensitive and
case-sensitive strings (``%s``), numeric characters, ranges, prose and rules look different. Loops are labeled
with the number of their iterations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from abnforge._arguments import Text, instance_argument
from abnforge._lazy import importing
from abnforge.budget import Meter
from abnforge.catalog import ArgumentError, MissingExtraError
from abnforge.conformance.usage import ALTERNATIVE, MANY, ONE, MarkReader, Usage, marked_rules
from abnforge.engine.rule import Rule
from abnforge.grammar import syntax
from abnforge.grammar.printer import print_alternation, print_element
from abnforge.grammar.syntax import BoundRule
from abnforge.teaching.messages import message
from abnforge.teaching.pictures.drawing import FONT, palette, style_element
from abnforge.text import escape, show_char, width

WIDEST = 900.0  # maximum width in px of a line of elements, if it can be broken
MAX_ALTERNATIVES = 200  # maximum number of drawn alternatives of one choice
MAX_NESTED = 30  # maximum depth of drawn groups, because the library recurses
_COLUMN = 8.5  # width of a character in px, as the library assumes

STYLE = f"""
.rails {{ background: var(--paper); }}
.rails path {{ stroke: var(--soft); stroke-width: 1.5; fill: none; }}
.rails text {{ font: 14px {FONT}; text-anchor: middle; fill: var(--ink); }}
.rails text.comment {{ font: italic 12px {FONT}; fill: var(--soft); }}
.rails rect {{ stroke: var(--soft); stroke-width: 1.5; fill: var(--shade); }}
.rails .rule rect {{ stroke: var(--l0); fill: var(--paper); }} .rails .rule text {{ fill: var(--l0); }}
.rails .any-case rect {{ stroke: var(--l2); stroke-dasharray: 4 2; }}
.rails .one-case rect {{ stroke: var(--l2); }} .rails .exact rect {{ stroke: var(--l2); }}
.rails .range rect {{ stroke: var(--l3); }} .rails .value rect {{ stroke: var(--l3); stroke-dasharray: 1 2; }}
.rails .prose rect {{ stroke: var(--mark); stroke-dasharray: 6 4; }}
.rails .prose text {{ font-style: italic; }}
.rails rect.paper {{ stroke: none; fill: var(--paper); }}
.rails rect.group-box {{ stroke: var(--line); stroke-dasharray: 8 4; fill: none; }}
.rails a:hover text, .rails a:focus text {{ text-decoration: underline; }}
.rails a:focus-visible {{ outline: 2px solid var(--l0); outline-offset: 2px; }}
.rails .used rect {{ stroke-width: 3.5; }} .rails .used text {{ font-weight: 700; }}
.rails .idle {{ opacity: .4; }}
"""


@dataclass(frozen=True, slots=True)
class Path:
    """The parts of a grammar that one string uses: rules, and their parts with kind and position."""

    rules: frozenset[str]
    parts: frozenset[tuple[str, str, object]]


def path_of(rule: Rule, text: Text) -> Path:
    """Return the parts of each rule that a string's preferred derivation uses.

    Raises Rejected, LimitExceeded, and the GrammarError and ValueError of ``conformance.coverage``. Cost: the
    string's tree.
    """
    instance_argument(rule, "rule", Rule, "a Rule")
    plain = rule._text(text)
    rule.parse(plain)
    marked = marked_rules(rule)
    reader = MarkReader(marked, rule.key, rule.grammar.compilation.budget)
    usage = Usage(marked, reader)
    trace = reader.trace(plain)
    assert trace is not None
    usage.add(plain, trace)
    used = [each.part for each, count in zip(marked.parts, usage.counts(), strict=True) if count]
    return Path(
        frozenset(part.rule.lower() for part in used if part.kind == "rule"),
        frozenset((part.rule.lower(), part.kind, part.span or part.source) for part in used),
    )


def rule_svg(rule: Rule, *, depth: int = 0, path: Path | None = None, theme: str = "light") -> str:
    """Return a rule as an SVG document, with the rules that it names inlined down to a ``depth``.

    ``path`` highlights the parts that a string uses. Raises ModuleNotFoundError without the library,
    ValueError for a negative depth, LimitExceeded. Cost: linear in the diagram.
    """
    return _diagram(rule, depth, path, lambda key: None, theme)


def rule_element(rule: Rule, links: Callable[[str], str | None], *, path: Path | None = None) -> str:
    """Return a rule as an element for a page with :func:`rails_style`; ``links`` maps keys to addresses."""
    return _diagram(rule, 0, path, links, "")


def rails_style(root: str) -> str:
    """Return the style of diagrams within an element."""
    return palette(root) + STYLE


def available() -> None:
    """Raise ModuleNotFoundError without the library, before anything is drawn."""
    _library()


def _library() -> Any:
    try:
        with importing:
            import railroad
    except ModuleNotFoundError as error:
        raise MissingExtraError(message("railroad-missing"), name=error.name) from error
    return railroad


def _diagram(
    rule: Rule, depth: int, path: Path | None, links: Callable[[str], str | None], theme: str
) -> str:
    instance_argument(rule, "rule", Rule, "a Rule")
    instance_argument(depth, "depth", int, "a number of levels")
    if depth < 0:
        raise ArgumentError(message("depth-negative", value=depth))
    library = _library()
    compilation = rule.grammar.compilation
    meter = compilation.budget.meter(f"diagram of {rule.name}")
    rails = _Rails(library, compilation.bound.rules, links, path, meter)
    diagram = library.Diagram(rails.rule(rule.key, depth), type="simple")
    diagram.format(10)
    bound = compilation.bound.rules[rule.key]
    text = escape(f"{bound.name} = {print_alternation(bound.elements)}")
    number = "" if theme else f"-{rule.key}"
    diagram.children[:0] = [
        library.DiagramItem("title", {"id": f"t{number}"}, f"Railroad diagram of {escape(rule.name)}"),
        library.DiagramItem("desc", {"id": f"d{number}"}, text),
    ]
    diagram.attrs |= {"class": "rails", "aria-labelledby": f"t{number} d{number}"}
    diagram.attrs["role"] = "img" if theme else "group"
    if theme:
        diagram.attrs["xmlns"] = "http://www.w3.org/2000/svg"
        paper = {"class": "paper", "width": "100%", "height": "100%"}
        diagram.children.insert(2, library.DiagramItem("rect", paper))
    pieces: list[str] = []
    diagram.writeSvg(pieces.append)
    head, _, rest = "".join(pieces).replace("]]>", "]]&gt;").partition("\n")
    style = style_element(STYLE, ".rails", theme) if theme else ""
    return f"{head}\n{style}{rest}\n"


class _Rails:
    """Draws the definitions of one grammar. A part is ``used`` only if all parts around it are."""

    def __init__(
        self,
        library: Any,
        rules: Mapping[str, BoundRule],
        links: Callable[[str], str | None],
        path: Path | None,
        meter: Meter,
    ) -> None:
        self._library = library
        self._rules = rules
        self._links = links
        self._path = path
        self._meter = meter
        self._inside: list[str] = []
        self._depth = 0
        self._nested = 0

    def rule(self, key: str, depth: int, used: bool = True) -> Any:
        """Return a rule's definition, with rules inlined down to a depth."""
        self._inside.append(key)
        before, self._depth = self._depth, depth
        used = used and self._path is not None and key in self._path.rules
        drawn = self._alternation(self._rules[key].elements, used)
        self._depth = before
        self._inside.pop()
        return drawn

    def _has(self, kind: str, node: Any, written: str) -> bool:
        if self._path is None:
            return False
        bound = self._rules[self._inside[-1]]
        place: object = node.span if bound.origin == "file" else written
        return (self._inside[-1], kind, place) in self._path.parts

    def _alternation(self, alternation: syntax.Alternation, used: bool) -> Any:
        alternatives = alternation.alternatives
        if len(alternatives) == 1:
            return self._concatenation(alternatives[0], used)
        if self._nested >= MAX_NESTED:
            return self._comment("...")
        self._nested += 1
        drawn = []
        for each in alternatives[:MAX_ALTERNATIVES]:
            written = print_alternation(syntax.Alternation((each,)))
            drawn.append(self._concatenation(each, used and self._has(ALTERNATIVE, each, written)))
        if len(alternatives) > MAX_ALTERNATIVES:
            drawn.append(self._comment(f"{len(alternatives) - MAX_ALTERNATIVES:,} more"))
        self._nested -= 1
        return self._library.Choice(0, *drawn)

    def _concatenation(self, concatenation: syntax.Concatenation, used: bool) -> Any:
        lines: list[list[Any]] = [[]]
        used_width = 0.0
        for item in concatenation.items:
            drawn = self._repetition(item, used)
            if lines[-1] and used_width + drawn.width > WIDEST:
                lines.append([])
                used_width = 0.0
            lines[-1].append(drawn)
            used_width += drawn.width + 20
        sequences = [self._sequence(line) for line in lines]
        return sequences[0] if len(sequences) == 1 else self._library.Stack(*sequences)

    def _sequence(self, items: Sequence[Any]) -> Any:
        return items[0] if len(items) == 1 else self._library.Sequence(*items)

    def _repetition(self, item: syntax.Repetition, used: bool) -> Any:
        self._meter.charge()
        low, high = item.min, item.max
        if high == 0:
            return self._comment("nothing")
        if low == high == 1:
            return self._element(item.element, used)
        return self._counted(item, item.element, low, high, used)

    def _counted(self, whole: Any, element: syntax.Element, low: int, high: int | None, used: bool) -> Any:
        if self._nested >= MAX_NESTED:
            return self._comment("...")
        if low <= 1:
            written = print_alternation(syntax.Alternation((syntax.Concatenation((_repetition(whole),)),)))
            used = used and (self._has(ONE, whole, written) or self._has(MANY, whole, written))
        self._nested += 1
        drawn = self._element(element, used)
        self._nested -= 1
        if high != 1:
            label = times(low, high)
            drawn = self._library.OneOrMore(drawn, self._comment(label) if label else None)
        if low == 0:
            drawn = self._library.Choice(1, self._library.Skip(), drawn)
        return drawn

    def _element(self, element: syntax.Element, used: bool) -> Any:
        match element:
            case syntax.Group(alternation=alternation):
                return self._alternation(alternation, used)
            case syntax.Option(alternation=alternation):
                return self._counted(element, syntax.Group(alternation), 0, 1, used)
            case syntax.RuleName(name=name):
                return self._name(name, used)
            case syntax.ProseVal(text=text):
                return self._box("prose", f"<{text}>", "described in words", used)
            case syntax.CharVal(value=""):
                return self._comment("empty")
        kind, label = described(element)
        shown = print_element(element)
        if isinstance(element, syntax.NumVal) and (plain := _plainly(element)):
            shown = f"{plain}  {shown}"
        return self._box(kind, shown, label, used)

    def _name(self, name: str, used: bool) -> Any:
        key = name.lower()
        bound = self._rules[key]
        if self._depth and bound.origin != "core" and key not in self._inside and self._nested < MAX_NESTED:
            self._nested += 1
            drawn = self._library.Group(self.rule(key, self._depth - 1, used), escape(bound.name))
            self._nested -= 1
            return drawn
        return self._box("rule", name, "", used, self._links(key))

    def _box(self, kind: str, text: str, title: str, used: bool, link: str | None = None) -> Any:
        state = "" if self._path is None else " used" if used else " idle"
        shown = escape(text)
        make = self._library.NonTerminal if kind in ("rule", "prose") else self._library.Terminal
        drawn = make(shown, title=title or None, cls=kind + state)
        drawn.width = width(shown) * _COLUMN + 20
        if link is not None:
            drawn.name = "a"  # the library's own links contain their text twice
            drawn.attrs["href"] = link
        return drawn

    def _comment(self, text: str) -> Any:
        return self._library.Comment(text)


def times(low: int, high: int | None) -> str:
    """Return the number of iterations of a loop in words; empty if the diagram shows it."""
    if high is None:
        return "" if low <= 1 else f"{low:,} or more"
    if low == high:
        return f"exactly {low:,}"
    return f"at most {high:,}" if low <= 1 else f"{low:,} to {high:,}"


def described(element: syntax.Element) -> tuple[str, str]:
    """Return the kind of a terminal, and its label."""
    match element:
        case syntax.CharVal(value=value, prefix=prefix):
            if not any(char.isalpha() for char in value):
                return "exact", "string"
            if prefix == "%s":
                return "one-case", "case-sensitive string"
            return "any-case", "case-insensitive string"
        case syntax.NumVal(values=(first, last), is_range=True):
            return "range", f"one character from {_named(first)} to {_named(last)}"
        case syntax.NumVal(values=values):
            return "value", "just " + ", ".join(map(_named, values))
    raise AssertionError(element)


def _plainly(element: syntax.NumVal) -> str:
    """Return the characters of numbers, if all of them are printable."""
    if not all(0x21 <= value < 0x7F for value in element.values):
        return ""
    separator = "-" if element.is_range else ""
    return separator.join(map(chr, element.values))


def _named(value: int) -> str:
    return escape(show_char(chr(value))) if value < 0x110000 else f"{value:X} (not a character)"


def _repetition(whole: Any) -> syntax.Repetition:
    return whole if isinstance(whole, syntax.Repetition) else syntax.Repetition(whole)

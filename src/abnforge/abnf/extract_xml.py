"""Blocks of RFC XML (RFC 7991, and version 2 of the format, RFC 7749): ``sourcecode`` and ``artwork``.

Expat reads the document, since it tells where each piece of text stands. Nothing is fetched: what the
document refers to outside stays out, and entities that it declares are not written out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.parsers import expat

from abnforge.abnf.draft import Draft, joined, written
from abnforge.abnf.extract_blocks import NO_HEADING, Block, Found, Heading
from abnforge.abnf.messages import message
from abnforge.catalog import Message
from abnforge.errors import GrammarError
from abnforge.source import Source, Span

MAX_ENTITY = 1_000
"""Characters of an entity that a document declares. Those of RFCs are a name or a sign; long ones, and ones
made of others, serve to make a small document fill the memory."""

_CODE = ("sourcecode", "artwork")
_LINKS = ("xref", "relref", "eref")
_REFERENCES = ("reference", "referencegroup")
_FORMATS = {"of": "{section} of {target}", "comma": "{target}, {section}", "parens": "{target} ({section})"}
# The values of "x:fmt" before version 3.
_EARLIER = {",": "comma", "()": "parens", "of": "of", "sec": "section", "number": "bare", "none": "none"}
_NUMBER = re.compile(r"section-(?:appendix\.)?((?:[0-9]+|[a-z])(?:\.[0-9]+)*)")


def found(document: Source) -> Found:
    """The blocks of code in a document, as named ABNF by their ``type``; those without one are not.

    Raises GrammarError, with the place, where it is not well-formed. Cost: linear.
    """
    reader = _Reader(document)
    reader.read()
    return Found([reader.block(*each) for each in reader.blocks])


@dataclass(frozen=True, slots=True)
class _Link:
    """An ``xref``, ``relref`` or ``eref``: the label of its target is known at the end of the document."""

    name: str
    at: int
    attributes: dict[str, str]
    content: list[str]


class _Reader:
    def __init__(self, document: Source) -> None:
        self.document = document
        self.blocks: list[tuple[list[Draft | _Link], bool, Heading]] = []
        self.data = document.text.encode("utf-8", "surrogatepass")
        self.ascii = len(self.data) == len(document.text)
        self.known = (0, 0)  # an offset in octets, and the same in characters
        self.parts: list[Draft | _Link] | None = None  # parts of the open block
        self.link: _Link | None = None  # open in that block
        self.references: dict[str, str] = {}  # labels of references, by anchor
        self.anchors: dict[str, str] = {}  # labels of other elements, by anchor
        self.kind = ""
        self.title: list[str] | None = None
        self.part = "middle"
        self.numbers: list[int] = []  # of the sections that are open
        self.counts = [0]
        self.headings: list[Heading] = []
        self.parser = expat.ParserCreate("utf-8")
        self.parser.UseForeignDTD(True)  # an entity whose declaration is elsewhere is no mistake
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.DefaultHandler = self.other
        self.parser.EntityDeclHandler = self.entity

    def read(self) -> None:
        try:
            self.parser.Parse(self.data, True)
        except expat.ExpatError as error:
            said = expat.ErrorString(error.code)
            at = min(self.offset(max(0, self.parser.ErrorByteIndex)), len(self.document.text))
            raise self.error(message("xml-malformed", reason=said), at) from None

    def error(self, problem: Message, at: int) -> GrammarError:
        return GrammarError(problem, source=self.document, span=Span(at, at))

    def offset(self, octets: int) -> int:
        """An offset in characters. Cost: what lies behind the one asked for before."""
        if self.ascii:
            return octets
        known, characters = self.known if self.known[0] <= octets else (0, 0)
        characters += len(self.data[known:octets].decode("utf-8", "replace"))
        self.known = (octets, characters)
        return characters

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.anchor(name, attributes)
        if name in ("middle", "back"):
            self.part, self.counts = name, [0]
        elif name == "section":
            self.headings.append(self.heading(attributes))
            if "anchor" in attributes and self.headings[-1].number:
                self.anchors[attributes["anchor"]] = _section(self.headings[-1].number)
            self.counts.append(0)
        elif name == "name" and self.headings:
            self.title = []
        elif name in _CODE and self.parts is None:
            self.parts, self.kind = [], attributes.get("type", "").strip().lower()
        elif name in _LINKS and self.parts is not None:
            self.link = _Link(name, self.offset(self.parser.CurrentByteIndex), attributes, [])
            self.parts.append(self.link)

    def anchor(self, name: str, attributes: dict[str, str]) -> None:
        """Note the name by which an ``xref`` can refer to an element."""
        if name == "displayreference":
            self.references[attributes.get("target", "")] = attributes.get("to", "")
        elif name in _REFERENCES:
            anchor = attributes.get("anchor", "")
            self.references.setdefault(anchor, anchor)
        elif "anchor" in attributes:
            self.anchors[attributes["anchor"]] = ""

    def heading(self, attributes: dict[str, str]) -> Heading:
        title = attributes.get("title", "")
        given = _NUMBER.fullmatch(attributes.get("pn", ""))
        if attributes.get("numbered", "true") == "false":
            return Heading(None, title)
        self.counts[-1] += 1
        if given:
            return Heading(given[1].upper(), title)
        first, *others = self.counts
        begin = chr(ord("A") + min(first, 26) - 1) if self.part == "back" else str(first)
        return Heading(".".join([begin, *map(str, others)]), title)

    def end(self, name: str) -> None:
        if name == "section" and self.headings:
            self.headings.pop()
            self.counts.pop()
        elif name == "name" and self.title is not None:
            said = Heading(self.headings[-1].number, " ".join("".join(self.title).split()))
            self.headings[-1], self.title = said, None
        elif name in _LINKS:
            self.link = None
        elif name in _CODE and self.parts is not None:
            heading = self.headings[-1] if self.headings else NO_HEADING
            if self.kind.startswith("abnf") or not self.kind:
                self.blocks.append((self.parts, bool(self.kind), heading))
            self.parts = self.link = None

    def block(self, parts: list[Draft | _Link], named: bool, heading: Heading) -> Block:
        """Return a block, with each link as the RFC shows it."""
        drafts = [
            each if isinstance(each, Draft) else written(_shown(each, self.label(each.attributes)), each.at)
            for each in parts
        ]
        return Block(joined(drafts), named, heading)

    def label(self, attributes: dict[str, str]) -> str:
        """Return the label of the element that an ``xref`` refers to (RFC 7991, section 2.66)."""
        target, derived = attributes.get("target", ""), attributes.get("derivedContent", "")
        if target in self.references or target not in self.anchors:
            return f"[{self.references.get(target) or derived or target}]"
        if attributes.get("format") == "counter":
            return derived or self.anchors[target].partition(" ")[2] or target
        return derived or self.anchors[target] or target

    def characters(self, text: str) -> None:
        if self.title is not None:
            self.title.append(text)
        if self.link is not None:
            self.link.content.append(text)
            return
        if self.parts is None:
            return
        at = self.offset(self.parser.CurrentByteIndex)
        # Otherwise it is a reference to a character, or the end of a line that is CRLF.
        same = self.document.text.startswith(text, at)
        self.parts.append(Draft(text, at) if same else written(text, at))

    def other(self, text: str) -> None:
        if self.parts is not None and text.startswith("&"):
            self.parts.append(Draft(text, self.offset(self.parser.CurrentByteIndex)))

    def entity(self, name: str, parameter: bool, value: str | None, *elsewhere: object) -> None:
        if value is not None and (len(value) > MAX_ENTITY or "&" in value or "%" in value):
            at = self.offset(self.parser.CurrentByteIndex)
            raise self.error(message("xml-entity", name=name, limit=MAX_ENTITY), at)


def _section(number: str) -> str:
    return f"Section {number}" if number[0].isdigit() else f"Appendix {number}"


def _shown(link: _Link, target: str) -> str:
    """Return how xml2rfc shows a link; ``target`` is the label of its target."""
    attributes, content = link.attributes, " ".join("".join(link.content).split())
    if link.name == "eref":
        return content or attributes.get("target", "")
    section = attributes.get("section") or attributes.get("x:sec")
    given = attributes.get("displayFormat" if link.name == "relref" else "sectionFormat")
    kind = given or _EARLIER.get(attributes.get("x:fmt", ""), "of")
    if attributes.get("format") == "none" or kind == "none":
        return content
    if section and kind == "bare":
        shown = section
    elif section and kind == "section":
        shown = _section(section)
    elif section:
        shown = _FORMATS.get(kind, _FORMATS["of"]).format(section=_section(section), target=target)
    else:
        shown = target
    return f"{content} ({shown})" if content else shown

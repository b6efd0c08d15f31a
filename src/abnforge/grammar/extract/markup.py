"""Find blocks of ABNF in RFC XML, HTML and Markdown.

XML (RFC 7991, and version 2 of the format, RFC 7749): ``sourcecode`` and ``artwork`` elements. Expat parses
the document, since it reports the position of each piece of text. External references are not fetched, and
declared entities are not expanded.

HTML: ``pre`` elements, as in RFCs from the RFC Editor, drafts and web pages. A block has a type by a class of
the block, of an enclosing element or of the ``code`` element in the block: ``abnf``, ``lang-abnf``,
``language-abnf``, ``highlight-source-abnf``. The pages of an RFC that was converted from plain text are one
running text.

Markdown: fenced code and indented code, as in CommonMark and kramdown. A block has a type by its info string
(three backquotes or tildes, then ``abnf``), or by kramdown-rfc attributes above or below it: ``{:
type="abnf"}``, ``{:.language-abnf}``. A kramdown-rfc document can include files (``{::include FILE}``,
``{::include-nested FILE}``). Only files in the document's directory or its subdirectories are read, since the
document may be untrusted and abnforge shows the included text.

Each function searches for blocks of one type, by default ABNF, and for blocks without a type.

This module is long because the three formats share their blocks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from xml.parsers import expat

from abnforge.catalog import ArgumentError, CodedError, Message
from abnforge.errors import GrammarError
from abnforge.grammar.extract.text import NO_HEADING, DocumentBlock, DocumentBlocks, Heading, numbered
from abnforge.grammar.messages import message
from abnforge.grammar.reader import MAX_GRAMMAR_BYTES, read_file
from abnforge.grammar.source_map import SourceMap, joined, written
from abnforge.rejection import Edit
from abnforge.text import Source, Span

MAX_INCLUDES = 1_000  # maximum number of included files. The largest drafts have about a hundred.
MAX_INCLUDE_DEPTH = 10  # maximum nesting depth of included files

ABNF = "abnf[0-9]*"
"""The types of ABNF blocks as a regular expression. Drafts use numbers for grammars of several RFCs."""


@dataclass(frozen=True, slots=True)
class _TypePatterns:
    """Regular expressions for a block type: as a whole, as a class in HTML, and in Markdown."""

    whole: re.Pattern[str]
    html_class: re.Pattern[str]
    info: re.Pattern[str]
    attributes: re.Pattern[str]


@lru_cache(maxsize=32)
def _patterns(kind: str) -> _TypePatterns:
    """Return the patterns of a type, which is given as a regular expression."""
    return _TypePatterns(
        re.compile(kind, re.IGNORECASE),
        re.compile(rf"(?:(?:lang|language|highlight|source|sourcecode|code)-)*(?:{kind})", re.IGNORECASE),
        re.compile(rf"""\{{?[:.\s]*(?:language-|lang-)?(?:{kind})(?=[\s}}{{"'.,:;]|$)""", re.IGNORECASE),
        re.compile(
            r"""(?:(?:^|\s)(?:sourcecode-|artwork-)?type\s*=\s*["']?|\.(?:language-|lang-)?)"""
            rf"""(?:{kind})(?=["'\s.}}]|$)""",
            re.IGNORECASE,
        ),
    )


_DIRECTIVE = re.compile(r"^\{::include((?:-[a-z0-9]+)*)[ \t]+([^\n}]*)\}", re.MULTILINE)
_ANYWHERE = re.compile(r"^[ \t>]*(\{::include[^\n}]*\})", re.MULTILINE)


class Includes:
    """A document and its included files, joined in ``draft``; ``name`` is the document's file name."""

    def __init__(self, text: str, folder: Path | None, name: str) -> None:
        self._folder = folder
        self._path = None if folder is None else (folder / Path(name).name).resolve()
        self._files = 0
        self._bytes = 0
        self._failed: dict[int, Message] = {}
        parts: list[SourceMap] = []
        whole, end = SourceMap(text), 0
        for match in _DIRECTIVE.finditer(text):
            try:
                included = self._included(match[1], match[2], (self._path,))
            except (OSError, ValueError, RuntimeError) as error:  # includes GrammarError
                self._failed[match.start()] = _failure(match[2].strip(), error)
                continue
            parts += [whole.part(end, match.start()), written(included, match.start())]
            end = match.end()
        self.draft = joined([*parts, whole.part(end, len(text))])

    def without(self, part: SourceMap) -> tuple[SourceMap, list[tuple[int, Message]]]:
        """Return a part of the draft without failed directives, and the offset and reason of each failure."""
        matches = list(_ANYWHERE.finditer(part.text))
        failures = [(part.at[directive.start(1)], self._why_not(part, directive)) for directive in matches]
        part.apply(Edit(*directive.span(1), "") for directive in matches)
        return part, failures

    def _why_not(self, part: SourceMap, directive: re.Match[str]) -> Message:
        start = directive.start(1)
        if part.own[start]:
            return self._failed.get(part.at[start], message("include-misplaced"))
        if directive.start() < start:
            return message("include-misplaced-inside")
        return message("include-not-nested")

    def _included(self, flags: str, name: str, within: tuple[Path | None, ...]) -> str:
        """Return the content of the files of a directive. Raises OSError, ValueError and RuntimeError."""
        kinds = flags.split("-")
        texts = []
        for path in self._paths(name.strip(), kinds):
            real = path.resolve()
            if real in within:
                raise ArgumentError(message("include-cycle", file=real.name))
            self._files += 1
            if self._files > MAX_INCLUDES:
                raise ArgumentError(message("include-files-limit", limit=MAX_INCLUDES))
            text = read_file(path)
            self._bytes += len(text)
            if self._bytes > MAX_GRAMMAR_BYTES:
                raise ArgumentError(message("include-bytes-limit", limit=MAX_GRAMMAR_BYTES))
            if "nested" in kinds:
                if len(within) > MAX_INCLUDE_DEPTH:
                    raise ArgumentError(message("include-depth-limit", limit=MAX_INCLUDE_DEPTH))
                text = self._with_nested(text, (*within, real))
            texts.append(text)
        return "".join(texts).removesuffix("\n").removesuffix("\r")

    def _with_nested(self, text: str, within: tuple[Path | None, ...]) -> str:
        return _DIRECTIVE.sub(lambda inner: self._included(inner[1], inner[2], within), text)

    def _paths(self, name: str, kinds: list[str]) -> Iterator[Path]:
        """Yield the files of a directive, all in the document's directory or its subdirectories."""
        if self._folder is None:
            raise ArgumentError(message("include-without-directory"))
        if Path(name).is_absolute():
            raise ArgumentError(message("include-absolute"))
        if "all" in kinds or "last" in kinds:
            if ".." in Path(name).parts:
                raise ArgumentError(message("include-outside"))
            paths = sorted(self._folder.glob(name))
            if not paths:
                raise ArgumentError(message("include-file-missing"))
            paths = paths if "all" in kinds else paths[-1:]
        else:
            paths = [self._folder / name]
        inside = self._folder.resolve()
        for path in paths:
            if not path.resolve().is_relative_to(inside):
                raise ArgumentError(message("include-outside"))
            if not path.is_file():
                code = "include-not-a-file" if path.exists() else "include-file-missing"
                raise ArgumentError(message(code))
            yield path


def _failure(name: str, error: Exception) -> Message:
    reason: str
    if isinstance(error, CodedError):
        reason = error.message
    elif isinstance(error, OSError):
        reason = error.strerror or message("include-unreadable")
    else:
        reason = str(error)
    return message("include-failed", file=name, reason=reason)


MAX_ENTITY = 1_000
"""The maximum length of an entity that a document declares. Entities in RFCs contain a name or a sign; with
long and nested entities, a small document could fill the memory.
"""

_CODE = ("sourcecode", "artwork")
_LINKS = ("xref", "relref", "eref")
_REFERENCES = ("reference", "referencegroup")
_FORMATS = {"of": "{section} of {target}", "comma": "{target}, {section}", "parens": "{target} ({section})"}
# The values of "x:fmt" before version 3 of the format.
_EARLIER = {",": "comma", "()": "parens", "of": "of", "sec": "section", "number": "bare", "none": "none"}
_NUMBER = re.compile(r"section-(?:appendix\.)?((?:[0-9]+|[a-z])(?:\.[0-9]+)*)")


def find_in_xml(document: Source, kind: str = ABNF) -> DocumentBlocks:
    """Return the code blocks of a document with this type or without a type.

    Raises GrammarError, with the position, if the document is not well-formed. Cost: linear.
    """
    reader = _XmlReader(document, kind)
    reader.read()
    return DocumentBlocks([reader.block(*each) for each in reader.blocks])


@dataclass(frozen=True, slots=True)
class _Link:
    """An ``xref``, ``relref`` or ``eref``, whose target's label is known at the end of the document."""

    name: str
    at: int
    attributes: dict[str, str]
    content: list[str]


class _XmlReader:
    def __init__(self, document: Source, kind: str) -> None:
        self.document = document
        self.wanted = _patterns(kind).whole
        self.blocks: list[tuple[list[SourceMap | _Link], bool, Heading]] = []
        self.data = document.text.encode("utf-8", "surrogatepass")
        self.ascii = len(self.data) == len(document.text)
        self.known = (0, 0)  # the last offset in bytes, and the same offset in characters
        self.parts: list[SourceMap | _Link] | None = None  # parts of the open block
        self.link: _Link | None = None  # the open link in that block
        self.references: dict[str, str] = {}  # labels of references, by anchor
        self.anchors: dict[str, str] = {}  # labels of other elements, by anchor
        self.kind = ""
        self.title: list[str] | None = None
        self.part = "middle"
        self.numbers: list[int] = []  # section numbers of the open elements
        self.counts = [0]
        self.headings: list[Heading] = []
        self.parser = expat.ParserCreate("utf-8")
        self.parser.UseForeignDTD(True)  # accept entities declared in an external file
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.DefaultHandler = self.other
        self.parser.EntityDeclHandler = self.entity

    def read(self) -> None:
        try:
            self.parser.Parse(self.data, True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            at = min(self.offset(max(0, self.parser.ErrorByteIndex)), len(self.document.text))
            raise self.error(message("xml-malformed", reason=reason), at) from None

    def error(self, problem: Message, at: int) -> GrammarError:
        return GrammarError(problem, source=self.document, span=Span(at, at))

    def offset(self, octets: int) -> int:
        """Return an offset in characters. Cost: linear in the distance to the previous offset."""
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
        """Store the anchor that an ``xref`` can refer to."""
        if name == "displayreference":
            self.references[attributes.get("target", "")] = attributes.get("to", "")
        elif name in _REFERENCES:
            anchor = attributes.get("anchor", "")
            self.references.setdefault(anchor, anchor)
        elif "anchor" in attributes:
            self.anchors[attributes["anchor"]] = ""

    def heading(self, attributes: dict[str, str]) -> Heading:
        title = attributes.get("title", "")
        number = _NUMBER.fullmatch(attributes.get("pn", ""))
        if attributes.get("numbered", "true") == "false":
            return Heading(None, title)
        self.counts[-1] += 1
        if number:
            return Heading(number[1].upper(), title)
        first, *others = self.counts
        begin = chr(ord("A") + min(first, 26) - 1) if self.part == "back" else str(first)
        return Heading(".".join([begin, *map(str, others)]), title)

    def end(self, name: str) -> None:
        if name == "section" and self.headings:
            self.headings.pop()
            self.counts.pop()
        elif name == "name" and self.title is not None:
            heading = Heading(self.headings[-1].number, " ".join("".join(self.title).split()))
            self.headings[-1], self.title = heading, None
        elif name in _LINKS:
            self.link = None
        elif name in _CODE and self.parts is not None:
            heading = self.headings[-1] if self.headings else NO_HEADING
            if not self.kind or self.wanted.fullmatch(self.kind):
                self.blocks.append((self.parts, bool(self.kind), heading))
            self.parts = self.link = None

    def block(self, parts: list[SourceMap | _Link], named: bool, heading: Heading) -> DocumentBlock:
        """Return a block, with each link as it appears in the published RFC."""
        drafts = [
            part
            if isinstance(part, SourceMap)
            else written(_shown(part, self.label(part.attributes)), part.at)
            for part in parts
        ]
        return DocumentBlock(joined(drafts), named, heading)

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
        # Otherwise the data comes from a character reference or a CRLF line end.
        same = self.document.text.startswith(text, at)
        self.parts.append(SourceMap(text, at) if same else written(text, at))

    def other(self, text: str) -> None:
        if self.parts is not None and text.startswith("&"):
            self.parts.append(SourceMap(text, self.offset(self.parser.CurrentByteIndex)))

    def entity(self, name: str, parameter: bool, value: str | None, *elsewhere: object) -> None:
        if value is not None and (len(value) > MAX_ENTITY or "&" in value or "%" in value):
            at = self.offset(self.parser.CurrentByteIndex)
            raise self.error(message("xml-entity", name=name, limit=MAX_ENTITY), at)


def _section(number: str) -> str:
    return f"Section {number}" if number[0].isdigit() else f"Appendix {number}"


def _shown(link: _Link, target: str) -> str:
    """Return a link in the form of xml2rfc; ``target`` is the label of its target."""
    attributes, content = link.attributes, " ".join("".join(link.content).split())
    if link.name == "eref":
        return content or attributes.get("target", "")
    section = attributes.get("section") or attributes.get("x:sec")
    section_format = attributes.get("displayFormat" if link.name == "relref" else "sectionFormat")
    kind = section_format or _EARLIER.get(attributes.get("x:fmt", ""), "of")
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


MAX_OPEN = 1_000  # maximum nesting depth at which classes count; web pages have some tens of levels
MAX_ROUNDS = 100  # number of times that the parser is resumed after it stops, as at ``&#x;``

_PAGE = "newpage"
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_AROUND = ("div", "figure", "section", "td", "li")


def find_in_html(document: Source, kind: str = ABNF) -> DocumentBlocks:
    """Return the preformatted blocks of a document; those with this type are ``named``.

    After an unclosed tag or comment, the rest of the document is skipped and reported. Cost: linear.
    """
    reader = _HtmlReader(document, kind)
    broken = reader.broken
    rest = ""
    try:
        for _ in range(MAX_ROUNDS):
            reader.feed("" if rest else document.text)
            if len(reader.rawdata) in (0, len(rest)):
                break
            rest = reader.rawdata
    except AssertionError:  # older Pythons raise it for "<![" without a name
        broken.append((reader.at(), message("markup-unknown")))
    else:
        # close() would search for missing ends repeatedly; everything else has been handled.
        rest = reader.rawdata
        if len(rest) > 1:
            broken.append((len(document.text) - len(rest), message("markup-unclosed")))
    reader.finish()
    return DocumentBlocks(reader.blocks, broken)


class _HtmlReader(HTMLParser):
    def __init__(self, document: Source, kind: str) -> None:
        super().__init__(convert_charrefs=False)
        self.document = document
        self.wanted = _patterns(kind).html_class
        self.blocks: list[DocumentBlock] = []
        self.broken: list[tuple[int, Message]] = []  # offsets of skipped parts, and the reasons
        self.pages: list[SourceMap] = []
        self.open: list[tuple[str, bool]] = []  # open elements, and whether they have the type
        self.parts: list[SourceMap] | None = None
        self.named = False
        self.page = False
        self.title: list[str] | None = None
        self.heading = NO_HEADING

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = next((value or "" for name, value in attrs if name == "class"), "").lower().split()
        named = any(self.wanted.fullmatch(name) for name in classes)
        if self.parts is not None:
            self.named = self.named or (tag == "code" and named)
        elif tag == "pre":
            self.parts, self.page = [], _PAGE in classes
            self.named = named or any(is_named for _, is_named in self.open)
        elif tag in _AROUND and len(self.open) < MAX_OPEN:
            self.open.append((tag, named))
        elif tag in _HEADINGS:
            self.title = []

    def handle_endtag(self, tag: str) -> None:
        if tag == "pre" and self.parts is not None:
            self.finish()
        elif tag in _AROUND and self.open and self.parts is None:
            # An unclosed element ends with the enclosing element; a stray end tag ends nothing.
            index = len(self.open) - 1
            while index >= 0 and self.open[index][0] != tag:
                index -= 1
            if index >= 0:
                del self.open[index:]
        elif tag in _HEADINGS and self.title is not None:
            title = " ".join("".join(self.title).replace("\u00b6", "").split())
            self.heading, self.title = numbered(title) or Heading(None, title), None

    def handle_comment(self, data: str) -> None:
        # "<!" and "</" without a name begin a comment that ends at the next ">" (HTML, 13.2.5.41).
        if "<" in data and not self.document.text.startswith("<!--", self.at()):
            self.broken.append((self.at(), message("markup-as-comment")))

    def finish(self) -> None:
        """End the open block, and also end a run of pages unless the block is another page."""
        if self.parts is not None:
            draft, self.parts = joined(self.parts), None
            if self.page and not self.named:
                self.pages += [draft, written("\n", draft.at[-1])]
                return
            self.blocks.append(DocumentBlock(draft, self.named, self.heading))
        if self.pages:
            self.blocks.append(DocumentBlock(joined(self.pages), named=False, flowing=True))
            self.pages = []

    def at(self) -> int:
        line, column = self.getpos()
        return self.document.offset(line, column + 1)

    def handle_data(self, data: str) -> None:
        if self.title is not None:
            self.title.append(data)
        if self.parts is not None:
            self.parts.append(SourceMap(data, self.at()))

    def handle_entityref(self, name: str) -> None:
        self.reference(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self.reference(f"&#{name};")

    def reference(self, text: str) -> None:
        if self.title is not None:
            self.title.append(unescape(text))
        if self.parts is not None:
            character = unescape(text)
            at = self.at()
            self.parts.append(SourceMap(text, at) if character == text else written(character, at))


_OPENS = re.compile(r"([ \t>]*)(`{3,}|~{3,})[ \t]*([^\n]*)")
_INDENTED = re.compile(r" {4}| {0,3}\t")
# Comments of kramdown, and of HTML. A comment that does not end is text.
_COMMENT = re.compile(r" {0,3}\{::comment\}(?:(?!\{:/).|\n)*\{:/(?:comment)?\}| {0,3}<!--(?:(?!-->).|\n)*-->")
_CLOSES = re.compile(r"[ \t>]*(`{3,}|~{3,})[ \t]*")
_ATTRIBUTES = re.compile(r"[ \t]*\{:(?!:)([^\n]*)\}")
_HEADING = re.compile(r"(#{1,6})[ \t]+([^\n]*)")
_ANCHOR = re.compile(r"\s*\{[:#][^}\n]{0,200}\}|\s*#+\s*$")
_UNNUMBERED = re.compile(r"numbered\s*=\s*[\"']?false|\.unnumbered|\{-\}", re.IGNORECASE)
_PART = re.compile(r"--- (middle|back)\s*")


def find_in_markdown(document: Source, folder: Path | None = None, kind: str = ABNF) -> DocumentBlocks:
    """Return the code blocks of a document with this type or without a type.

    An unclosed fence extends to the end of the document.
    ``folder`` is the directory of included files. Cost: linear.
    """
    result = DocumentBlocks()
    includes = Includes(document.text, folder, document.name)
    for block in _blocks(includes.draft, includes, result, _patterns(kind)):
        draft, missing = includes.without(block.draft)
        result.blocks.append(replace(block, draft=draft))
        (result.missing if block.named else result.broken).extend(missing)
    return result


def _lines(text: str) -> list[tuple[int, str]]:
    """Return the offset of each line, and the line without its line end."""
    result, start = [], 0
    for line in text.split("\n"):
        result.append((start, line.removesuffix("\r")))
        start += len(line) + 1
    return result


def _blocks(
    whole: SourceMap, includes: Includes, result: DocumentBlocks, wanted: _TypePatterns
) -> Iterator[DocumentBlock]:
    text = whole.text
    lines = _lines(text)
    heading = NO_HEADING
    numbers = _Numbers()
    index = 0
    while index < len(lines):
        line = lines[index][1]
        comment = _COMMENT.match(text, lines[index][0]) if "{::" in line or "<!--" in line else None
        if comment is not None:
            index += comment[0].count("\n") + 1
            continue
        opening = _OPENS.fullmatch(line)
        if opening is None or (opening[2][0] == "`" and "`" in opening[3]):
            last = _indented(lines, index)
            if last > index:
                named = _marked(lines, index, last, wanted)
                yield DocumentBlock(whole.part(lines[index][0], lines[last][0]), named, heading)
                index = last
                continue
            following = lines[index + 1][1] if index + 1 < len(lines) else ""
            heading = numbers.heading(line, following) or heading
            start = lines[index][0]
            result.broken.extend(includes.without(whole.part(start, start + len(line)))[1])
            index += 1
            continue
        last = index + 1
        while last < len(lines) and not _ends(lines[last][1], opening[2]):
            last += 1
        info = opening[3].strip()
        named = bool(wanted.info.match(info)) or _marked(lines, index, last + 1, wanted)
        if named or not info:
            begin = lines[index + 1][0] if index + 1 < len(lines) else len(text)
            end = lines[last][0] if last < len(lines) else len(text)
            if begin < end:
                yield DocumentBlock(_unquoted(whole, begin, end, opening[1]), named, heading)
        index = last + 1


def _marked(lines: list[tuple[int, str]], first: int, end: int, wanted: _TypePatterns) -> bool:
    """Return whether attributes above or below a block, given as a range of lines, specify the type."""
    neighbors = [lines[place][1] for place in (first - 1, end) if 0 <= place < len(lines)]
    attributes = [match[1] for match in map(_ATTRIBUTES.fullmatch, neighbors) if match is not None]
    return any(wanted.attributes.search(attribute) for attribute in attributes)


def _indented(lines: list[tuple[int, str]], first: int) -> int:
    """Return the index of the line after the indented code at a line, or the line's index without code."""
    if not lines[first][1].strip():
        return first
    above = lines[first - 1][1] if first else ""
    if above.strip() and not _ATTRIBUTES.fullmatch(above) and not _HEADING.fullmatch(above):
        return first
    end = index = first
    while index < len(lines) and not _OPENS.fullmatch(line := lines[index][1]):
        if line.strip():
            if not _INDENTED.match(line):
                break
            end = index + 1
        index += 1
    return min(end, len(lines) - 1)


def _ends(line: str, fence: str) -> bool:
    closing = _CLOSES.fullmatch(line)
    return closing is not None and closing[1].startswith(fence)


def _unquoted(whole: SourceMap, start: int, end: int, before: str) -> SourceMap:
    """Return the content of a block without the ">" of a block quote."""
    part = whole.part(start, end)
    depth = before.count(">")
    if depth:
        from_line = re.compile(rf"^[ \t]*(?:>[ \t]?){{1,{depth}}}", re.MULTILINE)
        part.apply(Edit(*match.span(), "") for match in from_line.finditer(part.text))
    return part


class _Numbers:
    """Section numbers: the numbers in headings, or the numbers that kramdown-rfc will assign."""

    def __init__(self) -> None:
        self.part = ""
        self.counts: list[int] = []

    def heading(self, line: str, following: str) -> Heading | None:
        """Return the heading in a line; the next line may contain attributes of the heading."""
        part = _PART.fullmatch(line)
        if part:
            self.part, self.counts = part[1], []
            return NO_HEADING
        match = _HEADING.fullmatch(line)
        if match is None:
            return None
        title = _ANCHOR.sub("", match[2]).strip()
        if not self.part:
            return numbered(title) or Heading(None, title)
        if _UNNUMBERED.search(match[2]) or (
            _ATTRIBUTES.fullmatch(following) and _UNNUMBERED.search(following)
        ):
            return Heading(None, title)
        level = len(match[1])
        self.counts = [*self.counts[:level], *[0] * (level - len(self.counts))]
        self.counts[level - 1] += 1
        first, *others = self.counts
        begin = chr(ord("A") + max(0, min(first, 26) - 1)) if self.part == "back" else str(first)
        return Heading(".".join([begin, *map(str, others)]), title)

"""Lines of other notations: comments that do not start with ";", Markdown's fences, indentation that tells
nothing or the wrong thing.

Each function is a pass over a :class:`~abnforge.abnf.draft.Draft` that holds a whole text, in which some rule
could not be read. Cost: linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from abnforge.abnf import lexing
from abnforge.abnf.draft import Draft, Slip
from abnforge.abnf.foreign_text import SKIP
from abnforge.abnf.messages import message
from abnforge.abnf.model import Comment
from abnforge.abnf.names import references
from abnforge.abnf.parsing import parse
from abnforge.rejection import Edit

MAX_COMMENT = 10_000
"""Characters of a block comment: its end is not looked for beyond."""

_FENCE = re.compile(r"^[ \t]*(?P<mark>```+|~~~+)[^\n`]*(?:\n|\Z)", re.MULTILINE)
_BLOCK = re.compile(rf"(?P<open>\(\*(?=[\s*])|/\*|<!--)|{SKIP}")
_CLOSER = {"(*": re.compile(r"(?<=[\s*])\*\)"), "/*": re.compile(r"\*/"), "<!--": re.compile("-->")}
_LINE = re.compile(
    rf"(?P<mark>(?<![^\s])(?://+(?!\S*/\s*$)|\#+(?=[ \t!-])|--+(?=[ \t])))|^(?P<hash>\#+)(?!\w*\()|{SKIP}",
    re.MULTILINE,
)
_WANTS = re.compile(r"[=/(\[][ \t]*\Z")  # an element has to follow
_SLASHES = re.compile(r'(?P<string>"[^"\n]*"|<[^>\n]*>|;.*)|//')
_DEFINES = re.compile(r"[ \t]*<?(?P<name>[A-Za-z][\w-]*)>?[ \t]*(?:=|:(?!\w)|->|\u2192|::)")
_INDENTED = re.compile(r"^(?P<indent>[ \t]+)(?P<name>[A-Za-z][\w-]*)[ \t]*=/?(?![=>])", re.MULTILINE)
_UNFINISHED = tuple("=/|([{,")
_STRINGS = re.compile(r'"[^"\n]*"?|<[^>\n]*>?|;[^\n]*')


def fences(draft: Draft) -> Iterator[Slip]:
    """A line of three backticks or tildes, which marks code in Markdown."""
    for match in _FENCE.finditer(draft.text):
        problem = message("code-fence", mark=match["mark"])
        yield Slip("fence", match.start("mark"), match.end("mark"), problem, (Edit(*match.span(), ""),))


def block_comments(draft: Draft) -> Iterator[Slip]:
    """``(* ... *)``, ``/* ... */``: comments with an end."""
    text, position = draft.text, 0
    if not any(closer.search(text) for closer in _CLOSER.values()):
        return
    while match := _BLOCK.search(text, position):
        position = match.end()
        if not match["open"]:
            continue
        closed = _CLOSER[match["open"]].search(text, position, position + MAX_COMMENT)
        if closed is None:
            continue
        position = closed.end()
        edits = tuple(_as_lines(text, match, closed))
        yield Slip("block-comment", *match.span(), message("comment-block", mark=match["open"]), edits)


def _as_lines(text: str, opened: re.Match[str], closed: re.Match[str]) -> Iterator[Edit]:
    """The edits that make a comment of each line; what stands behind the end goes to a line of its own."""
    yield Edit(*opened.span(), ";")
    for line in re.finditer(r"\n[ \t]*(?=[^\s;])", text[opened.end() : closed.start()]):
        at = opened.end() + line.end()
        yield Edit(at, at, "; ")
    line_start = text.rfind("\n", 0, closed.start()) + 1
    alone = line_start > opened.start() and not text[line_start : closed.start()].strip()
    start = closed.start()
    while not alone and start > opened.end() and text[start - 1] in " \t":
        start -= 1
    newline = text.find("\n", closed.end())
    rest = text[closed.end() : newline if newline >= 0 else len(text)]
    end, break_ = closed.end(), ""
    if rest.split(";")[0].strip():
        before = text[text.rfind("\n", 0, opened.start()) + 1 : opened.start()]
        indent = before if not before.strip() else before[: len(before) - len(before.lstrip())] + "    "
        end += len(rest) - len(rest.lstrip(" \t"))
        break_ = ("\r\n" if "\r\n" in text else "\n") + indent
    yield Edit(start, end, (";" if alone else "") + break_)


def line_comments(draft: Draft, known: frozenset[str]) -> Iterator[Slip]:
    """``// ...``, ``# ...``, ``-- ...``: comments to the end of the line. What reads as an alternative of
    literals and ``known`` rules is left for ``foreign_operators.bars``.
    """
    text, position = draft.text, 0
    while match := _LINE.search(text, position):
        position = match.end()
        mark = match["mark"] or match["hash"]
        if mark:
            start = position - len(mark)
            newline = text.find("\n", position)
            begin, end = text.rfind("\n", 0, start) + 1, newline if newline >= 0 else len(text)
            if mark == "#" and _WANTS.search(text, begin, start):
                yield Slip("line-comment", start, position, message("comment-hash"))
            elif mark != "//" or not text[begin:start].strip() or not _reads(text[position:end], known):
                problem = message("comment-sign", mark=mark)
                yield Slip("line-comment", start, position, problem, (Edit(start, position, ";"),))
            position = end


def _reads(code: str, known: frozenset[str]) -> bool:
    """Return whether a text could be elements of a rule; ``//`` in it is a "/"."""
    code = _SLASHES.sub(lambda match: match["string"] or "/", code)
    rulelist, errors = parse("x = " + code.strip())
    names = {use.name.lower() for rule in rulelist.rules for use in references(rule.elements)}
    return bool(rulelist.rules) and not errors and names <= known


def continuations(draft: Draft, known: frozenset[str]) -> Iterator[Slip]:
    """A line that continues a rule at the margin: without "=", of literals and ``known`` rules."""
    state = _State()
    for part in lexing.parts(draft.text):
        if isinstance(part, Comment):
            continue
        chunk = draft.text[part.start : part.end]
        start = part.start + len(chunk) - len(chunk.lstrip(" \t"))
        code = _code(chunk)
        lacks = state.unfinished or code.lstrip().startswith(("/", ")", "]", "|", "}"))
        # One that uses the rule itself may be another rule, whose name is missing.
        lacks = lacks or (state.defines and "=" not in code and _reads(chunk, known - {state.name}))
        if state.read and lacks and not _DEFINES.match(chunk):
            indent = (Edit(start, start, "    "),)
            yield Slip("indentation", start, start + 1, message("line-not-indented"), indent)
        else:
            head = _DEFINES.match(chunk)
            state = _State(head["name"].lower() if head else "")
        state.add(code)


def definitions(draft: Draft) -> Iterator[Slip]:
    """A rule that is indented deeper than the first one, and so reads as a part of the rule before."""
    chunks = [part for part in lexing.parts(draft.text) if not isinstance(part, Comment)]
    indents = [re.match("[ \t]*", draft.text[part.start : part.end]) for part in chunks]
    base = min(
        (indent[0] for indent in indents if indent), key=lambda each: len(each.expandtabs()), default=""
    )
    for part in chunks:
        state, position = _State(), part.start
        for match in _INDENTED.finditer(draft.text, part.start + 1, part.end):
            state.add(_code(draft.text[position : match.start()]))
            position = match.start()
            if state.unfinished or not state.defines:
                continue
            edits = (Edit(*match.span("indent"), base),)
            problem = message("rule-indented", name=match["name"])
            yield Slip("indentation-of-rule", *match.span("name"), problem, edits)
            state = _State()


class _State:
    """What has been read of a rule, as far as it tells whether the rule goes on."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.read = self.defines = False
        self._last = ""
        self._open = 0

    def add(self, code: str) -> None:
        """Go on with text in which strings are cut down and comments are left out."""
        stripped = code.rstrip()
        self.read = self.read or bool(stripped)
        self._last = stripped[-1:] or self._last
        self._open += sum(code.count(char) for char in "([{") - sum(code.count(char) for char in ")]}")
        self.defines = self.defines or "=" in code

    @property
    def unfinished(self) -> bool:
        """Whether an operand or a closing bracket is missing."""
        return self._last in _UNFINISHED or self._open > 0


def _code(text: str) -> str:
    return _STRINGS.sub(lambda match: "" if match[0][0] == ";" else '"', text)

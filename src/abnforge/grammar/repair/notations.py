"""Find notations other than ABNF: comments, definitions, operators and repeats of EBNF and its variants.

Each function is a pass: it yields the mistakes of a :class:`~abnforge.grammar.source_map.SourceMap`. Passes
for lines examine a whole grammar that has a malformed rule. Passes for operators and repeats examine one
rule, after the passes of ``values`` have replaced its strings and values with ABNF. ``grammar.repair``
orders the passes. Strings and comments are not notation: regular expressions skip them by ``SKIP``. Two
passes must not change the same characters. Cost: linear.

This module is long because it lists independent passes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from abnforge.grammar import lexer
from abnforge.grammar.lexer import CLOSER, Chunk, Token, bar_spans, coded_characters, defines_underscore
from abnforge.grammar.messages import message
from abnforge.grammar.parser import parse
from abnforge.grammar.repair.names import run_together
from abnforge.grammar.repair.values import SKIP
from abnforge.grammar.source_map import NotationError, SourceMap, edits_in_order, replacement
from abnforge.grammar.syntax import Comment, references
from abnforge.grammar.syntax_errors import REPEATS as REPEAT_KINDS
from abnforge.grammar.syntax_errors import STARTS_ELEMENT, shorten
from abnforge.records import dataclass, replace
from abnforge.rejection import Edit
from abnforge.text import Span

MAX_COMMENT = 10_000  # maximum length of a block comment: the search for its end stops there

_FENCE = re.compile(r"^[ \t]*(?P<mark>```+|~~~+)[^\n`]*(?:\n|\Z)", re.MULTILINE)
_BLOCK = re.compile(rf"(?P<open>\(\*(?=[\s*])|/\*|<!--)|{SKIP}")
_CLOSER = {"(*": re.compile(r"(?<=[\s*])\*\)"), "/*": re.compile(r"\*/"), "<!--": re.compile("-->")}
_LINE = re.compile(
    rf"(?P<mark>(?<![^\s])(?://+(?!\S*/\s*$)|\#+(?=[ \t!-])|--+(?=[ \t])))|^(?P<hash>\#+)(?!\w*\()|{SKIP}",
    re.MULTILINE,
)
_WANTS = re.compile(r"[=/(\[][ \t]*\Z")  # an element must follow
_SLASHES = re.compile(r'(?P<string>"[^"\n]*"|<[^>\n]*>|;.*)|//')
_DEFINES = re.compile(r"[ \t]*<?(?P<name>[A-Za-z][\w-]*)>?[ \t]*(?:=|:(?!\w)|->|\u2192|::)")
_INDENTED = re.compile(r"^(?P<indent>[ \t]+)(?P<name>[A-Za-z][\w-]*)[ \t]*=/?(?![=>])", re.MULTILINE)
_UNFINISHED = tuple("=/|([{,")
_STRINGS = re.compile(r'"[^"\n]*"?|<[^>\n]*>?|;[^\n]*')


def fences(draft: SourceMap) -> Iterator[NotationError]:
    """Find lines of three backticks or tildes, which delimit code in Markdown."""
    for match in _FENCE.finditer(draft.text):
        problem = message("code-fence", mark=match["mark"])
        yield NotationError(
            "fence", match.start("mark"), match.end("mark"), problem, (Edit(*match.span(), ""),)
        )


def block_comments(draft: SourceMap) -> Iterator[NotationError]:
    """Find block comments: ``(* ... *)``, ``/* ... */``."""
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
        yield NotationError(
            "block-comment", *match.span(), message("comment-block", mark=match["open"]), edits
        )


def _as_lines(text: str, opened: re.Match[str], closed: re.Match[str]) -> Iterator[Edit]:
    """Yield edits that turn each line of a block comment into a comment; code after it gets a new line."""
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
    end, line_break = closed.end(), ""
    if rest.split(";")[0].strip():
        before = text[text.rfind("\n", 0, opened.start()) + 1 : opened.start()]
        indent = before if not before.strip() else before[: len(before) - len(before.lstrip())] + "    "
        end += len(rest) - len(rest.lstrip(" \t"))
        line_break = ("\r\n" if "\r\n" in text else "\n") + indent
    yield Edit(start, end, (";" if alone else "") + line_break)


def line_comments(draft: SourceMap, known: frozenset[str]) -> Iterator[NotationError]:
    """Find comments to the end of the line: ``// ...``, ``# ...``, ``-- ...``.

    If ``//`` is followed by literals and ``known`` rules only, :func:`bars` reports it as an alternative.
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
                yield NotationError("line-comment", start, position, message("comment-hash"))
            elif mark != "//" or not text[begin:start].strip() or not _reads(text[position:end], known):
                problem = message("comment-sign", mark=mark)
                yield replacement("line-comment", (start, position), problem, ";")
            position = end


def _reads(code: str, known: frozenset[str]) -> bool:
    """Return whether a string could be the elements of a rule; ``//`` is treated as "/"."""
    code = _SLASHES.sub(lambda match: match["string"] or "/", code)
    rulelist, errors = parse("x = " + code.strip())
    names = {use.name.lower() for rule in rulelist.rules for use in references(rule.elements)}
    return bool(rulelist.rules) and not errors and names <= known


def continuations(draft: SourceMap, known: frozenset[str]) -> Iterator[NotationError]:
    """Find unindented lines that continue a rule: literals and ``known`` rules without "="."""
    state = _State()
    for part in lexer.parts(draft.text):
        if isinstance(part, Comment):
            continue
        chunk = draft.text[part.start : part.end]
        start = part.start + len(chunk) - len(chunk.lstrip(" \t"))
        code = _code(chunk)
        lacks = state.unfinished or code.lstrip().startswith(("/", ")", "]", "|", "}"))
        # A line that refers to the rule itself may be another rule whose name is missing.
        lacks = lacks or (state.defines and "=" not in code and _reads(chunk, known - {state.name}))
        if state.read and lacks and not _DEFINES.match(chunk):
            indent = (Edit(start, start, "    "),)
            yield NotationError("indentation", start, start + 1, message("line-not-indented"), indent)
        else:
            head = _DEFINES.match(chunk)
            state = _State(head["name"].lower() if head else "")
        state.add(code)


def definitions(draft: SourceMap) -> Iterator[NotationError]:
    """Find rules indented deeper than the first rule, which parse as parts of the previous rule."""
    chunks = [part for part in lexer.parts(draft.text) if not isinstance(part, Comment)]
    indents = [re.match("[ \t]*", draft.text[part.start : part.end]) for part in chunks]
    base = min(
        (indent[0] for indent in indents if indent), key=lambda indent: len(indent.expandtabs()), default=""
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
            yield NotationError("indentation-of-rule", *match.span("name"), problem, edits)
            state = _State()


class _State:
    """The state after a part of a rule that decides whether the rule continues."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.read = self.defines = False
        self._last = ""
        self._open = 0

    def add(self, code: str) -> None:
        """Add code with shortened strings and without comments."""
        stripped = code.rstrip()
        self.read = self.read or bool(stripped)
        self._last = stripped[-1:] or self._last
        self._open += sum(code.count(char) for char in "([{") - sum(code.count(char) for char in ")]}")
        self.defines = self.defines or "=" in code

    @property
    def unfinished(self) -> bool:
        """True if an operand or a closing bracket is missing."""
        return self._last in _UNFINISHED or self._open > 0


def _code(text: str) -> str:
    return _STRINGS.sub(lambda match: "" if match[0][0] == ";" else '"', text)


ENDS_ELEMENT = frozenset({"name", "string", "number", "prose", ")", "]"})
BOUNDARY = frozenset({")", "]", "/", "|", "end"})
_OPENING = frozenset({"(", "[", "/", "|", "=", "=/"})

_NAME = "[A-Za-z][A-Za-z0-9_-]*"
_DEFINITION = re.compile(
    rf"(?P<open><?)(?P<name>{_NAME})(?P<close>>?)(?P<gap>[ \t]*)"
    r"(?P<sign>::==?|:==|:=|:[ \t]=|=:|=>|==>?|-->|->|<--?|\u2192|\u21d2|\u2190|\u2254|\u2a74"
    r"|/=|\|=|\+=|=\||:|=/?)"
)

_VALUES = re.compile(
    r"%(?:[xX][0-9A-Fa-f]+(?:[ \t]*,[ \t]*[0-9A-Fa-f]+)+|[dD][0-9]+(?:[ \t]*,[ \t]*[0-9]+)+"
    r"|[bB][01]+(?:[ \t]*,[ \t]*[01]+)+)(?![A-Za-z0-9_*-])"
)
_ADDS = frozenset({"/=", "|=", "+=", "=|"})
_REGEX = re.compile(
    r"=[ \t]*(?P<open>/)(?P<body>[^\n;]+)(?P<close>/(?P<flags>[dgimsuvy]*))[ \t]*(?=\n|\r|;|$)"
)
_REGEX_BODY = re.compile(r"(?:\[[^\]\n]+\]|\\[dw]|[()|?*+]|\{\d+(?:,\d*)?\})+")


def definition(draft: SourceMap) -> Iterator[NotationError]:
    """Find definition signs of other notations: ``<name> ::=``, ``name :=``."""
    match = _DEFINITION.match(draft.text, len(draft.text) - len(draft.text.lstrip(" \t")))
    if match is None or bool(match["open"]) != bool(match["close"]):
        return
    sign = "=/" if match["sign"] in _ADDS or match["sign"] == "=/" else "="
    edits = []
    if match["open"]:
        edits += [
            Edit(match.start("open"), match.end("open"), ""),
            Edit(match.start("close"), match.end("close"), ""),
        ]
    if match["sign"] != sign:
        edits.append(Edit(*match.span("sign"), sign))
    if not edits:
        return
    name = match["name"]
    if match["open"]:
        problem = message("definition-brackets", found=match[0], written=f"{name} {sign}")
        yield NotationError("angle-definition", *match.span(), problem, tuple(edits))
    else:
        extends = sign == "=/"
        problem = message("definition-sign-extending" if extends else "definition-sign", sign=match["sign"])
        yield NotationError("definition", *match.span("sign"), problem, tuple(edits))


def repeated_name(draft: SourceMap) -> Iterator[NotationError]:
    """Find repeated names of a definition: ``name = name = ...``."""
    match = re.match(
        rf"[ \t]*(?P<name>{_NAME})[ \t]*=[ \t]*(?P<again>(?P=name)[ \t]*=[ \t]*)(?![/=])", draft.text
    )
    if match:
        problem = message("definition-repeated", name=match["name"])
        yield replacement("repeated-name", match.span("again"), problem, "")


def regex(draft: SourceMap) -> Iterator[NotationError]:
    """Find slashes around a regular expression: ``/[a-z]+/``. One with other characters has no fix."""
    match = _REGEX.search(draft.text)
    if match is None or re.search(r"[\s\"]", match["body"]):
        return
    written = draft.text[match.start("open") : match.end("close")]
    problem = message("regex-negated" if "[^" in match["body"] else "regex", regex=shorten(written))
    if match["flags"] or not _REGEX_BODY.fullmatch(match["body"]):
        yield NotationError("regex", match.start("open"), match.end("close"), problem)
        return
    bars = [
        match.start("body") + bar.start()
        for bar in re.finditer(r"\[[^\]]*\]|(?P<bar>\|)", match["body"])
        if bar["bar"]
    ]
    edits = (
        Edit(*match.span("open"), ""),
        *(Edit(bar, bar + 1, " / ") for bar in bars),
        Edit(*match.span("close"), ""),
    )
    yield NotationError("regex", match.start("open"), match.end("close"), problem, edits)


def bars(draft: SourceMap, single: bool) -> Iterator[NotationError]:
    """Find ``||`` or ``//`` between alternatives, or a ``single`` bar in the dialect ``"abnf"``."""
    for match in re.finditer(rf"(?P<bar>\|\|{'?' if single else ''})|(?P<slashes>//)|{SKIP}", draft.text):
        if match["slashes"]:
            yield NotationError("slashes", *match.span(), message("slashes"))
        if match["bar"]:
            yield replacement("bar", match.span(), message("bar", found=match["bar"]), "/")


def underscores(draft: SourceMap, known: frozenset[str]) -> Iterator[NotationError]:
    """Find underscores in names, such as ``a_b``, in a grammar in the dialect ``"abnf"``."""
    for match in re.finditer(rf"(?P<name>{_NAME})|{SKIP}", draft.text):
        name = match["name"] or ""
        if "_" in name:
            written = name.replace("_", "-")
            certain = (name.lower() in known) != (written.lower() in known)
            edits = (Edit(*match.span(), written),) if certain else ()
            yield NotationError(
                "underscore", *match.span(), message("rule-name-underscore", name=name), edits
            )


def terminators(draft: SourceMap) -> Iterator[NotationError]:
    """Find a dot or a comma at the end of a rule."""
    tokens = tokens_of(draft)
    if len(tokens) < 3:
        return
    last, text = tokens[-2], draft.text[tokens[-2].start : tokens[-2].end]
    if text in (".", ",") and tokens[-3].kind in ENDS_ELEMENT | {"other"}:
        problem = message("terminator", found=text)
        yield replacement("terminator", (last.start, last.end), problem, "")


def commas(draft: SourceMap) -> Iterator[NotationError]:
    """Find commas between elements. In a rule of only strings, commas could also separate alternatives."""
    tokens = tokens_of(draft)
    places = [
        (before, token)
        for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False)
        if draft.text[token.start : token.end] == ","
        and (before.kind in ENDS_ELEMENT or draft.text[before.start : before.end] in ("}", "*", "+", "?"))
        and (after.kind in STARTS_ELEMENT or draft.text[after.start : after.end] == "{")
    ]
    elements = [token for token in tokens[1:] if token.kind in STARTS_ELEMENT | {"/", "|"}]
    is_ambiguous = len(places) > 1 and all(token.kind in ("string", "(") for token in elements)
    for before, token in places:
        if before.kind == "name" and before.end == token.start and draft.text[token.end].isalpha():
            yield NotationError("comma", token.start, token.end, message("comma-unquoted"))
        elif values := _VALUES.match(draft.text, before.start):
            written = shorten(re.sub(r"[ \t]*,[ \t]*", ".", values[0]))
            yield NotationError(
                "comma", token.start, token.end, message("comma-between-values", written=written)
            )
        elif is_ambiguous or before.kind == "number":
            yield NotationError("comma", token.start, token.end, message("comma-ambiguous"))
        else:
            gap = "" if draft.text[token.end : token.end + 1].isspace() else " "
            problem = message("comma-misplaced", found=",")
            yield replacement("comma", (token.start, token.end), problem, gap)


def lone_characters(draft: SourceMap) -> Iterator[NotationError]:
    """Find alternatives of one character without quotes, such as ``/ _ )``."""
    tokens = tokens_of(draft)
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        char = draft.text[token.start : token.end]
        if token.kind != "other" or char not in tuple("_-:@&!~^$%\\=") or after.kind not in BOUNDARY:
            continue
        if before.kind in _OPENING:
            problem = message("character-unquoted", found=char, written=f'"{char}"')
            edits: tuple[Edit, ...] = (Edit(token.start, token.end, f'"{char}"'),)
            if before.kind == "[" and before.end == token.start and after.start == token.end:
                problem = message("set-or-option", found=f"[{char}]", set=f'"{char}"', option=f'["{char}"]')
                edits = ()
            yield NotationError("unquoted", token.start, token.end, problem, edits)


def touching(draft: SourceMap, known: frozenset[str]) -> Iterator[NotationError]:
    """Find elements without whitespace between them: ``[x]"y"``.

    An undefined name may belong to a string with a missing quote.
    """
    tokens = tokens_of(draft)
    for index, (before, token) in enumerate(pairwise(tokens)):
        if before.end != token.start or before.kind not in ENDS_ELEMENT or token.kind not in STARTS_ELEMENT:
            continue
        shown = draft.text[token.start : token.end]
        problem = message("whitespace-missing", found=shown)
        if token.kind == "repeat" and draft.own[token.start]:
            edits: tuple[Edit, ...] = ()
            if tokens[index + 2].start == token.end and shown[0] != "*":
                edits = (Edit(token.start, token.start, " "),)
            else:
                problem = message("repeat-misplaced")
        else:
            names = [t for t in (before, token) if t.kind == "name"]
            has_unknown = any(draft.text[t.start : t.end].lower() not in known for t in names)
            if has_unknown and token.kind == "(":
                problem = message("call")
            # A call, or a string that contains a double quote, also looks like elements without a space.
            is_unclear = has_unknown and (token.kind == "(" or "string" in (before.kind, token.kind))
            is_unclear = is_unclear or before.kind == token.kind == "string"
            if any(_quoted(draft.text, tokens, at) for at in (index, index + 1)):
                is_unclear = True
            if is_unclear and token.kind != "(":
                name = draft.text[before.start : before.end]
                is_prefix = name.lower() in ("i", "s") and token.kind == "string"
                problem = (
                    message("string-prefix", prefix=name)
                    if is_prefix
                    else message("string-with-quote", found=shown)
                )
            if count := re.match(r"\[\d+\]|\(\d+(?:,\d*)?\)", draft.text[token.start :][:20]):
                problem = message("repeat-in-brackets", found=count[0])
                is_unclear = True
            edits = () if is_unclear else (Edit(token.start, token.start, " "),)
        yield NotationError("touching", token.start, token.end, problem, edits)


def _quoted(text: str, tokens: list[Token], index: int) -> bool:
    """Return whether an element next to strings may belong to a string that contains double quotes."""
    token = tokens[index]
    if token.kind == "string":
        return text[token.start : token.end] == '""'
    before, after = tokens[index - 1], tokens[index + 1]
    touched = before.end == token.start and token.end == after.start
    prefix = text[token.start : token.end].lower() in ("i", "s") and token.end == after.start
    return (
        token.kind == "name" and after.kind == "string" and (prefix or (touched and before.kind == "string"))
    )


def tokens_of(draft: SourceMap) -> list[Token]:
    """Return the tokens of a draft without its comments."""
    tokens = lexer.tokens(draft.text, 0, len(draft.text), "rfc822")
    return [token for token in tokens if token.kind != "comment"]


_OPENER = {")": "(", "]": "[", "}": "{"}
_COUNT = re.compile(
    r"\{[ \t]*(?P<low>\d{1,9}|(?=,[ \t]*\d))[ \t]*(?P<comma>,[ \t]*(?P<high>\d{0,9})[ \t]*)?\}"
)
_BRACED_REPEAT = re.compile(r"\{[ \t]*(?P<count>\d{0,9}\*\d{0,9})[ \t]*\}(?=[A-Za-z(\[\"%<])")
# Matches a repeat directly before an offset.
_COUNTED = re.compile(r"(?<![\w.%\"-])(?:\d{1,9}(?:\*\d{0,9})?|\*\d{0,9})\Z")

_COUNTS = re.compile(
    r"(?<![A-Za-z0-9_.%*$-])(?P<low>\d{1,9})(?P<sign>-|\.\.\.?|,|:|\u2013)(?P<high>\d{1,9})"
    rf"(?=[A-Za-z(\[]|%[a-zA-Z]|\")|{SKIP}"
)
_STARS = re.compile(rf"(?<![A-Za-z0-9_.%*$-])(?P<low>\d*)\*(?P<high>\d+)\*(?=[A-Za-z(\[\"%<])|{SKIP}")

_TIMES = re.compile(r"[ \t]*[xX][ \t]*")


def counts(draft: SourceMap) -> Iterator[NotationError]:
    """Find repeats with bounds in another notation: ``1-2DIGIT``, ``1..2DIGIT``, ``1*2*DIGIT``."""
    for pattern in (_COUNTS, _STARS):
        for match in pattern.finditer(draft.text):
            if match["high"] is None:
                continue
            low, high = match["low"], match["high"]
            written = f"{low}*{high}"
            likely = int(low or 0) <= int(high)
            certain = likely and pattern is _COUNTS  # a second star could be intended
            edits = (Edit(match.start(), match.end(), written),) if certain else ()
            problem = (
                message("repeat-bounds", found=match[0], written=written)
                if likely
                else message("repeat-bounds-reversed", found=match[0])
            )
            yield NotationError("counts", match.start(), match.end(), problem, edits)


def postfix(draft: SourceMap, known: frozenset[str]) -> Iterator[NotationError]:
    """Find repeats after their elements: ``x*``, ``x+``, ``x?``, ``x{2,4}``."""
    tokens = tokens_of(draft)
    text = draft.text
    opened: list[int] = []
    begins: dict[int, int] = {}
    for index, token in enumerate(tokens):
        kind = text[token.start : token.end] if token.kind == "other" else token.kind
        if kind in ("(", "[", "{"):
            opened.append(index)
        elif kind in _OPENER and opened:
            begins[index] = opened.pop()
    for index in range(1, len(tokens) - 1):
        token, before = tokens[index], tokens[index - 1]
        operator = text[token.start : token.end]
        if before.kind not in ENDS_ELEMENT or operator not in ("*", "+", "?", "{") or _is_base(before):
            continue
        count = _COUNT.match(text, token.start) if operator == "{" else None
        end = count.end() if count else token.end
        if operator == "{" and (count is None or before.end != token.start):
            continue
        if operator != "{" and not _is_postfix(before, token, tokens[index + 1], operator):
            continue
        first = begins.get(index - 1, index - 1) if before.kind in CLOSER.values() else index - 1
        repeated = tokens[first - 1].kind == "repeat" and tokens[first - 1].end == tokens[first].start
        if repeated and (operator != "?" or _touches(tokens, first - 1)):
            continue
        if draft.text[end : end + 1] in tuple("*+?") or _COUNT.match(draft.text, end):
            problem = message("repeat-combined", found=draft.text[token.start : end + 1])
            yield NotationError("operators", token.start, end, problem)
            continue
        start = tokens[first - 1].start if repeated else tokens[first].start
        mistake = _moved(draft, tokens[first], before, operator, count, start, token.start, end, repeated)
        names = run_together(text[before.start : before.end], known) if before.kind == "name" else ""
        if names and text[before.start : before.end].lower() not in known:
            problem = message("repeat-of-joined-rules", name=names.replace(" ", ""), names=names)
            mistake = replace(mistake, message=problem, edits=())
        yield mistake


def _is_base(token: Token) -> bool:
    """Return whether a value has no digits: ``%x``."""
    return token.kind == "number" and token.end - token.start == 2


def _is_postfix(before: Token, token: Token, after: Token, operator: str) -> bool:
    """Return whether an operator applies to the element before it rather than the element after it."""
    ends = after.kind in BOUNDARY or (after.kind == "other" and after.start >= token.end)
    if before.end == token.start:
        return ends or after.start > token.end or operator == "?"
    return after.kind in BOUNDARY


def _moved(
    draft: SourceMap,
    first: Token,
    last: Token,
    operator: str,
    count: re.Match[str] | None,
    start: int,
    at: int,
    end: int,
    repeated: bool,
) -> NotationError:
    """Return the mistake whose fix moves an operator before its operand (``first`` to ``last``)."""
    operand = draft.text[start : last.end]
    shown = operand if len(operand) <= 30 else operand[:10] + "..." + operand[-10:]
    inside = shown[1:-1].strip() if first.kind in CLOSER and not repeated else shown
    insert = Edit(start, start, "")
    # Without the operator, the next name or string would merge with the element before it.
    delete = Edit(at, end, " " if re.match('["A-Za-z0-9_-]', draft.text[end : end + 1]) else "")
    edits: tuple[Edit, ...]
    if operator == "?":
        right = f"[{inside}]" if first.kind != "[" else shown
        if first.kind == "[":
            edits = (delete,)
        elif first.kind == "(" and not repeated and draft.own[first.start] and draft.own[last.start]:
            edits = Edit(first.start, first.end, "["), Edit(last.start, last.end, "]"), delete
        else:
            edits = Edit(start, start, "["), Edit(at, end, "]")
    else:
        repeat = operator if operator == "*" else "1*"
        if count is not None:
            low, high = int(count["low"] or "0"), count["high"]
            repeat = f"{low}*{high}" if count["comma"] else str(low)
            repeat = repeat.removeprefix("0") if repeat.startswith("0*") else repeat
        elif first.kind == "[":
            repeat = "*"
        right = repeat + shown
        edits = Edit(insert.start, insert.end, repeat), delete
    written_operator = draft.text[at:end]
    kind = "counted" if count is not None else f"postfix {operator}"
    problem = message("repeat-after-element", operator=written_operator, element=shown, written=right)
    return NotationError(kind, at, end, problem, edits)


def braces(draft: SourceMap) -> Iterator[NotationError]:
    """Find ``{x}``, which means any number of repetitions in EBNF."""
    tokens = [t for t in tokens_of(draft) if t.kind == "other" and draft.text[t.start : t.end] in ("{", "}")]
    depth = 0
    for token in tokens:
        depth += 1 if draft.text[token.start] == "{" else -1
        if depth < 0:
            return
    if depth:
        return
    opened: list[Token] = []
    for token in tokens:
        if draft.text[token.start] == "{":
            opened.append(token)
            continue
        begin = opened.pop()
        if re.search("%[xXdDbB]$", draft.text[max(0, begin.start - 2) : begin.start]):
            continue
        count = _COUNT.fullmatch(draft.text, begin.start, token.end)
        if count:
            right = f"{count['low'] or ''}{'*' + count['high'] if count['comma'] else ''}"
            problem = message("repeat-in-braces", found=count[0], written=right)
            yield NotationError("count", begin.start, token.end, problem)
            continue
        if repeated := _BRACED_REPEAT.match(draft.text, begin.start, token.end + 1):
            name = re.match(_NAME, draft.text[token.end :])
            problem = message("braces", written=repeated["count"] + shorten(name[0] if name else "ALPHA"))
            edits = Edit(begin.start, begin.end, ""), Edit(token.start, token.end, "")
            yield NotationError("braces", begin.start, token.end, problem, edits)
            continue
        if counted := _COUNTED.search(draft.text, max(0, begin.start - 30), begin.start):
            yield _counted_group(draft, counted, begin, token)
            continue
        follows = draft.text[token.end : token.end + 1]
        behind = len(follows) if follows in ("+", "*") else 0
        repeat = "1*(" if follows == "+" else "*("
        problem = message("braces", written=f"{repeat}{_shown(draft, begin, token)})")
        edits = Edit(begin.start, begin.end, repeat), Edit(token.start, token.end + behind, ")")
        yield NotationError("braces", begin.start, token.end, problem, edits)


def _counted_group(draft: SourceMap, counted: re.Match[str], begin: Token, end: Token) -> NotationError:
    """Return the mistake about braces around a group after a repeat: ``3{"a" / "b"}``."""
    right = f"{counted[0]}({_shown(draft, begin, end)})"
    edits = Edit(begin.start, begin.end, "("), Edit(end.start, end.end, ")")
    return NotationError("braces", begin.start, end.end, message("braces", written=right), edits)


def _shown(draft: SourceMap, begin: Token, end: Token) -> str:
    """Return the draft between two tokens, short enough for a message."""
    inner = draft.text[begin.end : end.start].strip()
    return inner if len(inner) <= 30 else "..."


def repeat_gaps(draft: SourceMap, known: frozenset[str]) -> Iterator[NotationError]:
    """Find whitespace between a repeat and its element: ``2 ALPHA``.

    The 2 in ``x*2 y`` could apply to either element. The ``x`` in ``2 x ALPHA`` is a multiplication sign
    unless it is a ``known`` rule.
    """
    tokens = tokens_of(draft)
    ends = [*tokens[3:], tokens[-1]]
    for before, token, after, after_next in zip(tokens, tokens[1:], tokens[2:], ends, strict=False):
        if before.kind == "repeat" and before.end < token.start:
            continue  # reported with that token
        if before.kind == "other" and before.end == token.start and draft.text[before.start] == "#":
            continue  # "#1 first" may be a comment
        if token.kind != "repeat" or after.start == token.end or "\n" in draft.text[token.end : after.start]:
            continue
        text = draft.text[token.start : token.end]
        # "a * b" could be a product.
        unclear = before.kind in ENDS_ELEMENT and (before.end == token.start or text == "*")
        problem = message("repeat-spaced", repeat=text)
        edits = (Edit(token.end, after.start, ""),)
        if after.kind == "repeat" and "*" not in text and draft.text[after.start] == "*":
            # "4 * x" means four repetitions in EBNF.
            high = draft.text[after.start + 1 : after.end]
            if after_next.kind == "repeat" and not high and after.end < after_next.start:
                high = draft.text[after_next.start : after_next.end]
            spaced_repeat = draft.text[token.start : after.end]
            problem = (
                message("repeat-ambiguous-range", found=spaced_repeat, count=text, high=high)
                if high.isdigit()
                else message("repeat-ambiguous", found=spaced_repeat, count=text)
            )
            yield NotationError("gap-in-repeat", token.start, after.end, problem)
        elif after.kind in STARTS_ELEMENT - {"repeat"} and unclear:
            yield NotationError("gap-in-repeat", token.start, after.end, message("repeat-misplaced"))
        elif (
            text.isdigit()
            and "x" not in known
            and _TIMES.fullmatch(draft.text, token.end, after_next.start)
            and after_next.kind in STARTS_ELEMENT - REPEAT_KINDS
        ):
            problem = message("times", count=text)
            yield NotationError(
                "times", token.start, after.end, problem, (Edit(token.end, after_next.start, ""),)
            )
        elif after.kind == "string" and text.isdigit():
            yield NotationError(
                "gap-in-repeat", token.start, after.end, message("repeat-or-text", count=text)
            )
        elif after.kind in STARTS_ELEMENT - {"repeat"}:
            yield NotationError("gap-in-repeat", token.start, after.end, problem, edits)


def _touches(tokens: list[Token], index: int) -> bool:
    """Return whether an element ends at the start of a token."""
    return tokens[index - 1].kind in ENDS_ELEMENT and tokens[index - 1].end == tokens[index].start


_UNDERSCORED = re.compile(
    r""";[^\n]*|"[^"\n]*"?|'[^'\n]{1,80}'|<(?P<prose>[A-Za-z][A-Za-z0-9_-]*)>|<[^>\n]*>?"""
    r"""|(?P<name>[A-Za-z][A-Za-z0-9_-]*)"""
)

_DEFINED = re.compile(r"^[ \t]*([A-Za-z][A-Za-z0-9_-]*)[ \t]*=", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Notation:
    """All places of a mark of the "|" notation, in order, and the edits that remove the mark."""

    places: tuple[Span, ...]
    edits: tuple[Edit, ...]


def bar_places(text: str) -> Notation:
    """Return the places of bars between alternatives."""
    places = [Span(start, end) for start, end in bar_spans(text)]
    edits = [Edit(span.start, span.end, "/") for span in places]
    if not defines_underscore(text):
        edits += underscored_names(text).edits  # without bars, nothing else shows the notation
    return _notation(text, places, edits)


def underscored_names(text: str) -> Notation:
    """Return the names with an underscore; a name has no edit if another rule has the new name."""
    defined = {match[1].lower() for match in _DEFINED.finditer(text)}
    names: dict[str, list[Span]] = {}
    taken: dict[str, set[str]] = {}
    for match in _UNDERSCORED.finditer(text):
        group = "prose" if match["prose"] else "name"
        around = text[match.start() - 1 : match.start()] + text[match.end() : match.end() + 1]
        if name := match[group]:
            key = name.lower()
            if key not in defined and ("[" in around or "]" in around):
                continue  # a character set
            taken.setdefault(key.replace("_", "-"), set()).add(key)
            if "_" in name:
                names.setdefault(key, []).append(Span(*match.span(group)))
    places = sorted((span for spans in names.values() for span in spans), key=lambda span: span.start)
    free = {name for name in names if name not in defined or len(taken[name.replace("_", "-")]) == 1}
    edits = [
        Edit(span.start, span.end, text[span.start : span.end].replace("_", "-"))
        for name in names
        if name in free
        for span in names[name]
    ]
    return _notation(text, places, edits)


def _notation(text: str, places: list[Span], edits: list[Edit]) -> Notation:
    return Notation(
        tuple(places), tuple(edits_in_order([*edits, *_others(text)])) if places and edits else ()
    )


def _others(text: str) -> Iterator[Edit]:
    """Yield edits for the rest of the notation: adjacent elements, ``<">``, coded characters."""
    for part in lexer.parts(text):
        if not isinstance(part, Chunk) or parse(text[part.start : part.end], dialect="rfc822")[1]:
            continue  # a malformed rule may lack spaces for other reasons
        before = None
        for token in lexer.tokens(text, part.start, part.end, "rfc822"):
            touches = before is not None and before.end == token.start and before.kind in ENDS_ELEMENT
            if touches and token.kind in STARTS_ELEMENT:
                yield Edit(token.start, token.start, " ")
            before = token
            prose = text[token.start + 1 : token.end - 1] if token.kind == "prose" else ""
            if prose == '"':
                yield Edit(token.start, token.end, "%x22")
            elif coded := coded_characters(prose):
                values = [f"%x{low}" + (f"-{high}" if high else "") for low, high in coded]
                written = values[0] if len(values) == 1 else f"( {' / '.join(values)} )"
                yield Edit(token.start, token.end, written)

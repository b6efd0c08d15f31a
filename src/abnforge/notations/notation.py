"""Define the notations of grammars as data, one ``GrammarNotation`` for each."""

from __future__ import annotations

from collections.abc import Mapping
from keyword import kwlist
from string import ascii_letters, digits

from abnforge.charset import CharSet
from abnforge.codegen.proof import TARGETS
from abnforge.records import dataclass

_SCALARS = CharSet(((0, 0xD7FF), (0xE000, 0x10FFFF)))
_BRACED = (0x10FFFF, r"\u{{{:02X}}}")
_ALPHANUMERIC = ascii_letters + digits
# Words that code generators reserve in rule names, in lower case.
_KEYWORDS = " ".join(
    (
        *(each.reserved for each in TARGETS.values()),
        *(word for word in kwlist if word.islower()),
        "abstract as async await box crate debugger delete dyn export extern final fn function impl in let",
        "loop macro match mod move mut override priv pub ref self super trait try type typeof union unsafe",
        "unsized use var virtual where with yield",
    )
)


@dataclass(frozen=True)
class GrammarNotation:
    """A notation for grammars.

    ``define`` has the slots ``{name}`` and ``{body}``. ``start`` has ``{rule}``: it is the first definition,
    whose name is ``start_name``. ``codes`` are pairs of a largest code point and an escape, ascending, and
    ``plain`` are the punctuation characters that a set contains without an escape. ``charset`` encloses the
    ranges of a set. With a ``separator`` of ranges, the ends of a range are literals in ``range_quote``.

    A notation with ``tokens`` has a lexer: each character becomes a token. The sets of tokens are disjoint,
    so each string has one sequence of tokens. In an ``ordered`` notation, a choice commits to its first
    alternative that matches. ``pattern`` names the dialect of a terminal for a whole regular
    rule. ``alphabet`` contains the characters that strings of the engines can contain.
    """

    name: str
    engines: str
    usage: str
    define: str
    start: str
    start_name: str
    codes: tuple[tuple[int, str], ...]
    comment: str = "// "
    empty: str = '""'
    sequence: str = " "
    choice: str = "|"
    break_after: bool = False  # the sign of a choice is at the end of a line, not at the beginning
    count: tuple[str, str] | None = ("{{{}}}", ",")  # a repetition, and the sign between its limits
    quote: str = '"'
    escaped: str = "\\"  # a backslash escapes these characters
    plain: str = " !#$%&()*+,./:;<=>?@_`{|}~"
    charset: str = "[{}]"
    beyond: str = ""  # encloses the ranges of a set with characters beyond U+FFFF, if that differs
    separator: str = ""
    range_quote: str = ""
    escapes: bool = True  # literals can contain escapes
    word: str = "_"  # the sign between the words of a name
    alphabet: CharSet = _SCALARS
    reserved: str = ""
    left_recursion: bool = False
    empty_turns: bool = False  # the item of a repetition can match the empty string
    tokens: bool = False
    define_token: str = ""
    ordered: bool = False
    pattern: str | None = None

    def character_set(self, charset: CharSet) -> str:
        """Return a set of characters, as a literal if it has one character and a literal can contain it."""
        if len(charset) == 1 and self.has_literal(charset.min()):
            return self.literal(charset.min())
        sign = ".." if self.separator else "-"
        ranges = [
            self._end(low) + sign + self._end(high) if low < high else self._single(low)
            for low, high in charset.ranges
        ]
        form = self.beyond if self.beyond and charset.ranges[-1][1] > 0xFFFF else self.charset
        return form.format(self.separator.join(ranges))

    def _single(self, code: int) -> str:
        return self.literal(chr(code)) if self.separator else self._end(code)

    def _end(self, code: int) -> str:
        """Return a character within a set, such as the end of a range."""
        text = chr(code) if chr(code) in _ALPHANUMERIC + self.plain else self._escape(code)
        return self.range_quote + text + self.range_quote

    def _escape(self, code: int) -> str:
        if chr(code) in self.escaped:
            return f"\\{chr(code)}"
        return next(form.format(code) for limit, form in self.codes if code <= limit)

    def literal(self, text: str) -> str:
        """Return a string as a literal."""
        chars = [char if self._is_plain(char) else self._escape(ord(char)) for char in text]
        return self.quote + "".join(chars) + self.quote

    def has_literal(self, char: str) -> bool:
        """Return whether a literal can contain a character."""
        return self.escapes or self._is_plain(char)

    def _is_plain(self, char: str) -> bool:
        return " " <= char <= "~" and char not in (self.quote, "\\")


GBNF = GrammarNotation(
    name="gbnf",
    engines="GBNF: llama.cpp, xgrammar",
    usage="llama-cli --grammar-file FILE; xgrammar.Grammar.from_ebnf(text)",
    define="{name} ::= {body}",
    start="root ::= {rule}",
    start_name="root",
    codes=((0xFF, r"\x{:02X}"), (0xFFFF, r"\u{:04X}"), (0x10FFFF, r"\U{:08X}")),
    comment="# ",
    word="-",
    break_after=True,
    alphabet=_SCALARS - CharSet(((0, 0),)),  # NUL ends a string
    reserved=" false true ",  # constants of xgrammar
)

LLGUIDANCE = GrammarNotation(
    name="llguidance",
    engines="llguidance: vLLM, SGLang, guidance",
    usage="llguidance.LLMatcher.grammar_from_lark(text)",
    define="{name}: {body}",
    start="start: {rule}",
    start_name="start",
    codes=((0xFF, r"\x{:02X}"), (0xFFFF, r"\u{:04X}"), (0x10FFFF, r"\U{:08X}")),
    count=("~{}", ".."),
    escaped="\\]^-[/",
    empty="",
    plain=" !\"#%',:;<=>@_`",
    escapes=False,
    charset="/[{}]/",
    left_recursion=True,
    empty_turns=True,
    tokens=True,
    define_token="{name}: {body}",
    pattern="rust",
)

ANTLR4 = GrammarNotation(
    name="antlr4",
    engines="ANTLR 4",
    usage="antlr4 FILE.g4, after you name the file like its grammar",
    define="{name}: {body};",
    start="grammar {grammar};\n\nstart_rule: {rule} EOF;",
    start_name="start_rule",
    codes=((0xFFFF, r"\u{:04X}"), (0x10FFFF, r"\u{{{:X}}}")),
    empty="",
    count=None,
    quote="'",
    reserved=f" {_KEYWORDS} catch channels finally fragment grammar import lexer locals mode options parser"
    " parserrule returns rule throws tokens ",
    tokens=True,
    define_token="{name}: {body};",
)

PEGGY = GrammarNotation(
    name="peggy",
    engines="Peggy: JavaScript and TypeScript",
    usage="peggy.generate(text).parse(string)",
    define="{name} = {body}",
    start="start = {rule} !.",
    start_name="start",
    choice="/",
    codes=((0xFF, r"\x{:02X}"), (0xFFFF, r"\u{:04X}"), (0x10FFFF, r"\u{{{:X}}}")),
    count=("|{}|", ".."),
    # Peggy 5.1 merges alternative sets incorrectly beyond U+FFFF, but not within a sequence.
    beyond="(&. @[{}]u)",
    reserved=f" {_KEYWORDS} ",
    ordered=True,
)

PEST = GrammarNotation(
    name="pest",
    engines="pest: Rust",
    usage='#[derive(pest_derive::Parser)] with #[grammar = "FILE.pest"], and Rule::start',
    define="{name} = {{ {body} }}",
    start="start = {{ SOI ~ {rule} ~ EOI }}",
    start_name="start",
    sequence=" ~ ",
    codes=((0x10FFFF, r"\u{{{:02X}}}"),),
    plain=" !#$%&()*+,-./:;<=>?@[]^_`{|}~",
    charset="({})",
    separator=" | ",
    range_quote="'",
    reserved=f" {_KEYWORDS} ",
    ordered=True,
)

NOTATIONS: Mapping[str, GrammarNotation] = {
    each.name: each for each in (GBNF, LLGUIDANCE, ANTLR4, PEGGY, PEST)
}

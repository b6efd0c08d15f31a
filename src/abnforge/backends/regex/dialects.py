"""What regular expression engines differ in, as data: one ``Dialect`` for each of them.

The anchors are the ones that stand for the very end of the text: ``$`` lets a trailing newline pass in
Python, PCRE2 and Java, so no dialect uses it in which it does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from abnforge.charset import ANY, CharSet, Range

_SURROGATES = CharSet(((0xD800, 0xDFFF),))
_BRACED = ((0xFF, r"\x{:02X}"), (0x10FFFF, r"\x{{{:X}}}"))
_C_LIKE = ((0xFF, r"\x{:02X}"), (0xFFFF, r"\u{:04X}"), (0x10FFFF, r"\U{:08X}"))


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one engine, or a family of them, writes a regular expression.

    ``alphabet`` is what its strings can hold: characters beyond it are left out of a pattern, since none of
    the engine's strings has them.
    """

    name: str
    engines: str  # whom it is for, in a few words
    usage: str  # how to ask for a match with it
    start: str  # the anchor of the text's beginning
    end: str  # the anchor of the text's very end
    codes: tuple[tuple[int, str], ...]  # (up to this code point, the format of an escape), ascending
    # What has to stand at the very beginning of a pattern.
    options: str = ""
    # Linear in the text for any expression: an automaton, not a search that backtracks.
    linear: bool = False
    # Has quantifiers that give nothing back, as in ``a*+``.
    possessive: bool = False
    # Whether a quantifier that gives nothing back may have a group in its scope.
    possessive_groups: bool = True
    # The beginning of a named group; None: it has none.
    group: str | None = "(?<{}>"
    # Whether "_" may stand in a group's name; without it, names are camel case.
    underscores: bool = True
    # Code points of a group's name.
    max_name: int | None = None
    # The highest count of a repetition, nested ones multiplied.
    max_count: int | None = None
    # Characters with a backslash before them in a class.
    escaped: str = "\\]^-["
    # Printable characters that are written as code points, for the sake of the literal around the pattern.
    coded: str = ""
    alphabet: CharSet = ANY

    def char(self, code: int) -> str:
        """A character as it is written within a class."""
        if 0x20 < code < 0x7F and chr(code) not in self.coded:
            return f"\\{chr(code)}" if chr(code) in self.escaped else chr(code)
        return next(form.format(code) for limit, form in self.codes if code <= limit)

    def character_class(self, charset: CharSet) -> str:
        """A set as a class, or as a single character that means itself anywhere in a pattern."""
        text = "".join(map(self._range, charset.ranges))
        if len(text) == 1 and (text.isalnum() or text in "!\"%&',/:;<=>@_`~"):
            return text
        return f"[{text}]"

    def _range(self, bounds: Range) -> str:
        low, high = map(self.char, bounds)
        if low == high:
            return low
        return low + ("" if bounds[1] == bounds[0] + 1 else "-") + high

    def identifier(self, name: str, number: int) -> str:
        """The name of the number-th group for a rule: ``path_abempty``, ``path_abempty_2``."""
        words = name.split("-")
        if self.underscores:
            joined = "_".join(words)
            ending = f"_{number}" if number > 1 else ""
        else:
            joined = words[0] + "".join(word.capitalize() for word in words[1:])
            ending = str(number) if number > 1 else ""
        return joined[: self.max_name and self.max_name - len(ending)] + ending


PYTHON = Dialect(
    name="python",
    engines="Python's re, 3.11.5 and later",
    usage="re.compile(r'''PATTERN''').search(text)",
    start=r"\A",
    end=r"\Z",
    codes=_C_LIKE,
    possessive=True,
    possessive_groups=False,  # CPython 3.11 loses what they held, or raises SystemError
    group="(?P<{}>",
)

RE2 = Dialect(
    name="re2",
    engines="RE2 and engines based on it: Go, pyarrow, DuckDB, BigQuery, ClickHouse",
    usage="re2::RE2::PartialMatch(text, PATTERN); Go: regexp.MustCompile(`PATTERN`).MatchString(text)",
    start=r"\A",
    end=r"\z",
    codes=_BRACED,
    linear=True,
    group="(?P<{}>",
    max_count=1000,
    coded="`",  # Go's raw literals end with it
    alphabet=~_SURROGATES,
)

RUST = Dialect(
    name="rust",
    engines="Rust's regex crate and tools based on it: polars, ripgrep",
    usage='Regex::new(r#"PATTERN"#)?.is_match(text); polars: column.str.contains(pattern)',
    start=r"\A",
    end=r"\z",
    codes=_BRACED,
    linear=True,
    group="(?P<{}>",
    coded='"',  # a raw literal may end with it
    alphabet=~_SURROGATES,
)

PCRE2 = Dialect(
    name="pcre2",
    engines="PCRE2: PHP, grep -P, nginx, R",
    usage="pcre2_compile with PCRE2_UTF; PHP: preg_match, with the modifier u and a delimiter that fits",
    start=r"\A",
    end=r"\z",
    codes=_BRACED,
    # PCRE2 makes quantifiers possessive by itself where it thinks that nothing is lost. Before an optional
    # group that gives nothing back it is mistaken (10.42: ``c?(?:ab)?+c`` rejects "c"), so it is told not to.
    options="(*NO_AUTO_POSSESS)",
    possessive=True,
    max_name=32,
    max_count=65535,
    alphabet=~_SURROGATES,
)

ECMASCRIPT = Dialect(
    name="ecmascript",
    engines="ECMAScript 2018 and later: V8, browsers, JSON Schema, the pattern attribute of HTML",
    usage="/PATTERN/u.test(text), without the flag m; the flag v can replace u",
    start="^",
    end="$",  # without the flag m it is the very end
    codes=((0xFF, r"\x{:02X}"), (0xFFFF, r"\u{:04X}"), (0x10FFFF, r"\u{{{:X}}}")),
    escaped="()[]{}/-\\|^",  # what the flag v asks for, and the flag u allows
    coded="'",
)

JAVA = Dialect(
    name="java",
    engines="java.util.regex: Java, Kotlin, Scala, Spark's rlike",
    usage='Pattern.compile("PATTERN").matcher(text).find(), with backslashes doubled in a Java literal',
    start=r"\A",
    end=r"\z",
    codes=_BRACED,
    possessive=True,
    underscores=False,
)

SQL = Dialect(
    name="sql",
    engines="PostgreSQL's regular expressions (ARE)",
    usage="column ~ 'PATTERN'; databases on RE2 (DuckDB, BigQuery, ClickHouse): re2; Spark: java",
    start=r"\A",
    end=r"\Z",
    codes=((0xFFFF, r"\u{:04X}"), (0x10FFFF, r"\U{:08X}")),
    linear=True,
    group=None,
    max_count=255,
    coded="'",  # a literal would have to double it
    alphabet=~(_SURROGATES | CharSet(((0, 0),))),  # text has no NUL
)

DIALECTS: Mapping[str, Dialect] = {
    dialect.name: dialect for dialect in (PYTHON, RE2, RUST, PCRE2, ECMASCRIPT, JAVA, SQL)
}

"""Define the notations of regular expression engines as data, one ``Dialect`` for each notation.

The end anchors match only at the very end. ``$`` allows a trailing newline in Python, PCRE2 and Java, so
these dialects do not use ``$``.
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
    """The notation for patterns of one engine or a family of engines.

    ``alphabet`` contains the characters that strings of the engine can contain; patterns omit all others.
    """

    name: str
    engines: str  # the engines and tools that support the notation
    usage: str  # an example call
    start: str  # the anchor for the beginning
    end: str  # the anchor for the very end
    codes: tuple[tuple[int, str], ...]  # (largest code point, escape format), ascending
    # Options that start each pattern.
    options: str = ""
    # Matching takes linear time for any expression: the engine does not backtrack.
    linear: bool = False
    # The notation has possessive quantifiers, as in ``a*+``.
    possessive: bool = False
    # A possessive quantifier may apply to a part that contains a group.
    possessive_groups: bool = True
    # The beginning of a named group; None means not supported.
    group: str | None = "(?<{}>"
    # Group names may contain "_"; otherwise, they use camel case.
    underscores: bool = True
    # The maximum length of a group name, in code points.
    max_name: int | None = None
    # The maximum product of the counts of nested iterations.
    max_count: int | None = None
    # Characters that a class escapes with a backslash.
    escaped: str = "\\]^-["
    # Printable characters written as code points, because of the literal around the pattern.
    coded: str = ""
    alphabet: CharSet = ANY

    def char(self, code: int) -> str:
        """Return the notation of a character within a class."""
        if 0x20 < code < 0x7F and chr(code) not in self.coded:
            return f"\\{chr(code)}" if chr(code) in self.escaped else chr(code)
        return next(form.format(code) for limit, form in self.codes if code <= limit)

    def character_class(self, charset: CharSet) -> str:
        """Return a set as a class, or as one character if it never needs an escape."""
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
        """Return the name of the number-th group of a rule: ``path_abempty``, ``path_abempty_2``."""
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
    possessive_groups=False,  # CPython 3.11 loses such groups, or raises SystemError
    group="(?P<{}>",
)

RE2 = Dialect(
    name="re2",
    engines="RE2: Go, pyarrow, DuckDB, BigQuery, ClickHouse",
    usage="re2::RE2::PartialMatch(text, PATTERN); Go: regexp.MustCompile(`PATTERN`).MatchString(text)",
    start=r"\A",
    end=r"\z",
    codes=_BRACED,
    linear=True,
    group="(?P<{}>",
    max_count=1000,
    coded="`",  # ends a raw literal of Go
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
    coded='"',  # may end a raw literal
    alphabet=~_SURROGATES,
)

PCRE2 = Dialect(
    name="pcre2",
    engines="PCRE2: PHP, grep -P, nginx, R",
    usage="pcre2_compile with PCRE2_UTF; PHP: preg_match, with the modifier u and a delimiter that fits",
    start=r"\A",
    end=r"\z",
    codes=_BRACED,
    # PCRE2 makes quantifiers possessive automatically. Before an optional possessive group, this is a bug
    # (10.42: ``c?(?:ab)?+c`` rejects "c"), so the option disables it.
    options="(*NO_AUTO_POSSESS)",
    possessive=True,
    max_name=32,
    max_count=65535,
    alphabet=~_SURROGATES,
)

ECMASCRIPT = Dialect(
    name="ecmascript",
    engines="ECMAScript 2018 and later: V8, browsers, JSON Schema, HTML",
    usage="/PATTERN/u.test(text), without the flag m; the flag v can replace u",
    start="^",
    end="$",  # without the flag m, it matches only at the very end
    codes=((0xFF, r"\x{:02X}"), (0xFFFF, r"\u{:04X}"), (0x10FFFF, r"\u{{{:X}}}")),
    escaped="()[]{}/-\\|^",  # required by the flag v, allowed by the flag u
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
    coded="'",  # doubled in a literal
    alphabet=~(_SURROGATES | CharSet(((0, 0),))),  # strings have no NUL
)

DIALECTS: Mapping[str, Dialect] = {
    dialect.name: dialect for dialect in (PYTHON, RE2, RUST, PCRE2, ECMASCRIPT, JAVA, SQL)
}

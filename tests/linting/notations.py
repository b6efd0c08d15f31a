"""Random grammars in other notations, each with an equivalent grammar in ABNF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

Node = tuple[object, ...]
"""An expression: its kind ("text", "set", "name", "row", "choice", "?", "*", "+") and its operands."""

NAMES = ("first", "second", "third")


@dataclass(frozen=True)
class Notation:
    """The syntax of expressions in a notation."""

    defines: str = "{} ::= {}"
    quotes: str = "'\""
    choice: str = " | "
    row: str = " "
    option: str = "{}?"
    many: str = "{}*"
    some: str = "{}+"
    ranges: str = "{}-{}"
    sets: str = "[{}]"
    separator: str = ""
    name: str = "{}"
    escapes: bool = False

    def text(self, value: str) -> str:
        """Return an expression that matches only ``value``."""
        double = '"' not in value and (len(value) == 2 or "'" not in self.quotes)
        quote = '"' if double and '"' in self.quotes else self.quotes[0]
        if self.escapes:
            value = value.replace("\\", "\\\\").replace(quote, "\\" + quote)
        return f"{quote}{value}{quote}"

    def set(self, members: Sequence[str]) -> str:
        """Return an expression for a set of characters and ranges."""
        members = sorted(dict.fromkeys(members), key="-".__eq__)  # between others, "-" would be a range
        quote = self.ranges[0].strip("{")
        written = [
            self.ranges.format(member[0], member[-1]) if len(member) > 1 else quote + member + quote
            for member in members
        ]
        if quote and len(members) == len(members[0]) == 1:
            return self.text(members[0])
        return self.sets.format(self.separator.join(written))

    def write(self, node: Node, outer: str = "choice") -> str:
        """Return an expression, in parentheses if ``outer`` binds more tightly."""
        kind, *operands = node
        if kind == "text":
            return self.text(str(operands[0]))
        if kind == "name":
            return self.name.format(operands[0])
        if kind == "set":
            return self.set(operands)  # type: ignore[arg-type]
        if kind in ("row", "choice"):
            joined = (self.row if kind == "row" else self.choice).join(
                self.write(each, str(kind))
                for each in operands  # type: ignore[arg-type]
            )
            bare = outer == "choice" or (outer == "row" and kind == "row")
            return joined if bare else f"( {joined} )"
        if kind == "+" and not self.some:
            return self.write(("row", operands[0], ("*", operands[0])), outer)
        form = {"?": self.option, "*": self.many, "+": self.some}[str(kind)]
        own = "choice" if form.startswith(("[", "{{", "( ")) else "repeat"
        written = form.format(self.write(operands[0], own))  # type: ignore[arg-type]
        return f"( {written} )" if outer == "repeat" else written

    def grammar(self, rules: Sequence[Node]) -> str:
        """Return the rules, one per line."""
        return "".join(
            self.defines.format(self.name.format(name), self.write(rule)) + "\n"
            for name, rule in zip(NAMES, rules, strict=True)
        )


class Abnf(Notation):
    """ABNF, the reference notation, which spells strings as code points."""

    def text(self, value: str) -> str:
        return "%x" + ".".join(f"{ord(char):02X}" for char in value)

    def set(self, members: Sequence[str]) -> str:
        return "( " + " / ".join(f"%x{ord(member[0]):02X}-{ord(member[-1]):02X}" for member in members) + " )"


ABNF = Abnf("{} = {}", choice=" / ", option="[ {} ]", many="*{}", some="1*{}")

NOTATIONS = {
    "W3C EBNF": Notation(),
    "BNF": Notation(
        name="<{}>",
        some="",
        option="[ {} ]",
        many="{{ {} }}",
        sets="( {} )",
        ranges="'{}'..'{}'",
        separator=" | ",
    ),
    "ISO EBNF": Notation(
        "{} = {} ;",
        some="",
        row=" , ",
        option="[ {} ]",
        many="{{ {} }}",
        sets="( {} )",
        ranges="'{}'..'{}'",
        separator=" | ",
    ),
    "PEG": Notation("{} <- {}", choice=" / ", escapes=True),
    "ANTLR": Notation("{} : {} ;", quotes="'", escapes=True),
    "ranges with dots": Notation(
        "{} : {} ;", quotes="'", escapes=True, sets="({})", separator=" | ", ranges="'{}'..'{}'"
    ),
    "ocamllex": Notation(quotes='"', escapes=True, sets="[{}]", separator=" ", ranges="'{}'-'{}'"),
    "JavaCC": Notation(quotes='"', escapes=True, sets="[{}]", separator=",", ranges='"{}"-"{}"'),
    "node-semver": Notation(many="( {} ) *", some="( {} ) +", sets="[{}]", separator=" ", ranges="'{}'-'{}'"),
}

_CHARS = st.sampled_from('aBz09-+*/|.;,[]{}()_<=%#:\\ "')
_SETS = st.lists(
    st.sampled_from(("az", "AZ", "09", "19", "af", "_", "-", ".", "+", "x")), min_size=1, max_size=3
)


def _nodes(names: Sequence[str]) -> st.SearchStrategy[Node]:
    leaves: list[st.SearchStrategy[Node]] = [
        st.text(_CHARS, min_size=1, max_size=3).map(lambda text: ("text", text)),
        _SETS.map(lambda members: ("set", *members)),
    ]
    if names:
        leaves.append(st.sampled_from(names).map(lambda name: ("name", name)))

    def larger(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
        several = st.lists(inner, min_size=2, max_size=3)
        return (
            several.map(lambda nodes: ("row", *nodes))
            | several.map(lambda nodes: ("choice", *nodes))
            | st.tuples(st.sampled_from("?*+"), inner)
        )

    return st.recursive(st.one_of(leaves), larger, max_leaves=5)


RULES: st.SearchStrategy[list[Node]] = st.tuples(
    *(_nodes(NAMES[index + 1 :]) for index in range(len(NAMES)))
).map(list)
"""Three rules, each with references to later ones only."""

"""Write a core form as readable Lark text, with a table that maps Lark names to ABNF names.

Every terminal is a character set and belongs to one rule, so Lark's Earley parser fails at the exact offset,
and its items can be reported by rule. (A terminal for several characters would fail at its start.)

*Names.* ``hier-part`` becomes ``hier_part``; the terminals of the rule are ``HIER_PART_1``, ``HIER_PART_2``,
and so on; parts of it that need their own rule are ``_hier_part_1``, and so on. ABNF names begin with a
letter and ignore case. So the only possible clash is between "-" and the "_" of the RFC 2396 notation; the
later rule gets a suffix.

Lark expands alternatives in a sequence, so nested alternatives become rules, which keeps the grammar linear
in size.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from abnforge.budget import Meter
from abnforge.charset import CharSet
from abnforge.grammar.core import Chars, Choice, Core, Node, Prose, Ref, Repeat, Seq, alternatives
from abnforge.grammar.facts import Facts
from abnforge.records import dataclass

# The maximum number of optional parts of a sequence, since each doubles Lark's sequence; others become rules.
MAX_OPTIONAL_PARTS = 3

# The maximum length of a sequence. Lark takes quadratic time in the length, so longer sequences are split.
MAX_SEQUENCE = 32
# The number of letters of a Lark grammar written per step.
_LETTERS_A_STEP = 16

# A terminal that matches nothing, for prose values and for rules that derive no string.
NEVER = r"/(?!)[\s\S]/"


@dataclass(frozen=True, slots=True)
class LarkGrammar:
    """A grammar as Lark text.

    ``blocks`` maps a rule key to its Lark rule, helpers and terminals. ``rules`` maps Lark rule names to ABNF
    rule names, and ``terminals`` maps Lark terminal names to pairs of an ABNF rule name and a character set.
    A rule that derives no string has a block, but other rules do not refer to it.
    """

    blocks: Mapping[str, str]
    rules: Mapping[str, str]
    terminals: Mapping[str, tuple[str, CharSet]]

    def text(self, keys: Iterable[str] | None = None) -> str:
        """Return the Lark text of some rules, which must include all rules that they refer to, or of all."""
        return "\n".join(self.blocks[key] for key in (self.blocks if keys is None else keys))

    def table(self) -> dict[str, Any]:
        """Return the name table as plain data for :meth:`from_text`."""
        return {
            "rules": dict(self.rules),
            "terminals": {
                name: [rule, [list(r) for r in charset.ranges]]
                for name, (rule, charset) in self.terminals.items()
            },
        }

    @classmethod
    def from_text(cls, text: str, table: Mapping[str, Any]) -> LarkGrammar:
        """Return the grammar of a :meth:`text` and a :meth:`table`; skip leading comment lines."""
        blocks: dict[str, str] = {}
        for block in text.split("\n\n"):
            title, _, body = block.strip("\n").partition("\n")
            if body and not body.startswith("//"):
                blocks[title.removeprefix("// ").lower()] = f"{title}\n{body}\n"
        return cls(
            blocks=blocks,
            rules=dict(table["rules"]),
            terminals={
                name: (rule, CharSet(tuple((low, high) for low, high in ranges)))
                for name, (rule, ranges) in table["terminals"].items()
            },
        )


def lark_names(core: Core) -> dict[str, str]:
    """Return a unique Lark rule name for each key."""
    result: dict[str, str] = {}
    taken: set[str] = set()
    for key in core.rules:
        name = base = key.replace("-", "_")
        number = 2
        while name in taken:
            name = f"{base}__{number}"
            number += 1
        taken.add(name)
        result[key] = name
    return result


def lark_grammar(
    core: Core, facts: Facts, keys: Iterable[str] | None = None, meter: Meter | None = None
) -> LarkGrammar:
    """Return the Lark grammar of some rules, or of all rules if ``keys`` is None.

    Raises: LimitExceeded beyond the limits of ``meter``. Complexity: linear.
    """
    names = lark_names(core)
    terminals: dict[str, tuple[str, CharSet]] = {}
    blocks: dict[str, str] = {}
    for key in core.rules if keys is None else keys:
        writer = _RuleWriter(core, facts, names, key)
        blocks[key] = writer.write()
        if meter is not None:
            meter.charge(1 + len(blocks[key]) // _LETTERS_A_STEP)
        terminals.update(writer.terminals)
    return LarkGrammar(blocks, {names[key]: core.names[key] for key in blocks}, terminals)


class _RuleWriter:
    """Write one ABNF rule: its Lark rule, its helper rules and its terminals."""

    def __init__(self, core: Core, facts: Facts, names: Mapping[str, str], key: str) -> None:
        self._core = core
        self._facts = facts
        self._names = names
        self._key = key
        self._name = names[key]
        self._helpers: list[str] = []
        self._charsets: dict[CharSet, str] = {}
        self._lines: list[str] = []
        self.terminals: dict[str, tuple[str, CharSet]] = {}

    def write(self) -> str:
        node = self._core.rules[self._key]
        lines = [f"// {self._core.names[self._key]}", *self._definition(self._name, node)]
        lines += self._helpers
        for charset, terminal in self._charsets.items():
            lines.append(f"{terminal}: {_terminal_text(charset)}")
        if any(NEVER_NAME in line for line in lines):
            lines.append(f"{self._never()}: {NEVER}")
        return "\n".join(line.replace(NEVER_NAME, self._never()) for line in lines) + "\n"

    def _never(self) -> str:
        return f"{self._name.upper()}_NEVER"

    def _definition(self, name: str, node: Node) -> list[str]:
        # Omit alternatives that derive nothing, since predicting them would change the offset of a failure.
        live = [item for item in alternatives(node) if self._facts.is_productive(item)]
        texts = list(dict.fromkeys(self._sequence(item) for item in live)) or [NEVER_NAME]
        indent = " " * len(name)
        return [(f"{name}: " if i == 0 else f"{indent}| ") + text for i, text in enumerate(texts)]

    def _sequence(self, node: Node) -> str:
        if not isinstance(node, Seq):
            return self._item(node, inline_optional=True)
        parts: list[str] = []
        optional = 0
        items = node.items
        if len(items) > MAX_SEQUENCE:
            size = -(-len(items) // MAX_SEQUENCE)
            chunks = (items[start : start + size] for start in range(0, len(items), size))
            return " ".join(self._helper(Seq(chunk)) for chunk in chunks)
        for item in items:
            if isinstance(item, Repeat) and item.min == 0:
                optional += 1
            parts.append(self._item(item, inline_optional=optional <= MAX_OPTIONAL_PARTS))
        return " ".join(part for part in parts if part)

    def _item(self, node: Node, inline_optional: bool = False) -> str:
        match node:
            case Chars(charset=charset):
                return self._terminal(charset)
            case Ref(key=key):
                return self._names[key] if key in self._facts.productive else NEVER_NAME
            case Prose():
                return NEVER_NAME
            case Seq():
                inner = self._sequence(node)
                return f"({inner})" if " " in inner else inner
            case Choice():
                return self._helper(node)
            case Repeat():
                return self._repeat(node, inline_optional)

    def _repeat(self, node: Repeat, inline_optional: bool) -> str:
        if not self._facts.is_productive(node.item):
            return "" if node.min == 0 else NEVER_NAME
        if node.min == 0 and not inline_optional:
            return self._helper(node)
        # Lark's repetition operators cannot be nested, and a sequence can consist of one repetition.
        nested = isinstance(node.item, Repeat)
        inner = self._helper(node.item) if nested else self._item(node.item)
        if inner and inner[0] != "(" and not inner.isidentifier():
            inner = self._helper_text(inner)
        if not inner:
            return ""
        match node.min, node.max:
            case 0, 1:
                return f"{inner}?"
            case 0, None:
                return f"{inner}*"
            case 1, None:
                return f"{inner}+"
            case 0, maximum:
                # A helper rule, because otherwise Lark expands every count.
                return self._helper_text(f"{inner}~0..{maximum}")
            case minimum, None:
                return f"{inner}~{minimum} {inner}*"
            case minimum, maximum if minimum == maximum:
                return f"{inner}~{minimum}"
            case minimum, maximum:
                return self._helper_text(f"{inner}~{minimum}..{maximum}")

    def _helper(self, node: Node) -> str:
        index = len(self._helpers)
        self._helpers.append("")
        name = f"_{self._name}_{index + 1}"
        self._helpers[index] = "\n".join(self._definition(name, node))
        return name

    def _helper_text(self, text: str) -> str:
        name = f"_{self._name}_{len(self._helpers) + 1}"
        self._helpers.append(f"{name}: {text}")
        return name

    def _terminal(self, charset: CharSet) -> str:
        if charset not in self._charsets:
            name = f"{self._name.upper()}_{len(self._charsets) + 1}"
            self._charsets[charset] = name
            self.terminals[name] = (self._core.names[self._key], charset)
        return self._charsets[charset]


# A placeholder for the rule's terminal that never matches, which is written only if the rule needs it.
NEVER_NAME = "<never>"


def _terminal_text(charset: CharSet) -> str:
    """Return a Lark terminal: a string literal if that is exact and readable, otherwise a pattern."""
    if len(charset) == 1:
        char = charset.min()
        if char.isprintable() and char.isascii() and char not in '"\\':
            return f'"{char}"'
    return "/[" + charset.to_class().replace("/", "\\/") + "]/"  # an unescaped slash ends the pattern

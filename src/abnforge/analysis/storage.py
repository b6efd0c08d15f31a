"""Rules in core form as text, and back: the form that a bundled grammar stores.

The nodes of a rule are written in postfix order, with spaces between them. ``12`` is a character of set 12,
``@3`` a reference to rule 3, ``.`` the empty string and ``<0`` description 0. ``=4`` is a literal, ``+2`` a
sequence and ``/3`` a choice of that many nodes before it. ``*0-`` and ``*1-3`` repeat the node before them.
Nodes compare by identity. So a character that occurs twice in a rule is written in the same way twice, and
another node with the same set has a number of its own (``12:1``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from abnforge.analysis.core_form import EPSILON, Chars, Choice, Literal, Node, Prose, Ref, Repeat, Seq
from abnforge.charset import CharSet

_OF_ITEMS: dict[str, Any] = {"=": Literal, "+": Seq, "/": Choice}

# A slot's own method takes half of the time of a constructor, and rules have many nodes.
_new: Callable[[Any], Any] = object.__new__
_put_charset = Chars.__dict__["charset"].__set__
_put_key = Ref.__dict__["key"].__set__
_put_items = {mark: kind.items.__set__ for mark, kind in _OF_ITEMS.items()}


class Writer:
    """Writes the rules of a grammar, whose keys are numbered in order."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._keys = {key: number for number, key in enumerate(keys)}
        self._sets: dict[CharSet, int] = {}
        self._prose: dict[str, int] = {}

    @property
    def shared(self) -> dict[str, Any]:
        """The values that the written rules refer to by number, as JSON has them."""
        sets = [[bound for pair in charset.ranges for bound in pair] for charset in self._sets]
        return {"charsets": sets, "prose": list(self._prose)}

    def write(self, node: Node) -> str:
        """A rule. Raises ValueError if a node with others below it occurs twice in it."""
        return " ".join(self._tokens(node, {}, set()))

    def _tokens(self, node: Node, leaves: dict[str, list[Node]], seen: set[int]) -> Iterator[str]:
        if node is EPSILON:
            yield "."
            return
        if isinstance(node, Chars | Prose):
            yield self._leaf(node, leaves)
            return
        if id(node) in seen:
            raise ValueError(f"shared node: {node}")
        seen.add(id(node))
        match node:
            case Ref(key=key):
                yield f"@{self._keys[key]}"
            case Repeat(item=item, min=low, max=high):
                yield from self._tokens(item, leaves, seen)
                yield f"*{low}-{'' if high is None else high}"
            case Seq(items=items) | Choice(items=items):
                for item in items:
                    yield from self._tokens(item, leaves, seen)
                mark = next(mark for mark, kind in _OF_ITEMS.items() if type(node) is kind)
                yield f"{mark}{len(items)}"

    def _leaf(self, node: Chars | Prose, leaves: dict[str, list[Node]]) -> str:
        if isinstance(node, Chars):
            token = f"{self._sets.setdefault(node.charset, len(self._sets))}"
        else:
            token = f"<{self._prose.setdefault(node.text, len(self._prose))}"
        same = leaves.setdefault(token, [])
        if node not in same:
            same.append(node)
        turn = same.index(node)
        return f"{token}:{turn}" if turn else token


class StoredRules(Mapping[str, Node]):
    """Rules by key that were written, each read when it is first asked for. Safe for several threads."""

    def __init__(self, texts: Mapping[str, str], keys: Sequence[str], shared: Mapping[str, Any]) -> None:
        self._texts = texts
        self._keys = keys
        self._shared = shared
        self._charsets: dict[str, CharSet] = {}
        self._leaves: dict[str, dict[str | int, Node]] = {}
        self._read: dict[str, Node] = {}

    def __len__(self) -> int:
        return len(self._texts)

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __contains__(self, key: object) -> bool:
        return key in self._texts

    def __getitem__(self, key: str) -> Node:
        found = self._read.get(key)
        if found is None:
            found = self._read.setdefault(key, self._node(key, None))
        return found

    def changed(self, key: str, change: Callable[[str], str]) -> Node:
        """Return a rule after ``with_references``; ``change`` maps the keys of its references.

        The rule itself need not be read for that.
        """
        return self._node(key, change)

    def _node(self, key: str, change: Callable[[str], str] | None) -> Node:
        leaves = self._leaves.setdefault(key, {})  # shared by a rule and its changed forms
        keys, charsets = self._keys, self._charsets
        stack: list[Any] = []
        literals = 0
        node: Any
        for token in self._texts[key].split(" "):
            mark = token[0]
            if mark.isdigit():
                node = leaves.get(token)
                if node is None:
                    node = _new(Chars)
                    _put_charset(node, charsets.get(token) or self._charset(token))
                    node = leaves.setdefault(token, node)
            elif mark == "@":
                name = keys[int(token[1:])]
                node = _new(Ref)
                _put_key(node, name if change is None else change(name))
            elif mark in _OF_ITEMS:
                at = len(stack) - int(token[1:])
                node = _new(_OF_ITEMS[mark])
                _put_items[mark](node, tuple(stack[at:]))
                del stack[at:]
                if mark == "=":
                    literals += 1
                    node = leaves.setdefault(literals, node)
            elif mark == "*":
                low, _, high = token[1:].partition("-")
                node = Repeat(stack.pop(), int(low), int(high) if high else None)
            elif mark == ".":
                node = EPSILON if change is None else Seq(())
            else:
                prose = self._shared["prose"][int(token[1:].partition(":")[0])]
                node = leaves.get(token) or leaves.setdefault(token, Prose(prose))
            stack.append(node)
        (whole,) = stack
        return cast(Node, whole)

    def _charset(self, token: str) -> CharSet:
        bounds = self._shared["charsets"][int(token.partition(":")[0])]
        ranges = tuple(zip(bounds[::2], bounds[1::2], strict=True))
        return self._charsets.setdefault(token, CharSet(ranges))

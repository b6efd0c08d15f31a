"""Rules in core form as text, and back: what is stored of a bundled grammar with its mistakes.

The nodes of a rule are written in postfix order, with spaces between them: ``12`` is a character of the set
of number 12, ``@3`` a reference to the rule of number 3, ``=4`` a literal, ``+2`` a sequence and ``/3`` a
choice of so many nodes before it, ``*0-`` and ``*1-3`` a repetition of the one before it, ``.`` the empty
string and ``<0`` a description. Nodes compare by identity, so a node that occurs twice in a rule is written
as the same character twice; another node with the same set has a number of its own (``12:1``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from abnforge.analysis.core_form import EPSILON, Chars, Choice, Literal, Node, Prose, Ref, Repeat, Seq
from abnforge.charset import CharSet

_OF_ITEMS: dict[str, Any] = {"=": Literal, "+": Seq, "/": Choice}

_Operation = tuple[Any, Any, Any]
"""A token as it is read: a node's class, its value or the number of its items, and what sets its field: that
takes half of the time of a constructor, and a rule has many nodes.
"""

_new: Callable[[Any], Any] = object.__new__


class Writer:
    """Writes the rules of a grammar, whose keys are numbered in order."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._keys = {key: number for number, key in enumerate(keys)}
        self._sets: dict[CharSet, int] = {}
        self._prose: dict[str, int] = {}

    @property
    def shared(self) -> dict[str, Any]:
        """What the rules written so far refer to by number, as JSON has it."""
        sets = [[bound for pair in charset.ranges for bound in pair] for charset in self._sets]
        return {"charsets": sets, "prose": list(self._prose)}

    def write(self, node: Node) -> str:
        """A rule. Raises ValueError if a node other than a character occurs twice in it."""
        return " ".join(self._tokens(node, {}, set()))

    def _tokens(self, node: Node, letters: dict[CharSet, list[Node]], seen: set[int]) -> Iterator[str]:
        if node is EPSILON:
            yield "."
            return
        if isinstance(node, Chars):
            known = letters.setdefault(node.charset, [])
            if node not in known:
                known.append(node)
            number, turn = self._sets.setdefault(node.charset, len(self._sets)), known.index(node)
            yield f"{number}:{turn}" if turn else f"{number}"
            return
        if id(node) in seen:
            raise ValueError(f"a node occurs twice in a rule: {node}")
        seen.add(id(node))
        match node:
            case Ref(key=key):
                yield f"@{self._keys[key]}"
            case Prose(text=text):
                yield f"<{self._prose.setdefault(text, len(self._prose))}"
            case Repeat(item=item, min=low, max=high):
                yield from self._tokens(item, letters, seen)
                yield f"*{low}-{'' if high is None else high}"
            case Seq(items=items) | Choice(items=items):
                for item in items:
                    yield from self._tokens(item, letters, seen)
                mark = "=" if isinstance(node, Literal) else "/" if isinstance(node, Choice) else "+"
                yield f"{mark}{len(items)}"


class StoredRules(Mapping[str, Node]):
    """Rules by key that were written, each read when it is first asked for. Safe for several threads."""

    def __init__(self, texts: Mapping[str, str], keys: Sequence[str], shared: Mapping[str, Any]) -> None:
        self._texts = texts
        self._keys = keys
        self._shared = shared
        self._operations: dict[str, _Operation] = {}
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
        """Return what ``with_references`` makes of a rule; ``change`` maps the keys of its references.

        The rule itself need not be read for that.
        """
        return self._node(key, change)

    def _node(self, key: str, change: Callable[[str], str] | None) -> Node:
        leaves = self._leaves.setdefault(key, {})  # of a rule and its changed forms, which share them
        stack: list[Any] = []
        number = 0
        for token in self._texts[key].split(" "):
            kind, value, put = self._operations.get(token) or self._operation(token)
            if kind is Chars:
                node = leaves.get(token)
                if node is None:
                    node = _new(Chars)
                    put(node, value)
                    node = leaves.setdefault(token, node)
                stack.append(node)
                continue
            if kind is Repeat:
                stack.append(Repeat(stack.pop(), *value))
                continue
            if kind is None:
                stack.append(EPSILON if change is None else Seq(()))
                continue
            node = _new(kind)
            if kind is Ref:
                put(node, value if change is None else change(value))
            elif kind is Prose:
                put(node, value)
            else:
                put(node, tuple(stack[-value:]))
                del stack[-value:]
            if kind is Literal or kind is Prose:
                node = leaves.setdefault(number, node)
                number += 1
            stack.append(node)
        (whole,) = stack
        return cast(Node, whole)

    def _operation(self, token: str) -> _Operation:
        mark, rest = token[0], token[1:]
        value: Any
        if mark in _OF_ITEMS:
            kind, field, value = _OF_ITEMS[mark], "items", int(rest)
        elif mark == "@":
            kind, field, value = Ref, "key", self._keys[int(rest)]
        elif mark == "*":
            low, _, high = rest.partition("-")
            kind, field, value = Repeat, "item", (int(low), int(high) if high else None)
        elif mark == "<":
            kind, field, value = Prose, "text", self._shared["prose"][int(rest)]
        elif mark == ".":
            return self._operations.setdefault(token, (None, None, None))
        else:
            ranges = self._shared["charsets"][int(token.partition(":")[0])]
            kind, field = Chars, "charset"
            value = CharSet(tuple(zip(ranges[::2], ranges[1::2], strict=True)))
        return self._operations.setdefault(token, (kind, value, getattr(kind, field).__set__))

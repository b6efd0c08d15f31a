"""Rules in core form as text, and back: what is stored of a bundled grammar with its mistakes.

The nodes of a rule are written in postfix order, with spaces between them: ``12`` is a character of the set
of number 12, ``@3`` a reference to the rule of number 3, ``=4`` a literal, ``+2`` a sequence and ``/3`` a
choice of so many nodes before it, ``*0-`` and ``*1-3`` a repetition of the one before it, ``.`` the empty
string and ``<0`` a description. Nodes compare by identity, so a node that occurs twice in a rule is written
as the same character twice; another node with the same set has a number of its own (``12:1``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from abnforge.analysis.core_form import EPSILON, Chars, Choice, Literal, Node, Prose, Ref, Repeat, Seq
from abnforge.charset import CharSet


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


_OF_ITEMS: dict[str, Any] = {"=": Literal, "+": Seq, "/": Choice}


class StoredRules(Mapping[str, Node]):
    """Rules by key that were written, each read when it is first asked for. Safe for several threads."""

    def __init__(self, texts: Mapping[str, str], keys: Sequence[str], shared: Mapping[str, Any]) -> None:
        self._texts = texts
        self._keys = keys
        self._shared = shared
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
            found = self._read.setdefault(key, self._node(self._texts[key]))
        return found

    def _node(self, text: str) -> Node:
        stack: list[Node] = []
        letters: dict[str, Chars] = {}
        for token in text.split(" "):
            node: Node | None = letters.get(token)
            if node is None:
                mark, rest = token[0], token[1:]
                if mark == "@":
                    node = Ref(self._keys[int(rest)])
                elif mark in _OF_ITEMS:
                    number = len(stack) - int(rest)
                    node = _OF_ITEMS[mark](tuple(stack[number:]))
                    del stack[number:]
                elif mark == "*":
                    low, _, high = rest.partition("-")
                    node = Repeat(stack.pop(), int(low), int(high) if high else None)
                elif mark == ".":
                    node = EPSILON
                elif mark == "<":
                    node = Prose(self._shared["prose"][int(rest)])
                else:
                    node = letters[token] = Chars(self._charset(int(token.partition(":")[0])))
            stack.append(node)
        (whole,) = stack
        return whole

    def _charset(self, number: int) -> CharSet:
        """A set of characters, the same object each time."""
        sets = self._shared["charsets"]
        found: CharSet | list[int] = sets[number]
        if isinstance(found, CharSet):
            return found
        made: CharSet = CharSet(tuple(zip(found[::2], found[1::2], strict=True)))
        sets[number] = made
        return made

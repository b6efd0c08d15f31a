"""Define the core form: the six node types that every analysis and backend works on.

Lowering removes notation (groups, options, case-insensitive strings, the base of a number) and keeps the
meaning and the order of alternatives. Rules stay separate: a :class:`Ref` refers to a rule by name, since
trees, messages and recursion need the name. Nodes compare by identity; :func:`lower` shares no node between
rules.

Left factoring merges literals that share a prefix: ``"get" / "put" / "post"`` matches the same strings as
``"get" / "p" ( "ut" / "ost" )``. A parser that follows all alternatives simultaneously then has fewer to
follow. A choice is factored when a parser first reaches it, which turns a list of words into a trie (Fredkin,
"Trie memory", 1960). Factoring does not change trees, since literals contain no rules. It also keeps the
preference among alternatives: literals are reordered only if no other alternative is between them and their
first letters are disjoint.

A built-in grammar stores its core form as text: the nodes of each rule in postfix order, separated by spaces.
``12`` is a character from set 12, ``@3`` a reference to rule 3, ``.`` the empty string and ``<0`` description
0. ``=4`` is a literal of the preceding 4 nodes, ``+2`` a sequence and ``/3`` a choice. ``*0-`` and ``*1-3``
repeat the preceding node. Nodes compare by identity. So a character node that occurs twice in a rule is
written the same way both times, and a different node with the same set gets a distinct number (``12:1``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, takewhile
from typing import Any, Union, cast

from abnforge._lazy import gc_paused
from abnforge.charset import CharSet, disjoint, union
from abnforge.grammar import syntax
from abnforge.grammar.syntax import BoundGrammar
from abnforge.records import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Chars:
    """One character from a nonempty set."""

    charset: CharSet


@dataclass(frozen=True, slots=True, eq=False)
class Seq:
    """A sequence of items; without items, it is the empty string."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Literal(Seq):
    """A sequence of two or more single characters, such as a string.

    All of its items are characters, so searches for other nodes skip it. This saves a million steps for a
    list of 100,000 words.
    """

    items: tuple[Chars, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """A choice of two or more alternatives; the first one that leads to a derivation is preferred."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Repeat:
    """``min`` to ``max`` repetitions of ``item`` (None: no upper limit), as many as possible.

    An iteration beyond ``min`` that matches the empty string does not count, so a nullable loop has finitely
    many derivations (Frisch and Cardelli 2004).
    """

    item: Node
    min: int
    max: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Ref:
    """A reference to a rule by its key (the rule name in lower case)."""

    key: str


@dataclass(frozen=True, slots=True, eq=False)
class Prose:
    """A prose description, whose language is unknown."""

    text: str


# The largest number of empty iterations that a repetition's minimum can require. ``999999999*( *"a" )`` has a
# derivation, although most of its iterations are empty. If the item can be empty, a smaller minimum gives the
# same language.
MAX_EMPTY_ITERATIONS = 100

Node = Union[Chars, Seq, Choice, Repeat, Ref, Prose]

EPSILON = Seq(())


@dataclass(frozen=True, slots=True)
class Core:
    """A grammar in core form. Keys are rule names in lower case, in definition order."""

    rules: Mapping[str, Node]
    names: Mapping[str, str]  # key -> the specification's spelling


def lower(grammar: BoundGrammar) -> Core:
    """Return the core form of a bound grammar. Cost: linear in the size of the grammar."""
    with gc_paused(len(grammar.source.text)):
        return Core(
            rules={key: _lowered(key, rule) for key, rule in grammar.rules.items()},
            names={key: rule.name for key, rule in grammar.rules.items()},
        )


_CORE_RULES: dict[str, Node] = {}  # lowered once, since every grammar has the same core rules


def _lowered(key: str, rule: syntax.BoundRule) -> Node:
    if rule.origin != "core":
        return lower_alternation(rule.elements)
    node = _CORE_RULES.get(key)
    return node or _CORE_RULES.setdefault(key, lower_alternation(rule.elements))


def lower_alternation(alternation: syntax.Alternation) -> Node:
    """Return the core form of one alternation; rule names stay references."""
    return _Rule().alternation(alternation)


def parts(node: Node) -> tuple[Node, ...]:
    """Return the nodes directly below a node, in source order, without entering rules."""
    if isinstance(node, (Seq, Choice)):
        return node.items
    return (node.item,) if isinstance(node, Repeat) else ()


def alternatives(node: Node) -> tuple[Node, ...]:
    """Return the alternatives of a choice; another node is its only alternative."""
    return node.items if isinstance(node, Choice) else (node,)


def map_parts(node: Node, change: Callable[[Node], Node]) -> Node:
    """Return a node with ``change`` applied to the nodes directly below it.

    A node without parts is returned unchanged. A literal becomes a sequence, since ``change`` can return any
    node.
    """
    match node:
        case Seq(items=items):
            return Seq(tuple(map(change, items)))
        case Choice(items=items):
            return Choice(tuple(map(change, items)))
        case Repeat(item=item, min=low, max=high):
            return Repeat(change(item), low, high)
    return node


def with_references(node: Node, change: Callable[[Ref], Node]) -> Node:
    """Return a node with each reference replaced by the result of ``change``."""

    def changed(node: Node) -> Node:
        if isinstance(node, Ref):
            return change(node)
        return node if isinstance(node, Literal) else map_parts(node, changed)

    return changed(node)


def choice(nodes: Iterable[Node]) -> Node:
    """Return one node for alternatives in order; a choice without alternatives derives nothing."""
    items = tuple(nodes)
    return items[0] if len(items) == 1 else Choice(items)


def sequence(nodes: Iterable[Node]) -> Node:
    """Return one node for nodes in order; nested sequences are flattened."""
    parts = tuple(nodes)
    if len(parts) == 1:
        return parts[0]
    items: list[Node] = []
    for node in parts:
        items.extend(node.items if isinstance(node, Seq) else (node,))
    if len(items) == 1:
        return items[0]
    letters = tuple(item for item in items if isinstance(item, Chars))
    return Literal(letters) if items and len(letters) == len(items) else Seq(tuple(items))


class _Rule:
    """Lowers one rule. Nodes of equal letters are shared: a list of words repeats the same few letters."""

    def __init__(self) -> None:
        self._letters: dict[tuple[str, bool], Chars] = {}

    def alternation(self, alternation: syntax.Alternation) -> Node:
        if len(alternation.alternatives) == 1:
            return self._concatenation(alternation.alternatives[0])
        items: list[Node] = []
        nodes = map(self._concatenation, alternation.alternatives)
        # Adjacent alternatives of one character are merged into one set: no tree can tell them apart.
        for single, group in groupby(nodes, key=lambda node: isinstance(node, Chars)):
            if single:
                sets = [node.charset for node in group if isinstance(node, Chars)]
                items.append(Chars(union(sets) if len(sets) > 1 else sets[0]))
            else:
                items.extend(group)
        return choice(items)

    def _concatenation(self, concatenation: syntax.Concatenation) -> Node:
        if len(concatenation.items) == 1:
            return self._repetition(concatenation.items[0])
        return sequence(map(self._repetition, concatenation.items))

    def _repetition(self, repetition: syntax.Repetition) -> Node:
        if repetition.max == 0:
            return EPSILON
        node = self._element(repetition.element)
        if repetition.min == repetition.max == 1 or (isinstance(node, Seq) and not node.items):
            return node
        return Repeat(node, repetition.min, repetition.max)

    def _element(self, element: syntax.Element) -> Node:
        match element:
            case syntax.RuleName(name=name):
                return Ref(name.lower())
            case syntax.Group(alternation=alternation):
                return self.alternation(alternation)
            case syntax.Option(alternation=alternation):
                inner = self.alternation(alternation)
                return inner if isinstance(inner, Seq) and not inner.items else Repeat(inner, 0, 1)
            case syntax.NumVal(values=(low, high), is_range=True):
                return Chars(CharSet.from_ranges([(low, high)]))
            case syntax.NumVal(values=values):
                return self._string(map(chr, values), True)
            case syntax.CharVal(value=value, case_sensitive=exact):
                return self._string(value, exact)
            case syntax.ProseVal(text=text):
                return Prose(text)

    def _string(self, value: Iterable[str], case_sensitive: bool) -> Node:
        cache = self._letters
        letters: list[Chars] = []
        for char in value:
            letter = cache.get((char, case_sensitive))
            if letter is None:
                letter = cache[char, case_sensitive] = Chars(syntax.letter(char, case_sensitive))
            letters.append(letter)
        if len(letters) == 1:
            return Chars(letters[0].charset)
        return Literal(tuple(letters)) if letters else EPSILON


# The least number of alternatives for factoring; with fewer, trying one after the other is as quick.
MIN_ALTERNATIVES = 20


def factored(node: Choice) -> tuple[Node, ...]:
    """Return the alternatives of a choice in order, factored by the common prefixes of literals.

    The choice after a common prefix is not factored yet. Cost: linear in the number of alternatives and of
    merged letters.
    """
    if len(node.items) < MIN_ALTERNATIVES:
        return node.items
    result: list[Node] = []
    with gc_paused(sum(len(item.items) for item in node.items if isinstance(item, Literal))):
        for literal, run in groupby(node.items, key=lambda item: isinstance(item, Literal)):
            if literal:
                result += _by_first_letter([item for item in run if isinstance(item, Literal)])
            else:
                result += run
    return tuple(result)


def _by_first_letter(literals: Sequence[Literal]) -> Iterator[Node]:
    groups: dict[CharSet, list[Literal]] = {}
    for literal in literals:
        groups.setdefault(literal.items[0].charset, []).append(literal)
    if not disjoint(groups):
        yield from literals
        return
    for group in groups.values():
        yield group[0] if len(group) == 1 else _together(group)


def _together(group: Sequence[Literal]) -> Node:
    """Return the common prefix of two or more literals, followed by the choice of their suffixes."""
    first = group[0].items
    columns = zip(*(literal.items for literal in group), strict=False)
    shared = sum(1 for _ in takewhile(_alike, columns))
    rests = [_rest(literal.items[shared:]) for literal in group]
    return Seq((*first[:shared], Choice(tuple(rests))))


def _alike(letters: Sequence[Chars]) -> bool:
    """Return whether all letters match the same characters."""
    first = letters[0].charset
    return all(letter.charset is first or letter.charset == first for letter in letters)


def _rest(items: tuple[Chars, ...]) -> Node:
    if len(items) > 1:
        return Literal(items)
    return items[0] if items else EPSILON


_OF_ITEMS: dict[str, Any] = {"=": Literal, "+": Seq, "/": Choice}

# Setting slots directly takes half the time of a constructor, and rules have many nodes.
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
        """The values that the written rules refer to by number, in a form that JSON can represent."""
        sets = [[bound for pair in charset.ranges for bound in pair] for charset in self._sets]
        return {"charsets": sets, "prose": list(self._prose)}

    def write(self, node: Node) -> str:
        """Return a rule as text. Raises ValueError if a node with children occurs twice in the rule."""
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
    """Stored rules by key, each read when it is first requested. Safe for concurrent use by threads."""

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
        node = self._read.get(key)
        if node is None:
            node = self._read.setdefault(key, self._node(key, None))
        return node

    def changed(self, key: str, change: Callable[[str], str]) -> Node:
        """Return a rule with changed references, as ``with_references`` does; ``change`` maps their keys.

        This does not read the unchanged rule.
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

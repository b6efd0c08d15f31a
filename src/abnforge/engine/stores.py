"""Stores of a compilation: results that exist before it compiles anything.

``Store`` has no results, ``BundledStore`` has those in the files of a built-in grammar, and
``cache.CacheStore`` has those on disk for other grammars. A compilation looks up such results by kind and
key; a missing result is None. Stored results equal compiled ones.

``AutomatonStore`` has a rule that an automaton defines, and ``sets.SetStore`` one that set algebra defines.

*Stored configurations* are the beginning of a recursive rule's automaton. The configurations of a rule are
the states of an infinite deterministic automaton (``parsing.recognizer``). Ordinary strings reach few of
them. ``tools/build_grammars.py`` explores these for built-in grammars, so the first string is already parsed
along a table. Each stored configuration has an access string; where the table ends, a machine parses this
string and continues.

A row is decoded when a string first reaches it. It begins with ``+`` if the string can end here, followed by
its access: a letter, which represents a character class, and the number of the previous configuration. Its
moves follow, each as letters and a number, then the letters of moves to configurations that are not stored.
Other characters are rejected. The first row is the start.
"""

from __future__ import annotations

import json
import string
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from abnforge._lazy import cached_property, lazy
from abnforge.budget import Meter
from abnforge.catalog import CodedError
from abnforge.charset import AlphabetCompressor
from abnforge.messages import message

with lazy:
    from abnforge.explain import shipped
    from abnforge.regex import ast, errors, from_rule, messages

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from abnforge.automata.code_points import CodePointDFA
    from abnforge.automata.dfa import Automaton
    from abnforge.engine.compilation import Compilation
    from abnforge.explain.bind import Binding
    from abnforge.explain.codes import Code
    from abnforge.explain.mistakes import Mistakes
    from abnforge.grammar.core import Core, Node
    from abnforge.grammar.syntax import BoundGrammar

AUTOMATON, LARGE_AUTOMATON, PATTERN = "quick automaton", "automaton", "pattern"
TAGGED, CONFIGURATIONS, REGULAR, PROVED, LARK = "tagged", "configurations", "regular", "proved", "lark"
"""The kinds of results."""

Inputs = Callable[[], str]  # a function that returns all inputs of a result as text


class Store:
    """A store without results, so that everything is compiled from the definitions of the rules."""

    defined: str | None = None
    """The key of the rule that is defined by its automaton instead of its definition, or None."""

    codes: Mapping[str, Code] | None = None
    """The codes of rejections, or None to collect them from the mistakes."""

    def get(self, kind: str, key: str, inputs: Inputs | None = None) -> Any:
        """Return a result for a rule as plain data, or None; a pattern is wrapped in a list."""
        return None

    def put(self, kind: str, key: str, inputs: Inputs, value: Any) -> None:
        """Store a result."""

    def keeps(self, steps: int) -> bool:
        """Return whether a result that took this many steps is stored."""
        return False

    @cached_property
    def mistakes(self) -> shipped.PrebuiltMistakes | None:
        """The bound mistakes of the grammar; ``binding`` contains the rules that they refer to."""
        return None

    @property
    def binding(self) -> Binding:
        """The mistakes with the rules and characters that they refer to."""
        raise NotImplementedError

    @property
    def has_mistakes(self) -> bool:
        """Return whether the grammar comes with mistakes."""
        return False

    def read_mistakes(self) -> Mistakes | None:
        """Return the mistakes of the built-in grammar."""
        return None

    def core(self, bound: BoundGrammar) -> Core | None:
        """Return the core form, or None to compile it."""
        return None

    def automaton(self, key: str, meter: Meter, quick: bool) -> Automaton | None:
        """Return the automaton of a rule, or None to build it from the definition. Raises LimitExceeded."""
        return None

    def bodies(self, compilation: Compilation) -> Mapping[str, Node]:
        """Return the recursion-free bodies of regular rules for patterns. Raises UnsafeError."""
        return compilation.bodies

    def tagged(
        self,
        compilation: Compilation,
        parts: Mapping[str, tuple[str, ...]],
        kinds: Mapping[str, tuple[str, ...]],
    ) -> CodePointDFA | None:
        """Return the tagged automaton of the rule ``defined``, or None if it cannot be built."""
        return None


NOTHING = Store()


class AutomatonStore(Store):
    """The automaton of a rule, which is known before the rule is compiled.

    The other rules are compiled as in any grammar.
    """

    def __init__(self, key: str, automaton: Automaton) -> None:
        self.key = self.defined = key
        self._automaton = automaton

    def automaton(self, key: str, meter: Meter, quick: bool) -> Automaton | None:
        return self._automaton if key == self.key else None

    def bodies(self, compilation: Compilation) -> Mapping[str, Node]:
        """Return the bodies; the body of the rule is built from its automaton if regularity is not known."""
        bodies = compilation.bodies
        if self.key in bodies:
            return bodies
        return {**bodies, self.key: expression_of_states(self._automaton)}


def expression_of_states(automaton: Automaton) -> Node:
    """Return a definition of an automaton's language. Raises TooLargeError if the automaton is too large."""
    for regex in from_rule.to_regex(automaton):
        return ast.to_core(regex)
    raise errors.TooLargeError(messages.message("regex-states", states=automaton.states))


class FileDamagedError(CodedError, OSError):
    """A file of the package that is incomplete."""


class BundledStore(Store):
    """The results that ``tools/build_grammars.py`` writes to ``_data`` for a built-in grammar.

    These do not include imported rules, or rules with large automata unless an example starts at them. Such
    rules are compiled, as for any grammar.
    """

    def __init__(self, name: str, folder: Traversable) -> None:
        self._name = name
        self._folder = folder

    def get(self, kind: str, key: str, inputs: Inputs | None = None) -> Any:
        if kind == AUTOMATON:
            return self._automata and self._automata.get("automata", key)
        if kind == TAGGED:
            return self._tagged and self._tagged.get("automata", key)
        if kind == CONFIGURATIONS:
            return self._configurations_of(key)
        if kind == LARK and self._exists("lark") and self._exists("names.json"):
            return self._read("lark").decode(), json.loads(self._read("names.json"))
        file = self._patterns
        if file is None:
            return None
        if kind == REGULAR:
            return file.has("patterns", key) or key in self.omitted
        if kind == PROVED and key not in self.omitted:
            return frozenset(file.value("proved")).difference(file.get("unproved", key) or ())
        if kind == PATTERN and key not in self.omitted:
            return [file.get("patterns", key)]
        if kind.startswith(f"{PATTERN} ") and file.has("components", key):
            groups = kind.removeprefix(f"{PATTERN} ")
            return [file.get("components", key)] if groups == str(sorted(file.value("groups"))) else None
        return None

    def _configurations_of(self, key: str) -> Any:
        file = self._configurations
        if file is None or (self.get(REGULAR, key) and key not in self.omitted):
            return None
        rows = file.get("rules", key)
        shared = {"starts": file.value("starts"), "letters": file.value("letters")}
        return None if rows is None else {**shared, "rules": {key: rows}}

    @cached_property
    def mistakes(self) -> shipped.PrebuiltMistakes | None:
        file = self._lines("mistakes.json")
        if file is None:
            return None
        return shipped.stored(file, self._folder)

    @property
    def has_mistakes(self) -> bool:
        return self._exists("mistakes.abnf")

    def read_mistakes(self) -> Mistakes | None:
        if not self.has_mistakes:
            return None
        if self.mistakes is not None:
            return self.binding.mistakes
        return shipped.shipped_mistakes(self._folder, self._name)

    @property
    def binding(self) -> Binding:
        assert self.mistakes is not None, "the grammar has stored mistakes"
        return self.mistakes.binding(
            f"{self._name}.mistakes.abnf", lambda: self._read("mistakes.abnf").decode()
        )

    @cached_property
    def omitted(self) -> frozenset[str]:
        """The regular rules without stored results."""
        return frozenset() if self._patterns is None else frozenset(self._patterns.value("left out"))

    @cached_property
    def _patterns(self) -> KeyedLines | None:
        return self._lines("patterns.json")

    @cached_property
    def _automata(self) -> KeyedLines | None:
        return self._lines("automata.json")

    @cached_property
    def _tagged(self) -> KeyedLines | None:
        return self._lines("tagged.json")

    @cached_property
    def _configurations(self) -> KeyedLines | None:
        return self._lines("configurations.json")

    def _lines(self, ending: str) -> KeyedLines | None:
        """Return the file with this ending, or None. Raises FileDamagedError for a truncated file."""
        if not self._exists(ending):
            return None
        octets = self._read(ending)
        if not octets.endswith(b"\n}\n"):
            path = str(self._folder / f"{self._name}.{ending}")
            raise FileDamagedError(message("file-damaged", path=path))
        return KeyedLines(octets)

    def _exists(self, ending: str) -> bool:
        return (self._folder / f"{self._name}.{ending}").is_file()

    def _read(self, ending: str) -> bytes:
        # Reading as text would convert line ends, which takes longer than everything else.
        return (self._folder / f"{self._name}.{ending}").read_bytes()


class KeyedLines:
    """A JSON file with each value of the object, and of the objects in it, on a separate line.

    ``tools/build_grammars.py`` writes such files with the data of all rules of a grammar. A verdict needs the
    data of only one rule, and finding its line takes a hundredth of the time of parsing the file.
    """

    def __init__(self, octets: bytes) -> None:
        self._octets = octets
        self._objects: dict[str, tuple[int, int]] = {}

    def value(self, name: str) -> Any:
        """Return a value other than an object by name. Raises KeyError. Cost: parsing its line."""
        line = self._line(f"  {json.dumps(name)}: ", 0, len(self._octets))
        if line is None:
            raise KeyError(name)
        return json.loads(line)

    def has(self, name: str, key: str) -> bool:
        """Return whether the named object has a key. Cost: a search for its line."""
        return self._line(f"    {json.dumps(key)}: ", *self._object(name)) is not None

    def get(self, name: str, key: str) -> Any:
        """Return the value for a key of the named object, or None. Cost: as for ``value``."""
        line = self._line(f"    {json.dumps(key)}: ", *self._object(name))
        return None if line is None else json.loads(line)

    def object(self, name: str) -> dict[str, Any]:
        """Return the named object. Raises KeyError. Cost: parsing its lines."""
        start, end = self._object(name)
        value: dict[str, Any] = json.loads(b"{" + self._octets[start:end] + b"}")
        return value

    def _object(self, name: str) -> tuple[int, int]:
        """Return the span of the lines of an object, including the newlines around them."""
        if name in self._objects:
            return self._objects[name]
        opening = f"\n  {json.dumps(name)}: {{\n".encode()
        start = self._octets.find(opening)
        if start < 0:
            raise KeyError(name)
        start += len(opening) - 1
        span = self._objects[name] = start, self._octets.index(b"\n  }", start)
        return span

    def _line(self, head: str, start: int, end: int) -> bytes | None:
        """Return the rest of the line that starts with ``head``; JSON strings do not contain newlines."""
        line = b"\n" + head.encode()
        begin = self._octets.find(line, start, end)
        if begin < 0:
            return None
        begin += len(line)
        stop = self._octets.find(b"\n", begin, end)
        return self._octets[begin : end if stop < 0 else stop].removesuffix(b",")


# The number of characters translated at a time.
_PIECE = 1 << 14

BETWEEN = ";"

# These do not include separators of rows, or characters that JSON escapes.
_LETTERS = string.ascii_letters + string.digits + "!#$%&'()*./<=>?@[]^_`{|}~"


def letter_of(number: int) -> str:
    """Return the letter of a character class."""
    return _LETTERS[number] if number < len(_LETTERS) else chr(0x100 + number)


class StoredState(dict[str, "StoredState"]):
    """A stored configuration; the dict maps letters to the next ones and is filled on first use.

    ``accepting`` means that the string can end here. ``access`` is the number of the previous configuration
    and the letter of the move from it, or None at the start. ``beyond`` has the letters of moves that are not
    stored.
    """

    __slots__ = ("_row", "_stored", "accepting", "access", "beyond")

    def __init__(self, stored: StoredConfigurations, row: str) -> None:
        super().__init__()
        self._stored = stored
        head, *self._row = row.split(" ")
        self.accepting = head[0] == "+"
        self.access = (int(head[2:]), head[1]) if len(head) > 1 else None
        self.beyond = ""

    def __missing__(self, letter: str) -> StoredState:
        # Another thread can fill the dict concurrently; reading the row first ensures that no entry is
        # missed.
        row = self._row
        following = self.get(letter)
        if following is not None:
            return following
        if not row:
            raise KeyError(letter)
        moves, self.beyond = row
        for move in moves.split(",") if moves else ():
            letters, target = move.split(":")
            self.update(dict.fromkeys(letters, self._stored.state(int(target))))
        self._row = []
        return self[letter]


class StoredConfigurations:
    """The stored configurations of one rule. Safe for several threads."""

    def __init__(self, starts: Sequence[int], letters: str, rows: Sequence[str]) -> None:
        self._table = AlphabetCompressor(starts, list(map(ord, letters)))
        self._starts = starts
        self._letters = letters
        self._rows = rows
        self._states: dict[int, StoredState] = {}

    @classmethod
    def from_data(cls, data: Mapping[str, Any], key: str) -> StoredConfigurations | None:
        """Return the stored configurations of a rule from the built data, or None."""
        rows = data["rules"].get(key)
        return None if rows is None else cls(data["starts"], data["letters"], rows.split(BETWEEN))

    def state(self, number: int) -> StoredState:
        """Return the configuration with a number; 0 is the start."""
        state = self._states.get(number)
        if state is None:
            state = self._states.setdefault(number, StoredState(self, self._rows[number]))
        return state

    def read(self, text: str) -> tuple[bool, tuple[str, str] | None]:
        """Return whether the rule derives a string.

        If it leads to a configuration that is not stored, return an access string of the last stored one, and
        the unread rest. Complexity: linear.
        """
        state = self.state(0)
        for begin in range(0, len(text), _PIECE):
            piece: Any = iter(text[begin : begin + _PIECE].translate(self._table))
            try:
                for letter in piece:
                    state = state[letter]
            except KeyError:
                if letter not in state.beyond:
                    return False, None
                left: int = piece.__length_hint__()
                end = min(begin + _PIECE, len(text)) - left - 1
                return False, (self._access(state), text[end:])
        return state.accepting, None

    def _access(self, state: StoredState) -> str:
        chars = []
        while state.access is not None:
            before, letter = state.access
            chars.append(chr(self._starts[self._letters.index(letter)]))
            state = self.state(before)
        return "".join(reversed(chars))

"""The stored form of a built-in grammar's mistakes: JSON of checked and bound values.

``to_data`` writes it for ``tools/build_grammars.py``. ``stored`` returns it unless one of its source files
has changed; the files are compared by CRC-32, since importing hashlib takes as long as an explanation. A
value is stored as a list of its class and its fields in order, without source positions. A list that begins
with ``()`` represents a tuple, and one with ``{}`` a sorted set. Other JSON values represent themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, Self
from zlib import crc32

from abnforge._lazy import cached_property, lazy
from abnforge.charset import CharSet
from abnforge.explain import mistakes as model
from abnforge.explain.bind import Binding, BoundMistakes
from abnforge.explain.error_grammar import long_rules, named_slots, touched_rules
from abnforge.explain.mistakes import Mapped, Mistake, Mistakes, Slot
from abnforge.grammar import syntax as abnf
from abnforge.grammar.core import Core, StoredRules, Writer
from abnforge.records import fields
from abnforge.text import Source

with lazy:
    from abnforge.explain import mistakes_file

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


_CLASSES: dict[str, Any] = {
    "Alternation": abnf.Alternation,
    "CharVal": abnf.CharVal,
    "Concatenation": abnf.Concatenation,
    "Group": abnf.Group,
    "NumVal": abnf.NumVal,
    "Option": abnf.Option,
    "ProseVal": abnf.ProseVal,
    "Repetition": abnf.Repetition,
    "Rule": abnf.RuleDefinition,
    "RuleName": abnf.RuleName,
    "Example": model.MistakeExample,
    "Mapped": model.Mapped,
    "Mistake": model.Mistake,
    "Near": model.Near,
    "Slot": model.Slot,
    "Substituted": model.Substituted,
    "Text": model.Text,
}
_KEYS = {kind: key for key, kind in _CLASSES.items()}


def encoded(value: Any) -> Any:
    """Encode a value as JSON. Raises KeyError for a class that does not occur in mistakes."""
    if value is None or isinstance(value, str | int):
        return value
    if type(value) is tuple:
        return ["()", *map(encoded, value)]
    if isinstance(value, frozenset):
        return ["{}", *sorted(value)]
    key = next((_KEYS[kind] for kind in type(value).__mro__ if kind in _KEYS), None)
    if key is None:
        raise KeyError(type(value).__name__)
    if isinstance(value, tuple):
        return [key, *map(encoded, value)]
    # Fields that are not compared come last and have defaults.
    return [key, *(encoded(getattr(value, field.name)) for field in fields(_CLASSES[key]) if field.compare)]


def decoded(data: Any) -> Any:
    """Decode a value, without its source positions."""
    if not isinstance(data, list):
        return data
    name, *rest = data
    if name == "()":
        return tuple([decoded(each) for each in rest])
    if name == "{}":
        return frozenset(rest)
    return _CLASSES[name](*[decoded(each) for each in rest])


FORMAT = 3  # the version of the stored data; data of other versions is ignored


class _Stored:
    """A value with a few decoded fields, which decodes the others on demand."""

    __slots__ = ()

    _read: Callable[[], Any]
    _value: Any

    def __new__(cls, *values: Any, **named: Any) -> Any:
        """Create a copy with all fields; ``dataclasses.replace`` calls this method."""
        return cls.__bases__[1](*values, **named)

    @classmethod
    def of(cls, read: Callable[[], Any], setters: _Setters, known_fields: tuple[Any, ...]) -> Self:
        """Create a value from its known fields, set by ``setters``; ``read`` returns the whole value."""
        value: Self = object.__new__(cls)
        for set_field, field_value in zip(setters, (None, read, *known_fields), strict=True):
            set_field(value, field_value)
        return value

    @property
    def value(self) -> Any:
        """The value with all of its fields."""
        if self._value is None:
            value = self._read()
            for each in fields(value):  # from now on, access does not need __getattr__
                object.__setattr__(self, each.name, getattr(value, each.name))
            object.__setattr__(self, "_value", value)
        return self._value

    def __getattr__(self, name: str) -> Any:
        return getattr(self.value, name)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return bool(self.value == (other.value if isinstance(other, _Stored) else other))

    def __hash__(self) -> int:
        return hash(self.value)

    def __repr__(self) -> str:
        return repr(self.value)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self.value), tuple(getattr(self.value, each.name) for each in fields(self.value))


HEAD = ("code", "place", "targets", "literal", "blame", "cost", "order", "inner", "say")
"""The fields of a mistake that the search needs."""

REST = tuple(each.name for each in fields(Mistake) if each.compare and each.name not in HEAD)


class StoredMistake(_Stored, Mistake):
    """A mistake with the fields of ``HEAD``."""

    __slots__ = ("_read", "_value", "key")


class StoredMistakes(_Stored, Mistakes):
    """All mistakes of a file. Their helper rules and their source are decoded on demand."""

    __slots__ = ("_read", "_value")


_Setters = list[Callable[[Any, Any], None]]


def _setters(cls: type, *names: str) -> _Setters:
    """Return methods that set some fields of a stored value in half the time of setattr."""
    return [getattr(cls, name).__set__ for name in ("_value", "_read", *names)]


_PUT_HEAD = _setters(StoredMistake, "key", *HEAD)
_PUT_KNOWN = _setters(StoredMistakes, "name", "mistakes", "complete")


class JsonFile(Protocol):
    """A JSON file (see ``engine.stores``)."""

    def value(self, name: str) -> Any:
        """Return the value with a name. Raises KeyError."""

    def get(self, name: str, key: str) -> Any:
        """Return the value for a key of the named object."""

    def object(self, name: str) -> dict[str, Any]:
        """Return the whole named object. Raises KeyError."""


class PrebuiltMistakes:
    """The stored mistakes of a grammar. Safe for several threads."""

    def __init__(self, file: JsonFile) -> None:
        self._file = file
        self._heads: dict[str, list[Any]] = file.object("heads")
        self.names: Mapping[str, str] = file.object("names")
        self.count = len(self._heads)
        self.complete: bool = file.value("complete")
        self.is_left_recursive: bool = file.value("left recursive")

    @cached_property
    def every(self) -> Mapping[str, Mistake]:
        """All mistakes by key, in order."""
        return {key: self._mistake(key) for key in self._heads}

    def _mistake(self, key: str) -> Mistake:
        code, place, targets, literal, blame, cost, order, inner, say, _ = self._heads[key]
        slots = tuple([Slot(name, turn) for name, turn in blame])
        head = (code, place, tuple(targets), literal, slots, cost, order, frozenset(inner), say)
        return StoredMistake.of(partial(self._read, key, head), _PUT_HEAD, (key, *head))

    def _read(self, key: str, head: tuple[Any, ...]) -> Mistake:
        rest = map(decoded, self._file.get("mistakes", key))
        return Mistake(**dict(zip((*HEAD, *REST), (*head, *rest), strict=True)))

    def mistake(self, key: str) -> Mistake:
        """Return the mistake with a key, always the same object."""
        return self.every[key]

    def binding(self, name: str, source: Callable[[], str]) -> Binding:
        """Return the bound mistakes; ``source`` returns a file's content by name, for errors."""
        every = tuple(self.every.values())

        def read() -> Mistakes:
            helpers = tuple([decoded(helper) for helper in self._file.object("helpers").values()])
            withheld = tuple(self._file.value("withheld rules"))
            source_text = Source(source(), name)
            return Mistakes(name, every, helpers, source_text, complete=self.complete, withheld=withheld)

        keys = list(self.names)
        shared = {"charsets": self._file.value("charsets"), "prose": self._file.value("prose")}
        rules = StoredRules(self._file.object("rules"), keys, shared)
        marked = StoredRules(self._file.object("marked"), keys, shared)
        mistakes = StoredMistakes.of(read, _PUT_KNOWN, (name, every, self.complete))
        return Binding(mistakes, Core(rules, self.names), marked)

    def single_character_strings(self, rule: str) -> CharSet:
        """Return the single characters that a rule named by a fix derives."""
        return CharSet(tuple([(low, high) for low, high in self._file.get("sets", rule)]))

    def named_slots(self, mistake: Mistake) -> frozenset[str]:
        """Return the names of the slots in the directives of a mistake."""
        return frozenset(self._heads[mistake.key][-1])

    @cached_property
    def withheld(self) -> list[dict[str, Any]]:
        """The automata of the rules with ``withhold``, as data."""
        automata: list[dict[str, Any]] = self._file.value("withheld")
        return automata

    @cached_property
    def class_ranges(self) -> Sequence[tuple[int, int]]:
        """The character classes, in the format of ``Classes.ranges``."""
        return [(low, number) for low, number in self._file.value("classes")]

    @cached_property
    def long_rules(self) -> frozenset[str]:
        """The rules whose catch-alls are useful."""
        return frozenset(self._file.value("long"))

    @cached_property
    def large_rules(self) -> frozenset[str]:
        """The rules that are too large for a search."""
        return frozenset(self._file.value("large"))

    @cached_property
    def touched_rules(self) -> frozenset[str]:
        """The rules that can contain a mistake or a catch-all."""
        return frozenset(self._file.value("touched"))


def stored(file: JsonFile, folder: Traversable) -> PrebuiltMistakes | None:
    """Return the stored mistakes in a file, or None if the source files in the directory differ."""
    try:
        current = file.value("format") == FORMAT and all(
            (folder / each).is_file() and crc32((folder / each).read_bytes()) == checksum
            for each, checksum in file.object("files").items()
        )
    except KeyError:  # the file does not contain a version
        return None
    return PrebuiltMistakes(file) if current else None


def shipped_mistakes(folder: Traversable, name: str) -> Mistakes | None:
    """Return the mistakes of a built-in grammar, including inherited ones, from the files in a directory."""
    path = folder / f"{name}.mistakes.abnf"
    if not path.is_file():
        return None
    mistakes = mistakes_file.read_mistakes(path.read_text("utf-8"), path.name)
    return mistakes_file.with_inherited(mistakes, lambda other: shipped_mistakes(folder, other))


def to_data(bound: BoundMistakes, files: Mapping[str, str], large: Sequence[str] = ()) -> dict[str, Any]:
    """Return the stored form of mistakes, which were read from ``files`` (contents by name).

    ``large`` are the rules that are too large to search.
    """
    mistakes = bound.mistakes.mistakes
    named = {
        part.rule
        for mistake in mistakes
        for part in mistake.fix or ()
        if isinstance(part, Mapped) and part.rule is not None
    }
    long = long_rules(bound)
    writer = Writer(bound.core.names)
    rules = {key: writer.write(node) for key, node in bound.core.rules.items()}
    marked = {key: writer.write(node) for key, node in bound.marked.items()}
    return {
        "format": FORMAT,
        "files": {file: crc32(text.encode()) for file, text in files.items()},
        "complete": bound.complete,
        "left recursive": bool(bound.facts.left_recursive),
        "withheld": bound.withheld_data,
        "withheld rules": list(bound.mistakes.withheld),
        "large": list(large),
        "long": sorted(long),
        "touched": sorted(touched_rules(bound, mistakes, long)),
        "classes": bound.classes.ranges,
        "names": dict(bound.core.names),
        "sets": {
            rule: [list(span) for span in bound.single_character_strings(rule).ranges]
            for rule in sorted(named)
        },
        **writer.shared,
        "rules": rules,
        "marked": marked,
        "heads": {mistake.key: _head(mistake) for mistake in mistakes},
        "helpers": {rule.name: encoded(rule) for rule in bound.mistakes.helpers},
        "mistakes": {mistake.key: [encoded(getattr(mistake, name)) for name in REST] for mistake in mistakes},
    }


def _head(mistake: Mistake) -> list[Any]:
    return [
        mistake.code,
        mistake.place,
        mistake.targets,
        mistake.literal,
        mistake.blame,
        mistake.cost,
        mistake.order,
        sorted(mistake.inner),
        mistake.say,
        sorted(named_slots(mistake)),
    ]

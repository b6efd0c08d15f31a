"""Dataclasses of ``records`` behave like those of ``dataclasses``, and frozen values never change."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import pprint
import subprocess
import sys
import weakref
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any, Generic, NamedTuple, TypeVar, get_type_hints

import pytest

from abnforge import records
from abnforge._lazy import cached_property
from abnforge.records import Frozen
from tests.law import each_row

T = TypeVar("T")


def define(module: Any) -> SimpleNamespace:
    """Define the same classes with either module."""

    @module.dataclass(frozen=True, slots=True)
    class Point:
        """A point."""

        x: int
        y: int = 2

        @property
        def sum(self) -> int:
            return self.x + self.y

    @module.dataclass(frozen=True, slots=True, weakref_slot=True)
    class Options:
        """Every option of a field."""

        name: str
        place: Point = module.field(default=Point(0, 0), compare=False)
        hidden: str = module.field(default="-", repr=False)
        values: list[int] = module.field(default_factory=list, hash=False)

    @module.dataclass(frozen=True)
    class Open:
        """With a dictionary, and a computed field."""

        text: str
        length: int = module.field(init=False, repr=False, compare=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "length", len(self.text))

    @module.dataclass(frozen=True)
    class Derived(Open):
        """With two more fields."""

        more: tuple[int, ...] = ()
        text: str = "again"

    @module.dataclass
    class Changing:
        """Neither frozen nor hashable."""

        value: int
        others: list[int] = module.field(default_factory=list)

    @module.dataclass(slots=True, eq=False)
    class Itself:
        """Equal only to itself."""

        value: int

    @module.dataclass(frozen=True, slots=True, repr=False)
    class Own:
        """With user-defined methods."""

        value: int

        def __repr__(self) -> str:
            return "own"

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 7

    @module.dataclass(frozen=True, slots=True)
    class Typed(Generic[T]):
        """A generic class."""

        value: T

    @module.dataclass(frozen=True, slots=True)
    class Nothing:
        """Without fields."""

    @module.dataclass(frozen=True)
    class Recursive:
        """A value that can contain itself."""

        values: list[Any]

    results = {name: value for name, value in locals().items() if isinstance(value, type)}
    for name, cls in results.items():
        cls.__qualname__ = name
        cls.__module__ = f"{module.__name__}_made"  # pickle finds the class by this name
    outcome = ModuleType(f"{module.__name__}_made")
    sys.modules[outcome.__name__] = outcome
    vars(outcome).update(results)
    return SimpleNamespace(**results)


BOTH = define(dataclasses), define(records)


def result(make: Callable[[Any], Any], of: Any) -> Any:
    """Return the result or the error of a call, without the names of the two modules."""
    try:
        value = make(of)
    except Exception as error:
        return type(error).__name__, str(error).replace("define.<locals>.", "")
    return value if isinstance(value, int | tuple | list | dict | bool | type(None)) else str(value)


def recursive(of: Any) -> str:
    value = of.Recursive([])
    value.values.append(value)
    return repr(value)


def subclass(of: Any) -> Any:
    class Sub(of.Open):
        pass

    value = Sub("abc")
    value.other = 1
    try:
        value.text = "b"
    except dataclasses.FrozenInstanceError as error:
        return value.other, value == of.Open("abc"), repr(value) == repr(Sub("abc")), str(error)
    return None


def deriving(of: Any) -> Any:
    """Return a dataclass of the standard module that inherits from one of ``records``."""

    @dataclasses.dataclass(frozen=True)
    class Deep(of.Derived):
        deep: int = 9

    value = Deep("abc", deep=1)
    return (
        value == Deep("abc", (), 1),
        dataclasses.replace(value, deep=3).deep,
        value.length,
        str(Deep("abc")),
    )


def assigned(value: Any, name: str) -> None:
    setattr(value, name, 1)


def removed(value: Any, name: str) -> None:
    delattr(value, name)


NAMES = list(vars(BOTH[0]))
FACTS: dict[str, Callable[[Any], Any]] = {
    "positions": lambda of: repr(of.Point(1)),
    "keywords": lambda of: repr(of.Point(y=1, x=3)),
    "too few": lambda of: of.Point(),
    "too many": lambda of: of.Point(1, 2, 3),
    "unknown": lambda of: of.Point(1, z=3),
    "no value for a computed field": lambda of: of.Open("a", 1),
    "property": lambda of: of.Point(1).sum,
    "defaults": lambda of: repr(of.Options("a")),
    "a list for each": lambda of: of.Options("a").values is of.Options("a").values,
    "equal": lambda of: of.Options("a", of.Point(1, 1)) == of.Options("a"),
    "unequal": lambda of: of.Options("a", values=[1]) == of.Options("a"),
    "hash": lambda of: hash(of.Options("a")) == hash(("a", "-")),
    "equal only in their class": lambda of: of.Open("a") == of.Derived("a"),
    "hash in a set": lambda of: len({of.Point(1), of.Point(1), of.Point(2)}),
    "not hashable": lambda of: hash(of.Changing(1)),
    "changes": lambda of: assigned(of.Changing(1), "value"),
    "equal by identity": lambda of: of.Itself(1) == of.Itself(1),
    "own methods": lambda of: (repr(of.Own(1)), of.Own(1) == of.Own(2), hash(of.Own(1))),
    "assign": lambda of: assigned(of.Point(1), "x"),
    "assign with a dictionary": lambda of: assigned(of.Open("a"), "other"),
    "delete": lambda of: removed(of.Point(1), "x"),
    "delete with a dictionary": lambda of: removed(of.Open("a"), "text"),
    "computed": lambda of: of.Open("abc").length,
    "inherited": lambda of: (repr(of.Derived(more=(1,))), of.Derived("abc").length),
    "recursive": recursive,
    "subclass": subclass,
    "deriving": deriving,
    "nothing": lambda of: (repr(of.Nothing()), of.Nothing() == of.Nothing(), hash(of.Nothing())),
    "generic": lambda of: repr(of.Typed(1)),
    "weak references": lambda of: weakref.ref(of.Options("a")) is None,
    "no weak references": lambda of: weakref.ref(of.Point(1)),
    "state": lambda of: of.Point(1).__getstate__(),
    "pickle": lambda of: pickle.loads(pickle.dumps(of.Options("a"))) == of.Options("a"),
    "pickle with a dictionary": lambda of: pickle.loads(pickle.dumps(of.Derived("ab"))).length,
    "pickled": lambda of: pickle.dumps(of.Point(1, 5)).partition(b"_made")[2],
    "copy": lambda of: copy.copy(of.Options("a")) == copy.deepcopy(of.Options("a")),
    "replace": lambda of: repr(dataclasses.replace(of.Point(1), y=7)),
    "replace of computed": lambda of: dataclasses.replace(of.Open("a"), text="abc").length,
    "replace of unknown": lambda of: dataclasses.replace(of.Point(1), z=7),
    "asdict": lambda of: dataclasses.asdict(of.Options("a", of.Point(3))),
    "astuple": lambda of: dataclasses.astuple(of.Options("a", of.Point(3))),
    "pprint": lambda of: pprint.pformat(of.Options("a" * 30, of.Point(3), values=[*range(40)])),
    "match": lambda of: matched(of, of.Point(1, 5)),
}


def matched(of: Any, value: object) -> object:
    match value:
        case of.Point(x, y):
            return x, y
    return None


@each_row("name", FACTS)
def test_it_does_as_the_standard_module(name: str) -> None:
    standard, own = (result(FACTS[name], of) for of in BOTH)
    assert own == standard


@each_row("name", NAMES)
def test_it_reports_of_classes_as_the_standard_module(name: str) -> None:
    standard, own = (getattr(of, name) for of in BOTH)
    assert dataclasses.is_dataclass(own)
    results = [
        [(f.name, f.type, f.init, f.repr, f.hash, f.compare) for f in dataclasses.fields(c)]
        for c in (own, standard)
    ]
    assert results[0] == results[1]
    assert str(inspect.signature(own)) == str(inspect.signature(standard))
    assert (
        inspect.signature(own.__init__).parameters.keys()
        == inspect.signature(standard.__init__).parameters.keys()
    )
    assert own.__match_args__ == standard.__match_args__
    assert own.__doc__ == standard.__doc__
    assert own.__dataclass_params__.frozen == standard.__dataclass_params__.frozen
    assert own.__dict__.get("__slots__") == standard.__dict__.get("__slots__")
    assert (own.__hash__ is None) == (standard.__hash__ is None)


def test_replace_and_fields_are_those_of_both_modules() -> None:
    for of in BOTH:
        assert repr(records.replace(of.Point(1), y=5)) == "Point(x=1, y=5)"
    assert [field.name for field in records.fields(BOTH[1].Options)] == ["name", "place", "hidden", "values"]


def test_a_method_is_compiled_when_it_is_first_called() -> None:
    of = define(records)
    names = ("__init__", "__eq__", "__hash__")
    assert not any(inspect.isfunction(vars(of.Open)[name]) for name in names)
    assert of.Open("a") == of.Open("a")
    assert [inspect.isfunction(vars(of.Open)[name]) for name in names] == [True, True, False]


def test_the_standard_module_is_imported_when_a_caller_asks() -> None:
    script = (
        "import sys; from abnforge import records\n"
        "@records.dataclass(frozen=True, slots=True)\n"
        "class A:\n"
        "    x: int\n"
        "assert A(1) == A(1) and hash(A(1)) and repr(A(1)) and records.replace(A(1), x=2).x == 2\n"
        "assert 'dataclasses' not in sys.modules\n"
        "try: A(1).x = 2\n"
        "except AttributeError as error: print(type(error).__name__)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("FrozenInstanceError\n", "")


def named(base: Any) -> Any:
    """Return a named tuple of either module."""

    class Place(base):
        """A place."""

        line: int
        column: int | None = None
        names: tuple[str, ...] = ("a",)

        kind = "place"

        @property
        def sum(self) -> int:
            return self.line + (self.column or 0)

        @classmethod
        def first(cls) -> Any:
            return cls(1, 1)

        def __str__(self) -> str:
            return f"{self.line}:{self.column}"

    Place.__qualname__ = "Place"
    module = ModuleType(f"{base.__module__}_named")
    sys.modules[module.__name__] = module
    module.Place = Place  # type: ignore[attr-defined]
    Place.__module__ = module.__name__
    return Place


def line_of(place: Any) -> int | None:
    match place:
        case (line, None, ("a",)):
            return int(line)
    return None


TUPLE_FACTS: dict[str, Callable[[Any], Any]] = {
    "value": lambda of: (repr(of(1)), str(of(1, 2)), of(1), of(1) == (1, None, ("a",)), hash(of(1))),
    "too few": lambda of: of(),
    "too many": lambda of: of(1, 2, (), 3),
    "unknown": lambda of: of(1, other=3),
    "members": lambda of: (of(1, 2).sum, tuple(of.first()), of.kind),
    "described": lambda of: (of.__doc__, of._fields, of._field_defaults, of.__match_args__, of.__bases__),
    "parts": lambda of: (of(1)._asdict(), tuple(of(1)._replace(line=4)), list(of(3))),
    "pickle": lambda of: pickle.loads(pickle.dumps(of(1))) == of(1),
    "frozen": lambda of: assigned(of(1), "line"),
    "match": lambda of: line_of(of(6)),
    "parameters": lambda of: list(inspect.signature(of).parameters),
    "types": lambda of: str(get_type_hints(of)),
}


@each_row("name", TUPLE_FACTS)
def test_named_tuples_do_as_those_of_typing(name: str) -> None:
    standard, own = (result(TUPLE_FACTS[name], named(base)) for base in (NamedTuple, records.NamedTuple))
    assert own == standard


class Value(Frozen):
    """A frozen value with a cached property."""

    name: str

    def __init__(self, name: str) -> None:
        self._fill(name=name)

    @cached_property
    def twice(self) -> str:
        return self.name * 2


def test_attributes_cannot_be_assigned_or_deleted() -> None:
    value = Value("a")
    for name in ("name", "twice", "other"):
        with pytest.raises(AttributeError, match=f"'{name}'"):
            setattr(value, name, "b")
        with pytest.raises(AttributeError, match=f"'{name}'"):
            delattr(value, name)
    assert (value.name, value.twice) == ("a", "aa")


def test_computed_values_are_cached() -> None:
    value = Value("a")
    assert value.twice is value.twice

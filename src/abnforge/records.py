"""Dataclasses that cost little to define: each method is compiled when it is first called.

``dataclasses`` compiles every method of every class at import, and imports ``inspect``, which takes as long
as starting Python. A process that validates one string needs a few of these methods. So modules that a
verdict or an explanation imports define their dataclasses with this module's functions. These have the names
and the meaning of the standard functions, without their unneeded options. Type checkers see the standard
functions.

Callers see dataclasses: ``dataclasses.fields``, ``replace`` and ``is_dataclass`` read
``__dataclass_fields__``, which the standard module creates when it is first read. Pickles have the same form.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from itertools import chain
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, NoReturn

from abnforge._lazy import lazy

with lazy:
    import dataclasses

_MISSING: Any = object()


class _FactoryDefault:
    """The default of a parameter with a default factory; inspect shows it as in the standard module."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY_DEFAULT = _FactoryDefault()


class _Field:
    """The options of a field; ``name`` and ``type`` are set when its class is created."""

    __slots__ = ("compare", "default", "default_factory", "hash", "init", "name", "repr", "type")

    def __init__(
        self,
        *,
        default: Any = _MISSING,
        default_factory: Any = _MISSING,
        init: bool = True,
        repr: bool = True,
        hash: bool | None = None,
        compare: bool = True,
    ) -> None:
        self.name = self.type = ""
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.repr = repr
        self.hash = hash
        self.compare = compare

    def standard(self) -> Any:
        """Return the field as one of the standard module."""
        names = ("default", "default_factory", "init", "repr", "hash", "compare")
        options = {name: getattr(self, name) for name in names}
        return dataclasses.field(**{name: value for name, value in options.items() if value is not _MISSING})


class _Record:
    """The data of a class: its fields by name, and the options of its decorator."""

    def __init__(self, cls: type, fields: dict[str, _Field], options: dict[str, Any]) -> None:
        self.cls: Any = cls
        self.fields = fields
        self.options = options
        self.in_init = [each for each in fields.values() if each.init]
        self.post_init = hasattr(cls, "__post_init__")
        self._standard: Any = None

    @property
    def standard(self) -> Any:
        """A dataclass of the standard module with the same fields, for callers that inspect it."""
        if self._standard is None:
            fields: Any = [(each.name, each.type, each.standard()) for each in self.fields.values()]
            self._standard = dataclasses.make_dataclass(self.cls.__name__, fields, **self.options)
        return self._standard

    # The sources of the methods, as the standard module writes them.

    def init(self) -> tuple[str, dict[str, Any]]:
        values: dict[str, Any] = {"_set": object.__setattr__, "_factory": _FACTORY_DEFAULT}
        parameters, body = ["self"], []
        for name, field in self.fields.items():
            value, parameter = name, name
            if field.default_factory is not _MISSING:
                values[f"_make_{name}"] = field.default_factory
                value = f"_make_{name}() if {name} is _factory else {name}"
                parameter = f"{name}=_factory"
            elif field.default is not _MISSING:
                values[f"_default_{name}"] = field.default
                parameter = f"{name}=_default_{name}"
            if field.init:
                parameters.append(parameter)
                body.append(f"_set(self, {name!r}, {value})" if self.frozen else f"self.{name} = {value}")
        if self.post_init:
            body.append("self.__post_init__()")
        return f"def __init__({', '.join(parameters)}):\n " + "\n ".join(body or ["pass"]), values

    def eq(self) -> tuple[str, dict[str, Any]]:
        own, other = (self._tuple(of, [e for e in self.fields.values() if e.compare]) for of in _TWO)
        condition = "other.__class__ is self.__class__"
        return f"def __eq__(self, other):\n return {own} == {other} if {condition} else NotImplemented", {}

    def hash(self) -> tuple[str, dict[str, Any]]:
        hashed = [e for e in self.fields.values() if (e.compare if e.hash is None else e.hash)]
        return f"def __hash__(self):\n return hash({self._tuple('self', hashed)})", {}

    @property
    def frozen(self) -> bool:
        return bool(self.options["frozen"])

    @staticmethod
    def _tuple(of: str, fields: list[_Field]) -> str:
        return f"({''.join(f'{of}.{field.name}, ' for field in fields)})"


_TWO = ("self", "other")


class _Compiled:
    """A method that is compiled when it is first looked up, and then replaces this object in its class."""

    __slots__ = ("_name", "_record", "_write")

    def __init__(self, name: str, record: _Record, write: Callable[[], tuple[str, dict[str, Any]]]) -> None:
        self._name = name
        self._record = record
        self._write = write

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        # Two threads may both compile it: the methods are equal, and either may stay.
        cls = self._record.cls
        source, values = self._write()
        values["__name__"] = cls.__module__
        exec(source, values)
        method = values.pop(self._name)
        method.__qualname__ = f"{cls.__qualname__}.{self._name}"
        if self._name == "__init__":
            method.__annotations__ = {each.name: each.type for each in self._record.in_init} | {
                "return": None
            }
        setattr(cls, self._name, method)
        return method.__get__(instance, owner)


class _Standard:
    """An attribute of a class, taken from the equivalent class of the standard module."""

    __slots__ = ("_name", "_record")

    def __init__(self, name: str, record: _Record) -> None:
        self._name = name
        self._record = record

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return getattr(self._record.standard, self._name)


def _record_of(cls: type) -> _Record | None:
    return cls.__dict__.get("__record__")


def _make(cls: Any, options: dict[str, Any], slots: bool, weakref_slot: bool) -> Any:
    fields: dict[str, _Field] = {}
    for base in reversed(cls.__mro__[1:]):
        if (known := _record_of(base)) is not None:
            fields.update(known.fields)
    own = dict(cls.__dict__)
    for name, kind in cls.__annotations__.items():
        value = own.pop(name, _MISSING)
        field = value if isinstance(value, _Field) else _Field(default=value)
        field.name, field.type = name, kind
        fields[name] = field
    record = _Record(cls, fields, options)
    methods = {
        name: method
        for name, method in _methods(record, slots).items()
        if name not in own or (name == "__hash__" and own[name] is None and "__eq__" in own)
    }
    if slots:
        own.pop("__dict__", None)
        own.pop("__weakref__", None)
        inherited = set(chain.from_iterable(base.__dict__.get("__slots__", ()) for base in cls.__mro__[1:]))
        names = [*fields, "__weakref__"] if weakref_slot else fields
        own["__slots__"] = tuple(name for name in names if name not in inherited)
        rebuilt = type(cls)(cls.__name__, cls.__bases__, own | methods)
        rebuilt.__qualname__ = cls.__qualname__
        record.cls = rebuilt
        return rebuilt
    for name in cls.__annotations__:
        if fields[name].default is not _MISSING:
            setattr(cls, name, fields[name].default)
        elif name in cls.__dict__:
            delattr(cls, name)
    for name, method in methods.items():
        setattr(cls, name, method)
    return cls


def _methods(record: _Record, slots: bool) -> dict[str, Any]:
    methods: dict[str, Any] = {
        "__record__": record,
        "__dataclass_fields__": _Standard("__dataclass_fields__", record),
        "__dataclass_params__": _Standard("__dataclass_params__", record),
        "__match_args__": tuple(each.name for each in record.in_init),
        "__replace__": _replace,  # for copy.replace of Python 3.13
        "__init__": _Compiled("__init__", record, record.init),
    }
    if record.options["repr"]:
        methods["__repr__"] = _repr(record)
    if record.options["eq"]:
        methods["__eq__"] = _Compiled("__eq__", record, record.eq)
        methods["__hash__"] = _Compiled("__hash__", record, record.hash) if record.frozen else None
    if record.frozen:
        methods["__setattr__"], methods["__delattr__"] = _refusals(record)
        if slots:
            methods["__getstate__"], methods["__setstate__"] = _getstate, _setstate
    return methods


def _repr(record: _Record) -> Any:
    def show(self: Any) -> str:
        shown = [f"{name}={getattr(self, name)!r}" for name, field in record.fields.items() if field.repr]
        return f"{self.__class__.__qualname__}({', '.join(shown)})"

    show.__qualname__ = "__create_fn__.<locals>.__repr__"  # pprint recognizes dataclasses by this name
    method: Any = recursive_repr()(show)
    method.__wrapped__ = show
    return method


def _refusals(record: _Record) -> tuple[Callable[..., None], Callable[..., None]]:
    """Return two methods of a frozen class. Instances of derived classes may have more attributes."""

    def __setattr__(self: object, name: str, value: object) -> None:
        if type(self) is record.cls or name in record.fields:
            refuse_change(f"cannot assign to field {name!r}")
        super(record.cls, self).__setattr__(name, value)

    def __delattr__(self: object, name: str) -> None:
        if type(self) is record.cls or name in record.fields:
            refuse_change(f"cannot delete field {name!r}")
        super(record.cls, self).__delattr__(name)

    return __setattr__, __delattr__


def refuse_change(message: str) -> NoReturn:
    """Raise FrozenInstanceError, as a frozen dataclass does when an attribute is assigned or deleted."""
    raise dataclasses.FrozenInstanceError(message)


class Frozen:
    """A value that never changes: assigning to an attribute, or deleting one, raises FrozenInstanceError.

    :class:`~abnforge._lazy.once` keeps its values in the dictionary itself. Reading costs nothing more.
    """

    def _fill(self, **values: object) -> None:
        """Set attributes during construction."""
        self.__dict__.update(values)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        refuse_change(f"cannot assign to {name!r}: a {type(self).__name__} never changes")

    def __delattr__(self, name: str) -> NoReturn:
        refuse_change(f"cannot delete {name!r}: a {type(self).__name__} never changes")


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__record__.fields]


def _setstate(self: Any, state: list[Any]) -> None:
    for name, value in zip(self.__record__.fields, state, strict=False):
        object.__setattr__(self, name, value)


def _replace(self: Any, /, **changes: Any) -> Any:
    made = next((base for base in type(self).__mro__ if "__dataclass_fields__" in base.__dict__), None)
    record = None if made is None else _record_of(made)
    if record is None:
        return dataclasses.replace(self, **changes)
    for field in record.in_init:
        if field.name not in changes:
            changes[field.name] = getattr(self, field.name)
    return self.__class__(**changes)


def attributes(value: object, names: str) -> dict[str, Any]:
    """Return the attributes with these names, which spaces separate, as plain data."""
    return {name: getattr(value, name) for name in names.split()}


def default_of(cls: Any, name: str) -> object:
    """Return the default of a field of a dataclass; raise AttributeError if there is none."""
    field = cls.__record__.fields.get(name)
    if field is None or field.default is _MISSING:
        raise AttributeError(f"{cls.__name__!r} object does not have the attribute {name!r}")
    return field.default


def _fields(cls: Any) -> tuple[_Field, ...]:
    return tuple(cls.__record__.fields.values())


def _dataclass(
    cls: Any = None,
    /,
    *,
    repr: bool = True,
    eq: bool = True,
    frozen: bool = False,
    slots: bool = False,
    weakref_slot: bool = False,
) -> Any:
    options = {"repr": repr, "eq": eq, "frozen": frozen}

    def make(cls: Any) -> Any:
        return _make(cls, options, slots, weakref_slot)

    return make if cls is None else make(cls)


class _NamedTupleType(type):
    """The type of ``NamedTuple``: a class with fields becomes a subclass of tuple.

    ``typing.NamedTuple`` gives the same, but compiles each annotation. The first call of ``compile`` in a
    process takes 2 ms.
    """

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Any:
        if not bases:
            return super().__new__(mcs, name, bases, namespace)
        types = namespace.pop("__annotations__")
        defaults = [namespace.pop(field) for field in types if field in namespace]
        make: Any = namedtuple  # type checkers understand calls with literal names only
        cls = make(name, types, defaults=defaults, module=namespace.pop("__module__"))
        cls.__annotations__ = cls.__new__.__annotations__ = types
        for key, value in namespace.items():
            setattr(cls, key, value)
        return cls


class _NamedTuple(metaclass=_NamedTupleType):
    """The base of classes whose annotations name the elements of a tuple."""


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import fields as fields
    from dataclasses import replace as replace
    from typing import NamedTuple as NamedTuple
else:
    dataclass, field, fields, replace = _dataclass, _Field, _fields, _replace
    NamedTuple = _NamedTuple

"""Values that are made when they are first asked for, by several threads at once, too: properties of objects,
and regular expressions.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

T_co = TypeVar("T_co", covariant=True)


class once(Generic[T_co]):  # used as functools.cached_property is
    """A property that is computed once: ``functools.cached_property`` by which all threads see one value.

    Two threads that ask at the same time may both make the value; the first one made is kept, and both get
    it. So identity can be relied on, as between the nodes of a core form and the facts about them. There is
    no lock: nobody waits, and a process that is forked meanwhile inherits none that is held.
    """

    def __init__(self, make: Callable[[Any], T_co]) -> None:
        self._make = make
        self._name = ""
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> T_co: ...
    def __get__(self, instance: object, owner: type[Any] | None = None) -> Self | T_co:
        if instance is None:
            return self
        # What is in an object's dictionary is found before this is called again.
        kept: dict[str, T_co] = instance.__dict__
        try:
            return kept[self._name]
        except KeyError:
            return kept.setdefault(self._name, self._make(instance))  # which is atomic


class _LazyPattern:
    """A regular expression that is compiled when an attribute of it is first used. The attribute is kept, so
    that later uses cost what those of a compiled pattern cost.
    """

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._arguments = pattern, flags

    @once
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(*self._arguments)

    def __getattr__(self, name: str) -> Any:
        return self.__dict__.setdefault(name, getattr(self._compiled, name))


if TYPE_CHECKING:
    lazy_pattern = re.compile
else:
    lazy_pattern = _LazyPattern

"""Delay work until it is needed: imports, computed attributes, patterns, garbage collection.

A module that few calls need is imported lazily, at the top of a file::

    with lazy:
        from abnforge.automata import dfa

The block imports modules, not names within modules. ``dfa`` is imported when an attribute of it is first
used, as in ``dfa.build(...)``. Type checkers see an ordinary import. PEP 810 has a statement for this.

An import during a call holds the lock ``importing``, and a fork waits for that lock. Otherwise, if
another thread forks during an import, the child process inherits Python's lock of the imported module, and
waits forever when it imports that module. A lazy module takes the lock itself. Use ``with importing:`` for an
import by a computed name, for an import that handles a missing package, and around calls that import modules.
"""

from __future__ import annotations

import builtins
import gc
import os
import re
import sys
from _thread import RLock  # threading takes long to import
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

importing = RLock()
"""The lock of lazy imports, which is also held around each fork. It is reentrant, since an imported module
may import others in the same way.
"""

_declaring = RLock()  # held during each ``with lazy:`` block, and around each fork


def _hold() -> None:
    importing.acquire()
    _declaring.acquire()
    # A module that lark imports while this waits registers a call after this fork, without one before it.
    # Then logging would release a lock that it does not hold, and Python would print that. Where logging was
    # imported before this module, its call before the fork comes first, and it holds the lock.
    late = None if _early else sys.modules.get("logging")
    if late is None or getattr(late.__spec__, "_initializing", False):
        return
    lock = getattr(late, "_lock", None)
    if lock is not None and not lock._is_owned():
        lock.acquire()


def _release() -> None:
    _declaring.release()
    importing.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_hold, after_in_parent=_release, after_in_child=_release)

_early = "logging" in sys.modules


class _LazyModule(ModuleType):
    """A module that is imported when an attribute of it is first used.

    The imported module then replaces this object in the namespace of the importer, so that later uses are as
    fast as those of any module. Special attributes import nothing, since tools inspect them.
    """

    def __init__(self, name: str, importer: dict[str, Any]) -> None:
        super().__init__(name)
        self._importer = importer

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        with importing:
            __import__(self.__name__)
        module = sys.modules[self.__name__]
        for key, value in self._importer.copy().items():
            if value is self:
                self._importer[key] = module
        return getattr(module, name)


class _LazyImports:
    """A context whose import statements declare lazy modules.

    It replaces the function that import statements call; all other imports are forwarded to the original.
    """

    def __enter__(self) -> None:
        _declaring.acquire()
        self._importer = sys._getframe(1).f_globals
        # Set once: a patch by another thread in the meantime must neither be lost nor be forwarded to itself.
        if builtins.__import__ != self._declare:
            self._import = builtins.__import__
        builtins.__import__ = self._declare

    def __exit__(self, *error: object) -> None:
        if builtins.__import__ == self._declare:
            builtins.__import__ = self._import
        _declaring.release()

    def _declare(
        self, name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> ModuleType:
        if globals is not self._importer:
            return self._import(name, globals, locals, fromlist, level)
        module = _LazyModule(name, globals)
        for submodule in fromlist or ():
            setattr(module, submodule, _LazyModule(f"{name}.{submodule}", globals))
        return module


lazy = _LazyImports()

T_co = TypeVar("T_co", covariant=True)


class cached_property(Generic[T_co]):
    """A property that is computed once: like ``functools.cached_property``, but all threads see one value.

    If two threads compute the value at the same time, both get the first one. So identity can be relied on,
    as between the nodes of a core form and the facts about them. It takes no lock: no thread waits, and a
    forked process inherits none.
    """

    def __init__(self, compute: Callable[[Any], T_co]) -> None:
        self._compute = compute
        self._name = ""
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> T_co: ...
    def __get__(self, instance: object, owner: type[Any] | None = None) -> Self | T_co:
        if instance is None:
            return self
        # Python finds a value in the object's dictionary before it calls this again.
        values: dict[str, T_co] = instance.__dict__
        try:
            return values[self._name]
        except KeyError:
            return values.setdefault(self._name, self._compute(instance))  # atomic


class _LazyPattern:
    """A regular expression that is compiled when an attribute of it is first used.

    The attribute is kept, so that later uses are as fast as those of a compiled pattern.
    """

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._arguments = pattern, flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(*self._arguments)

    def __getattr__(self, name: str) -> Any:
        return self.__dict__.setdefault(name, getattr(self._compiled, name))


if TYPE_CHECKING:
    lazy_pattern = re.compile
else:
    lazy_pattern = _LazyPattern

LARGE = 100_000  # size of a grammar, in characters, at which the garbage collector becomes too slow


class gc_paused:
    """Pause the cyclic garbage collector if the data, such as a grammar, has a size of at least ``large``.

    For a list of 100,000 words, the collector would take longer than the work, since it searches all objects
    again and again. Objects outside cycles are freed as always. If the collector was disabled before, it
    stays disabled.
    """

    __slots__ = ("_is_paused",)

    def __init__(self, size: int = LARGE, large: int = LARGE) -> None:
        self._is_paused = size >= large and gc.isenabled()

    def __enter__(self) -> None:
        if self._is_paused:
            gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._is_paused:
            gc.enable()


class NotebookView:
    """A value that Jupyter and IPython show as HTML, in addition to its repr.

    If drawing fails, a notebook shows the repr: an error would hide the value.
    """

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        draw = _View.draw
        if draw is None:
            return None
        try:
            return draw(self)
        except Exception:  # the repr remains
            return None


class _View:
    draw: Callable[[object], str | None] | None = None


def set_notebook_view(draw: Callable[[object], str | None]) -> None:
    """Set the function that draws a value as HTML, or returns None for a value that it does not draw."""
    _View.draw = staticmethod(draw)

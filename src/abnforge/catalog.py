"""Messages made from a code and its data, and the errors that carry both.

Each package has one catalog, in its module ``messages``: a template for each code. Code that fails fills a
template, and tests and callers read the code and the data instead of the sentence::

    message = Catalog({"column-unknown": "unknown column {column:quoted}{near:near}"})

    raise JobError(message("column-unknown", column=name, near=near_misses(name, names)))

A template is a format string of ``str.format``. String values are escaped, and shortened beyond ``MAX_FIELD``
characters; messages within messages are not.
A field has the format of its value, or one of these:

``{x:quoted}``
    A string of the user, in quotes; shortened beyond ``MAX_SHOWN`` characters.
``{x:list}``
    Several strings: ``a, b and c``, at most ``MAX_LISTED`` of them.
``{x:few}``
    The first ``MAX_FEW`` of several strings: ``a, b, c and 4 more``.
``{x:or}``
    Choices: ``a, b or c``, at most ``MAX_CHOICES`` of them.
``{x:near}``
    Close names: ``; did you mean 'a' or 'b'?``, nothing if there are none.
``{x:available}``
    All possible names: ``; available: a, b and c``, nothing if there are none.
``{x:count step}``
    A number with its unit: ``1 step``, ``2,000 steps``.
``{x:hints}``
    Messages that continue after a semicolon: ``; use '/'``, nothing if there are none.
``{x:token}``
    A piece of a grammar: a character with its name, a string or a value unchanged, anything else in quotes.
``{x:type}``
    The name of the value's type: ``int``.
``{x:char}``
    A character with its code point: ``"é" (U+00E9 LATIN SMALL LETTER E WITH ACUTE)``.

A value that is a message itself is shown unchanged.

An error pickles, copies and compares as its class and message do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from abnforge.text import in_quotes, shortened, show_char

MAX_SHOWN = 80  # characters of a user's string that a message shows in quotes, or in a list
MAX_FIELD = 1_000  # characters of any other field, such as a path or the reason of another error
MAX_LISTED = 8  # strings of a list that a message shows
MAX_FEW = 3
"""Strings of a list that is only an illustration."""

MAX_CHOICES = 32  # choices that a message shows: all of a fixed list, fewer only if a grammar determines them


class Message(str):
    """A message that a person reads, with the ``code`` of its template and the ``data`` that fills it."""

    __slots__ = ("_data", "code")

    code: str
    _data: Mapping[str, Any]

    def __new__(cls, text: str, code: str, data: Mapping[str, Any]) -> Message:
        message = super().__new__(cls, text)
        message.code = code
        message._data = data
        return message

    @property
    def data(self) -> dict[str, Any]:
        """The values of the template's fields by name; a new dictionary each time."""
        return dict(self._data)

    def __getnewargs__(self) -> tuple[str, str, Mapping[str, Any]]:  # type: ignore[override]
        return str(self), self.code, self._data

    def reworded(self, text: str) -> Message:
        """Return another text for the same code and data, such as one that adds an option."""
        return Message(text, self.code, self._data)


class Catalog:
    """The message templates of one package, by code."""

    def __init__(self, templates: Mapping[str, str]) -> None:
        self.templates = templates

    def __call__(self, code: str, /, **data: Any) -> Message:
        """Return the message of a code, filled with its data."""
        slots = {name: _Slot(value) for name, value in data.items()}
        return Message(self.templates[code].format_map(slots), code, data)

    def fix(self, message: Message) -> str:
        """Return the end of a message from the semicolon of its template on; empty if there is none."""
        _, semicolon, fix = self.templates[message.code].partition("; ")
        slots = {name: _Slot(value) for name, value in message.data.items()}
        return semicolon + fix.format_map(slots)


class CodedError(Exception):
    """An error that a caller can handle by its ``code``. The values of ``data`` are also attributes."""

    code: str = ""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
        self.code = getattr(message, "code", "") or self.code

    @property
    def data(self) -> dict[str, Any]:
        """The values from which the message is made, by name; a new dictionary each time."""
        return getattr(self.__dict__.get("message"), "data", {})

    def __getattr__(self, name: str) -> Any:
        if name in (data := self.data):
            return data[name]
        raise AttributeError(f"unknown attribute {name!r} of {type(self).__name__}")


class ArgumentError(CodedError, ValueError):
    """An argument with a value that is not allowed."""


class ArgumentTypeError(CodedError, TypeError):
    """An argument of a type that is not allowed."""


class MissingExtraError(CodedError, ModuleNotFoundError):
    """A dependency of an extra that is not installed; ``name`` is the module."""

    def __init__(self, message: str, name: str | None = None) -> None:
        super().__init__(message)
        self.name = name


class _Slot:
    """A value in a template, with the formats of messages."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return repr(self.value)

    def __format__(self, spec: str) -> str:
        name, _, argument = spec.partition(" ")
        match name:
            case "quoted":
                return _quoted(str(self.value))
            case "list":
                return listed(self.value, "and")
            case "few":
                return listed(self.value, "and", MAX_FEW)
            case "or":
                return listed(self.value, "or", MAX_CHOICES)
            case "near":
                close = [f'"{each}"' if "'" in each else f"'{each}'" for each in self.value]
                return f"; did you mean {listed(close, 'or')}?" if close else ""
            case "available":
                return f"; available: {listed(self.value, 'and')}" if self.value else ""
            case "count":
                return f"{self.value:,} {argument}{'' if self.value == 1 else 's'}"
            case "hints":
                return "".join(f"; {shown(each)}" for each in self.value)
            case "token":
                return _token(self.value)
            case "type":
                return type(self.value).__name__
            case "char":
                return show_char(self.value)
        return format(self.value, spec) if spec else shown(self.value, MAX_FIELD)


def shown(value: object, most: int = MAX_SHOWN) -> str:
    """Return a value as a string with its control characters escaped; omit the middle of a long string."""
    return str(value) if type(value) is Message else shortened(str(value), most)


def _quoted(text: str) -> str:
    return in_quotes(shown(text))


def _token(value: str) -> str:
    if type(value) is not Message and len(value) == 1:
        return show_char(value)
    return shown(value) if type(value) is Message or value.startswith(('"', "<", "%")) else _quoted(value)


def listed(values: Iterable[object], word: str, most: int = MAX_LISTED) -> str:
    """Return several values as a list in a sentence: ``a, b or c``, or ``a, b or 7 more`` beyond ``most``."""
    names = [shown(each) for each in values]
    if len(names) > most:
        names = [*names[:most], f"{len(names) - most} more"]
    return f" {word} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)

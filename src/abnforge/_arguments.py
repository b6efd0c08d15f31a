"""Checks of the arguments of public functions, with one set of messages.

A message names the parameter, the expected type or values, and the argument. An instance
of a subclass of str is converted to a str, so that no method is overridden. Where a call would take long
compared with the work, the caller tests for the usual type first (``if type(text) is not str``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from types import UnionType
from typing import Any, TypeGuard

from abnforge.catalog import ArgumentError, ArgumentTypeError
from abnforge.messages import message
from abnforge.records import NamedTuple
from abnforge.text import LATIN_1, ByteText


class TextLike:
    """A value with a string form, which ``str`` returns; accepted wherever a string is."""

    __slots__ = ()


# An input to validate: a string, or its bytes in UTF-8.
Text = str | TextLike | bytes | bytearray | memoryview


_KEPT = (str, ByteText)  # other subclasses of str are copied, so that they do not override methods


class InputText(NamedTuple):
    """A string to validate, and whether it came as UTF-8.

    ``octets`` is whether it came as UTF-8; then offsets in results count bytes. ``broken`` is the offset in
    ``text`` of the first byte that is not UTF-8, None if there is none. Such bytes are the surrogates U+DC80
    to U+DCFF (PEP 383), so ``text.encode(errors="surrogateescape")`` returns the original bytes.
    """

    text: str
    octets: bool = False
    broken: int | None = None


def text_argument(value: object, name: str) -> str:
    """Return a str, or the string form of a value. Raises TypeError for anything else.

    Complexity: constant for a str; a subclass is copied.
    """
    if isinstance(value, str):
        return value if type(value) in _KEPT else str.__str__(value)
    if isinstance(value, TextLike):
        return str(value)
    raise wrong_type(name, "a str or a component object", value)


def text_like_argument(value: object, name: str) -> Text:
    """Return an argument of :func:`input_text` unchanged. Raises TypeError for anything else."""
    if isinstance(value, Text):
        return value
    raise wrong_type(name, "a str, UTF-8 bytes or a component object", value)


def input_text(value: object, name: str) -> InputText:
    """Return the string to validate, from a str, a value or bytes. Raises TypeError for anything else.

    Complexity: linear for bytes, constant for a str.
    """
    if type(value) is str:  # usually
        return InputText(value)
    if isinstance(value, bytes | bytearray | memoryview):
        octets = bytes(value)
        try:
            return InputText(octets.decode(), octets=True)
        except UnicodeDecodeError as error:
            broken = len(octets[: error.start].decode())
            return InputText(octets.decode(errors="surrogateescape"), octets=True, broken=broken)
    return InputText(str.__str__(text_argument(text_like_argument(value, name), name)))


def byte_text(value: object, name: str) -> str:
    """Return bytes-like input or a ByteText as a str with one character, U+0000 to U+00FF, for each byte.

    Raises TypeError for anything else. Complexity: linear.
    """
    if isinstance(value, ByteText):
        return str.__str__(value)
    if not isinstance(value, bytes | bytearray | memoryview):
        raise ArgumentTypeError(message("argument-not-bytes", name=name, type=type(value).__name__))
    return bytes(value).decode(LATIN_1)  # a memoryview need not be contiguous


def is_pieces(value: object) -> TypeGuard[Iterable[str]]:
    """Return whether a value is an ordered iterable that can contain the pieces of a string."""
    return isinstance(value, Iterable) and not isinstance(value, Text | Set | Mapping)


def pieces_argument(value: Iterable[object], name: str) -> Iterator[str]:
    """Yield the pieces of a string. Raises TypeError at the first piece that is not a str."""
    for piece in value:
        yield piece if type(piece) is str else plain_argument(piece, f"each piece of {name}")


def byte_pieces(value: Iterable[object], name: str) -> Iterator[str]:
    """Yield the pieces of a string of bytes, as ``byte_text`` does."""
    return (byte_text(piece, f"each piece of {name}") for piece in value)


def plain_argument(value: object, name: str) -> str:
    """Return a str, such as a name; other values with a string form are not accepted. Raises TypeError."""
    if not isinstance(value, str):
        raise wrong_type(name, "a str", value)
    return value if type(value) in _KEPT else str.__str__(value)


def optional_argument(value: object, name: str) -> str | None:
    """Return a str or None. Raises TypeError for anything else."""
    if value is not None and not isinstance(value, str):
        raise wrong_type(name, "a str or None", value)
    return None if value is None else plain_argument(value, name)


def names_argument(value: object, name: str, what: str = "rule names") -> tuple[str, ...]:
    """Return the str values of an iterable that is not itself a str. Raises TypeError for anything else."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise wrong_type(name, f"an iterable of {what}", value)
    return tuple(plain_argument(each, f"each of {name}") for each in value)


def choice_argument(value: object, name: str, choices: Sequence[str]) -> str:
    """Return one of ``choices``. Raises TypeError for another type, ValueError for another string."""
    word = plain_argument(value, name)
    if word not in choices:
        raise ArgumentError(message("argument-choice", name=name, choices=tuple(choices), value=word))
    return word


def instance_argument(value: object, name: str, kind: type[Any] | UnionType, what: str) -> None:
    """Check for an instance of a class, which ``what`` names. Raises TypeError for anything else."""
    if not isinstance(value, kind):
        raise wrong_type(name, what, value)


def collection_argument(value: object, name: str, what: str) -> Collection[str]:
    """Return a collection of str unchanged. Raises TypeError for anything else, including a str."""
    if isinstance(value, str | bytes) or not isinstance(value, Collection):
        raise wrong_type(name, f"a collection of {what}", value)
    for each in value:
        plain_argument(each, f"each of {name}")
    return value


def sequence_argument(value: object, name: str, kind: type[Any], what: str) -> None:
    """Check for a sequence of instances of a class, named by ``what``. Raises TypeError for other values."""
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        raise wrong_type(name, f"a sequence of {what}", value)
    for each in value:
        instance_argument(each, f"each of {name}", kind, f"a {what}")


def function_argument(value: object, name: str) -> None:
    """Check for a function or None. Raises TypeError for anything else."""
    if value is not None and not callable(value):
        raise wrong_type(name, "a function or None", value)


def wrong_type(name: str, expected: str, value: object) -> ArgumentTypeError:
    """Return the error for an argument of another type."""
    code = "argument-bytes" if isinstance(value, bytes | bytearray | memoryview) else "argument-type"
    return ArgumentTypeError(message(code, name=name, expected=expected, type=type(value).__name__))


def wrong_value(name: str, expected: str, value: object) -> ArgumentError:
    """Return the error for an argument of the right type and another value."""
    return ArgumentError(message("argument-value", name=name, expected=expected, value=value))


def empty(name: str) -> ArgumentError:
    """Return the error for an argument that must have an element."""
    return ArgumentError(message("argument-empty", name=name))

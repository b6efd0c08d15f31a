"""Checks of the arguments of public functions, with one set of messages.

A message names the parameter, what it takes, and what was passed. The returned value is plain: a subclass of
str is that str, whatever its methods do. Where a call would take long compared with the work, the usual type
is tried before it (``if type(text) is not str``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from types import UnionType
from typing import Any, TypeGuard

from abnforge.catalog import ArgumentError, ArgumentTypeError
from abnforge.messages import message
from abnforge.records import NamedTuple


class TextLike:
    """A value that stands for a text, which ``str`` gives; taken wherever a text is."""

    __slots__ = ()


# What is judged: a text, or the octets of one in UTF-8.
Text = str | TextLike | bytes | bytearray | memoryview


class InputText(NamedTuple):
    """A text that was given to be judged, as characters.

    ``octets`` tells that it was given as octets; offsets that are told then count these. ``broken`` is the
    offset in ``text`` of the first octet that is not UTF-8, None if all are; such octets are the surrogates
    U+DC80 to U+DCFF (PEP 383), so that ``text`` has the octets back by ``encode(errors="surrogateescape")``.
    """

    text: str
    octets: bool = False
    broken: int | None = None


def text_argument(value: object, name: str) -> str:
    """The text of a str or of a value that stands for one. Raises TypeError for anything else.

    Cost: none for a str; a subclass is copied.
    """
    if isinstance(value, str):
        return value if type(value) is str else str.__str__(value)
    if isinstance(value, TextLike):
        return str(value)
    raise wrong_type(name, "a str or a component object", value)


def text_like_argument(value: object, name: str) -> Text:
    """What :func:`input_text` takes, as it is. Raises TypeError for anything else."""
    if isinstance(value, Text):
        return value
    raise wrong_type(name, "a str, UTF-8 bytes or a component object", value)


def input_text(value: object, name: str) -> InputText:
    """A text to be judged, which may come as octets, too. Raises TypeError for anything else.

    Cost: linear for octets, none for a str.
    """
    if type(value) is str:  # nearly always
        return InputText(value)
    if isinstance(value, bytes | bytearray | memoryview):
        octets = bytes(value)
        try:
            return InputText(octets.decode(), octets=True)
        except UnicodeDecodeError as error:
            broken = len(octets[: error.start].decode())
            return InputText(octets.decode(errors="surrogateescape"), octets=True, broken=broken)
    return InputText(text_argument(text_like_argument(value, name), name))


def is_pieces(value: object) -> TypeGuard[Iterable[str]]:
    """Whether a value may be a text in pieces: an iterable that is no text itself, and has an order."""
    return isinstance(value, Iterable) and not isinstance(value, Text | Set | Mapping)


def pieces_argument(value: Iterable[str], name: str) -> Iterator[str]:
    """The pieces of a text. Raises TypeError at the first that is no str."""
    for piece in value:
        yield piece if type(piece) is str else plain_argument(piece, f"each piece of {name}")


def plain_argument(value: object, name: str) -> str:
    """A str, where nothing stands for one: a name, a running text. Raises TypeError for anything else."""
    if not isinstance(value, str):
        raise wrong_type(name, "a str", value)
    return value if type(value) is str else str.__str__(value)


def optional_argument(value: object, name: str) -> str | None:
    """The same, or None."""
    if value is not None and not isinstance(value, str):
        raise wrong_type(name, "a str or None", value)
    return None if value is None else plain_argument(value, name)


def names_argument(value: object, name: str, what: str = "rule names") -> tuple[str, ...]:
    """An iterable of str, which is not itself one. Raises TypeError for anything else."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise wrong_type(name, f"an iterable of {what}", value)
    return tuple(plain_argument(each, f"each of {name}") for each in value)


def choice_argument(value: object, name: str, choices: Sequence[str]) -> str:
    """One of some words. Raises TypeError for what is no str, ValueError for another word."""
    word = plain_argument(value, name)
    if word not in choices:
        raise ArgumentError(message("argument-choice", name=name, choices=tuple(choices), value=word))
    return word


def instance_argument(value: object, name: str, kind: type[Any] | UnionType, what: str) -> None:
    """An instance of a class, which ``what`` names. Raises TypeError for anything else."""
    if not isinstance(value, kind):
        raise wrong_type(name, what, value)


def collection_argument(value: object, name: str, what: str) -> Collection[str]:
    """A collection of str, which is not itself one, as it is. Raises TypeError for anything else."""
    if isinstance(value, str | bytes) or not isinstance(value, Collection):
        raise wrong_type(name, f"a collection of {what}", value)
    for each in value:
        plain_argument(each, f"each of {name}")
    return value


def sequence_argument(value: object, name: str, kind: type[Any], what: str) -> None:
    """A sequence of instances of a class, which ``what`` names. Raises TypeError for anything else."""
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        raise wrong_type(name, f"a sequence of {what}", value)
    for each in value:
        instance_argument(each, f"each of {name}", kind, f"a {what}")


def function_argument(value: object, name: str) -> None:
    """A function or None. Raises TypeError for anything else."""
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

"""What callers pass: checked where it comes in, by one set of messages.

A message names the parameter, what it takes, and what was given. What comes back is plain: a subclass of str
is that str, whatever its methods do. Where a call would take long compared with the work, the usual type is
tried before it (``if type(text) is not str``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from types import UnionType
from typing import Any, TypeGuard

from abnforge.records import NamedTuple


class Written:
    """A value that stands for a text, which ``str`` gives; taken wherever a text is."""

    __slots__ = ()


# What is judged: a text, or the octets of one in UTF-8.
Text = str | Written | bytes | bytearray | memoryview


class Given(NamedTuple):
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
    if isinstance(value, Written):
        return str(value)
    raise TypeError(f"{name} is a str or a component object, not {_kind(value)}{_hint(value)}")


def judged_argument(value: object, name: str) -> Text:
    """What :func:`given` takes, as it is. Raises TypeError for anything else."""
    if isinstance(value, Text):
        return value
    raise TypeError(f"{name} is a str, UTF-8 as bytes, or a component object, not {_kind(value)}")


def given(value: object, name: str) -> Given:
    """A text to be judged, which may come as octets, too. Raises TypeError for anything else.

    Cost: linear for octets, none for a str.
    """
    if type(value) is str:  # nearly always
        return Given(value)
    if isinstance(value, bytes | bytearray | memoryview):
        octets = bytes(value)
        try:
            return Given(octets.decode(), octets=True)
        except UnicodeDecodeError as error:
            broken = len(octets[: error.start].decode())
            return Given(octets.decode(errors="surrogateescape"), octets=True, broken=broken)
    return Given(text_argument(judged_argument(value, name), name))


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
        raise TypeError(f"{name} is a str, not {_kind(value)}{_hint(value)}")
    return value if type(value) is str else str.__str__(value)


def optional_argument(value: object, name: str) -> str | None:
    """The same, or None."""
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{name} is a str or None, not {_kind(value)}")
    return None if value is None else plain_argument(value, name)


def names_argument(value: object, name: str, what: str = "rule names") -> tuple[str, ...]:
    """An iterable of str, which is not itself one. Raises TypeError for anything else."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        one = "one " if isinstance(value, str) else ""
        raise TypeError(f"{name} is an iterable of {what}, not {one}{_kind(value)}")
    return tuple(plain_argument(each, f"each of {name}") for each in value)


def choice_argument(value: object, name: str, choices: Sequence[str]) -> str:
    """One of some words. Raises TypeError for what is no str, ValueError for another word."""
    word = plain_argument(value, name)
    if word not in choices:
        raise ValueError(f"{name} is one of {', '.join(choices)}, not {word!r}")
    return word


def instance_argument(value: object, name: str, kind: type[Any] | UnionType, what: str) -> None:
    """An instance of a class, which ``what`` names. Raises TypeError for anything else."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} is {what}, not {_kind(value)}")


def collection_argument(value: object, name: str, what: str) -> Collection[str]:
    """A collection of str, which is not itself one, as it is. Raises TypeError for anything else."""
    if isinstance(value, str | bytes) or not isinstance(value, Collection):
        raise TypeError(f"{name} is a collection of {what}, not {_kind(value)}")
    for each in value:
        plain_argument(each, f"each of {name}")
    return value


def sequence_argument(value: object, name: str, kind: type[Any], what: str) -> None:
    """A sequence of instances of a class, which ``what`` names. Raises TypeError for anything else."""
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        raise TypeError(f"{name} is a sequence, of {what} each, not {_kind(value)}")
    for each in value:
        instance_argument(each, f"each of {name}", kind, f"a {what}")


def function_argument(value: object, name: str) -> None:
    """A function or None. Raises TypeError for anything else."""
    if value is not None and not callable(value):
        raise TypeError(f"{name} is a function or None, not {_kind(value)}")


def _hint(value: object) -> str:
    return "; decode it first" if isinstance(value, bytes | bytearray | memoryview) else ""


def _kind(value: object) -> str:
    return type(value).__name__

"""Inputs in which nothing is wrong but characters to be percent-encoded.

That is what most rejected identifiers are: a template with braces, a word in another script. Their repair is
the one that the search in ``repair`` would find first, but needs no search: where reading stops at a
character that the rule nowhere admits, its octets are read in its place. Cost: linear in the input.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from abnforge.automaton.derivative import Derivatives
from abnforge.automaton.states import Arc, LiveSet, State
from abnforge.charset import CharSet
from abnforge.explain import reasons
from abnforge.explain.edits import Repair, Step, blamed, first_mistake
from abnforge.explain.reasons import Kind
from abnforge.rejection import Edit, applied

# Before this offset something pasted in front of the identifier is as likely as a character to be encoded.
MIN_OFFSET = 8

_HEXDIG = CharSet.of("0123456789abcdefABCDEF")
_REWRITE_STARTS = frozenset(written[0] for written in reasons.REWRITES)


@dataclass(frozen=True, slots=True, eq=False)
class _Way:
    """A way to read a triplet in ``state``: ``live`` is behind the "%", ``trail`` the rules it is about."""

    state: State
    live: LiveSet
    trail: tuple[str, ...]


class Encoder:
    """Finds such repairs for one start rule; ``alphabet`` are the characters that the rule admits
    anywhere.
    """

    def __init__(self, derivatives: Derivatives, key: str, alphabet: CharSet) -> None:
        self._derivatives = derivatives
        self._key = key
        self._alphabet = alphabet
        self._foreign: dict[str, bool] = {}
        self._behind: dict[tuple[LiveSet, str], LiveSet | None] = {}
        self._ways: dict[LiveSet, tuple[_Way, ...]] = {}

    def repair(self, text: str, reached: Sequence[LiveSet]) -> Repair | None:
        """The repair of an input whose viable prefixes lead to ``reached``; None if more is wrong with it."""
        offset = len(reached) - 1
        if offset == len(text) or offset < MIN_OFFSET or text[offset] in reasons.DELIMITERS:
            return None
        if not self._is_plain(text, offset, reached[offset]):
            return None
        for way in self._ways_from(reached[offset]):
            places = self._places(text, offset, self._read(way.live, percent_encoded(text[offset])[1:]))
            if places is not None:
                return self._encoding(text, places, way)
        return None

    def _ways_from(self, live: LiveSet) -> tuple[_Way, ...]:
        """The ways to read a triplet in a live set."""
        found = self._ways.get(live)
        if found is None:
            found = self._ways[live] = tuple(
                self._way(state, arc)
                for state in live.states
                for arc in self._derivatives.moves(state, "%")
                if begins_triplet(self._derivatives, arc)
            )
        return found

    def _way(self, state: State, arc: Arc) -> _Way:
        after = arc.target
        for digit in "00":
            after = self._derivatives.moves(after, digit)[0].target
        trail = blamed(arc.trail, state, after) or (self._key,)
        return _Way(state, self._derivatives.live((arc.target,)), trail)

    def _places(self, text: str, offset: int, live: LiveSet | None) -> list[int] | None:
        """The places to be encoded, ``offset`` being done and leading to ``live``; None if that is not
        enough.
        """
        places = [offset]
        for position in range(offset + 1, len(text)):
            if live is None:
                return None
            char = text[position]
            following = live.moves[char] if char in live.moves else self._derivatives.step(live, char)
            if following is None:
                if not self._is_plain(text, position, live):
                    return None
                places.append(position)
                following = self._read_encoded(live, char)
            live = following
        return places if live is not None and live.accepting else None

    def _is_plain(self, text: str, position: int, live: LiveSet) -> bool:
        """Whether nothing but percent-encoding suggests itself for a character."""
        char = text[position]
        foreign = self._foreign.get(char)
        if foreign is None:
            foreign = (
                char not in self._alphabet and not reasons.is_blank(char) and percent_encoded(char) != ""
            )
            if len(self._foreign) < 4096:  # enough for any script; a hostile input must not fill the memory
                self._foreign[char] = foreign
        if not foreign:
            return False
        like = like_ascii(char)
        if like and self._derivatives.step(live, like) is not None:
            return False
        return char not in _REWRITE_STARTS or not any(text.startswith(w, position) for w in reasons.REWRITES)

    def _read_encoded(self, live: LiveSet, char: str) -> LiveSet | None:
        key = (live, char)
        if key not in self._behind:
            self._behind[key] = self._read(live, percent_encoded(char))
        return self._behind[key]

    def _read(self, live: LiveSet | None, text: str) -> LiveSet | None:
        for char in text:
            live = self._derivatives.step(live, char) if live is not None else None
        return live

    def _encoding(self, text: str, places: list[int], way: _Way) -> Repair:
        steps: list[Step] = []
        start = 0
        for index, place in enumerate(places):
            if index + 1 == len(places) or places[index + 1] != place + 1:
                # Neighbours are one step: a long word in another script is one mistake.
                encoded = "".join(map(percent_encoded, text[places[start] : place + 1]))
                edit = Edit(places[start], place + 1, encoded)
                steps.append(Step(Kind.ENCODE, edit, way.trail, way.state, steps[-1] if steps else None))
                start = index + 1
        cost = reasons.encode_foreign(text[places[0]]) + reasons.ENCODE_REPEATED * (len(places) - 1)
        return Repair(cost, applied(text, [s.edit for s in steps]), tuple(steps), first_mistake(steps))


def begins_triplet(derivatives: Derivatives, arc: Arc) -> bool:
    """Whether a "%" read by an arc begins a triplet: any two hexadecimal digits must follow.

    In ``"%25" ZoneID`` (RFC 6874) it does not, although digits follow.
    """
    return all(
        CharSet.from_ranges(r for other in derivatives.arcs(state) for r in other.charset.ranges) == _HEXDIG
        for state in (arc.target, *(other.target for other in derivatives.arcs(arc.target)))
    )


@lru_cache(4096)
def like_ascii(char: str) -> str:
    """The ASCII character that one is a look-alike of; "" for none."""
    like = reasons.LOOK_ALIKE.get(char) or unicodedata.normalize("NFKC", char)
    return like if len(like) == 1 and like != char and like.isascii() and like != " " else ""


@lru_cache(4096)
def percent_encoded(char: str) -> str:
    """A character as percent-encoded octets of UTF-8; "" for a lone surrogate, which has none."""
    try:
        return "".join(f"%{octet:02X}" for octet in char.encode())
    except UnicodeEncodeError:
        return ""

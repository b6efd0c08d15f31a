"""The part of a rejected input that a search for repairs looks at, and what is known of it beforehand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from abnforge.automaton.derivative import Derivatives
from abnforge.automaton.states import LiveSet, State
from abnforge.charset import CharSet
from abnforge.explain import reasons
from abnforge.explain.edits import blamed, common
from abnforge.explain.encoding import like_ascii
from abnforge.explain.reasons import Kind

# Characters looked at before and behind the offset. A repair further away would not be "nearby".
WINDOW = 400


class Window:
    """``text[begin:end]``: what lies around ``offset``, the length of the longest viable prefix.

    ``reached`` are the live sets of the viable prefixes, ``alphabet`` the characters that the rule admits
    anywhere; a character that is not among them is *foreign*. ``whole`` tells whether the window reaches the
    end of the input, ``leading`` whether nothing valid has been read yet, so that the part the rule begins
    with may be what is missing.
    """

    def __init__(
        self, derivatives: Derivatives, alphabet: CharSet, text: str, reached: Sequence[LiveSet]
    ) -> None:
        self._derivatives = derivatives
        self.text = text
        self.reached = reached
        self.offset = len(reached) - 1
        self.begin = max(0, self.offset - WINDOW)
        self.end = min(len(text), self.offset + WINDOW)
        self.whole = self.end == len(text)
        self.leading = not any(live.accepting for live in reached)
        self._foreign = [char not in alphabet for char in text[self.begin : self.end]]
        self._first_foreign = self.begin + self._foreign.index(True) if True in self._foreign else self.end
        # What was read before here is not doubted. Right before a character that cannot be meant, nothing is.
        doubted = 0 if self._first_foreign == self.offset else reasons.SETTLED
        self.settled = self.offset - doubted

    def least_costs(self) -> list[float]:
        """Element i: what the characters from ``begin + i`` on cost at least: never too much, for A*."""
        result = [0.0] * (len(self._foreign) + 1)
        for index in range(len(self._foreign) - 1, -1, -1):
            result[index] = result[index + 1] + (reasons.REPEATED if self._foreign[index] else 0.0)
        first = self._first_foreign - self.begin
        if first < len(self._foreign):
            # Whatever stands before it, the first one must be paid for in full.
            extra = self.least_price(self._first_foreign) - reasons.REPEATED
            result[: first + 1] = [cost + extra for cost in result[: first + 1]]
        return result

    def least_price(self, position: int) -> float:
        """The least that can be paid for the first character that the rule nowhere admits."""
        char = self.text[position]
        least = reasons.ENCODE_SPACE if char == " " else reasons.ENCODE
        if reasons.is_blank(char):
            least = min(least, reasons.DELETE_AT_END)
        if position < reasons.WRAPPER_LENGTH:
            least = min(least, reasons.WRAPPER + reasons.WRAPPER_MORE * (position + 1))
        return min([least, *(price for price, *_ in self.replacements(position))])

    def replacements(self, position: int) -> Iterator[tuple[float, Kind, int, str]]:
        """What may have been meant for the characters from a place on: price, kind, how many, and by what."""
        text = self.text
        char = text[position]
        if like := like_ascii(char):
            yield reasons.SUBSTITUTE_LIKE, Kind.SUBSTITUTE, 1, like
        if char == "%" and position + 3 <= self.end:
            octet = int(text[position + 1 : position + 3], 16) if reasons.is_triplet(text, position) else 0
            if 0x20 < octet < 0x7F:
                yield reasons.DECODE, Kind.DECODE, 3, chr(octet)
        for written, meant in reasons.REWRITES.items():
            if text.startswith(written, position):
                yield reasons.REWRITE, Kind.SUBSTITUTE, len(written), meant

    def is_data(self, position: int) -> bool:
        """Whether no reading that went on well behind a character took it for a delimiter."""
        if reasons.is_word(self.text[position]) or position > self.offset:
            return True
        return not any(self.is_settled(position, state) for state in self.reached[position].states)

    def is_settled(self, position: int, state: State) -> bool:
        """Whether a character well before the offset was read as a delimiter, not as one of many like it."""
        char = self.text[position]
        if position >= self.settled or char == "%":
            return False
        states = (state,) if self._derivatives.moves(state, char) else self.reached[position].states
        targets = [arc.target for other in states for arc in self._derivatives.moves(other, char)]
        return not any(again.target is t for t in targets for again in self._derivatives.moves(t, char))

    def is_blank_rest(self, position: int) -> bool:
        """Whether nothing but white space follows."""
        return self.whole and all(map(reasons.is_blank, self.text[position:]))

    def is_foreign(self, position: int) -> bool:
        """Whether the rule nowhere admits the character."""
        return self._foreign[position - self.begin]

    def is_structure(self, position: int) -> bool:
        """Whether a character can only be a delimiter."""
        if position >= self.end or self._foreign[position - self.begin]:
            return False
        return self.text[position] != "%" and not reasons.is_word(self.text[position])

    def is_repeated(self, position: int) -> bool:
        """Whether a foreign character is not the first one."""
        return self._foreign[position - self.begin] and position > self._first_foreign

    def blamed_for(self, position: int, state: State, edited: bool) -> tuple[str, ...]:
        """The rules to blame for a character that is dropped; ``edited``: it is not the first edit.

        That is the rule that would have read it, if that one is being read; otherwise the one being
        read, or rather the one around it, if the reading may as well be there (in ``[1::2::3]``
        between two groups, not in a last pair of groups that nothing but hindsight calls the last).
        """
        char = self.text[position]
        own = self._derivatives.moves(state, char)
        if own:
            return blamed(own[0].trail, state, own[0].target)
        reading = state.reading
        if edited:
            return reading
        if position > self.begin:
            # The rule that was read last, even if it is complete: behind "1.2.3.4" an IPv4address.
            last = [
                blamed(arc.trail, other, arc.target)
                for other in self.reached[position - 1].states
                for arc in self._derivatives.moves(other, self.text[position - 1])
                if arc.target is state
            ]
            inner = [t for t in last if len(t) > len(reading) == common(t, reading)]
            if inner:
                return min(inner, key=len)
        alive = self.reached[position].states
        around = [arc.trail for other in alive for arc in self._derivatives.moves(other, char)]
        around += [other.reading for other in alive]
        return min((t for t in around if t and t == reading[: len(t)]), key=len, default=reading)

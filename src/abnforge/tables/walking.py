"""Tables walked in Python: what the kernel does in C, by the same octets, where there is no kernel."""

from __future__ import annotations

import sys
from array import array
from typing import Literal

from abnforge.once import once
from abnforge.tables import layout
from abnforge.tables.layout import sections_of
from abnforge.tables.points import CLEARED, STATE_BITS

_STATE = (1 << STATE_BITS) - 1


class Walker:
    """A table, ready to be walked. Raises ValueError for octets that are none.

    A table is trusted where the kernel checks it: Python reads nothing outside of it either way.
    """

    def __init__(self, octets: bytes) -> None:
        self._header, parts = sections_of(octets)
        head = self._header
        self._page_of = _numbers("H", parts["page_of"][: 2 * layout.PAGES])
        self._pages = parts["pages"]
        self._rows = _numbers("I", parts["point_rows"][: 4 * head.states * head.point_classes])
        self._accepting = parts["accepting"]
        self._final = parts["final"]
        self._initial = _numbers("i", parts["initial"][: 4 * head.registers]).tolist()
        settings = parts["settings"]
        self._operations = [
            _operation(bytes(settings[at : at + layout.SETTING_OCTETS]))
            for at in range(0, head.operations * layout.SETTING_OCTETS, layout.SETTING_OCTETS)
        ]
        self._octet_rows = parts["rows"]
        self._class_of = parts["class_of"]

    def read(self, text: str) -> tuple[int, bool]:
        """The length of the longest viable prefix in code points, and whether all is derived."""
        offset, state, _ = self._walked(text)
        return offset, offset == len(text) and bool(self._accepting[state])

    def find(self, text: str) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """Begin and end of each part, -1 for one that is not there, and the kinds; None for a text that is
        not derived. Cost: linear.
        """
        offset, state, registers = self._walked(text)
        if offset < len(text) or not self._accepting[state]:
            return None
        head = self._header
        at = state * (head.tags + head.kinds)
        registers[head.registers - 2 :] = [len(text), -1]
        places = [registers[register] for register in self._final[at : at + head.tags]]
        for tag in range(0, head.tags, 2):  # what has no end has no begin, whatever its register holds
            if places[tag + 1] < 0:
                places[tag] = -1
        return tuple(places), tuple(self._final[at + head.tags : at + head.tags + head.kinds])

    def read_octets(self, octets: bytes) -> tuple[int, bool]:
        """The same as ``read`` for octets, counted in octets. Broken UTF-8 is read until it breaks."""
        head = self._header
        code: Literal["I", "H"] = "I" if head.entry == 4 else "H"
        state = head.start
        for offset, octet in enumerate(octets):
            begin = (state << head.shift) + layout.SET_OCTETS
            row = _numbers(code, self._octet_rows[begin : begin + head.entry * head.classes])
            following = row[self._class_of[octet]] & _STATE
            if not following:
                return offset, False
            state = following
        return len(octets), bool(self._accepting[state])

    def _walked(self, text: str) -> tuple[int, int, list[int]]:
        """Where reading stops, the state there, and the registers."""
        registers = list(self._initial)
        classes, rows, known = self._header.point_classes, self._rows, self._class_of_ascii
        state = self._header.start
        if not state:
            return 0, 0, registers
        for offset, char in enumerate(text):
            number = known.get(char)
            if number is None:
                point = ord(char)
                number = self._pages[self._page_of[point >> 8] * layout.PAGE + (point & 0xFF)]
            entry = rows[state * classes + number]
            if not entry & _STATE:
                return offset, state, registers
            state = entry & _STATE
            if entry > _STATE:
                for register, change in self._operations[entry >> STATE_BITS]:
                    registers[register] = -1 if change == CLEARED else offset + change
        return len(text), state, registers

    @once
    def _class_of_ascii(self) -> dict[str, int]:
        page = self._page_of[0] * layout.PAGE
        return {chr(code): self._pages[page + code] for code in range(128)}


def _numbers(code: Literal["H", "I", "i"], octets: memoryview) -> memoryview:
    """Numbers of a table, which are little-endian, as this machine has them."""
    if sys.byteorder == "little":
        return octets.cast(code)
    swapped = array(code, octets.tobytes())
    swapped.byteswap()
    return memoryview(swapped)


def _operation(octets: bytes) -> tuple[tuple[int, int], ...]:
    half = layout.SETTING_OCTETS // 2
    changes = (change - 256 if change > 127 else change for change in octets[half + 1 :])
    return tuple(zip(octets[1 : octets[0] + 1], changes, strict=False))

"""Suggestions: the fix that a person would want, or none.

The candidates are the cheapest repairs, and a few changes of several characters: swapped
characters, quotes around a word, similar characters, another case, a removed end. Each edit has a cost, which
is small for frequent mistakes. A candidate needs more evidence than another one if it divides a run of digits
or letters, joins two of them, or is far from the mistake. Content is never invented: an edit with several
possible characters counts only if one of them resembles the replaced character, or pads a number with zero.

The best candidate is suggested if its cost is small, and if no other candidate has about the same cost.
Candidates that differ only in whitespace do not compete.

This module is long because all changes compete, so one class weighs the costs of their edits.

Source of the model: the noisy channel model of spelling correction (Kernighan, Church and Gale 1990).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

from abnforge._lazy import cached_property, lazy_pattern
from abnforge.charset import CharSet
from abnforge.explain.fixes import percent_encoded, similar
from abnforge.explain.mistakes import ALONE
from abnforge.explain.repair_search import DELETE, INSERT
from abnforge.explain.repairs import Path
from abnforge.records import NamedTuple, replace
from abnforge.rejection import Edit, Rejection, Suggestion, applied

MAX_CHARACTERS = 20_000  # the maximum length of candidates together that are validated for one suggestion
MAX_COST = 1.3  # the maximum cost of a suggestion
UNCERTAIN = 99.0  # the cost of an edit whose characters are not certain
MARGIN = 0.25  # the least difference in cost between the suggestion and other candidates
MAX_WORD = 12  # the maximum length of a word that is compared with literals
FAR = 0.2  # the cost of an edit that is not next to the mistake

WORDS = ("d", "a")  # the kinds of characters of words
_FREE = ') "(]'  # this is valid in text without structure, such as a comment
_WORD = lazy_pattern(r"[^\W\d][\w.-]*|\d+(?:\.\d+)?")
_OPERATORS = "<>=!&|~+*"  # characters whose order in an operator is easily confused
_NUMBER = lazy_pattern(r"[^\w\s]?\d")
_FRACTION = lazy_pattern(r"\d\.\d*\Z")
_THOUSANDS = lazy_pattern(r"(?<![\d:.-])\d{1,3}(?:,\d{3})*,\Z")
_DATE = lazy_pattern(r"\d{2,}([-./:])\d{2,}(?:\1\d{2,})+")
_LETTERS = lazy_pattern(r"[^\W\d_]+")
_DOUBLE = lazy_pattern(r"\b([^\W\d]+)\s+\1\b")
_TOKEN = lazy_pattern(r"\S+")
_PAIRS = (("(", ")"), ("[", "]"), ("{", "}"))
_PHRASE = lazy_pattern(r"(?<==)[\w.-]+(?: +[\w.-]+)+")
_WORDS = lazy_pattern(r"\b[^\W\d][\w.-]*(?: +[^\W\d][\w.-]*)+")
_OPENING, _CLOSING = "([{<", ")]}>\"'"
_BEGINNING = "*/=<>&|([{"  # an item follows these characters
_COMMENTS = "#;"  # comments are optional
_VISIBLE = "".join([chr(code) for code in range(0x21, 0x7F) if not chr(code).isdecimal()])
_DOUBLED = frozenset("\\=&|")  # characters that are often written once instead of twice
_JOINTS = "_-."  # characters that join words where a space is not allowed, the most frequent first
_SEPARATORS = ",;|&"
_DIGITS = lazy_pattern(r"[\d.,]+")
_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


class Candidate(NamedTuple):
    """A fix: its cost, its number, and its edits."""

    cost: float
    number: int
    edits: tuple[Edit, ...]


def of_bytes(text: str, suggestion: Suggestion, is_match: Callable[[str], bool]) -> Suggestion | None:
    """Return a suggestion for a string whose characters are bytes, or None.

    Bytes from 0x80 on are not the characters of Latin-1. So they are percent-encoded one by one, and a
    suggestion that adds one or replaces one by a similar character is dropped.
    """
    edits = []
    for edit in suggestion.edits:
        old, new = text[edit.start : edit.end], edit.text
        for char in filter(_is_high, old):
            new = new.replace(percent_encoded(char), f"%{ord(char):02X}")
        kept = [char for char in old if _is_high(char) and f"%{ord(char):02X}" not in new]
        if any(map(_is_high, new)) or (new and kept):
            return None
        edits.append(Edit(edit.start, edit.end, new))
    corrected = applied(text, edits)
    return replace(suggestion, text=corrected, edits=tuple(edits)) if is_match(corrected) else None


def _is_high(char: str) -> bool:
    return char >= "\x80"


def suggest(
    rejection: Rejection,
    own: Suggestion | None,
    paths: list[Path],
    is_complete: bool,
    derives: Callable[[str], bool],
) -> Suggestion | None:
    """Return the suggestion for a rejection in code points.

    ``own`` is the suggestion of its mistake, and ``paths`` are the cheapest repairs. Cost: linear in the
    length of the string for each of some 20 candidates, and bounded by ``MAX_CHARACTERS``.
    """
    return _Search(rejection, paths, is_complete, derives).best(own)


class _Search:
    """The candidates for one rejection."""

    def __init__(
        self, rejection: Rejection, paths: list[Path], is_complete: bool, derives: Callable[[str], bool]
    ) -> None:
        self._text = rejection.input
        self._rejection = rejection
        self._paths = paths
        self._is_unique = is_complete and len(paths) == 1
        self._derives = derives
        self._offset = rejection.offset
        start, end = rejection.span
        self._span = min(start, self._offset), max(end, self._offset)
        self._left = MAX_CHARACTERS

    def best(self, own: Suggestion | None) -> Suggestion | None:
        text = self._text
        if not text.strip():
            return own
        candidates = [*self._repairs(), *self._changes()]
        if own is not None and not self._is_unique and any(map(self._divides, own.edits)):
            own = None
        if own is not None:
            candidates.append(Candidate(0.7 * self._cost_of(own.edits), -1, own.edits))
        best: dict[str, Candidate] = {}
        for each in sorted(candidates):
            best.setdefault("".join(applied(text, each.edits).split()), each)
        ranked = list(best.values())
        while ranked:
            first, *ranked = ranked
            if first.number >= 0 and first.cost > MAX_COST:
                return own
            fixed = applied(text, first.edits)
            is_whole = first.edits[0].start == 0 and first.edits[0].end == len(text)  # nothing is kept
            if self._is_far(first) or (is_whole and first.cost > 0.5) or not fixed.strip():
                continue
            if not _unpaired(text) >= _unpaired(fixed) or not self._is_needed(first):
                continue
            if first.edits == (own.edits if own else None) or (
                self._is_valid(fixed) and not self._is_free(first)
            ):
                break
        else:
            return own
        if (own is not None and fixed == own.text) or self._can_double(first):
            return own
        rivals = (each for each in ranked if each.cost < first.cost + MARGIN)
        if any(not self._is_far(each) and not self._is_free(each) for each in rivals):
            return own
        return Suggestion(fixed, first.edits, 1.0)

    def _divides(self, edit: Edit) -> bool:
        """Return whether an edit only divides a run of digits or of letters."""
        is_inside = self._kind(edit.start - 1) == self._kind(edit.start) in WORDS
        return edit.start == edit.end and is_inside and not edit.text.isalnum()

    def _is_far(self, candidate: Candidate) -> bool:
        """Return whether a candidate is far from the mistake, and other repairs are next to it."""
        start, end = self._span[0] - 1, self._span[1] + 1
        size = len(self._text)
        if self._offset == size:  # the string is only unfinished
            if not all(map(self._keeps, candidate.edits)):
                return True
            return size > candidate.edits[-1].end and any(path[-1].offset == size for path in self._paths)
        if start <= candidate.edits[-1].end and candidate.edits[0].start <= end:
            return False
        return any(start <= path[0].offset <= end for path in self._paths)

    def _is_needed(self, candidate: Candidate) -> bool:
        """Return whether each change of case is necessary; cheapest repairs never change more than that."""
        text, edits = self._text, candidate.edits
        if candidate.number < len(self._paths) or len(edits) < 2:
            return True
        if any(edit.text.lower() != text[edit.start : edit.end].lower() for edit in edits):
            return True
        fewer = (applied(text, [each for each in edits if each is not edit]) for edit in edits)
        return not any(map(self._is_valid, fewer))

    def _can_double(self, candidate: Candidate) -> bool:
        """Return whether a candidate deletes a sign that can be written twice instead, as in ``%%``."""
        edit, text = candidate.edits[0], self._text
        is_deletion = len(candidate.edits) == 1 and edit.text == "" and edit.end == edit.start + 1
        if not is_deletion or self._kind(edit.start) != "p" or text[edit.start] in ALONE:
            return False
        is_doubled = text[: edit.start].endswith(text[edit.start])
        return not is_doubled and self._is_valid(text[: edit.end] + text[edit.start :])

    def _keeps(self, edit: Edit) -> bool:
        """Return whether an edit keeps an unfinished string, except case and signs at the end."""
        old, new = self._text[edit.start : edit.end], edit.text
        is_end = edit.end == len(self._text) and not any(map(str.isalnum, old))
        is_quote = not old and new in ("'", '"')
        return is_quote or old.lower() == new.lower() or (is_end and not (old.strip() and new))

    def _is_valid(self, text: str) -> bool:
        self._left -= len(text)
        return self._left >= 0 and self._derives(text)

    def _is_free(self, candidate: Candidate) -> bool:
        """Return whether an inserted character turns the rest into a comment or a string."""
        if len(candidate.edits) != 1 or len(candidate.edits[0].text) != 1:
            return False
        edit = candidate.edits[0]
        after = self._text[edit.end :]
        is_second = edit.text in ("'", '"') and self._text[: edit.start].endswith(edit.text)
        is_case = edit.text.lower() == self._text[edit.start : edit.end].lower()
        if not after.strip() or edit.text.isspace() or is_second or is_case:
            return False
        changed = self._text[: edit.start] + edit.text + _FREE + after
        is_needed = edit.text == self._following and edit.text not in _COMMENTS
        return not is_needed and self._is_valid(changed)

    def _repairs(self) -> Iterator[Candidate]:
        """Yield the cheapest repairs whose characters are certain."""
        for number, path in enumerate(self._paths):
            costs = [self._cost(path, index) for index in range(len(path))]
            total = sum(cost for cost, _ in costs)
            is_certain = all(char or each.kind == DELETE for each, (_, char) in zip(path, costs, strict=True))
            if self._is_unique and is_certain:
                first, last = self._rejection.span
                if first <= path[0].offset and path[-1].end <= last and self._is_expected_word(len(path)):
                    total = min(total, 1.0)
                elif all(cost < 1 and not char.isalpha() for cost, char in costs):
                    total = min(total, 1.2)
            if self._is_pair(path):
                total = min(total, 0.9)
            elif self._is_scattered(path):
                continue
            if total < UNCERTAIN:
                edits = [
                    Edit(each.offset, each.end, char) for each, (_, char) in zip(path, costs, strict=True)
                ]
                yield Candidate(total, number, tuple(_united(edits)))

    def _is_scattered(self, path: Path) -> bool:
        """Return whether a repair writes different signs in several places, which is not one mistake."""
        signs = {
            (each.kind, each.characters.only, self._text[each.offset : each.end])
            for each in path
            if each.kind != DELETE and not (each.characters.only or "").isalnum()
        }
        return len(signs) > 1 and any(after.offset - before.end > 1 for before, after in pairwise(path))

    def _is_pair(self, path: Path) -> bool:
        """Return whether a repair inserts brackets around a token."""
        is_unfinished = self._offset == len(self._text)
        if is_unfinished or len(path) != 2 or any(each.kind != INSERT for each in path):
            return False
        first, last = path
        token = self._text[first.offset : last.offset]
        is_whole = self._kind(first.offset - 1) in ("", "s") and self._kind(last.offset) in ("", "s")
        pair = (first.characters.only, last.characters.only)
        return is_whole and token.split() == [token] and pair in (*_PAIRS, ("<", ">"))

    def _is_expected_word(self, edits: int) -> bool:
        """Return whether the mistake is a word that resembles the new one, or only one word is expected."""
        first, last = self._rejection.span
        if last - first < 3 or not self._text[first:last].replace("-", "").isalpha():
            return False
        return 3 * edits <= last - first or (first == self._offset and len({*self._following.lower()}) == 1)

    def _kind(self, place: int) -> str:
        """Return the kind of a character: d for digits, a for letters, s for whitespace, p for others."""
        if not 0 <= place < len(self._text):
            return ""
        char = self._text[place]
        return "d" if char.isdecimal() else "a" if char.isalpha() else "s" if char.isspace() else "p"

    def _cost(self, path: Path, index: int) -> tuple[float, str]:
        """Return the cost of an edit and its character; the cost is ``UNCERTAIN`` if that is not certain."""
        kind, place, characters = path[index]
        charset, only = characters.charset, characters.only
        is_far = not self._span[0] - 1 <= place <= self._span[1] + 1
        far = FAR if is_far else 0
        if kind == DELETE:
            before = path[index - 1] if index else None
            if before is not None and before.kind == DELETE and before.end == place:
                return 0.1, ""
            end = place
            for each in path[index:]:
                if each.kind == DELETE and each.offset == end:
                    end += 1
            return far + self._deletion(place, end), ""
        char = "" if only is None else self._in_case(only, place, charset)
        if kind == INSERT:
            following = path[index + 1] if index + 1 < len(path) else None
            is_last = following is None or following.kind != INSERT or following.offset != place
            cost, char = self._insertion(place, charset, char, is_last)
        else:
            cost, char = self._replacement(place, charset, char)
            is_space = self._text[place].isspace() and not char.isspace() and self._kind(place - 1) == "p"
            if is_space and self._is_inserted(place + 1, char):
                return UNCERTAIN, ""
            cost += 1 if self._offset == len(self._text) else 0  # the string is only unfinished
        return far + cost, char

    def _is_inserted(self, place: int, char: str) -> bool:
        """Return whether a repair only inserts a character at a place."""
        edits = (path[0] for path in self._paths if len(path) == 1 and path[0].kind == INSERT)
        return any(each.offset == place and char == each.characters.only for each in edits)

    def _in_case(self, char: str, place: int, charset: CharSet) -> str:
        """Return a letter in the case of the letters next to it, or of the nearest one."""
        letters = [(abs(at - place), at, each) for at, each in enumerate(self._text) if each.isalpha()]
        near = (
            [each for distance, _, each in letters if distance <= 1] or [min(letters)[2]] if letters else ""
        )
        other = char.upper() if not any(map(str.islower, near)) else char.lower()
        return other if other in charset else char if char in charset else charset.min()

    def _deletion(self, start: int, end: int) -> float:
        """Return the cost of deleting characters: content is not deleted, and numbers are not joined."""
        text = self._text
        before, after = self._kind(start - 1), self._kind(end)
        kinds = {self._kind(place) for place in range(start, end)}
        is_between_words = before in WORDS and after in WORDS
        if kinds == {"s"}:
            if not is_between_words:
                return 0.5
            is_expected = self._is_unique and {*self._following.lower()} == {text[end].lower()}
            return 1.0 if before != after or is_expected else UNCERTAIN
        is_end = end == len(text) == self._offset and end - start == 1
        if is_end and text[start:end] in _BEGINNING:
            return UNCERTAIN
        if is_end and (before not in kinds or self._is_unique):
            return 0.6  # an unfinished part
        if kinds <= {"p", "s"}:
            if is_between_words:
                return UNCERTAIN
            if start and text[start - 1] == text[start]:
                return 0.5
            if kinds == {"p"} and before == after == "s" and self._kind(end + 1) == "a":
                return UNCERTAIN  # a sign between words
            if text[start:end] in ("-", ".") and before != "d" and _NUMBER.match(text, end):
                return UNCERTAIN  # the number would be another one
            return 0.7 if before and after else 0.6
        if text[start:end] == "0" and before != "d" and after == "d":
            return 0.6
        first, last = self._rejection.span
        if kinds == {"a"} and before == "a" != after and first < start and end == last:
            return 0.9  # the beginning of a word is the expected word
        if kinds == {"a"} and self._kind(start - 2) == before == "a" != after and self._is_unique:
            return 0.75  # the end of a longer word
        if kinds == {"a"} and start > 1 and text[start - 2 : end] == 3 * text[start]:
            return 0.6
        is_letter = kinds == {"a"} and end - start == 1
        if is_letter and before == after == "a" and self._is_unique:
            first = next(place for place in range(start, -1, -1) if self._kind(place - 1) != "a")
            last = next(place for place in range(end, len(text) + 1) if self._kind(place) != "a")
            is_literal = self._is_literal(text[:start] + text[end:], first, last - 1)
            return 0.9 if is_literal else UNCERTAIN
        if is_letter and start == 0 and after == "d":
            return 1.0  # a prefix of a number, such as "v"
        return UNCERTAIN

    @staticmethod
    def _kinds(charset: CharSet) -> str:
        is_digit, is_letter = "0" in charset or "1" in charset, "a" in charset or "A" in charset
        return ("d" if is_digit else "") + ("a" if is_letter else "")

    def _insertion(self, place: int, charset: CharSet, char: str, is_last: bool = True) -> tuple[float, str]:
        text = self._text
        before, after = self._kind(place - 1), self._kind(place)
        if not char:
            return self._inserted(place, charset, is_last)
        cost = 0.9 if char.isalnum() or char in _OPENING else 0.6
        if char in "\"'" and text[:place].count(char) % 2:
            return 0.5, char  # the end of a string
        if place == self._offset == len(text) and self._is_one_of_several(char):
            return UNCERTAIN, ""
        if char.isspace() and "p" in (before, after):
            cost = 0.4 if char in " \t" else 0.6
        if before == after and before in WORDS:
            is_doubled = char.isalpha() and char.lower() in text[place - 1 : place + 1].lower()
            cost += -0.2 if is_doubled else 0.8
        if before and after and "s" in (before, after) and not char.isspace():
            cost = max(cost, self._separation(place)) + (0 if char in ",;" and after == "s" else 0.1)
            if text[place:].lstrip()[:1] == char:
                cost += 0.5
        return cost, char

    def _inserted(self, place: int, charset: CharSet, is_last: bool) -> tuple[float, str]:
        """Return the cost of one of several characters: a zero, or a second sign of the same kind."""
        text = self._text
        before, after = self._kind(place - 1), self._kind(place)
        if is_last and "0" in charset and self._kinds(charset) == "d":
            if _FRACTION.search(text, 0, place):
                return (0.7 if before == "d" != after else UNCERTAIN), "0"
            is_decimal = text[place : place + 1] == "." != text[place - 1 : place]
            is_number = after == "d" or (is_decimal and self._kind(place + 1) == "d")
            is_unfinished = self._offset == len(text) and text[place:].isdecimal()
            if _THOUSANDS.search(text, 0, place):
                return UNCERTAIN, ""  # any digit of the number can be missing
            if is_number and before not in WORDS and not is_unfinished:
                is_count_fixed = after != "d" or not self._is_valid(f"{text[:place]}00{text[place:]}")
                return (0.6 if is_count_fixed else UNCERTAIN), "0"
        for near in (text[place - 1 : place], text[place : place + 1]):
            is_sign = near == "\\" or place < len(text)  # a sign at the end precedes a missing item
            if near in _DOUBLED and near in charset and is_sign:
                return (0.3 if near == "\\" else 0.6), near
        return UNCERTAIN, ""

    def _is_one_of_several(self, char: str) -> bool:
        """Return whether a character does not close anything, and other signs or letters can follow."""
        return char not in _CLOSING and len({other.lower() for other in self._following}) > 1

    @cached_property
    def _following(self) -> str:
        """The signs and letters that can follow at the offset."""
        classes = "".join([each.chars for each in self._rejection.expected])
        return "".join(re.findall(f"[{classes}]", _VISIBLE)) if classes else ""

    def _separation(self, place: int) -> float:
        """Return the cost of a separator next to a space; two words could be one value without it."""
        after = self._text[place:].lstrip()
        word = _WORD.match(after)
        if not word or after[word.end() : word.end() + 1] in ("=", ":", "("):
            return 0.6
        return 0.9

    def _replacement(self, place: int, charset: CharSet, char: str) -> tuple[float, str]:
        old = self._text[place]
        before, after = self._kind(place - 1), self._kind(place + 1)
        is_between_digits = before == after == "d"
        if is_between_digits and old in ".,":
            number = next(each[0] for each in _DIGITS.finditer(self._text) if each.end() > place)
            if "." in number and "," in number:
                return UNCERTAIN, ""  # the number has both signs
        for other in similar(old):
            is_alike = not is_between_digits if old in "-_" else before in WORDS and after in WORDS
            if len(other) != 1 or other not in charset or (old in "-_," and not is_alike):
                continue
            if other in ALONE and self._text[:place].endswith(other):
                continue
            is_alone = self._is_unique and "d" not in (before, after)
            if before == after == "a" or is_alone or not (old.isdecimal() and other.isalpha()):
                return 0.4, other
        if len(old.swapcase()) == 1 and old.swapcase() in charset:
            return 0.4, old.swapcase()
        is_joined = before in WORDS and after in WORDS and (before == after == "a" or place >= self._offset)
        if old == " " and is_joined:
            for other in _JOINTS:
                if other in charset and (before, after) != ("d", "d"):
                    return 0.8, other
        if not char:
            is_number = "0" in charset and self._kinds(charset) == "d" and after in ("", "s", "p")
            if old in "xX*" and is_number and self._text[place - 1 : place] == ".":
                return 1.0, "0"
            return self._nearest(place, charset)
        if old.isalpha() and char.isalpha():
            is_in_word = before == self._kind(place - 2) == "a" or after == self._kind(place + 2) == "a"
            is_alone = self._is_unique and "a" not in (before, after)
            return (0.7 if is_in_word else 1.0 if is_alone else UNCERTAIN), char
        if old.isalnum() or char.isalnum():
            is_joint = char.isspace() and self._is_unique and before == after == "d"
            is_lost = old.isdecimal() or (old.isalpha() and not is_joint)
            return UNCERTAIN if is_lost else 1.2, char
        if place + 1 < self._offset and not old.isspace() and old not in ",;":
            return UNCERTAIN, ""  # other characters match after it
        if old.isspace() and char in f"{_OPENING}\"'":
            return UNCERTAIN, ""  # it is missing after the whitespace
        if old.isspace() and not char.isspace():
            return max(0.7, self._separation(place)) + (0.1 if char in ",;" else 0), char
        is_split = char.isspace() and not old.isspace() and not self._is_unique
        return (UNCERTAIN if is_split else 0.7), char

    def _nearest(self, place: int, charset: CharSet) -> tuple[float, str]:
        """Return the cost of one of several characters: the first of two letters, or the only separator."""
        old = self._text[place]
        before, after = self._kind(place - 1), self._kind(place + 1)
        visible = (
            [char for char in map(chr, charset) if char in _VISIBLE] if len(charset) <= len(_VISIBLE) else []
        )
        letters = [char for char in visible if char.isalpha()]
        most = 2 if "a" in (before, after) else 1
        if old.isalpha() and 0 < len({*map(str.lower, letters)}) <= most and place == self._offset:
            cost = 1.2 if old.isascii() else 1.0
            return cost, self._in_case(letters[0], place, charset)
        separators = [char for char in visible if char in _SEPARATORS]
        is_separator = old in _SEPARATORS or (old.isspace() and (before, after) != ("d", "d"))
        if is_separator and len(separators) == 1 and before and self._text[place + 1 :].strip():
            return 0.9, separators[0]
        return UNCERTAIN, ""

    def _is_content(self, place: int, quote: str) -> bool:
        """Return whether a quote is an ordinary character, since other quotes are valid without it."""
        old = self._text[place]
        return self._is_valid(self._text.replace(old, quote).replace(quote, "x", 1))

    def _cost_of(self, edits: Iterable[Edit]) -> float:
        """Return the cost of edits whose characters are known."""
        total = 0.0
        for edit in edits:
            if edit.end - edit.start == len(edit.text) <= 8:
                for place, char in enumerate(edit.text, edit.start):
                    if char != self._text[place]:
                        total += self._replacement(place, CharSet.of(char), char)[0]
            elif edit.start == edit.end:
                cost, _ = self._insertion(edit.start, CharSet.of(edit.text[0]), edit.text[0])
                total += cost if cost < 10 else 0.8
            elif not edit.text:
                total += min(1.0, self._deletion(edit.start, edit.end))
            else:
                total += 0.8
        return total

    def _changes(self) -> Iterator[Candidate]:
        """Yield valid candidates that change several characters."""
        number = len(self._paths)
        for cost, edits in self._proposals():
            if edits and self._is_valid(applied(self._text, edits)):
                number += 1
                yield Candidate(cost, number, edits)

    def _proposals(self) -> Iterator[tuple[float, tuple[Edit, ...]]]:
        text, offset, (start, end) = self._text, self._offset, self._span
        if len(text) * 8 > MAX_CHARACTERS:
            return
        for place in sorted({offset - 1, offset, start, start - 1}):
            pair = text[max(0, place) : place + 2]
            is_one_case = pair.isalpha() and pair[0].isupper() == pair[-1].isupper()
            is_word = is_one_case or all(char in _OPERATORS for char in pair)
            if place >= 0 and len(pair) == 2 and pair[0] != pair[1] and is_word:
                yield 0.45 if pair.isalpha() else 0.3, (Edit(place, place + 2, pair[::-1]),)
        yield from self._similar()
        near = [each for each in _WORD.finditer(text) if each.start() <= offset <= each.end()]
        for cost, at, word in (
            *((0.5, each.start(), each[0]) for each in near),
            (0.6, start, text[start:end]),
            (0.8 if near else 0.6, 0, text),
        ):
            for other in (word.upper(), word.lower(), word.capitalize()):
                if len(other) == len(word) and other != word:
                    yield cost, tuple(_differences(at, word, other))
        yield from self._removals()
        yield from self._of_sign(text[offset : offset + 1])
        for value in _WORD.finditer(text):
            for quote in "\"'" if value.start() == offset else "":
                quoted = _around(value.start(), value.end(), quote)
                if self._is_valid(applied(text, quoted)) and not self._following.strip(_OPENING + "\"'"):
                    yield 0.9, quoted
        phrase = next((m for m in _PHRASE.finditer(text) if m.start() < offset <= m.end()), None)
        if phrase is not None and " " in text[offset - 1 : offset + 1]:
            for quote in "\"'":
                yield 0.55, _around(phrase.start(), phrase.end(), quote)
        words = next((m for m in _WORDS.finditer(text) if m.start() < offset <= m.end()), None)
        if words is not None and phrase is None and text[offset : offset + 1] == " ":
            for quote in "\"'":  # two words can be one value
                yield 0.9, _around(words.start(), words.end(), quote)

    def _removals(self) -> Iterator[tuple[float, tuple[Edit, ...]]]:
        """Yield deletions of a second equal word, the end of a word, signs in a word, and brackets."""
        text, offset = self._text, self._offset
        char = text[offset : offset + 1]
        for double in _DOUBLE.finditer(text):
            if double.start() <= offset <= double.end():
                yield 0.5, (Edit(double.end(1), double.end(), ""),)
        word = next((each for each in _LETTERS.finditer(text) if each.start() < offset < each.end()), None)
        if word is not None and self._is_literal(text[:offset] + text[word.end() :], word.start(), offset):
            rest = text[: word.start()] + text[offset + 1 :]
            if not self._is_valid(rest):  # otherwise one wrong character is between two words
                yield 0.9, (Edit(offset, word.end(), ""),)
        token = next((each for each in _TOKEN.finditer(text) if each.start() < offset < each.end()), None)
        if token is not None and not char.isalnum():
            signs = [at for at in range(*token.span()) if text[at] == char]
            end = token.end() - len(signs)
            fixed = text[: token.start()] + token[0].replace(char, "") + text[token.end() :]
            if self._is_literal(fixed, token.start(), end):
                yield 0.8, tuple(Edit(at, at + 1, "") for at in signs)
        for opening, closing in _PAIRS:
            if text[:offset].endswith(opening) and char == closing:
                yield 0.9, (Edit(offset - 1, offset + 1, ""),)
            if char == closing and text.count(closing) > text.count(opening):
                yield 0.5, (Edit(len(text[:offset].rstrip()), offset + 1, ""),)
            for other in _PAIRS if char and char == opening else ():
                table = str.maketrans(opening + closing, "".join(other))
                yield 0.5, tuple(_differences(0, text, text.translate(table)))

    def _of_sign(self, char: str) -> Iterator[tuple[float, tuple[Edit, ...]]]:
        """Yield changes to the sign or whitespace at the offset, and a second quote in a word."""
        text, offset = self._text, self._offset
        kinds = [self._kind(place) for place in range(offset - 2, offset + 2)]
        if text[offset - 1 : offset] in ("'", '"') and kinds[0] == kinds[2] == "a":
            yield 0.6, (Edit(offset, offset, text[offset - 1]),)
        if kinds[2] == "p":
            if kinds[1] in WORDS and kinds[3] in WORDS:
                yield 0.4, (Edit(offset, offset + 1, f" {char} "),)
            places = [place for place, each in enumerate(text) if each == char]
            is_list = char in ",;" and all(text[place + 1 : place + 2].isspace() for place in places)
            dates = (each for each in _DATE.finditer(text) if each[1] == char)
            if is_list:
                yield 0.6, tuple(Edit(place, place + 1, "") for place in places)
            elif date := next((each for each in dates if each.start() < offset < each.end()), None):
                signs = (place for place in places if date.start() < place < date.end())
                yield 0.8, tuple(Edit(place, place + 1, "") for place in signs)
        elif kinds[2] == "s":
            start, rest = len(text[:offset].rstrip(" \t")), text[offset:].lstrip(" \t")
            if len(text) - len(rest) > start + 1 and not (
                self._kind(start - 1) in WORDS and rest[:1].isalnum()
            ):
                yield 0.5, (Edit(start, len(text) - len(rest), ""),)

    def _is_literal(self, text: str, start: int, end: int) -> bool:
        """Return whether no letter of a word in a valid string can be another one."""
        if end - start > MAX_WORD or not text[start:end].isalpha() or not self._is_valid(text):
            return False
        others = (f"{text[:at]}{_other(text[at])}{text[at + 1 :]}" for at in range(start, end))
        return not any(map(self._is_valid, others)) and self._left >= 0

    def _similar(self) -> Iterator[tuple[float, tuple[Edit, ...]]]:
        """Yield changes to similar characters: each non-ASCII character, and one character in all places."""
        text = self._text
        others = [
            (place, next(iter(similar(char)), "")) for place, char in enumerate(text) if not char.isascii()
        ]
        controls = [(place, _ESCAPES[char]) for place, char in enumerate(text) if char in _ESCAPES]
        unknown = [Edit(place, place + 1, "\\q") for place, _ in controls]
        if controls and not self._is_valid(applied(text, unknown)):  # the backslash begins an escape
            yield 0.1, tuple(Edit(place, place + 1, char) for place, char in controls)
        if others:
            yield 0.5, tuple(Edit(place, place + 1, char) for place, char in others if char)
        places = sorted({place for place in (*self._span, self._offset) if place < len(text)})
        if self._offset == len(text):  # the string is only unfinished
            return
        for char in dict.fromkeys([text[place] for place in places]):
            for other in () if char.isdecimal() else similar(char):
                everywhere = [place for place, each in enumerate(text) if each == char]
                if char in "\"'`" and self._is_content(everywhere[0], other):
                    continue
                if char in "-_" and any(self._kind(at - 1) == self._kind(at + 1) == "d" for at in everywhere):
                    continue
                yield 0.5, tuple(Edit(place, place + 1, other) for place in everywhere)


def _other(letter: str) -> str:
    """Return a rare letter of the same case."""
    other = "q" if letter not in "qQ" else "j"
    return other.upper() if letter.isupper() else other


def _unpaired(text: str) -> set[str]:
    """Return the brackets that occur more often, or less often, than their counterparts."""
    return {opening for opening, closing in _PAIRS if text.count(opening) != text.count(closing)}


def _around(start: int, end: int, quote: str) -> tuple[Edit, ...]:
    return Edit(start, start, quote), Edit(end, end, quote)


def _differences(start: int, word: str, other: str) -> Iterator[Edit]:
    for place, (before, after) in enumerate(zip(word, other, strict=True), start):
        if before != after:
            yield Edit(place, place + 1, after)


def _united(edits: Iterable[Edit]) -> list[Edit]:
    """Return edits without adjacent ones."""
    result: list[Edit] = []
    for each in edits:
        if result and result[-1].end == each.start:
            last = result.pop()
            each = Edit(last.start, each.end, last.text + each.text)
        result.append(each)
    return result

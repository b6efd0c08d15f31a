"""Maps over a slot's text."""

from __future__ import annotations

from abnforge.charset import CharSet
from abnforge.explain.fixes import look_alike, pieces
from tests.law import each_row

WORD = CharSet.from_ranges([(0x30, 0x39), (0x61, 0x7A)])

# how, text, the set, what it becomes
MAPS = [
    ("encode", "a b", WORD, "a%20b"),
    ("encode", "é€\U0001f600", WORD, "%C3%A9%E2%82%AC%F0%9F%98%80"),
    ("encode", "%41%4", WORD, "%41%254"),
    ("encode", "%%41%", WORD, "%25%41%25"),
    ("encode", "%zz%C3%A9", WORD, "%25zz%C3%A9"),
    ("encode", "\ud800", WORD, "%ED%A0%80"),
    ("encode", "%z%41", WORD | CharSet.of("%"), "%25z%41"),
    ("like", "½", WORD, "½"),
    ("drop", "a b\tc%", WORD, "abc"),
    ("like", "ａ１é", WORD, "a1é"),
    ("like", "ﬁ", WORD, "fi"),
    ("like", "a–b", WORD | CharSet.of("-"), "a-b"),
    ("like", "a–b", WORD, "a–b"),
    ("like", "৪\uff19٠", WORD, "490"),
    ("like", "৪²", CharSet.of("49"), "4²"),
    ("decode", "%61%2F%C3%A9%6", None, "a/%C3%A9%6"),
    ("decode", "%61%2F%%41", WORD, "a%2F%%41"),
    ("decode", "%2541", None, "%41"),
    ("idna", "münchen.de", WORD | CharSet.of(".-"), "xn--mnchen-3ya.de"),
    ("idna", "www.例え。jp", WORD | CharSet.of(".-"), "www.xn--r8jz45g.jp"),
    ("idna", "straße.de", WORD | CharSet.of(".-"), "stra%C3%9Fe.de"),
    ("idna", "a..é", WORD | CharSet.of(".-"), "a..xn--9ca"),
    ("idna", "é。a", WORD, "%C3%A9%E3%80%82a"),
    ("idna", "\ud800.a%20\U0001f600", WORD | CharSet.of("."), "%ED%A0%80.a%20%F0%9F%98%80"),
    ("idna", "\u2100" * 20, WORD, "%E2%84%80" * 20),
]


@each_row(("how", "text", "charset", "wanted"), MAPS)
def test_maps(how: str, text: str, charset: CharSet | None, wanted: str) -> None:
    made = list(pieces(how, f"<{text}>", 1, 1 + len(text), charset))
    assert "".join(piece for piece, _, _ in made) == wanted
    # Each piece is in the place of the text behind the one before.
    ends = [1, *(end for _, _, end in made)]
    assert [start for _, start, _ in made] == ends[:-1]
    assert ends[-1] == 1 + len(text)


def test_a_slot_is_mapped_by_itself() -> None:
    """What stands behind a slot is no part of a triplet."""
    assert list(pieces("encode", "%41", 0, 2, WORD)) == [("%25", 0, 1), ("4", 1, 2)]


@each_row(
    ("char", "alike"),
    [
        ("\u0664", "4"),
        ("\u09ea", "4"),
        ("\U0001d7d8", "0"),
        ("\u2163", "IV"),
        ("\u2010", "-"),
        ("\u2212", "-"),
        ("\u2018", "'"),
        ("\u2032", "'"),
        ("\u201c", '"'),
        ("\u2033", '"'),
        ("\u2044", "/"),
        ("\u29f8", "/"),
        ("\u2236", ":"),
        ("\ua789", ":"),
        ("\u3002", "."),
        ("\uff0e", "."),
        ("\u2217", "*"),
        ("x", "x"),
    ],
)
def test_look_alikes(char: str, alike: str) -> None:
    assert look_alike(char) == alike

"""Laws of grammars of bytes: all engines agree with the reference, and with the grammar of characters."""

from __future__ import annotations

from importlib.util import find_spec
from random import Random

from hypothesis import strategies as st

import abnforge
from abnforge.grammar.sentences import Sentences
from tests.law import law
from tests.laws.engines import tokens
from tests.laws.strings import mutant
from tests.laws.test_random_grammars import engines_of
from tests.reference.notation import Literal, Node, Range, Rules, abnf, alphabet, core, replaced
from tests.reference.recognizer import Recognizer
from tests.reference.strategies import any_rules, linear_rules, shaped_rules

ALPHABETS = ("\x80\x81", "a\xff", "\xc3\xa9(", "()\xfe\xff ", "\xf0\x9f\x98\x80", "01\xa0\xad\xb2")
OTHERS = "\x00\x0a\x7f\x80\xa9\xc3\xed\xfe\xff"  # some are not UTF-8, and some are parts of UTF-8
LARK_LONGEST = 6  # Lark takes a millisecond per character, and much longer for ambiguous input
_BYTES = str.maketrans("ab", "\xfe\xff")


def of_bytes(rules: Rules) -> Rules:
    """Return rules over ``a`` and ``b`` with bytes in their place."""

    def change(node: Node) -> Node | None:
        match node:
            case Literal(text=text):
                return Literal(text.translate(_BYTES))
            case Range(first=first, last=last):
                return Range(first.translate(_BYTES), last.translate(_BYTES))
        return None

    return tuple((name, replaced(node, change)) for name, node in rules)


byte_rules = st.one_of(
    shaped_rules(ALPHABETS),
    shaped_rules(ALPHABETS),
    any_rules(recursive=False).map(of_bytes),
    any_rules(recursive=True).map(of_bytes),
    linear_rules().map(of_bytes),
)


def random_texts(rule: abnforge.Rule, rules: Rules, source: Random, number: int) -> list[str]:
    """Return ``number`` strings of bytes: strings of the rule, mutants of them, and any others."""
    characters = [*alphabet(rules), *OTHERS]
    try:
        sentences = Sentences(rule.grammar.core, rule.grammar.facts)
        derived = [sentences.random("r0", source, 12)[:24] for _ in range(number // 3)]
    except abnforge.LimitExceeded:
        derived = [""]  # the rule has no strings
    texts = [*derived, *(mutant(text, source, characters) for text in derived)]
    while len(texts) < number:
        texts.append("".join(source.choices(characters, k=source.randint(0, 8))))
    return texts


def check(rules: Rules, source: Random, number: int, *, lark: bool) -> None:
    text_rule, rule = (abnforge.loads(abnf(rules), alphabet=each)["r0"] for each in ("unicode", "bytes"))
    reader = Recognizer(core(rules), "r0")
    texts = random_texts(rule, rules, source, number)
    for text in texts:
        octets, result = text.encode("latin-1"), reader.read(text)
        assert rule.matches(octets) is rule.matches(bytearray(octets)) is result.valid
        for engine in engines_of(rule, lark and len(text) <= LARK_LONGEST)[1:]:
            assert rule.matches(octets, engine=engine) is result.valid, engine
            rejection = rule.explain(octets, engine=engine, suggest=False)
            assert (rejection is None) is result.valid, engine
            if rejection is not None:
                found = text[result.offset : result.offset + 1] or None
                assert (rejection.offset, rejection.found, rejection.input) == (result.offset, found, text)
        rejection, same = rule.explain(octets), text_rule.explain(text)
        if rejection is None:
            assert tokens(rule.parse(octets)) == text
            assert rule.parse(octets) == text_rule.parse(text)
            assert rule.events(octets) == text_rule.events(text)
            continue
        assert same is not None
        # Mistakes differ, since a byte from 0x80 on is not a character such as a space of Latin-1.
        mistake = ("code", "rule_path", "span") if text.isascii() else ()
        for name in ("offset", "expected", "end_expected", *mistake):
            assert getattr(rejection, name) == getattr(same, name), name
        # No suggestion adds or replaces a byte that is not ASCII.
        if text.isascii() and rejection.suggestion != same.suggestion:
            assert same.suggestion is not None
            assert any(
                not (edit.text + text[edit.start : edit.end]).isascii() for edit in same.suggestion.edits
            )
        if rejection.suggestion is not None:
            assert rule.matches(rejection.suggestion.text.encode("latin-1"))
            assert all(edit.text.isascii() for edit in rejection.suggestion.edits)
        assert rejection.message.isascii()
    if find_spec("pyarrow"):
        check_columns(rule, [text.encode("latin-1") for text in texts])


def check_columns(rule: abnforge.Rule, rows: list[bytes]) -> None:
    import pyarrow as pa

    from abnforge import columns

    rejections = [rule.explain(each, suggest=False) for each in rows]
    offsets = [rejection and rejection.offset for rejection in rejections]
    for kind in (pa.binary(), pa.large_binary(), pa.binary_view()):
        column = pa.array(rows, kind)
        assert columns.matches(rule, column).to_pylist() == [each is None for each in rejections]
        assert columns.offsets(rule, column).to_pylist() == offsets
    codes = [
        (each["row"], each["code"], each["offset"]) for each in columns.rejections(rule, column).to_pylist()
    ]
    assert codes == [(row, each.code, each.offset) for row, each in enumerate(rejections) if each is not None]
    parts = columns.components(rule, column, names=["r0"], as_offsets=True).to_pylist()
    for row, rejection, spans in zip(rows, rejections, parts, strict=True):
        if rejection is None:
            assert rule.components(row, ["r0"]) == {"r0": tuple(spans["r0"].values())}
        else:
            assert spans is None


@law(byte_rules, st.integers(0, 10**6), few=5, many=60)
def test_bytes(rules: Rules, seed: int) -> None:
    check(rules, Random(seed), 24, lark=False)


@law(byte_rules, st.integers(0, 10**6), few=1, many=30)
def test_many_bytes_by_every_engine(rules: Rules, seed: int) -> None:
    """The slow run tries 20,000 strings in 30 grammars."""
    check(rules, Random(seed), 667, lark=True)

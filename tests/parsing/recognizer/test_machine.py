"""The recognizer: verdicts and offsets compared with brute force, chunked input, and counts."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import abnforge
from abnforge._native import compiled
from abnforge.budget import Budget
from abnforge.parsing.recognizer import configurations
from abnforge.parsing.recognizer import machine as reading
from abnforge.parsing.recognizer.machine import Machine, RecognizerRun
from tests.law import each_row, one_in
from tests.raising import raises
from tests.reference.derive import Language
from tests.reference.random_grammars import ALPHABET, KINDS, grammar, short_texts
from tests.work import steps


def machine(text: str) -> tuple[Machine, str]:
    """Return the recognizer of a grammar, and the key of its first rule."""
    result = abnforge.loads(text)
    return Machine(result.compilation.plan), result.start.key


def read(text: str, string: str) -> tuple[bool, int]:
    """Return the verdict on a string and the offset."""
    results, key = machine(text)
    result = results.read(key, [string])
    return result.accepting, result.offset


# Grammar, string, verdict, offset.
CASES = [
    ('s = "[" s "]" / "x"\n', "[[x]]", True, 5),
    ('s = "[" s "]" / "x"\n', "[[x]", False, 4),
    ('s = "[" s "]" / "x"\n', "[[x]]]", False, 5),
    ('s = s "a" / "b"\n', "baa", True, 3),
    ('s = s "a" / "b"\n', "ab", False, 0),
    ('s = n s "a" / "b"\nn = *"c"\n', "ccbaa", True, 5),
    ('s = n s "a" / "b"\nn = *"c"\n', "cab", False, 1),
    ('a = b "x" / "y"\nb = a "z" / b "w"\n', "yzwwx", True, 5),
    ('a = b "x" / "y"\nb = a "z" / b "w"\n', "yzxw", False, 3),
    ('s = s / "x"\n', "x", True, 1),
    ('s = s s / "a" / ""\n', "aaaa", True, 4),
    ('s = *( *s "a" )\n', "aaa", True, 3),
    ('s = "i" s / "i" s "e" s / "x"\n', "iixexex", True, 7),
    ('s = "i" s / "i" s "e" s / "x"\n', "ixexex", False, 4),
    ('s = "a" s "a" / "b" s "b" / ""\n', "abba", True, 4),
    ('s = "x" s s\n', "xx", False, 0),
    ('s = "x" s s / "y"\n', "xyxyy", True, 5),
    # Counts that are adjacent, nested, or apply to items that can be empty.
    ('s = 2*3s "." / "a"\n', "aa.a.", True, 5),
    ('s = *998t "!"\nt = *" " [ "a" ] / "(" s ")"\n', "a a(a!)!", True, 8),
    ('s = 2( 3"a" / "(" s ")" )\n', "aaa(aaaaaa)", True, 11),
    ('s = 2( 3"a" / "(" s ")" )\n', "aaa(aaaaa)", False, 9),
    # Beyond Latin-1, and beyond the Basic Multilingual Plane.
    ('s = "[" s "]" / %x4E00-9FFF / %x1F600-1F64F / %xD800\n', "[\u4e00]", True, 3),
    ('s = "[" s "]" / %x4E00-9FFF / %x1F600-1F64F / %xD800\n', "[\U0001f600]", True, 3),
    ('s = "[" s "]" / %x4E00-9FFF / %x1F600-1F64F / %xD800\n', "[\ud800]", True, 3),
    ('s = "[" s "]" / %x4E00-9FFF / %x1F600-1F64F / %xD800\n', "[\ua000]", False, 1),
]


@each_row(("text", "string", "valid", "offset"), CASES)
def test_cases(text: str, string: str, valid: bool, offset: int) -> None:
    assert read(text, string) == (valid, offset)


@pytest.fixture(params=["as it is", "narrow", "spilled"])
def bounds(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the limits so low that short strings reach every code path: folding, grouping and dropping."""
    if request.param == "narrow":
        monkeypatch.setattr(configurations, "MAX_DOMINATORS", 1)
        monkeypatch.setattr(configurations, "MAX_NODES", 4)
        monkeypatch.setattr(reading, "MAX_INTERNED_PAIRS", 2)
        monkeypatch.setattr(reading, "MAX_CONFIGURATIONS", 5)
    elif request.param == "spilled":
        monkeypatch.setattr(configurations, "MAX_DOMINATORS", 1)


LENGTH = 5


def agrees(seed: int) -> None:
    """Compare the verdicts and offsets of all short strings of a random grammar with brute force."""
    chance = Random(seed)
    text = grammar(chance, chance.choice(KINDS))
    results = abnforge.loads(text)
    language = Language(results.core, ALPHABET, LENGTH)
    reader = Machine(results.compilation.plan)
    for string in short_texts(LENGTH, ALPHABET):
        result = reader.read("r0", string)
        assert result.accepting is (string in language.strings["r0"]), (text, string)
        assert result.offset == language.longest_viable_prefix("r0", string), (text, string)


@pytest.mark.parametrize("seed", one_in(8, range(40)))
@pytest.mark.usefixtures("bounds")
def test_random_grammars(seed: int) -> None:
    agrees(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 120))
@pytest.mark.usefixtures("bounds")
def test_many_random_grammars(seed: int) -> None:
    for number in range(50):
        agrees(1000 * seed + number)


# Common nested structures and lists of length n.
SHAPES = {
    "brackets": ('s = "[" s "]" / "x"\n', lambda n: "[" * n + "x" + "]" * n),
    "two kinds of brackets": ('s = "[" s "]" / "{" s "}" / "x"\n', lambda n: "[{" * n + "x" + "}]" * n),
    "left list": ('s = s "," "x" / "x"\n', lambda n: "x" + ",x" * n),
    "right list": ('s = "x" "," s / "x"\n', lambda n: "x," * n + "x"),
    "left list by two rules": ('s = t "," / "x"\nt = s "x" / s "y"\n', lambda n: "x" + "x,y," * n),
    "sums": ('s = s "+" s / s "*" s / "x" / "(" s ")"\n', lambda n: "x" + "+x*x" * n),
    "sums in brackets": ('s = s "+" s / "x" / "(" s ")"\n', lambda n: "(" * n + "x" + "+x)" * n),
    "ambiguous": ('s = s s / "x"\n', lambda n: "x" * n),
    "counted": ('s = *998t "!"\nt = *" " [ "x" ] / "(" s ")"\n', lambda n: "x " * n + "(x !)" * n + "!"),
    "dangling else": ('s = "i" s / "i" s "e" s / "x"\n', lambda n: "i" * 2 * n + "x" + "ex" * n),
    "optional else": ('s = "i" s [ "e" s ] / "x"\n', lambda n: "i" * 2 * n + "x" + "ex" * n),
    "space behind": ('s = "[" *" " *s *" " / "x" *" "\n', lambda n: "[ " * n + "x"),
    "space around": ('s = "[" *" " s *" " "]" *" " / "x" *" "\n', lambda n: "[ " * n + "x" + " ]" * n),
    "one of two": (
        's = a / b\na = "x" s "a" / "x"\nb = "x" s "b" / "x"\n',
        lambda n: "x" * n + "x" + "ab" * (n // 2),
    ),
}

SLOW = ("dangling else", "optional else", "counted")  # about a second each


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in SHAPES]
)
def test_work_grows_as_the_text_does(name: str) -> None:
    text, result = SHAPES[name]

    def work(size: int) -> int:
        def fresh() -> bool:
            reader, key = machine(text)
            return reader.read(key, [result(size)]).accepting

        assert fresh()
        return steps(fresh)

    few, many = work(60) - work(20), work(180) - work(60)
    # If configurations recur, each character is a step in C, which is not counted. Then both are near 0.
    assert many <= max(100, 3.6 * few)


def test_deep_brackets_need_few_configurations() -> None:
    reader, key = machine('s = "[" s "]" / "x"\n')
    assert reader.read(key, ["[" * 50_000 + "x" + "]" * 50_000]).accepting
    assert reader.configurations.size < 150


def test_a_flat_document_needs_no_memory() -> None:
    """Chunks are dropped after they have been read, so memory does not grow."""
    reader, key = machine('s = "[" s *( "," s ) "]" / 1*%x61-7A\n')
    assert reader.read(key, (piece for piece in ["[x", *[",abc"] * 20_000, "]"])).accepting
    assert reader.configurations.size < 100


@given(st.lists(st.text("[],x", max_size=6), max_size=6))
def test_pieces_are_one_text(pieces: list[str]) -> None:
    text = 's = "[" [ s *( "," s ) ] "]" / "x"\n'
    reader, key = machine(text)
    result = reader.read(key, pieces)
    assert (result.accepting, result.offset) == read(text, "".join(pieces))


@each_row("name", SHAPES)
def test_what_is_charged_is_no_matter_of_what_was_read_before(name: str) -> None:
    text, result = SHAPES[name]
    reader, key = machine(text)
    charged = []
    for _ in range(3):
        meter = Budget().meter("reading")
        RecognizerRun(reader.configurations, key, reader.table, meter).feed(result(60))
        charged.append((meter.steps, meter.memory))
        reader.read(key, [result(20)])
    assert len(set(charged)) == 1


def test_a_budget_ends_what_is_wide() -> None:
    """Palindromes have one stack per character."""
    text = 's = "a" s "a" / "b" s "b" / ""\n'
    rule = abnforge.loads(text, budget=Budget(steps=60_000, per_character=1)).start
    assert rule.matches("a" * 100)
    with raises(abnforge.LimitExceeded, "limit-steps", operation="parsing s", limit=65000) as caught:
        rule.matches("a" * 5000)
    assert caught.value.setting == "budget.steps"


def test_nodes_that_lead_to_one_another_are_not_cut_apart() -> None:
    """Each member of a left-recursive group includes everything below any member."""
    text = 's = t [ s ] "e"\nt = 1*2( [ "e" ] s ) / "a" [ t ] "e"\n'
    assert read(text, "e" * 6 + "aa" + "e" * 9) == (True, 17)
    assert read(text, "e" * 6 + "aa" + "e" * 8) == (False, 16)


def test_counts_cover_one_another_from_stack_to_stack() -> None:
    """A stack for up to 62 repetitions covers a stack for up to 61, so one of the two is enough."""
    reader, key = machine('s = 2*998( ["a"] s ) / "a" 1*64( s / ["b"] )\n')
    assert reader.read(key, ["ab" * 100]).accepting
    if (learned := reader.learned) is not None:
        run = reader.reading(key)
        assert all(run.feed("ab") and len(learned.native.pairs(run._number)) <= 2 for _ in range(100))
    reader.learned = None
    assert reader.read(key, ["ab" * 100]).accepting
    assert max(len(one.pairs) for one in reader.configurations._known.values()) == 2


@pytest.mark.skipif(compiled is None, reason="there is no kernel")
@pytest.mark.parametrize("seed", one_in(24, range(24)))
@pytest.mark.usefixtures("bounds")
def test_the_extension_computes_the_same_configurations(seed: int) -> None:
    """Long strings, in two pieces: offsets, verdicts, and the characters that can follow."""
    chance = Random(seed)
    results = abnforge.loads(grammar(chance, chance.choice(KINDS)), budget=Budget(steps=200_000))
    in_c, in_python = Machine(results.compilation.plan), Machine(results.compilation.plan)
    in_python.learned = None
    for _ in range(30):
        string = "".join(chance.choice(ALPHABET) for _ in range(chance.choice((3, 10, 30))))
        cut = chance.randrange(len(string) + 1)
        runs = [each.reading("r0") for each in (in_c, in_python)]
        try:
            assert len({run.feed(string[:cut]) and run.feed(string[cut:]) for run in runs}) == 1, string
        except abnforge.LimitExceeded:  # costs depend on the order of sets
            continue
        assert len({(run.accepting, run.offset) for run in runs}) == 1, string
        terminals = [
            set(each.expected_terminals(run.last)) for each, run in zip((in_c, in_python), runs, strict=True)
        ]
        assert terminals[0] == terminals[1], string


@pytest.mark.skipif(compiled is None, reason="there is no kernel")
@each_row("name", SHAPES)
def test_the_extension_charges_the_same(name: str) -> None:
    text, result = SHAPES[name]
    reader, key = machine(text)
    charged = []
    for learned in (reader.learned, None):
        meter = Budget().meter("reading")
        run = RecognizerRun(reader.configurations, key, reader.table, meter, learned)
        assert run.feed(result(60))
        charged.append((meter.steps, meter.memory))
    assert charged[0] == charged[1]


def test_what_is_left_of_a_stack_is_not_cut_again() -> None:
    """With left recursion, the part above a cut could be cut again endlessly."""
    text = 's = [ "a" s "b" ] / a\na = s "a" / "c" a "c"\n'
    assert read(text, "cacaacc") == (False, 7)
    assert read(text, "cacaaccaa") == (False, 9)

"""The transducer: the preferred derivation, unsupported grammars, cost, and deep nesting."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge.budget import Budget
from abnforge.parsing import frames, trace
from abnforge.parsing import transducer as module
from abnforge.parsing.trace import TransducerError, TreeBuilder
from abnforge.parsing.transducer import Transducer
from tests.law import each_row, law
from tests.reference.derivations import preferred
from tests.reference.random_grammars import BRACKETS, KINDS, grammar, short_texts
from tests.reference.trees import check, shape
from tests.work import steps


def transducer(text: str) -> tuple[abnforge.Rule, Transducer]:
    rules = abnforge.loads(text)
    return rules[next(iter(rules))], Transducer(rules.facts, Budget())


def tree(rule: abnforge.Rule, reader: Transducer, text: str) -> object:
    """Return the tree, or None if the string does not match."""
    trace = reader.trace(rule.name.lower(), text, Budget().meter("the tree", len(text)))
    if trace is None:
        return None
    keys = {name.lower(): lark for lark, name in rule.lark_names.items()}
    return TreeBuilder(keys).build(text, trace)


# grammar, text
SUPPORTED = [
    ('s = "(" s ")" / "x"\n', "((x))"),
    ('s = "(" *s ")"\n', "(()())"),
    ('e = e "+" t / t\nt = t "*" f / f\nf = "(" e ")" / "x"\n', "x+x*(x+x)*x"),
    # The called rule can be empty, and its empty derivation is preferred to some nonempty derivations.
    ('s = n "b" s / n "b"\nn = "b" / "" / "b" "b" n\n', "bbbb"),
    ('s = n n "c" / "(" s ")"\nn = *1"b" / "(" n ")"\n', "((b)c)"),
    ('s = "," *( p p ) / "(" s ")"\np = [ "b" ] / "a"\n', "(,ba)"),
    # Right recursion does not count as nesting, not even in brackets.
    ('s = "(" l ")"\nl = "a" "," l / "a" / s\n', "(a,a,(a,a))"),
    # The input after a call decides about the call.
    ('s = t "x" / t "y" / "(" s ")"\nt = "a" t / "a" *"a"\n', "(aaay)"),
    ('s = 2*3( "(" s ")" / "a" ) "b" / "a"\n', "a(a)(aab)b"),
    # Left recursion after left recursion.
    ('s = s "a" / s "b" / t\nt = t "c" / "d"\n', "dccabba"),
    ('s = s *"x" "y" / "b"\n', "bxyyxxy"),
    # through others
    ('s = t "a" / "b"\nt = s "b"\n', "bbaba"),
    ('s = l / "x"\nl = s "," "x"\n', "x,x,x"),
    ('s = t "a" / u / "b"\nt = s "b" / u "c"\nu = "d" / t "e" u / u "f"\n', "dfcedbaba"),
    ('s = "(" t ")"\nt = [ u "," ] s / "x"\nu = t / u ";" s\n', "(x,(x);(x),(x))"),
]


@each_row(("text", "string"), SUPPORTED)
def test_preferred_derivations(text: str, string: str) -> None:
    rule, reader = transducer(text)
    result = tree(rule, reader, string)
    assert shape(result, rule.lark_names) == preferred(rule.grammar.core, rule.name.lower(), string)
    for place in range(len(string)):
        changed = string[:place] + string[place + 1 :]
        result = tree(rule, reader, changed)
        want = preferred(rule.grammar.core, rule.name.lower(), changed)
        assert want == (None if result is None else shape(result, rule.lark_names))


# Grammar, input, reason.
REFUSED = [
    ('s = *"b" s "a" / "b"\n', "bba", trace.LEFT_RECURSION),
    ('s = t / "a"\nt = "b" / ( s )\n', "a", trace.LEFT_RECURSION),
    ('s = "a" t\nt = n t n / "b"\nn = *"c"\n', "ab", trace.LEFT_RECURSION),
    ('s = "b" / t s t\nt = "" / "x"\n', "b", trace.LEFT_RECURSION),
    ('s = s s / "a"\n', "aaa", trace.AMBIGUOUS),
    ('s = "i" s / "i" s "e" s / "x"\n', 50 * "i" + "x", trace.TOO_DEEP),
]


@each_row(("text", "string", "reason"), REFUSED)
def test_rejected_rules(text: str, string: str, reason: str) -> None:
    rule, reader = transducer(text)
    for _ in range(2):
        with pytest.raises(TransducerError, match=f"^{reason}$"):
            tree(rule, reader, string)


def test_wide_and_long_chains_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "MAX_WIDTH", 100)
    wide = " / ".join(f'{n}"a" {n}"b" s' for n in range(1, 150))
    rule, reader = transducer(f's = {wide} / "(" s ")" / "c"\n')
    with pytest.raises(TransducerError, match=trace.TOO_WIDE):
        tree(rule, reader, 200 * "a")
    chain = "".join(f'r{n} = r{n + 1} "a" / "(" r{n} ")"\n' for n in range(1_000)) + 'r1000 = "b"\n'
    rule, reader = transducer(chain)
    with pytest.raises(TransducerError, match=trace.TOO_DEEP):
        tree(rule, reader, "b")


@law(st.integers(0, 10**9), st.sampled_from(KINDS), few=25, many=600)
def test_the_contract_on_random_grammars(seed: int, kind: str) -> None:
    rule, reader = transducer(grammar(Random(seed), kind))
    for text in short_texts(3 if kind == "bracketed" else 4, "a" + BRACKETS if kind == "bracketed" else "ab"):
        try:
            result = tree(rule, reader, text)
        except TransducerError:
            if reader.unsupported_reason("r0"):
                return
            continue
        want = preferred(rule.grammar.core, "r0", text)
        assert want == (None if result is None else shape(result, rule.lark_names)), text


# Grammar, repeated start, middle, repeated end.
DEEP = [
    ('s = "(" s ")" / "x"\n', "(", "x", ")"),
    ('s = "(" *( s / "," ) ")" / t\nt = "[" s "]" / "x"\n', "([", "(,x,)", "])"),
    ('e = e "+" f / f\nf = "(" e ")" / "x"\n', "(x+", "x", ")"),
]


@pytest.mark.parametrize("depth", [1_500, pytest.param(100_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("text", "before", "middle", "behind"), DEEP)
def test_deeper_than_python_recurses(text: str, before: str, middle: str, behind: str, depth: int) -> None:
    rule, reader = transducer(text)
    string = before * depth + middle + behind * depth
    result = tree(rule, reader, string)
    check(rule.grammar.core, rule.name.lower(), string, result, rule.lark_names)
    assert tree(rule, reader, string[:-1]) is None
    assert tree(rule, reader, string + ")") is None


@each_row(
    ("text", "before", "middle", "behind"),
    [
        *DEEP,
        ('s = s "," "a" / "a"\n', "", "a", ",a"),
        ('s = "a" "," s / "a"\n', "a,", "a", ""),
        ('s = "(" *( t "," ) ")" / "a"\nt = s\n', "", "(", "a,"),
    ],
)
def test_cost_is_linear(text: str, before: str, middle: str, behind: str) -> None:
    rule, reader = transducer(text)

    def read(count: int) -> object:
        string = before * count + middle + behind * count
        return reader.trace(rule.name.lower(), string, Budget().meter("the tree", len(string)))

    one, two, four = (steps(read, count) for count in (250, 500, 1_000))
    assert four - two <= 2.1 * (two - one)


@each_row("text", [text for text, _ in SUPPORTED])
def test_cost_depends_only_on_the_string(text: str) -> None:
    rule, warm = transducer(text)
    key = rule.name.lower()
    strings = [string for _, string in SUPPORTED if set(string) <= set("(ab,)xcd")] + ["((b", "(a,a)", ""]
    for _ in range(2):
        for string in strings:
            cold = Transducer(rule.grammar.facts, Budget())
            meters = [Budget().meter("the tree", len(string)) for _ in range(2)]
            assert cold.trace(key, string, meters[0]) == warm.trace(key, string, meters[1])
            assert (meters[0].steps, meters[0].memory) == (meters[1].steps, meters[1].memory)
            assert meters[0].steps > 0


def test_a_text_has_a_budget() -> None:
    rule, reader = transducer('s = "(" *( s / 1*DIGIT ) ")"\n')
    string = "(1(2)3)"
    for budget in (Budget(steps=30, per_character=0), Budget(memory=2_000)):
        with pytest.raises(abnforge.LimitExceeded) as caught:
            reader.trace("s", string, budget.meter("the tree", len(string)))
        assert caught.value.operation == "the tree"
    assert tree(rule, reader, string) is not None


def test_frames_that_were_forgotten_are_not_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_KEPT", 10)
    for text, string in SUPPORTED:
        rule, reader = transducer(text)
        key = rule.name.lower()
        fresh = Transducer(rule.grammar.facts, Budget()).trace(key, string, Budget().meter("once"))
        assert fresh is not None
        for _ in range(3):
            assert reader.trace(key, string, Budget().meter("again")) == fresh


def test_characters_of_one_class_share_their_moves() -> None:
    """The strings include characters beyond the table for Latin letters."""
    rule, reader = transducer('s = "(" *( s / %x80-10FFFF ) ")"\n')
    string = "(" + "".join(map(chr, range(0x4E00, 0x4F00))) + ")"
    assert steps(tree, rule, reader, string) < 20 * len(string)
    check(rule.grammar.core, "s", string, tree(rule, reader, string), rule.lark_names)

"""Benchmarks of verdicts: the time per call and the number of wrong verdicts of each validator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from abnforge import Rule, uri
from benchmark import peers
from benchmark.measure import Contender, Timing, interleave
from benchmark.pattern import fullmatch
from benchmark.peers import Peer, available
from benchmark.report import Section, Target, figure
from benchmark.sample import TRICKY

OURS, BY_HAND = "rule.matches", "re, by hand, possessive"
WANTED = {"rfc3986-validator": 4.0, "rfc3986 Validator": 40.0}  # targets as multiples of rule.matches


def verdicts(rule: Rule, corpus: Sequence[str], number: int, rounds: int) -> Section:
    """Measure the time of verdicts on a sample of a corpus, and count wrong verdicts on the whole corpus."""
    strings = corpus[:number]
    contenders = [
        Contender(OURS, rule.matches),
        Contender(BY_HAND, fullmatch),
        Contender(f"{BY_HAND}, in a function", lambda text: fullmatch(text) is not None),
        Contender("uri.is_valid", uri.is_valid),
        *(c for _, c in available(peers.VERDICTS)),
    ]
    timings = interleave(contenders, strings, rounds)
    ours = timings[OURS]
    table = mistakes(rule, corpus)
    return Section(
        "Verdict",
        ("one call", "µs", f"x {OURS}", "median of ratios"),
        [
            [t.name, figure(t.median * 1e6), figure(t.ratio(ours)), figure(t.paired_ratio(ours))]
            for t in timings.values()
        ],
        [f"{len(strings):,} strings of the corpus, {rounds} rounds; call overhead included."],
        [
            _target(f"{OURS} / bare fullmatch, by hand", ours, timings[BY_HAND], 1.0),
            *(
                _target(f"{name} / {OURS}", timings[name], ours, expected, at_least=True)
                for name, expected in WANTED.items()
                if name in timings
            ),
        ],
        list(timings.values()),
        [table],
        table.wrong,
    )


def _target(text: str, upper: Timing, lower: Timing, wanted: float, *, at_least: bool = False) -> Target:
    paired = figure(upper.paired_ratio(lower))
    return Target(f"{text} (median of ratios {paired})", upper.ratio(lower), wanted, at_least)


@dataclass
class Mistakes:
    """The strings with a verdict that differs from that of the automaton."""

    accepted: list[str] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    crashed: list[str] = field(default_factory=list)  # an exception other than a rejection


def count_mistakes(peer: Peer, contender: Contender, rule: Rule, strings: Sequence[str]) -> Mistakes:
    mistakes = Mistakes()
    accepts = rule.automaton.accepts
    for text in strings:
        try:
            verdict = peer.accepts(contender.call(text))
        except contender.rejects:
            verdict = False
        except Exception:  # users would notice it: the table has a separate column
            mistakes.crashed.append(text)
            continue
        if verdict != accepts(text):
            (mistakes.accepted if verdict else mistakes.rejected).append(text)
    return mistakes


def mistakes(rule: Rule, corpus: Sequence[str]) -> Section:
    """Count wrong verdicts on the corpus and on strings that validators often get wrong."""
    ours = Peer("python", "the rule", lambda: Contender(OURS, rule.matches))
    by_hand = Peer("python", "fullmatch(s) is not None", lambda: Contender(BY_HAND, fullmatch))
    rows, wrong = [], {}
    for peer, contender in available((ours, by_hand, *peers.VERDICTS)):
        real = count_mistakes(peer, contender, rule, corpus)
        tricky = count_mistakes(peer, contender, rule, TRICKY)
        wrong[contender.name] = (len(real.accepted), len(real.rejected))
        crashed = [*real.crashed, *tricky.crashed]
        kinds = real.accepted, real.rejected, tricky.accepted, tricky.rejected, crashed
        examples = _example(tricky.accepted, real.accepted), _example(tricky.rejected, real.rejected)
        rows.append([contender.name, *(f"{len(kind):,}" for kind in kinds), *examples])
    return Section(
        "Mistakes",
        (
            *("verdict", "invalid accepted", "valid rejected", "invalid (tricky)", "valid (tricky)"),
            *("crashes", "accepted example", "rejected example"),
        ),
        rows,
        [
            f"Compared with the minimal automaton of the rule: {len(corpus):,} strings of the corpus, and "
            f"{len(TRICKY)} tricky strings, which validators often get wrong. Several peers do not claim to "
            "validate.",
            "\n".join(f"- {c.name}: {p.terms}" for p, c in available(peers.VERDICTS)),
        ],
        wrong=wrong,
    )


def _example(tricky: Sequence[str], real: Sequence[str]) -> str:
    """Return the first tricky string, or else the shortest real one."""
    text = tricky[0] if tricky else min(real, key=len, default=None)
    return "" if text is None else f"`{ascii(text)[:40]}`"

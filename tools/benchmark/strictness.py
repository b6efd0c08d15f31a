"""Who is wrong how often: each peer's verdict against the automaton of the rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from abnforge import Rule
from benchmark.measure import Contender
from benchmark.peers import Peer


@dataclass
class Mistakes:
    """A peer's verdicts on some strings: those that it got wrong, by the way in which."""

    name: str
    terms: str
    strings: int
    accepted: list[str] = field(default_factory=list)  # though no derivation exists
    rejected: list[str] = field(default_factory=list)  # though one does
    crashed: list[str] = field(default_factory=list)  # neither: an exception that is no rejection

    @property
    def wrong(self) -> int:
        """Verdicts that differ from the automaton's, and answers that are none."""
        return len(self.accepted) + len(self.rejected) + len(self.crashed)


def count_mistakes(peer: Peer, contender: Contender, rule: Rule, strings: Sequence[str]) -> Mistakes:
    """Ask a peer about every string."""
    found = Mistakes(contender.name, peer.terms, len(strings))
    accepts = rule.automaton.accepts
    for text in strings:
        try:
            verdict = peer.accepts(contender.call(text))
        except contender.rejects:
            verdict = False
        except Exception:  # what a caller would have met: the table has a column for it
            found.crashed.append(text)
            continue
        if verdict != accepts(text):
            (found.accepted if verdict else found.rejected).append(text)
    return found


def example(tricky: Sequence[str], real: Sequence[str]) -> str | None:
    """The most telling string: the first tricky one (they are ordered), or else the shortest real one."""
    return tricky[0] if tricky else min(real, key=len, default=None)

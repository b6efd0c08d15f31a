"""Hold all walks against automata, on texts and mutants of 20 rules of 8 grammars.

    python tools/kernel_agreement.py                          200,000 texts, with a fresh seed
    python tools/kernel_agreement.py --texts 10000000         ten million: about ten minutes
    python tools/kernel_agreement.py --lark 1000              of each rule so many are read by Lark, too

Verdict and offset of every walk of str and columns are those of the automaton, read in Python; places of
parts are those of the same table walked in Python. Exit status: 0 they are, 1 they are not, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from random import Random, SystemRandom

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT))  # how texts are made, and what is compared, is in the tests

import abnforge  # noqa: E402
from abnforge._native import compiled  # noqa: E402
from abnforge.automata.tables import (  # noqa: E402
    PythonTable,
    packed,
    table_of,
)
from tests.laws.kernel import WALKS, check_column, walking  # noqa: E402
from tests.laws.texts import mutant, spell  # noqa: E402

# Rules, and the rules whose places are told.
RULES: dict[str, tuple[str, ...]] = {
    "rfc3986:URI": ("scheme", "userinfo", "host", "port", "path-abempty", "query", "fragment"),
    "rfc3986:URI-reference": ("scheme", "host", "query"),
    "rfc3986:relative-ref": ("segment-nz-nc", "query"),
    "rfc3986:authority": ("userinfo", "reg-name", "IPv4address", "IPv6address"),
    "rfc3986:IPv6address": ("IPv4address",),
    "rfc3987:IRI": ("scheme", "ihost", "iquery"),
    "rfc3987:IRI-reference": ("ifragment",),
    "rfc3987:ihost": ("ireg-name",),
    "rfc6874:URI": ("host", "ZoneID"),
    "rfc6874:host": ("ZoneID",),
    "rfc2396:URI-reference": ("scheme", "authority", "query"),
    "rfc2396:hostport": ("host", "port"),
    "rfc3339:date-time": ("full-date", "time-secfrac", "time-offset"),
    "rfc3339:full-date": ("date-month",),
    "rfc5321:Mailbox": ("Domain",),
    "rfc5321:address-literal": ("IPv4-address-literal",),
    "rfc5234:num-val": ("hex-val",),
    "rfc5234:char-val": (),
    "abnf:rfc9110:media-type": ("type", "subtype"),
    "abnf:rfc9110:Accept": (),
}
BATCH = 5_000
SPELT = 1_000


class Agreement:
    """One rule, its walks, and the texts that are made of its own."""

    def __init__(self, name: str, parts: tuple[str, ...], chance: Random) -> None:
        grammar, _, rule = name.rpartition(":")
        self.name, self.rule, self.chance = name, abnforge.load(grammar)[rule], chance
        self.automaton = self.rule.automaton
        octets = table_of(self.automaton)
        self.walker = PythonTable(octets)
        self.tables = {walk: table for walk in WALKS if (table := walking(octets, walk)) is not None}
        points = self.rule.grammar.compilation.tagged(rule.lower(), {p: (p.lower(),) for p in parts}, {})
        with_tags = None if points is None else packed(points)
        self.tagged = None if with_tags is None else (PythonTable(with_tags), compiled.Table(with_tags))
        self.texts = [spell(self.automaton, chance, chance.choice((2, 8, 24))) for _ in range(SPELT)]

    def draw(self) -> list[str]:
        """Texts of the rule, and what mutants make of two of them."""
        choice, below = self.chance.choice, self.chance.random
        texts = []
        for text in self.chance.choices(self.texts, k=BATCH):
            kind = below()
            if kind < 0.5:
                text = mutant(text, self.chance)
            elif kind < 0.9:
                other, here = choice(self.texts), int(below() * len(text))
                text = text[:here] + other[int(below() * len(other)) :]
            texts.append(text)
        return texts

    def wrong(self, texts: list[str]) -> str:
        """The first difference, or nothing."""
        accepting, wanted = self.automaton.accepting, []
        for text in texts:
            offset, row = self.automaton.read(text)
            wanted.append((max(offset, 0), offset == len(text) and row in accepting))
        for text, (_, valid) in zip(texts, wanted, strict=True):
            if self.rule.matches(text) is not valid:
                return f"rule.matches({text!r}) is {not valid}"
        for walk, table in self.tables.items():
            for text, want in zip(texts, wanted, strict=True):
                if table.read(text) != want:
                    return f"{walk}: {text!r} is read as {table.read(text)}, not {want}"
            try:
                check_column(table, texts, wanted)
            except AssertionError as error:
                return f"{walk}, columns: {error}"
        for text, want in zip(texts[::10], wanted[::10], strict=True):
            if self.walker.read(text) != want:
                return f"in Python {text!r} is read as {self.walker.read(text)}, not {want}"
        if self.tagged:
            walker, table = self.tagged
            for text, (_, valid) in zip(texts, wanted, strict=True):
                found = table.find(text)
                if (found is not None) is not valid or (valid and found != walker.find(text)):
                    return f"the parts of {text!r} are {found}"
        return ""

    def wrong_by_lark(self, count: int) -> str:
        """The same of Lark's verdict, on texts of no great length."""
        for text in [text for text in self.draw() if len(text) < 60][:count]:
            if self.rule.matches(text) is not self.rule.matches(text, engine="lark"):
                return f"Lark's verdict on {text!r} is another one"
        return ""


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--texts", type=int, default=200_000, help="how many in all (default 200,000)")
    parser.add_argument("--lark", type=int, default=0, help="how many of each rule Lark reads (default none)")
    parser.add_argument("--seed", type=int, help="the same seed draws the same texts (default: a fresh one)")
    options = parser.parse_args(arguments)
    if compiled is None:
        parser.error("there is no kernel here")
    seed = SystemRandom().randrange(10**9) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    chance = Random(seed)
    agreements = [Agreement(name, parts, chance) for name, parts in RULES.items()]
    begun, read, told = time.monotonic(), 0, 0
    while read < options.texts:
        for each in agreements:
            if message := each.wrong(each.draw()):
                print(f"{each.name}: {message}")
                return 1
            read += BATCH
        if read - told >= 1_000_000:
            told = read
            print(f"{read:,} texts, {time.monotonic() - begun:.0f} s", flush=True)
    for each in agreements if options.lark else ():
        if message := each.wrong_by_lark(options.lark):
            print(f"{each.name}: {message}")
            return 1
    by_lark = f", {len(agreements) * options.lark:,} of them by Lark" if options.lark else ""
    print(f"all walks agree on {read:,} texts{by_lark}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

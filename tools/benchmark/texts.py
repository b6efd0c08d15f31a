"""Texts beyond the corpus: long queries, hostile ones, many schemes, references, and those of other rules."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Iterator, Sequence

import abnforge
from abnforge import Rule
from abnforge.grammar.sentences import Sentences
from benchmark.growth import SHAPES
from benchmark.sample import SEED

LONG = 10_000  # characters of a long query
HOSTILE = 1_000  # characters of a hostile text
SCHEMES = 5_000

# Rules of other kinds: short, many alternatives, quoted, lists. RFC 5322's addr-spec recurs (comments nest);
# Mailbox is the same of RFC 5321, which does not.
OTHER_RULES = ("rfc3339:date-time", "rfc3986:IPv6address", "rfc5321:Mailbox", "abnf:rfc9651:sf-list")


def uri_texts(strings: Sequence[str], number: int) -> Iterator[tuple[str, str, list[str]]]:
    """The rule's name, what the texts are, and the texts; ``number`` is how many real ones are wanted."""
    chance = random.Random(SEED)
    yield "URI", "real URIs", list(strings[:number])
    references = [re.sub(r"^[^/?#]*:(//[^/?#]*)?", "", text) for text in strings[:number]]
    yield "URI-reference", "references without scheme and authority", references
    few = max(1, number // 100)
    plain = string.ascii_letters + string.digits + "-._~&=+"
    yield "URI", "queries of 10 kB", [_query(chance, plain) for _ in range(few)]
    triplets = [f"%{octet:02X}" for octet in range(256)]
    yield "URI", "queries of 10 kB, of triplets", [_query(chance, triplets) for _ in range(few)]
    letters = string.ascii_lowercase + string.digits
    schemes = [
        f"{chance.choice(letters[:26])}{''.join(chance.choices(letters, k=chance.randint(1, 12)))}://h/{at}"
        for at in range(min(number, SCHEMES))
    ]
    yield "URI", "schemes at random", schemes
    yield "URI", "hostile texts of 1 kB", [shape(HOSTILE) for shape in SHAPES.values()]


def _query(chance: random.Random, units: Sequence[str]) -> str:
    head = f"https://example.com/search/{chance.randint(0, 9**9)}?q="
    return head + "".join(chance.choices(units, k=(LONG - len(head)) // len(units[0])))


def rule_texts(name: str, number: int) -> tuple[Rule, list[str]]:
    """A rule, and sentences of it drawn at random, one in ten with a character that was changed."""
    rule = abnforge.rule(name)
    sentences = Sentences(rule.grammar.core, rule.grammar.facts)
    chance = random.Random(SEED)
    texts = []
    for at in range(number):
        text = sentences.random(rule.key, chance, 40)
        if at % 10 == 0:
            place = chance.randint(0, len(text))
            text = text[:place] + chance.choice(' x:"\\%') + text[place + 1 :]
        texts.append(text)
    return rule, texts


def rejected_more(strings: Sequence[str], rule: Rule, share: float) -> list[str]:
    """The strings, of which so great a share is rejected: spaces were put into some."""
    chance = random.Random(SEED)
    wanted = share - sum(not rule.matches(text) for text in strings) / len(strings)
    found = list(strings)
    for at in chance.sample(range(len(found)), max(0, round(wanted * len(found)))):
        place = chance.randint(0, len(found[at]))
        found[at] = f"{found[at][:place]} {found[at][place:]}"
    return found

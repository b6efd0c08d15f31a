"""Verdicts and components call by call, on texts of many kinds, against those who read URIs in Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from operator import methodcaller
from time import process_time
from typing import Any

import abnforge
from abnforge import Rule, uri
from benchmark import peers
from benchmark.measure import Contender, Timing, interleave
from benchmark.pattern import fullmatch
from benchmark.peers import Peer, available
from benchmark.report import Section, Target, duration, figure
from benchmark.texts import OTHER_RULES, rule_texts, uri_texts

OURS, BY_HAND, READ = "abnforge", "re", "read once"
BY_KEYWORD, AT_ONCE = "abnforge, rule=", "abnforge, parts()"
BASE = "http://example.com/a/b/c?q"
# What is made of a reference, and how many times what its parse does it may cost at most, over real URIs.
MADE: dict[str, tuple[Callable[[str], object], float]] = {
    "uri.parse": (uri.parse, 1.0),
    "uri.normalize": (uri.normalize, 3.0),
    "uri.resolve": (partial(uri.resolve, BASE), 3.0),
}
PACKAGES = ("can-ada", "ada-url", "python", "rfc3986", "yarl", "pydantic")
HEADER = ("texts", "octets", OURS, BY_HAND, *("urlsplit" if p == "python" else p for p in PACKAGES), READ)


def kernel(strings: Sequence[str], number: int, rounds: int) -> Section:
    """The table. ``number`` is how many of the real strings are read."""
    grammar = abnforge.load("rfc3986")
    rows, data = [], {}
    targets: list[Target] = []
    made: list[list[str]] = []
    for rule_name, label, texts in uri_texts(strings, number):
        rule = grammar[rule_name]
        verdicts = [Contender(OURS, rule.matches), _pattern(rule), *_of(peers.VERDICTS), _READING]
        found = interleave(verdicts, texts, rounds, process_time)
        rows.append(_row(f"verdict: {label}", texts, found))
        data[f"verdict: {label}"] = {name: timing.rounds for name, timing in found.items()}
        valid = [text for text in texts if rule.matches(text)]
        parts = [*_all_parts(rule_name), *_groups(rule_name), *_of(_PARTS), _READING]
        cut = interleave(parts, valid, rounds, process_time)
        rows.append(_row(f"seven parts: {label}", valid, cut))
        data[f"seven parts: {label}"] = {name: timing.rounds for name, timing in cut.items()}
        times = interleave(
            [Contender(name, call) for name, (call, _) in MADE.items()], valid, rounds, process_time
        )
        made.append([label, *(duration(timing.median) for timing in times.values())])
        data[f"references: {label}"] = {name: timing.rounds for name, timing in times.items()}
        if label == "real URIs":
            targets = [*_targets(found, cut), *_made_targets(times)]
            per_octet = found[OURS].median / _octets(texts)
        if label.startswith("hostile"):
            ratio = found[OURS].median / _octets(texts) / per_octet
            targets.append(Target("hostile texts / real URIs, time of an octet", ratio, 4.0))
    for name in OTHER_RULES:
        rule, texts = rule_texts(name, number)
        contenders = [
            Contender(OURS, rule.matches),
            *([_pattern(rule)] if rule.pattern else []),
            _READING,
        ]
        found = interleave(contenders, texts, rounds, process_time)
        rows.append(_row(f"verdict: {name}", texts, found))
        data[f"verdict: {name}"] = {each: timing.rounds for each, timing in found.items()}
    notes = [
        f"Processor's time, medians of {rounds} rounds, for one text; calls included. `re` is written by "
        "hand for URI, for other rules `rule.pattern`. Seven parts: `uri.parse` with scheme, userinfo, host, "
        "port, path, query and fragment read, of valid texts only; of `re` the groups, of urlsplit hostname "
        "and port, of others the object that they make. Read once: `str.find` of what is not there."
    ]
    references = Section(
        "References",
        ("valid texts", *MADE),
        made,
        [f"Processor's time for one text; the base is `{BASE}`."],
    )
    return Section("Kernel", HEADER, rows, notes, targets, data, [references])


def _all_parts(rule: str) -> list[Contender]:
    """All seven parts: one by one, with the rule by position and by keyword, and in one call."""
    parse: Any = uri.parse

    def read(text: str) -> object:
        u = parse(text, rule)
        return u.scheme, u.userinfo, u.host, u.port, u.path, u.query, u.fragment

    def read_by_keyword(text: str) -> object:
        u = parse(text, rule=rule)
        return u.scheme, u.userinfo, u.host, u.port, u.path, u.query, u.fragment

    def read_at_once(text: str) -> object:
        return parse(text, rule=rule).parts()

    return [Contender(OURS, read), Contender(BY_KEYWORD, read_by_keyword), Contender(AT_ONCE, read_at_once)]


def _groups(rule: str) -> list[Contender]:
    def read(text: str) -> object:
        match = fullmatch(text)
        return match.groups() if match else None

    return [Contender(BY_HAND, read)] if rule == "URI" else []


def _pattern(rule: Rule) -> Contender:
    """The pattern that reads the rule: the one by hand where there is one."""
    if rule.name == "URI":
        return Contender(BY_HAND, fullmatch)
    assert rule.pattern is not None
    return Contender(BY_HAND, re.compile(rule.pattern).fullmatch)


_PARTS = [peer for peer in peers.COMPONENTS if peer.terms != "components, not validated; cache emptied"]


def _of(roles: Sequence[Peer]) -> list[Contender]:
    """The contenders of the packages in the table, by the package's name."""
    found = {peer.package: contender for peer, contender in available(roles) if peer.package in PACKAGES}
    return [Contender(name, c.call, c.rejects, c.reset) for name, c in found.items()]


# Looking at each character once, and one call.
_READING = Contender(READ, methodcaller("find", "\x7f"))


def _octets(texts: Sequence[str]) -> float:
    return sum(len(text.encode(errors="surrogatepass")) for text in texts) / len(texts)


def _row(label: str, texts: Sequence[str], found: dict[str, Timing]) -> list[str]:
    shown: list[Any] = [found.get(name) for name in (OURS, BY_HAND, *PACKAGES, READ)]
    return [label, figure(_octets(texts)), *("" if t is None else duration(t.median) for t in shown)]


def _made_targets(times: dict[str, Timing]) -> list[Target]:
    parsed, *others = times.values()
    return [Target(f"{t.name} / {parsed.name}", t.ratio(parsed), MADE[t.name][1]) for t in others]


def _targets(found: dict[str, Timing], cut: dict[str, Timing]) -> list[Target]:
    wanted = [
        ("rule.matches / re, by hand", found, OURS, BY_HAND, 0.15),
        ("rule.matches / can_ada.can_parse", found, OURS, "can-ada", 0.35),
        ("uri.parse, seven parts / urlsplit with hostname and port", cut, OURS, "python", 0.11),
        ("uri.parse with rule=, seven parts / the same", cut, BY_KEYWORD, "python", 0.11),
        ("uri.parse with rule=, parts() / the same", cut, AT_ONCE, "python", 0.09),
        ("uri.parse, seven parts / can_ada.parse", cut, OURS, "can-ada", 0.45),
    ]
    return [
        Target(
            f"{text} (median of ratios {figure(timings[ours].paired_ratio(timings[peer]))})",
            timings[ours].ratio(timings[peer]),
            most,
        )
        for text, timings, ours, peer, most in wanted
        if peer in timings
    ]

"""Policies: requirements of a pipeline on valid strings, such as the scheme, a host, a length or a port.

``javascript:alert(1)`` is a valid URI. A policy restricts a rule by set algebra. The result is a rule: one
walk of an automaton validates a string. The code of a rejection distinguishes syntax errors from policies.
The requirements are about URIs, email addresses (RFC 5321) and leap seconds of date-times (RFC 3339).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache, reduce
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any

from abnforge._arguments import (
    empty,
    instance_argument,
    names_argument,
    plain_argument,
    wrong_type,
    wrong_value,
)
from abnforge.catalog import ArgumentError
from abnforge.engine.loading import loads
from abnforge.engine.loading import rule as rule_named
from abnforge.engine.rule import AND, AT_MOST, BUT_NOT, Rule
from abnforge.engine.set_algebra import ExclusionMessage
from abnforge.engine.sets import SetRule, set_rule
from abnforge.messages import message

# Any reference, split as in RFC 3986, appendix B: policies restrict valid strings of any grammar.
_SPLIT = """\
reference = [ scheme ":" ] ( "//" authority after / text )
authority = [ userinfo "@" ] host [ ":" port ]
scheme    = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )
userinfo  = *( name-char / ":" / "[" / "]" )
host      = "[" *( name-char / ":" ) "]" / *name-char
port      = *DIGIT
after     = [ ( "/" / "?" / "#" ) text ]
text      = *%x0-10FFFF
name-char = %x0-22 / %x24-2E / %x30-39 / %x3B-3E / %x41-5A / %x5C / %x5E-10FFFF ; not / ? # : @ [ ]
"""
_HOST = """\
wanted    = [ scheme ":" ] "//" [ userinfo "@" ] begin *( begin / ":" / "]" ) after
begin     = name-char / "[" ; the host must not be empty
"""
_NAME = "policy"
UTC = "utc"  # leap seconds at the end of any June and December

# RFC 5321, section 4.5.3.1: a local part has at most 64 bytes. A path has at most 256, including "<" and ">".
# A domain in such a path cannot exceed its own limit of 255. RFC 1035, 2.3.4: a label has at most 63 bytes.
MAX_LOCAL_PART, MAX_LABEL, MAX_ADDRESS = 64, 63, 254

# An address without comments. The length of a local part includes its quotes and backslashes. The rule
# "at-least-N" matches at least N characters.
_ADDRESS = f"""\
address   = local "@" text
local     = 1*plain / DQUOTE at-least-0 DQUOTE
plain     = %x21 / %x23-27 / %x2A-3F / %x41-7E ; not ( ) " @
long      = {MAX_LOCAL_PART + 1}*plain "@" text / DQUOTE at-least-{MAX_LOCAL_PART - 1} DQUOTE "@" text
at-least-0 = *( quoted-char / "\\" %x20-7E )
quoted-char = %x20-21 / %x23-5B / %x5D-7E
labeled  = local "@" *( 1*( ALPHA / DIGIT / "-" ) "." ) label text
label     = {MAX_LABEL + 1}*( ALPHA / DIGIT / "-" )
text      = *%x0-10FFFF
""" + "".join(
    f'at-least-{n} = quoted-char at-least-{n - 1} / "\\" %x20-7E at-least-{max(n - 2, 0)}\n'
    for n in range(1, MAX_LOCAL_PART)
)

# A date-time with a leap second. Each wrong one violates one of three rules, whose automata are small. The
# local time is 23:59 minus an offset to the west, or one minute less than an offset to the east, on the next
# day.
_LEAP = """\
form    = date "T" leap
leap    = 2DIGIT ":" 2DIGIT ":60" fraction ( "Z" / ("+" / "-") 2DIGIT ":" 2DIGIT )
date    = 4DIGIT "-" 2DIGIT "-" 2DIGIT
fraction = [ "." 1*DIGIT ]
on-days = day "T" ( "23:59:60" fraction ( "Z" / ("+" / "-") "00:00" ) / time "-" 2DIGIT ":" 2DIGIT )
        / next-day "T" time "+" 2DIGIT ":" 2DIGIT
time    = 2DIGIT ":" 2DIGIT ":60" fraction
zero    = date "T" time ( "Z" / ("+" / "-") "00:00" )
hours   = date "T" ( hour )
minutes = date "T" 2DIGIT ":" ( minute )
"""
_HOURS = " / ".join(
    f'"{hour:02}:" ( "59:60" fraction "+{hour + 1:02}:00" / 2DIGIT ":60" fraction "+{hour:02}:"'
    f' ( "0" %x31-39 / %x31-35 DIGIT ) / 2DIGIT ":60" fraction "-{23 - hour:02}:" 2DIGIT )'
    for hour in range(24)
)
_MINUTES = " / ".join(
    f'"{minute:02}:60" fraction ( "+" 2DIGIT ":{(minute + 1) % 60:02}" / "-" 2DIGIT ":{59 - minute:02}" )'
    for minute in range(60)
)
MAX_LEAP_LIST = 1 << 20  # bytes; leap-seconds.list has 5 kB

MAX_PORT = 10**9  # the highest port that a policy can name; RFC 3986 sets no limit, TCP one of 65,535


@dataclass(frozen=True)
class Policy:
    """Requirements on strings in addition to a rule, from :func:`policy`."""

    schemes: tuple[str, ...] | None = None
    require_host: bool = False
    max_length: int | None = None
    max_port: int | None = None
    rules: tuple[tuple[str, Rule], ...] = ()
    address_limits: bool = False
    leap_seconds: tuple[str, ...] | None = None

    def rule(self, rule: Rule | str) -> Rule:
        """Return the rule of the strings of ``rule`` that meet the policy.

        ``rule`` is a Rule, or a name as ``GRAMMAR:RULE``. The result is usable wherever a rule is; its
        rejections by the policy have the codes of ``codes``. An empty policy returns the rule itself.

        Raises: ValueError for a rule that is not known to be regular, and if no string meets the policy;
        LimitExceeded, UnknownNameError, TypeError.
        Complexity: some milliseconds on the first call for a rule.
        """
        if isinstance(rule, str):
            rule = rule_named(rule)
        instance_argument(rule, "rule", Rule, "a Rule, or a str such as 'rfc3986:URI'")
        return _narrowed(self, rule)

    @property
    def codes(self) -> Mapping[str, str]:
        """The codes of its rejections with their meanings, in the order of the checks."""
        return {exclusion.code: exclusion.meaning for exclusion, _ in _clauses(self)}


POLICY_CODES: Mapping[str, str] = MappingProxyType(
    {
        "policy-scheme": "The policy does not allow the scheme.",
        "policy-host": "The policy requires a host that is not empty.",
        "policy-port": "The policy does not allow a port above its maximum.",
        "policy-length": "The string is longer than the policy allows.",
        "policy-rule": "The policy requires a rule that the string does not match.",
        "policy-local-part": "The local part of the address is too long (RFC 5321, section 4.5.3.1.1).",
        "policy-label": "A label of the domain is too long (RFC 1035, section 2.3.4).",
        "policy-address": "The address is too long for a path (RFC 5321, section 4.5.3.1.3).",
        "policy-leap-second": "The policy does not allow a leap second at this time.",
    }
)
"""The codes of policies; a rule that a policy names has a code of its own name."""


def policy(
    *,
    schemes: Iterable[str] | None = None,
    require_host: bool = False,
    max_length: int | None = None,
    max_port: int | None = None,
    rules: Mapping[str, Rule | str] | Iterable[Rule | str] = (),
    address_limits: bool = False,
    leap_seconds: str | os.PathLike[str] | Iterable[str] | None = None,
) -> Policy:
    """Return a policy with requirements on strings; None requires nothing.

    ``schemes`` are the allowed schemes, in any case (RFC 3986, section 3.1). ``require_host`` requires a host
    that is not empty. ``max_length`` limits the whole string, in code points, and ``max_port`` the number of
    a port that is present. The string must also match the ``rules``. A rejection by a rule of a mapping has
    the code ``policy-NAME`` with its name in the mapping, by another rule ``policy-rule``.

    ``address_limits`` requires the limits of email addresses (RFC 5321, section 4.5.3.1; RFC 1035, section
    2.3.4). A local part has at most 64 bytes, a label of the domain 63, and the address 254. Addresses with
    comments or spaces meet them. ``leap_seconds`` restricts date-times (RFC 3339) with a second 60 to
    23:59:60 UTC on these days, such as "2016-12-31". ``"utc"`` means June 30 and December 31 of every year.
    A path names a copy of leap-seconds.list of the IERS.

    Raises: ValueError for an invalid scheme, date or list, and for a number below 0; UnknownNameError for an
    unknown rule; OSError for a file that cannot be read; TypeError.
    Complexity: with ``leap_seconds``, the first call for a rule takes some seconds.
    """
    named = rules.items() if isinstance(rules, Mapping) else (("rule", each) for each in _each(rules))
    return Policy(
        None if schemes is None else _schemes(schemes),
        bool(require_host),
        _number(max_length, "max_length", "a number of code points"),
        _number(max_port, "max_port", "a port number"),
        tuple((plain_argument(name, "each name of rules"), _rule(each)) for name, each in named),
        bool(address_limits),
        None if leap_seconds is None else _leap_days(leap_seconds),
    )


def _leap_days(days: object) -> tuple[str, ...]:
    """Return the days that can end with a leap second; none means the last of June and December."""
    if days == UTC:
        return ()
    if isinstance(days, os.PathLike):
        return _listed_days(Path(days))
    dates = tuple(sorted(set(names_argument(days, "leap_seconds", "dates"))))
    if not dates:
        raise empty("leap_seconds")
    for each in dates:
        if not rule_named("rfc3339:full-date-strict").matches(each):
            raise wrong_value("leap_seconds", "dates such as '2016-12-31'", repr(each))
    return dates


def _listed_days(path: Path) -> tuple[str, ...]:
    """Return the days in a leap-seconds.list: each line has the seconds since 1900 and the offset of TAI."""
    with path.open("rb") as stream:
        data = stream.read(MAX_LEAP_LIST + 1)
    if len(data) > MAX_LEAP_LIST:
        raise ArgumentError(message("leap-list-too-large", path=str(path), most=MAX_LEAP_LIST))
    changes: list[tuple[date, int]] = []
    for number, line in enumerate(data.decode("ascii", "replace").splitlines(), 1):
        words = line.partition("#")[0].split()
        if words:
            try:
                seconds, offset = map(int, words)
                changes.append((date(1900, 1, 1) + timedelta(seconds=seconds), offset))
            except (ValueError, OverflowError):
                raise ArgumentError(message("leap-list-malformed", line=number, path=str(path))) from None
    if len(changes) < 2:
        raise ArgumentError(message("leap-list-malformed", line=1, path=str(path)))
    return tuple(str(day - timedelta(1)) for (_, before), (day, after) in pairwise(changes) if after > before)


def _each(rules: object) -> Iterable[Any]:
    if isinstance(rules, str | bytes | Rule) or not isinstance(rules, Iterable):
        raise wrong_type("rules", "an iterable of rules, or a mapping to rules", rules)
    return rules


def _rule(rule: object) -> Rule:
    if isinstance(rule, str):
        return rule_named(rule)
    instance_argument(rule, "each of rules", Rule, "a Rule, or a str such as 'rfc3986:URI'")
    assert isinstance(rule, Rule)
    return rule


def _schemes(schemes: object) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(each.lower() for each in names_argument(schemes, "schemes", "schemes")))
    if not names:
        raise empty("schemes")
    for each in names:
        if not rule_named("rfc3986:scheme").matches(each):
            raise wrong_value("scheme", "a name such as 'https'", repr(each))
    return names


def _number(value: int | None, name: str, what: str) -> int | None:
    if value is None:
        return None
    instance_argument(value, name, int, f"{what}, or None")
    if not 0 <= value <= MAX_PORT:
        raise wrong_value(name, f"{what} from 0 to {MAX_PORT:,}", value)
    return value


Narrow = Callable[[Rule, str], Rule]


@lru_cache(maxsize=64)
def _narrowed(requirements: Policy, rule: Rule) -> Rule:
    title = f"{rule.name} by policy"
    for exclusion, narrow in _clauses(requirements):
        narrower = narrow(rule, title)
        assert isinstance(narrower, SetRule)
        if narrower.bounded.is_empty:
            raise ArgumentError(
                message("policy-empty", rule=rule.name, code=exclusion.code, meaning=exclusion.meaning)
            )
        rule = narrower
    return rule


def _clauses(requirements: Policy) -> Iterable[tuple[ExclusionMessage, Narrow]]:
    """Yield the message of each requirement, and the function that restricts a rule by it."""
    if requirements.schemes is not None:
        yield _scheme_clause(requirements.schemes)
    if requirements.require_host:
        yield _host_clause()
    if requirements.max_port is not None:
        yield _port_clause(requirements.max_port)
    for name, rule in requirements.rules:
        meaning = message("policy-rule", rule=rule.name, grammar=rule.grammar.name)
        yield _clause(AND, rule, ExclusionMessage(f"policy-{name}", meaning))
    if requirements.address_limits:
        yield from _address_clauses()
    if requirements.leap_seconds is not None:
        yield _leap_clause(requirements.leap_seconds)
    if requirements.max_length is not None:
        most = {"most": requirements.max_length}
        meaning, says = message("policy-length", **most), message("policy-length-is", **most)
        yield _length_clause(requirements.max_length, ExclusionMessage("policy-length", meaning, says))


def _scheme_clause(schemes: tuple[str, ...]) -> tuple[ExclusionMessage, Narrow]:
    exclusion = ExclusionMessage(
        "policy-scheme",
        message("policy-scheme", schemes=schemes),
        message("policy-scheme-is", schemes=schemes),
        message("policy-scheme-missing", schemes=schemes),
        _split()["reference"],
        "scheme",
    )
    return _clause(AND, _split(f'wanted = ( {_choice(schemes)} ) ":" text\n')["wanted"], exclusion)


def _host_clause() -> tuple[ExclusionMessage, Narrow]:
    exclusion = ExclusionMessage(
        "policy-host",
        message("policy-host"),
        message("policy-host-empty"),
        message("policy-host-missing"),
        _split()["reference"],
        "host",
    )
    return _clause(AND, _split(_HOST)["wanted"], exclusion)


def _port_clause(highest: int) -> tuple[ExclusionMessage, Narrow]:
    exclusion = ExclusionMessage(
        "policy-port",
        message("policy-port", highest=highest),
        message("policy-port-is", highest=highest),
        None,
        _split()["reference"],
        "port",
    )
    text = f'refused = [ scheme ":" ] "//" [ userinfo "@" ] host ":" {_above(highest)} after\n'
    return _clause(BUT_NOT, _split(text)["refused"], exclusion)


def _address_clauses() -> Iterable[tuple[ExclusionMessage, Narrow]]:
    rules = loads(_ADDRESS, name=_NAME)
    local, label, address = ({"most": most} for most in (MAX_LOCAL_PART, MAX_LABEL, MAX_ADDRESS))
    meaning, says = message("policy-local-part", **local), message("policy-local-part-is", **local)
    exclusion = ExclusionMessage("policy-local-part", meaning, says, None, rules["address"], "local")
    yield _clause(BUT_NOT, rules["long"], exclusion)
    meaning, says = message("policy-label", **label), message("policy-label-is", **label)
    exclusion = ExclusionMessage("policy-label", meaning, says, None, rules["labeled"], "label")
    yield _clause(BUT_NOT, rules["labeled"], exclusion)
    meaning, says = message("policy-address", **address), message("policy-address-is", **address)
    yield _length_clause(MAX_ADDRESS, ExclusionMessage("policy-address", meaning, says))


def _leap_clause(days: tuple[str, ...]) -> tuple[ExclusionMessage, Narrow]:
    next_days = [str(date.fromisoformat(each) + timedelta(1)) for each in days]
    ends = _choice(days) if days else '4DIGIT ( "-06-30" / "-12-31" )'
    starts = _choice(next_days) if days else '4DIGIT ( "-07-01" / "-01-01" )'
    own = f"hour = {_HOURS}\nminute = {_MINUTES}\nday = {ends}\nnext-day = {starts}\n"
    rules = loads(_LEAP + own, name=_NAME)
    shown = ("June 30", "December 31") if not days else ("a listed day",)
    says = message("policy-leap-second-is", days=shown)
    exclusion = ExclusionMessage(
        "policy-leap-second", message("policy-leap-second"), says, None, rules["form"], "leap"
    )
    wrong = [rules["form"] - rules["on-days"]]
    wrong += [rules["form"] - rules["zero"] - rules[name] for name in ("hours", "minutes")]
    steps = [_clause(BUT_NOT, each, exclusion)[1] for each in wrong]
    return exclusion, lambda rule, title: reduce(lambda some, step: step(some, title), steps, rule)


def _choice(words: Iterable[str]) -> str:
    return " / ".join(f'"{word}"' for word in words)


def _length_clause(longest: int, exclusion: ExclusionMessage) -> tuple[ExclusionMessage, Narrow]:
    return exclusion, lambda rule, title: set_rule(
        AT_MOST, rule, longest=longest, exclusion=exclusion, title=title
    )


def _clause(operation: str, other: Rule, exclusion: ExclusionMessage) -> tuple[ExclusionMessage, Narrow]:
    return exclusion, lambda rule, title: set_rule(operation, rule, other, exclusion=exclusion, title=title)


def _split(text: str = "") -> Any:
    return loads(_SPLIT + text, name=_NAME)


def _above(number: int) -> str:
    """Return ABNF for the decimal numbers above ``number``, with any leading zeros."""
    digits = str(number)
    size = len(digits)
    longer = f"%x31-39 {size}*DIGIT"
    higher = [
        f'"{digits[:place]}" %x{ord(digit) + 1:X}-39 {size - place - 1}DIGIT'
        for place, digit in enumerate(digits)
        if digit != "9"
    ]
    return f'( *"0" ( {" / ".join([longer, *higher])} ) )'

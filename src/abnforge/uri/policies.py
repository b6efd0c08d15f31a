"""Policies: requirements of a pipeline on valid URIs, such as the scheme, a host, a length or a port.

``javascript:alert(1)`` is a valid URI. A policy restricts a rule by set algebra. The result is a rule: one
walk of an automaton validates a string. The code of a rejection distinguishes syntax errors from policies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
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
from abnforge.uri.common import rule_of
from abnforge.uri.common.messages import message

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

MAX_PORT = 10**9  # the highest port that a policy can name; RFC 3986 sets no limit, TCP one of 65,535


@dataclass(frozen=True)
class Policy:
    """Requirements on strings in addition to a rule, from :func:`policy`."""

    schemes: tuple[str, ...] | None = None
    require_host: bool = False
    max_length: int | None = None
    max_port: int | None = None
    rules: tuple[tuple[str, Rule], ...] = ()

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
) -> Policy:
    """Return a policy with requirements on URIs; None requires nothing.

    ``schemes`` are the allowed schemes, in any case (RFC 3986, section 3.1). ``require_host`` requires a host
    that is not empty. ``max_length`` limits the whole string, in code points, and ``max_port`` the number of
    a port that is present. The string must also match the ``rules``. A rejection by a rule of a mapping has
    the code ``policy-NAME`` with its name in the mapping, by another rule ``policy-rule``.

    Raises: ValueError for an invalid scheme and for a number below 0; UnknownNameError for an unknown rule;
    TypeError.
    """
    named = rules.items() if isinstance(rules, Mapping) else (("rule", each) for each in _each(rules))
    return Policy(
        None if schemes is None else _schemes(schemes),
        bool(require_host),
        _number(max_length, "max_length", "a number of code points"),
        _number(max_port, "max_port", "a port number"),
        tuple((plain_argument(name, "each name of rules"), _rule(each)) for name, each in named),
    )


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
        if not rule_of("rfc3986", "scheme").matches(each):
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
    if requirements.max_length is not None:
        yield _length_clause(requirements.max_length)


def _scheme_clause(schemes: tuple[str, ...]) -> tuple[ExclusionMessage, Narrow]:
    literals = " / ".join(f'"{scheme}"' for scheme in schemes)
    exclusion = ExclusionMessage(
        "policy-scheme",
        message("policy-scheme", schemes=schemes),
        message("policy-scheme-is", schemes=schemes),
        message("policy-scheme-missing", schemes=schemes),
        _split()["reference"],
        "scheme",
    )
    return _clause(AND, _split(f'wanted = ( {literals} ) ":" text\n')["wanted"], exclusion)


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


def _length_clause(longest: int) -> tuple[ExclusionMessage, Narrow]:
    exclusion = ExclusionMessage(
        "policy-length", message("policy-length", most=longest), message("policy-length-is", most=longest)
    )
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

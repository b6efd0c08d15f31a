"""What a pipeline wants of a URI beside being one: a scheme, a host, a length, a port, or any rule.

``javascript:alert(1)`` is a valid URI. A policy narrows a rule by set algebra: what it lets through is a
rule, too, so a text or a column is judged in one walk of one automaton, and a rejection says by its code
whether the syntax refused the text or the policy.
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

# Any reference, split as in RFC 3986, appendix B: policies are about valid texts of whatever grammar.
_SPLIT = """\
reference = [ scheme ":" ] ( "//" authority after / text )
authority = [ userinfo "@" ] host [ ":" port ]
scheme    = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )
userinfo  = *( name-char / ":" / "[" / "]" )
host      = "[" *( name-char / ":" ) "]" / *name-char
port      = *DIGIT
after     = [ ( "/" / "?" / "#" ) text ]
text      = *%x0-10FFFF
name-char = %x0-22 / %x24-2E / %x30-39 / %x3B-3E / %x41-5A / %x5C / %x5E-10FFFF ; all but / ? # : @ [ ]
"""
_HOST = """\
wanted    = [ scheme ":" ] "//" [ userinfo "@" ] begin *( begin / ":" / "]" ) after
begin     = name-char / "[" ; the host must not be empty
"""
_NAME = "policy"

MAX_PORT = 10**9
"""The highest port that a policy can name; RFC 3986 sets no limit, TCP one of 65,535."""


@dataclass(frozen=True)
class Policy:
    """What is asked of texts beside a rule. Made by :func:`policy`; equal when the same is asked."""

    schemes: tuple[str, ...] | None = None
    require_host: bool = False
    max_length: int | None = None
    max_port: int | None = None
    rules: tuple[tuple[str, Rule], ...] = ()

    def rule(self, rule: Rule | str) -> Rule:
        """The rule of those texts of a rule that meet the policy; the rule itself where nothing is asked.

        The rule is a Rule, or named as ``GRAMMAR:RULE``. It is narrowed by set algebra, so the answer can be
        used wherever a rule can, and its rejections have the codes of ``codes`` where it is the policy that
        refuses. The same object is given for the same rule as long as it is in use. Raises ValueError for a
        rule that is not known to be regular, and where no text of it can meet the policy; LimitExceeded,
        UnknownNameError and TypeError. Cost: some milliseconds, once.
        """
        if isinstance(rule, str):
            rule = rule_named(rule)
        instance_argument(rule, "rule", Rule, "a Rule, or a str such as 'rfc3986:URI'")
        return _narrowed(self, rule)

    @property
    def codes(self) -> Mapping[str, str]:
        """The codes that its refusals can have, and what each means, in the order in which they are asked."""
        return {refusal.code: refusal.meaning for refusal, _ in _clauses(self)}


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
    """A policy: what is asked of URIs beside their syntax. What is None or left out is not asked.

    ``schemes``: the scheme is one of these, in capitals or small letters (RFC 3986, section 3.1); a reference
    without a scheme is refused. ``require_host``: there is a host, and it is not empty. ``max_length``: in
    code points, of the whole text. ``max_port``: a port, where there is one, is at most that number, whatever
    zeros it begins with. ``rules``: further rules, which derive the text, too; those of a mapping have names,
    and the refusals of ``name`` have the code ``policy-name``, the others ``policy-rule``.

    Raises TypeError for other types, ValueError for what is no scheme and for numbers below 0,
    UnknownNameError for a rule that does not exist.
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
    found = tuple(dict.fromkeys(each.lower() for each in names_argument(schemes, "schemes", "schemes")))
    if not found:
        raise empty("schemes")
    for each in found:
        if not rule_of("rfc3986", "scheme").matches(each):
            raise wrong_value("scheme", "a name such as 'https'", repr(each))
    return found


def _number(value: int | None, name: str, what: str) -> int | None:
    if value is None:
        return None
    instance_argument(value, name, int, f"{what}, or None")
    if not 0 <= value <= MAX_PORT:
        raise wrong_value(name, f"{what} from 0 to {MAX_PORT:,}", value)
    return value


Narrow = Callable[[Rule, str], Rule]


@lru_cache(maxsize=64)
def _narrowed(wanted: Policy, rule: Rule) -> Rule:
    title = f"{rule.name} by policy"
    for refusal, narrow in _clauses(wanted):
        narrower = narrow(rule, title)
        assert isinstance(narrower, SetRule)
        if narrower.bounded.is_empty:
            raise ArgumentError(
                message("policy-empty", rule=rule.name, code=refusal.code, meaning=refusal.meaning)
            )
        rule = narrower
    return rule


def _clauses(wanted: Policy) -> Iterable[tuple[ExclusionMessage, Narrow]]:
    """What is asked, one after the other: what is said where it is not met, and how it narrows a rule."""
    if wanted.schemes is not None:
        yield _scheme_clause(wanted.schemes)
    if wanted.require_host:
        yield _host_clause()
    if wanted.max_port is not None:
        yield _port_clause(wanted.max_port)
    for name, rule in wanted.rules:
        meaning = message("policy-rule", rule=rule.name, grammar=rule.grammar.name)
        yield _clause(AND, rule, ExclusionMessage(f"policy-{name}", meaning))
    if wanted.max_length is not None:
        yield _length_clause(wanted.max_length)


def _scheme_clause(schemes: tuple[str, ...]) -> tuple[ExclusionMessage, Narrow]:
    literals = " / ".join(f'"{scheme}"' for scheme in schemes)
    refusal = ExclusionMessage(
        "policy-scheme",
        message("policy-scheme", schemes=schemes),
        message("policy-scheme-is", schemes=schemes),
        message("policy-scheme-missing", schemes=schemes),
        _split()["reference"],
        "scheme",
    )
    return _clause(AND, _split(f'wanted = ( {literals} ) ":" text\n')["wanted"], refusal)


def _host_clause() -> tuple[ExclusionMessage, Narrow]:
    refusal = ExclusionMessage(
        "policy-host",
        message("policy-host"),
        message("policy-host-empty"),
        message("policy-host-missing"),
        _split()["reference"],
        "host",
    )
    return _clause(AND, _split(_HOST)["wanted"], refusal)


def _port_clause(highest: int) -> tuple[ExclusionMessage, Narrow]:
    refusal = ExclusionMessage(
        "policy-port",
        message("policy-port", highest=highest),
        message("policy-port-is", highest=highest),
        None,
        _split()["reference"],
        "port",
    )
    text = f'refused = [ scheme ":" ] "//" [ userinfo "@" ] host ":" {_above(highest)} after\n'
    return _clause(BUT_NOT, _split(text)["refused"], refusal)


def _length_clause(longest: int) -> tuple[ExclusionMessage, Narrow]:
    refusal = ExclusionMessage(
        "policy-length",
        message("policy-length", most=longest),
        message("policy-length-is", most=longest),
    )
    return refusal, lambda rule, title: set_rule(
        AT_MOST, rule, longest=longest, exclusion=refusal, title=title
    )


def _clause(operation: str, other: Rule, refusal: ExclusionMessage) -> tuple[ExclusionMessage, Narrow]:
    return refusal, lambda rule, title: set_rule(operation, rule, other, exclusion=refusal, title=title)


def _split(text: str = "") -> Any:
    return loads(_SPLIT + text, name=_NAME)


def _above(number: int) -> str:
    """ABNF of the numbers above one, in decimal, with any zeros before them."""
    digits = str(number)
    size = len(digits)
    longer = f"%x31-39 {size}*DIGIT"
    higher = [
        f'"{digits[:place]}" %x{ord(digit) + 1:X}-39 {size - place - 1}DIGIT'
        for place, digit in enumerate(digits)
        if digit != "9"
    ]
    return f'( *"0" ( {" / ".join([longer, *higher])} ) )'

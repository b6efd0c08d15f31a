"""Warnings about valid URIs of a column: the security findings of ``uri.security``, for many strings.

Few URIs have findings. The patterns of all references that can have one (``uri.security.possible_findings``)
become automata. The C extension walks their tables, which are cached on disk. Only for the strings that an
automaton matches, ``uri.security`` decides.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache, reduce
from itertools import compress
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from abnforge._lazy import lazy
from abnforge._native import compiled
from abnforge.budget import Budget
from abnforge.catalog import ArgumentError
from abnforge.columns.arrays import Array, column_argument, rule_argument, take, texts_of, threads_argument
from abnforge.columns.fields import WARNINGS
from abnforge.columns.messages import message
from abnforge.columns.verdicts import matched, matches
from abnforge.engine.cache import user_store
from abnforge.engine.rule import Rule
from abnforge.engine.set_algebra import base_of
from abnforge.engine.stores import NOTHING
from abnforge.uri.rfc3986.parse import GRAMMAR
from abnforge.uri.rfc3986.schemes import WELL_KNOWN_PORTS
from abnforge.uri.security import (
    ALL_CODES,
    RULES,
    SECURITY_CODES,
    findings_of,
    possible_findings,
    security_codes,
)

with lazy:
    from abnforge.automata import tables
    from abnforge.regex import automaton, python

TABLE = "table of a pattern"  # the kind of results in the cache
MOST_KEPT = 10_000  # strings whose warnings are cached, since columns repeat strings


def has_warnings(rule: Rule) -> bool:
    """Return whether strings of a rule can have warnings: it is a rule of references, or restricts one."""
    base = base_of(rule)
    return base is not None and base.grammar.name == GRAMMAR and base.name in RULES


def warnings(
    rule: Rule | str,
    array: object,
    select: str | Iterable[str] = ALL_CODES,
    threads: int | None = None,
    ports: Mapping[str, Collection[int]] = WELL_KNOWN_PORTS,
    cache: bool = True,
) -> Array:
    """Return the findings of ``uri.security`` about valid strings: a StructArray with a row for each.

    ``select`` are codes or families of codes, or ``all``. ``row`` is the index of the string, in ascending
    order, and ``offset`` is ``start``. ``severity`` is ``note``, ``warning`` or ``error``, and ``found`` and
    ``suggestion`` are missing. The other fields are those of :func:`rejections`. ``ports`` is the argument of
    ``uri.security``. With ``cache=False``, the cache on disk is neither read nor written.

    Raises ValueError for a rule that is not URI, URI-reference, absolute-URI or relative-ref of rfc3986, or a
    restriction of one; UnknownNameError for an unknown code; the errors of :func:`matches`.

    Cost: with the C extension, less than 1 µs for each string, and about 20 µs for each different string
    with a finding. The first call takes half a second if the cache lacks the tables. Without the C extension,
    20 µs for each string.
    """
    judged, count = rule_argument(rule), threads_argument(threads)
    codes = security_codes(select)
    if not has_warnings(judged):
        raise ArgumentError(message("warnings-rule", rule=judged.name, grammar=GRAMMAR, rules=RULES))
    found: list[dict[str, Any]] = []
    known: dict[str, list[dict[str, Any]]] = {}
    first = 0
    for chunk in column_argument(array).chunks:
        for row, text, possible in _suspects(judged, chunk, codes, count, ports, cache):
            if text not in known:
                if len(known) >= MOST_KEPT:
                    known.clear()
                known[text] = _findings(judged, text, possible, ports)
            found += [{"row": first + row, **each} for each in known[text]]
        first += len(chunk)
    return pa.array(found, WARNINGS)


def _suspects(
    rule: Rule,
    chunk: Array,
    codes: frozenset[str],
    threads: int,
    ports: Mapping[str, Collection[int]],
    cache: bool,
) -> Iterable[tuple[int, str, frozenset[str]]]:
    """Return the valid strings that can have a finding, each with its index and possible codes."""
    if pa.types.is_null(chunk.type):
        return ()
    if pa.types.is_dictionary(chunk.type):
        chunk = take(chunk.dictionary, chunk.indices)
    good = pc.fill_null(matches(rule, chunk, threads), False)
    masks: list[Array] = []
    if compiled is not None:
        allowed = tuple((scheme, tuple(sorted(numbers))) for scheme, numbers in ports.items())
        patterns = _tables(codes, allowed, cache)
        masks = [matched(table, chunk, threads) for table, _ in patterns]
        good = pc.and_(good, pc.fill_null(reduce(pc.or_, masks), False))
    rows = pc.indices_nonzero(good)
    texts = (
        each if isinstance(each, str) else (each or b"").decode() for each in texts_of(take(chunk, rows))
    )
    possible = [codes] * len(rows)
    if masks:
        bits = zip(*(mask.take(rows).to_pylist() for mask in masks), strict=True)
        union = lru_cache(None)(
            lambda which: frozenset().union(*compress((some for _, some in patterns), which))
        )
        possible = [union(which) for which in bits]
    return zip(rows.to_pylist(), texts, possible, strict=True)


def _findings(
    rule: Rule, text: str, codes: frozenset[str], ports: Mapping[str, Collection[int]]
) -> list[dict[str, Any]]:
    return [
        {
            "code": each.code,
            "family": SECURITY_CODES[each.code].family,
            "component": SECURITY_CODES[each.code].component,
            "rule": rule.name,
            "offset": each.start,
            "start": each.start,
            "end": each.end,
            "message": each.message,
            "section": each.section,
            "severity": each.severity.value,
        }
        for each in findings_of(text, ports, codes)
    ]


@lru_cache(maxsize=16)
def _tables(
    codes: frozenset[str], ports: tuple[tuple[str, tuple[int, ...]], ...], cache: bool
) -> tuple[tuple[Any, frozenset[str]], ...]:
    """Return the tables of the automata; a string with one of the codes next to a table matches the table."""
    patterns = possible_findings(sorted(codes), dict(ports))
    return tuple((_table(pattern, cache), some) for pattern, some in patterns.items())


@lru_cache(maxsize=128)
def _table(pattern: str, cache: bool) -> Any:
    store = user_store() if cache else NOTHING
    stored = store.get(TABLE, pattern, str)
    if stored is not None:
        return compiled.Table(base64.b64decode(stored))
    meter = Budget().meter("automaton of a pattern")
    tree = python.read(pattern, re.IGNORECASE, meter)
    table = tables.table_of(automaton.build(tree, "search", meter))
    if store.keeps(meter.steps):
        store.put(TABLE, pattern, str, base64.b64encode(table).decode())
    return compiled.Table(table)

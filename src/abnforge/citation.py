"""How specifications and their sections are cited: ``RFC 3986, section 3.2.2``."""

from __future__ import annotations

import re


def specification(grammar: str) -> str:
    """``RFC 3986`` for ``rfc3986`` and ``abnf:rfc3986``; any other grammar's name as it is."""
    match = re.fullmatch(r"(?:abnf:)?rfc(\d+)", grammar)
    return f"RFC {match[1]}" if match else grammar


def citation(grammar: str, section: str) -> str:
    """Where a rule of a grammar is defined, ``section`` being what the rule says of it.

    That is a number, of a section of the grammar's own specification, or already the whole citation, if the
    rule was taken over from another one.
    """
    if section.startswith("RFC "):
        return section
    if section.startswith("appendix "):
        return f"{specification(grammar)}, {section}"
    return f"{specification(grammar)}, {'appendix' if section[:1].isalpha() else 'section'} {section}"


def within(grammar: str, section: str) -> str:
    """The opposite of :func:`citation`: a section as the grammar's own rules give it.

    ``RFC 3986, section 3.2.2`` is ``3.2.2`` in ``rfc3986``, and stays whole in any other grammar.
    """
    own = re.fullmatch(rf"{re.escape(specification(grammar))}, (?:section|appendix) (.*)", section)
    return own[1] if own else section

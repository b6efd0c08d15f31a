"""Texts that were given as octets: where they are not UTF-8, and trees whose positions count octets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from abnforge._lazy import importing
from abnforge.engine.readers import Readers
from abnforge.parsing.stop import Failure
from abnforge.rejection import NOT_UTF8, Hypothesis, Rejection, octets_before

if TYPE_CHECKING:  # trees are lark's, which takes longer to import than a verdict takes
    from abnforge.parsing.api import Engine
    from abnforge.parsing.trees import ParseTree


def explain_broken(readers: Readers, lane: Engine, key: str, text: str, broken: int) -> Rejection:
    """Why a text is rejected whose first octet that is not UTF-8 is at the offset ``broken``.

    ``text`` has such octets as surrogates. The longest viable prefix ends there, or before it at what the
    rule does not admit.
    """
    prefix = text[:broken]
    failure = lane.failure(prefix)
    explainer = readers.explainer(key)
    if failure is not None and failure.offset < broken:
        return explainer.explain(text, failure, lane.matches, suggest=False).to_byte_offsets()
    if failure is None:  # the prefix is derived
        reached = readers.derivatives.read(key, prefix)
        expected = readers.expectations.of(reached[-1].states) if len(reached) > broken else ()
        failure = Failure(broken, expected, True, reached)
    return not_utf8(
        explainer.explain(prefix, failure, lane.matches, suggest=False), text, broken
    ).to_byte_offsets()


def not_utf8(rejection: Rejection, text: str, broken: int) -> Rejection:
    """The rejection of a text for the octet at the offset ``broken``, out of one of the text before it."""
    offset = len(text[:broken].encode())
    message = f"byte 0x{ord(text[broken]) & 0xFF:02X} at byte offset {offset} is not UTF-8"
    place = Hypothesis(rejection.rule_path, broken, broken + 1, rejection.expected, message, NOT_UTF8)
    return replace(
        rejection, input=text, found=text[broken], message=message, hypotheses=(place,), code=NOT_UTF8
    )


def count_octets(tree: ParseTree, text: str) -> None:
    """Make the positions of a tree's tokens count octets of the text in UTF-8, in place. Cost: linear."""
    if text.isascii():
        return
    with importing:
        from lark import Tree

    at = octets_before(text)
    for node in tree.iter_subtrees():
        for token in node.children:
            if not isinstance(token, Tree):
                assert token.start_pos is not None
                assert token.end_pos is not None
                token.start_pos, token.end_pos = at(token.start_pos), at(token.end_pos)

"""The transformers on hand-made trees, which do not require a parser, and on long inputs."""

from __future__ import annotations

import pytest
from lark import Token, Tree

from abnforge.uri import URI, HostKind, PathKind, URITransformer


def node(rule: str, *children: Tree[Token] | str) -> Tree[Token]:
    return Tree(rule, [Token("TEXT", child) if isinstance(child, str) else child for child in children])


def pchar(char: str) -> Tree[Token]:
    return node("pchar", node("unreserved", node("alpha", char)))


def test_empty_components_are_nodes_without_children() -> None:
    tree = node(
        "uri",
        node("scheme", node("alpha", "a")),
        ":",
        node("hier_part", "//", node("authority", node("host", node("reg_name"))), node("path_abempty")),
        "?",
        node("query"),
    )
    u = URITransformer().transform(tree)
    assert (str(u), u.host, u.host_kind, u.path, u.query, u.fragment) == (
        "a://?",
        "",
        HostKind.REG_NAME,
        "",
        "",
        None,
    )


def test_the_address_inside_an_address_is_not_the_host() -> None:
    tree = node(
        "host",
        node("ip_literal", "[", node("ipv6address", "::", node("ls32", node("ipv4address", "1.2.3.4"))), "]"),
    )
    u = URITransformer().transform(node("authority", tree))
    assert (u.host, u.host_kind) == ("[::1.2.3.4]", HostKind.IPV6ADDRESS)


@pytest.mark.parametrize("segments", [1, 2_000, pytest.param(20_000, marks=pytest.mark.slow)])
def test_long_paths(segments: int) -> None:
    parts: list[Tree[Token] | str] = []
    for _ in range(segments):
        parts += ["/", node("segment", pchar("a"), pchar("b"))]
    path = node("path_abempty", *parts)
    tree = node(
        "uri",
        node("scheme", node("alpha", "a")),
        ":",
        node("hier_part", "//", node("authority", node("host", node("reg_name"))), path),
    )
    u = URITransformer().transform(tree)
    assert isinstance(u, URI)
    assert u.segments == ("ab",) * segments
    assert str(u) == "a://" + "/ab" * segments


def test_a_subclass_reads_the_rules_around_a_uri() -> None:
    class LinkTransformer(URITransformer):
        def link(self, children: list[object]) -> tuple[object, ...]:
            return tuple(child for child in children if isinstance(child, URI))

    uri = node("uri", node("scheme", "a"), ":", node("hier_part", node("path_empty")))
    (u,) = LinkTransformer().transform(node("link", "<", uri, ">"))
    assert (u.scheme, u.path_kind) == ("a", PathKind.EMPTY)

"""Parse tree to RFC 3986 components, one method per rule.

:class:`URITransformer` is an ordinary ``lark.Transformer``: it reads the trees of any grammar that uses the
rules of RFC 3986 under their names, and a subclass can add methods for rules around them.
"""

from __future__ import annotations

from typing import Any

from abnforge.uri.common.transformer import ComponentTransformer, Slice, parts_of_children, text_of_children
from abnforge.uri.rfc3986.components import URI, Authority, HostKind, PathKind, Reference, RelativeRef


class URITransformer(ComponentTransformer):
    """Trees of RFC 3986's rules to component objects.

    The roots URI and absolute-URI give a :class:`~abnforge.uri.rfc3986.components.URI`, relative-ref a
    :class:`~abnforge.uri.rfc3986.components.RelativeRef`, URI-reference whichever it derived, authority an
    :class:`~abnforge.uri.rfc3986.components.Authority`; every other root gives the text it derived, as a str.
    """

    def uri_reference(self, children: list[Reference]) -> Reference:
        return children[0].with_rule("URI-reference")

    def uri(self, children: list[object]) -> URI:
        return URI(**_components(children), rule="URI")

    def absolute_uri(self, children: list[object]) -> URI:
        return URI(**_components(children), rule="absolute-URI")

    def relative_ref(self, children: list[object]) -> RelativeRef:
        return RelativeRef(**_components(children), rule="relative-ref")

    def relative_part(self, children: list[object]) -> Slice:
        return self.group(children)

    def authority(self, children: list[object]) -> Slice:
        parts = {"userinfo": None, "port": None, **parts_of_children(children)}
        return Slice(text_of_children(children), {"authority": Authority(**parts)})

    def ip_literal(self, children: list[object]) -> Slice:
        return self.group(children)

    def ipv6address(self, children: list[object]) -> Slice:
        # The last 32 bits may be an IPv4address; it is not the host, and goes no further.
        return Slice(text_of_children(children), {"host_kind": HostKind.IPV6ADDRESS})

    def ipvfuture(self, children: list[object]) -> Slice:
        return Slice(text_of_children(children), {"host_kind": HostKind.IPVFUTURE})

    def ipv4address(self, children: list[object]) -> Slice:
        return Slice(text_of_children(children), {"host_kind": HostKind.IPV4ADDRESS})

    def reg_name(self, children: list[object]) -> Slice:
        return Slice(text_of_children(children), {"host_kind": HostKind.REG_NAME})

    def path_abempty(self, children: list[object]) -> Slice:
        return self.component("path", children, path_kind=PathKind.ABEMPTY)

    def path_absolute(self, children: list[object]) -> Slice:
        return self.component("path", children, path_kind=PathKind.ABSOLUTE)

    def path_noscheme(self, children: list[object]) -> Slice:
        return self.component("path", children, path_kind=PathKind.NOSCHEME)

    def path_rootless(self, children: list[object]) -> Slice:
        return self.component("path", children, path_kind=PathKind.ROOTLESS)

    def path_empty(self, children: list[object]) -> Slice:
        return self.component("path", children, path_kind=PathKind.EMPTY)


def _components(children: list[object]) -> dict[str, Any]:
    parts: dict[str, Any] = {"scheme": None, "authority": None, "query": None, "fragment": None}
    parts |= parts_of_children(children)
    parts["authority_parts"] = parts.pop("authority")
    return parts

"""Parse trees to the component objects of RFC 3986: one method for each rule."""

from __future__ import annotations

from typing import Any

from abnforge.uri.common.transformer import ComponentTransformer, Slice, parts_of_children, text_of_children
from abnforge.uri.rfc3986.components import URI, Authority, HostKind, PathKind, Reference, RelativeRef


class URITransformer(ComponentTransformer):
    """A ``lark.Transformer`` that returns the same objects as :func:`abnforge.uri.parse`.

    It accepts the trees of every engine, and of any grammar that uses the rules of RFC 3986 by their names.
    The result is a :class:`URI` for the roots URI and absolute-URI, a :class:`RelativeRef` for relative-ref,
    either for URI-reference, an :class:`Authority` for authority, and a str for every other root. A subclass
    can add methods for rules that contain these.
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
        # Its last 32 bits can be an IPv4address, which is not the host.
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

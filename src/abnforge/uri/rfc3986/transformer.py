"""Parse trees to the component objects of RFC 3986: one method for each rule."""

from __future__ import annotations

from functools import partialmethod
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

    def authority(self, children: list[object]) -> Slice:
        parts = {"userinfo": None, "port": None, **parts_of_children(children)}
        return Slice(text_of_children(children), {"authority": Authority(**parts)})

    relative_part = ip_literal = ComponentTransformer._group
    # Its last 32 bits can be an IPv4address, which is not the host.
    ipv6address = partialmethod(ComponentTransformer._kind, HostKind.IPV6ADDRESS)
    ipvfuture = partialmethod(ComponentTransformer._kind, HostKind.IPVFUTURE)
    ipv4address = partialmethod(ComponentTransformer._kind, HostKind.IPV4ADDRESS)
    reg_name = partialmethod(ComponentTransformer._kind, HostKind.REG_NAME)
    path_abempty = partialmethod(ComponentTransformer._component, "path", path_kind=PathKind.ABEMPTY)
    path_absolute = partialmethod(ComponentTransformer._component, "path", path_kind=PathKind.ABSOLUTE)
    path_noscheme = partialmethod(ComponentTransformer._component, "path", path_kind=PathKind.NOSCHEME)
    path_rootless = partialmethod(ComponentTransformer._component, "path", path_kind=PathKind.ROOTLESS)
    path_empty = partialmethod(ComponentTransformer._component, "path", path_kind=PathKind.EMPTY)


def _components(children: list[object]) -> dict[str, Any]:
    parts: dict[str, Any] = {"scheme": None, "authority": None, "query": None, "fragment": None}
    parts |= parts_of_children(children)
    parts["authority_parts"] = parts.pop("authority")
    return parts

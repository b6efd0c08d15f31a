"""Parse trees to the component objects of RFC 2396: one method for each rule."""

from __future__ import annotations

from dataclasses import replace
from functools import partialmethod
from typing import Any

from abnforge.uri.common.transformer import ComponentTransformer, Slice, parts_of_children, text_of_children
from abnforge.uri.rfc2396.components import HostKind, PathKind, Reference, RegName, Server


class URITransformer(ComponentTransformer):
    """A ``lark.Transformer`` that returns the same objects as :func:`abnforge.uri.rfc2396.parse`.

    The result is a :class:`Reference` for the roots URI-reference, absoluteURI and relativeURI, a
    :class:`Server` for server, a :class:`Server` or :class:`RegName` for authority, and a str for every other
    root.
    """

    def uri_reference(self, children: list[object]) -> Reference:
        uri = next(
            (child for child in children if isinstance(child, Reference)), _reference("URI-reference", [])
        )
        return replace(uri, **parts_of_children(children), rule="URI-reference")

    def absoluteuri(self, children: list[object]) -> Reference:
        return _reference("absoluteURI", children)

    def relativeuri(self, children: list[object]) -> Reference:
        return _reference("relativeURI", children)

    abs_path = partialmethod(ComponentTransformer._component, "path", path_kind=PathKind.ABS_PATH)
    # The abs-path within a rel-path is the rest of this path, and not a component.
    rel_path = partialmethod(ComponentTransformer._component, "path", path_kind=PathKind.REL_PATH)
    opaque_part = partialmethod(ComponentTransformer._component, "path", path_kind=PathKind.OPAQUE_PART)

    def authority(self, children: list[object]) -> Slice:
        (authority,) = parts_of_children(children).values()
        return Slice(text_of_children(children), {"authority": authority})

    def server(self, children: list[object]) -> Slice:
        return Slice(text_of_children(children), {"server": Server(**parts_of_children(children))})

    def reg_name(self, children: list[object]) -> Slice:
        text = text_of_children(children)
        return Slice(text, {"registry": RegName(text)})

    net_path = hostport = ComponentTransformer._group
    hostname = partialmethod(ComponentTransformer._kind, HostKind.HOSTNAME)
    ipv4address = partialmethod(ComponentTransformer._kind, HostKind.IPV4ADDRESS)


def _reference(rule: str, children: list[object]) -> Reference:
    parts: dict[str, Any] = {"scheme": None, "authority": None, "path": "", "path_kind": None}
    parts |= {"query": None, "fragment": None}
    parts |= parts_of_children(children)
    return Reference(authority_parts=parts.pop("authority"), **parts, rule=rule)

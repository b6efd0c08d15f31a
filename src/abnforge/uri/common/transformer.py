"""Base of the transformers of both RFCs, which turn parse trees into component objects.

A transformer works bottom-up. Each node becomes its string; the node of a component, or of a rule that
contains components, becomes a :class:`Slice`, which also carries them. Rules below the components (``pchar``,
``DIGIT``) do not need a method. Trees of these grammars have a bounded depth, so that the cost is linear.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partialmethod
from typing import Any

from lark import Token, Transformer, Tree


class Slice(str):
    """The string of a node, and the components in it by name."""

    __slots__ = ("parts",)
    parts: Mapping[str, Any]

    def __new__(cls, text: str, parts: Mapping[str, Any]) -> Slice:
        self = super().__new__(cls, text)
        self.parts = parts
        return self


def text_of_children(children: Iterable[object]) -> str:
    """Return the string of a node whose children are transformed."""
    return "".join(map(str, children))


def parts_of_children(children: Iterable[object]) -> dict[str, Any]:
    return {
        name: part for child in children if isinstance(child, Slice) for name, part in child.parts.items()
    }


class ComponentTransformer(Transformer[Token, Any]):
    """The rules that both RFCs have. A root without a component object of its own becomes a plain str."""

    def __init__(self) -> None:
        super().__init__(visit_tokens=False)

    def transform(self, tree: Tree[Token]) -> Any:
        """Return the component object of the root's rule, or the exact string if the rule has none."""
        value = super().transform(tree)
        return value.parts.get(tree.data, str(value)) if isinstance(value, Slice) else value

    def __default__(self, data: object, children: list[object], meta: object) -> str:
        return text_of_children(children)

    def _component(self, name: str, children: list[object], **parts: Any) -> Slice:
        """Return the value of a rule that is the component ``name``."""
        text = text_of_children(children)
        return Slice(text, {name: text, **parts})

    def _kind(self, host_kind: object, children: list[object]) -> Slice:
        """Return the value of a rule that decides the kind of a host."""
        return Slice(text_of_children(children), {"host_kind": host_kind})

    def _group(self, children: list[object]) -> Slice:
        """Return the value of a rule that contains components."""
        return Slice(text_of_children(children), parts_of_children(children))

    hier_part = _group

    def host(self, children: list[object]) -> Slice:
        return self._component("host", children, **parts_of_children(children))

    scheme = partialmethod(_component, "scheme")
    userinfo = partialmethod(_component, "userinfo")
    port = partialmethod(_component, "port")
    query = partialmethod(_component, "query")
    fragment = partialmethod(_component, "fragment")

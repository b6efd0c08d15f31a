"""Base of the transformers of both RFCs, which turn parse trees into component objects.

A transformer works bottom-up. Each node becomes its string; the node of a component, or of a rule that
contains components, becomes a :class:`Slice`, which also carries them. Rules below the components (``pchar``,
``DIGIT``) do not need a method. Trees of these grammars have a bounded depth, so that the cost is linear.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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

    def component(self, name: str, children: list[object], **parts: Any) -> Slice:
        """Return the value of a rule that is the component ``name``."""
        text = text_of_children(children)
        return Slice(text, {name: text, **parts})

    def group(self, children: list[object]) -> Slice:
        """Return the value of a rule that contains components."""
        return Slice(text_of_children(children), parts_of_children(children))

    def hier_part(self, children: list[object]) -> Slice:
        return self.group(children)

    def scheme(self, children: list[object]) -> Slice:
        return self.component("scheme", children)

    def userinfo(self, children: list[object]) -> Slice:
        return self.component("userinfo", children)

    def host(self, children: list[object]) -> Slice:
        return self.component("host", children, **parts_of_children(children))

    def port(self, children: list[object]) -> Slice:
        return self.component("port", children)

    def query(self, children: list[object]) -> Slice:
        return self.component("query", children)

    def fragment(self, children: list[object]) -> Slice:
        return self.component("fragment", children)

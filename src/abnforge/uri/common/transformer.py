"""From a parse tree to component objects: what the transformers of both RFCs share.

A transformer works from the leaves up. Each rule becomes the text that it derived, so that joining the
children of a node gives the node's text; a rule that is a component, or holds some, becomes a :class:`Slice`,
a text that also carries them. Rules below the components (``pchar``, ``unreserved``, ``DIGIT``) need no
method: they are only text. Cost: each level of the tree joins every character once, and the trees of these
grammars are of bounded depth, so the walk is linear in the input.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lark import Token, Transformer, Tree


class Slice(str):
    """The text that one rule derived, and the components found in it by name."""

    __slots__ = ("parts",)
    parts: Mapping[str, Any]

    def __new__(cls, text: str, parts: Mapping[str, Any]) -> Slice:
        self = super().__new__(cls, text)
        self.parts = parts
        return self


def text_of_children(children: Iterable[object]) -> str:
    """The text of a node whose children have been transformed."""
    return "".join(map(str, children))


def parts_of_children(children: Iterable[object]) -> dict[str, Any]:
    """All components that the transformed children carry."""
    return {
        name: part for child in children if isinstance(child, Slice) for name, part in child.parts.items()
    }


class ComponentTransformer(Transformer[Token, Any]):
    """The base of the transformers: what both RFCs say of their trees.

    A root that is no component object of its own becomes a plain str.
    """

    def __init__(self) -> None:
        super().__init__(visit_tokens=False)

    def transform(self, tree: Tree[Token]) -> Any:
        """The root's value: a component object where there is one for its rule, the exact text otherwise."""
        value = super().transform(tree)
        return value.parts.get(tree.data, str(value)) if isinstance(value, Slice) else value

    def __default__(self, data: object, children: list[object], meta: object) -> str:
        return text_of_children(children)

    def component(self, name: str, children: list[object], **parts: Any) -> Slice:
        """A rule that is the component ``name`` and nothing else."""
        text = text_of_children(children)
        return Slice(text, {name: text, **parts})

    def group(self, children: list[object]) -> Slice:
        """A rule that only passes on the components found in it."""
        return Slice(text_of_children(children), parts_of_children(children))

    # Rules that both RFCs have under one name.

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

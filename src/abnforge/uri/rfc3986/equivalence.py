"""The comparison ladder (RFC 3986, section 6.2): steps that show that two URIs are equivalent.

Equivalent URIs identify the same resource, but URIs that are not equivalent may, too (section 6.1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from abnforge._arguments import choice_argument, function_argument, text_argument
from abnforge.catalog import ArgumentError
from abnforge.messages import message
from abnforge.uri.common.components import Component, recompose
from abnforge.uri.common.password import without_password
from abnforge.uri.rfc3986.components import COMPONENTS, URI, Reference, RelativeRef
from abnforge.uri.rfc3986.normalize import SECTIONS, SYNTAX_BASED, Protocol, Step, normalize
from abnforge.uri.rfc3986.parse import parse
from abnforge.uri.rfc3986.resolve import resolve
from abnforge.uri.rfc3986.schemes import SCHEMES, Scheme
from abnforge.uri.rfc3986.split import known_relative_ref, known_uri, split_text

STRING = "string"  # the lowest rung: the same characters (section 6.2.1)
SYNTAX = "syntax"  # a level: all steps of syntax-based normalization (section 6.2.2)

# The rungs above STRING, from cheap to costly.
RUNGS = (*SYNTAX_BASED, Step.SCHEME, Step.PROTOCOL)
LEVELS = (STRING, *SYNTAX_BASED, SYNTAX, Step.SCHEME, Step.PROTOCOL)


class Difference(NamedTuple):
    """A component that differs between two normal forms; None is undefined."""

    component: str
    left: str | None
    right: str | None

    def __repr__(self) -> str:
        """Return the component and both values, without passwords, since reprs end up in logs."""
        return f"Difference({self.component}: {self.shown})"

    @property
    def shown(self) -> str:
        """Both values for a message, without passwords."""
        return f"{self._shown(self.left)} and {self._shown(self.right)}"

    def _shown(self, text: str | None) -> str:
        if text is None:
            return "undefined"
        return f'"{without_password(text, self.component)}"'


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Equivalence:
    """The result of a comparison; true if both references are equivalent at ``level``.

    ``step`` is the lowest rung on which they are equal (``"string"`` or a :class:`~abnforge.uri.Step`), or
    None; ``needed`` are the steps up to it without which they would differ. ``normal_left`` and
    ``normal_right`` are the normal forms of ``left`` and ``right`` by all steps up to ``step``, or up to
    ``level``. ``differences`` is empty if and only if they are equivalent. ``same_base`` is true if a
    relative reference was compared without a base: equivalence then requires that both have the same base.
    """

    left: URI | RelativeRef
    right: URI | RelativeRef
    level: str
    step: str | None
    needed: tuple[Step, ...]
    normal_left: URI | RelativeRef
    normal_right: URI | RelativeRef
    differences: tuple[Difference, ...]
    same_base: bool

    def __bool__(self) -> bool:
        return self.step is not None

    @property
    def section(self) -> str | None:
        """The section of RFC 3986 that defines ``step``."""
        if self.step is None:
            return None
        return "6.2.1" if self.step == STRING else SECTIONS[Step(self.step)]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for ``json.dumps``; its passwords are not masked."""
        return {
            "equivalent": bool(self),
            "level": self.level,
            "step": self.step,
            "section": self.section,
            "needed": [step.value for step in self.needed],
            "same_base": self.same_base,
            "left": str(self.left),
            "right": str(self.right),
            "normal_left": str(self.normal_left),
            "normal_right": str(self.normal_right),
            "differences": [difference._asdict() for difference in self.differences],
            "message": self.message,
        }

    @property
    def message(self) -> str:
        """The result as a sentence, without passwords."""
        if self.step is None:
            parts = "; ".join(f"{d.component}: {d.shown}" for d in self.differences)
            return f"different at level {self.level}: {parts}"
        base = " with the same base" if self.same_base else ""
        if self.step == STRING:
            return f"equivalent{base}: identical strings (section {self.section})"
        steps = " and ".join(f"{step} (section {SECTIONS[step]})" for step in self.needed)
        return f"equivalent{base} after normalization: {steps}"


def equivalent(
    left: str | Component,
    right: str | Component,
    level: str | None = None,
    *,
    base: str | Component | None = None,
    fragment: bool = True,
    schemes: Mapping[str, Scheme] = SCHEMES,
    protocol: Protocol | None = None,
) -> Equivalence:
    """Compare two references up to ``level``; return the lowest rung on which they are equal, or differences.

    The levels are ``string``; ``case``, ``percent-encoding``, ``dot-segments`` and ``empty-port``, together
    ``syntax``; ``scheme``; ``protocol``. Each includes those before it. The default is ``scheme``, or
    ``protocol`` with a ``protocol`` function. For it and ``schemes``, see :func:`abnforge.uri.normalize`.

    ``base`` resolves both first. Without it, relative references are assumed to have the same base (section
    6.1). ``fragment=False`` ignores fragments, as for network actions (section 6.1).

    Raises: ValueError for an unknown level and for level ``protocol`` without a function; else as
    :func:`abnforge.uri.normalize` and :func:`abnforge.uri.resolve`.
    Complexity: linear.
    """
    if level is None:
        level = Step.SCHEME if protocol is None else Step.PROTOCOL
    level = choice_argument(level, "level", LEVELS)
    function_argument(protocol, "protocol")
    if level == Step.PROTOCOL and protocol is None:
        raise ArgumentError(message("protocol-missing"))
    texts = (text_argument(left, "left"), text_argument(right, "right"))
    a, b = (_prepared(text, base, fragment) for text in texts)

    def forms(steps: Sequence[Step]) -> tuple[URI | RelativeRef, URI | RelativeRef]:
        hook = protocol if Step.PROTOCOL in steps else None
        x, y = (normalize(u, steps=steps, schemes=schemes, protocol=hook) for u in (a, b))
        return x, y

    allowed = _rungs(level)
    needed: tuple[Step, ...] = ()
    step: str | None = STRING if str(a) == str(b) else None
    normal = (a, b) if step else forms(allowed)
    if step is None and normal[0] == normal[1]:
        height = next(n for n in range(1, len(allowed) + 1) if _same(forms(allowed[:n])))
        climbed = allowed[:height]
        step, normal = climbed[-1], forms(climbed)
        needed = tuple(s for s in climbed if not _same(forms([other for other in climbed if other != s])))
    differences: tuple[Difference, ...] = ()
    if step is None:
        differences = tuple(
            Difference(name, x, y)
            for name in COMPONENTS
            if (x := getattr(normal[0], name)) != (y := getattr(normal[1], name))
        )
    relative = isinstance(a, RelativeRef) or isinstance(b, RelativeRef)
    return Equivalence(a, b, str(level), step and str(step), needed, *normal, differences, relative)


def _rungs(level: str) -> tuple[Step, ...]:
    if level == STRING:
        return ()
    if level == SYNTAX:
        return SYNTAX_BASED
    return RUNGS[: RUNGS.index(Step(level)) + 1]


def _prepared(value: str, base: str | Component | None, fragment: bool) -> URI | RelativeRef:
    reference = parse(value) if base is None else resolve(base, value)
    if fragment or reference.fragment is None:
        return reference
    text = recompose(*split_text(str(reference))[:4], None)
    return known_relative_ref(text) if isinstance(reference, RelativeRef) else known_uri(text)


def _same(forms: tuple[Reference, Reference]) -> bool:
    return forms[0] == forms[1]

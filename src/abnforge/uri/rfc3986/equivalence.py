"""The comparison ladder (RFC 3986, section 6.2): whether two URIs are equivalent, and which step shows it.

Equivalent URIs identify the same resource. The reverse cannot be told from URIs: different ones may do so too
(section 6.1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from abnforge._arguments import choice_argument, function_argument, text_argument
from abnforge.catalog import ArgumentError
from abnforge.uri.common.components import Component, recompose
from abnforge.uri.common.messages import message
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
    """A component that differs in the normal forms: its name and both texts, None for undefined."""

    component: str
    left: str | None
    right: str | None

    def __repr__(self) -> str:
        """The component and both texts; a password is replaced, since a repr ends up in logs."""
        return f"Difference({self.component}: {self.shown})"

    @property
    def shown(self) -> str:
        """Both texts for a message, without passwords."""
        return f"{self._shown(self.left)} and {self._shown(self.right)}"

    def _shown(self, text: str | None) -> str:
        if text is None:
            return "undefined"
        return f'"{without_password(text, self.component)}"'


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Equivalence:
    """The outcome of a comparison; true if the two are equivalent at ``level``.

    ``left`` and ``right`` are the references compared, ``normal_left`` and ``normal_right`` their normal
    forms, by all steps up to the one that made them equal or else up to ``level``. ``step`` is the lowest
    rung on which they are equal (``"string"`` or a :class:`~abnforge.uri.Step`), None if there is none;
    ``needed`` the steps up to it without which they would differ. ``differences`` is empty if and only if
    they are equivalent. ``same_base`` tells that a relative reference was compared without a base, so that
    equivalence only holds where both have the same one.
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
        """The section of RFC 3986 that the decisive step is from."""
        if self.step is None:
            return None
        return "6.2.1" if self.step == STRING else SECTIONS[Step(self.step)]

    def to_dict(self) -> dict[str, Any]:
        """The outcome as plain data, ready for ``json.dumps``; passwords are not masked in it."""
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
        """One sentence. A password is not shown."""
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
    """Climb the ladder up to ``level`` and tell on which rung the two are equal, or what still differs.

    Levels: ``string``; ``case``, ``percent-encoding``, ``dot-segments`` and ``empty-port``, which together
    are ``syntax``; ``scheme``; ``protocol``. Each includes those before it. The default is ``scheme``, or
    ``protocol`` if a function is given for it: see :func:`abnforge.uri.normalize`, also for ``schemes``.

    ``base`` resolves both first: relative references are only comparable when resolved (section 6.1), and
    without a base they are taken to have the same one. ``fragment=False`` leaves fragments out, as is right
    for deciding about a network action (section 6.1).

    Raises ValueError for an unknown level and for ``protocol`` without a function; otherwise as
    :func:`abnforge.uri.normalize` and, with a base, :func:`abnforge.uri.resolve` do. Cost: linear.
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

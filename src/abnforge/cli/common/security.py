"""Hide passwords (--mask-passwords), and report risky URIs (--security).

Values are masked before reports receive them. A :data:`Mask` keeps the length of a string, so that offsets
remain correct.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeVar

from abnforge.cli.common.errors import UsageError, usage_errors
from abnforge.cli.common.groups import option
from abnforge.cli.common.inputs import Record, StringRecord, Unreadable
from abnforge.cli.common.messages import message
from abnforge.cli.common.outcome import Outcome, Target
from abnforge.cli.common.output import without_passwords
from abnforge.errors import Rejected
from abnforge.rejection import Rejection, Suggestion
from abnforge.text import escape

if TYPE_CHECKING:
    from abnforge.uri.rfc3986.components import Reference
    from abnforge.uri.rfc3986.equivalence import Equivalence
    from abnforge.uri.rfc_differences import EditionDiff
    from abnforge.uri.scan import LineBlock, LocatedURI


def security_options(function: Function) -> Function:
    """Add ``--security`` and ``--allow-port``."""
    for each in (
        option(
            "--allow-port",
            "allowed_ports",
            metavar="SCHEME:PORT",
            multiple=True,
            help="Accept this port. Repeatable.",
            needs="--security",
        ),
        option("--security", is_flag=True, help="Also report valid but risky URIs; mask passwords."),
    ):
        function = each(function)
    return function


class Inspector:
    """Adds security findings to valid outcomes, and counts in ``suspect`` those with more than notes.

    Raises UsageError for a rule that does not match URI references, for a format that cannot show findings
    (not in ``able``), and for a malformed port.
    """

    def __init__(
        self, target: Target, report_format: str, able: Collection[str], allowed: Iterable[str]
    ) -> None:
        from abnforge.uri.rfc3986.parse import GRAMMAR
        from abnforge.uri.security import RULES, alarming, ports_with, security

        if target.grammar != GRAMMAR or target.rule not in RULES:
            raise UsageError(message("security-rule", grammar=GRAMMAR, rules=tuple(RULES)))
        if report_format not in able:
            raise UsageError(message("security-format", formats=tuple(able), format=report_format))
        with usage_errors("--allow-port"):
            ports = ports_with(allowed)
        self._findings = partial(security, ports=ports)
        self._alarming = alarming
        self.suspect = 0

    def __call__(self, outcome: Outcome) -> Outcome:
        if not outcome.valid:
            return outcome
        findings = tuple(self._findings(outcome.judged))
        self.suspect += self._alarming(findings)
        return replace(outcome, security=findings)


Mask = Callable[[str], str]

Function = TypeVar("Function", bound=Callable[..., Any])

WITHHELD = "details would reveal the password"

mask_option: Callable[[Function], Function] = option(
    "--mask-passwords", "mask", is_flag=True, help="Show passwords and tokens as '*'."
)


def masking(enabled: bool, rule: str = "", *, whole_files: bool = False) -> Mask | None:
    """Return the function that hides passwords in strings of a rule; None unless ``enabled``.

    With ``whole_files``, strings are files with many lines.
    """
    if not enabled:
        return None
    mask = always_masking(rule)
    return partial(_masked_file, mask=mask) if whole_files else mask


def _masked_file(text: str, mask: Mask) -> str:
    """Hide the passwords of each line, and passwords that span lines.

    Line endings are kept, so that lines and columns remain correct. Cost: linear.
    """
    from abnforge.uri.common.password import mask_userinfo

    lines = text.split("\n")
    shown = mask_userinfo("\n".join(map(mask, lines)))
    starts = accumulate((len(line) + 1 for line in lines), initial=0)
    return "\n".join(shown[start : start + len(line)] for start, line in zip(starts, lines, strict=False))


def always_masking(rule: str = "") -> Mask:
    """Return the function that hides passwords in strings of a rule."""
    from abnforge.uri.common.password import masked_component

    return partial(masked_component, component=rule)


def masked_like(record: Record, error: Rejection | ValueError | None) -> Record:
    """Return a masked record with the string of its masked rejection, which may hide more."""
    if isinstance(error, Rejected):
        error = error.rejection
    if isinstance(error, Rejection) and isinstance(record, StringRecord):
        return replace(record, text=error.input)
    return record


def masked_record(record: Record, mask: Mask) -> Record:
    """Mask a record, including its file name, which may be a URI by mistake."""
    source = mask(record.source)
    if isinstance(record, Unreadable):
        return replace(record, source=source, shown=mask(record.shown))
    return replace(record, source=source, text=type(record.text)(mask(record.text)))


def masked_rejection(rejection: Rejection, mask: Mask) -> Rejection:
    """Mask a rejection without changing its offsets.

    The suggestion is masked too. Characters copied between the two are hidden in both if they are hidden in
    one, because only the correction may make a password recognizable. A message that quotes a hidden
    character is replaced by one with the rule and the position.
    """
    text, suggestion = rejection.input, rejection.suggestion
    shown = type(text)(mask(text))
    if suggestion is not None:
        shown, suggestion = _masked_suggestion(text, shown, suggestion, mask)
    if shown == text and suggestion == rejection.suggestion:
        return rejection
    secret = _Secret(text, shown)
    rule = rejection.hypotheses[0].rule if rejection.hypotheses else rejection.rule_path[-1]
    return replace(
        rejection,
        input=shown,
        found=shown[rejection.offset : rejection.offset + 1] or None,
        message=secret.safe_message(rejection.message, rule, *rejection.span),
        hypotheses=tuple(
            replace(each, message=secret.safe_message(each.message, each.rule, each.offset, each.end))
            for each in rejection.hypotheses
        ),
        suggestion=suggestion,
    )


def _masked_suggestion(text: str, shown: str, suggestion: Suggestion, mask: Mask) -> tuple[str, Suggestion]:
    """Mask a string and the suggestion for it."""
    masked = mask(suggestion.text)
    if (shown, masked) == (text, suggestion.text):
        return shown, suggestion
    before, after = list(shown), list(masked)
    here = there = 0  # offsets in the string and in the suggestion

    def copy(end: int) -> None:
        nonlocal here, there
        for offset in range(here, end):
            if before[offset] != text[offset] or after[there] != text[offset]:
                before[offset] = after[there] = "*"
            there += 1
        here = end

    edits = []
    for edit in suggestion.edits:
        copy(edit.start)
        span = slice(there, there + len(edit.text))
        around = slice(max(0, edit.start - (edit.start == edit.end)), max(edit.end, edit.start + 1))
        if text[around] != "".join(before[around]):
            # The replacement would reveal the masked characters.
            after[span] = "*" * len(edit.text)
        elif "".join(after[span]) != edit.text:
            before[edit.start : edit.end] = "*" * (edit.end - edit.start)
        edits.append(replace(edit, text="".join(after[span])))
        here, there = edit.end, span.stop
    copy(len(text))
    return "".join(before), replace(suggestion, text="".join(after), edits=tuple(edits))


class _Secret:
    """The hidden characters of a string."""

    def __init__(self, text: str, shown: str) -> None:
        masked = [run.span() for run in _MASKED.finditer(shown)]
        self._spans = [(start, end) for start, end in masked if text[start:end] != shown[start:end]]
        self._pairs = self._pieces(text, 2)
        self._triples = self._pieces(text, 3)

    def _pieces(self, text: str, length: int) -> set[str]:
        starts = (i for start, end in self._spans for i in range(start, end - length + 1))
        return {escape(text[i : i + length]) for i in starts}

    def safe_message(self, message: str, rule: str, start: int, end: int) -> str:
        """Return a generic message instead of one that contains, or is about, hidden characters.

        Two hidden characters in quotes, or three anywhere, count as quoted: most messages contain two
        adjacent letters of a password by chance.
        """
        end = max(end, start + 1)
        about = any(first < end and start < last for first, last in self._spans)
        quoted = "".join(_QUOTED.findall(message))
        if about or _any(self._pairs, quoted) or _any(self._triples, message):
            return f"{rule} does not match here ({WITHHELD})"
        return message


def _any(pieces: Iterable[str], text: str) -> bool:
    return any(piece in text for piece in pieces)


_MASKED = re.compile(r"\*+")
_QUOTED = re.compile(r'".*"', re.DOTALL)  # matches from the first quote of a message to the last


def masked_error(error: ValueError, mask: Mask) -> ValueError:
    """Mask an error about a string."""
    if isinstance(error, Rejected):
        return Rejected(masked_rejection(error.rejection, mask))
    return ValueError(without_passwords(str(error)))


def masked_equivalence(equivalence: Equivalence, mask: Mask) -> Equivalence:
    """Mask all forms of two compared URIs. Masking keeps a URI valid."""
    from abnforge.uri import parse

    def form(value: Any) -> Any:
        return parse(mask(str(value)))

    def part(form: Reference, component: str, value: str | None) -> str | None:
        """Mask a component within its URI, because a component may hide a password of another one."""
        if value is None:
            return None
        start = _starts(form)[component]
        return mask(str(form))[start : start + len(value)]

    left, right = equivalence.normal_left, equivalence.normal_right
    return replace(
        equivalence,
        left=form(equivalence.left),
        right=form(equivalence.right),
        normal_left=form(left),
        normal_right=form(right),
        differences=tuple(
            each._replace(
                left=part(left, each.component, each.left), right=part(right, each.component, each.right)
            )
            for each in equivalence.differences
        ),
    )


def _starts(reference: Reference) -> dict[str, int]:
    """Return the start of each defined component in a reference (RFC 3986, section 5.3)."""
    scheme = 0 if reference.scheme is None else len(reference.scheme) + 1
    userinfo = scheme if reference.host is None else scheme + len("//")
    host = userinfo if reference.userinfo is None else userinfo + len(reference.userinfo) + 1
    port = host + len(reference.host or "") + 1
    path = port - 1 if reference.port is None else port + len(reference.port)
    query = path + len(reference.path) + 1
    fragment = query if reference.query is None else query + len(reference.query) + 1
    return {
        "scheme": 0,
        "userinfo": userinfo,
        "host": host,
        "port": port,
        "path": path,
        "query": query,
        "fragment": fragment,
    }


def masked_edition_diff(difference: EditionDiff, mask: Mask, base: str | None) -> EditionDiff:
    """Mask the differences of a string between two RFCs."""

    def rejection(unmasked: Rejection | None) -> Rejection | None:
        return None if unmasked is None else masked_rejection(unmasked, mask)

    def error(problem: str | None) -> str | None:
        secret = mask(difference.text) != difference.text or (base is not None and mask(base) != base)
        return f"the reference cannot be resolved ({WITHHELD})" if problem is not None and secret else problem

    old, new = (rejection(rejected) for rejected in difference.rejections)
    shown = [mask(difference.text), *(each.input for each in (old, new) if each is not None)]
    text = "".join("*" if "*" in chars else chars[0] for chars in zip(*shown, strict=True))
    return replace(
        difference,
        text=text,
        changes=tuple(change.masked() for change in difference.changes),
        rejections=(old and replace(old, input=text), new and replace(new, input=text)),
        errors=(error(difference.errors[0]), error(difference.errors[1])),
    )


def masked_places(block: LineBlock, located: Iterable[LocatedURI], mask: Mask) -> Iterator[LocatedURI]:
    """Mask URIs that were found in a block of text; hide the same characters in the block and in each URI.

    A part of a URI can look like another one (``me:password@host``).
    """
    from abnforge.uri.common.password import mask_secrets

    text = mask_secrets(block.text)
    for place in located:
        uri = place.found.uri
        pieces = "".join(text[piece.start : piece.end] for piece in place.found.pieces)
        shown = "".join(
            a if a == b == c else "*" for a, b, c in zip(uri, pieces, mask_secrets(uri), strict=True)
        )
        yield replace(place, source=mask(place.source), found=replace(place.found, uri=shown))

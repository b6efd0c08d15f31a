"""Hiding the password of a URI before the URI is shown.

RFC 3986, section 3.2.1: "Applications should not render as clear text any data after the first colon
(":") character found within a userinfo subcomponent unless the data after the colon is the empty string
(indicating no password)." What is shown includes rejected inputs, so the reading here is lenient and
needs no parser. It is for display only: nothing is decided by it.
"""

from __future__ import annotations

import re

from abnforge.arguments import plain_argument

SHOWN = 60  # characters of a URI in an error message

# What may be an authority: as it is written, or percent-encoded as a URI within a query is. Browsers read a
# backslash as a slash, and people type it; a password behind one is still a password, and so it is where one
# of two slashes is missing.
_AUTHORITY = re.compile(
    r"(?P<slashes>(?:[/\\]|%2F|%5C){2,}+|(?<=[a-z]:)[/\\])"
    r"(?:(?<=%2F)(?P<encoded>(?:[^/?#&;%\s]|%(?!2F|3F|23|26))*+)|(?P<plain>[^/?#]*+))",
    re.IGNORECASE,
)
_COLON = re.compile(":|%3A", re.IGNORECASE)
_WORD = re.compile(r'[^\s<>"]*+')  # what a password with a delimiter in it does not reach beyond
_AT = ("@", "%40")


def mask_userinfo(text: str, mask: str = "*", *, keep_length: bool = True) -> str:
    """``text`` with every password in it replaced by ``mask``.

    A password stands after the first ":" of a userinfo; a userinfo reaches from two slashes to the last "@"
    before the next "/", "?" or "#". That holds anywhere in the text, so a URI inside a query is
    masked too, percent-encoded as well. Where what follows the colon is no port and a "@" comes later in the
    word (``http://me:pass/word@h``, which is not valid), everything up to the last one is masked. With
    ``keep_length``, one mask character replaces each character and every offset into
    the text stays right; without it, ``mask`` replaces the password as a whole. An empty password is left.

    Raises ValueError when ``keep_length`` is wanted of a mask that is not one character, TypeError for what
    is no str. Cost: linear.
    """
    text, mask = plain_argument(text, "text"), plain_argument(mask, "mask")
    if keep_length and len(mask) != 1:
        raise ValueError(f"mask must be one character to keep the length of the text, not {mask!r}")
    pieces = []
    shown = 0  # the end of what is in the pieces
    word = (-1, -1)  # the end of the word last looked into, and its last "@"
    for match in _AUTHORITY.finditer(text):
        start, end = match.end("slashes"), match.end()
        if start < shown:
            continue
        at = _last_at(text, start, end) if match["plain"] is None else text.rfind("@", start, end)
        if at >= 0:
            colon = _COLON.search(text, start, at)
            behind = at if colon is None else colon.end()
        else:
            behind = text.find(":", start, end) + 1
            if behind == 0 or behind == end or text[behind:end].isdigit() or text[start] == "[":
                continue  # a host, and maybe a port
            if start - match.start() == 1:
                continue  # a path
            if word[0] < end:
                stop = _WORD.match(text, end).end()  # type: ignore[union-attr] # it matches nothing, too
                word = (stop, _last_at(text, behind, stop))
            at = word[1]
        if behind < at:
            pieces += [text[shown:behind], mask * (at - behind) if keep_length else mask]
            shown = at
    pieces.append(text[shown:])
    return "".join(pieces)


def _last_at(text: str, start: int, end: int) -> int:
    """The last "@" of a part of a text, or "@" percent-encoded; -1 if there is none."""
    return max(text.rfind(at, start, end) for at in _AT)


# What a password is recognised by and is no part of the component, which rules of the RFCs derive.
_AROUND = {
    "authority": ("//", ""),
    "iauthority": ("//", ""),
    "server": ("//", ""),
    "userinfo": ("//", "@"),
    "iuserinfo": ("//", "@"),
}


def without_password(text: str, component: str = "") -> str:
    """``text`` for a repr or a message, with ``***`` for each password: reprs and messages end up in logs.

    ``component`` is ``"authority"`` or ``"userinfo"`` for a text that is one. Cost: linear.
    """
    before, behind = _AROUND.get(component, ("", ""))
    masked = mask_userinfo(f"{before}{text}{behind}", "***", keep_length=False)
    return masked[len(before) : len(masked) - len(behind)]


def masked_component(text: str, component: str = "") -> str:
    """``text`` with a ``*`` for each character of a password; ``component`` as above, or any rule's name."""
    before, behind = _AROUND.get(component.lower(), ("", ""))
    return mask_userinfo(f"{before}{text}{behind}")[len(before) : len(before) + len(text)]


def quoted(text: str) -> str:
    """A URI in an error message: without its password, and not at length. Cost: linear."""
    shown = without_password(text)
    return repr(shown if len(shown) <= SHOWN else shown[:SHOWN] + "...")

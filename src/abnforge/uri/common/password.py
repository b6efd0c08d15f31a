"""Hiding the password of a URI before the URI is shown.

RFC 3986, section 3.2.1: "Applications should not render as clear text any data after the first colon
(":") character found within a userinfo subcomponent unless the data after the colon is the empty string
(indicating no password)." What is shown includes rejected inputs, so the reading here is lenient and
needs no parser. It is for display only: nothing is decided by it.
"""

from __future__ import annotations

import re

SHOWN = 60  # characters of a URI in an error message

# Browsers read a backslash as a slash, and people type it; a password behind one is still a password.
_AUTHORITY = re.compile(r"[/\\]{2,}([^/?#]*)")


def mask_userinfo(text: str, mask: str = "*", *, keep_length: bool = True) -> str:
    """``text`` with every password in it replaced by ``mask``.

    A password stands after the first ":" of a userinfo; a userinfo reaches from two slashes to the last "@"
    before the next "/", "?" or "#". That holds anywhere in the text, so a URI inside a query is
    masked too. With ``keep_length``, one mask character replaces each character and every offset into
    the text stays right; without it, ``mask`` replaces the password as a whole. An empty password is left.

    Raises ValueError when ``keep_length`` is wanted of a mask that is not one character. Cost: linear.
    """
    if keep_length and len(mask) != 1:
        raise ValueError(f"mask must be one character to keep the length of the text, not {mask!r}")

    def hide(match: re.Match[str]) -> str:
        userinfo, at, rest = match[1].rpartition("@")
        user, colon, password = userinfo.partition(":")
        if not password:
            return match[0]
        slashes = match[0][: len(match[0]) - len(match[1])]
        return slashes + user + colon + (mask * len(password) if keep_length else mask) + at + rest

    return _AUTHORITY.sub(hide, text)


# What a password is recognised by and is no part of the component.
_AROUND = {"authority": ("//", ""), "userinfo": ("//", "@")}


def without_password(text: str, component: str = "") -> str:
    """``text`` for a repr or a message, with ``***`` for each password: reprs and messages end up in logs.

    ``component`` is ``"authority"`` or ``"userinfo"`` for a text that is one. Cost: linear.
    """
    before, behind = _AROUND.get(component, ("", ""))
    masked = mask_userinfo(f"{before}{text}{behind}", "***", keep_length=False)
    return masked[len(before) : len(masked) - len(behind)]


def quoted(text: str) -> str:
    """A URI in an error message: without its password, and not at length."""
    shown = without_password(text[: 4 * SHOWN])
    return repr(shown if len(shown) <= SHOWN else shown[:SHOWN] + "...")

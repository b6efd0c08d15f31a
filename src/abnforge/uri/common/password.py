"""Hiding the password of a URI before the URI is shown.

RFC 3986, section 3.2.1: "Applications should not render as clear text any data after the first colon
(":") character found within a userinfo subcomponent unless the data after the colon is the empty string
(indicating no password)." What is shown includes rejected inputs, so the reading here is lenient and
needs no parser. It is for display only: nothing is decided by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from abnforge._arguments import plain_argument
from abnforge.catalog import ArgumentError
from abnforge.uri.common.messages import message

# What people write for a delimiter, or what is corrected to one: characters that look like it.
COLONS = ":\uff1a\ufe55\ufe13\ufe30\u2236\ua789\u02d0\u05c3\u0589"
ATS = "@\uff20\ufe6b"
SLASHES = "/\\\uff0f\uff3c\ufe68\u2215\u2044\u29f8\u29f5\u2216\u2571"
_DELIMITERS = {ord(char): delimiter[0] for delimiter in (COLONS, ATS) for char in delimiter}
_SPELLED_AT = re.compile(r"\[at\]|\(at\)", re.IGNORECASE)

# What may be an authority: as it is written, or percent-encoded as a URI within a query is. Browsers read a
# backslash as a slash, and people type it; a password behind one is still a password, and so it is where one
# of two slashes is missing. What only looks like a slash begins an authority and does not end it. Slashes
# that are percent-encoded behind such that are not belong to the authority: ``//%2F:@%40`` has no password.
_SLASH = rf"[{re.escape(SLASHES)}]"
_AUTHORITY = re.compile(
    rf"(?P<slashes>{_SLASH}{{2,}}+|(?:%2F|%5C)(?:{_SLASH}|%2F|%5C)++|(?<=[a-z]:){_SLASH})"
    r"(?:(?<=%2F)(?P<encoded>(?:[^/?#&;%\s]|%(?!2F|3F|23|26))*+)|(?P<plain>[^/?#]*+))",
    re.IGNORECASE,
)
_COLON = re.compile(":|%3A", re.IGNORECASE)
# A host and maybe a port, as far as it matters where they end. Anything else may be half of a password.
_HOST = re.compile(r"(?:\[[^][]*+\]|[^:]*+)(?::\d*+)?")
_ENCODED_HOST = re.compile(r"(?:\[[^][]*+\]|(?:(?!%3A)[^:])*+)(?:(?::|%3A)\d*+)?", re.IGNORECASE)
_SPACE = re.compile(r"\s")  # in a string that is meant for one URI, what has one is no host
_WORD = re.compile(r"\S*+")  # what a password with a delimiter in it does not reach beyond in a text, ...
_STRING = re.compile(r"(?s:.*+)")  # ... and in a string that is meant for one URI
_ENCODED_WORD = re.compile(r'[^\s<>"/?#&;]*+')
_AT = ("@", "%40")


def mask_userinfo(text: str, mask: str = "*", *, keep_length: bool = True) -> str:
    """``text`` with every password in it replaced by ``mask``.

    A password stands after the first ":" of a userinfo; a userinfo reaches from two slashes to the last "@"
    before the next "/", "?" or "#". That holds anywhere in the text, so a URI inside a query is
    masked too, percent-encoded as well. Where what follows the userinfo is no host with a port, and a "@"
    comes later in the word (``http://me:pass/word@h``, ``http://me@work:pass/word@h``, which are not valid),
    everything up to the last one is masked. What looks like ":", "@" or "/" counts as such, and so do
    ``[at]`` and ``(at)``. With ``keep_length``, one mask character replaces each character and every offset
    into the text stays right; without it, ``mask`` replaces the password as a whole. An empty password is
    left.

    Raises ValueError when ``keep_length`` is wanted of a mask that is not one character, TypeError for what
    is no str. Cost: linear.
    """
    text, mask = plain_argument(text, "text"), plain_argument(mask, "mask")
    if keep_length and len(mask) != 1:
        raise ArgumentError(message("mask-length", mask=mask))
    return _masked(text, _passwords(_with_delimiters(text), _WORD), mask, keep_length)


def _masked(text: str, spans: Iterable[tuple[int, int]], mask: str, keep_length: bool) -> str:
    """``text`` with spans of it masked, which are in order."""
    pieces = []
    shown = 0  # the end of what is in the pieces
    for start, end in spans:
        start = max(start, shown)
        if start >= end:
            continue
        pieces += [text[shown:start], mask * (end - start) if keep_length else mask]
        shown = end
    pieces.append(text[shown:])
    return "".join(pieces)


def _with_delimiters(text: str) -> str:
    """A text of the same length in which ":" and "@" stand for what looks like them."""
    if not text.isascii():
        text = text.translate(_DELIMITERS)
    return _SPELLED_AT.sub("@~~~", text)  # what follows the "@" is no delimiter


def _passwords(text: str, plain_word: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Start and end of each password, from left to right."""
    shown = 0  # the end of the last one
    ends = {
        plain_word: (-1, -1),
        _ENCODED_WORD: (-1, -1),
    }  # the end of the word last looked into, its last "@"
    for match in _AUTHORITY.finditer(text):
        start, end = match.end("slashes"), match.end()
        colon = _COLON.search(text, start, end)
        if start < shown or colon is None:
            continue
        encoded = match["plain"] is None
        at = _last_at(text, start, end) if encoded else text.rfind("@", start, end)
        host = start if at < 0 else at + (1 if text[at] == "@" else len("%40"))
        path = at < 0 and start - match.start() == 1
        spaced = plain_word is _STRING and at >= 0 and _SPACE.search(text, host, end) is not None
        if not path and (spaced or (_ENCODED_HOST if encoded else _HOST).fullmatch(text, host, end) is None):
            word = _ENCODED_WORD if encoded else plain_word
            if ends[word][0] < end:
                stop = word.match(text, end).end()  # type: ignore[union-attr] # it matches nothing, too
                ends[word] = stop, _last_at(text, start, stop)
            at = max(at, ends[word][1])
        if at < 0:
            at = _last_at(text, start, end)  # of a userinfo that is percent-encoded with its delimiters
        if colon.end() < at:
            yield colon.end(), at
            shown = at


def _last_at(text: str, start: int, end: int) -> int:
    """The last "@" of a part of a text, or "@" percent-encoded; -1 if there is none."""
    return max(text.rfind(at, start, end) for at in _AT)


# What a password is recognized by and is no part of the component, which rules of the RFCs derive.
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
    """``text`` with a ``*`` for each character of a password; ``component`` as above, or any rule's name.

    The text is one string, and maybe no valid one, rather than running text: see ``_STRING``.
    """
    before, behind = _AROUND.get(component.lower(), ("", ""))
    whole = f"{before}{text}{behind}"
    return _masked_secrets(whole, _STRING)[len(before) : len(before) + len(text)]


def mask_secrets(text: str) -> str:
    """Return a running text with a ``*`` for each character of all that ``--mask-passwords`` hides.

    That is what :func:`mask_userinfo` hides, passwords in ``user:password@host`` without slashes, and the
    values of parameters such as ``password=`` and ``access_token=``. Cost: linear.
    """
    return _masked_secrets(text, _WORD)


# Names of parameters whose values are secrets: these words at the end of a longer name, ...
_WORDS = (
    "passw(?:or)?d|passphrase|passcode|secret|token|signature|api[_-]?key|credentials?|jwt|sessionid|sessid"
)
# ... and those that end other words as well ("sig" ends "jigsig"), alone or after a separator.
_SHORT = (
    "pass|pwd|pw|sig|auth|authorization|bearer|hmac|"
    "(?:access|account|private|secret|shared|subscription)[_-]?key"
)
_SECRET_NAME = re.compile(rf"[\w.-]*(?:{_WORDS})\d*|(?:[\w.-]*[_.-])?(?:{_SHORT})\d*", re.IGNORECASE)
# A letter of a name may be percent-encoded; a delimiter that is, ends one. It may be a key of JSON, too.
_NAME = re.compile(
    r"(?:(?<![^?&#;,/\s\"'<>(\[{|])|(?<=%3F)|(?<=%26)|(?<=%23)|(?<=%3B)|(?<=%5B)|(?<=%22)|(?<=%7B))"
    r"(?P<name>(?:[\w.-]|%(?:2[DE]|3\d|4[1-9A-F]|5[\dAF]|6[1-9A-F]|7[\dA])){2,64}+)"
    r"(?:\]|%5D)?(?:(?:\[|%5B)\d{0,9}(?:\]|%5D))?(?:\\?[\"']|%22)?\s*"
    r"(?P<equals>=|\uff1d|%3D|(?:(?<!/):(?!//)|%3A(?!%2F))(?P<space>[^\S\n]*+(?:(?:basic|bearer|token)[^\S\n]++)?))",
    re.IGNORECASE,
)
# A value reaches to the next parameter. In an encoded query that is where "&" is encoded, too.
_VALUES = {
    (False, False): re.compile(r'[^&#"]*'),
    (False, True): re.compile(r'[^&#"\s<>]*'),
    (True, False): re.compile(r'(?:(?!%26|%23)[^&#"\s])*', re.IGNORECASE),
    (True, True): re.compile(r'(?:(?!%26|%23)[^&#"\s<>])*', re.IGNORECASE),
}
_VALUE_AMONG_SEMICOLONS = re.compile(r'[^;&#"]*')
# A value in quotation marks, as JSON and shells have it, which may be those of a string within a string.
_QUOTED_VALUE = re.compile(
    r"""(?P<open>"|')(?P<a>(?:(?!(?P=open))[^\\]|\\.?)*+)|\\(?P<within>["'])(?P<b>(?:(?!\\(?P=within)).)*+)"""
    r"""|%22(?P<c>(?:(?!%22)[^&#"\s])*+)""",
    re.DOTALL | re.IGNORECASE,
)


def _masked_secrets(text: str, word: re.Pattern[str]) -> str:
    """Mask twice: where one secret hides the end of another, more is hidden than each says alone."""
    masked = _masked(text, _secrets(text, word), "*", True)
    return masked if masked == text else _masked(masked, _secrets(masked, word), "*", True)


def _secrets(text: str, word: re.Pattern[str]) -> list[tuple[int, int]]:
    """Return the start and end of each secret, in order."""
    plain = _with_delimiters(text)
    spaced = () if word is _WORD else _spaced_password(plain)
    return sorted([*_passwords(plain, word), *_values(plain, word), *_bare_passwords(plain), *spaced])


def _values(text: str, word: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """The values of parameters that are secrets."""
    shown = 0  # the end of the last one
    for match in _NAME.finditer(text):
        if match.start() < shown or not _SECRET_NAME.fullmatch(unquote(match["name"])):
            continue
        before = text[match.start() - 1 : match.start()]
        colon = match["space"] is not None
        if colon and before == "/":  # a host and its port, or a segment of a path
            continue
        start = match.end()
        # Behind "?token=" a quotation mark is that around the URI.
        quoted = _QUOTED_VALUE.match(text, start) if colon or before not in (*"?&#/",) else None
        if quoted is not None:
            start, shown = next(quoted.span(group) for group in "abc" if quoted[group] is not None)
        else:
            value = _VALUES[match["equals"][0] == "%", word is _WORD]
            if before == ";" and not colon:
                value = _VALUE_AMONG_SEMICOLONS
            shown = value.match(text, start).end()  # type: ignore[union-attr] # it matches nothing, too
        yield start, shown


# ``user:password@host``, where no slashes say that an authority begins.
_BARE_WORD = re.compile(r"""[^\s/?#"'<>]+""")
_USER = re.compile(r"""(?<![^\s"'<>(),=|])(?:sips?:)?(?P<user>[^\s:/?#@"'<>(),=|]+):""", re.IGNORECASE)
# Schemes, and words of running text, after which a name follows, and not a password.
_NO_USERS = frozenset(
    {"acct", "cid", "email", "e-mail", "facetime", "im", "jabber", "mail", "mailto", "message", "mid", "news"}
    | {"nntp", "pres", "sip", "sips", "skype", "sms", "tag", "tel", "urn", "xmpp"}
)


def _bare_passwords(text: str) -> Iterator[tuple[int, int]]:
    if "@" not in text:
        return
    for word in _BARE_WORD.finditer(text):
        at = text.rfind("@", word.start(), word.end() - 1)
        user = _USER.search(text, word.start(), at) if at > 0 and _HOST_BEGINS.match(text, at + 1) else None
        if user is not None and user["user"].lower() not in _NO_USERS:
            yield user.end(), at


_HOST_BEGINS = re.compile(r"[\w\[~]")
# The same with spaces in the password, where it is the whole of a string.
_SPACED = re.compile(
    r"""\s*(?P<user>[^\s:/?#@"'<>(),=|]+):(?P<password>[^\s/?#"'<>][^/?#"'<>]*)@(?=[\w\[~])"""
)


def _spaced_password(text: str) -> Iterator[tuple[int, int]]:
    match = _SPACED.match(text) if "@" in text else None
    if match is not None and match["user"].lower() not in _NO_USERS:
        yield match.span("password")

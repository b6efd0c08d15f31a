"""Mask the passwords in URIs and documents before they are shown.

By RFC 3986, section 3.2.1, applications should not render as clear text the data after the first colon of a
userinfo. Output includes rejected strings, so passwords are found by lenient patterns, without a parser. No
verdict depends on them.

Reading order: :func:`mask_userinfo` masks URIs in a document; :func:`without_password` and
:func:`masked_component` are for one string; :func:`mask_secrets` also masks the values of parameters such as
``token=``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from abnforge._arguments import plain_argument
from abnforge.catalog import ArgumentError
from abnforge.messages import message

# Characters that look like a delimiter.
COLONS = ":\uff1a\ufe55\ufe13\ufe30\u2236\ua789\u02d0\u05c3\u0589"
ATS = "@\uff20\ufe6b"
SLASHES = "/\\\uff0f\uff3c\ufe68\u2215\u2044\u29f8\u29f5\u2216\u2571"
_DELIMITERS = {ord(char): delimiter[0] for delimiter in (COLONS, ATS) for char in delimiter}
_SPELLED_AT = re.compile(r"\[at\]|\(at\)", re.IGNORECASE)

# A possible authority, plain or percent-encoded (a URI within a query). Browsers accept a backslash for a
# slash, and one of the two slashes may be missing: the password must be found in each case. Characters that
# look like a slash start an authority, but do not end it. Percent-encoded slashes after plain ones belong to
# the authority: ``//%2F:@%40`` does not contain a password.
_SLASH = rf"[{re.escape(SLASHES)}]"
_AUTHORITY = re.compile(
    rf"(?P<slashes>{_SLASH}{{2,}}+|(?:%2F|%5C)(?:{_SLASH}|%2F|%5C)++|(?<=[a-z]:){_SLASH})"
    r"(?:(?<=%2F)(?P<encoded>(?:[^/?#&;%\s]|%(?!2F|3F|23|26))*+)|(?P<plain>[^/?#]*+))",
    re.IGNORECASE,
)
_COLON = re.compile(":|%3A", re.IGNORECASE)
# A host and an optional port. Another string after "@" may be the second half of a password.
_HOST = re.compile(r"(?:\[[^][]*+\]|[^:]*+)(?::\d*+)?")
_ENCODED_HOST = re.compile(r"(?:\[[^][]*+\]|(?:(?!%3A)[^:])*+)(?:(?::|%3A)\d*+)?", re.IGNORECASE)
_SPACE = re.compile(r"\s")
# A password with a delimiter in it ends with its word in a document, and anywhere in a string for one URI.
_WORD = re.compile(r"\S*+")
_STRING = re.compile(r"(?s:.*+)")
_ENCODED_WORD = re.compile(r'[^\s<>"/?#&;]*+')
_AT = ("@", "%40")


def mask_userinfo(text: str, mask: str = "*", *, keep_length: bool = True) -> str:
    """Return ``text`` with every password in it replaced by ``mask``.

    A password is the userinfo after its first ":". A userinfo reaches from two slashes to the last "@" before
    the next "/", "?" or "#", also in a URI within a query, plain or percent-encoded. If the rest is not a
    host with an optional port, and the word contains a later "@", everything up to the last "@" is masked
    (``http://me:pass/word@h`` is not valid). Characters that look like ":", "@" or "/" count as such,
    also ``[at]`` and ``(at)``. An empty password is not masked.

    With ``keep_length``, one mask character replaces each character, and all offsets stay valid. Without it,
    ``mask`` replaces the whole password.

    Raises: ValueError for ``keep_length`` and a mask that is not one character; TypeError.
    Complexity: linear.
    """
    text, mask = plain_argument(text, "text"), plain_argument(mask, "mask")
    if keep_length and len(mask) != 1:
        raise ArgumentError(message("mask-length", mask=mask))
    return _masked(text, _passwords(_with_delimiters(text), _WORD), mask, keep_length)


def _masked(text: str, spans: Iterable[tuple[int, int]], mask: str, keep_length: bool) -> str:
    """Return ``text`` with spans of it masked; the spans are in order and may overlap."""
    pieces = []
    shown = 0  # the end of the pieces
    for start, end in spans:
        start = max(start, shown)
        if start >= end:
            continue
        pieces += [text[shown:start], mask * (end - start) if keep_length else mask]
        shown = end
    pieces.append(text[shown:])
    return "".join(pieces)


def _with_delimiters(text: str) -> str:
    """Replace characters that look like ":" or "@" by these, without changing the length."""
    if not text.isascii():
        text = text.translate(_DELIMITERS)
    return _SPELLED_AT.sub("@~~~", text)  # "~" is not a delimiter


def _passwords(text: str, plain_word: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each password, from left to right."""
    masked = 0  # the end of the last password
    # The end of the last word, and its last "@": each word is searched once.
    ends = {plain_word: (-1, -1), _ENCODED_WORD: (-1, -1)}
    for match in _AUTHORITY.finditer(text):
        start, end = match.end("slashes"), match.end()
        colon = _COLON.search(text, start, end)
        if start < masked or colon is None:
            continue
        encoded = match["plain"] is None
        at = _last_at(text, start, end) if encoded else text.rfind("@", start, end)
        host = start if at < 0 else at + (1 if text[at] == "@" else len("%40"))
        path = at < 0 and start - match.start() == 1
        spaced = plain_word is _STRING and at >= 0 and _SPACE.search(text, host, end) is not None
        if not path and (spaced or (_ENCODED_HOST if encoded else _HOST).fullmatch(text, host, end) is None):
            word = _ENCODED_WORD if encoded else plain_word
            if ends[word][0] < end:
                stop = word.match(text, end).end()  # type: ignore[union-attr] # it matches ""
                ends[word] = stop, _last_at(text, start, stop)
            at = max(at, ends[word][1])
        if at < 0:
            at = _last_at(text, start, end)  # after a userinfo with percent-encoded delimiters
        if colon.end() < at:
            yield colon.end(), at
            masked = at


def _last_at(text: str, start: int, end: int) -> int:
    """Return the place of the last plain or percent-encoded "@", or -1."""
    return max(text.rfind(at, start, end) for at in _AT)


# The delimiters around a component, by its rule: a password is recognized by them.
_AROUND = {
    "authority": ("//", ""),
    "iauthority": ("//", ""),
    "server": ("//", ""),
    "userinfo": ("//", "@"),
    "iuserinfo": ("//", "@"),
}


def without_password(text: str, component: str = "") -> str:
    """Return ``text`` with ``***`` for each password, for reprs and messages, which end up in logs.

    ``component`` is ``"authority"`` or ``"userinfo"`` for such a component.
    """
    before, after = _AROUND.get(component, ("", ""))
    masked = mask_userinfo(f"{before}{text}{after}", "***", keep_length=False)
    return masked[len(before) : len(masked) - len(after)]


def masked_component(text: str, component: str = "") -> str:
    """Return one string, valid or not, with ``*`` for each character of a secret.

    ``component`` is the rule of the string: see ``_AROUND``.
    """
    before, after = _AROUND.get(component.lower(), ("", ""))
    whole = f"{before}{text}{after}"
    return _masked_secrets(whole, _STRING)[len(before) : len(before) + len(text)]


def mask_secrets(text: str) -> str:
    """Return a document with ``*`` for each character of a secret, for ``--mask-passwords``.

    Secrets are the passwords of :func:`mask_userinfo`, passwords in ``user:password@host`` without slashes,
    and the values of parameters such as ``password=`` and ``access_token=``. Complexity: linear.
    """
    return _masked_secrets(text, _WORD)


# Names of parameters with secret values: these words, also at the end of a longer name, ...
_WORDS = (
    "passw(?:or)?d|passphrase|passcode|secret|token|signature|api[_-]?key|credentials?|jwt|sessionid|sessid"
)
# ... and these words, alone or after a separator, because other words end in them, too.
_SHORT = (
    "pass|pwd|pw|sig|auth|authorization|bearer|hmac|"
    "(?:access|account|private|secret|shared|subscription)[_-]?key"
)
_SECRET_NAME = re.compile(rf"[\w.-]*(?:{_WORDS})\d*|(?:[\w.-]*[_.-])?(?:{_SHORT})\d*", re.IGNORECASE)
# Letters of a name can be percent-encoded; a percent-encoded delimiter ends it. A name can be a JSON key.
_NAME = re.compile(
    r"(?:(?<![^?&#;,/\s\"'<>(\[{|])|(?<=%3F)|(?<=%26)|(?<=%23)|(?<=%3B)|(?<=%5B)|(?<=%22)|(?<=%7B))"
    r"(?P<name>(?:[\w.-]|%(?:2[DE]|3\d|4[1-9A-F]|5[\dAF]|6[1-9A-F]|7[\dA])){2,64}+)"
    r"(?:\]|%5D)?(?:(?:\[|%5B)\d{0,9}(?:\]|%5D))?(?:\\?[\"']|%22)?\s*"
    r"(?P<equals>=|\uff1d|%3D|(?:(?<!/):(?!//)|%3A(?!%2F))(?P<space>[^\S\n]*+(?:(?:basic|bearer|token)[^\S\n]++)?))",
    re.IGNORECASE,
)
# A value ends at the next parameter; in an encoded query, also at a percent-encoded "&".
_VALUES = {
    (False, False): re.compile(r'[^&#"]*'),
    (False, True): re.compile(r'[^&#"\s<>]*'),
    (True, False): re.compile(r'(?:(?!%26|%23)[^&#"\s])*', re.IGNORECASE),
    (True, True): re.compile(r'(?:(?!%26|%23)[^&#"\s<>])*', re.IGNORECASE),
}
_VALUE_AMONG_SEMICOLONS = re.compile(r'[^;&#"]*')
# A value in quotes, as in JSON and shells, also in a string within a string.
_QUOTED_VALUE = re.compile(
    r"""(?P<open>"|')(?P<a>(?:(?!(?P=open))[^\\]|\\.?)*+)|\\(?P<within>["'])(?P<b>(?:(?!\\(?P=within)).)*+)"""
    r"""|%22(?P<c>(?:(?!%22)[^&#"\s])*+)""",
    re.DOTALL | re.IGNORECASE,
)


def _masked_secrets(text: str, word: re.Pattern[str]) -> str:
    """Mask twice: a secret can hide the end of another one, which the second pass finds."""
    masked = _masked(text, _secrets(text, word), "*", True)
    return masked if masked == text else _masked(masked, _secrets(masked, word), "*", True)


def _secrets(text: str, word: re.Pattern[str]) -> list[tuple[int, int]]:
    """Return the start and end of each secret, in order."""
    plain = _with_delimiters(text)
    spaced = () if word is _WORD else _spaced_password(plain)
    return sorted([*_passwords(plain, word), *_values(plain, word), *_bare_passwords(plain), *spaced])


def _values(text: str, word: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each secret value of a parameter."""
    masked = 0  # the end of the last value
    for match in _NAME.finditer(text):
        if match.start() < masked or not _SECRET_NAME.fullmatch(unquote(match["name"])):
            continue
        before = text[match.start() - 1 : match.start()]
        colon = match["space"] is not None
        if colon and before == "/":  # a host and its port, or a segment of a path
            continue
        start = match.end()
        # A quote after "?token=" belongs to quotes around the URI.
        quoted = _QUOTED_VALUE.match(text, start) if colon or before not in (*"?&#/",) else None
        if quoted is not None:
            start, masked = next(quoted.span(group) for group in "abc" if quoted[group] is not None)
        else:
            value = _VALUES[match["equals"][0] == "%", word is _WORD]
            if before == ";" and not colon:
                value = _VALUE_AMONG_SEMICOLONS
            masked = value.match(text, start).end()  # type: ignore[union-attr] # it matches ""
        yield start, masked


# ``user:password@host`` without slashes before it.
_BARE_WORD = re.compile(r"""[^\s/?#"'<>]+""")
_USER = re.compile(r"""(?<![^\s"'<>(),=|])(?:sips?:)?(?P<user>[^\s:/?#@"'<>(),=|]+):""", re.IGNORECASE)
# Schemes, and words of prose, before a name that is not a password.
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
# A password with spaces, at the start of a string.
_SPACED = re.compile(
    r"""\s*(?P<user>[^\s:/?#@"'<>(),=|]+):(?P<password>[^\s/?#"'<>][^/?#"'<>]*)@(?=[\w\[~])"""
)


def _spaced_password(text: str) -> Iterator[tuple[int, int]]:
    match = _SPACED.match(text) if "@" in text else None
    if match is not None and match["user"].lower() not in _NO_USERS:
        yield match.span("password")

"""Masked passwords. Laws: the length does not change, and only a password is masked."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abnforge.explain.fixes import look_alike
from abnforge.uri import mask_userinfo, rfc2396, rfc3986
from abnforge.uri.common.password import (
    ATS,
    COLONS,
    SLASHES,
    mask_secrets,
    masked_component,
    without_password,
)
from tests.law import each_row, law, one_in
from tests.raising import raises
from tests.work import finishes

# URIs that contain, or seem to contain, passwords in every component.
_PART = r"(//)?([a:@;]|%3A|%40|%2F%2F){0,6}"
_URIS = re.compile(rf"(a:)?//{_PART}(/{_PART}){{0,3}}(\?{_PART})?(#{_PART})?")

CASES = [
    ("http://user:secret@h/p?q#f", "http://user:******@h/p?q#f"),
    ("//user:secret@h", "//user:******@h"),
    ("http://:secret@h", "http://:******@h"),
    ("http://u:a:b@h", "http://u:***@h"),
    ("http://u:p@[::1]:80/", "http://u:*@[::1]:80/"),
    # no password
    ("http://user@h:80/", "http://user@h:80/"),
    ("http://user:@h/", "http://user:@h/"),
    ("http://h:80/a:b@c", "http://h:80/a:b@c"),
    ("http://h?a:b@c", "http://h?a:b@c"),
    ("http://[::1]:80/", "http://[::1]:80/"),
    ("mailto:a:b@c", "mailto:a:b@c"),
    ("", ""),
    # Strings that no parser accepts are also masked.
    ("http://u:pa@ss@h/", "http://u:*****@h/"),
    ("http://u:p ss[{@h:80x/", "http://u:******@h:80x/"),
    ("http:////u:p@h", "http:////u:*@h"),
    ("http:\\\\u:p@h", "http:\\\\u:*@h"),
    ("1http://u:pä@h", "1http://u:**@h"),
    ("http:/u:pass@h/", "http:/u:****@h/"),
    ("file:/ns:item/x@h", "file:/ns:item/x@h"),
    # A URI within a URI.
    ("http://h/?u=http://u:p@h2/", "http://h/?u=http://u:*@h2/"),
    ("http://a:b@h/http://c:d@h", "http://a:*@h/http://c:*@h"),
    ("http://a:b@h,http://c:d@h http://e:f@h", "http://a:*@h,http://c:*@h http://e:*@h"),
    # percent-encoded instead
    ("http://h/?u=http%3A%2F%2Fu%3Apass%40h%2F&v=a%40b", "http://h/?u=http%3A%2F%2Fu%3A****%40h%2F&v=a%40b"),
    ("?u=http%3a%2f%2fh%3a80%2f&v=a%40b", "?u=http%3a%2f%2fh%3a80%2f&v=a%40b"),
    ("http://u:p%40ss@h/", "http://u:******@h/"),
    ("http://u:%70ass@h/", "http://u:******@h/"),
    # A delimiter in a password ends the authority, so the URI is invalid. Digits can be a port.
    ("http://u:pa/ss@h/", "http://u:*****@h/"),
    ("http://u:pa?s#s@h/x y@z", "http://u:******@h/x y@z"),
    ("http://u:pa@ss/@h", "http://u:**@ss/@h"),
    ("http://u:pass%40h/", "http://u:****%40h/"),
    ("http://h:80/x@y", "http://h:80/x@y"),
    ("http://h:/x@y", "http://h:/x@y"),
    ("http://[::1]/x@y", "http://[::1]/x@y"),
    ("http://h:x/y z@", "http://h:x/y z@"),
    # A user name with "@" or brackets. A port can follow the host.
    ("ftp://joe@corp.com:pa/ss@h/x", "ftp://joe@corp.com:*****@h/x"),
    ("ftp://joe@corp.com:pa?s#s@h/x", "ftp://joe@corp.com:******@h/x"),
    ("ftp://joe@corp.com:80/x@y", "ftp://joe@corp.com:80/x@y"),
    ("ftp://joe@corp.com:/x@y", "ftp://joe@corp.com:/x@y"),
    ("http://[user]:pa#ss@h/", "http://[user]:*****@h/"),
    ("http://[::1]:pa#ss@h/", "http://[:*********@h/"),
    ("http://[::1]:80/x@y", "http://[::1]:80/x@y"),
    ("?u=http%3A%2F%2Fj%40c%3Apa%2Fss%40h&v=a%40b", "?u=http%3A%2F%2Fj%40c%3A*******%40h&v=a%40b"),
    ("http://u%3Apass%40h/x@y", "http://u%3A****%40h/x@y"),
    # Percent-encoded slashes after other slashes belong to a user name.
    ("a://%2F%2F:@%40", "a://%2F%2F:@%40"),
    ("a://%2F%2F:pass@%40", "a://%2F%2F:****@%40"),
    ("?u=http:%2F/u:pass@h", "?u=http:%2F/u:****@h"),
    ("http:/%2Fu:pass@h", "http:/%2Fu:****@h"),
    # Characters that look like a delimiter, or that occur instead of a delimiter.
    ("http://u\uff1apass@h/", "http://u\uff1a****@h/"),
    ("http://u\u2236pa/ss@h/", "http://u\u2236*****@h/"),
    ("http://u:pass\uff20h/", "http://u:****\uff20h/"),
    ("http://u:pass[at]h/", "http://u:****[at]h/"),
    ("http://u:pass(AT)h/", "http://u:****(AT)h/"),
    ("\uff0f\u2215u:p@h", "\uff0f\u2215u:*@h"),
    ("http\uff1a/u:p@h/", "http\uff1a/u:*@h/"),
    ("http://u:1\uff0f2@h/", "http://u:***@h/"),
    ("http://h:80/a\uff1ab\uff20c", "http://h:80/a\uff1ab\uff20c"),
]


@each_row(("text", "masked"), CASES)
def test_mask(text: str, masked: str) -> None:
    assert mask_userinfo(text) == masked


def test_what_unicode_and_corrections_take_for_a_delimiter_is_known() -> None:
    results = {":": COLONS, "@": ATS, "/": SLASHES, "\\": SLASHES}
    for char in map(chr, range(0x30000)):  # characters of other planes have no decomposition
        for delimiter in {unicodedata.normalize("NFKC", char), look_alike(char)} & results.keys():
            assert char in results[delimiter]


@pytest.mark.parametrize(
    ("text", "masked"),
    one_in(
        2,
        [
            ("http://u:pa/s s@h/", "http://u:******@h/"),
            ("http://u:pa#s\ns@h/ x", "http://u:******@h/ x"),
            ("http://h:80/a b@c", "http://h:80/a b@c"),
            ('http://u:pa/s"s@h/', "http://u:******@h/"),
        ],
    ),
)
def test_a_string_is_one_word(text: str, masked: str) -> None:
    assert masked_component(text) == masked
    assert finishes(masked_component, text * 20_000)


def test_mask_as_a_whole() -> None:
    assert mask_userinfo("http://u:secret@h", "[hidden]", keep_length=False) == "http://u:[hidden]@h"
    assert mask_userinfo("http://u:\\1\\g<0>@h", "\\2", keep_length=False) == "http://u:\\2@h"


@each_row(
    ("text", "component", "shown"),
    [
        ("http://u:secret@h", "", "http://u:***@h"),
        ("u:secret@h", "", "u:secret@h"),  # without its slashes, it is not an authority
        ("u:secret@h:80", "authority", "u:***@h:80"),
        ("u:secret", "userinfo", "u:***"),
        ("u:", "userinfo", "u:"),
        ("h:80", "authority", "h:80"),
    ],
)
def test_what_a_component_is_shown_as(text: str, component: str, shown: str) -> None:
    assert without_password(text, component) == shown


def test_a_password_is_replaced_whatever_its_length() -> None:
    assert without_password("http://u:secret@h/") == "http://u:***@h/"
    assert without_password(f"http://u:{'secret' * 60}@h/") == "http://u:***@h/"


@pytest.mark.parametrize("mask", ["", "***"])
def test_a_mask_that_cannot_keep_the_length(mask: str) -> None:
    with raises(ValueError, "mask-length"):
        mask_userinfo("http://h", mask)


@given(st.text("au:@/?#\\[]%1\uff1a\uff20\uff0f", max_size=30))
def test_length_and_delimiters_stay(text: str) -> None:
    masked = mask_userinfo(text)
    assert len(masked) == len(text)
    assert all(new in (old, "*") for old, new in zip(text, masked, strict=True))
    assert mask_userinfo(masked) == masked


@pytest.mark.parametrize(
    "unit",
    one_in(
        4,
        [
            "/",
            "//",
            "\\",
            "//a:",
            "//a@",
            "a:b@",
            ":",
            "@",
            "//a:b/",
            "//a:b ",
            "%2F",
            "%2F%2F%3A",
            "//[:",
            "//@h:x/",
            "%2F%2Fa:b",
            "[at]",
            "//a:b&",
        ],
    ),
)
def test_hostile_repetition_is_linear(unit: str) -> None:
    assert finishes(mask_userinfo, unit * 30_000)


@law(st.from_regex(_URIS, fullmatch=True), few=20, many=800)
def test_a_valid_uri_is_valid_without_its_passwords(text: str) -> None:
    """Both RFCs allow "*" wherever a password can occur, so that the masked string is still valid."""
    masked = mask_userinfo(text)
    for edition in (rfc3986, rfc2396):
        assert not edition.is_valid(text) or edition.is_valid(masked)


SECRETS = [
    ("https://h/?password=hunter2&x=1", "https://h/?password=*******&x=1"),
    ("https://h/?a=1&access_token=a.b-c#f", "https://h/?a=1&access_token=*****#f"),
    ("https://h/#access_token=abc&token_type=bearer", "https://h/#access_token=***&token_type=bearer"),
    ("https://s3/k?X-Amz-Signature=0f&X-Amz-Date=1", "https://s3/k?X-Amz-Signature=**&X-Amz-Date=1"),
    ("https://b.blob/?sv=1&sig=a%2Bb%3D", "https://b.blob/?sv=1&sig=********"),
    ("?api_key=1&apikey=2&api-key=3&key=4", "?api_key=*&apikey=*&api-key=*&key=4"),
    (
        "?client_secret=a&clientSecret=b&pwd=c&passwd=d&auth=e",
        "?client_secret=*&clientSecret=*&pwd=*&passwd=*&auth=*",
    ),
    (
        "?PASSWORD=a&user[password]=b&user%5Bpassword%5D=c",
        "?PASSWORD=*&user[password]=*&user%5Bpassword%5D=*",
    ),
    ("?u=https%3A%2F%2Fh%2F%3Ftoken%3Dabc%26x%3D1&y", "?u=https%3A%2F%2Fh%2F%3Ftoken%3D***%26x%3D1&y"),
    ("?password=a b", "?password=***"),
    ("?token=a@b:c", "?token=*****"),
    ("http://u:p@h/?token=a", "http://u:*@h/?token=*"),
    ("jdbc:sqlserver://h;user=sa;password=x;db=y", "jdbc:sqlserver://h;user=sa;password=*;db=y"),
    ("user:pw@host/x", "user:**@host/x"),
    ("scott:t:g@r@db:1521/orcl", "scott:*****@db:1521/orcl"),
    ("sip:alice:secret@h", "sip:alice:******@h"),
    # A name that is percent-encoded, or has an index.
    ("?pass%77ord=abc&%74oken=d", "?pass%77ord=***&%74oken=*"),
    ("?password[]=abc&y", "?password[]=***&y"),
    ("?password%5B%5D=a&user[password][0]=b&y", "?password%5B%5D=*&user[password][0]=*&y"),
    # A colon, JSON, quotes.
    ("token:secret", "token:******"),
    ("token: secret", "token: ******"),
    ("Authorization: Bearer abc.def", "Authorization: Bearer *******"),
    ('"token": "secret"', '"token": "******"'),
    ('{"password": "secretX", "a": 1}', '{"password": "*******", "a": 1}'),
    ("{'password': 'secretX', 'a': 1}", "{'password': '*******', 'a': 1}"),
    ('{"token":"se\\"c, r@t","b":2}', '{"token":"**********","b":2}'),
    (r'"{\"token\":\"secret\",\"b\":2}"', r'"{\"token\":\"******\",\"b\":2}"'),
    ("?q=%7B%22token%22%3A%22abc%22%7D&y", "?q=%7B%22token%22%3A%22***%22%7D&y"),
    ('password="a b" x', 'password="***" x'),
    ('{"password": 123}', '{"password": ****'),
    # Spaces in passwords.
    ("u:pa ss@h", "u:*****@h"),
    ("http://u:p@s s/w@h/", "http://u:*******@h/"),
    # no secret
    *[
        (text, text)
        for text in (
            "?token=&x",
            "?jigsig=a&design=b&passage=c&author=d&monkey=e&compass=f",
            "http://h/token/password",
            "mailto:joe@example.com",
            "urn:a:b@c",
            "tag:joe@x.com,2020:z",
            "git@github.com:a/b@c",
            "example.com:80/x@y",
            "http://h?a:b@c",
            "http://auth:80/x?y#z",
            "secret://h/x",
            "urn:token:a",
            '<a href="?token=" class="x">',
            "mailto:joe b@example.com",
        )
    ],
]


@each_row(("text", "shown"), SECRETS)
def test_secrets_next_to_passwords_of_userinfo(text: str, shown: str) -> None:
    assert masked_component(text) == shown
    assert masked_component(shown) == shown


def test_in_running_text_a_secret_is_a_word() -> None:
    assert mask_secrets("see https://h/?token=abc def, u:p@h") == "see https://h/?token=*** def, u:*@h"


@given(
    st.lists(
        st.sampled_from(
            [
                "?",
                "&",
                ";",
                "=",
                "token",
                "pass%77ord",
                "%3D",
                "%26",
                "a",
                ":",
                "@",
                "u:p@h",
                " ",
                "//",
                '"',
                "'",
                "\\",
                "%22",
                "%3A",
                "[]",
                "\n",
                "password",
            ]
        )
    )
)
def test_masking_keeps_places(pieces: list[str]) -> None:
    text = "".join(pieces)
    for mask in (masked_component, mask_secrets):
        shown = mask(text)
        assert len(shown) == len(text)
        assert all(a in (b, "*") for a, b in zip(shown, text, strict=True))
        assert mask(shown) == shown


@pytest.mark.parametrize(
    "text",
    one_in(
        4,
        [
            "?token=a",
            "a:b,",
            "?a=",
            "token=",
            "@a:",
            "a:b@",
            "%3Ftoken%3Da",
            "(a:",
            "[token",
            '"token":"',
            "'token':'",
            "token: ",
            "%22token%22%3A%22",
            '\\"token\\":\\"',
            "%74",
            " token ",
            "//u:p@s s/",
            "token[",
            ";token='",
        ],
    ),
)
def test_secrets_take_linear_time(text: str) -> None:
    assert finishes(masked_component, text * 6_000)
    assert finishes(mask_secrets, text * 6_000)

"""Python's libraries of URLs that promise something else than RFC 3986, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from abnforge.conformance.judges import Function
from reporting.implementation import (
    ANOTHER,
    OWN,
    SPLITS,
    Asked,
    Implementation,
    always,
    between,
    function,
)
from reporting.uris import (
    BEFORE_COLON,
    BEHIND_HOST,
    IN_BRACKETS,
    IPV6,
    PORT,
    REFERENCE,
    SCHEME,
    URI,
    django,
    given_by,
    parts_of,
    raising,
    with_scheme,
)


def _host_and_port(module: str, name: str) -> Callable[[], Callable[[str], Any]]:
    """A class of URLs that may put off reading until it is asked for a part."""

    def load() -> Callable[[str], Any]:
        parse = getattr(import_module(module), name)

        def reads(text: str) -> bool:
            url = parse(text)
            _ = url.host, url.port
            return True

        return reads

    return load


def _urlsplit(name: str) -> Callable[[str], Any]:
    urlsplit = import_module("urllib.parse").urlsplit
    return lambda text: getattr(urlsplit(text), name)


def _scheme() -> Function:
    urlsplit = import_module("urllib.parse").urlsplit
    return lambda text: not set(BEFORE_COLON) & set(text) and urlsplit(text + ":").scheme == text.lower()


def _prepare() -> Function:
    request = import_module("requests").Request
    return always(lambda text: request("GET", text).prepare())


def _any_url() -> Callable[[str], object]:
    module = import_module("pydantic")
    return always(module.TypeAdapter(module.AnyUrl).validate_python)


def _absolute(module: str, call: str) -> Function:
    parse = getattr(import_module(module), call)
    return lambda text: parse(text).absolute


def _hyperlink(read: Callable[[Any], object]) -> Callable[[str], object]:
    parse = import_module("hyperlink").parse
    return lambda text: read(parse(text, decoded=False))


IMPLEMENTATIONS = (
    Implementation(
        "ada-url",
        "ada-url",
        ANOTHER,
        "the WHATWG URL Standard",
        "https://ada-url.readthedocs.io/",
        {
            URI: Asked("check_url(s)", function(given_by("ada_url", "check_url"))),
            **parts_of(given_by("ada_url", "check_url"), "check_url({})"),
        },
    ),
    Implementation(
        "can-ada",
        "can-ada",
        ANOTHER,
        "the WHATWG URL Standard",
        "https://pypi.org/project/can-ada/",
        {
            URI: Asked("can_parse(s)", function(given_by("can_ada", "can_parse"))),
            **parts_of(given_by("can_ada", "can_parse"), "can_parse({})"),
        },
    ),
    Implementation(
        "pydantic AnyUrl",
        "pydantic",
        ANOTHER,
        "the WHATWG URL Standard (Rust's `url`): “any scheme allowed”",
        "https://docs.pydantic.dev/latest/api/networks/",
        {
            URI: Asked("AnyUrl validates s", function(_any_url)),
            **parts_of(_any_url, "AnyUrl validates {}"),
        },
        beside=("pydantic_core",),
    ),
    Implementation(
        "validators.url",
        "validators",
        OWN,
        "“originally inspired from URL validator of dperini”",
        "https://validators.readthedocs.io/en/stable/api/url/",
        {URI: Asked("validators.url(s)", function(given_by("validators", "url")))},
    ),
    Implementation(
        "Django URLValidator",
        "Django",
        OWN,
        "“ensures that a value looks like a URL”; http, https, ftp and ftps by default",
        "https://docs.djangoproject.com/en/stable/ref/validators/#urlvalidator",
        {URI: Asked("URLValidator()(s)", django("URLValidator"))},
    ),
    Implementation(
        "requests",
        "requests",
        OWN,
        "what it can send a request to; other schemes pass as they are",
        "https://requests.readthedocs.io/en/latest/api/#requests.PreparedRequest",
        {URI: Asked('Request("GET", s).prepare()', function(_prepare))},
        beside=("urllib3", "idna"),
    ),
    Implementation(
        "urllib.parse",
        "python",
        SPLITS,
        "“the urlsplit() and urlparse() APIs do not perform validation of inputs”",
        "https://docs.python.org/3/library/urllib.parse.html#url-parsing-security",
        {
            URI: Asked("urlsplit(s).scheme", function(lambda: with_scheme("urllib.parse", "urlsplit"))),
            REFERENCE: Asked("urlsplit(s)", raising("urllib.parse", "urlsplit")),
            IPV6: Asked(
                'urlsplit("http://[" + s + "]/").hostname',
                function(lambda: between("http://[", "]/", IN_BRACKETS, _urlsplit("hostname"))),
            ),
            SCHEME: Asked('urlsplit(s + ":").scheme == s.lower()', function(_scheme)),
            PORT: Asked(
                'urlsplit("http://h:" + s + "/").port',
                function(lambda: between("http://h:", "/", BEHIND_HOST, always(_urlsplit("port")))),
            ),
        },
        known={
            URI: "[84589](https://github.com/python/cpython/issues/84589)",
            REFERENCE: "[78541](https://github.com/python/cpython/issues/78541)",
        },
    ),
    Implementation(
        "yarl",
        "yarl",
        SPLITS,
        "a URL class, which quotes what it is given; no promise to validate was found",
        "https://yarl.aio-libs.org/en/latest/api/",
        {
            URI: Asked("URL(s).absolute", function(lambda: _absolute("yarl", "URL"))),
            REFERENCE: Asked("URL(s)", raising("yarl", "URL")),
            **parts_of(_host_and_port("yarl", "URL"), "URL({}).host, .port"),
        },
        beside=("idna",),
        known={
            URI: "[1829](https://github.com/aio-libs/yarl/issues/1829)",
            REFERENCE: "[1829](https://github.com/aio-libs/yarl/issues/1829)",
        },
    ),
    Implementation(
        "hyperlink",
        "hyperlink",
        SPLITS,
        "“featureful, immutable, and correct URL”, made from text; IRIs are taken, too",
        "https://hyperlink.readthedocs.io/en/latest/api.html",
        {
            URI: Asked(
                "parse(s, decoded=False).scheme", function(lambda: _hyperlink(lambda url: url.scheme))
            ),
            REFERENCE: Asked(
                "parse(s, decoded=False)", function(lambda: always(_hyperlink(lambda url: True)))
            ),
            **parts_of(lambda: _hyperlink(lambda url: True), "parse({}, decoded=False)"),
        },
        beside=("idna",),
    ),
    Implementation(
        "furl",
        "furl",
        SPLITS,
        "“URL manipulation made simple”; no promise to validate was found",
        "https://github.com/gruns/furl/blob/master/API.md",
        {
            URI: Asked("furl(s).scheme", function(lambda: with_scheme("furl", "furl"))),
            REFERENCE: Asked("furl(s)", raising("furl", "furl")),
            **parts_of(_host_and_port("furl", "furl"), "furl({}).host, .port"),
        },
    ),
    Implementation(
        "httpx",
        "httpx",
        SPLITS,
        "“URL validation and normalization as described by RFC3986” (its source); quotes what is not",
        "https://github.com/encode/httpx/blob/master/httpx/_urlparse.py",
        {
            URI: Asked("URL(s).scheme", function(lambda: with_scheme("httpx", "URL"))),
            REFERENCE: Asked("URL(s)", raising("httpx", "URL")),
            **parts_of(_host_and_port("httpx", "URL"), "URL({}).host, .port"),
        },
        beside=("idna",),
    ),
    Implementation(
        "w3lib",
        "w3lib",
        SPLITS,
        "whether a text begins with file://, http:// or https://",
        "https://w3lib.readthedocs.io/en/latest/w3lib.html#w3lib.url.is_url",
        {URI: Asked("is_url(s)", function(given_by("w3lib.url", "is_url")))},
    ),
)

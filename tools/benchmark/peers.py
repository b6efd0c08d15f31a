"""The other packages: how each is called, and how its result becomes a verdict. All are optional.

The verdict of a peer is its closest equivalent of "is this a URI". Several do not claim to validate:
the table of wrong verdicts shows the errors if they are used as validators.
"""

from __future__ import annotations

import urllib.parse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module, metadata
from typing import Any

from benchmark.measure import Contender


@dataclass(frozen=True)
class Peer:
    """A package used as a validator.

    ``load`` imports the package and returns the contender. ``accepts`` converts the result of a call to a
    verdict; an exception in ``rejects`` means a rejection. ``terms`` describes the way of use.
    """

    package: str
    terms: str
    load: Callable[[], Contender]
    accepts: Callable[[Any], bool] = bool

    @property
    def version(self) -> str | None:
        """Return the installed version, or None if the package is not installed."""
        if self.package == "python":
            return "standard library"
        try:
            return metadata.version(self.package)
        except metadata.PackageNotFoundError:
            return None


def always(answer: object) -> bool:
    """Return the verdict of a call that rejects only by exceptions."""
    return True


def _urlsplit() -> Contender:
    return Contender("urllib.parse.urlsplit", urllib.parse.urlsplit, (ValueError,), urllib.parse.clear_cache)  # type: ignore[attr-defined]


def _rfc3986_validator() -> Contender:
    validate = import_module("rfc3986_validator").validate_rfc3986
    return Contender("rfc3986-validator", partial(validate, rule="URI"))


def _rfc3986() -> Contender:
    module, validators = import_module("rfc3986"), import_module("rfc3986.validators")
    exceptions = import_module("rfc3986.exceptions")
    parts = ("scheme", "userinfo", "host", "port", "path", "query", "fragment")
    validator = validators.Validator().require_presence_of("scheme").check_validity_of(*parts)

    def validate(text: str) -> None:
        validator.validate(module.uri_reference(text))

    return Contender("rfc3986 Validator", validate, (exceptions.RFC3986Exception,))


def _rfc3987() -> Contender:
    parse = import_module("rfc3987").parse
    return Contender("rfc3987.parse", partial(parse, rule="URI"), (ValueError,))


def _uritools_read() -> Contender:
    urisplit = import_module("uritools").urisplit

    def accepts(text: str) -> bool:
        parts = urisplit(text)
        parts.gethost(), parts.getport(), parts.getpath(), parts.getquery(), parts.getfragment()
        return bool(parts.isuri())

    return Contender("uritools, every getter", accepts, (ValueError,))


def _function(name: str, *rejects: type[Exception]) -> Contender:
    """Return a contender that is a function of a module."""
    module, _, function = name.partition(".")
    return Contender(name, getattr(import_module(module), function), rejects)


def _pydantic() -> Contender:
    module = import_module("pydantic")
    return Contender("pydantic AnyUrl", module.TypeAdapter(module.AnyUrl).validate_python, (ValueError,))


VERDICTS = (
    Peer("rfc3986-validator", 'validate_rfc3986(s, rule="URI")', _rfc3986_validator),
    Peer("rfc3986", "Validator that requires a scheme and checks every component", _rfc3986, always),
    Peer("rfc3987", 'parse(s, rule="URI") does not raise', _rfc3987, always),
    Peer("python", "urlsplit(s) does not raise and finds a scheme", _urlsplit, lambda r: bool(r.scheme)),
    Peer("uritools", "urisplit(s).isuri(), and every getter returns", _uritools_read),
    Peer(
        "yarl",
        "URL(s) does not raise and is absolute",
        partial(_function, "yarl.URL", ValueError),
        lambda r: bool(r.absolute),
    ),
    Peer("ada-url", "check_url(s): the WHATWG URL Standard", partial(_function, "ada_url.check_url")),
    # nanobind reports a lone surrogate as an argument of the wrong type.
    Peer(
        "can-ada", "can_parse(s): the WHATWG URL Standard", partial(_function, "can_ada.can_parse", TypeError)
    ),
    Peer("pydantic", "AnyUrl validates: the WHATWG URL Standard", _pydantic, always),
)


def available(peers: Sequence[Peer]) -> Iterator[tuple[Peer, Contender]]:
    """Yield the installed peers and their contenders."""
    for peer in peers:
        if peer.version is not None:
            yield peer, peer.load()


def versions() -> tuple[dict[str, str], list[str]]:
    """Return the versions of the installed peers by package, and the names of the missing ones."""
    peers = {p.package: p.version for p in VERDICTS if p.package != "python"}
    results = {name: version for name, version in peers.items() if version is not None}
    return results, [name for name, version in peers.items() if version is None]

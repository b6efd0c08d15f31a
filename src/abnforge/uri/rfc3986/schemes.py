"""What schemes say about which of their URIs are equivalent (RFC 3986, section 6.2.3).

Only what a scheme's own specification says is here, and every entry names it. Users add their own:
``normalize(u, scheme=True, schemes={**SCHEMES, "example": Scheme(default_port="9999")})``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from abnforge.uri.rfc3986.percent import uppercase_triplets


@dataclass(frozen=True, slots=True)
class Scheme:
    """The facts about one scheme that normalization uses.

    ``default_port`` is what an absent port means (digits, without leading zeros), and ``default_host`` what
    an empty or absent host means; None: the scheme defines none. ``rooted`` tells whether, behind an
    authority, an empty path means "/". ``path`` brings a path to its normal form where the scheme defines
    one: a function from path to path, which has to be idempotent and keep the path valid where it stands.
    ``source`` names the specification.
    """

    default_port: str | None = None
    default_host: str | None = None
    rooted: bool = True
    path: Callable[[str], str] | None = None
    source: str = ""

    def __post_init__(self) -> None:
        port = self.default_port
        if port is not None and not (port.isascii() and port.isdigit() and port == (port.lstrip("0") or "0")):
            raise ValueError(f"a default port is digits without leading zeros, not {port!r}")


# Of a scheme that is not registered only this is known: "In general, a URI that uses the generic syntax for
# authority with an empty path should be normalized to a path of "/"" (section 6.2.3), and a port that is
# empty is no port (section 3.2.3).
GENERIC = Scheme(source="RFC 3986, section 6.2.3")


def _lower(text: str) -> str:
    return uppercase_triplets(text.lower())


def _mailto(path: str) -> str:
    """The host of each address in lower case; a "," in an address is percent-encoded (RFC 6068, 2)."""
    addresses = (address.rpartition("@") for address in path.split(","))
    return ",".join(f"{local}{at}{_lower(host)}" if at else host for local, at, host in addresses)


def _urn(path: str) -> str:
    """The namespace identifier in lower case (RFC 8141, section 3.1)."""
    namespace, colon, name = path.partition(":")
    return f"{_lower(namespace)}{colon}{name}" if colon else path


SCHEMES: Mapping[str, Scheme] = MappingProxyType(
    {
        "coap": Scheme("5683", source="RFC 7252, section 6.1"),
        "coaps": Scheme("5684", source="RFC 7252, section 6.2"),
        "dict": Scheme("2628", source="RFC 2229, section 5"),
        "file": Scheme(default_host="localhost", source="RFC 8089, section 2"),
        "ftp": Scheme("21", source="RFC 1738, section 3.2"),
        "gopher": Scheme("70", source="RFC 4266, section 2"),
        "http": Scheme("80", source="RFC 9110, section 4.2.1"),
        "https": Scheme("443", source="RFC 9110, section 4.2.2"),
        "imap": Scheme("143", source="RFC 5092, section 4"),
        "ipp": Scheme("631", source="RFC 8010, section 8.2"),
        "ipps": Scheme("631", source="RFC 7472, section 4"),
        "ldap": Scheme("389", source="RFC 4516, section 2"),
        "mailto": Scheme(path=_mailto, source="RFC 6068, section 2"),
        "nntp": Scheme("119", source="RFC 5538, section 2"),
        "pop": Scheme("110", source="RFC 2384, section 4"),
        "rtsp": Scheme("554", source="RFC 7826, section 4.2"),
        "rtsps": Scheme("322", source="RFC 7826, section 4.2"),
        "telnet": Scheme("23", source="RFC 4248, section 2"),
        "urn": Scheme(path=_urn, source="RFC 8141, section 3.1"),
        "ws": Scheme("80", source="RFC 6455, section 3"),
        "wss": Scheme("443", source="RFC 6455, section 3"),
    }
)

"""What is known of schemes: which of their URIs are equivalent, and which ports are theirs.

For equivalence (RFC 3986, section 6.2.3) only what a scheme's own specification says is here, and every such
entry names it; further well-known ports (section 7.2) are from IANA's registry. Users add their own:
``normalize(u, scheme=True, schemes={**SCHEMES, "example": Scheme(default_port="9999")})``,
``security(u, ports={**WELL_KNOWN_PORTS, "example": (999,)})``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

from abnforge._arguments import function_argument, optional_argument, plain_argument, wrong_value
from abnforge.catalog import ArgumentTypeError
from abnforge.uri.common.messages import message
from abnforge.uri.rfc3986.parse import percent

LAST_WELL_KNOWN_PORT = 1023  # of the range that section 7.2 speaks of, which begins with 0


@dataclass(frozen=True, slots=True, weakref_slot=True)
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
        port = optional_argument(self.default_port, "default_port")
        optional_argument(self.default_host, "default_host")
        function_argument(self.path, "path")
        plain_argument(self.source, "source")
        if port is not None and not (port.isascii() and port.isdigit() and port == (port.lstrip("0") or "0")):
            raise wrong_value("default_port", "digits without leading zeros", repr(port))


# Of a scheme that is not registered only this is known: "In general, a URI that uses the generic syntax for
# authority with an empty path should be normalized to a path of "/"" (section 6.2.3), and a port that is
# empty is no port (section 3.2.3).
GENERIC = Scheme(source="RFC 3986, section 6.2.3")


def _lower(text: str) -> str:
    return percent.uppercase_triplets(text.lower())


def _mailto(path: str) -> str:
    """The host of each address in lower case; a "," in an address is percent-encoded (RFC 6068, 2)."""
    addresses = (address.rpartition("@") for address in path.split(","))
    return ",".join(f"{local}{at}{_lower(host)}" if at else host for local, at, host in addresses)


def _urn(path: str) -> str:
    """The namespace identifier in lower case (RFC 8141, section 3.1)."""
    namespace, colon, name = path.partition(":")
    return f"{_lower(namespace)}{colon}{name}" if colon else path


class SchemeEntry(NamedTuple):
    """What is known of one scheme.

    ``facts`` is None where its specification says nothing that normalization could use. ``ports`` are its
    well-known ports besides the default one, by IANA's service name and port number registry.
    """

    facts: Scheme | None = None
    ports: tuple[int, ...] = ()

    @property
    def well_known_ports(self) -> tuple[int, ...]:
        """All its well-known ports, in order."""
        default = None if self.facts is None else self.facts.default_port
        ports = {*self.ports} if default is None else {*self.ports, int(default)}
        return tuple(sorted(port for port in ports if port <= LAST_WELL_KNOWN_PORT))


REGISTRY: Mapping[str, SchemeEntry] = {
    "acap": SchemeEntry(ports=(674,)),
    "afp": SchemeEntry(ports=(548,)),
    "coap": SchemeEntry(Scheme("5683", source="RFC 7252, section 6.1")),
    "coaps": SchemeEntry(Scheme("5684", source="RFC 7252, section 6.2")),
    "dict": SchemeEntry(Scheme("2628", source="RFC 2229, section 5")),
    "dns": SchemeEntry(ports=(53,)),
    "file": SchemeEntry(Scheme(default_host="localhost", source="RFC 8089, section 2")),
    "finger": SchemeEntry(ports=(79,)),
    "ftp": SchemeEntry(Scheme("21", source="RFC 1738, section 3.2"), ports=(20,)),
    "ftps": SchemeEntry(ports=(989, 990)),
    "gopher": SchemeEntry(Scheme("70", source="RFC 4266, section 2")),
    "http": SchemeEntry(Scheme("80", source="RFC 9110, section 4.2.1")),
    "https": SchemeEntry(Scheme("443", source="RFC 9110, section 4.2.2")),
    "imap": SchemeEntry(Scheme("143", source="RFC 5092, section 4")),
    "imaps": SchemeEntry(ports=(993,)),
    "ipp": SchemeEntry(Scheme("631", source="RFC 8010, section 8.2"), ports=(80, 443)),
    "ipps": SchemeEntry(Scheme("631", source="RFC 7472, section 4"), ports=(443,)),
    "ldap": SchemeEntry(Scheme("389", source="RFC 4516, section 2")),
    "ldaps": SchemeEntry(ports=(636,)),
    "mailto": SchemeEntry(Scheme(path=_mailto, source="RFC 6068, section 2")),
    "news": SchemeEntry(ports=(119, 433)),
    "nntp": SchemeEntry(Scheme("119", source="RFC 5538, section 2"), ports=(433,)),
    "nntps": SchemeEntry(ports=(563,)),
    "pop": SchemeEntry(Scheme("110", source="RFC 2384, section 4")),
    "prospero": SchemeEntry(ports=(191,)),
    "rsync": SchemeEntry(ports=(873,)),
    "rtsp": SchemeEntry(Scheme("554", source="RFC 7826, section 4.2")),
    "rtsps": SchemeEntry(Scheme("322", source="RFC 7826, section 4.2")),
    "sftp": SchemeEntry(ports=(22,)),
    "smb": SchemeEntry(ports=(139, 445)),
    "snews": SchemeEntry(ports=(563,)),
    "snmp": SchemeEntry(ports=(161,)),
    "ssh": SchemeEntry(ports=(22,)),
    "telnet": SchemeEntry(Scheme("23", source="RFC 4248, section 2")),
    "tftp": SchemeEntry(ports=(69,)),
    "urn": SchemeEntry(Scheme(path=_urn, source="RFC 8141, section 3.1")),
    "wais": SchemeEntry(ports=(210,)),
    "whois": SchemeEntry(ports=(43,)),
    "ws": SchemeEntry(Scheme("80", source="RFC 6455, section 3")),
    "wss": SchemeEntry(Scheme("443", source="RFC 6455, section 3")),
}


class _Schemes(dict[str, Scheme]):
    """What is known, which nobody can change for others; in other processes it is what is known there."""

    def _refuse(self, *arguments: object, **named: object) -> NoReturn:
        raise ArgumentTypeError(message("schemes-frozen"))

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> str:
        return "SCHEMES"


SCHEMES: Mapping[str, Scheme] = _Schemes(
    {name: entry.facts for name, entry in REGISTRY.items() if entry.facts is not None}
)
"""What the specifications of schemes say beside the syntax, by the scheme's name. It cannot be changed."""

WELL_KNOWN_PORTS: Mapping[str, Collection[int]] = {
    name: ports for name, entry in REGISTRY.items() if (ports := entry.well_known_ports)
}
"""The ports within 0 to 1023 that a scheme is expected on. A scheme that is not here has none."""

"""Facts about schemes: equivalent URIs (RFC 3986, section 6.2.3) and well-known ports (section 7.2).

Facts about equivalence are from the specification of the scheme, which its entry names; further ports are
from IANA's registry. Callers add entries:
``normalize(u, scheme=True, schemes={**SCHEMES, "example": Scheme(default_port="9999")})``,
``security(u, ports={**WELL_KNOWN_PORTS, "example": (999,)})``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

from abnforge._arguments import function_argument, optional_argument, plain_argument, wrong_value
from abnforge.catalog import ArgumentTypeError
from abnforge.messages import message
from abnforge.uri.rfc3986.parse import percent

LAST_WELL_KNOWN_PORT = 1023  # section 7.2


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Scheme:
    """Facts about a scheme for normalization.

    ``default_port`` is the meaning of an absent port (digits without leading zeros), ``default_host`` of an
    empty or absent host; None if the scheme defines none. ``rooted`` is true if an empty path after an
    authority means "/". ``path`` is a function from a path to its normal form, which must be idempotent and
    keep the path valid. ``source`` names the specification.
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


# A scheme without an entry: an empty path after an authority means "/", and an empty port is absent.
GENERIC = Scheme(source="RFC 3986, section 6.2.3")


def _lower(text: str) -> str:
    return percent.uppercase_triplets(text.lower())


def _mailto(path: str) -> str:
    """Return the path with each host in lower case; a "," in an address is encoded (RFC 6068, section 2)."""
    addresses = (address.rpartition("@") for address in path.split(","))
    return ",".join(f"{local}{at}{_lower(host)}" if at else host for local, at, host in addresses)


def _urn(path: str) -> str:
    """Return the path with the namespace identifier in lower case (RFC 8141, section 3.1)."""
    namespace, colon, name = path.partition(":")
    return f"{_lower(namespace)}{colon}{name}" if colon else path


class SchemeEntry(NamedTuple):
    """A registered scheme.

    ``facts`` is None without facts for normalization. ``ports`` are well-known ports other than the default
    one, from IANA's service name and port number registry.
    """

    facts: Scheme | None = None
    ports: tuple[int, ...] = ()

    @property
    def well_known_ports(self) -> tuple[int, ...]:
        """All well-known ports, in ascending order."""
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
    """A dictionary that cannot be changed, and that pickles as a reference to ``SCHEMES``."""

    def _immutable(self, *arguments: object, **named: object) -> NoReturn:
        raise ArgumentTypeError(message("schemes-frozen"))

    __setitem__ = __delitem__ = __ior__ = _immutable
    clear = pop = popitem = setdefault = update = _immutable

    def __reduce__(self) -> str:
        return "SCHEMES"


SCHEMES: Mapping[str, Scheme] = _Schemes(
    {name: entry.facts for name, entry in REGISTRY.items() if entry.facts is not None}
)
"""The facts about schemes, by name. It cannot be changed."""

WELL_KNOWN_PORTS: Mapping[str, Collection[int]] = {
    name: ports for name, entry in REGISTRY.items() if (ports := entry.well_known_ports)
}
"""The well-known ports (0 to 1023) of each scheme that has any."""

"""The messages of the uri package: arguments, security findings."""

from __future__ import annotations

from abnforge.catalog import Catalog

message = Catalog(
    {
        "base-opaque": 'base {base:quoted} is opaque; use a base with "/" after its scheme',
        "base-relative": "base {base:quoted} must start with a scheme; resolve it first",
        "build-brackets": 'an IP address of this kind must be in brackets; write "[{host}]"',
        "build-path-absolute": 'a path without an authority cannot start with "//"',
        "build-path-after-authority": 'a path after an authority must be empty or start with "/"',
        "build-path-colon": 'the first segment cannot contain ":" if the scheme is missing',
        "build-without-host": 'host is missing; {name} requires a host, which can be ""',
        "encoded-control": "the {component} contains a percent-encoded control character",
        "encoded-delimiter": "the {component} contains a percent-encoded delimiter; split the URI before decoding",
        "encoded-dot-segment": "the path contains a percent-encoded dot-segment; decoding it changes the path",
        "encoded-line-break": "the {component} contains a percent-encoded line break; do not decode it in a header",
        "encoded-nul": "the {component} contains a percent-encoded NUL; reject it unless you expect binary data",
        "host-needless-encoding": "the host contains a needlessly percent-encoded character; write the character itself",
        "host-not-idna": "the host is a percent-encoded non-ASCII name; DNS requires the IDNA encoding",
        "host-not-utf8": "percent-encoded bytes of the host are not valid UTF-8 ({reason})",
        "host-too-long": "the host has {length} bytes; names must have at most {most} bytes",
        "ipvfuture": "the address mechanism is not supported: unknown version {version:quoted}",
        "mask-length": "mask must be one character with keep_length, not {mask:quoted}",
        "misleading-at-sign": 'the string after "@" is not the host; the host is {host:quoted}',
        "misleading-userinfo": "{user:quoted} is userinfo that looks like a host; the host is {host:quoted}",
        "password": "the URI contains a password, which is displayed and logged in clear text",
        "path-joins-authority": "resulting path {path:quoted} would extend the authority {authority:quoted};"
        ' use on_ambiguous="guard"',
        "path-reads-as-authority": "resulting path {path:quoted} would be parsed as an authority;"
        ' use on_ambiguous="guard" or "literal"',
        "path-above-root": 'too many ".." for the base path {path:quoted}; use excess="keep" or "discard"',
        "percent-malformed": '"%" at offset {offset} must be followed by two hex digits; write "%25"',
        "percent-non-ascii": "{char:char} at offset {offset} is not ASCII; percent-encode it",
        "percent-not-utf8": "{triplets:quoted} at offset {offset} is not UTF-8 ({reason}); use decode_octets",
        "percent-slash": '"%2F" at offset {offset} would become a delimiter; decode each segment separately',
        "percent-surrogate": "U+{codepoint:04X} at offset {offset} is a lone surrogate; pass bytes instead",
        "percent-unencodable": "{char:char} at byte {offset} is not allowed in {rule}, even percent-encoded",
        "port-of-scheme": "{port:quoted} must be SCHEME:PORT with a port up to {most}, such as http:81",
        "port-too-long": "port must be an int of at most {most} digits; pass a str",
        "protocol-missing": "protocol is missing; pass a function from a URI to an equivalent URI",
        "rare-ipv4": "many systems interpret this name as the IPv4 address {address}",
        "schemes-frozen": "SCHEMES cannot be changed; pass schemes={{**SCHEMES, ...}} instead",
        "security-code-unknown": "unknown code or family of security findings {name:quoted}{near:near}",
        "suffix-malformed": "line {line}: {rule:quoted} must be a name such as co.uk, *.ck or !www.ck",
        "suffixes-not-utf8": "{path:quoted} must be UTF-8, unlike the byte at offset {offset}",
        "suffixes-too-large": "{path:quoted} must have at most {most:count byte}; use the list of publicsuffix.org",
        "target-dot-segments": "the path of the target {target:quoted} has dot-segments; normalize it first",
        "target-relative": "target {target:quoted} must start with a scheme; resolve it first",
        "well-known-port": "well-known port {port} is not assigned to {scheme}; check the port",
        "well-known-port-of-others": "well-known port {port} is assigned to {others:list}, not to {scheme}",
    }
)

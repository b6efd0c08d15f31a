"""Component recomposition (RFC 3986, section 5.3; RFC 2396, section 5.2, step 7): components to text.

None is a component that is undefined, whose delimiter is not there either; "" is one that is empty.
"""

from __future__ import annotations

# Scheme, authority, path, query and fragment: what every reference consists of.
Five = tuple[str | None, str | None, str, str | None, str | None]


def recompose(
    scheme: str | None, authority: str | None, path: str, query: str | None, fragment: str | None
) -> str:
    """The reference with these components."""
    text = path if authority is None else f"//{authority}{path}"
    if scheme is not None:
        text = f"{scheme}:{text}"
    if query is not None:
        text = f"{text}?{query}"
    return text if fragment is None else f"{text}#{fragment}"


def recompose_authority(userinfo: str | None, host: str, port: str | None) -> str:
    """The authority with these components (RFC 3986, section 3.2; RFC 2396, section 3.2.2)."""
    text = host if userinfo is None else f"{userinfo}@{host}"
    return text if port is None else f"{text}:{port}"

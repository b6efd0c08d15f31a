"""RFC 3986: components, percent-encoding, resolution (section 5), normalization and comparison (section 6).

Read first: ``parse`` (strings to component objects), ``components``, ``transformer`` (trees to the same
objects). ``split`` is the regular expression of appendix B, which finds the components of valid strings fast;
``resolve`` and ``normalize`` work on its result, ``equivalence`` on normal forms. ``build`` joins components,
``schemes`` is the registry of schemes and ports.

This package must not know RFC 2396. Everything public is in :mod:`abnforge.uri`.
"""

from abnforge.uri.rfc3986.components import URI, Authority, RelativeRef
from abnforge.uri.rfc3986.parse import explain, is_valid, parse
from abnforge.uri.rfc3986.resolve import resolve

__all__ = ["URI", "Authority", "RelativeRef", "explain", "is_valid", "parse", "resolve"]

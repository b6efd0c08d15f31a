"""RFC 3986: components, resolution, normalization, comparison, percent-encoding."""

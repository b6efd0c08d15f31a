"""Mistakes derived from a grammar alone: what people write wrong in any notation."""

"""Core form -> notations that other programs read."""

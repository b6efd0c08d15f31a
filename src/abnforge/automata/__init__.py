"""Core form -> states and moves: derivatives first, deterministic tables built on them."""

"""Outputs: valid rows, and rejects."""

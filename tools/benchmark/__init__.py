"""Measurements, contenders and reports for ``tools/bench.py``."""

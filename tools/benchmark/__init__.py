"""Measurements, contenders and reports of ``tools/bench.py``."""

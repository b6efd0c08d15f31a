"""The parts of ``tools/bench.py``: measurements, contenders, and method."""

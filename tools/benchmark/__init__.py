"""The parts of ``tools/bench.py``: what is measured, against whom, and how."""

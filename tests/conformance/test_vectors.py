"""Vectors are values."""

from __future__ import annotations

import pickle

from abnforge.conformance import Vector


def test_a_vector_is_a_value() -> None:
    vector = Vector("a", True, "complete")
    assert pickle.loads(pickle.dumps(vector)) == vector
    assert (vector.text, vector.valid, vector.why) == ("a", True, "complete")

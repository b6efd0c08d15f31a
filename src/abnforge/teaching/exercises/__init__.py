"""Exercises, the grading of their answers, and fixes of wrong answers."""

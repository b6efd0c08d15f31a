"""Grammars as they are taught: derivations step by step, trees and rules as pictures and in words; and
exercises, graded by set algebra: an answer is right when its language is the one wanted.
"""

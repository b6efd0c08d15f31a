"""Grammars as they are taught: derivations step by step, trees and rules as pictures and in words."""

"""The messages of the modules next to this one: arguments, budgets, errors."""

from __future__ import annotations

from abnforge.catalog import Catalog

message = Catalog(
    {
        "argument-bytes": "{name} must be {expected}, not {type}; decode it first",
        "argument-choice": "{name} must be {choices:or}, not {value:quoted}",
        "argument-empty": "{name} must not be empty",
        "argument-type": "{name} must be {expected}, not {type}",
        "argument-value": "{name} must be {expected}, not {value}",
        "budget-empty": "budget {budget:quoted} must be more than 0x, such as 10x or 0.1x",
        "budget-too-large": "budget {name} must be at most 10**18",
        "budget-unknown": "budget must be a multiple (10x) or settings (steps=20M,memory=2G), not {budget:quoted}",
        "limit-constant": "{operation} exceeds {limit:count step} ({setting})",
        "limit-memory": "{operation} exceeds {limit:count byte} of memory; raise the budget",
        "limit-seconds": "{operation} exceeds {limit:count second}; raise the budget",
        "limit-steps": "{operation} exceeds {limit:count step}; raise the budget",
        "limit-steps-share": "{operation} exceeds {limit:count step} ({share} of all); raise the budget",
        "output-directory": "the output is a directory; write the name of a file in it",
        "output-directory-denied": "the directory {directory} is not writable",
        "output-directory-missing": "the directory {directory} does not exist",
        "output-kind": "the output must be a file, a device or a pipe",
        "output-stream": "the standard stream does not accept bytes",
    }
)

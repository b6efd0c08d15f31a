"""The messages of source code export."""

from __future__ import annotations

from abnforge.catalog import Catalog

message = Catalog(
    {
        "code-differs": "the {target} file of {rule} differs from the rule; report this fault of abnforge",
        "code-name": "name must be ASCII letters, digits and underscores after a letter, not {name:quoted}",
        "code-name-reserved": "{word} is reserved in {language}; choose another name",
        "code-output": "{target} does not write {suffix} files; use {expected}",
        "code-output-class": "the file of the class must be named {expected}, not {file}; change one of the names",
        "code-part-unused": "{rule} does not use {unused:list}; omit it from parts",
        "code-parts-recursive": "{rule} is recursive; omit parts",
        "code-parts-too-large": "{rule} with parts exceeds the limits of its automaton; name fewer parts",
        "code-too-large": "{rule} has {number:,} {unit}s; the limit is {limit:,}",
        "code-undecided": "{rule} has {number:,} states or more ({limit:count step}); export a smaller rule",
    }
)

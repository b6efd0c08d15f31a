"""The messages about files of mistakes, for their authors. (``messages`` fills the ``say`` of a mistake.)"""

from __future__ import annotations

from abnforge.catalog import Catalog

message = Catalog(
    {
        "adopt-alone": '"{word}" requires "adopt" in the same block',
        "adopt-example-unknown": "unknown example {example:quoted} of the mistakes of {grammar}",
        "adopt-grammar-unknown": "the grammar {grammar:quoted} does not have a mistakes file",
        "adopt-mistake-unknown": "unknown mistake {mistake:quoted} of {grammar}{near:near}",
        "adopt-word": '"{word}" is not allowed in the block of "{block}"; move it',
        "complete-repeated": '"{word}" is repeated; remove it',
        "cost-out-of-range": "cost must be a whole number from 1 to {most}",
        "directive-above-nothing": '"{word}" is not above a rule; write it in the line before a rule',
        "directive-in-rule": "a directive is not allowed in a rule; write it above the rule, not indented",
        "directive-of-file": '"{word}" is about the whole file; write an empty line after it',
        "directive-of-mistake": '"{word}" requires "of", "before" or "after"; write which rule it is about',
        "directive-repeated": '"{word}" is repeated above the rule {rule:quoted}; remove it',
        "directive-unknown": "unknown directive {word:quoted}; use {words:or}",
        "directive-unknown-near": "unknown directive {word:quoted}{near:near}",
        "each-without-parameter": "the rule {rule:quoted} must have {parameter:quoted} as a part of its name",
        "fix-loses-text": '{slot:quoted} can occur many times; write "all" or "subst" to keep all of them',
        "fix-repeats-slot": "the fix writes {slot:quoted} twice; write it once",
        "left-recursion": "the rule {rule:quoted} is indirectly left-recursive; rewrite it",
        "left-recursion-start": "mistakes of {start:quoted} require rules without hidden left recursion;"
        " rewrite {rule:quoted}",
        "map-unknown": "unknown map {map:quoted}; use {maps:or}",
        "map-unknown-near": "unknown map {map:quoted}{near:near}",
        "mistake-code-reserved": "the code {code:quoted} is reserved; choose another name",
        "mistake-literal-unknown": "the rule {rule:quoted} does not contain the literal {literal:quoted}",
        "mistake-literal-unknown-of": "the rule {rule:quoted} does not contain the literal {literal:quoted};"
        " use {literals:or}",
        "mistake-places": '"{first}" and "{second}" are above one rule; remove one of them',
        "mistake-rule-defined": "the grammar {grammar} already defines {rule:quoted}; choose another name",
        "mistake-rule-twice": "the rule {rule:quoted} is already defined; rename one of them",
        "mistake-rule-undefined": "{code:quoted} uses {rule:quoted}, not defined in {grammar}{near:near}",
        "mistake-word-missing": '"{word}" is missing in the mistake {rule:quoted}',
        "placeholder-brace": '"{brace}" must be written "{brace}{brace}", or around a slot',
        "proof-fix": "the fix of {rule} can produce {example:quoted}, which is not a valid {target}",
        "proof-fix-unproved": "the fix of {rule} is not proved: {reason}",
        "proof-never": "{rule} is never used: {other} matches the same strings",
        "proof-never-covered": "{rule} is never used: {other} comes first and matches the same strings",
        "proof-not-regular": "{rule} is not known to be regular",
        "proof-not-regular-needed": "{rule} uses a rule that is not known to be regular",
        "proof-overlap": "{rule} and {other} both match {example:quoted}, which is reported as {other}",
        "proof-overlap-valid": "{rule} and {other} both match {example:quoted}, which is not a mistake",
        "proof-unproved": "{rule} is not compared with other mistakes: {reason}",
        "proof-wildcard": "a mistake of any rule is proved only if its fix removes the mistake",
        "slot-as-code": "{slot:quoted} is a slot; a code must be a name",
        "slot-as-rule": "{slot:quoted} is a slot; write a rule name",
        "slot-count": "unknown slot {slot:quoted}; {rule:quoted} uses {name} at most {most:count time}",
        "slot-unknown": "the rule {rule:quoted} does not use {name:quoted}",
        "slot-unknown-near": "the rule {rule:quoted} does not use {name:quoted}{near:near}",
        "slot-unknown-used": "the rule {rule:quoted} does not use {name:quoted}; it uses {used:list}",
        "subst-number": '"subst" replaces every use of a rule; name the rule once, without a number',
    }
)

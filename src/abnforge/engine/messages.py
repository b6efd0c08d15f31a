"""The messages of the engine package: names, rules, set algebra, exports."""

from __future__ import annotations

from abnforge.catalog import Catalog

message = Catalog(
    {
        "combination-limit": "combining rules exceeds {limit:count operation}; write one rule of a grammar",
        "combination-tree": "{rule} matches the string without its operands; a tree is not available",
        "dialect-unknown": "unknown export target {dialect:quoted}; use {dialects:or}",
        "engine-general": '{operation} requires engine="general", not {engine:quoted}',
        "export-bytes": "{target:quoted} does not support grammars of bytes; use {targets:or}",
        "export-failed": "cannot export {rule} to {dialect}: {reason}",
        "export-failed-linear": "cannot export {rule} to {dialect}: {reason}; use {dialects:or}, or allow backtracking",
        "export-group-unused": "{rule} does not use {unused:list}; omit it from groups",
        "export-groups": "{dialect} does not support named groups; use {dialects:or}",
        "export-parts": "{target:quoted} does not support parts or a name; use {targets:or}",
        "expression-length": "the length in {expression:quoted} must be at most {most:count digit}",
        "expression-nesting": "the expression {expression:quoted} is nested deeper than {limit:count level}",
        "expression-operator": "an operator is missing before {before} in the expression {expression:quoted}",
        "expression-parenthesis": '")" is missing before {before} in the expression {expression:quoted}',
        "expression-rule": "a rule is missing before {before} in the expression {expression:quoted}",
        "expression-sign": "unexpected {text:quoted} in {expression:quoted}; check the operators",
        "file-damaged": "{path} is incomplete; reinstall abnforge",
        "grammar-missing": "the name of the grammar is empty; use a built-in grammar, abnf:NAME or a file",
        "attempts-combined": "{rule} is a combination of rules; use its operands instead",
        "attempts-excepted": "{rule} excludes the strings of {names:list}; attempts cannot show that",
        "grammar-unknown": "unknown grammar {grammar:quoted}: not a built-in grammar or a file{near:near}",
        "lesson-not-utf8": "text must be valid UTF-8; use explain() for the offset",
        "rule-alphabets": "{rules:list} must have the same alphabet; load both grammars with the same alphabet",
        "rule-combined": "{rule} is a combination of rules; use {operands:list} for {what}",
        "rule-combined-lint": "{rule} is a combination of rules; lint the grammars of its operands",
        "rule-name-missing": "a rule is missing after the colon of {text:quoted}",
        "rule-not-regular": "{rule} of {grammar} must be regular, but it is recursive",
        "rule-prose": "rule {rule:quoted} contains prose <{text}>; replace it with ABNF",
        "rule-prose-import": "rule {rule:quoted} contains prose <{text}>; import {sources:or}",
        "rule-prose-used": "rule {rule:quoted} uses {described:quoted}, which contains prose <{text}>; replace it with ABNF",
        "rule-prose-used-import": "rule {rule:quoted} uses {described:quoted}, which contains prose <{text}>; import {sources:or}",
        "rule-recursive": '{rule} is recursive; use engine="general" or "lark"',
        "rule-undefined-used": "rule {rule:quoted} uses {undefined:quoted}, which is not defined; define it",
        "rule-undefined-used-import": "rule {rule:quoted} uses {undefined:quoted}, which is not defined; import {sources:or}",
        "set-excluded": "the string matches {rule}, which {name} excludes",
        "set-length": "the string is longer than {most:count character}",
        "set-length-is": "the string has {{length}} characters; use at most {most:,}",
        "set-outside": "the string matches {left} but not {rule}",
        "set-outside-reason": "the string does not match {rule}: {reason}",
    }
)

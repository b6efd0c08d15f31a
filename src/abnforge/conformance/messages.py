"""The messages of the conformance package: implementations, suites, known deviations, generated strings."""

from __future__ import annotations

from abnforge.catalog import Catalog

message = Catalog(
    {
        "coverage-combined": "{rule} is a combination of rules; use its operands instead",
        "coverage-cyclic": "{rule} uses {cyclic}, which can match itself alone; rewrite {cyclic}",
        "flag-unknown": "unknown flag {flag:quoted} of {dialect}; use {flags:or}",
        "judge-answer": "{program} wrote {line:quoted}, expected {expected}",
        "judge-async": "the implementation must return its result; wrap the async function or generator",
        "judge-closed": "the implementation is closed; open it again",
        "judge-extra-line": "{program} wrote a line that was not requested: {line:quoted}",
        "judge-failed": "the implementation failed for {text:quoted}: {reason}",
        "judge-import": "cannot import {name}: {reason}",
        "judge-lost": "{program} failed for {count} consecutive strings: {reason}",
        "judge-name": "a function must be MODULE:FUNCTION, such as mypackage:is_valid, not {name:quoted}",
        "judge-note": "raised for {text:quoted}",
        "judge-unsteady": "not deterministic: implementation accepted, then rejected {text:quoted}",
        "judge-unsteady-reject": "not deterministic: implementation rejected, then accepted {text:quoted}",
        "judge-unsupported": "the implementation cannot validate {text:quoted}",
        "known-entry": "{path}: entry {number}: {problem}",
        "known-implementation": "implementation must be a name",
        "known-key": "unknown key {key:quoted}; use {keys:or}",
        "known-matches": "{rule} matches the known deviation {text:quoted}; write valid = true",
        "known-no-match": "{rule} does not match the known deviation {text:quoted}; write valid = false",
        "known-not-table": "an entry must be a table",
        "known-reason": "reason is missing; write why the deviation is accepted",
        "known-rule": 'rule must be a string such as "rfc3986:URI"',
        "known-tables": "{path} must contain [[known]] tables only",
        "known-toml": "{path} is not valid TOML: {reason}",
        "known-valid": "valid must be true or false",
        "learn-missing": "abnforge.conformance.learn requires aalpy; run pip install 'abnforge[learn]'",
        "limit-queries": "{operation} exceeds {limit:,} queries; raise queries",
        "matrix-name": "unknown implementation {name:quoted}; use {names:or}",
        "pattern-bytes": "a pattern of bytes cannot contain characters above U+00FF: {pattern:quoted}",
        "pattern-bytes-dialect": "patterns of {dialect} cannot be tested against a grammar of bytes; use python",
        "pattern-compiled": "text is a compiled pattern; omit dialect and flags",
        "pattern-locale": "the flag LOCALE requires a pattern of bytes; remove it",
        "regular-required": "{how:quoted} requires a regular rule; {rule} is not known to be regular",
        "suite-not-regular": "extra_states requires a regular rule; {rule} is not known to be regular",
        "vector-base64": "base64 must encode UTF-8 bytes",
        "vector-line": "line {number}: {problem}",
        "vector-not-object": "a vector must be a JSON object",
        "vector-rule": 'rule is missing; write "GRAMMAR:RULE"',
        "vector-text": "text is missing; write a string, or base64",
        "vector-valid": "valid is missing; write true or false",
    }
)

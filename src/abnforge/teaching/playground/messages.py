"""The messages of the playground: of its build, and of the calls of its page."""

from __future__ import annotations

from abnforge.catalog import Catalog

message = Catalog(
    {
        # the build
        "directory-not-empty": "{directory} is not empty and not a playground; use another directory",
        "directory-foreign-file": "{file} in {directory} is not part of a playground; remove it",
        "directory-in-use": "{directory} contains the working directory; build from another directory",
        "directory-is-file": "{directory} is a file; use a directory",
        "manifest-unreadable": "cannot read {path}; remove {directory}, or use another directory",
        "module-changed": "{name} of Pyodide has an unexpected SHA-256: {sha256}",
        "module-missing": "{path} is missing; run npm ci in a copy of abnforge/teaching/playground/web",
        "program-missing": "{program} is missing; install Node.js 18 or later, with npm",
        "program-failed": "{program} failed with status {status}",
        "program-timeout": "{program} took more than {seconds} s",
        "library-missing": "the playground requires {name}; run pip install 'abnforge[railroad]'",
        # the calls of the page
        "call-unknown": "unknown call {name:quoted}; use {known:or}",
        "call-string": "{name} must be a string",
        "call-number": "{name} must be a number from 0 to {limit}",
        "call-order": "order must be {known:or}, not {value:quoted}",
        "call-too-long": "the playground accepts at most {limit:,} characters here, not {length:,}",
        "call-nested": "the input is nested too deeply for a browser",
        "call-memory": "the input exceeds the memory of the browser",
        "call-exercise": "unknown exercise {id:quoted}",
        "call-derivation": "the string has fewer than {number:count derivation}",
    }
)

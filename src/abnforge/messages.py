"""Messages of the shared modules (arguments, budgets, outputs), of policies, of automata and of comparison."""

from __future__ import annotations

from abnforge.catalog import Catalog

message = Catalog(
    {
        "argument-not-bytes": "{name} must be bytes-like for a grammar of bytes, not {type}; encode it first",
        "argument-bytes": "{name} must be {expected}, not {type}; decode it first",
        "argument-choice": "{name} must be {choices:or}, not {value:quoted}",
        "argument-empty": "{name} must not be empty",
        "argument-type": "{name} must be {expected}, not {type}",
        "argument-value": "{name} must be {expected}, not {value}",
        "budget-empty": "budget {budget:quoted} must be more than 0x, such as 10x or 0.1x",
        "budget-too-large": "budget {name} must be at most 10**18",
        "budget-unknown": "{budget:quoted} is not a budget; write a multiple (10x) or limits (steps=20M,memory=2G)",
        "comparison-identical": "the definitions are identical, with all rules that they use",
        "comparison-renamed": "{left} is named {right} in the other grammar",
        "difference-cyclic": "{rule} except {excepted:list} uses itself; remove the cycle",
        "difference-not-regular": "{rule} except {excepted:list} requires regular rules;"
        " {operand} is not known to be regular",
        "difference-prose": "{rule} except {excepted:list} requires an ABNF definition of {prose}",
        "limit-constant": "{operation} exceeds {limit:count step} ({setting})",
        "limit-memory": "{operation} exceeds {limit:count byte} of memory; raise the budget",
        "limit-seconds": "{operation} exceeds {limit:count second}; raise the budget",
        "limit-steps": "{operation} exceeds {limit:count step}; raise the budget",
        "limit-steps-share": "{operation} exceeds {limit:count step}, {share} of the budget; raise it",
        "output-directory": "the output is a directory; write the name of a file in it",
        "output-directory-denied": "the directory {directory} is not writable",
        "output-directory-missing": "the directory {directory} does not exist",
        "output-kind": "the output must be a file, a device or a pipe",
        "output-stream": "the standard stream does not accept bytes",
        "leap-list-malformed": "line {line} of {path:quoted} must have two numbers, as in leap-seconds.list",
        "leap-list-too-large": "{path:quoted} must have at most {most:count byte}; use leap-seconds.list of the IERS",
        "policy-address": "the address is longer than {most:count byte}",
        "policy-address-is": "the address must have at most {most:count byte}, not {{length}}",
        "policy-empty": "no string of {rule} can meet the policy: {code} rejects all of them ({meaning})",
        "policy-host": "the host is empty or missing",
        "policy-host-empty": "the host must not be empty",
        "policy-host-missing": "the host is missing",
        "policy-label": "a label of the domain is longer than {most:count byte}",
        "policy-label-is": "a label of a domain must have at most {most:count byte}, unlike {{text}}",
        "policy-leap-second": "a leap second is not 23:59:60 UTC on a day of the list",
        "policy-leap-second-is": "the leap second must be 23:59:60 UTC on {days:or}, not {{text}}",
        "policy-length": "the string is longer than {most:count character}",
        "policy-length-is": "the string must have at most {most:count character}, not {{length}}",
        "policy-local-part": "the local part is longer than {most:count byte}",
        "policy-local-part-is": "the local part must have at most {most:count byte}, unlike {{text}}",
        "policy-port": "the port is greater than {highest}",
        "policy-port-is": "the port must be at most {highest}, not {{text}}",
        "policy-rule": "the string must match {rule} of {grammar}",
        "policy-scheme": "the scheme is not {schemes:or}",
        "policy-scheme-is": "the scheme must be {schemes:or}, not {{text}}",
        "policy-scheme-missing": "the scheme is missing; use {schemes:or}",
        "translation-malformed": "a translation must be NAME=ABNF, not {translation:quoted}",
    }
)

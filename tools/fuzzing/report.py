"""A failure as people read it, and as a test to paste."""

from __future__ import annotations

import re

from fuzzing.cases import Case
from fuzzing.minimise import Failure

# What a claim may use: as it looks there, and the import that it needs.
_IMPORTS = {
    r"\bre\.": "import re",
    r"\bTree\(": "from lark import Tree",
    r"\babnforge\.": "import abnforge",
    r"\buri\.": "from abnforge import uri",
    r"\b(?:reader|printer|extract)\.": "from abnforge.grammar import extract, printer, reader",
    r"\balgebra\.": "from abnforge.automata import algebra",
    r"\bgeneration\.": "from abnforge.engine import generation",
    r"\bapplied\(": "from tests.laws.engines import applied",
    r"\bflat\(": "from tests.reference.trees import flat",
    r"\bcheck_tree\(": "from tests.reference.trees import check as check_tree",
    r"\bstop\(": "from tests.reference.stop import stop",
    r"\bENGINES\[": "from tests.reference.engines import ENGINES",
}


def described(kind: str, seed: int, number: int, failure: Failure, case: Case) -> str:
    """What was found: which law, why, how to see it again, and the test."""
    return (
        f"{kind}: the law of {failure.law} does not hold\n"
        f"    {failure.why}\n"
        f"    again: python tools/fuzz.py {kind} --seed {seed} --case {number}\n\n"
        f"{pasted(kind, seed, number, failure, case)}"
    )


def pasted(kind: str, seed: int, number: int, failure: Failure, case: Case) -> str:
    """A test that fails now and will not when the fault is mended."""
    body = list(case.setup())
    if "model" in failure.claim:
        body.append("model = reader.read(text)")
    if failure.kind == "assert":
        body.append(f"assert {failure.claim}")
    else:
        body.append(f"{failure.claim}  # {failure.kind}")
    text = "\n".join(body)
    imports = [line for pattern, line in _IMPORTS.items() if re.search(pattern, text)]
    name = re.sub(r"\W+", "_", f"{kind}_{failure.law}")
    lines = [
        *imports,
        "",
        "",
        f"def test_{name}_of_seed_{seed}_case_{number}() -> None:",
        *(f"    {line}" for line in body),
    ]
    return "\n".join(lines) + "\n"

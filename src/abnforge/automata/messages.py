"""Messages about automata: rules with exceptions."""

from __future__ import annotations

from abnforge.catalog import Catalog

message = Catalog(
    {
        "difference-cyclic": "{rule} except {excepted:list} uses itself; remove the cycle",
        "difference-not-regular": "{rule} except {excepted:list} requires regular rules;"
        " {operand} is not known to be regular",
        "difference-prose": "{rule} except {excepted:list} requires an ABNF definition of {prose}",
    }
)

"""The kernel: tables and texts in, verdicts, offsets and places out, in C. See docs/kernel.md."""

"""Generated JSON with a key a line, of which one is looked up without reading the others.

``tools/build_grammars.py`` writes every name of an object on a line of its own. A file holds what is known of
all rules of a grammar, and a verdict needs one of them: to find its line takes a hundredth of the time.
"""

from __future__ import annotations

import json
from typing import Any


class KeyedLines:
    """An object whose values stand on a line each, and so do those of the objects among them."""

    def __init__(self, octets: bytes) -> None:
        self._octets = octets
        self._objects: dict[str, tuple[int, int]] = {}

    def value(self, name: str) -> Any:
        """A value that is no object, by its name. Raises KeyError. Cost: its line is found and read."""
        line = self._line(f"  {json.dumps(name)}: ", 0, len(self._octets))
        if line is None:
            raise KeyError(name)
        return json.loads(line)

    def has(self, name: str, key: str) -> bool:
        """Whether the object of a name has a key. Cost: that of finding its line."""
        return self._line(f"    {json.dumps(key)}: ", *self._object(name)) is not None

    def get(self, name: str, key: str) -> Any:
        """What the object of a name has for a key; None if it has nothing. Cost: as for ``value``."""
        line = self._line(f"    {json.dumps(key)}: ", *self._object(name))
        return None if line is None else json.loads(line)

    def object(self, name: str) -> dict[str, Any]:
        """All of the object of a name. Raises KeyError. Cost: its lines are read."""
        start, end = self._object(name)
        found: dict[str, Any] = json.loads(b"{" + self._octets[start:end] + b"}")
        return found

    def _object(self, name: str) -> tuple[int, int]:
        """Where the lines of an object begin and end, with the line's ends around them."""
        if name in self._objects:
            return self._objects[name]
        opening = f"\n  {json.dumps(name)}: {{\n".encode()
        start = self._octets.find(opening)
        if start < 0:
            raise KeyError(name)
        start += len(opening) - 1
        found = self._objects[name] = start, self._octets.index(b"\n  }", start)
        return found

    def _line(self, head: str, start: int, end: int) -> bytes | None:
        """What stands on the line that begins so; strings of JSON hold no line's end."""
        sought = b"\n" + head.encode()
        found = self._octets.find(sought, start, end)
        if found < 0:
            return None
        found += len(sought)
        stop = self._octets.find(b"\n", found, end)
        return self._octets[found : end if stop < 0 else stop].removesuffix(b",")

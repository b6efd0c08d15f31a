"""What took long to compile, kept on disk for the next process: minimal automata and proved patterns.

An entry is named by all that it follows from (content-addressed): the bodies that a rule needs, the budget,
and the code that compiles them. It is data, JSON, behind an authentication code (RFC 7693, keyed) under a
secret that lies elsewhere, in the user's own folder of data: what somebody wrote into the cache, what was cut
short, and what is another entry's is not believed. An entry is put in place by one rename, so that processes
may write it at once and be killed at any moment. Whatever goes wrong, the answer is to compile.

``ABNFORGE_CACHE`` names another folder, or is ``off``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING, Any

from abnforge._lazy import importing
from abnforge.grammar.core import Chars, Choice, Literal, Node, Prose, Ref, Repeat, Seq
from abnforge.grammar.facts import walk

if TYPE_CHECKING:
    from abnforge.budget import Budget

MAX_ENTRY_OCTETS = 8 * 1024 * 1024
"""A larger automaton is made again by each process."""

MAX_CACHE_OCTETS = 200 * 1024 * 1024
"""What all entries may take; beyond it the oldest go."""

# What an entry begins with: its authentication code, in hexadecimal digits, and a line's end.
_CODE_OCTETS = 32
_HEAD = 2 * _CODE_OCTETS + 1
_SECRET_OCTETS = 32

_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

# Folders of the package whose modules make what is kept, and itself.
_MAKERS = ("", "automaton", "backends", "backends/regex", "engine", "grammar")


class Cache:
    """A folder of entries, each a JSON value under a name. Nothing here raises OSError."""

    def __init__(self, folder: Path, secret: bytes) -> None:
        self._folder = folder
        self._secret = secret

    def get(self, name: str) -> Any:
        """The value of a name; None where there is none that can be believed."""
        try:
            data = _read(self._folder / name)
        except OSError:
            return None
        body = data[_HEAD:]
        with importing:
            from hmac import compare_digest
            from json import loads
        if not compare_digest(data[:_HEAD], self._code(name, body)):
            return None
        return loads(body)

    def put(self, name: str, value: Any) -> None:
        """Keep a value, if that can be done."""
        with importing:
            from json import dumps
            from secrets import token_hex
        body = dumps(value, separators=(",", ":")).encode()
        if len(body) > MAX_ENTRY_OCTETS:
            return
        made = self._folder / f".{name}.{token_hex(8)}"
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                _write(made, self._code(name, body) + body)
                made.replace(self._folder / name)
            except OSError:
                made.unlink(missing_ok=True)
                return
            self._tidy()
        except OSError:
            return

    def _code(self, name: str, body: bytes) -> bytes:
        code = _digest(b"%s\n%s" % (name.encode(), body), key=self._secret)
        return code.encode() + b"\n"

    def _tidy(self) -> None:
        """Let the oldest entries go where all of them are too many."""
        found = []
        with os.scandir(self._folder) as entries:
            for entry in entries:
                try:
                    known = entry.stat(follow_symlinks=False)
                except OSError:  # another process was faster
                    continue
                found.append((known.st_mtime_ns, entry.name, known.st_size))
        left = sum(size for _, _, size in found)
        for _, name, size in sorted(found):
            if left <= MAX_CACHE_OCTETS:
                return
            left -= size
            (self._folder / name).unlink(missing_ok=True)


@cache
def user_cache() -> Cache | None:
    """The cache of whoever runs this process; None where it is off, or its secret has no place."""
    chosen = os.environ.get("ABNFORGE_CACHE", "")
    if chosen.lower() in ("off", "0", "no", "false"):
        return None
    try:
        caches, data = user_folders()
        makers()
        secret = _secret(data / "cache-secret")
        return Cache(Path(chosen).absolute() if chosen else caches, secret)
    except (OSError, RuntimeError):  # no folder of one's own
        return None


def user_folders() -> tuple[Path, Path]:
    """Where the platform keeps caches, and data (the XDG base directories; Apple's and Microsoft's folders).

    A library that knows more platforms takes as long to import as all that a small grammar asks for.
    """
    home = Path.home()
    if sys.platform == "darwin":
        return home / "Library/Caches/abnforge", home / "Library/Application Support/abnforge"
    if sys.platform == "win32":
        local = Path(os.environ.get("LOCALAPPDATA") or home / "AppData/Local") / "abnforge"
        return local / "cache", local
    caches, data = (
        Path(os.environ[name]) if os.path.isabs(os.environ.get(name, "")) else home / usual
        for name, usual in (("XDG_CACHE_HOME", ".cache"), ("XDG_DATA_HOME", ".local/share"))
    )
    return caches / "abnforge", data / "abnforge"


def _secret(path: Path) -> bytes:
    """The secret in a file, made when first asked for. Of several processes that make one the last one's is
    kept; what the others keep meanwhile is not believed later.
    """
    try:
        known = _read(path)
    except FileNotFoundError:
        known = b""
    if len(known) != _SECRET_OCTETS:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        known = os.urandom(_SECRET_OCTETS)
        made = path.with_name(f".{path.name}.{os.urandom(8).hex()}")
        _write(made, known)
        made.replace(path)
    return known


def _read(path: Path) -> bytes:
    """What is in a file, up to a limit; nothing of what is none, which could keep one waiting."""
    with os.fdopen(os.open(path, os.O_RDONLY | _AT_ONCE), "rb") as file:
        return file.read(MAX_ENTRY_OCTETS + _HEAD + 1) if S_ISREG(os.fstat(file.fileno()).st_mode) else b""


def _write(path: Path, data: bytes) -> None:
    """A new file that nobody else can read."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _AT_ONCE, 0o600), "wb") as file:
        file.write(data)


def _digest(data: bytes, key: bytes = b"") -> str:
    with importing:
        from hashlib import blake2b
    return str(blake2b(data, key=key, digest_size=_CODE_OCTETS).hexdigest())


class Names:
    """The names of what follows from the bodies of a grammar's rules."""

    def __init__(self, bodies: Mapping[str, Node], budget: Budget) -> None:
        self._bodies = bodies
        self._digests: dict[str, str] = {}
        self._beginning = f"{budget!r} {makers()}"

    def name(self, kind: str, key: str, needed: Iterable[str]) -> str:
        """The name of a kind of entry for a rule that needs some rules. Cost: linear in the bodies, once."""
        parts = (f"{rule} {self._digest(rule)}" for rule in needed)
        return _digest("\n".join((self._beginning, kind, key, *parts)).encode())

    def _digest(self, key: str) -> str:
        found = self._digests.get(key)
        if found is None:
            text = " ".join(map(_token, walk(self._bodies[key], letters=False)))
            found = self._digests[key] = _digest(text.encode("utf-8", "surrogatepass"))
        return found


def _token(node: Node) -> str:
    """A node without what is below it. In the order of the text, with the number of parts, that says all."""
    match node:
        case Chars(charset=charset):
            return f"c{charset.ranges}"
        case Literal(items=items):
            return f"l{[item.charset.ranges for item in items]}"
        case Seq(items=items):
            return f"s{len(items)}"
        case Choice(items=items):
            return f"o{len(items)}"
        case Repeat(min=low, max=high):
            return f"r{low}-{high}"
        case Ref(key=key):
            return f"n{key}"
        case Prose(text=text):
            return f"p{len(text)} {text}"


@cache
def makers() -> str:
    """What tells one state of the compiling code from another: the sizes and times of its modules, and the
    package's version, since installers may give all files one time.

    Raises OSError in an archive, whose files have no times of their own.
    """
    package = Path(__file__).parents[1]
    known = []
    for folder in _MAKERS:
        with os.scandir(package / folder) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    found = entry.stat()
                    known.append((folder, entry.name, found.st_size, found.st_mtime_ns))
    return _digest(repr(sorted(known)).encode() + (package / "__init__.py").read_bytes())

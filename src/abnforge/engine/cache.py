"""Cache results of slow compilations on disk for later processes: minimal automata and proved patterns.

The name of an entry is a digest of all its inputs: the bodies that a rule needs, the budget, and the code
that compiles them. Its value is JSON after a message authentication code (keyed BLAKE2, RFC 7693), whose
secret is in the user's data directory. So an entry is ignored if it is truncated, renamed, or written by
another user. Entries are created by a rename, so processes can write simultaneously and stop at any time. On
any error, the result is compiled.

``ABNFORGE_CACHE`` selects another directory, or ``off``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from stat import S_ISREG
from typing import Any

from abnforge._lazy import lazy
from abnforge.engine.stores import Inputs, Store
from abnforge.grammar.core import Chars, Literal, Node, Prose, Ref, Repeat, parts
from abnforge.grammar.facts import walk

with lazy:
    import hashlib
    import hmac
    import json
    import secrets

MAX_ENTRY_OCTETS = 8 * 1024 * 1024  # each process rebuilds larger automata

MAX_CACHE_OCTETS = 200 * 1024 * 1024
"""The maximum total size of entries in bytes; beyond it, the oldest entries are deleted."""

# An entry starts with its authentication code in hexadecimal digits, followed by a newline.
_CODE_OCTETS = 32
_HEAD = 2 * _CODE_OCTETS + 1
_SECRET_OCTETS = 32

_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

# Packages that compilation does not use. All other modules affect the names of entries.
_OUTER = frozenset(
    [
        "cli",
        "columns",
        "comparison",
        "conformance",
        "ingest",
        "integrations",
        "linting",
        "teaching",
        "uri",
    ]
)

MIN_STEPS = 10_000  # results of fewer steps (about 1 µs each) are not kept


class Cache:
    """A directory of entries, each a JSON value with a name. Its methods do not raise OSError."""

    def __init__(self, folder: Path, secret: bytes) -> None:
        self._folder = folder
        self._secret = secret

    def get(self, name: str) -> Any:
        """Return the value with a name, or None if there is not a valid entry."""
        try:
            data = _read(self._folder / name)
        except OSError:
            return None
        body = data[_HEAD:]
        if not hmac.compare_digest(data[:_HEAD], self._code(name, body)):
            return None
        return json.loads(body)

    def put(self, name: str, value: Any) -> None:
        """Store a value if possible."""
        body = json.dumps(value, separators=(",", ":")).encode()
        if len(body) > MAX_ENTRY_OCTETS:
            return
        temporary = self._folder / f".{name}.{secrets.token_hex(8)}"
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                _write(temporary, self._code(name, body) + body)
                temporary.replace(self._folder / name)
            except OSError:
                temporary.unlink(missing_ok=True)
                return
            self._tidy()
        except OSError:
            return

    def _code(self, name: str, body: bytes) -> bytes:
        code = _digest(b"%s\n%s" % (name.encode(), body), key=self._secret)
        return code.encode() + b"\n"

    def _tidy(self) -> None:
        """Delete the oldest entries if the total size exceeds the limit."""
        files = []
        with os.scandir(self._folder) as entries:
            for entry in entries:
                try:
                    status = entry.stat(follow_symlinks=False)
                except OSError:  # another process deleted it
                    continue
                files.append((status.st_mtime_ns, entry.name, status.st_size))
        left = sum(size for _, _, size in files)
        for _, name, size in sorted(files):
            if left <= MAX_CACHE_OCTETS:
                return
            left -= size
            (self._folder / name).unlink(missing_ok=True)


@cache
def user_cache() -> Cache | None:
    """Return the user's cache, or None if it is off or if the secret cannot be stored."""
    chosen = os.environ.get("ABNFORGE_CACHE", "")
    if chosen.lower() in ("off", "0", "no", "false"):
        return None
    try:
        caches, data = user_folders()
        secret = _secret(data / "cache-secret")
        return Cache(Path(chosen).absolute() if chosen else caches, secret)
    except (OSError, RuntimeError):  # the user does not have a usable directory
        return None


def user_folders() -> tuple[Path, Path]:
    """Return the platform's directories for caches and data (XDG, Apple, Microsoft).

    A library for more platforms would take as long to import as a small grammar takes to load.
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
    """Return the secret in a file, which the first call creates.

    If several processes create a secret, the last one wins; entries with the others are ignored later.
    """
    try:
        secret = _read(path)
    except FileNotFoundError:
        secret = b""
    if len(secret) != _SECRET_OCTETS:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        secret = os.urandom(_SECRET_OCTETS)
        temporary = path.with_name(f".{path.name}.{os.urandom(8).hex()}")
        _write(temporary, secret)
        temporary.replace(path)
    return secret


def _read(path: Path) -> bytes:
    """Return a file's content up to a limit, or b"" if it is not a regular file, which could block."""
    with os.fdopen(os.open(path, os.O_RDONLY | _AT_ONCE), "rb") as file:
        return file.read(MAX_ENTRY_OCTETS + _HEAD + 1) if S_ISREG(os.fstat(file.fileno()).st_mode) else b""


def _write(path: Path, data: bytes) -> None:
    """Write a new file that only the user can read."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _AT_ONCE, 0o600), "wb") as file:
        file.write(data)


def _digest(data: bytes, key: bytes = b"") -> str:
    return str(hashlib.blake2b(data, key=key, digest_size=_CODE_OCTETS).hexdigest())


class CacheStore(Store):
    """The automata and patterns of a grammar in a cache, equal to the compiled results."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    def get(self, kind: str, key: str, inputs: Inputs | None = None) -> Any:
        name = None if inputs is None else _name(kind, key, inputs)
        return None if name is None else self._cache.get(name)

    def put(self, kind: str, key: str, inputs: Inputs, value: Any) -> None:
        if (name := _name(kind, key, inputs)) is not None:
            self._cache.put(name, value)

    def keeps(self, steps: int) -> bool:
        return steps >= MIN_STEPS


def user_store() -> Store:
    """Return the store in the user's cache, or a store without results."""
    user = user_cache()
    return Store() if user is None else CacheStore(user)


def _name(kind: str, key: str, inputs: Inputs) -> str | None:
    """Return the name of an entry, or None if the version of the compiling code is unknown."""
    try:
        return _digest("\n".join((modules_digest(), kind, key, inputs())).encode())
    except OSError:
        return None


class BodyDigests:
    """Compute digests of the bodies of a grammar's rules."""

    def __init__(self, bodies: Mapping[str, Node]) -> None:
        self._bodies = bodies
        self._digests: dict[str, str] = {}

    def of(self, keys: Iterable[str]) -> str:
        """Return the digests of some rules' bodies. Complexity: linear in the bodies, once."""
        return "\n".join([f"{key} {self._digest(key)}" for key in keys])

    def _digest(self, key: str) -> str:
        digest = self._digests.get(key)
        if digest is None:
            text = " ".join(map(_token, walk(self._bodies[key], letters=False)))
            digest = self._digests[key] = _digest(text.encode("utf-8", "surrogatepass"))
        return digest


def _token(node: Node) -> str:
    """Serialize a node without its children; together with the children's numbers, this is unique."""
    match node:
        case Chars(charset=charset):
            return f"c{charset.ranges}"
        case Literal(items=items):
            return f"l{[item.charset.ranges for item in items]}"
        case Repeat(min=low, max=high):
            return f"r{low}-{high}"
        case Ref(key=key):
            return f"n{key}"
        case Prose(text=text):
            return f"p{len(text)} {text}"
        case _:
            return f"{type(node).__name__}{len(parts(node))}"


@cache
def modules_digest() -> str:
    """Return a digest of the compiling code: sizes and times of its modules, and the version.

    The version is included because installers can set the same time for all files. Raises OSError in an
    archive, whose files do not have times.
    """
    package = str(Path(__file__).parents[1])
    states = []
    folders = [package]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    state = entry.stat()
                    states.append((entry.path.removeprefix(package), state.st_size, state.st_mtime_ns))
                elif entry.name[0] not in "_." and entry.name not in _OUTER and entry.is_dir():
                    folders.append(entry.path)
    return _digest(repr(sorted(states)).encode() + Path(package, "__init__.py").read_bytes())

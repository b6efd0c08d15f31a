"""Build the playground as a static site: ``abnforge playground --build``.

esbuild bundles the page's code with CodeMirror; Pyodide, a CPython for browsers, is copied. Both come from
npm, with the versions and the integrity (SHA-512) of ``web/package-lock.json``; the SHA-256 of each file of
Pyodide is checked here again. abnforge itself is packed as installed. Then Pyodide compiles the modules that
the first verdict needs (``web/compile.js``).
"""

from __future__ import annotations

import gzip
import hashlib
import html
import io
import json
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from abnforge import __version__
from abnforge.catalog import CodedError
from abnforge.teaching.messages import message
from abnforge.teaching.pictures.automata import automaton_style
from abnforge.teaching.pictures.constructions import TITLES
from abnforge.teaching.pictures.drawing import COLORS, DARK
from abnforge.teaching.pictures.railroad import rails_style
from abnforge.teaching.pictures.trees import tree_style
from abnforge.teaching.playground.loaded import SHIPPED, examples

# The archive of Python code for browsers: the installed abnforge without the packages that the page does not
# use, and the libraries that the page needs.

LIBRARIES = ("lark", "railroad-diagrams")  # the packed libraries; the page needs neither abnf nor click

_NO_USE = (
    "_native/",
    "cli/",
    "columns/",
    "ingest/",
    "integrations/",
    "teaching/notebook.py",
    "teaching/playground/web/",
    "uri/",
    "_data/",
)
# Prefixes of modules of the standard library that neither Pyodide nor the page imports: half of its size.
_UNUSED = """
_pydecimal _pyio _pyrepl/ bdb cProfile cmd configparser curses/ dbm/ email/_header_value_parser email/mime/
ensurepip/ ftplib http/ idlelib/ imaplib logging/config logging/handlers mailbox mimetypes multiprocessing/
netrc optparse pdb pickletools plistlib poplib profile pstats pydoc pydoc_data/ smtplib socketserver
sqlite3/ statistics symtable tarfile timeit trace.py turtle unittest/ urllib/request urllib/robotparser uuid
venv/ wave webbrowser wsgiref/ xmlrpc/ zipapp zoneinfo/
"""
_EXERCISES = "abnforge/teaching/exercises.toml"
_KERNEL, _EXTENSION = "_native/__init__.py", "_native/binding.abi3.so"
_SUFFIXES = (".py", ".toml", ".typed", ".json", ".abnf", ".lark")
# Suffixes of files for imported grammars. Grammars of SHIPPED have all files except those of the C extension.
_IMPORTED = (".py", ".abnf", ".imports.json")
_DATE = (1980, 1, 1, 0, 0, 0)  # the date of every file, so that archives are reproducible


def python_archive(wheel: Path | None = None, exercises: bytes | None = None) -> bytes:
    """Return the archive, which is reproducible. Raises ModuleNotFoundError for a missing library.

    It has the code and the C extension of a wheel, or else the installed code; and the exercises of a TOML
    document instead of the built-in ones.
    """
    libraries = (each for library in LIBRARIES for each in _library(library))
    entries = dict([*_own(wheel), *libraries])
    if exercises is not None:
        entries[_EXERCISES] = exercises
    return _archive(entries.items())


def _archive(entries: Iterable[tuple[str, bytes]]) -> bytes:
    """Return an archive without compression: the server compresses its files together, to half the size."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, octets in sorted(entries):
            archive.writestr(zipfile.ZipInfo(name, _DATE), octets)
    return buffer.getvalue()


def _standard_library(archive: bytes) -> bytes:
    """Return the archive of the standard library, without the modules that the page does not use."""
    source = zipfile.ZipFile(io.BytesIO(archive))
    names = (name for name in source.namelist() if not name.startswith(tuple(_UNUSED.split())))
    return _archive((name, source.read(name)) for name in names)


def _own(wheel: Path | None) -> Iterator[tuple[str, bytes]]:
    source = files("abnforge") if wheel is None else zipfile.Path(wheel, "abnforge/")
    for path, file in _walk(source, ""):
        if path == _KERNEL or _wanted(path) or (wheel is not None and path == _EXTENSION):
            yield f"abnforge/{path}", file.read_bytes()


def _wanted(path: str) -> bool:
    if path.startswith("_data/"):
        name = path.removeprefix("_data/").split(".", 1)[0]
        return path.endswith(_SUFFIXES if name in SHIPPED else _IMPORTED)
    return not path.startswith(_NO_USE) and path.endswith(_SUFFIXES)


def _walk(folder: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
    for each in folder.iterdir():
        if each.is_dir():
            if each.name != "__pycache__":
                yield from _walk(each, f"{prefix}{each.name}/")
        else:
            yield prefix + each.name, each


def _library(name: str) -> Iterator[tuple[str, bytes]]:
    package = _distribution(name)
    for path in package.files or ():
        if path.suffix in (".py", ".lark") and ".." not in path.parts and "__pycache__" not in path.parts:
            yield str(path), path.read_binary()


def licenses() -> Iterator[tuple[str, str]]:
    """Yield the libraries of the archive, each with its license."""
    for name in LIBRARIES:
        package = _distribution(name)
        named = (path for path in package.files or () if path.name.upper().startswith("LICEN"))
        yield f"{name} {package.version}", "\n".join(path.read_text("utf-8") for path in named)


def _distribution(name: str) -> Distribution:
    try:
        return distribution(name)
    except PackageNotFoundError as error:
        raise ModuleNotFoundError(message("library-missing", name=name), name=name) from error


# The server on localhost. A policy in the page does not apply to a worker, so each response has the header.
# The two headers about origins let the page share memory with the worker, to interrupt a call; without them
# the page terminates the worker and starts another one.

POLICY = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; img-src data:; "
    "connect-src 'self'; worker-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""The headers that a host of the directory should send with every file."""

HOST = "127.0.0.1"


CODINGS = {"br": ".br", "gzip": ".gz"}
"""The content codings of compressed copies, and their suffixes."""


class _Handler(SimpleHTTPRequestHandler):
    server_version = "abnforge"
    sys_version = ""
    extensions_map = {  # noqa: RUF012 - as in the base class
        "": "application/octet-stream",
        ".html": "text/html; charset=utf-8",
        ".css": "text/css; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".mjs": "text/javascript; charset=utf-8",
        ".json": "application/json",
        ".txt": "text/plain; charset=utf-8",
        ".wasm": "application/wasm",
        ".zip": "application/zip",
    }

    _encoding = ""  # the content coding of the response
    _suffix = ""  # the suffix of the compressed file

    def end_headers(self) -> None:
        if self._encoding:
            self.send_header("Content-Encoding", self._encoding)
            self.send_header("Vary", "Accept-Encoding")
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def send_head(self) -> Any:
        """Send a file, or a compressed copy that the client accepts. An impossible path is a bad request."""
        path = self.path.partition("?")[0]
        path += "index.html" if path == "/" else ""
        accepted = {
            each.partition(";")[0].strip() for each in self.headers.get("Accept-Encoding", "").split(",")
        }
        try:
            for coding, suffix in CODINGS.items():
                if coding in accepted and Path(self.translate_path(path) + suffix).is_file():
                    self.path, self._encoding, self._suffix = path + suffix, coding, suffix
                    break
            return super().send_head()
        except ValueError:
            self.send_error(HTTPStatus.BAD_REQUEST)
            return None

    def guess_type(self, path: Any) -> str:
        """Return the type of a file, which is that of its compressed copy."""
        return super().guess_type(str(path).removesuffix(self._suffix))

    def list_directory(self, path: Any) -> None:
        """Send 404: directories have no page."""
        self.send_error(HTTPStatus.NOT_FOUND)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: the server has one page and one user."""


def server(folder: Path, port: int) -> ThreadingHTTPServer:
    """Return a server of a directory on localhost, not yet serving; port 0 is any. Raises OSError."""
    http_server = ThreadingHTTPServer((HOST, port), partial(_Handler, directory=str(folder)))
    http_server.daemon_threads = True
    return http_server


def address(http_server: ThreadingHTTPServer) -> str:
    """Return the address of a server's page."""
    return f"http://{HOST}:{http_server.server_address[1]}/"


MARK = "playground.json"  # the file that marks a directory as a playground, which another build may replace

PYODIDE = {
    "pyodide.mjs": "6f1d60f7bf529beb300f0f47983c921d3982363640ba20af0e38efdddbc66109",
    "pyodide.asm.mjs": "f7cdc8ece80678ceb712f8e65ebe6d3a83203a180c399865f49612a051693635",
    "pyodide.asm.wasm": "cc36e3cab04fdfc9a63ff13eb52eae2b911bf46c025cc7b281f394bd3de1d5e6",
    "pyodide-lock.json": "5dc2fc119108bc148c7457dc86e7675b5c87e1cafd420b9c34c1eaef7b36c010",
    "python_stdlib.zip": "fa1957e5777068fc4f7437f96d860ae2fbe9c19732ba06c84e004ec16dd7dd7a",
}
"""The files of Pyodide 314.0.7 that a browser needs, and their SHA-256."""

_STANDARD = "python_stdlib.zip"

PLATFORM = "pyemscripten_2026_0_wasm32"
"""The platform of wheels for this Pyodide (PEP 783)."""

NPM = ["npm", "ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
"""The command that installs the packages without running their scripts."""

THEMES = {"light": COLORS, "dark": DARK}
STYLES = (rails_style, automaton_style, tree_style)
_COPIED = ("style.css", "worker.js")
_BROTLI = """\
const fs = require("node:fs"), { brotliCompressSync, constants } = require("node:zlib");
const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 };
for (const name of process.argv.slice(1)) {
  fs.writeFileSync(`${name}.br`, brotliCompressSync(fs.readFileSync(name), { params }));
}
"""  # a script for Node.js, which esbuild and npm require, too
_LEAST = 1_000  # minimum bytes of a file that is compressed
_SECONDS = 600  # timeout of npm in seconds

MAX_OUTPUT = 2_000  # maximum number of characters of a program's output in the note of an error


class BuildError(CodedError):
    """The playground cannot be built; the message has the reason and the fix."""


@dataclass(frozen=True, slots=True)
class Built:
    """A directory and its files, each with its size in bytes and the size of its smallest compressed copy."""

    folder: Path
    files: Mapping[str, tuple[int, int]]

    @property
    def size(self) -> int:
        return sum(raw for raw, _ in self.files.values())

    @property
    def compressed(self) -> int:
        return sum(small for _, small in self.files.values())


def build(
    folder: Path,
    *,
    modules: Path | None = None,
    wheel: Path | None = None,
    exercises: bytes | None = None,
    lessons: str = "",
) -> Built:
    """Build the playground in a new or empty directory, or replace the playground in it at the end.

    ``modules`` is a directory ``node_modules`` with the packages; by default, npm installs them. ``wheel`` is
    a wheel of this version for Pyodide; without one, the page runs pure Python. ``exercises`` is a TOML
    document of ``read_exercises``, which replaces the built-in exercises. ``lessons`` is the address of
    docs/tutorial/index.md, or of its HTML page; each exercise then links to its lesson. Raises BuildError;
    ModuleNotFoundError without railroad-diagrams; OSError. Cost: a few seconds, and a download of about 10 MB
    from npm.
    """
    refuse(folder)
    if wheel is not None:
        _refuse_wheel(wheel)
    target = folder.resolve()  # a link to a playground remains a link
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="abnforge-playground-") as work:
        web = Path(work, "web")
        with as_file(files("abnforge.teaching.playground").joinpath("web")) as source:
            shutil.copytree(source, web)
        if modules is None:
            _run(NPM, web)
            modules = web / "node_modules"
        site = Path(work, "made")
        _fill(site, web, modules.resolve(), python_archive(wheel, exercises), lessons)
        built = _measured(site)
        _put(site, target)
    return Built(folder, built)


def refuse(folder: Path) -> None:
    """Raise BuildError for a directory that cannot become a playground."""
    if folder.is_dir():
        if any(folder.iterdir()) and not (folder / MARK).is_file():
            raise BuildError(message("directory-not-empty", directory=folder))
        if others := sorted(set(_names(folder)) - _built(folder)):
            raise BuildError(message("directory-foreign-file", directory=folder, file=others[0]))
        if folder.resolve() in (Path.cwd(), *Path.cwd().parents):
            raise BuildError(message("directory-in-use", directory=folder))
    elif folder.exists():
        raise BuildError(message("directory-is-file", directory=folder))


def _refuse_wheel(wheel: Path) -> None:
    """Raise BuildError for a file that is not a wheel of this version for this Pyodide."""
    name = wheel.name
    if not (name.startswith(f"abnforge-{__version__}-") and name.endswith(f"-{PLATFORM}.whl")) or not (
        zipfile.is_zipfile(wheel)
    ):
        raise BuildError(message("wheel-unusable", wheel=wheel, version=__version__, platform=PLATFORM))


def _built(folder: Path) -> set[str]:
    """Return the files in a directory that are from an earlier build."""
    if not (folder / MARK).is_file():
        return set()
    try:
        return {MARK, *json.loads((folder / MARK).read_text("utf-8"))["files"]}
    except (ValueError, KeyError, TypeError):
        raise BuildError(message("manifest-unreadable", path=folder / MARK, directory=folder)) from None


def _fill(site: Path, web: Path, modules: Path, archive: bytes, lessons: str) -> None:
    (site / "pyodide").mkdir(parents=True)
    for name in _COPIED:
        shutil.copy(web / name, site / name)
    themes = "".join(f":root[data-theme={name}] {{ {colors} }}\n" for name, colors in THEMES.items())
    (site / "pictures.css").write_text("".join(style(":root") for style in STYLES) + themes, "utf-8")
    (site / "python.zip").write_bytes(archive)
    for name, expected in PYODIDE.items():
        octets = _module(modules, f"pyodide/{name}").read_bytes()
        digest = hashlib.sha256(octets).hexdigest()
        if digest != expected:
            raise BuildError(message("module-changed", name=name, sha256=digest))
        (site / "pyodide" / name).write_bytes(_standard_library(octets) if name == _STANDARD else octets)
    _run(["node", "compile.js", str(site)], web)
    loaded = ["python.zip", *(f"pyodide/{name}" for name in PYODIDE if not name.endswith(".mjs"))]
    page = {
        "menu": examples(),
        "constructions": TITLES,
        "lessons": lessons,
        "bytes": sum((site / name).stat().st_size for name in loaded),
        "worker": f"worker.js?{_digest(site, 'worker.js', 'python.zip')}",
    }
    (web / "page.json").write_text(json.dumps(page), "utf-8")
    if not (web / "node_modules").exists():
        (web / "node_modules").symlink_to(modules, target_is_directory=True)
    bundler = _bundler(_module(modules, "esbuild/bin/esbuild"))
    how = ["--bundle", "--minify", "--format=esm", "--target=es2022", "--charset=utf8", "--log-level=warning"]
    _run([*bundler, "app.js", *how, "--legal-comments=none", f"--outfile={site / 'app.js'}"], web)
    _write_page(site, web, page)
    (site / "licenses.txt").write_text("\n\n".join(_licenses(modules)), "utf-8")
    lines = ["/*", *(f"  {name}: {value}" for name, value in HEADERS.items())]
    (site / "_headers").write_text("\n".join(lines) + "\n", "utf-8")
    large = [name for name in _names(site) if (site / name).stat().st_size >= _LEAST]
    for name in large:
        (site / f"{name}.gz").write_bytes(gzip.compress((site / name).read_bytes(), 9, mtime=0))
    _run(["node", "-e", _BROTLI, *large], site)
    sums = {name: hashlib.sha256((site / name).read_bytes()).hexdigest() for name in _names(site)}
    (site / MARK).write_text(json.dumps({"abnforge": __version__, "files": sums}, indent=1) + "\n", "utf-8")


def _write_page(site: Path, web: Path, page: Mapping[str, Any]) -> None:
    """Write the page with the first example in it, and its service worker.

    A file has its digest in its address, so that a page never uses a file of another build.
    """
    source = (web / "index.html").read_text("utf-8")
    first = page["menu"][0]
    for field in ("grammar", "string"):
        source = source.replace(f"{{{field}}}", html.escape(first[field]))
    addresses = {name: f"{name}?{_digest(site, name)}" for name in ("app.js", "style.css", "pictures.css")}
    for name, address in addresses.items():
        source = source.replace(f'"{name}"', f'"{address}"')
    (site / "index.html").write_text(source, "utf-8")
    python = page["worker"].replace("worker.js", "python.zip")
    files = ["./", *addresses.values(), page["worker"], python, *(f"pyodide/{name}" for name in PYODIDE)]
    build = _digest(site, "index.html", *(f"pyodide/{name}" for name in PYODIDE))
    head = f"const BUILD = {json.dumps(build)};\nconst FILES = {json.dumps(files)};\n"
    (site / "service.js").write_text(head + (web / "service.js").read_text("utf-8"), "utf-8")


def _digest(site: Path, *names: str) -> str:
    return hashlib.sha256(b"".join((site / name).read_bytes() for name in names)).hexdigest()[:16]


def _bundler(path: Path) -> list[str]:
    """Return the command of esbuild: a script for Node.js, or the program that replaces the script."""
    with path.open("rb") as file:
        return ["node", str(path)] if file.read(2) == b"#!" else [str(path)]


def _module(modules: Path, path: str) -> Path:
    file = modules / path
    if not file.is_file():
        raise BuildError(message("module-missing", path=file))
    return file


def _licenses(modules: Path) -> Iterator[str]:
    for name, text in licenses():
        yield f"== {name}\n\n{text}"
    for each in sorted(modules.glob("**/package.json")):
        package = json.loads(each.read_text("utf-8"))
        name = each.parent.relative_to(modules).as_posix()
        if name != package.get("name") or name.startswith(("esbuild", "@esbuild/", "@types/")):
            continue  # the bundle does not contain the bundler
        texts = [path.read_text("utf-8") for path in sorted(each.parent.glob("LICEN*"))]
        yield f"== {name} {package['version']}\n\n" + ("\n".join(texts) or f"{package.get('license')}\n")


def _names(site: Path) -> list[str]:
    return sorted(path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file())


def _measured(site: Path) -> dict[str, tuple[int, int]]:
    sizes = {name: (site / name).stat().st_size for name in _names(site)}
    copies = ("", *CODINGS.values())
    return {
        name: (size, min(sizes.get(name + suffix, size) for suffix in copies))
        for name, size in sizes.items()
        if not name.endswith(copies[1:])
    }


def _put(site: Path, folder: Path) -> None:
    beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        new, old = beside / "new", beside / "old"
        shutil.copytree(site, new)
        if folder.exists():
            shutil.copymode(folder, new)
            folder.rename(old)
        new.rename(folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _run(command: list[str], folder: Path) -> None:
    program = shutil.which(command[0])
    if program is None:
        raise BuildError(message("program-missing", program=command[0]))
    try:
        done = subprocess.run(
            [program, *command[1:]], cwd=folder, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise BuildError(message("program-timeout", program=command[0], seconds=_SECONDS)) from None
    if done.returncode:
        error = BuildError(message("program-failed", program=command[0], status=done.returncode))
        error.add_note((done.stderr or done.stdout).strip()[-MAX_OUTPUT:])
        raise error

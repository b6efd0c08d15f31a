"""Files are replaced as a whole, at the target of their path. Devices are written directly or rejected."""

from __future__ import annotations

import ast
import errno
import os
import re
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from abnforge.outputs import output_at, place, write_output, writing
from tests.cli.command import run
from tests.devices import null_device, posix, read_later
from tests.test_layers import PACKAGE


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write_output(tmp_path / "x", b"new")
    assert (tmp_path / "x").read_bytes() == b"new"
    assert (tmp_path / "x").stat().st_mode == (tmp_path / "usual").stat().st_mode
    assert names(tmp_path) == {"usual", "x"}


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o666])
def test_a_file_is_replaced_and_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    path.chmod(mode)
    with path.open("rb") as before:
        write_output(path, b"new")
        assert before.read() == b"old"  # the open file is still the old one
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == mode


@posix
def test_a_file_keeps_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    try:
        os.chown(path, 12345, 54321)
    except OSError:
        pytest.skip("no permission to change owners")
    write_output(path, b"new")
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 54321)


@posix
@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays(tmp_path: Path, there: bool) -> None:
    """A link can point to another link, to another directory, or to a missing file."""
    (tmp_path / "there").mkdir()
    target = tmp_path / "there" / "v1"
    if there:
        target.write_bytes(b"old")
    (tmp_path / "there" / "latest").symlink_to("v1")
    link = tmp_path / "link"
    link.symlink_to(Path("there", "latest"))
    write_output(link, b"new")
    assert link.is_symlink()
    assert (tmp_path / "there" / "latest").is_symlink()
    assert target.read_bytes() == b"new"
    assert not target.is_symlink()
    assert names(tmp_path) == {"there", "link"}
    assert names(tmp_path / "there") == {"v1", "latest"}


@posix
def test_a_device_is_written_through(tmp_path: Path) -> None:
    path = null_device(tmp_path / "null")
    (tmp_path / "link").symlink_to(path)
    for each in (path, tmp_path / "link"):
        write_output(each, b"lost")
    assert stat.S_ISCHR(os.lstat(path).st_mode)
    assert (tmp_path / "link").is_symlink()
    assert names(tmp_path) == {"null", "link"}


@posix
def test_a_pipe_is_written_through(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read = read_later(path)
    write_output(path, b"bytes")
    assert read() == b"bytes"
    assert stat.S_ISFIFO(os.lstat(path).st_mode)


def test_standard_streams(tmp_path: Path) -> None:
    """A standard stream has several names, and can be a file, which must not be replaced."""
    code = """
import os, sys
from abnforge.outputs import write_output
print("begin")
for name in sys.argv[1:]:
    write_output(name, b"-".join([os.fsencode(name)[:4], b"x\\n"]))
print("end")
"""
    named = ["-", "out"] if os.name == "nt" else ["-", "/dev/stdout", "out"]
    with (tmp_path / "out").open("wb") as stream:
        subprocess.run([sys.executable, "-c", code, *named], cwd=tmp_path, stdout=stream, check=True)
    results = [each.encode()[:4] + b"-x" for each in named]
    assert (tmp_path / "out").read_bytes().split() == [b"begin", *results, b"end"]


@posix
def test_unwritable_outputs(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as result:
        result.bind(os.path.relpath(tmp_path / "socket"))
        (tmp_path / "loop").symlink_to("loop")
        (tmp_path / "lost").symlink_to(Path("missing", "x"))
        (tmp_path / "file").touch()
        for name, number in {
            "": errno.EISDIR,
            "socket": errno.EINVAL,
            "loop": errno.ELOOP,
            "lost": errno.ENOENT,
            "missing/x": errno.ENOENT,
            "file/x": errno.ENOTDIR,
            "a\0b": errno.EINVAL,
        }.items():
            for use in (output_at, lambda path: write_output(path, b"x")):
                with pytest.raises(OSError, match=r"\w") as error:
                    use(tmp_path / name)
                assert error.value.errno == number, name
                assert error.value.filename == str(tmp_path / name)
    assert names(tmp_path) == {"socket", "loop", "lost", "file"}


@posix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anything")
def test_forbidden_outputs(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    path.chmod(0o400)
    with pytest.raises(PermissionError):
        write_output(path, b"new")
    assert path.read_bytes() == b"old"


def test_a_block_that_fails_leaves_the_file(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), writing(path) as stream:
        stream.write(bytes([1 // 0]))
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == {"x"}


def test_an_error_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space") as error:
        write_output(tmp_path / "x", b"new")
    assert (error.value.errno, error.value.filename) == (errno.ENOSPC, str(tmp_path / "x"))
    assert names(tmp_path) == set()


@posix
def test_outputs_that_are_the_same(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("new")
    (tmp_path / "b").symlink_to(Path("..", tmp_path.name, "new"))
    (tmp_path / "old").touch()
    (tmp_path / "c").symlink_to("old")
    keys = [output_at(tmp_path / name).key for name in ("new", "a", "b", "old", "c")]
    assert len(set(keys[:3])) == 1
    assert len(set(keys[3:])) == 1
    assert keys[0] != keys[3]
    assert output_at("-").key == output_at("-").key


@posix
def test_a_finished_file_takes_its_place(tmp_path: Path) -> None:
    finished, path, pipe = (tmp_path / name for name in ("finished", "x", "pipe"))
    path.write_bytes(b"old")
    path.chmod(0o600)
    finished.write_bytes(b"new")
    place(finished, output_at(path))
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", 0o600)
    os.mkfifo(pipe)
    finished.write_bytes(b"through")
    read = read_later(pipe)
    place(finished, output_at(pipe))
    assert read() == b"through"
    assert names(tmp_path) == {"x", "pipe"}


# ---- all commands ----

GRAMMAR = 'a = %s"x" / 1*DIGIT ; it\'s\r\n'
DOCUMENT = '# A\n\n```abnf\na = "x"\n```\n'

COMMANDS: dict[str, list[str]] = {
    "lark": ["export", "--to", "lark", "-g", "g.abnf", "-o", "OUT"],
    "extract": ["extract", "d.md", "-o", "OUT"],
    "coverage": ["coverage", "-g", "g.abnf", "--format", "html", "-o", "OUT", "in.txt"],
    "railroad": ["railroad", "-g", "g.abnf", "-o", "OUT"],
    "conform --save": ["conform", "-g", "g.abnf", "--level", "quick", "--save", "OUT"],
    "conform --write-known": [
        *("conform", "-g", "g.abnf", "--level", "quick", "-q"),
        *("--pattern", "y", "--write-known", "OUT"),
    ],
    "new": ["new", "made", "--force", "-o", "OUT"],
}
"""All options that name a file to write, except those of ``split`` (``tests/cli/commands/test_split.py``)."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("g.abnf").write_bytes(GRAMMAR.encode())
    Path("d.md").write_text(DOCUMENT)
    Path("in.txt").write_text("x\n12\n")
    return tmp_path


def command(name: str, output: str) -> list[str]:
    if library := {"railroad": "railroad", "coverage": "jinja2"}.get(name):
        pytest.importorskip(library)
    return [output if each == "OUT" else each for each in COMMANDS[name]]


@posix
@pytest.mark.parametrize("name", list(COMMANDS))
def test_commands_write_to_where_a_name_leads(name: str, folder: Path) -> None:
    assert run(*command(name, "plain")).exit_code in (0, 1)
    expected = Path("plain").read_bytes()
    assert expected
    before = names(folder)
    Path("v1").write_bytes(b"old")
    Path("v1").chmod(0o600)
    Path("link").symlink_to("v1")
    null_device(Path("null"))
    os.mkfifo("pipe")
    read = read_later(folder / "pipe")
    for each in ("link", "null", "pipe"):
        assert run(*command(name, each)).exit_code in (0, 1)
    assert Path("link").is_symlink()
    assert Path("v1").read_bytes() == expected
    assert stat.S_IMODE(os.stat("v1").st_mode) == 0o600
    assert stat.S_ISCHR(os.lstat("null").st_mode)
    assert stat.S_ISFIFO(os.lstat("pipe").st_mode)
    assert read() == expected
    assert names(folder) - before == {"v1", "link", "null", "pipe"}
    assert run(*command(name, "-")).stdout_bytes.startswith(expected)


@pytest.mark.parametrize("name", list(COMMANDS))
def test_commands_reject_what_is_no_output_before_they_begin(name: str, folder: Path) -> None:
    Path("g.abnf").write_bytes(b"a = (\r\n")  # otherwise also an error, but later
    before = names(folder)
    for each in (".", "missing/x"):
        result = run(*command(name, each))
        assert result.exit_code == 2
        assert f"{each}: " in result.stderr
        assert "directory" in result.stderr
    assert names(folder) == before


@posix
@pytest.mark.parametrize("arguments", [("lint", "--fix"), ("format",)])
def test_files_changed_in_place(arguments: tuple[str, ...], folder: Path) -> None:
    Path("g.abnf").chmod(0o640)
    Path("g.abnf").write_bytes(
        b"a   =   b\r\nb   =   'x'\r\n" if "--fix" in arguments else b'a   =   "x"\r\n'
    )
    Path("link.abnf").symlink_to("g.abnf")
    run(*arguments, "link.abnf")
    assert Path("link.abnf").is_symlink()
    assert stat.S_IMODE(os.stat("g.abnf").st_mode) == 0o640
    assert b"'x'" not in Path("g.abnf").read_bytes()
    assert b'a   =   "x"' not in Path("g.abnf").read_bytes()
    assert names(folder) == {"g.abnf", "link.abnf", "d.md", "in.txt"}


WRITERS = {
    "outputs.py": "the one place",
    "engine/cache.py": "a cache of its own, which is dropped where it cannot be written",
    "ingest/checkpoint.py": "a job's working directory; its outputs are placed by abnforge.outputs",
    "ingest/storage.py": "parts of a directory, which is marked as complete last",
    "ingest/sources/drift.py": "copies of sources that cannot be read, renamed when complete",
    "teaching/playground/building.py": "files in a new directory, which takes the old one's place as a whole",
    "cli/common/groups.py": "standard output after its reader has gone",
}
# Strings have methods with the names of these functions of the module os.
OF_OS = ("replace", "rename", "link")
CALLS = {"write_text", "write_bytes", "renames", "mkstemp", "NamedTemporaryFile"}


def _writes(node: ast.AST) -> bool:
    """Return whether a node may write a file: a file system call, or ``open`` with a mode for writing."""
    if not isinstance(node, ast.Call):
        return False
    called = ast.unparse(node.func)
    name = called.rpartition(".")[2]
    if name == "open":
        modes = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
        return called == "os.open" or any(
            re.fullmatch(r"[rwaxbt+]*[wax+][bt+]*", str(mode)) for mode in modes
        )
    return name in CALLS or called in {f"os.{each}" for each in OF_OS}


def test_nothing_else_writes_files() -> None:
    """New code must write files with ``abnforge.outputs``, which follows links and keeps modes."""
    names = "|".join(("open", *CALLS, *(f"os.{each}" for each in OF_OS)))
    result = set()
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text("utf-8")
        if re.search(rf"\b(?:{names})\(", text) and any(map(_writes, ast.walk(ast.parse(text)))):
            result.add(path.relative_to(PACKAGE).as_posix())
    assert result == set(WRITERS)

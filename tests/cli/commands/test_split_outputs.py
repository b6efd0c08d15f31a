"""Outputs of ``abnforge split``: files, links, devices, pipes, standard output, or none."""

from __future__ import annotations

import errno
import json
import os
import stat
import time
from pathlib import Path

import pytest

pytest.importorskip("numpy")

from abnforge.cli.common.process import Stopping
from abnforge.ingest.checkpoint import Disk
from abnforge.ingest.sources import text as texts
from tests.cli.command import Seen
from tests.cli.commands.test_split import CSV, TO, folder, split
from tests.devices import null_device, posix, read_later

__all__ = ["folder"]  # every test in this file uses the fixture

PLACES = {
    "--valid": ["-c", "url", "--on-error", "drop"],
    "--rejects": ["-c", "url"],
    "--summary": ["-c", "url", "--on-error", "drop"],
    "--report": ["-c", "url", "--on-error", "drop"],
    "--metrics": ["-c", "url", "--on-error", "drop"],
}


@posix
@pytest.mark.parametrize("option", list(PLACES))
def test_every_output_goes_to_where_its_name_leads(
    option: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time", lambda: 1.8e9)
    monkeypatch.setattr(time, "monotonic", lambda: 1.0)
    same = ("--job-name", "x", "--run-id", "6f9619ff-8b86-4d11-b42d-00c04fc964ff")
    extra = same if option != "--rejects" else ()
    command = ("in.csv", *PLACES[option], *extra, option)
    split(*command, "plain.jsonl" if option == "--rejects" else "plain", status=1)
    expected = Path("plain.jsonl" if option == "--rejects" else "plain").read_bytes()
    assert expected
    Path("there").mkdir()
    for name in ("v1", "v1.jsonl"):
        Path("there", name).write_bytes(b"")
        Path("there", name).chmod(0o600)
        Path(f"link{Path(name).suffix}").symlink_to(Path("there", name))
    Path("dangling.jsonl").symlink_to(Path("there", "new.jsonl"))
    null_device(Path("null"))
    os.mkfifo("pipe")
    before = {*os.listdir(), *os.listdir("there"), "new.jsonl"}
    read = read_later(folder / "pipe")
    for name in ("link.jsonl", "dangling.jsonl", "null", "pipe"):
        if option == "--valid":
            name = name.removesuffix(".jsonl") if name == "link.jsonl" else name
            if name == "dangling.jsonl":
                continue  # accepted rows must have the format of the source
        split(*command, name, status=1)
    link = "link" if option == "--valid" else "link.jsonl"
    assert Path(link).is_symlink()
    assert Path(link).read_bytes() == expected
    assert stat.S_IMODE(os.stat(link).st_mode) == 0o600
    assert stat.S_ISCHR(os.lstat("null").st_mode)
    assert stat.S_ISFIFO(os.lstat("pipe").st_mode)
    assert read() == expected
    if option != "--valid":
        assert Path("dangling.jsonl").is_symlink()
        assert Path("there", "new.jsonl").read_bytes() == expected
    assert {*os.listdir(), *os.listdir("there")} <= before
    assert split(*command, "-", status=1).stdout_bytes == expected


@posix
def test_rejects_are_never_readable_by_others(folder: Path) -> None:
    """Other users cannot read rejects during or after the job."""
    Path("bad.jsonl").touch(mode=0o600)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Disk, "step", _full)
        split("in.csv", "-c", "url", *TO, status=2)
    assert stat.S_IMODE(os.stat(".bad.jsonl.abnforge-job").st_mode) == 0o700
    split("in.csv", "-c", "url", *TO, "--resume", status=1)
    assert stat.S_IMODE(os.stat("bad.jsonl").st_mode) == 0o600


def _full(self: Disk, what: str, path: Path) -> None:
    if what == "fsync" and path.name == "whole":
        raise OSError(errno.ENOSPC, "No space left on device", str(path))


@posix
@pytest.mark.parametrize("through", [False, True])
def test_a_job_resumes_through_a_link(
    through: bool, folder: Path, monkeypatch: pytest.MonkeyPatch, seen: Seen
) -> None:
    """The state of a link is stored next to its target. The state of a pipe is next to the other output."""
    monkeypatch.setattr(texts, "BLOCK", 64)
    Path("there").mkdir()
    Path("link.csv").symlink_to(Path("there", "v1.csv"))
    os.mkfifo("pipe")
    to = ("-o", "link.csv", "--rejects", "pipe" if through else "bad.jsonl")
    with monkeypatch.context() as patched:
        patched.setattr(Stopping, "__call__", lambda self: True)
        split("in.csv", "-c", "url", *to, status=130)
    assert not Path("there", "v1.csv").exists()
    assert Path("there", ".v1.csv.abnforge-job").is_dir()
    read = read_later(folder / "pipe")
    result = split("in.csv", "-c", "url", *to, "--resume", "--summary", "s.json", status=1)
    seen(result.stderr)
    assert json.loads(Path("s.json").read_text())["resumed"]
    rejects = read() if through else Path("bad.jsonl").read_bytes()
    assert Path("there", "v1.csv").read_text() == "".join(
        CSV.splitlines(keepends=True)[at] for at in (0, 1, 3)
    )
    split("in.csv", "-c", "url", *TO, status=1)
    assert rejects == Path("bad.jsonl").read_bytes()
    assert os.listdir("there") == ["v1.csv"]


def test_no_accepted_output() -> None:
    split("in.csv", "-c", "url", "--rejects", "bad.jsonl", status=1)
    assert len(Path("bad.jsonl").read_text().splitlines()) == 2
    before = Path("bad.jsonl").read_bytes()
    split("in.csv", "-c", "url", *TO, status=1)
    assert Path("bad.jsonl").read_bytes() == before
    result = split("in.csv", "-c", "url", "--rejects", "bad.jsonl", "--dry-run", status=0)
    assert str(Path("good.csv")) not in result.stdout
    split("in.csv", "-c", "url", "--on-error", "drop", "--resume", status=1)
    split("--replay", "bad.jsonl", "-c", "url", "--rejects", "still.jsonl", status=1)
    assert sorted(os.listdir()) == ["bad.jsonl", "good.csv", "in.csv", "still.jsonl"]


def test_an_output_that_cannot_be_written_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second output is in a directory on a read-only file system."""

    def read_only(self: Disk, what: str, path: Path) -> None:
        if what == "mkdir" and "bad" in path.name:
            raise OSError(errno.EROFS, "Read-only file system", str(path))

    monkeypatch.setattr(Disk, "step", read_only)
    split("in.csv", "-c", "url", *TO, status=2)
    assert os.listdir() == ["in.csv"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("option", ["--summary", "--metrics", "--report"])
def test_nothing_is_published_if_a_report_cannot_be_written(option: str, folder: Path) -> None:
    before = set(os.listdir())
    result = split("in.csv", "-c", "url", *TO, option, "/dev/full", status=2)
    assert len(result.stderr.splitlines()) == 1
    assert {name for name in set(os.listdir()) - before if not name.endswith(".abnforge-job")} == set()
    split("in.csv", "-c", "url", *TO, option, "report", "--resume", status=1)
    assert set(os.listdir()) - before == {TO[1], TO[3], "report"}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_device_is_a_failed_run(folder: Path) -> None:
    """The metrics of the run before do not stay."""
    command = ("in.csv", "-c", "url", "--rejects", "bad.jsonl", "--metrics", "m.prom")
    split(*command, status=1)
    before = Path("bad.jsonl").stat()
    assert 'abnforge_split_success{job="m"} 1\n' in Path("m.prom").read_text()
    result = split(*command, "--valid", "/dev/full", status=2)
    assert "/dev/full" in result.stderr
    assert 'abnforge_split_success{job="m"} 0\n' in Path("m.prom").read_text()
    assert Path("bad.jsonl").stat() == before

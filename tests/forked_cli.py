"""Run the command line in separate processes without importing the program each time.

One process imports the program. Each call runs in a fork of it, like ``python -m abnforge``. On systems
without fork, each call starts a new process.
"""

from __future__ import annotations

import atexit
import json
import os
import pkgutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path

TIMEOUT = 60  # seconds before a process is stopped


def run(*arguments: str, stdin: bytes = b"", cwd: Path, memory: int) -> subprocess.CompletedProcess[bytes]:
    """Return the outcome of ``abnforge ARGUMENTS``.

    ``memory`` limits the address space, except on Windows.
    """
    if not hasattr(os, "fork"):
        command = [sys.executable, "-m", "abnforge", *arguments]
        return subprocess.run(command, input=stdin, capture_output=True, timeout=TIMEOUT, cwd=cwd)
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("in", "out", "err")]
        Path(paths[0]).write_bytes(stdin)
        server = _server()
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps([arguments, paths, str(cwd), memory]).encode() + b"\n")
        server.stdin.flush()
        status = int(server.stdout.readline())
        output, errors = (Path(path).read_bytes() for path in paths[1:])
        return subprocess.CompletedProcess(["abnforge", *arguments], status, output, errors)


@cache
def _server() -> subprocess.Popen[bytes]:
    command = [sys.executable, "-P", __file__]  # -P: this directory is not in the path
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    atexit.register(server.communicate)  # closes its standard input, so that the process ends
    return server


def _serve() -> None:
    """Fork for each request, and respond with the exit status, or with a negative signal number."""
    import abnforge

    for module in pkgutil.walk_packages(abnforge.__path__, "abnforge."):
        if module.name != "abnforge.__main__":
            with suppress(ImportError):  # the code requires a package that is not installed
                import_module(module.name)
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    for request in requests:
        child = os.fork()
        if not child:
            _become(*json.loads(request))
            return
        _, status = os.waitpid(child, 0)
        answers.write(b"%d\n" % os.waitstatus_to_exitcode(status))
        answers.flush()


def _become(arguments: list[str], paths: list[str], cwd: str, memory: int) -> None:
    import resource
    import runpy
    import signal

    for descriptor, path in enumerate(paths):
        opened = os.open(path, os.O_RDONLY if descriptor == 0 else os.O_WRONLY | os.O_CREAT)
        os.dup2(opened, descriptor)
        os.close(opened)
    os.chdir(cwd)
    sys.path.insert(0, cwd)
    sys.argv[1:] = arguments
    signal.alarm(TIMEOUT)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    runpy.run_module("abnforge", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _serve()

"""A MariaDB server for tests. It is started once, only in the slow run, and stopped after the run.

The server listens only on a socket in its directory.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import time
from functools import cache

import pytest

from tests.reference.servers import home_of

# The server does not run as root; Debian's package creates this user.
USER = "mysql"
SECONDS = 120

started_here = False  # conftest sets this to True in the slow run


@cache
def client() -> list[str]:
    """Return the command of the client, or skip the test if no server can be started."""
    if not started_here:
        pytest.skip("only the slow part starts a MariaDB server")
    programs = [_program(name) for name in ("mariadb-install-db", "mariadbd", "mariadb")]
    if None in programs:
        pytest.skip("no MariaDB server is installed")
    install, server, shell = map(str, programs)
    home, user = home_of("MariaDB", USER)
    data = f"--datadir={home / 'data'}"
    socket = home / "socket"
    with (home / "log").open("ab") as log:
        subprocess.run(
            [install, "--no-defaults", data, "--auth-root-authentication-method=normal", "--skip-test-db"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            timeout=SECONDS,
            user=user,
            cwd=home,
            check=True,
        )
        options = ["--skip-networking", f"--socket={socket}", f"--pid-file={home / 'pid'}"]
        process = subprocess.Popen(
            [server, "--no-defaults", data, *options],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            user=user,
            cwd=home,
        )
    atexit.register(_stop, process)
    command = [shell, "--no-defaults", f"--socket={socket}", "--user=root", "--default-character-set=utf8mb4"]
    for _ in range(SECONDS * 10):
        if not subprocess.run(
            [*command, "--execute=select 1"], capture_output=True, timeout=SECONDS
        ).returncode:
            return [*command, "--batch", "--skip-column-names", "--raw"]
        assert process.poll() is None, (home / "log").read_text(errors="replace")[-2000:]
        time.sleep(0.1)
    raise AssertionError((home / "log").read_text(errors="replace")[-2000:])


def _program(name: str) -> str | None:
    """Return the path of a program. Debian installs the server outside of the default path."""
    return shutil.which(name, path=os.pathsep.join([os.environ["PATH"], "/usr/sbin", "/usr/local/sbin"]))


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def statements(text: str, stop: bool = True) -> tuple[list[str], str]:
    """Run SQL statements, and return the lines that they print and the errors.

    With ``stop``, an error fails the test. Otherwise, the next statements run.
    """
    command = [*client(), *([] if stop else ["--force"])]
    result = subprocess.run(command, input=text.encode(), capture_output=True, timeout=300)
    errors = result.stderr.decode(errors="replace")
    assert result.returncode == 0 or not stop, errors[-2000:]
    return result.stdout.decode().splitlines(), errors

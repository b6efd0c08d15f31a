"""A PostgreSQL server for tests: the one in ABNFORGE_TEST_POSTGRES, or a new one.

Starting a server takes seconds, so this happens once, only in the slow run. The server stops after the run.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from tests.reference.servers import home_of

VARIABLE = "ABNFORGE_TEST_POSTGRES"
# The server does not run as root; Debian's package creates this user.
USER = "postgres"
SECONDS = 120

started_here = False  # conftest sets this to True in the slow run


@cache
def connection() -> str:
    """Return the connection settings of psql, or skip the test if no server runs or can be started."""
    value = os.environ.get(VARIABLE)
    if value:
        return value
    if not started_here:
        pytest.skip(f"{VARIABLE} names no PostgreSQL server, and only the slow part starts one")
    folder = _programs()
    if folder is None:
        pytest.skip("no PostgreSQL server is installed")
    return _start(folder)


def statements(text: str, stop: bool = True) -> tuple[list[str], str]:
    """Run SQL statements, and return the lines that they print and the errors.

    With ``stop``, an error fails the test. Otherwise, the next statements run.
    """
    options = ["-X", "-q", "-A", "-t", "-v", f"ON_ERROR_STOP={int(stop)}", "-d", connection()]
    psql = shutil.which("psql")
    if psql is None:
        pytest.skip("no psql")
    request = ("set client_encoding to 'UTF8';\n" + text).encode()
    result = subprocess.run([psql, *options], input=request, capture_output=True, timeout=300)
    errors = result.stderr.decode(errors="replace")
    assert result.returncode == 0, errors[-2000:]
    return result.stdout.decode().splitlines(), errors


def _programs() -> Path | None:
    """Return the directory of initdb and pg_ctl, which are not in Debian's default path."""
    result = shutil.which("initdb")
    if result:
        return Path(result).resolve().parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return versions[-1].parent if versions else None


def _start(programs: Path) -> str:
    home, user = home_of("PostgreSQL", USER)

    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C"}

    def run(*command: str) -> None:
        # Do not capture the output with pipes, since the server would keep them open.
        with (home / "log").open("ab") as log:
            status = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                timeout=SECONDS,
                user=user,
                cwd=home,
                env=environment,
            ).returncode
        assert status == 0, (home / "log").read_text(errors="replace")[-2000:]

    data = str(home / "data")
    run(str(programs / "initdb"), "-D", data, "-U", USER, "-A", "trust", "-E", "UTF8", "--no-sync")
    control = str(programs / "pg_ctl")
    run(
        control, "-D", data, "-w", "-o", f"-c listen_addresses= -c unix_socket_directories={home} -F", "start"
    )
    atexit.register(run, control, "-D", data, "-m", "immediate", "stop")
    return f"host={home} user={USER} dbname=postgres"

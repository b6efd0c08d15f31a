"""The directory and user for database servers that tests start."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

import pytest


def home_of(title: str, user: str) -> tuple[Path, str | None]:
    """Return a directory for a server, which is removed at the end, and the user of the server.

    The user is None for the user of the tests. Servers do not run as root; without another user, the test is
    skipped.
    """
    home = Path(tempfile.mkdtemp(prefix=title.lower()[:5]))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return home, None
    import pwd

    try:
        account = pwd.getpwnam(user)
    except KeyError:
        pytest.skip(f"{title} does not run as root, and there is no user {user}")
    os.chown(home, account.pw_uid, account.pw_gid)
    return home, user

"""A Spark cluster on this machine: a master and workers on localhost. Drivers are separate processes.

pyspark includes Spark; Java must be installed. The test that starts a cluster closes it, which ends all its
processes.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

START = 300  # seconds to wait for a process to start on a busy machine

# A job with fewer rows would end before the worker stops.
ROWS = int(os.environ.get("ABNFORGE_SPARK_ROWS", "300000"))
FILES = 16


def missing() -> str | None:
    """Return why Spark cannot run here, or None if it can."""
    for library in ("pyspark", "pandas"):
        if find_spec(library) is None:
            return f"{library} is not installed"
    java = shutil.which("java")
    if java is None:
        return "Java is not installed"
    errors = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    version = re.search(r'version "(\d+)', errors)
    if version is None or int(version[1]) < 17:
        return "Java is older than 17, which Spark 4 needs"
    return None


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of the cluster: localhost, a directory for its files, and this Python."""
    result = find_spec("pyspark")
    assert result is not None
    assert result.origin is not None
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("SPARK_")},
        "SPARK_HOME": str(Path(result.origin).parent),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_HOSTNAME": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONWARNINGS": "default",
    }


CONF = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.executor.memory": "768m",
    "spark.executor.cores": "1",
    "spark.cores.max": "2",
    "spark.ui.enabled": "false",
}


class Cluster:
    """A master and workers with one core each, as a context manager."""

    def __init__(self, folder: Path, workers: int = 2) -> None:
        self.folder = folder
        self.environment = environment(folder)
        self.url = f"spark://127.0.0.1:{_free_port()}"
        self.workers: list[subprocess.Popen[bytes]] = []
        self._count = workers
        self._all: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Cluster:
        self.folder.mkdir(parents=True, exist_ok=True)
        port = self.url.rpartition(":")[2]
        try:
            master = self._start("master", "master.Master", "--port", port)
            self._wait_for(master, "master", "New state: ALIVE")
            for _ in range(self._count):
                self.add_worker()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for process in reversed(self._all):
            process.terminate()
        for process in self._all:
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def add_worker(self) -> None:
        name = f"worker-{len(self._all)}"
        folder = str(self.folder / name)
        worker = self._start(name, "worker.Worker", self.url, "-c", "1", "-m", "1g", "-d", folder)
        self._wait_for(worker, name, "Successfully registered with master")
        self.workers.append(worker)

    def kill_worker(self) -> None:
        """Kill one worker, as if its machine had failed; it cannot notify other processes."""
        worker = self.workers.pop(0)
        worker.send_signal(signal.SIGKILL)
        worker.wait()

    def _start(self, name: str, what: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [f"{self.environment['SPARK_HOME']}/bin/spark-class", f"org.apache.spark.deploy.{what}"]
        more = ["--host", "127.0.0.1", "--webui-port", str(_free_port())]
        with open(self.folder / f"{name}.log", "wb") as log:
            process = subprocess.Popen(
                [*command, *arguments, *more], env=self.environment, stdout=log, stderr=log
            )
        self._all.append(process)
        return process

    def _wait_for(self, process: subprocess.Popen[bytes], name: str, sign: str) -> None:
        log = self.folder / f"{name}.log"
        wait_until(lambda: sign in log.read_text(errors="replace") or process.poll() is not None, name)
        assert process.poll() is None, log.read_text(errors="replace")


def wait_until(test: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + START
    while not test():
        assert time.monotonic() < end, f"{what} takes too long"
        time.sleep(0.05)


def _free_port() -> int:
    with socket.socket() as result:
        result.bind(("127.0.0.1", 0))
        port: int = result.getsockname()[1]
    return port


def write_rows(folder: Path, rows: int = ROWS, files: int = FILES) -> None:
    """Write Parquet files with an id, a URL (one in 12 is invalid, one in 50 missing) and a number."""
    folder.mkdir()
    each = -(-rows // files)
    for number in range(files):
        ids = pa.array(range(number * each, min(rows, (number + 1) * each)), pa.int64())
        text = ids.cast(pa.string())
        good = pc.binary_join_element_wise("https://example.com/a/", text, "?q=", text, "#top", "")
        twelfth = pc.subtract(ids, pc.multiply(pc.divide(ids, 12), 12))
        wrong = pc.binary_join_element_wise("http://exa mple.com/", text, "")
        port = pc.binary_join_element_wise("http://example.com:8", text, "x/", "")
        even = pc.equal(pc.bit_wise_and(ids, 1), 1)
        url = pc.if_else(pc.equal(twelfth, 7), pc.if_else(even, wrong, port), good)
        fiftieth = pc.subtract(ids, pc.multiply(pc.divide(ids, 50), 50))
        url = pc.if_else(pc.equal(fiftieth, 3), pa.scalar(None, pa.string()), url)
        table = pa.table({"id": ids, "url": url, "n": pc.multiply(ids.cast(pa.float64()), 0.5)})
        pq.write_table(table, folder / f"{number:02d}.parquet", row_group_size=1 << 16)

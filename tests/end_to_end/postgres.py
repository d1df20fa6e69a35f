"""A server of PostgreSQL for a test, started from the programs of the machine."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

USER, PASSWORD = "tester", "s3cret-of-pg"


def find_programs() -> Path | None:
    """Find the folder with `initdb` and `pg_ctl`, as PATH or Debian has it."""
    places = [Path(found).parent for found in [shutil.which("initdb")] if found]
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((p for p in places if (p / "initdb").exists() and (p / "pg_ctl").exists()), None)


@contextmanager
def start_server(programs: Path) -> Iterator[str]:
    """Start a server, yield the URI of its database, and stop it."""
    folder = Path(tempfile.mkdtemp(prefix="reportgen-pg-"))
    own = {}
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # it refuses to run as root
        shutil.chown(folder, "postgres")
        own = {"user": "postgres"}

    def call(program: str, *words: object) -> None:
        command = [programs / program, "-D", folder / "data", *map(str, words)]
        subprocess.run(
            command, check=True, cwd=folder, **own, stdout=subprocess.DEVNULL, timeout=100
        )

    (folder / "password").write_text(PASSWORD)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    try:
        call("initdb", "-A", "scram-sha-256", "-U", USER, f"--pwfile={folder / 'password'}", "-N")
        options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        call("pg_ctl", "-w", "-l", folder / "log", "-o", options, "start")
        try:
            yield f"postgresql://{USER}:{PASSWORD}@127.0.0.1:{port}/postgres"
        finally:
            call("pg_ctl", "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)

"""Runs of streamed rows that are killed by SIGKILL at 20 moments, then run again to the same bytes.

    python benchmarks/scale_kills.py [millions of rows] [--workers] [--task NAME] [--moments 20]

Prints when each run was killed, from which row the next one went on, and whether its results are
those of a run that nobody killed. With --workers it is one of the two workers of a Dask cluster on
this machine that is killed, and the run itself goes on; a run that ends before does not count, and
another is begun. Exits with 1 where bytes differ.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import engines
import numpy as np
import scale_tasks

LEAST_GROUPS = 16  # so that a run has states to go on from


def started(folder: Path, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "reportgen", "run", "config.yaml", "--out", "out"]
    environ = {**os.environ, "XDG_CACHE_HOME": str(folder / "kept")}
    return subprocess.Popen(
        [*command, "--threads", "2", *more],
        cwd=folder,
        env=environ,
        text=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def told(folder: Path) -> bytes:
    results = json.loads((folder / "out" / "results.json").read_text())
    shutil.rmtree(folder / "out")
    for name in ("provenance", "config", "digests"):  # they name the time and the engine
        results[name] = None
    return json.dumps(results, sort_keys=True).encode()


def cluster() -> tuple[subprocess.Popen[str], str]:
    """Two workers on this machine, and the address of their scheduler."""
    script = Path(__file__).parents[1] / "configs" / "local_cluster.py"
    process = subprocess.Popen(
        [sys.executable, str(script), "0"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return process, process.stdout.readline().split("at ")[1].split(";")[0]


def workers(address: str) -> list[int]:
    """The processes of the workers."""
    from distributed import Client

    with Client(address, set_as_default=False) as client:
        return list(client.run(os.getpid).values())


def kill_workers(folder: Path, whole: bytes, moments: int) -> bool:
    """Whether each run of which one worker is killed has the bytes of one machine."""
    draw, is_same = np.random.default_rng(4), True
    process, address = cluster()
    engine = ("--no-cache", "--allow-remote", "--set", f"compute.engine={{dask: '{address}'}}")
    assert started(folder, *engine).wait() == 0  # workers import their libraries once
    is_same = told(folder) == whole
    begun = time.monotonic()
    assert started(folder, *engine).wait() == 0
    took, is_same = time.monotonic() - begun, told(folder) == whole and is_same
    print(f"a run by two workers takes {took:.1f} s; {'same bytes' if is_same else 'OTHER BYTES'}")
    hits = tries = 0
    while hits < moments and tries < 3 * moments:
        tries += 1
        run, after = started(folder, *engine), float(draw.uniform(0.05, 1) * took)
        victim = int(draw.choice(workers(address)))
        time.sleep(after)
        is_late = run.poll() is not None
        hits += not is_late
        os.kill(victim, signal.SIGKILL)
        same = run.wait() == 0 and told(folder) == whole
        is_same &= same
        print(
            f"a worker killed after {after:5.2f} s{' (the run had ended)' if is_late else ''}: "
            f"{'same bytes' if same else 'OTHER BYTES'}",
            flush=True,
        )
        time.sleep(3)  # until there is another in its place
    print(f"{hits} of {tries} while a run was going on")
    process.send_signal(signal.SIGINT)
    process.wait()
    return is_same


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("millions", nargs="?", type=float, default=2.0)
    asked.add_argument("--workers", action="store_true")
    asked.add_argument("--task", default="regression", choices=["regression", *scale_tasks.CONFIGS])
    asked.add_argument("--moments", type=int, default=20)
    given = asked.parse_args()
    draw, is_same = np.random.default_rng(4), True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = round(given.millions * 1e6)
        engines.GROUP = scale_tasks.GROUP = min(engines.GROUP, max(rows // LEAST_GROUPS, 1))
        config = engines.CONFIG if given.task == "regression" else scale_tasks.CONFIGS[given.task]
        if given.task == "regression":
            engines.write(folder / "rows.parquet", rows)
        else:
            scale_tasks.write(folder / "rows.parquet", rows, given.task)
        (folder / "config.yaml").write_text(json.dumps({**config, "outputs": ["json"]}))
        begun = time.monotonic()
        assert started(folder, "--no-cache").wait() == 0
        took, whole = time.monotonic() - begun, told(folder)
        print(f"{given.task}: a run that nobody kills takes {took:.1f} s", flush=True)
        if given.workers:
            sys.exit(not kill_workers(folder, whole, given.moments))
        for _ in range(given.moments):
            shutil.rmtree(folder / "kept", ignore_errors=True)
            run, after = started(folder), float(draw.uniform(0.05, 1) * took)
            time.sleep(after)
            run.send_signal(signal.SIGKILL)
            was_killed = run.wait() == -signal.SIGKILL
            again = started(folder)
            said = re.findall(r"^reportgen: (.* from row .*) on$", again.communicate()[1], re.M)
            same = again.returncode == 0 and told(folder) == whole
            is_same &= same
            where = said[-1] if said else "the first row"
            print(
                f"killed after {after:5.2f} s{'' if was_killed else ' (it had ended)'}: "
                f"goes on with {where}; {'same bytes' if same else 'OTHER BYTES'}",
                flush=True,
            )
    sys.exit(not is_same)


if __name__ == "__main__":
    main()

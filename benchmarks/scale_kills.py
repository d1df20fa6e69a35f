"""Runs that are killed by SIGKILL at twenty moments, then run again to the same bytes.

    python benchmarks/scale_kills.py [millions of rows] [--engines memory stream dask]
        [--tasks regression segments …] [--workers] [--moments 20]

Moments are spread evenly over the steps that a run says it has done, and each step is kept, so that
the load of a machine moves nothing. Prints a row for each engine and task: how many runs were
killed, how many of these went on from rows that a checkpoint held (rows in memory have none but
their resamples in the cache), and how many results are those of the run that nobody killed.
`segments` is the regression with two columns of segments. Dask has a cluster of two workers on this
machine. With --workers it is one of these that is killed, at random moments, and the run itself
goes on; a run that ends before does not count, and another is begun. Exits with 1 where bytes
differ.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import engines
import numpy as np
import scale_tasks

LEAST_GROUPS = 16  # so that a run has states to go on from
LONGEST = 600  # seconds that a run may take
# The run itself, which keeps each state, counts its steps, and ends at one of them.
RUN = """
import os, signal, sys
from reportgen import progress
from reportgen.__main__ import main
from reportgen.streaming import states
states.GROUPS_BETWEEN_STATES, last, steps = 0.0, int(sys.argv.pop()), 0
def done(shown, number):
    global steps
    steps += 1
    with open("steps", "w") as file:
        file.write(str(steps))
    if steps == last:
        os.kill(os.getpid(), signal.SIGKILL)
progress.LineProgress.done = done
main()
"""
SEGMENTS = [
    {"column": "old", "bins": [0, 12, 40, 1e6]},
    {"column": "new", "bins": [0, 5, 10, 1e6]},
]


def started(folder: Path, *more: str, last: int = 0) -> subprocess.Popen[str]:
    """A run, which ends at the `last` of its steps unless that is 0; a file counts them."""
    command = [sys.executable, "-c", RUN, "run", "config.yaml", "--out", "out", "--threads", "2"]
    environ = {**os.environ, "XDG_CACHE_HOME": str(folder / "kept")}
    return subprocess.Popen(
        [*command, *more, str(last)],
        cwd=folder,
        env=environ,
        text=True,
        stdout=subprocess.PIPE,
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


def finish(run: subprocess.Popen[str]) -> str:
    """Wait for a run that must end well, and return what it said."""
    said = run.communicate(timeout=LONGEST)[1]
    if run.returncode != 0:
        sys.exit(f"a run ended with {run.returncode}: {said}")
    return said


def time_run(folder: Path, *more: str) -> tuple[float, bytes]:
    """The seconds and the results of a run that nobody kills."""
    begun = time.monotonic()
    finish(started(folder, "--no-cache", *more))
    return time.monotonic() - begun, told(folder)


def kill_runs(folder: Path, more: list[str], moments: int) -> tuple[str, bool]:
    """A row of what became of runs that were killed, and whether all have the same bytes."""
    finish(started(folder, "--no-cache", *more))
    steps = int((folder / "steps").read_text())
    whole, killed, went_on, same = told(folder), 0, 0, 0
    for moment in range(moments):
        shutil.rmtree(folder / "kept", ignore_errors=True)
        run = started(folder, *more, last=1 + moment * steps // moments)
        run.communicate(timeout=LONGEST)
        killed += run.returncode == -signal.SIGKILL
        said = finish(started(folder, *more))
        went_on += bool(re.search(r"^reportgen: .* from row .* on$", said, re.M))
        same += told(folder) == whole
    return f"{steps} | {moments} | {killed} | {went_on} | {same}", same == killed == moments


def kill_workers(folder: Path, more: list[str], address: str, moments: int) -> tuple[str, bool]:
    """The same of runs in which one of two workers is killed, against a run of one machine."""
    draw, whole = np.random.default_rng(4), time_run(folder)[1]
    time_run(folder, *more)
    took, found = time_run(folder, *more)
    hits = tries = 0
    same = found == whole
    while hits < moments and tries < 3 * moments:
        tries += 1
        run, victim = started(folder, "--no-cache", *more), int(draw.choice(workers(address)))
        time.sleep(float(draw.uniform(0.05, 1) * took))
        hits += run.poll() is None
        os.kill(victim, signal.SIGKILL)
        finish(run)
        same += told(folder) == whole
        time.sleep(3)  # until there is another in its place
    return f"– | {tries} | {hits} | – | {same - 1}", same == tries + 1


def config_of(task: str) -> dict[str, Any]:
    """The config of a task."""
    if task not in ("regression", "segments"):
        return scale_tasks.CONFIGS[task]
    made = copy.deepcopy(engines.CONFIG)
    if task == "segments":
        made["datasets"]["test"]["segments"] = SEGMENTS
    return made


def main() -> None:
    asked, tasks = argparse.ArgumentParser(), ["regression", "segments", *scale_tasks.CONFIGS]
    asked.add_argument("millions", nargs="?", type=float, default=1.0)
    asked.add_argument("--engines", nargs="+", choices=engines.ENGINES, default=engines.ENGINES)
    asked.add_argument("--tasks", nargs="+", choices=tasks, default=["regression", "segments"])
    asked.add_argument("--workers", action="store_true")
    asked.add_argument("--moments", type=int, default=20)
    given = asked.parse_args()
    rows, are_same = round(given.millions * 1e6), True
    engines.GROUP = scale_tasks.GROUP = min(engines.GROUP, max(rows // LEAST_GROUPS, 1))
    print("| task | engine | steps of a run | runs | killed | went on from rows | same bytes |")
    print("|---|---|---|---|---|---|---|")
    for task in given.tasks:
        with tempfile.TemporaryDirectory() as name, ExitStack() as last:
            folder = Path(name)
            if task in scale_tasks.CONFIGS:
                scale_tasks.write(folder / "rows.parquet", rows, task)
            else:
                engines.write(folder / "rows.parquet", rows)
            (folder / "config.yaml").write_text(json.dumps(config_of(task) | {"outputs": ["json"]}))
            for engine in ["dask"] if given.workers else given.engines:
                more, address = ["--set", f"compute.engine={engine}"], ""
                if engine == "dask":
                    process, address = cluster()
                    last.callback(process.wait)
                    last.callback(process.send_signal, signal.SIGINT)
                    more = ["--allow-remote", "--set", f"compute.engine={{dask: '{address}'}}"]
                row, is_same = (
                    kill_workers(folder, more, address, given.moments)
                    if given.workers
                    else kill_runs(folder, more, given.moments)
                )
                are_same &= is_same
                print(f"| {task} | {engine} | {row} |", flush=True)
    sys.exit(not are_same)


if __name__ == "__main__":
    main()

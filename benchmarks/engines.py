"""Each engine on the same rows: processor time, clock time and peak memory, of one version or two.

    python benchmarks/engines.py 1 5 [--old PYTHON] [--engines memory stream dask] [--repeats 3]

Millions of rows, three models, four metrics with 199 resamples, without a cache. `--old` is the
Python of an environment with another version of reportgen, whose runs take turns with those of this
one. Dask has a cluster of two workers on this machine; what they use while a run goes on counts as
used by it. Memory is what all processes of a run hold at the same time, so that pages they share
count more than once. Each version is compiled before it is measured. Prints one line of medians for
each size, engine and version; wants psutil, which Dask brings along.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from multiprocessing import Process
from pathlib import Path
from statistics import median

import numpy as np
import psutil
import pyarrow as pa
from pyarrow import parquet

GROUP = 250_000
LOOK = 0.05  # seconds between two looks at the memory
ENGINES = ("memory", "stream", "dask")
CLUSTER = Path(__file__).parents[1] / "configs" / "local_cluster.py"
CONFIG = {
    "version": 1,
    "report": {"title": "Scale"},
    "task": "regression",
    "datasets": {"test": {"path": "rows.parquet", "id": "id", "target": "y"}},
    "models": {
        "old": {"column": "old", "role": "baseline"},
        "new": {"column": "new"},
        "next": {"column": "next"},
    },
    "metrics": ["mae", "rmse", "bias", {"name": "pinball", "alpha": 0.8}],
    "primary": {"metric": "mae"},
    "bootstrap": {"replicates": 199, "weights": "poisson"},
    "compute": {"engine": "stream"},
    "sensitivity": "none",
    "curves": [],
    "outputs": ["json", "html"],
}


def write(file: Path, rows: int) -> None:
    draw, writer = np.random.default_rng(1), None
    for first in range(0, rows, GROUP):
        n = min(GROUP, rows - first)
        y = draw.gamma(1.5, 20, n) * (draw.random(n) > 0.4)
        scores = {
            name: share * y + draw.gamma(2, 4, n)
            for name, share in (("old", 0.8), ("new", 0.9), ("next", 0.85))
        }
        columns = {"id": np.arange(first, first + n), "y": y, **scores}
        table = pa.table({k: v if k == "id" else v.astype("f4") for k, v in columns.items()})
        writer = writer or parquet.ParquetWriter(file, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


@contextmanager
def cluster(python: str) -> Iterator[tuple[int, str]]:
    """The process of a scheduler with two workers, and its address."""
    process = subprocess.Popen([python, str(CLUSTER), "0"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.pid, process.stdout.readline().split("at ")[1].split(";")[0]
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


def family(pid: int) -> list[psutil.Process]:
    """A process and all that it has begun."""
    try:
        own = psutil.Process(pid)
        return [own, *own.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def look(pids: list[int]) -> tuple[float, int]:
    """Seconds of processors and bytes of some processes and of all that they have begun."""
    seconds, held = 0.0, 0
    for each in (member for pid in pids for member in family(pid)):
        try:
            seconds += sum(each.cpu_times()[:4])  # user, system, and both of children that ended
            held += each.memory_info().rss
        except psutil.NoSuchProcess:
            continue
    return seconds, held


def compile_package(python: str, folder: Path) -> None:
    """Compile the modules of a version, which a run may be told to do each time it begins."""
    code = "import compileall, reportgen; compileall.compile_dir(reportgen.__path__[0], quiet=1)"
    subprocess.run([python, "-c", code], cwd=folder, check=True)


@cache
def may_refuse(python: str, folder: Path) -> bool:
    """Whether a version refuses to send rows to other processes unless it is told to."""
    command = [python, "-m", "reportgen", "run", "--help"]
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return "--allow-remote" in said.stdout


def run(python: str, folder: Path, engine: str, beside: list[int]) -> tuple[float, float, float]:
    """Seconds of processors, seconds and megabytes of one run, with the processes `beside` it."""
    command = [python, "-m", "reportgen", "run", "config.yaml", "--out", "out", "--no-cache"]
    command += ["--threads", "2", "--set", f"compute.engine={engine}"]
    command += ["--allow-remote"] if beside and may_refuse(python, folder) else []
    before, peak, begun = look(beside)[0], 0, time.monotonic()
    process = subprocess.Popen(
        command,
        cwd=folder,  # outside any checkout, so that the installed version runs
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while True:
        ended, status, used = os.wait4(process.pid, os.WNOHANG)
        if ended:
            break
        peak = max(peak, look([process.pid, *beside])[1])
        time.sleep(LOOK)
    took = time.monotonic() - begun
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{' '.join(command)}: ended with {os.waitstatus_to_exitcode(status)}")
    work = used.ru_utime + used.ru_stime + look(beside)[0] - before
    return work, took, max(peak / 1e6, used.ru_maxrss * 1024 / 1e6)


def measure(python: str, folder: Path, engine: str) -> tuple[float, float, float]:
    """The same, with a cluster where the engine wants one."""
    if engine != "dask":
        return run(python, folder, engine, [])
    with cluster(python) as (pid, address):
        return run(python, folder, f"{{dask: '{address}'}}", [pid])


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("millions", nargs="+", type=float)
    asked.add_argument("--old", metavar="PYTHON")
    asked.add_argument("--engines", nargs="+", choices=ENGINES, default=ENGINES)
    asked.add_argument("--repeats", type=int, default=3)
    given = asked.parse_args()
    versions = {"old": given.old, "this": sys.executable} if given.old else {"this": sys.executable}
    print("| rows (millions) | engine | version | of processors (s) | seconds | peak (MB) |")
    print("|---|---|---|---|---|---|")
    for millions in given.millions:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            # In a process of its own: a child begins with the peak of its parent.
            writing = Process(target=write, args=(folder / "rows.parquet", round(millions * 1e6)))
            writing.start()
            writing.join()
            (folder / "config.yaml").write_text(json.dumps(CONFIG))
            for python in versions.values():
                compile_package(python, folder)
            for engine in given.engines:
                found = [
                    (version, measure(python, folder, engine))
                    for _ in range(given.repeats)
                    for version, python in versions.items()
                ]
                for version in versions:
                    runs = zip(*(each for of, each in found if of == version), strict=True)
                    work, took, peak = map(median, runs)
                    print(
                        f"| {millions:g} | {engine} | {version} | {work:.1f} | {took:.1f} | "
                        f"{peak:,.0f} |",
                        flush=True,
                    )


if __name__ == "__main__":
    main()

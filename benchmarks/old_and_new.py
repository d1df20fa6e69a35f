"""How long whole reports take, and how much memory, beside those of an earlier commit.

    python benchmarks/old_and_new.py e0eeca8 [--rows 100000,1000000] [--replicates 999] [--times 3]

The earlier commit is checked out into a worktree of its own and its kernels are built there. Runs
of both, in turns, have a process each: all outputs, two threads, nothing from the cache. Beside
the survey and the wallet there are generated rows of three models with eight metrics and every
curve with its band. Other work on the machine moves seconds, least of all those of the processor;
so what is told first is the median of the ratios of neighbouring runs. Written to
benchmarks/results/old_and_new.md.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import sysconfig
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from math import log
from pathlib import Path
from statistics import median

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).parents[1]
PAGE = Path(__file__).parent / "results" / "old_and_new.md"
FLAGS = ["-shared", "-fPIC", "-O3", "-ffp-contract=off", "-fvisibility=hidden"]
CONFIG = """version: 1
report: {{title: Many rows}}
datasets:
  rows: {{path: rows.parquet, id: id, target: y}}
task: regression
models:
  a: {{column: score_0, role: baseline}}
  b: {{column: score_1}}
  c: {{column: score_2}}
metrics: [kendall, spearman, regression_auc, mae, rmse, {{name: asymmetric_cost, alpha: 0.8}},
          pearson, bias]
primary: {{metric: kendall, margin: 0.01}}
bootstrap: {{replicates: {replicates}, seed: 1}}
outputs: [html, pdf, json, markdown, junit]
"""
HEAD = """# Whole reports, old and new

Made by `python benchmarks/old_and_new.py {old}`: {times} {runs} of each in turns, two threads, on
{cores} cores; load {before:.1f} at the start and {after:.1f} at the end, so seconds are not the
machine's, and ratios are medians of those of neighbouring runs. Processor seconds count those of
both threads. Generated rows: three models, eight metrics, every curve with its band,
{replicates} replicates, all outputs.

| run | processor, old over new | clock, old over new | old, CPU s | new, CPU s | old, peak MB | \
new, peak MB |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
"""


@dataclass(frozen=True)
class Spent:
    """What one run took: seconds of the clock and of the processor, and the peak in MB."""

    clock: float
    processor: float
    peak: float


def main() -> None:
    """Time each run of both commits and write the page."""
    asked = _arguments()
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder, checked_out(asked.old) as old:
        runs = dict(_configs(Path(folder), old, asked))
        found = {name: list(_in_turns(old, config, asked.times)) for name, config in runs.items()}
    head = HEAD.format(
        old=asked.old,
        times=asked.times,
        runs="run" if asked.times == 1 else "runs",
        cores=os.cpu_count(),
        before=before,
        after=os.getloadavg()[0],
        replicates=asked.replicates,
    )
    page = head + "".join(_line(name, pairs) for name, pairs in found.items()) + _growth(found)
    PAGE.write_text(page, encoding="utf-8")
    print(page)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("old", help="the commit that is held against this tree")
    parser.add_argument("--rows", default="100000,1000000")
    parser.add_argument("--replicates", type=int, default=999)
    parser.add_argument("--times", type=int, default=3)
    return parser.parse_args()


@contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    """The tree of a commit, with its kernels built."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--detach", str(tree), commit], check=True)
        try:
            _built(tree / "reportgen" / "kernels")
            yield tree
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def _built(kernels: Path) -> None:
    """Compile the C as setup.py does, without what an installation needs beside it."""
    files = sorted((kernels / "c").glob("*.[ch]"))
    mark = zlib.crc32(b"".join(file.read_bytes() for file in files))
    name = "_lanes" + str(sysconfig.get_config_var("EXT_SUFFIX"))
    include = sysconfig.get_paths()["include"]
    command = [
        os.environ.get("CC", "cc"),
        *FLAGS,
        f"-DSOURCES={mark}u",
        f"-I{include}",
        str(kernels / "c" / "kernels.c"),
        "-o",
        str(kernels / name),
    ]
    subprocess.run(command, check=True)


def _configs(folder: Path, old: Path, asked: argparse.Namespace) -> Iterator[tuple[str, Path]]:
    """Each run by its name; both read the configs of the earlier commit, which knows no others."""
    yield "survey, 500 rows", old / "configs" / "wallet-survey.yaml"
    yield "wallet, 23,570 rows", old / "configs" / "wallet.yaml"
    for n in map(int, asked.rows.split(",")):
        where = folder / str(n)
        where.mkdir()
        _generated(n, where / "rows.parquet")
        config = where / "config.yaml"
        config.write_text(CONFIG.format(replicates=asked.replicates), encoding="utf-8")
        yield f"{n:,} generated rows", config


def _generated(n: int, file: Path) -> None:
    """Spend in cents, nothing on two thirds of the rows, two fine scores and one in tenths."""
    draw = np.random.default_rng(1)
    known = draw.normal(size=n)
    latent = known + draw.normal(size=n)
    columns = {"id": np.arange(n), "y": np.where(latent > 0.6, np.exp(3 + latent).round(2), 0.0)}
    for k in range(3):
        columns[f"score_{k}"] = np.exp(2 + known + draw.normal(size=n) / (2 + k))
    columns["score_2"] = columns["score_2"].round(1)
    pq.write_table(pa.table(columns), file)


def _in_turns(old: Path, config: Path, times: int) -> Iterator[tuple[Spent, Spent]]:
    for _ in range(times):
        yield _run(old, config), _run(ROOT, config)


def _run(tree: Path, config: Path) -> Spent:
    with tempfile.TemporaryDirectory() as out:
        return run_into(Path(out) / "report", tree, config)


def run_into(out: Path, tree: Path, config: Path) -> Spent:
    """A report in a process of its own; 1 is a gate that failed."""
    command = [
        sys.executable,
        "-m",
        "reportgen",
        "run",
        str(config),
        "--out",
        str(out),
        "--no-cache",
        "--quiet",
        "--threads",
        "2",
    ]
    begun = os.times().elapsed
    process = subprocess.Popen(
        command,
        cwd=tree,
        env=os.environ | {"PYTHONPATH": str(tree)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) in (0, 1), f"{config} failed in {tree}"
    seconds = os.times().elapsed - begun
    return Spent(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def _line(name: str, pairs: list[tuple[Spent, Spent]]) -> str:
    ratios = (
        median(o.processor / n.processor for o, n in pairs),
        median(o.clock / n.clock for o, n in pairs),
    )
    seconds = [median(run.processor for run in runs) for runs in zip(*pairs, strict=True)]
    peaks = [median(run.peak for run in runs) for runs in zip(*pairs, strict=True)]
    cells = [f"{x:.2f}" for x in ratios] + [f"{x:.1f}" for x in seconds]
    return f"| {' | '.join([name, *cells, *(f'{x:.0f}' for x in peaks)])} |\n"


def _growth(found: dict[str, list[tuple[Spent, Spent]]]) -> str:
    """The power of the rows by which the processor's seconds grow, between the generated sizes."""
    taken = {
        int(name.split()[0].replace(",", "")): median(new.processor for _, new in pairs)
        for name, pairs in found.items()
        if name.endswith("generated rows")
    }
    sizes = sorted(taken)
    lines = [
        f"\nFrom {small:,} to {large:,} rows the new one's processor seconds grow by the power "
        f"{log(taken[large] / taken[small]) / log(large / small):.2f} of the rows.\n"
        for small, large in pairwise(sizes)
    ]
    return "".join(lines)


if __name__ == "__main__":
    main()

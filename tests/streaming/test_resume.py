"""A run of streamed rows that is killed: it goes on where it was, to the same bytes."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from reportgen.data.row_groups import GroupedTable
from reportgen.governance.study import Options
from reportgen.inference.resampling.cache import Cache
from reportgen.pipeline import finish_run
from reportgen.progress import SilentProgress
from reportgen.streaming import states
from reportgen.streaming.states import Checkpoints, State
from tests.streaming import configs, test_queries

ROOT = Path(__file__).parents[2]
N, GROUP = 24_000, 1_000
CONFIG = """
version: 1
report: {title: Streamed}
task: regression
datasets: {test: {path: rows.parquet, id: id, target: y, cluster: shop, weight: w}}
models: {old: {column: old, role: baseline}, new: {column: new}}
metrics: [mae, bias, {name: pinball, alpha: 0.9}, kendall]
primary: {metric: mae}
bootstrap: {replicates: 99, weights: poisson}
compute: {engine: stream}
sensitivity: none
curves: []
outputs: [json]
"""
# The run itself: each row group's state is kept, and before one of them it is killed.
RUN = """
import os, signal, sys
from reportgen.streaming import run
from reportgen.__main__ import main
from reportgen.streaming import states
states.GROUPS_BETWEEN_STATES, left = 0.0, int(sys.argv.pop())
reading = run.GroupedTable.read
def read(table, group):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return reading(table, group)
run.GroupedTable.read = read
sys.exit(main())
"""


def run(folder, kill_at, *more):
    """Run once, killed before the so-manieth row group is read; 0 is never."""
    command = [sys.executable, "-c", RUN, "run", "config.yaml", "--out", "out", *more, str(kill_at)]
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(folder / "kept")}
    return subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True)


def told(folder):
    results = json.loads((folder / "out" / "results.json").read_text())
    return {**results, "provenance": None}


@pytest.fixture
def folder(tmp_path):
    draw = np.random.default_rng(11)
    y = draw.gamma(1.5, 20, N)
    table = pa.table(
        {
            "id": np.arange(N),
            "y": y,
            "old": 0.8 * y + draw.gamma(2, 5, N),
            "new": 0.9 * y + draw.gamma(2, 4.8, N),
            "shop": draw.integers(0, 500, N),
            "w": draw.gamma(2, 1, N),
        }
    )
    parquet.write_table(table, tmp_path / "rows.parquet", row_group_size=GROUP)
    (tmp_path / "config.yaml").write_text(CONFIG, encoding="utf-8")
    return tmp_path


@pytest.mark.full
@pytest.mark.parametrize("memory", ["8GB", "0.45GB"], ids=["held", "cells"])
def test_a_run_killed_at_several_moments_ends_with_the_same_bytes(folder, memory):
    more = "--set", f"compute.memory={memory}"
    assert run(folder, 0, "--no-cache", *more).returncode == 0
    whole = told(folder)
    shutil.rmtree(folder / "out")
    # The first ten are read for the centres of columns; then each pass reads the 24 that there are.
    for kill_at in (9, 22, 35, 15):
        assert run(folder, kill_at, *more).returncode == -signal.SIGKILL
        assert not (folder / "out" / "results.json").exists()
    last = run(folder, 0, *more)
    assert last.returncode == 0
    assert "adding up and resampling, from row" in last.stderr
    assert told(folder) == whole


class Stop(BaseException):
    """What ends a run in the midst of a pass."""


class Told(SilentProgress):
    """The stages of a run, and how many row groups were read in the last."""

    def __init__(self):
        self.stages, self.read = [], 0

    def stage(self, title, total=0):
        self.stages.append(title)
        self.read = 0


def test_queries_go_on_from_each_pass_to_the_same_bytes(tmp_path, monkeypatch):
    parquet.write_table(test_queries.table(), tmp_path / "rows.parquet", row_group_size=500)
    config = configs.written(tmp_path, test_queries.CONFIG, "stream", "weight: w")
    whole = configs.results_of(config)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "kept"))
    monkeypatch.setattr(states, "GROUPS_BETWEEN_STATES", 0.0)

    def run(stop_at):
        """Run until the fourth row group of a pass is read."""
        told = Told()

        def stopping(reading):
            def read(*given):
                told.read += 1
                if told.read == 4 and told.stages[-1].startswith(stop_at):
                    raise Stop
                return reading(*given)

            return read

        with monkeypatch.context() as patch:
            for name in ("read", "texts_of"):
                patch.setattr(GroupedTable, name, stopping(getattr(GroupedTable, name)))
            try:
                return finish_run(config, Options(threads=1), told).results, told.stages
            except Stop:
                return None, told.stages

    passes = ["looking for queries", "looking at the rows", "adding up and resampling"]
    for number, stage in enumerate(passes):
        results, stages = run(stage)
        assert results is None
        assert all(" from row " in each for each in stages[-number - 1 : -1]), stages
    results, stages = run("nothing")
    assert all(any(f"{stage}, from row" in each for each in stages) for stage in passes)
    assert (results.estimates, results.comparisons) == (whole.estimates, whole.comparisons)


@pytest.mark.full
def test_a_state_that_is_torn_is_not_gone_on_from(folder):
    assert run(folder, 0, "--no-cache").returncode == 0
    whole = told(folder)
    assert run(folder, 30).returncode == -signal.SIGKILL
    for file in (folder / "kept" / "reportgen").iterdir():
        content = file.read_bytes()
        file.write_bytes(content[:-9] + b"123456789")
    last = run(folder, 0)
    assert last.returncode == 0 and "from row" not in last.stderr
    assert told(folder) == whole


@pytest.mark.full
def test_other_rows_or_another_seed_are_not_gone_on_from(folder):
    assert run(folder, 40).returncode == -signal.SIGKILL
    assert "from row" not in run(folder, 0, "--set", "bootstrap.seed=7").stderr
    table = parquet.read_table(folder / "rows.parquet").slice(1)
    parquet.write_table(table, folder / "rows.parquet", row_group_size=GROUP)
    last = run(folder, 0)
    assert last.returncode == 0 and "from row" not in last.stderr


def test_what_another_run_wrote_is_taken_with_its_own_number_of_row_groups(tmp_path, monkeypatch):
    monkeypatch.setattr(states, "GROUPS_BETWEEN_STATES", 0.0)
    one, other = (Checkpoints(Cache(tmp_path), "a run") for _ in range(2))

    def kept(by, done):
        by.keep("stage", done, lambda: State({("sum", "n"): np.array([10 * done])}))

    put, was_between = Cache.put, []

    def put_between(cache, name, values):
        """The other run keeps a state in the same place, before it is said whose is there."""
        put(cache, name, values)
        if not was_between:
            was_between.append(True)
            kept(other, 7)

    monkeypatch.setattr(Cache, "put", put_between)
    kept(one, 3)
    done, found = one.load_state("stage")
    assert (done, found["sum", "n"].tolist()) == (7, [70])

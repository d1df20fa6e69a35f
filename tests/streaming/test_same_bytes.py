"""100,000 streamed rows: the numbers of memory, and the same bytes however files are cut."""

import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from reportgen import streamed
from reportgen.pipeline import Options, outcome_of
from reportgen.progress import Silent

N = 100_000
CONFIG = """
version: 1
report: {title: Streamed}
task: regression
datasets: {test: {path: PATH, id: id, target: y, weight: w, missing: drop}}
models: {old: {column: old, role: baseline}, new: {column: new}}
metrics: [mae, rmse, bias, r2, pearson, wape, {name: pinball, alpha: 0.9},
          {name: deviance, power: 1.5}]
primary: {metric: mae}
bootstrap: {replicates: 99, weights: poisson}
sensitivity: none
curves: []
compute: {engine: ENGINE}
outputs: [json]
"""


@pytest.fixture(scope="module")
def table():
    """Amounts of which four in ten are zero, with heavy tails and missing values, sorted by y."""
    draw = np.random.default_rng(5)
    y = np.sort(draw.pareto(2.2, N) * 20 * (draw.random(N) > 0.4))
    old = 0.8 * y + draw.gamma(2, 5, N)
    old[draw.integers(0, N, 40)] = np.nan
    return pa.table({
        "id": draw.permutation(N), "y": y, "old": old, "new": 0.9 * y + draw.gamma(2, 4.8, N),
        "w": draw.gamma(2, 1, N),
    })  # fmt: skip


def told(folder, table, groups, engine="stream", threads=2):
    """Results with row groups of so many rows; of several sizes one file each."""
    (folder / "rows").mkdir(parents=True)
    start = 0
    for number, size in enumerate(groups):
        rows = N - start if number == len(groups) - 1 else 3 * size
        file = folder / "rows" / f"{number}.parquet"
        parquet.write_table(table.slice(start, rows), file, row_group_size=size)
        start += rows
    path = folder / "config.yaml"
    path.write_text(CONFIG.replace("ENGINE", engine).replace("PATH", "rows/*.parquet"))
    found = outcome_of(path, Options(threads=threads, use_cache=False), Silent())
    results = json.loads(found.files["results.json"])
    for name in ("provenance", "config", "digests"):
        results[name] = None
    for dataset in results["datasets"]:
        dataset["inputs"] = None
    return results


def test_row_groups_files_and_threads_move_no_byte(tmp_path, table):
    first = told(tmp_path / "0", table, [50_000], threads=1)
    assert first["datasets"][0]["n"] < N
    for place, groups in enumerate(([77_777], [N], [333, 20_000], [6_000]), 1):
        assert told(tmp_path / str(place), table, groups) == first


def test_the_size_of_pieces_moves_no_byte(tmp_path, table, monkeypatch):
    first = told(tmp_path / "0", table, [N])
    for place, piece in enumerate((7_001, 100_000), 1):
        monkeypatch.setattr(streamed, "PIECE", piece)
        assert told(tmp_path / str(place), table, [N]) == first


def test_numbers_are_those_of_memory(tmp_path, table):
    stream, memory = (told(tmp_path / e, table, [9_999], e) for e in ("stream", "memory"))
    assert stream["datasets"][0]["waterfall"] == memory["datasets"][0]["waterfall"]
    for mine, other in zip(stream["estimates"], memory["estimates"], strict=True):
        assert mine["value"] == pytest.approx(other["value"], rel=1e-11)
        assert mine["method"] == other["method"]
        assert (mine["low"], mine["high"]) == pytest.approx((other["low"], other["high"]), rel=1e-5)
    for mine, other in zip(stream["comparisons"], memory["comparisons"], strict=True):
        keys = ("difference", "low", "high", "adjusted_low", "adjusted_high")
        numbers = [[each[key] for key in keys] for each in (mine, other)]
        # Slopes of correlations are differences: of heavy tails they have some three digits.
        assert numbers[0] == pytest.approx(numbers[1], rel=1e-5, abs=5e-3 * other["se"])
        assert (mine["verdict"], mine["test"]) == (other["verdict"], other["test"])

"""Whatever is done to a config and its data, there is a report or a clear line: no traceback."""

import contextlib
import copy
import io
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.end_to_end.wallet import WALLET, call, customers, put_config, write_rows

ROWS = customers(25)
VALUES = st.sampled_from(
    [
        "",
        "0",
        "-1",
        "1e30",
        "1e-300",
        "1e300",
        "inf",
        "NA",
        "0x1",
        "τ",
        "a,b",
        '"',
        "7",
        "5.5",
        " ",
        "2020-01-01",
        "1e400",
        "-0",
        "1_000",
        "\x00",
    ]
)
CELLS = st.tuples(st.integers(0, len(ROWS) - 1), st.sampled_from([*ROWS[0]]), VALUES)
KEYS = st.sampled_from(
    [
        ("datasets", "holdout", key)
        for key in (
            "weight",
            "cluster",
            "strata",
            "time",
            "fold",
            "query",
            "target",
            "id",
            "filter",
            "missing",
        )
    ]
    + [("models", "boosted", key) for key in ("column", "scale", "role", "label")]
    + [("bootstrap", key) for key in ("replicates", "seed", "level", "interval")]
    + [("comparisons", key) for key in ("adjust", "against")]
    + [("metrics",), ("primary",), ("buckets",), ("curves",), ("costs",), ("report", "title")]
)
WORDS = st.sampled_from(
    [
        *ROWS[0],
        0,
        1,
        2,
        5,
        60,
        0.5,
        0.999,
        -1,
        None,
        "",
        "drop",
        "intersect",
        "rank",
        "all",
        "maxt",
        "bca",
        "studentized",
        "analytic",
        "n_orders > 1",
        "weight == 1 and n_cds < 3",
        [],
        {},
        True,
        ["mae"],
        ["kendall", "r2", "ranking_slope"],
        {"metric": "mae", "margin": "5%"},
        {"asymmetries": [0, 0.5, 1]},
        ["ranking", "rroc"],
    ]
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


@pytest.mark.full
@settings(
    max_examples=60,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    keys=st.lists(st.tuples(KEYS, WORDS), max_size=3),
    cells=st.lists(CELLS, max_size=3),
    copies=st.lists(
        st.tuples(st.sampled_from([*ROWS[0]]), st.sampled_from([*ROWS[0]])), max_size=1
    ),
    kept=st.integers(0, len(ROWS)),
)
def test_a_mutated_config_with_mutated_data_never_shows_a_traceback(
    folder: Path,
    keys: list[tuple[tuple[str, ...], object]],
    cells: list[tuple[int, str, str]],
    copies: list[tuple[str, str]],
    kept: int,
) -> None:
    os.chdir(folder)
    rows = copy.deepcopy(ROWS)
    for at, column, value in cells:
        rows[at][column] = value
    for target, source in copies:
        rows = [{**row, target: row[source]} for row in rows]
    write_rows(folder / "wallet.csv", [*rows[:kept], *rows[:0]] or rows)
    config = copy.deepcopy(WALLET)
    config |= {"bootstrap": {"replicates": 40}, "comparisons": {}, "outputs": ["markdown"]}
    config["curves"] = ["ranking"]  # one kind of drawing: quick
    for path, word in keys:
        _put(config, path, copy.deepcopy(word))
    put_config(folder, **config)
    said, shown = io.StringIO(), io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(shown):
        code = call("run", "wallet.yaml", "--out", "out", "--quiet", "--no-cache")
    assert code in (0, 1, 2, 3), said.getvalue()
    assert "Traceback" not in said.getvalue()
    # A report that judges nothing, as of too few rows, is one: what it says is no error.
    has_report = code == 3 and shown.getvalue().startswith("out/results.json\n")
    assert bool(said.getvalue()) == (code in (2, 3) and not has_report)
    assert not has_report or "\nNo verdict" in shown.getvalue()


def _put(tree: dict[str, object], path: tuple[str, ...], word: object) -> None:
    for key in path[:-1]:
        below = tree.get(key)
        if not isinstance(below, dict):
            return
        tree = below
    tree[path[-1]] = word

"""Two engines, the same numbers: rows in memory and streamed rows give one report."""

import re
from dataclasses import fields, is_dataclass
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from reportgen.errors import ConfigError, DataError
from tests.streaming import configs, test_binary, test_cells, test_classes, test_queries
from tests.streaming.configs import results_of

BROKEN = """
version: 1
report: {title: Broken rows}
task: regression
datasets: {test: {path: rows.parquet, id: id, target: y, MORE}}
models: {old: {column: old, role: baseline}, new: {column: new}}
metrics: [mae]
bootstrap: {replicates: 99, weights: poisson}
sensitivity: none
compute: {engine: ENGINE}
outputs: [json]
"""
UNSEEN = ("copies", "left_out", "reference")  # which ask for all rows
PARTS = (
    "estimates",
    "comparisons",
    "pairs",
    "points",
    "classes",
    "confusions",
    "confusion_differences",
    "label_confusions",
    "gates",
    "stability",
)
AREAS = "roc_auc"  # of each class, which streaming leaves out unless the config names it
DIGITS = 2e-9  # results are rounded to ten digits; a p-value of 1e-80 has fewer
CASES = {
    "amounts": (test_cells.PAIRS, lambda: test_cells.table("pairs"), 701),
    "two classes": (test_binary.CONFIG, test_binary.table, 701),
    "areas": (test_cells.AREAS, lambda: test_cells.table("areas"), 701),
    "several classes": (test_classes.ONE, test_classes.table, 701),
    "several labels": (test_classes.ANY, test_classes.table, 701),
    "queries": (test_queries.CONFIG, test_queries.table, 500),
}
ROWS = ("role: test", "weight: w", "cluster: shop")
FILTERED = ("amounts", 'filter: "shop < 150"')
SLICED = "segments: [part, {column: shop, bins: [0, 3, 500]}]"
SEGMENTS = (SLICED, f"weight: w, {SLICED}", f"cluster: shop, {SLICED}")
SOON = [
    ("amounts", "weight: w"),
    ("two classes", "role: test"),
    ("queries", "cluster: shop"),
    ("amounts", SLICED),
]
# What still differs: a formula asks for each row's own cost, within 0.2.
COSTS = r"points.*\.(against_\w+|outcomes\[4\])\.\w*(low|high)$"
LOOSE = {
    ("two classes", "role: test"): (r"points.*\.outcomes\[4\]\.difference_", 0.2),
    ("two classes", "weight: w"): (COSTS, 0.2),
}


def list_differences(mine, other, at=""):
    """Every field in which two results differ, with both values."""
    if is_dataclass(mine) and type(mine) is type(other):
        for each in fields(mine):
            ends = getattr(mine, each.name), getattr(other, each.name)
            yield from list_differences(*ends, f"{at}.{each.name}")
    elif isinstance(mine, tuple) and isinstance(other, tuple) and len(mine) == len(other):
        for place, ends in enumerate(zip(mine, other, strict=True)):
            yield from list_differences(*ends, f"{at}[{place}]")
    elif isinstance(mine, float) and isinstance(other, float):
        near = 1e-6 if "p_" in at else DIGITS
        if mine != pytest.approx(other, rel=near, abs=1e-12, nan_ok=True):
            yield at, mine, other
    elif mine != other:
        yield at, mine, other


def list_parts(rows):
    """Segments of unlike sizes: one is in the last row group alone, one is missing from rows."""
    of = rows["shop"].to_pylist()
    names = ["b" if shop % 3 else None if shop % 2 else "a" for shop in of]
    column = "topic" if "topic" in rows.column_names else "id"
    late = set(rows[column].to_pylist()[-60:])
    own = rows[column].to_pylist()
    return [["late" if name in late else part for name, part in zip(own, names, strict=True)]]


def write_rows(folder, kind, more, few=False):
    """Write all rows of a task or a few, with segments if asked for, and return its config."""
    config, table, size = CASES[kind]
    rows = table()
    rows = rows if hasattr(rows, "schema") else pa.table(rows)
    rows = rows.slice(len(rows) - 120) if few else rows
    if SLICED in more:
        rows = rows.append_column("part", list_parts(rows))
    parquet.write_table(rows, folder / "rows.parquet", row_group_size=60 if few else size)
    return config


def refuse_any_difference(tmp_path, kind, more):
    config = write_rows(tmp_path, kind, more)
    stream, memory = (
        results_of(configs.written(tmp_path, config, engine, more))
        for engine in ("stream", "memory")
    )
    found = []
    for name in PARTS:
        mine, other = getattr(stream, name), getattr(memory, name)
        if name == "classes":
            other = tuple(each for each in other if each.metric != AREAS)
        assert len(mine) == len(other), name
        found += list_differences(mine, other, name)
    plain = "role: test" if more == SLICED else more.removesuffix(f", {SLICED}")
    loose, near = LOOSE.get((kind, more), LOOSE.get((kind, plain), ("$", None)))
    found = [
        (at, mine, other)
        for at, mine, other in found
        if not re.match(loose, at) or (near is not None and abs(mine - other) > near)
    ]
    assert not found, found[:8]
    looked_at = [each for each in stream.checks if each.outcome != "not looked at"]
    unseen = {each.name for each in stream.checks} - {each.name for each in looked_at}
    assert all(each in memory.checks for each in looked_at)
    assert kind == "queries" or unseen <= set(UNSEEN)
    assert stream.datasets[0].n == memory.datasets[0].n
    assert stream.datasets[0].segments == memory.datasets[0].segments
    few = [[w for w in each.warnings if w.code == "W203"] for each in (stream, memory)]
    assert few[0] == few[1]
    assert stream.datasets[0].waterfall == memory.datasets[0].waterfall


@pytest.mark.parametrize(("kind", "more"), SOON)
def test_streamed_rows_give_every_number_of_memory(tmp_path, kind, more):
    refuse_any_difference(tmp_path, kind, more)


def broken_rows(of, n=600):
    """Rows of which both engines must say what is wrong."""
    rng = np.random.default_rng(3)
    y = np.round(rng.lognormal(6, 1, n), 2)
    columns = {"y": y, "old": y * rng.lognormal(0, 0.3, n), "new": y * rng.lognormal(0, 0.3, n)}
    if of == "doubled":
        columns = {name: np.tile(each, 2) for name, each in columns.items()}
    change = {
        "scale": {"new": np.log(columns["new"])},
        "target_copy": {"new": columns["y"].copy()},
        "constant": {"new": np.full(len(columns["y"]), 7.0)},
        "reversed": {"old": -columns["old"], "new": -columns["new"]},
    }
    columns |= change.get(of, {})
    return pa.table({"id": [f"r{k}" for k in range(len(columns["y"]))], **columns})


@pytest.mark.parametrize("of", ["scale", "target_copy", "constant", "reversed", "doubled"])
def test_streamed_rows_that_are_broken_get_no_verdict_either(tmp_path, of):
    parquet.write_table(broken_rows(of), tmp_path / "rows.parquet", row_group_size=150)
    stream, memory = (
        results_of(configs.written(tmp_path, BROKEN, engine, "role: test"))
        for engine in ("stream", "memory")
    )
    failed, expected = (
        [c for c in found.checks if c.outcome == "failed" and c.name not in UNSEEN]
        for found in (stream, memory)
    )
    assert of in {each.name for each in failed} and failed == expected


LAST = np.arange(11_000) >= 10_500  # rows beyond those that give the centres of columns
BINS = "{column: part, bins: [0, 5]}"
FAULTS = {
    "no column": ("nowhere", np.zeros(len(LAST))),
    "many numbers": ("part", np.where(LAST, np.arange(len(LAST)) // 3, 1)),
    "decimals": ("part", np.where(LAST, 0.5, 1.0)),
    "many names": ("part", [f"c{k * last}" for k, last in enumerate(LAST)]),
    "outside the bins": (BINS, np.where(LAST, 7, 3)),
    "no number": (BINS, np.where(LAST, "many", "3")),
    "infinite": (BINS, np.where(LAST, np.inf, 3.0)),
}


def say_fault(folder, fault, engine):
    """Write rows with a fault in a segment, and return what a run with them says."""
    column, values = FAULTS[fault]
    rows = broken_rows("", len(LAST)).append_column("part", pa.array(values))
    parquet.write_table(rows, folder / "rows.parquet", row_group_size=1_000)
    config = configs.written(folder, BROKEN, engine, f"segments: [{column}]")
    with pytest.raises((ConfigError, DataError)) as refused:
        results_of(config)
    return type(refused.value), str(refused.value)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_a_segment_reads_as_in_memory(tmp_path, fault):
    told = [say_fault(tmp_path, fault, engine) for engine in ("memory", "stream")]
    assert told[0] == told[1]
    assert "\n" not in told[0][1]


@pytest.mark.full
@pytest.mark.parametrize(("kind", "more"), [*product(CASES, (*ROWS, *SEGMENTS)), FILTERED])
def test_streamed_rows_of_every_task_give_every_number_of_memory(tmp_path, kind, more):
    refuse_any_difference(tmp_path, kind, more)

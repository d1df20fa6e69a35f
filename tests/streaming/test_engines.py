"""Two engines, the same numbers: rows in memory and streamed rows give one report."""

import re
from dataclasses import fields, is_dataclass
from itertools import product

import pytest
from pyarrow import parquet

from tests.streaming import configs, test_binary, test_cells, test_classes, test_queries
from tests.streaming.configs import results_of

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
SOON = [("amounts", "weight: w"), ("two classes", "role: test"), ("queries", "cluster: shop")]
# What still differs: a formula asks for each row's own cost, within 0.2, or for the table of each
# cluster, on which no value or difference depends.
COSTS = r"points.*\.(against_\w+|outcomes\[4\])\.\w*(low|high)$"
BY_CLUSTER = r".*\.(low|high|se|method|test|word|p_\w+|units_\w+|smallest_\w+|is_method_\w+)$"
LOOSE = {
    ("two classes", "role: test"): (r"points.*\.outcomes\[4\]\.difference_", 0.2),
    ("two classes", "weight: w"): (COSTS, 0.2),
    ("several classes", "cluster: shop"): (BY_CLUSTER, None),
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


def refuse_any_difference(tmp_path, kind, more):
    config, table, size = CASES[kind]
    rows = table()
    parquet.write_table(
        rows if hasattr(rows, "schema") else test_cells.pa.table(rows),
        tmp_path / "rows.parquet",
        row_group_size=size,
    )
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
    loose, near = LOOSE.get((kind, more), ("$", None))
    found = [
        (at, mine, other)
        for at, mine, other in found
        if not re.match(loose, at) or (near is not None and abs(mine - other) > near)
    ]
    assert not found, found[:8]
    assert stream.datasets[0].n == memory.datasets[0].n
    assert stream.datasets[0].waterfall == memory.datasets[0].waterfall


@pytest.mark.parametrize(("kind", "more"), SOON)
def test_streamed_rows_give_every_number_of_memory(tmp_path, kind, more):
    refuse_any_difference(tmp_path, kind, more)


@pytest.mark.full
@pytest.mark.parametrize(("kind", "more"), [*product(CASES, ROWS), FILTERED])
def test_streamed_rows_of_every_task_give_every_number_of_memory(tmp_path, kind, more):
    refuse_any_difference(tmp_path, kind, more)

"""Broken data give no verdict; pasting the advice that mends them gives the right report."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import yaml
from pyarrow import parquet

from tests.end_to_end.wallet import call, results

DRAW = np.random.default_rng(11)
N = 240
LEVEL, NOISE = DRAW.normal(size=N), DRAW.normal(size=(3, N))
FRAUD = (LEVEL + 0.5 * NOISE[0] > 1).astype(int)
OLD, NEW = (
    1 / (1 + np.exp(2 - 2 * LEVEL - k * each)) for k, each in ((1.2, NOISE[1]), (0.8, NOISE[2]))
)
PRICE = np.round(np.exp(11.9 + 0.45 * LEVEL + 0.2 * NOISE[0]))
LINEAR, FOREST = (
    np.exp(11.9 + 0.4 * LEVEL + k * each) for k, each in ((0.15, NOISE[1]), (0.1, NOISE[2]))
)
MODELS = {"old": {"column": "old", "role": "baseline"}, "new": {"column": "new"}}
BINARY = {"task": "binary", "metrics": ["roc_auc", "log_loss"]}
POISSON = {"replicates": 99, "seed": 1, "weights": "poisson"}
AMOUNTS = {"task": "regression", "metrics": ["mae", "spearman"]}


def run(folder: Path, y: Any, old: Any, new: Any, **config: Any) -> tuple[int, str, dict[str, Any]]:
    """Run a config on two models; return the exit code, the page and the results."""
    columns = {"id": list(range(len(y))), "y": list(y), "old": list(old), "new": list(new)}
    name = "rows.csv"
    if config.get("compute", {}).get("engine") == "stream":
        name = "rows.parquet"
        parquet.write_table(pa.table(columns), folder / name)
    else:
        with (folder / name).open("w", newline="") as file:
            csv.writer(file).writerows([columns, *zip(*columns.values(), strict=True)])
    base = {
        "version": 1,
        "report": {"title": "Broken"},
        "datasets": {"test": {"path": name, "id": "id", "target": "y"}},
        "models": MODELS,
        "bootstrap": {"replicates": 99, "seed": 1},
        "curves": [],
        "outputs": ["markdown"],
    }
    (folder / "c.yaml").write_text(yaml.safe_dump({**base, **config}))
    code = call("run", folder / "c.yaml", "--out", folder / "out", "--no-cache", "--quiet")
    page = (folder / "out" / "report.md").read_text("utf-8").replace("\u00a0", " ")
    page = re.sub(r"</?code>", "`", page).replace("\\", "")
    return code, page, results(folder / "out")


def find_values(found: dict[str, Any], key: str) -> dict[str, float]:
    """Return the value of a metric by model."""
    return {e["model"]: e["value"] for e in found["estimates"] if e["key"] == key}


def stop(page: str) -> str:
    """Return the banner and what it advises."""
    start = page.index("No verdict")
    return page[start : page.index("##", start)]


def test_a_reversed_target_names_the_class_to_write(tmp_path):
    code, page, found = run(tmp_path, 1 - FRAUD, OLD, NEW, **BINARY)
    assert code == 3
    said = stop(page)
    assert "every model ranks worse than chance" in said
    share = f"{np.mean(FRAUD == 0):.0%}"
    assert f"`y` is 1 in {share} of the rows" in said
    assert "write `positive: 0` under `datasets.test`" in said
    assert '`allow: {reversed: "why"}`' in said
    assert not found["conclusion"]["recommendation"]["use"]
    test = {"path": "rows.csv", "id": "id", "target": "y", "positive": 0}
    code, page, mended = run(tmp_path, 1 - FRAUD, OLD, NEW, **BINARY, datasets={"test": test})
    assert code == 0 and "No verdict" not in page
    right = {m: 1 - v for m, v in find_values(found, "roc_auc").items()}
    assert find_values(mended, "roc_auc") == pytest.approx(right)


def test_probabilities_of_the_other_class_are_complemented(tmp_path):
    _, _, right = run(tmp_path, FRAUD, OLD, NEW, **BINARY)
    code, page, _ = run(tmp_path, FRAUD, 1 - OLD, 1 - NEW, **BINARY)
    assert code == 3 and "write `order: ascending` under each model" in stop(page)
    models = {name: {**model, "order": "ascending"} for name, model in MODELS.items()}
    code, _, mended = run(tmp_path, FRAUD, 1 - OLD, 1 - NEW, **BINARY, models=models)
    assert code == 0
    for key in ("roc_auc", "log_loss"):
        assert find_values(mended, key) == pytest.approx(find_values(right, key))


def test_one_reversed_candidate_of_two_is_held(tmp_path):
    code, _, found = run(tmp_path, FRAUD, OLD, 1 - NEW, **BINARY)
    assert code in (0, 3) and not found["conclusion"]["recommendation"]["use"]
    assert "below_alone" in {c["name"] for c in found["checks"] if c["outcome"] == "failed"}


def test_a_class_that_is_written_otherwise_is_named(tmp_path):
    classes = np.array(["Class 0", "Class 1", "Class 2"])
    code, old = np.arange(N) % 3, (np.arange(N) + (NOISE[1] > 1)) % 3
    new = np.char.replace(classes[(code + (NOISE[2] > 1.5)) % 3], " ", "_")
    models = {name: {**model, "scale": "label"} for name, model in MODELS.items()}
    asked = {"task": "multiclass", "metrics": ["accuracy"], "models": models}
    code, page, _ = run(tmp_path, classes[code], classes[old], new, **asked)
    assert code == 3
    assert "new writes Class 0 as “Class_0”" in page
    assert "In the predictions of `models.new`, use the class names of `y`." in page


@pytest.mark.parametrize(
    ("change", "transform"), [(np.log, "exp"), (lambda price: 100 * price, "{times: 0.01}")]
)
def test_prices_on_another_scale_are_put_through_the_transform_that_is_named(
    tmp_path, change, transform
):
    code, page, _ = run(tmp_path, PRICE, LINEAR, change(FOREST), **AMOUNTS)
    assert code == 3
    said = stop(page)
    assert "new is on a different scale from y" in said
    assert f"Write `transform: {transform}` under `models.new`" in said
    assert "write `scale: rank`" in said
    models = {**MODELS, "new": {"column": "new", "transform": yaml.safe_load(transform)}}
    code, page, found = run(tmp_path, PRICE, LINEAR, change(FOREST), **AMOUNTS, models=models)
    assert code == 0 and "No verdict" not in page
    assert find_values(found, "mae")["new"] == pytest.approx(np.abs(PRICE - FOREST).mean())


@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_amounts_that_fall_where_the_target_rises_are_turned_round(tmp_path, engine):
    more = {**AMOUNTS, "compute": {"engine": engine}, "bootstrap": POISSON}
    code, page, found = run(tmp_path, PRICE, -LINEAR, -FOREST, **more)
    assert code == 3
    said = stop(page)
    assert "every model ranks worse than chance" in said
    assert "write `transform: {times: -1}` under each model" in said
    models = {name: {**model, "transform": {"times": -1}} for name, model in MODELS.items()}
    code, page, found = run(tmp_path, PRICE, -LINEAR, -FOREST, **more, models=models)
    assert code == 0 and "No verdict" not in page
    assert find_values(found, "mae")["new"] == pytest.approx(np.abs(PRICE - FOREST).mean())


def test_doubled_rows_and_a_copied_target_give_no_verdict(tmp_path):
    code, page, _ = run(
        tmp_path, *(np.tile(each, 2) for each in (PRICE, LINEAR, FOREST)), **AMOUNTS
    )
    assert code == 3 and "every row occurs 2 times" in stop(page)
    code, page, _ = run(tmp_path, PRICE, LINEAR, PRICE, **AMOUNTS)
    assert code == 3 and "new equals y" in stop(page)
    code, page, _ = run(tmp_path, PRICE, LINEAR, FOREST, **AMOUNTS)
    assert code == 0 and "No verdict" not in page


def test_eight_rows_are_too_few(tmp_path):
    code, page, _ = run(tmp_path, PRICE[:8], LINEAR[:8], FOREST[:8], **AMOUNTS)
    assert code == 3 and "8 rows are too few" in stop(page)


def test_a_candidate_that_knows_some_outcomes_is_held(tmp_path):
    leaked = np.where(np.arange(N) % 4 == 0, np.where(FRAUD > 0, 0.999, 0.001), 0.2 + 0.3 * OLD)
    _, _, found = run(
        tmp_path,
        np.tile(FRAUD, 3),
        *(np.r_[each, each[::-1], each] for each in (OLD, leaked)),
        **BINARY,
    )
    assert "certain_part" in {c["name"] for c in found["checks"]}


def test_hard_rows_that_a_candidate_leaves_out_hold_its_answer(tmp_path):
    hard = np.abs(np.log(PRICE / LINEAR)) > np.quantile(np.abs(np.log(PRICE / LINEAR)), 0.9)
    new = [("" if gone else value) for gone, value in zip(hard, LINEAR * 0.999, strict=True)]
    test = {"path": "rows.csv", "id": "id", "target": "y", "missing": "drop"}
    _, _, found = run(tmp_path, PRICE, LINEAR * 1.02, new, **AMOUNTS, datasets={"test": test})
    names = {c["name"]: c["outcome"] for c in found["checks"]}
    assert names["left_out"] == "failed"
    assert found["conclusion"]["recommendation"]["answer"] != "Yes"


@pytest.mark.parametrize("kind", ["declared", "undeclared", "in rounds"])
def test_units_in_several_folds_hold_the_answer(tmp_path, kind):
    test = {"path": "folds.csv", "id": "id", "target": "y", "fold": "fold"}
    rounds = range(2 if kind == "in rounds" else 1)
    rows = [
        (k, PRICE[k], LINEAR[k] + r, FOREST[k] - r, (k + r) % 5, r, k // 4)
        for r in rounds
        for k in range(N)
    ]
    with (tmp_path / "folds.csv").open("w", newline="") as file:
        head = ("id", "y", "old", "new", "fold", "round", "patient")
        csv.writer(file).writerows([head, *rows])
    test |= {"declared": {"cluster": "patient"}, "in rounds": {"repeat": "round"}}.get(kind, {})
    _, _, found = run(tmp_path, PRICE, LINEAR, FOREST, **AMOUNTS, datasets={"test": test})
    held = [c for c in found["checks"] if c["name"] == "split_units" and c["outcome"] == "failed"]
    assert {c["numbers"]["crossing"] for c in held} == {N // 4}
    assert not found["conclusion"]["recommendation"]["use"]
    if kind != "declared":
        (warning,) = (w for w in found["warnings"] if w["code"] == "W107")
        assert warning["numbers"]["largest"] == 4 and warning["numbers"]["what"] == "patient"

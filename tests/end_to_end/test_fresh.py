"""Rows to fit on beside fresh rows: the same metrics on both, and the gap between them."""

from __future__ import annotations

from math import hypot
from pathlib import Path
from typing import Any

import pytest
from sklearn.metrics import log_loss, roc_auc_score

from tests.end_to_end.test_operating_points import columns, drawn, put
from tests.end_to_end.wallet import call, results, write_rows

HALF = {"half": {"fixed": 0.5}}


def gaps(folder: Path, config: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """What is found of both samples, by metric and model."""
    assert call("run", config, "--out", folder / "out", "--quiet", "--no-cache") == 0
    return {(g["key"], g["model"]): g for g in results(folder / "out")["fresh_gaps"]}


def test_values_are_those_of_scikit_learn_on_either_rows_and_the_gap_is_fresh_less_fitted(
    tmp_path: Path,
) -> None:
    found = gaps(tmp_path, put(tmp_path, HALF, metrics=["roc_auc", "log_loss"]))
    fresh, fitted = columns(1), columns(2, 5000)
    for metric, truth in (("roc_auc", roc_auc_score), ("log_loss", log_loss)):
        for model in "ab":
            one = found[metric, model]
            ends = [
                truth(y, scores[model].clip(2.3e-16, 1 - 2.3e-16))
                for y, scores, _ in (fitted, fresh)
            ]
            assert [one["fitted"]["value"], one["fresh"]["value"]] == pytest.approx(ends)
            assert one["difference"] == pytest.approx(ends[1] - ends[0], abs=1e-9)
            assert (one["fit"], one["n"]) == ("earlier", 400)
            new, old = one["fresh"], one["fitted"]
            reach = hypot(new["value"] - new["low"], old["high"] - old["value"])
            assert one["low"] == pytest.approx(one["difference"] - reach, abs=1e-9)


def test_a_learnt_threshold_is_judged_on_both_where_it_was_learnt(tmp_path: Path) -> None:
    best = {"best": {"maximize": "f"}}
    found = gaps(tmp_path, put(tmp_path, best, metrics=[{"name": "f", "at": "best"}]))
    y, scores, _ = columns(2, 5000)
    [point] = [p for p in results(tmp_path / "out")["points"] if p["model"] == "b"]
    called = scores["b"] >= point["threshold"]
    tp, wrong = (called & (y > 0)).sum(), (called != (y > 0)).sum()
    assert found["f", "b"]["fitted"]["value"] == pytest.approx(2 * tp / (2 * tp + wrong))


def test_a_model_that_knows_its_rows_by_heart_is_told_of_and_another_is_not(tmp_path: Path) -> None:
    config = put(tmp_path, HALF, metrics=["roc_auc"], primary={"metric": "roc_auc"})
    known = [{**row, "p_b": row["y"]} for row in drawn(2, 5000)]
    write_rows(tmp_path / "earlier.csv", known)  # type: ignore[arg-type]
    found = gaps(tmp_path, config)
    assert found["roc_auc", "b"]["high"] < 0
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    said = page.partition("### Training rows and test rows")[2].partition("\n###")[0]
    assert "Values on 400 rows of earlier (role: fit) and on 400" in said
    assert "On fresh rows AUC is worse for b (" in said and "and a (" not in said
    first = page.partition("## Results")[0]
    assert "b is far worse on these rows than on its training rows." in first


@pytest.mark.parametrize(("margin", "is_told"), [(None, True), (0.1, True), (0.3, False)])
def test_a_gap_is_large_beyond_the_margin_or_a_fifth_of_what_is_missing(
    tmp_path: Path, margin: float | None, is_told: bool
) -> None:
    primary = {"metric": "roc_auc"} if margin is None else {"metric": "roc_auc", "margin": margin}
    config = put(tmp_path, HALF, metrics=["roc_auc", {"name": "f", "at": "half"}], primary=primary)
    known = [{**row, "p_b": row["y"]} for row in drawn(2, 5000)]
    write_rows(tmp_path / "earlier.csv", known)  # type: ignore[arg-type]
    gaps(tmp_path, config)
    found = [w for w in results(tmp_path / "out")["warnings"] if w["code"] == "W144"]
    assert [w["model"] for w in found] == ["b"]
    assert found[0]["key"] == ("roc_auc" if is_told else "f")  # told once, of the first where it is


def test_no_gap_is_told_where_none_is_shown(tmp_path: Path) -> None:
    gaps(tmp_path, put(tmp_path, HALF, metrics=["roc_auc"]))
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "On AUC, the data cannot tell whether any model is worse on fresh rows." in page
    assert "W144" not in page


def test_every_metric_stands_in_one_table_of_the_printed_page(tmp_path: Path) -> None:
    report = {"title": "Fitted", "length": "full"}
    gaps(tmp_path, put(tmp_path, HALF, metrics=["roc_auc", "log_loss", "brier"], report=report))
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    said = page.partition("### Training rows and test rows")[2].partition("\n###")[0]
    assert [f"**{label}**" in said for label in ("AUC", "Log loss", "Brier score")] == [True] * 3


@pytest.mark.parametrize("is_shared", [False, True])
def test_samples_that_share_units_have_no_gap(tmp_path: Path, is_shared: bool) -> None:
    fit = {"path": "earlier.csv", "id": "id", "target": "y", "role": "fit", "cluster": "group"}
    config = put(
        tmp_path,
        HALF,
        datasets={
            "d": {"path": "t.csv", "id": "id", "target": "y", "cluster": "group"},
            "earlier": fit,
        },
    )
    for name, seed, first in (("t", 1, 0), ("earlier", 2, 5000)):
        rows = [
            {**row, "group": f"{'' if is_shared else name}{k % 40}"}
            for k, row in enumerate(drawn(seed, first))
        ]
        write_rows(tmp_path / f"{name}.csv", rows)  # type: ignore[arg-type]
    assert bool(gaps(tmp_path, config)) != is_shared

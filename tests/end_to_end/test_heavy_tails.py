"""Requirements on amounts with heavy tails: what a few rows decide is met by no interval."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.streaming.configs import results_of, written

CONFIG = """
version: 1
report: {title: Tails}
task: regression
datasets: {test: {path: rows.parquet, id: id, target: y, unit: kg}}
models: {old: {column: old, role: baseline}, new: {column: newMORE}}
metrics: [mae, rmse, r2]
primary: {metric: mae, margin: 0.2}
gates:
  - {name: squares, rule: below, metric: rmse, model: new, value: 1000}
  - {name: explained, rule: above, metric: r2, model: new, value: -1000}
  - {name: errors, rule: below, metric: mae, model: new, value: BOUND}
  - {name: no worse, rule: non_inferior, metric: rmse, model: new, margin: 1000}
  - {name: better, rule: better, metric: rmse, model: new}
bootstrap: {replicates: 199, weights: poisson}
sensitivity: none
curves: []
compute: {engine: ENGINE}
outputs: [json]
"""
OPEN, MET = "cannot tell", "met"


def judged(folder, engine, tail, *, n=400, bound=1000, allow="", error=1.0):
    """The results of a model with small errors beside one with large ones, both of one tail."""
    draw = np.random.default_rng(6)
    y = draw.normal(50, 9, n)
    noise = draw.standard_t(1.5, n) if tail == "heavy" else draw.normal(0, 1, n)
    columns = {"id": np.arange(n), "y": y, "new": y + error * noise, "old": y + 3 * noise}
    parquet.write_table(pa.table(columns), folder / "rows.parquet")
    return results_of(written(folder, CONFIG, engine, allow, ("BOUND", str(bound))))


def statuses(results):
    return [each.status for each in results.gates]


@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_squares_of_errors_with_a_heavy_tail_meet_no_bound(tmp_path, engine):
    found = judged(tmp_path, engine, "heavy")
    assert statuses(found)[:4] == [OPEN, OPEN, MET, OPEN]
    assert [each.held_by for each in found.gates[:2]] == ["heavy_tail"] * 2
    warned = {(w.key, w.model) for w in found.warnings if w.code == "W103"}
    assert {("rmse", "new"), ("r2", "new")} <= warned


@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_normal_errors_meet_the_same_bounds(tmp_path, engine):
    found = judged(tmp_path, engine, "light")
    assert statuses(found) == [MET] * 5
    assert not any(e.is_decided_by_few or e.tail_reach for e in found.estimates)


def test_an_allowed_heavy_tail_meets_them_and_the_report_says_why(tmp_path):
    found = judged(tmp_path, "memory", "heavy", allow=", allow: {heavy_tail: known outliers}")
    assert statuses(found) == [MET] * 5
    assert "W252" not in {each.code for each in found.warnings}
    assert "known outliers" in str(found.conclusion)


@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_allowing_a_tail_that_is_not_heavy_is_unneeded(tmp_path, engine):
    found = judged(tmp_path, engine, "light", allow=", allow: {heavy_tail: known outliers}")
    told = [each.numbers["allowed"] for each in found.warnings if each.code == "W252"]
    assert told == ["new: heavy_tail"] and statuses(found) == [MET] * 5


def test_a_difference_compared_with_zero_rests_on_its_interval(tmp_path):
    found = judged(tmp_path, "memory", "heavy", error=0.1)
    assert found.gates[4].status == MET and not found.gates[4].held_by


def test_a_mean_is_met_only_beyond_what_missing_rows_may_add(tmp_path):
    first = judged(tmp_path, "memory", "heavy")
    mae = next(e for e in first.estimates if (e.key, e.model) == ("mae", "new"))
    loss = mae.tail_reach
    assert loss > 0
    for bound, expected in ((mae.high + 0.9 * loss, OPEN), (mae.high + 1.1 * loss, MET)):
        assert judged(tmp_path, "memory", "heavy", bound=bound).gates[2].status == expected


def test_page_one_says_that_a_few_rows_decide_and_shows_the_numbers(tmp_path):
    found = judged(tmp_path, "memory", "heavy")
    shown = {r.gate: r for r in found.conclusion.requirements}
    (first, *_) = found.gates
    assert shown[first.name].status == OPEN
    why = "a few rows decide this value (heavy tail)"
    assert shown[first.name].reason == why
    assert shown[first.name].text == f"Needs < 1,000 kg; found 2.6 kg (2.2 to 3.6); {why}."
    assert first.reason == shown[first.name].text
    assert (first.low, first.high) != (None, None)


@pytest.mark.full
def test_both_engines_say_how_far_missing_rows_may_move_a_mean(tmp_path):
    reach = {}
    for engine in ("memory", "stream"):
        found = judged(tmp_path, engine, "heavy", n=700)
        mae = next(e for e in found.estimates if (e.key, e.model) == ("mae", "new"))
        reach[engine] = mae.tail_reach
    # Resamples stand for the standard error of streamed rows.
    assert reach["stream"] == pytest.approx(reach["memory"], rel=0.25)

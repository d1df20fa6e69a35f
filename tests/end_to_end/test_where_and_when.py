"""Differences that are not the same in all segments or at all times, from rows to page one."""

import numpy as np
import pandas as pd
import pytest
import yaml

from reportgen.errors import ConfigError
from reportgen.report.conclusion import conclude
from reportgen.report.sections.segments import build_segments_section
from tests.streaming.configs import results_of

N = 1_200


def make_results(folder, columns, *, task="regression", metric="mae", **dataset):
    pd.DataFrame({"id": np.arange(len(columns["y"])), **columns}).to_csv(
        folder / "rows.csv", index=False
    )
    config = {
        "version": 1,
        "report": {"title": "Where and when", "decision": "replace"},
        "task": task,
        "datasets": {"test": {"path": "rows.csv", "id": "id", "target": "y", **dataset}},
        "models": {
            "old": {"column": "old", "role": "baseline", "label": "Old"},
            "new": {"column": "new", "role": "candidate", "label": "New"},
        },
        "metrics": [metric],
        "primary": {"metric": metric},
        "bootstrap": {"replicates": 199},
        "outputs": ["json"],
    }
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(config, sort_keys=False))
    return results_of(path)


def list_points(results):
    made = conclude(results)
    return [*made.gain, *made.drawback, *made.unsure]


def draw_branches(kind):
    """Draw rows of three branches: `new` knows only which branch, `old` only what is within it."""
    draw = np.random.default_rng(4)
    branch = np.repeat([0, 1, 2], N // 3)
    within = draw.normal(size=N)
    if kind == "roc_auc":
        y = (draw.random(N) < 1 / (1 + np.exp(2.2 - 2.2 * branch - 0.9 * within))).astype(int)
    else:
        y = 30 * branch + 10 * within + 5 * draw.normal(size=N)
    old = within + 0.2 * draw.normal(size=N) + 0.3 * branch
    new = 3 * branch + 0.3 * within + draw.normal(size=N)
    if kind == "roc_auc":
        old, new = (1 / (1 + np.exp(-each)) for each in (old - 1, new - 3))
    names = np.array(["North", "South", "West"])[branch]
    return {"y": y, "old": old, "new": new, "branch": names}


@pytest.mark.parametrize("metric", ["roc_auc", "kendall", "spearman"])
def test_a_result_that_reverses_within_every_segment_is_named_on_page_one(tmp_path, metric):
    task = "binary" if metric == "roc_auc" else "regression"
    segments = [{"column": "branch"}]
    results = make_results(
        tmp_path, draw_branches(metric), task=task, metric=metric, segments=segments
    )
    (found,) = results.stability
    assert found.is_reversed and found.left_out == 0
    (overall,) = (c for c in results.comparisons if c.segment is None)
    assert overall.difference > 0 > found.within.high
    each = [g.difference for g in found.groups]
    assert max(each) < 0
    mean = np.average(each, weights=[g.n for g in found.groups])
    assert found.within.value == pytest.approx(mean, rel=1e-8)
    assert any(
        p.startswith("On average within branch, New is worse: −") for p in list_points(results)
    )


def draw_days(late, seed=6):
    draw = np.random.default_rng(seed)
    day = np.arange(300)
    y = draw.normal(50, 10, 300)
    size = np.where(day < 240, 3.0, late)
    return {
        "y": y,
        "old": y + 6 * draw.normal(size=300),
        "new": y + size * draw.normal(size=300),
        "day": pd.date_range("2026-01-01", periods=300).astype(str),
    }


def test_a_model_that_is_worse_lately_is_said_to_be_so(tmp_path):
    results = make_results(tmp_path, draw_days(15.0), time="day")
    (found,) = results.stability
    assert found.is_time and found.differs_in_last_period and found.p_value is None
    assert [g.n for g in found.groups] == [50] * 6
    assert found.groups[-1].name == "2026-09-08 to 2026-10-27"
    before = np.mean([g.difference for g in found.groups[:-1]])
    assert found.last.value == pytest.approx(found.groups[-1].difference - before, rel=1e-8)
    drawback = conclude(results).drawback[0]
    assert drawback.startswith(
        "In the last period (2026-09-08 to 2026-10-27), New does worse than before: "
        "the difference is +"
    )


def test_of_a_model_that_stays_as_it_is_nothing_is_said(tmp_path):
    results = make_results(tmp_path, draw_days(3.0, seed=8), time="day")
    (found,) = results.stability
    assert not (found.differs_in_last_period or found.is_changing)
    assert not any("period" in point for point in list_points(results))


def test_segments_of_one_row_are_left_out_and_a_constant_time_has_no_periods(tmp_path):
    rows = draw_days(3.0)
    kind = np.where(np.arange(300) < 150, "a", "b")
    kind[0] = "alone"
    constant = {**rows, "day": "2026-01-01", "kind": kind}
    results = make_results(tmp_path, constant, time="day", segments=[{"column": "kind"}])
    # every row is of one time, so one unit is drawn: there is nothing to compare
    assert results.stability == ()
    plain = make_results(tmp_path, {**rows, "kind": kind}, segments=[{"column": "kind"}])
    (found,) = plain.stability
    assert [g.name for g in found.groups] == ["a", "b"]
    assert found.left_out == 0  # a segment of one row is none
    few = np.where(np.arange(300) < 5, "few", kind)
    (found,) = make_results(
        tmp_path, {**rows, "kind": few}, segments=[{"column": "kind"}]
    ).stability
    assert found.left_out == 1 and "few" not in [g.name for g in found.groups]


def test_where_zero_is_best_smaller_is_better(tmp_path):
    draw = np.random.default_rng(2)
    y = draw.normal(50, 3, 600)
    rows = {"y": y, "old": y + 2 + draw.normal(size=600), "new": y + 1 + draw.normal(size=600)}
    rows["branch"] = np.array(["a", "b", "c"])[np.arange(600) % 3]
    results = make_results(tmp_path, rows, metric="bias", segments=[{"column": "branch"}])
    (found,) = results.stability
    assert found.within.high < 0 and not found.is_reversed


def test_periods_hold_equal_times_together_and_thirty_rows(tmp_path):
    rows = draw_days(3.0)
    half = np.arange(300) // 2
    results = make_results(tmp_path, {**rows, "day": half}, time="day")
    (found,) = results.stability
    sizes = [g.n for g in found.groups]
    assert sum(sizes) == 300 and min(sizes) >= 30 and len(sizes) == 6
    assert all(size % 2 == 0 for size in sizes)
    assert found.groups[-1].name.endswith(" to 149")


def test_rows_of_clusters_have_no_periods(tmp_path):
    rows = {**draw_days(3.0), "shop": np.arange(300) % 40}
    assert make_results(tmp_path, rows, time="day", cluster="shop").stability == ()


def test_where_a_segment_is_hidden_its_column_is_left_out(tmp_path):
    rows = {**draw_days(3.0), "kind": np.where(np.arange(300) < 270, "large", "small")}
    rows["kind"][285:] = "tiny"
    results = make_results(tmp_path, rows, segments=[{"column": "kind"}])
    assert len(results.stability) == 1
    path = tmp_path / "config.yaml"
    path.write_text(path.read_text() + "privacy: {level: standard}\n")
    assert results_of(path).stability == ()


def test_dates_of_eight_digits_name_the_periods(tmp_path):
    columns = draw_days(3.0)
    days = pd.to_datetime(columns["day"])
    results = make_results(
        tmp_path, {**columns, "day": days.strftime("%Y%m%d").astype(int)}, time="day"
    )
    assert results.stability[0].groups[-1].name == "2026-09-08 to 2026-10-27"
    serial = make_results(tmp_path, {**columns, "day": np.arange(300) + 20260101}, time="day")
    assert serial.stability[0].groups[0].name == "20260101 to 20260150"


def test_a_constant_time_leaves_nothing_to_judge(tmp_path):
    results = make_results(tmp_path, {**draw_days(3.0), "day": "2026-01-01"}, time="day")
    (failed,) = (each for each in results.checks if each.outcome == "failed")
    assert (failed.name, failed.numbers["unit"], failed.numbers["count"]) == ("too_few", "time", 1)
    assert not results.stability


def test_rows_of_clusters_have_no_periods_and_the_report_says_why(tmp_path):
    columns = {**draw_days(3.0), "shop": np.arange(300) % 40}
    results = make_results(tmp_path, columns, time="day", cluster="shop")
    (text,) = (block for block in build_segments_section(results).blocks if block.kind == "text")
    assert "one value of shop may lie in several periods" in str(text.phrase)
    with pytest.raises(ConfigError, match="one column as `time:` and as `cluster:`"):
        make_results(tmp_path, draw_days(3.0), time="day", cluster="day")

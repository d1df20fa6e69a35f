"""Gaps between segments, from rows to requirements: met, not met, cannot tell, and bad input."""

from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import yaml
from pyarrow import parquet

from reportgen.errors import ReportgenError
from reportgen.report.conclusion import conclude
from tests.end_to_end.wallet import call
from tests.streaming.configs import results_of

N = 2_400
GAP = {"rule": "gap_below", "metric": "recall", "model": "new", "segment": "sex", "value": 0.1}
WIDER = {
    "rule": "gap_no_wider",
    "metric": "recall",
    "model": "new",
    "segment": "sex",
    "margin": 0.05,
}


def draw_rows():
    """Draw rows of which `old` finds fewer positives of women; one region has no positives."""
    draw = np.random.default_rng(3)
    sex = np.where(np.arange(N) % 2 == 0, "f", "m")
    region = np.array(["north", "south", "west"], dtype="U8")[draw.integers(0, 3, N)]
    region[:40] = "empty"
    region[40] = "single"
    y = (draw.random(N) < 0.4).astype(int)
    y[:40] = 0
    found = {"old": np.where(sex == "f", 0.55, 0.85), "new": np.full(N, 0.85)}
    chance = draw.random(N)
    scores = {
        name: np.where(chance < np.where(y == 1, share, 0.2), 0.8, 0.2) + 0.1 * draw.random(N)
        for name, share in found.items()
    }
    return pd.DataFrame({"id": np.arange(N), "y": y, **scores, "sex": sex, "region": region})


def put(folder, gates, rows=None, **more):
    table = draw_rows() if rows is None else rows
    table.to_csv(folder / "rows.csv", index=False)
    config = {
        "version": 1,
        "report": {"title": "Gaps", "decision": "replace"},
        "task": "binary",
        "datasets": {
            "test": {"path": "rows.csv", "id": "id", "target": "y", "segments": ["sex", "region"]}
        },
        "models": {
            "old": {"column": "old", "role": "baseline", "label": "Old"},
            "new": {"column": "new", "role": "candidate", "label": "New"},
        },
        "threshold": 0.5,
        "metrics": ["roc_auc", "recall", "specificity"],
        "primary": {"metric": "roc_auc"},
        "bootstrap": {"replicates": 399},
        "gates": [{"name": f"gate {place}", **gate} for place, gate in enumerate(gates)],
        "outputs": ["json", "junit", "markdown"],
        **more,
    }
    config = {key: value for key, value in config.items() if value is not None}
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(config, sort_keys=False))
    return path


def list_gaps(results, **wanted):
    return [g for g in results.group_gaps if all(getattr(g, k) == v for k, v in wanted.items())]


def test_requirements_on_gaps_are_met_not_met_or_open(tmp_path):
    between = {"between": ["f", "m"]}
    gates = (
        GAP,
        {**GAP, "model": "old"},
        {**GAP, "value": 0.03},
        {**GAP, **between},
        {**GAP, **between, "model": "old"},
        WIDER,
        {**WIDER, "margin": "10%", **between},
        {**WIDER, "model": "old", "against": "new"},
        {**GAP, "metric": "specificity", "segment": "region", "value": 0.2},
        {**GAP, "metric": "specificity", "segment": "region", "value": 0.25},
    )
    results = results_of(put(tmp_path, gates))
    status = {gate.name: gate.status for gate in results.gates}
    assert list(status.values()) == [
        "met",
        "not met",
        "cannot tell",
        "met",
        "not met",
        "met",
        "met",
        "not met",
        "cannot tell",  # forty rows of one region leave room for 21 points
        "met",
    ]
    values = {
        (e.model, e.segment): e.value for e in results.estimates if e.key == "recall" and e.segment
    }
    of_old = values["old", "sex=m"] - values["old", "sex=f"]
    assert results.gates[1].value == pytest.approx(of_old)
    assert results.gates[4].value == pytest.approx(-of_old)
    of_new = abs(values["new", "sex=m"] - values["new", "sex=f"])
    assert results.gates[5].value == pytest.approx(of_new - of_old)
    assert results.gates[6].bound == pytest.approx(0.1 * of_old)
    shown = {each.gate: each for each in results.conclusion.requirements}
    assert shown["gate 1"].name == "Gap in recall of Old between segments of sex below 10 points"
    assert shown["gate 4"].name == "Gap in recall of Old between f and m (sex) below 10 points"
    assert shown["gate 1"].text.startswith("Needs < 10 points; found 3")  # it has no direction
    assert shown["gate 4"].text.startswith("Needs ±10 points; found −3")
    assert shown["gate 5"].name == (
        "Gap in recall between segments of sex less than 5 points wider for New than for Old"
    )


def test_gaps_stand_in_every_output(tmp_path):
    path = put(tmp_path, [{**GAP, "model": "old"}, WIDER])
    assert call("run", path, "--out", tmp_path / "out") == 1
    (failed,) = ElementTree.parse(tmp_path / "out" / "junit.xml").getroot().iter("failure")
    assert "Needs < 10 points; found" in failed.text
    page = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert "How far apart are the segments?" in page
    assert "Recall: gap of New minus gap of Old" in page


def test_segments_without_a_value_are_left_out_and_named(tmp_path):
    gate = {**GAP, "segment": "region", "value": 0.3}
    results = results_of(put(tmp_path, [gate]))
    (gap,) = list_gaps(results, key="recall", by="region", model="new")
    assert gap.segments == 3
    assert {each.name: each.reason for each in gap.omitted} == {
        "empty": "where no row is positive",
        "single": "it has one row",
    }
    (requirement,) = results.conclusion.requirements
    assert requirement.name.endswith("below 30 points (without empty and single)")


def test_without_two_segments_that_have_a_value_nothing_is_decided(tmp_path):
    rows = draw_rows()
    rows.loc[rows.sex == "f", "y"] = 0
    results = results_of(put(tmp_path, [GAP, {**GAP, "between": ["f", "m"]}], rows))
    assert [gate.status for gate in results.gates] == ["cannot tell"] * 2
    assert {gate.value for gate in results.gates} == {None}
    assert {g.reason for g in list_gaps(results, key="recall")} == {
        "fewer than two segments have a value and an interval"
    }


def test_a_constant_column_has_no_gap(tmp_path):
    rows = draw_rows()
    rows["sex"] = "f"
    (gate,) = results_of(put(tmp_path, [GAP], rows)).gates
    assert (gate.status, gate.value) == ("cannot tell", None)


BAD = {
    "a value of a column": (
        {"segment": "sex=f"},
        "gates[0].segment needs a column, not 'sex=f'; name two of its values under `between`",
    ),
    "another column": (
        {"segment": "sez"},
        "gates[0].segment: 'sez' is not among datasets.test.segments; did you mean 'sex'?",
    ),
    "another value": (
        {"between": ["f", "x"]},
        "the data have no segment 'x', or only one row of it; known: f, m",
    ),
    "one row": (
        {"segment": "region", "between": ["north", "single"]},
        "no segment 'single', or only one row of it; known: empty, north, south, west",
    ),
    "one value": ({"between": ["f"]}, "gates[0].between needs two different values"),
    "twice the same": ({"between": ["f", "f"]}, "gates[0].between needs two different values"),
    "no bound": (
        {"value": 0},
        "gates[0].value: a gap is never below '0'; write a larger bound",
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_gap_that_cannot_be_is_one_line(tmp_path, kind):
    change, said = BAD[kind]
    with pytest.raises(ReportgenError) as refused:
        results_of(put(tmp_path, [{**GAP, **change}]))
    assert str(refused.value).endswith(said)
    assert "\n" not in str(refused.value)


def test_a_gap_over_hidden_segments_is_hidden(tmp_path):
    rows = draw_rows()
    rows.loc[:9, "region"] = "rare"
    gate = {**GAP, "metric": "specificity", "segment": "region", "value": 0.9}
    gates = [gate, {**gate, "between": ["north", "south"]}]
    results = results_of(put(tmp_path, gates, rows, privacy="standard"))
    assert list_gaps(results, by="region", between=()) == []
    assert results.gates[0].value is None and results.gates[0].status == "met"
    (shown,) = list_gaps(results, by="region")
    assert shown.between == ("north", "south") and results.gates[1].value == shown.value


def test_amounts_have_gaps_too(tmp_path):
    draw = np.random.default_rng(4)
    y = draw.normal(50, 5, N)
    shop = np.array(["a", "b", "c"])[np.arange(N) % 3]
    size = np.where(shop == "a", 3.0, 1.0)
    rows = pd.DataFrame({"id": np.arange(N), "y": y, "shop": shop})
    rows["old"], rows["new"] = y + size * draw.normal(size=N), y + draw.normal(size=N)
    gap = {"rule": "gap_below", "metric": "mae", "model": "new", "segment": "shop", "value": 0.2}
    wider = {"rule": "gap_no_wider", "metric": "mae", "model": "new", "segment": "shop"}
    results = results_of(
        put(
            tmp_path,
            [gap, {**gap, "model": "old"}, {**wider, "margin": 0}],
            rows,
            task="regression",
            threshold=None,
            metrics=["mae", "bias"],
            primary={"metric": "mae"},
            datasets={
                "test": {"path": "rows.csv", "id": "id", "target": "y", "segments": ["shop"]}
            },
        )
    )
    assert [gate.status for gate in results.gates] == ["met", "not met", "met"]
    (change,) = list_gaps(results, against="old", key="mae")
    assert change.is_established and change.high < 0


def test_a_report_without_such_a_requirement_has_the_gaps_of_the_primary_metric(tmp_path):
    results = results_of(put(tmp_path, []))
    places = [(g.key, g.model, g.against, g.by) for g in results.group_gaps]
    assert places == [
        ("roc_auc", model, against, by)
        for by in ("sex", "region")
        for model, against in (("old", None), ("new", None), ("new", "old"))
    ]


def put_streamed(folder, engine, gates):
    parquet.write_table(pa.Table.from_pandas(draw_rows()), folder / "rows.parquet")
    rows = {"path": "rows.parquet", "id": "id", "target": "y", "segments": ["sex", "region"]}
    return put(
        folder,
        gates,
        metrics=["recall", "specificity"],
        primary={"metric": "recall"},
        bootstrap={"replicates": 399, "weights": "poisson"},
        compute={"engine": engine},
        datasets={"test": rows},
    )


def test_streamed_rows_have_the_same_gap(tmp_path):
    found = {
        engine: results_of(put_streamed(tmp_path, engine, [GAP, WIDER]))
        for engine in ("memory", "stream")
    }
    gates = zip(found["memory"].gates, found["stream"].gates, strict=True)
    for held, streamed in gates:
        assert streamed.value == pytest.approx(held.value, rel=1e-9)
        assert (streamed.low, streamed.high) == pytest.approx((held.low, held.high), abs=0.01)
        assert streamed.status == held.status


@pytest.mark.parametrize(
    ("gate", "said"),
    [
        ({**GAP, "between": ["f", "x"]}, "no segment 'x', or only one row of it; known: f, m"),
        (
            {"rule": "above", "metric": "recall", "model": "new", "value": 0.1, "segment": "sex=x"},
            "no segment 'sex=x', or only one row of it; did you mean 'sex=m'?",
        ),
    ],
)
def test_streamed_rows_without_the_segment_are_one_line_too(tmp_path, gate, said):
    with pytest.raises(ReportgenError) as refused:
        results_of(put_streamed(tmp_path, "stream", [gate]))
    assert str(refused.value).endswith(said)


def test_one_model_without_a_baseline_has_requirements_on_gaps(tmp_path):
    path = put(
        tmp_path,
        [GAP, {**GAP, "value": 0.001}],
        report={"title": "Gaps", "decision": "meets"},
        models={"new": {"column": "new", "label": "New"}},
    )
    results = results_of(path)
    assert [gate.status for gate in results.gates] == ["met", "cannot tell"]
    assert "The gap in recall is" in " ".join(conclude(results).unsure)


def test_segments_of_few_queries_are_left_out(tmp_path):
    runs = {"one": "", "two": ""}
    judged = ""
    kinds = ["query,kind"]
    draw = np.random.default_rng(8)
    for query in range(40):
        kinds.append(f"{query},{'rare' if query < 4 else 'abc'[query % 3]}")
        for document in range(6):
            judged += f"{query} 0 d{document} {int(document < 2)}\n"
            for name in runs:
                runs[name] += f"{query} Q0 d{document} 1 {draw.random():.6f} {name}\n"
    (tmp_path / "web.qrels").write_text(judged)
    (tmp_path / "kinds.csv").write_text("\n".join(kinds) + "\n")
    for name, text in runs.items():
        (tmp_path / f"{name}.run").write_text(text)
    config = {
        "version": 1,
        "report": {"title": "Gaps"},
        "task": "ranking",
        "datasets": {
            "web": {
                "qrels": "web.qrels",
                "queries": {"path": "kinds.csv", "id": "query"},
                "segments": ["kind"],
            }
        },
        "models": {"one": {"run": "one.run", "role": "baseline"}, "two": {"run": "two.run"}},
        "metrics": ["ap"],
        "bootstrap": {"replicates": 199},
        "outputs": ["json"],
    }
    path = tmp_path / "config.yaml"
    path.write_text(yaml.safe_dump(config, sort_keys=False))
    for gap in results_of(path).group_gaps:
        assert gap.segments == 3
        assert [(each.name, each.reason) for each in gap.omitted] == [
            ("rare", "fewer than 10 queries")
        ]


def test_where_values_of_single_rows_are_averaged_their_gaps_are_hidden(tmp_path):
    draw = np.random.default_rng(5)
    rows = pd.DataFrame({"id": np.arange(N), "y": draw.normal(50, 5, N)})
    rows["sex"] = np.array(["f", "m"])[np.arange(N) % 2]
    for name in ("old", "new"):
        rows[name] = rows.y + draw.normal(size=N)
    gate = {**GAP, "metric": "median_ae", "value": 1}
    path = put(
        tmp_path,
        [gate, {**gate, "metric": "mae"}],
        rows,
        task="regression",
        threshold=None,
        metrics=["mae", "median_ae"],
        primary={"metric": "mae"},
        datasets={"test": {"path": "rows.csv", "id": "id", "target": "y", "segments": ["sex"]}},
        privacy="strict",
    )
    results = results_of(path)
    assert {gap.key for gap in results.group_gaps} == {"mae"}
    assert [gate.value is None for gate in results.gates] == [True, False]
    assert [gate.status for gate in results.gates] == ["met", "met"]

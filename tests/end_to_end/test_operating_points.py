"""Operating points through the whole program: what is called, what comes of it, what is learnt."""

import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from sklearn.metrics import confusion_matrix, f1_score

from reportgen.report.archive import load_results
from reportgen.report.document import Figure, iter_unfolded
from reportgen.report.layout import build_document
from tests.end_to_end.wallet import call, heard, results, write_rows

COSTS = {"fp": 10, "fn": 200, "currency": "EUR"}
FIT = {"path": "earlier.csv", "id": "id", "target": "y", "role": "fit"}
CELLS = ("true_negatives", "false_positives", "false_negatives", "true_positives")


def drawn(seed: int, first: int = 0, n: int = 400) -> list[dict[str, object]]:
    """Rows with two probabilities, the second of which knows more."""
    draw = np.random.default_rng(seed)
    y = draw.random(n) < 0.3
    a, b = (np.round(np.clip(c * y + 0.7 * draw.random(n), 0, 1), 2) for c in (0.15, 0.3))
    return [
        {"id": first + k, "y": int(y[k]), "p_a": a[k], "p_b": b[k], "w": 1 + k % 3}
        for k in range(n)
    ]


def put(folder: Path, points: dict[str, object], **changes: object) -> Path:
    """Two files of rows and a config with these operating points."""
    write_rows(folder / "t.csv", drawn(1))  # type: ignore[arg-type]
    write_rows(folder / "earlier.csv", drawn(2, 5000))  # type: ignore[arg-type]
    test = {"path": "t.csv", "id": "id", "target": "y", **changes.pop("test", {})}  # type: ignore[dict-item]
    config = {
        "version": 1,
        "report": {"title": "Calls"},
        "datasets": {"d": test, "earlier": FIT},
        "task": "binary",
        "models": {"a": {"column": "p_a", "role": "baseline"}, "b": {"column": "p_b"}},
        "metrics": ["roc_auc"],
        "costs": COSTS,
        "thresholds": points,
        "bootstrap": {"replicates": 199, "seed": 1},
        "outputs": ["json", "markdown"],
        **changes,
    }
    path = folder / "c.yaml"
    path.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    return path


def points(
    folder: Path, rule: dict[str, object], **changes: object
) -> dict[str, dict[str, object]]:
    """What is said of one point, by model."""
    config = put(folder, {"p": rule}, **changes)
    assert call("run", config, "--out", folder / "out", "--quiet", "--no-cache") == 0
    return {p["model"]: p for p in results(folder / "out")["points"]}


def figures(folder: Path) -> list[Figure]:
    blocks = (
        b for s in build_document(load_results(folder / "results.json")).sections for b in s.blocks
    )
    return [
        each for block in blocks for each in iter_unfolded((block,)) if isinstance(each, Figure)
    ]


def columns(seed: int, first: int = 0) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]:
    rows = drawn(seed, first)
    y, a, b, w = (np.array([float(str(r[k])) for r in rows]) for k in ("y", "p_a", "p_b", "w"))
    return y, {"a": a, "b": b}, w


def outcome(point: dict[str, object], metric: str) -> dict[str, float]:
    return next(o for o in point["outcomes"] if o["metric"] == metric)  # type: ignore[attr-defined,no-any-return]


@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_cells_of_a_fixed_point_are_those_of_scikit_learn(
    tmp_path: Path, is_weighted: bool
) -> None:
    y, scores, w = columns(1)
    weight = w if is_weighted else None
    found = points(tmp_path, {"fixed": 0.5}, test={"weight": "w"} if is_weighted else {})
    for model, p in scores.items():
        cells = confusion_matrix(y, p >= 0.5, sample_weight=weight).ravel()
        assert [found[model][c] for c in CELLS] == pytest.approx(cells, rel=1e-9)
        _, fp, fn, tp = cells / cells.sum()
        expected = {
            "flagged": tp + fp,
            "found": 1000 * tp,
            "missed": 1000 * fn,
            "false_positives": 1000 * fp,
            "misclassification_cost": 10 * fp + 200 * fn,
        }
        for metric, value in expected.items():
            o = outcome(found[model], metric)
            assert o["value"] == pytest.approx(value, rel=1e-9)
            assert o["low"] < o["value"] < o["high"]
    assert outcome(found["a"], "found")["difference"] is None
    both = [outcome(found[m], "found")["value"] for m in ("b", "a")]
    assert outcome(found["b"], "found")["difference"] == pytest.approx(both[0] - both[1])


def test_the_rates_of_a_point_are_shares_of_a_class_and_end_its_line(tmp_path: Path) -> None:
    y, scores, _ = columns(1)
    found = points(tmp_path, {"fixed": 0.5}, curves=["cost_lines"], outputs=["json", "tables"])
    for model, p in scores.items():
        tn, fp, fn, tp = confusion_matrix(y, p >= 0.5).ravel()
        rates = [found[model][f"false_{side}_rate"] for side in ("positive", "negative")]
        assert rates == pytest.approx([fp / (tn + fp), fn / (fn + tp)], rel=1e-9)
        [table] = (tmp_path / "out").rglob("*cost-lines*.csv")
        ends = re.findall(rf'^"?[^,]*,?"?p, {model}"?,([^,]*),([^,]*)', table.read_text(), re.M)
        assert [[float(v) for v in end] for end in ends] == [
            [0, pytest.approx(rates[0])],
            [1, pytest.approx(rates[1])],
        ]


def test_without_points_the_threshold_of_a_metric_is_one(tmp_path: Path) -> None:
    """What results open with is at the threshold that the config asks for, not at one half."""
    metrics = ["roc_auc", {"name": "recall", "threshold": 0.7}]
    config = put(tmp_path, {}, metrics=metrics)
    assert call("run", config, "--out", tmp_path / "out", "--quiet", "--no-cache") == 0
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    opening = page.partition("## Results")[2]
    assert "**At “threshold 0.7”, b finds 54 of 129 positives" in opening
    assert "| **threshold 0.7** | a | 0.7 |" in opening
    assert "Scores of 0.5" not in page


def test_a_score_of_its_own_unit_has_its_own_figure_of_thresholds(tmp_path: Path) -> None:
    models = {
        "a": {"column": "p_a", "role": "baseline"},
        "b": {"column": "p_b"},
        "s": {"column": "w", "scale": "score"},
    }
    rule = {"fixed": 0.5, "by_model": {"b": 0.6, "s": 2}}
    curves = ["recall_by_threshold", "cost_by_threshold", "score_density"]
    points(tmp_path, rule, models=models, curves=curves)
    found = [f for f in figures(tmp_path / "out") if f.id.startswith("recall-by-threshold")]
    (both, own) = found
    assert own.title.endswith(": s") and len(both.panels) == len(own.panels) == 1
    assert [s.label for s in both.panels[0].series] == ["a", "b"]
    lines = [[(r.label, r.x) for r in f.panels[0].references] for f in found]
    assert lines == [[("p of a", (0.5,)), ("p of b", (0.6,))], [("p", (2.0,))]]
    assert own.panels[0].series[0].x == (1, 2, 3)
    assert "Broken lines are operating points: what lies to the right is flagged." in own.caption
    costs = [f for f in figures(tmp_path / "out") if f.id.startswith("cost-by-threshold")]
    assert [len(f.panels) for f in costs] == [1, 1]
    assert [len(f.more_panels) for f in costs] == [1, 0]
    [spread] = [f for f in figures(tmp_path / "out") if f.id.startswith("score-density")]
    assert [panel.title for panel in spread.panels] == ["a", "b", "s"]


def test_a_budget_calls_as_many_as_it_pays_for(tmp_path: Path) -> None:
    found = points(tmp_path, {"budget": 405, "cost": 10})
    for point in found.values():
        assert point["share"] == 40 / 400 and point["threshold"] is None
        called = outcome(point, "flagged")
        assert called["value"] == 0.1 and called["low"] is None


def test_the_lowest_score_that_a_share_calls_is_told(tmp_path: Path) -> None:
    _, scores, _ = columns(1)
    for model, point in points(tmp_path, {"share": 0.1}).items():
        assert point["lowest_flagged"] == np.sort(scores[model])[-40]
    assert all(p["lowest_flagged"] is None for p in points(tmp_path, {"fixed": 0.5}).values())


def test_the_cheapest_point_is_where_a_call_costs_what_it_saves(tmp_path: Path) -> None:
    found = points(tmp_path, {"cost": True}, costs={"fp": 10, "fn": 200, "tn": 2, "tp": -30})
    assert found["a"]["threshold"] == pytest.approx((10 - 2) / ((10 - 2) + (200 + 30)))


def test_a_threshold_is_learnt_on_other_rows_and_then_given(tmp_path: Path) -> None:
    y, scores, _ = columns(2, 5000)
    found = points(tmp_path, {"maximize": "f"})
    for model, p in scores.items():
        each = {t: f1_score(y, p >= t) for t in sorted(set(p))}
        best = max(each, key=lambda t: (each[t], t))
        assert found[model]["threshold"] == best
        assert found[model]["threshold_low"] <= best <= found[model]["threshold_high"]  # type: ignore[operator]
        assert found[model]["learnt_on"] == "earlier"


@pytest.mark.parametrize(
    ("metric", "is_highest"), [("recall", True), ("specificity", False), ("precision", False)]
)
def test_a_share_is_reached_by_as_few_calls_or_as_many_as_do(
    tmp_path: Path, metric: str, is_highest: bool
) -> None:
    y, scores, _ = columns(2, 5000)
    found = points(tmp_path, {"reach": {metric: 0.55}})
    for model, p in scores.items():
        reaching = []
        for t in sorted(set(p)):
            tn, fp, fn, tp = confusion_matrix(y, p >= t, labels=[0, 1]).ravel()
            value = {
                "recall": tp / (tp + fn),
                "specificity": tn / (tn + fp),
                "precision": tp / (tp + fp),
            }[metric]
            reaching += [t] if value >= 0.55 else []
        assert found[model]["threshold"] == (max if is_highest else min)(reaching)


def test_a_share_that_no_threshold_reaches_calls_nobody_and_says_so(tmp_path: Path) -> None:
    found = points(tmp_path, {"reach": {"precision": 1}}, report={"title": "Calls"})
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    if found["a"]["threshold"] is None:
        assert outcome(found["a"], "flagged")["value"] == 0
        assert "none is called" in page


def test_a_threshold_chosen_on_the_rows_judged_is_warned_of(tmp_path: Path) -> None:
    found = points(tmp_path, {"maximize": "f", "on": "test"})
    y, scores, _ = columns(1)
    best = max(sorted(set(scores["b"]), reverse=True), key=lambda t: f1_score(y, scores["b"] >= t))
    assert found["b"]["threshold"] == best
    codes = [w["code"] for w in results(tmp_path / "out")["warnings"]]
    assert "W121" in codes


def test_an_unsteady_threshold_is_warned_of(tmp_path: Path) -> None:
    fit = {**FIT, "filter": "id < 5040"}
    config = put(tmp_path, {"p": {"maximize": "f"}})
    whole = yaml.safe_load(config.read_text(encoding="utf-8"))
    whole["datasets"]["earlier"] = fit
    config.write_text(yaml.safe_dump(whole, sort_keys=False), encoding="utf-8")
    assert call("run", config, "--out", tmp_path / "out", "--quiet", "--no-cache") == 0
    found = [w for w in results(tmp_path / "out")["warnings"] if w["code"] == "W129"]
    assert {w["model"] for w in found} == {"a", "b"}


@pytest.mark.parametrize(("only", "said"), [(0, "negative"), (1, "positive")])
def test_rows_of_one_class_teach_no_threshold(tmp_path: Path, only: int, said: str) -> None:
    put(tmp_path, {"p": {"maximize": "f"}})
    same = [{**row, "y": only} for row in drawn(2, 5000)]
    write_rows(tmp_path / "earlier.csv", same)  # type: ignore[arg-type]
    code, _, told = heard("run", "c.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code == 3
    assert "dataset 'earlier': thresholds.p is learnt on it" in told
    assert f"and 'y' is {said} on all of its rows; add rows of the other class" in told


def test_rows_that_teach_a_threshold_are_not_judged_unless_the_config_says_so(
    tmp_path: Path,
) -> None:
    config = put(tmp_path, {"p": {"maximize": "f"}})
    whole = yaml.safe_load(config.read_text(encoding="utf-8"))
    whole["datasets"]["earlier"] = {**FIT, "path": "t.csv"}
    config.write_text(yaml.safe_dump(whole, sort_keys=False), encoding="utf-8")
    code, _, told = heard("run", "c.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code == 3 and "a threshold must not be tested on the rows that it was learnt on" in told
    whole["datasets"]["d"]["used_to_fit"] = True
    config.write_text(yaml.safe_dump(whole, sort_keys=False), encoding="utf-8")
    assert call("run", config, "--out", tmp_path / "out", "--quiet", "--no-cache") == 0
    assert "W121" in {w["code"] for w in results(tmp_path / "out")["warnings"]}


def test_rows_to_fit_that_are_judged_matter_only_to_what_they_teach(tmp_path: Path) -> None:
    config = put(tmp_path, {"p": {"fixed": 0.5}})
    whole = yaml.safe_load(config.read_text(encoding="utf-8"))
    whole["datasets"]["earlier"] = {**FIT, "path": "t.csv"}
    config.write_text(yaml.safe_dump(whole, sort_keys=False), encoding="utf-8")
    assert call("run", config, "--out", tmp_path / "out", "--quiet", "--no-cache") == 0
    assert "W121" not in {w["code"] for w in results(tmp_path / "out")["warnings"]}


def test_metrics_stand_at_the_first_point_unless_they_say_otherwise(tmp_path: Path) -> None:
    y, scores, _ = columns(1)
    named = [
        "recall",
        {"name": "recall", "at": "low", "as": "at low"},
        {"name": "recall", "threshold": 0.5, "as": "at half"},
        {"name": "misclassification_cost", "at": "low"},
    ]
    config = put(tmp_path, {"high": {"fixed": 0.7}, "low": {"fixed": 0.2}}, metrics=named)
    assert call("run", config, "--out", tmp_path / "out", "--quiet", "--no-cache") == 0
    found = {(e["key"], e["model"]): e for e in results(tmp_path / "out")["estimates"]}
    for key, t in (("recall", 0.7), ("at low", 0.2), ("at half", 0.5)):
        for model, p in scores.items():
            assert found[key, model]["value"] == pytest.approx((p >= t)[y > 0].mean(), rel=1e-9)
    assert found["misclassification_cost", "a"]["unit"] == "EUR per case"


def test_a_table_says_what_each_threshold_brings_and_costs(tmp_path: Path) -> None:
    points(tmp_path, {"k": 80})
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    table = page[page.index("### Thresholds") :]
    assert "the 80 highest scores, 200 of every 1,000" in table
    (point,) = (each for each in results(tmp_path / "out")["points"] if each["model"] == "b")
    cost = outcome(point, "misclassification_cost")
    row = next(line for line in table.splitlines() if "| b |" in line)
    low, high = re.findall(r"<br>([−+][\d,]+) to ([−+][\d,]+) \|", row)[-1]
    shown = [float(each.replace("−", "-").replace(",", "")) for each in (low, high)]
    saved = [1000 * cost["difference_low"], 1000 * cost["difference_high"]]
    assert shown == pytest.approx(saved, abs=500)  # printed in thousands


def test_what_comes_of_calls_is_called_no_rank_measure(tmp_path: Path) -> None:
    named = ["roc_auc", {"name": "misclassification_cost", "at": "p"}, {"name": "ks"}]
    config = put(
        tmp_path, {"p": {"fixed": 0.5}}, metrics=named, report={"title": "Calls", "length": "full"}
    )
    assert call("run", config, "--out", tmp_path / "out", "--quiet", "--no-cache") == 0
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    said = page.partition("Of the ranking metrics, ")[2][:40]
    assert said and not said.startswith("cost of calls")


SCORES = {
    "a": {"column": "p_a", "scale": "score", "role": "baseline"},
    "b": {"column": "p_b", "scale": "rank"},
}
PROBABLE = {"column": "p_a", "role": "baseline"}
REFUSED = [
    ({"p": {"maximize": "mae"}}, {}, "maximize: 'mae' is not a metric at a threshold"),
    (
        {"p": {"minimize": "expected_cost"}},
        {},
        "minimize: 'expected_cost' is not a metric at a threshold; "
        "here it is called 'misclassification_cost'",
    ),
    (
        {},
        {"metrics": ["expected_cost"]},
        "'expected_cost' is for task: regression, this config's "
        "task is 'binary'; here it is called 'misclassification_cost'",
    ),
    ({"p": {"reach": {"sensitivity": 0.5}}}, {}, "here it is called 'recall'"),
    (
        {},
        {"models": SCORES, "metrics": ["recall"]},
        "recall needs a threshold: no model here has "
        "probabilities; set one, such as thresholds: {main: {fixed: …}}",
    ),
    ({}, {"models": SCORES, "metrics": [{"name": "f", "threshold": 0.4}]}, "f needs a threshold"),
    ({"p": {"fixed": 0.5, "share": 0.1}}, {}, "has fixed and share; an operating point needs one"),
    ({"p": {}}, {}, "has no rule"),
    (
        {"p": {"budget": 5, "cost": 10}},
        {},
        "has a budget of 5, which pays for no flagged row at a cost of 10; "
        "give a budget of 10 or more",
    ),
    ({"p": {"budget": 5}}, {}, "needs budget and cost (of one flagged row) together"),
    (
        {"p": {"cost": True}},
        {"costs": {"fp": 1, "fn": 1, "tp": 2}},
        "thresholds.p: cost: true needs errors that cost more than being right; costs have "
        "fn 1 beside tp 2: write a loss as a number above 0, a gain as one below",
    ),
    (
        {"p": {"fixed": 0.5}},
        {"costs": {"fp": -1, "fn": -5}},
        "both errors cost less than being "
        "right (fp -1 beside tn 0 and fn -5 beside tp 0): write a loss as a number above 0",
    ),
    (
        {"p": {"fixed": 50}},
        {},
        "thresholds.p: 50 is not a threshold for the probabilities of 'a'; "
        "write a number from 0 to 1; 50% is 0.5, or give the model scale: score",
    ),
    (
        {"p": {"fixed": 0.5, "by_model": {"b": -0.1}}},
        {},
        "-0.1 is not a threshold for the probabilities of 'b'",
    ),
    ({"p": {"cost": True}}, {"costs": None}, "cost: true needs costs: {fp: …, fn: …}"),
    ({"p": {"reach": {"f": 0.5}}}, {}, "reach takes recall, precision, specificity, npv, not 'f'"),
    ({"p": {"fixed": 0.5, "by_model": {"c": 0.1}}}, {}, "there is no model 'c'"),
    (
        {"p": {"fixed": 0.5}},
        {"metrics": [{"name": "recall", "at": "q"}]},
        "there is no operating point 'q'",
    ),
    (
        {"p": {"fixed": 0.5}},
        {"metrics": [{"name": "recall", "moves": True, "threshold": 0.5}]},
        "moves is said by the operating point",
    ),
    (
        {},
        {"metrics": ["misclassification_cost"], "costs": None},
        "misclassification_cost needs costs",
    ),
    ({}, {"costs": {"fp": 1}}, "needs both fp and fn"),
    ({}, {"costs": {"fp": 1, "fn": 2, "loss": "linexp"}}, "has loss beside fp and fn"),
    ({}, {"costs": {"under": 1, "over": 2}}, "or write costs: {fp: …, fn: …}"),
    ({"p": {"fixed": 0.5}}, {"threshold": 0.4}, "threshold stands beside thresholds"),
    (
        {"p": {"fixed": 0.5}},
        {"models": {"a": PROBABLE, "b": SCORES["b"]}},
        "fixed: 0.5 is one of "
        "probabilities, and 'b' has scale: rank; give 'b' its own under by_model",
    ),
]


@pytest.mark.parametrize(("rules", "changes", "said"), REFUSED)
def test_what_does_not_fit_is_one_line_with_its_place(
    tmp_path: Path, rules: dict[str, object], changes: dict[str, object], said: str
) -> None:
    put(tmp_path, rules, **changes)
    code, _, told = heard("run", "c.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code == 2 and said in told and told.startswith("c.yaml:")
    assert len(told.splitlines()) == 1


def test_a_rule_that_learns_asks_for_rows_to_learn_on(tmp_path: Path) -> None:
    config = put(tmp_path, {"p": {"maximize": "f"}})
    whole = yaml.safe_load(config.read_text(encoding="utf-8"))
    del whole["datasets"]["earlier"]
    config.write_text(yaml.safe_dump(whole, sort_keys=False), encoding="utf-8")
    code, _, told = heard("run", "c.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code == 2 and "f needs rows to choose on: give a dataset role: fit, or on: test" in told


def test_one_threshold_is_short_for_a_point(tmp_path: Path) -> None:
    config = put(tmp_path, {}, threshold=0.4)
    whole = yaml.safe_load(config.read_text(encoding="utf-8"))
    del whole["thresholds"]
    config.write_text(yaml.safe_dump(whole, sort_keys=False), encoding="utf-8")
    assert call("run", config, "--out", tmp_path / "out", "--quiet", "--no-cache") == 0
    found = results(tmp_path / "out")["points"]
    assert {(p["name"], p["threshold"]) for p in found} == {("threshold", 0.4)}


def test_calls_may_cost_what_a_column_says(tmp_path: Path) -> None:
    found = points(tmp_path, {"fixed": 0.5}, costs={"fp": 1, "fn": {"column": "w"}})
    y, scores, w = columns(1)
    for model, p in scores.items():
        expected = (((p >= 0.5) & (y == 0)) + w * ((p < 0.5) & (y == 1))).mean()
        value = outcome(found[model], "misclassification_cost")["value"]
        assert value == pytest.approx(expected, rel=1e-9)


@pytest.mark.full
def test_costs_say_from_where_a_call_pays_and_what_one_call_for_all_costs(tmp_path: Path) -> None:
    rows = drawn(1)
    upper, n = sum(int(str(row["y"])) for row in rows), len(rows)
    for point in points(tmp_path, {"fixed": 0.9}).values():
        assert point["pays_from"] == pytest.approx(10 / 210)
        assert point["cost_of_all"] == pytest.approx(10 * (n - upper) / n)
        assert point["cost_of_none"] == pytest.approx(200 * upper / n)
    said = (tmp_path / "out" / "report.md").read_text()
    everyone = next(line for line in said.splitlines() if line.startswith("| **Flag everyone** |"))
    cost = 10 * (n - upper) / n * 1000
    assert float(everyone.split("|")[5].replace(",", "")) == pytest.approx(cost, abs=500)


@pytest.mark.parametrize(
    "costs",
    [{"fp": 0, "fn": 0}, {"fp": -5, "fn": 3}, {"fp": 3, "fn": -5}, {"fp": 2, "fn": 5, "tp": 6}],
)
def test_where_an_error_is_no_dearer_than_being_right_no_probability_is_told_to_pay_from(
    tmp_path: Path, costs: dict[str, float]
) -> None:
    told = points(tmp_path, {"fixed": 0.9}, costs={**costs, "currency": "EUR"})
    assert [each["pays_from"] for each in told.values()] == [None, None]


def test_costs_of_one_call_are_weighted_and_by_row(tmp_path: Path) -> None:
    costs = {"fp": {"column": "w"}, "fn": 5}
    test = {"weight": "w"}
    rows = drawn(1)
    w = np.array([row["w"] for row in rows], dtype=float)
    y = np.array([row["y"] for row in rows], dtype=float)
    for point in points(tmp_path, {"fixed": 0.5}, costs=costs, test=test).values():
        assert point["pays_from"] is None
        assert point["cost_of_all"] == pytest.approx(w @ (w * (1 - y)) / w.sum())
        assert point["cost_of_none"] == pytest.approx(w @ (5 * y) / w.sum())


def test_more_first_rows_than_there_are_is_refused_with_their_number(tmp_path: Path) -> None:
    metrics = [{"name": "capture", "k": 401}, {"name": "lift", "k": 400}]
    put(tmp_path, {"list": {"k": 5000}}, metrics=metrics, test={"case": "customer"})
    code, _, said = heard("run", "c.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code == 2
    line = r"c\.yaml:\d+:\d+: {} asks for the first {}, and t.csv has 400 customers; give a k of"
    assert re.search(line.format(r"thresholds\.list\.k", "5,000"), said)
    assert re.search(line.format("k of 'capture'", "401"), said)
    assert "lift" not in said
    put(tmp_path, {"list": {"budget": 1e6, "cost": 2}})
    assert call("run", tmp_path / "c.yaml", "--out", tmp_path / "out", "--quiet") == 0


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        ({"recall_at": 5}, "write {name: recall_at, fpr: …}"),
        ({"name": "recall_at", "k": 5}, "'recall_at' has fpr (a number; 0.1 unless said)"),
    ],
)
def test_a_metric_at_so_many_rows_says_what_it_has_and_which_was_meant(tmp_path, metric, said):
    put(tmp_path, {}, metrics=[metric])
    code, _, told = heard("run", "c.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code == 2 and said in told and told.count("c.yaml:") == 1
    assert "{name: capture, k: 5}" in told


@pytest.mark.full
def test_the_whole_page_counts_calls_of_100_000_rows_where_one_of_1_000_is_positive(
    tmp_path: Path,
) -> None:
    config = put(tmp_path, {"k": {"k": 20}, "half": {"fixed": 0.5}})
    rows = [
        {
            "id": k,
            "y": int(k % 1000 == 0),
            "w": 1,
            "p_a": ((k * 37) % 101) / 101,
            "p_b": 0.9 if k in (0, 1000, 17) else 0.001,
        }
        for k in range(5000)
    ]
    write_rows(tmp_path / "t.csv", rows)  # type: ignore[arg-type]
    with config.open("a", encoding="utf-8") as file:
        file.write("allow: {too_few: few on purpose}\n")
    assert call("run", config, "--out", tmp_path / "out", "--quiet", "--no-cache") == 0
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "**What does flagging cost?** b, per 100,000 rows" in page
    assert "the 20 highest scores, 400 of every 100,000" in page
    assert "| Found (of 100) |" in page
    assert not re.search(r"(of|per|every) 1,000\b", page)
    (point,) = (
        each
        for each in results(tmp_path / "out")["points"]
        if (each["name"], each["model"]) == ("half", "b")
    )
    assert outcome(point, "found")["value"] == pytest.approx(1000 * 2 / 5000)
    row = next(line for line in page.splitlines() if line.startswith("| **half**<br>"))
    # Flagged, found and false positives: 3, 2 and 1 of 5,000 rows; with costs of 10 and 200 EUR.
    assert [int(cell.replace(",", "")) for cell in row.split("|")[2:5]] == [60, 40, 20]


@pytest.mark.parametrize("rule", [{"fixed": 0.5}, {"cost": True}])
@pytest.mark.parametrize("more", [{}, {"weight": "w"}])
def test_a_point_is_compared_with_flagging_everyone_and_nobody_row_by_row(
    tmp_path: Path, rule: dict[str, object], more: dict[str, str]
) -> None:
    """Of tied scores: the mean of the paired differences, and 1.96 of its standard errors."""
    costs = {**COSTS, "tp": 3, "tn": -1}
    found = points(
        tmp_path,
        rule,
        test=more,
        costs=costs,
        bootstrap={"replicates": 199, "seed": 1, "interval": "influence"},
    )
    y, scores, w = columns(1)
    share = (w if more else np.ones(len(y))) / (w.sum() if more else len(y))
    from_ = 0.5 if "fixed" in rule else (10 + 1) / ((10 + 1) + (200 - 3))
    for model, p in scores.items():
        everyone, nobody = np.where(y > 0, 3.0, 10.0), np.where(y > 0, 200.0, -1.0)
        own = np.where(p >= from_, everyone, nobody)
        for name, other in (("everyone", everyone), ("nobody", nobody)):
            difference = own - other
            mean = share @ difference
            spread = 1.959964 * np.sqrt(share**2 @ (difference - mean) ** 2)
            made = found[model][f"against_{name}"]
            assert made["value"] == pytest.approx(mean, rel=1e-8)
            ends = [mean - spread, mean + spread]
            assert [made["low"], made["high"]] == pytest.approx(ends, rel=0.01)
            word = "better" if ends[1] < 0 else "worse" if ends[0] > 0 else "cannot tell"
            assert made["word"] == word


def test_flags_that_move_are_compared_as_a_bootstrap_of_rows_has_it(tmp_path: Path) -> None:
    """A rare class and a share of the rows: one in 33 is positive, and scores are tied."""
    draw = np.random.default_rng(5)
    y = np.arange(600) % 33 == 0
    p = np.round(np.clip(0.4 * y + 0.6 * draw.random(600), 0, 1), 1)
    rows = [{"id": k, "y": int(y[k]), "p_a": p[k], "p_b": p[k], "w": 1} for k in range(600)]
    config = put(
        tmp_path,
        {"p": {"share": 0.1}},
        bootstrap={"replicates": 999, "seed": 1, "interval": "percentile"},
    )
    write_rows(tmp_path / "t.csv", rows)  # type: ignore[arg-type]
    assert call("run", config, "--out", tmp_path / "out", "--quiet", "--no-cache") == 0
    found = {p["model"]: p for p in results(tmp_path / "out")["points"]}["a"]
    drawn_ = []
    for _ in range(4000):
        of = draw.integers(0, 600, 600)
        score, upper = p[of], y[of]
        edge = np.sort(score)[::-1][59]
        above, tied = score > edge, score == edge
        part = above + tied * (60 - above.sum()) / tied.sum()  # of tied rows alike
        drawn_.append(np.mean(np.where(upper, 200 * (1 - part), 10 * part) - 10 * ~upper))
    made = found["against_everyone"]
    low, high = np.quantile(drawn_, [0.025, 0.975])
    assert [made["low"], made["high"]] == pytest.approx([low, high], abs=0.1 * (high - low))


def test_a_point_that_flags_everyone_is_equivalent_to_that(tmp_path: Path) -> None:
    found = points(tmp_path, {"fixed": 0.0})["a"]["against_everyone"]
    assert found == {"value": 0.0, "low": 0.0, "high": 0.0, "word": "equivalent"}

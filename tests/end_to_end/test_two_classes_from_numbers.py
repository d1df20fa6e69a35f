"""A number as target that is cut in two, and scores of which a low one says more."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from tests.end_to_end.test_operating_points import put
from tests.end_to_end.test_prevalence import values
from tests.end_to_end.wallet import call, heard, results, write_rows

COUNTED = {"list": {"k": 40}}


def told(folder: Path, **changes: object) -> dict[str, object]:
    """The results of a run on 400 rows."""
    config = put(folder, COUNTED, **{"metrics": ["roc_auc"], **changes})
    assert call("run", config, "--out", folder / "out", "--quiet", "--no-cache") == 0
    return results(folder / "out")


@pytest.mark.parametrize("cut", [{"above": 1}, {"quantile": 0.5}])
def test_rows_above_a_number_are_positive(tmp_path: Path, cut: dict[str, float]) -> None:
    found = told(tmp_path, test={"target": "w", "positive": cut})
    rows = np.genfromtxt(tmp_path / "t.csv", delimiter=",", names=True)
    limit = cut.get("above", np.quantile(rows["w"], 0.5))
    expected = roc_auc_score(rows["w"] > limit, rows["p_b"])
    assert values(found)["roc_auc"] == pytest.approx(expected)
    name = "above 1" if "above" in cut else "top 50%"
    assert name in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")


def test_a_predicted_amount_calls_at_the_amount_with_its_matrix_and_its_costs(
    tmp_path: Path,
) -> None:
    cost = {"name": "misclassification_cost", "at": "over"}
    found = told(
        tmp_path,
        test={"target": "w", "positive": {"above": 1}},
        models={
            "a": {"column": "p_a", "scale": "score", "role": "baseline"},
            "b": {"column": "p_b", "scale": "score"},
        },
        costs={"fp": 10, "fn": 60, "currency": "EUR"},
        thresholds={"over": {"fixed": 0.6}},
        metrics=[cost],
    )
    rows = np.genfromtxt(tmp_path / "t.csv", delimiter=",", names=True)
    y, called = rows["w"] > 1, rows["p_b"] >= 0.6
    [point] = [p for p in found["points"] if p["model"] == "b"]  # type: ignore[attr-defined]
    cells = (point["true_positives"], point["false_positives"], point["false_negatives"])
    assert cells == ((called & y).sum(), (called & ~y).sum(), (~called & y).sum())
    expected = (10 * cells[1] + 60 * cells[2]) / len(y)
    assert values(found)["misclassification_cost"] == pytest.approx(expected)
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "The target is above 1 on" in page


@pytest.mark.parametrize("order", ["ascending", "rank"])
def test_a_low_score_may_say_more(tmp_path: Path, order: str) -> None:
    place = {"column": "w", "scale": "rank", "order": order, "role": "baseline"}
    found = told(tmp_path, models={"a": place, "b": {"column": "p_b"}})
    rows = np.genfromtxt(tmp_path / "t.csv", delimiter=",", names=True)
    assert values(found, "a")["roc_auc"] == pytest.approx(roc_auc_score(rows["y"], -rows["w"]))


CURVES_OF_SCORES = [
    "roc",
    "precision_recall",
    "cumulative_gains",
    "cumulative_cost",
    "det",
    "positives_by_bucket",
    "score_density",
]


def distances(folder: Path, *names: str) -> dict[str, Any]:
    """The results, and their page, of a distance that is small where rows are positive.

    `near` is the same with its sign changed.
    """
    draw = np.random.default_rng(5)
    y = draw.random(300) < 0.3
    distance = np.round(np.where(y, draw.gamma(2, 10, 300), draw.gamma(4, 14, 300)), 1)
    columns = {"far": distance, "near": -distance, "p": np.round(draw.random(300), 3)}
    models = {
        "far": {"column": "far", "scale": "score", "order": "ascending"},
        "near": {"column": "near", "scale": "score"},
        "p": {"column": "p"},
    }
    first, *others = names
    of = {first: {**models[first], "role": "baseline"}} | {name: models[name] for name in others}
    config = put(
        folder,
        {"list": {"k": 30}},
        models=of,
        curves=CURVES_OF_SCORES,
        metrics=["roc_auc", "average_precision", "recall", "misclassification_cost", "ks"],
    )
    rows = [
        {"id": k, "y": int(y[k]), "w": 1, **{n: c[k] for n, c in columns.items()}}
        for k in range(300)
    ]
    write_rows(folder / "t.csv", rows)  # type: ignore[arg-type]
    write_rows(folder / "earlier.csv", [{**row, "id": -1 - k} for k, row in enumerate(rows)])  # type: ignore[arg-type]
    assert call("run", config, "--out", folder / "out", "--quiet", "--no-cache") == 0
    page = (folder / "out" / "report.md").read_text(encoding="utf-8")
    return {"results": results(folder / "out"), "page": page, "far": distance, "y": y}


def test_a_distance_is_judged_as_its_negative_and_told_in_its_own_numbers(tmp_path: Path) -> None:
    told = distances(tmp_path, "p", "far", "near")
    found, y, far = told["results"], told["y"], told["far"]
    assert values(found, "far")["roc_auc"] == pytest.approx(roc_auc_score(y, -far))
    alike, turned = [], []
    for name in ("estimates", "curves"):
        one, other = (
            [{**e, "model": ""} for e in found[name] if e["model"] == model]
            for model in ("far", "near")
        )
        assert len(one) == len(other) > 0
        for mine, mirrored in zip(one, other, strict=True):
            (alike if mine == mirrored else turned).append((mine, mirrored))
    along_scores = {mine["curve"] for mine, _ in turned}
    assert "score_density" in along_scores and not along_scores & {*CURVES_OF_SCORES[:-1]}
    for mine, mirrored in turned:
        assert min(mine["x"]) >= 0 and max(mine["x"]) <= far.max()
        assert mine["x"] == [-x for x in mirrored["x"]][::-1]
        assert mine["y"] == mirrored["y"][::-1]
    far_point, near_point = (
        next(p for p in found["points"] if p["model"] == m) for m in ("far", "near")
    )
    assert far_point["lowest_flagged"] == np.sort(far)[29] == -near_point["lowest_flagged"]
    assert far_point["true_positives"] == y[np.argsort(far, kind="stable")[:30]].sum()
    assert far_point["outcomes"] == near_point["outcomes"]


@pytest.mark.parametrize(
    ("models", "flagged", "axis", "buckets"),
    [
        (
            ("far",),
            "the 30 lowest scores, 100 of every 1,000",
            "from the lowest scores up",
            "from the highest scores to the lowest",
        ),
        (
            ("near",),
            "the 30 highest scores, 100 of every 1,000",
            "from the highest scores down",
            "from the lowest scores to the highest",
        ),
        (
            ("p", "far"),
            "the 30 rows that each model puts first, 100 of every 1,000",
            "from what each model puts first",
            "from what each model puts last to what it puts first",
        ),
    ],
)
def test_the_page_says_which_scores_are_called_first(
    tmp_path: Path, models: tuple[str, ...], flagged: str, axis: str, buckets: str
) -> None:
    page = distances(tmp_path, *models)["page"]
    assert flagged in page and axis in page and f"Bucket of rows, {buckets}" in page
    others = {
        "from the lowest scores up",
        "from the highest scores down",
        "each model puts first",
        "scores to the highest",
        "scores to the lowest",
    }
    assert not [other for other in others if other not in axis + buckets and other in page]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {
                "models": {"a": {"column": "p_a", "scale": "score", "order": "ascending"}},
                "thresholds": {"half": {"fixed": 0.5}},
            },
            "flagged rows are counted: take share, k or budget",
        ),
        (
            {"test": {"positive": {"above": 1, "quantile": 0.5}}},
            "datasets.d.positive needs above: 100, or quantile: 0.9, and not both",
        ),
        (
            {"test": {"positive": {"above": "x"}}},
            "datasets.d.positive.above needs a number, not 'x'",
        ),
        (
            {"test": {"positive": {"above": 1}}, "classes": ["no", "yes"]},
            "positive cuts a number into the classes 0 and 1; name those",
        ),
    ],
)
def test_what_cannot_be_is_told(tmp_path: Path, changes: dict[str, object], said: str) -> None:
    config = put(tmp_path, COUNTED, **{"metrics": ["roc_auc"], **changes})
    code, _, error = heard("validate", config, cwd=tmp_path)
    assert code == 2
    assert said in error

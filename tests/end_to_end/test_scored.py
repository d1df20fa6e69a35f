"""Scores of answers to items, through the whole program, against arithmetic on the same rows."""

from __future__ import annotations

import json
import re
from math import comb, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from sklearn.metrics import cohen_kappa_score

from tests.end_to_end.wallet import call, heard
from tests.evaluations import draw_answers, write_table

SCORES = {
    "exact": {"bounds": [0, 1]},
    "rubric": {"bounds": [0, 1]},
    "tokens": {"better": "lower", "unit": "tokens"},
}


def put(folder: Path, rows: Any = None, **changes: Any) -> Path:
    """Write the table and a config that compares the two models on it."""
    write_table(folder / "long.csv", rows)
    data = {"path": "long.csv", "id": "item", "cluster": "passage", "segments": ["task"]}
    config: dict[str, Any] = {
        "version": 1,
        "report": {"title": "Answers"},
        "task": "scored",
        "datasets": {"qa": data | changes.pop("data", {})},
        "models": {"A": {"role": "baseline"}, "B": {}},
        "scores": SCORES,
        "metrics": ["exact", "pass@3", "pass^3", "rubric", "tokens"],
        "primary": {"metric": "exact", "margin": 0.02},
        "bootstrap": {"replicates": 99},
        "outputs": ["json", "markdown"],
        **changes,
    }
    config = {key: value for key, value in config.items() if value is not None}
    (folder / "c.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    return folder / "c.yaml"


def run(config: Path) -> dict[str, Any]:
    out = config.parent / "out"
    assert call("run", config, "--out", out, "--quiet", "--no-cache") == 0
    return json.loads((out / "results.json").read_text())  # type: ignore[no-any-return]


def find(results: dict[str, Any], kind: str, metric: str) -> dict[str, Any]:
    found = [e for e in results[kind] if e["key"] == metric and e["segment"] is None]
    return found[-1]  # of estimates, that of the candidate


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    config = put(tmp_path_factory.mktemp("scored"))
    run(config)
    return config.parent / "out"


@pytest.fixture(scope="module")
def results(worked: Path) -> dict[str, Any]:
    return json.loads((worked / "results.json").read_text())  # type: ignore[no-any-return]


def frame() -> pd.DataFrame:
    return pd.DataFrame(draw_answers())


def item_means(score: str) -> pd.DataFrame:
    return frame().pivot_table(index="item", columns="model", values=score)


def clustered_error(difference: pd.Series) -> float:
    """Miller's clustered standard error, times √(G/(G − 1))."""
    passage = frame().drop_duplicates("item").set_index("item").passage[difference.index]
    sums = (difference - difference.mean()).groupby(passage).sum()
    return float(sqrt((sums**2).sum()) / len(difference) * sqrt(len(sums) / (len(sums) - 1)))


@pytest.mark.parametrize("score", ["exact", "rubric", "tokens"])
def test_a_score_is_compared_by_the_means_of_items_in_clusters(
    results: dict[str, Any], score: str
) -> None:
    means = item_means(score)
    difference = means.B - means.A
    found = find(results, "comparisons", score)
    assert found["difference"] == pytest.approx(difference.mean(), rel=1e-9)
    assert found["se"] == pytest.approx(clustered_error(difference), rel=1e-9)
    assert find(results, "estimates", score)["value"] == pytest.approx(means.B.mean(), rel=1e-9)


def test_the_made_up_evaluation_has_the_known_errors(results: dict[str, Any]) -> None:
    """The numbers that three programs agree on, with 98 passages."""
    means = item_means("exact")
    difference = means.B - means.A
    assert difference.std(ddof=1) / 20 == pytest.approx(0.0173911, abs=5e-8)
    unpaired = sqrt(means.A.var(ddof=1) / 400 + means.B.var(ddof=1) / 400)
    assert unpaired == pytest.approx(0.0254207, abs=5e-8)
    found = find(results, "comparisons", "exact")
    assert found["se"] == pytest.approx(0.0171890, abs=5e-8)
    assert found["difference"] == pytest.approx(0.0541667, abs=5e-8)


def test_rows_without_a_cluster_have_the_paired_error(tmp_path: Path) -> None:
    found = find(run(put(tmp_path, data={"cluster": None})), "comparisons", "exact")
    means = item_means("exact")
    assert found["se"] == pytest.approx((means.B - means.A).std(ddof=1) / 20, rel=1e-9)


@pytest.mark.parametrize(("metric", "is_all"), [("pass@3", False), ("pass^3", True)])
def test_pass_metrics_choose_without_bias(
    results: dict[str, Any], metric: str, is_all: bool
) -> None:
    counts = frame().groupby(["model", "item"]).exact.agg(["sum", "count"]).reset_index()
    counts["value"] = [
        comb(c, 3) / comb(n, 3) if is_all else 1 - comb(n - c, 3) / comb(n, 3)
        for c, n in zip(counts["sum"], counts["count"], strict=True)
    ]
    means = counts.pivot_table(index="item", columns="model", values="value")
    difference = means.B - means.A
    found = find(results, "comparisons", metric)
    assert found["difference"] == pytest.approx(difference.mean(), rel=1e-9)
    assert found["se"] == pytest.approx(clustered_error(difference), rel=1e-9)


def test_the_variance_is_split_as_known(tmp_path: Path) -> None:
    """ω² is 0.004591 and the variance within items 0.349167, so one sample has an SE of 0.02974."""
    found = run(put(tmp_path, data={"cluster": None}))
    [own] = [each for each in found["evaluations"][0]["variances"] if each["key"] == "exact"]
    assert own["between"] == pytest.approx(0.004591, abs=5e-7)
    assert own["within"] == pytest.approx(0.349167, abs=5e-7)
    plans = {plan["samples"]: plan for plan in own["plans"]}
    assert plans[1]["se"] == pytest.approx(0.02974, abs=5e-6)
    assert plans[3]["se"] == pytest.approx(find(found, "comparisons", "exact")["se"], rel=1e-9)
    # (1.96 + 0.8416)² (ω² + s²/K) / 0.02²
    assert plans[3]["items_to_detect"] == pytest.approx(2374, abs=3)
    assert plans[10]["items_to_detect"] == pytest.approx(776, abs=3)


def judged(folder: Path, **changes: Any) -> dict[str, Any]:
    """A run on the first samples, whose judge is held against the human."""
    rows = [row for row in draw_answers() if row["sample"] == 1]
    judge = {"score": "judge", "human": "human", "correct": True}
    scores = {**SCORES, "judge": {"bounds": [0, 1]}}
    keys = {"scores": scores, "judge": judge, "metrics": ["judge", "exact"]} | changes
    return run(put(folder, rows, primary={"metric": "judge"}, **keys))


def check_agreements(found: dict[str, Any], rows: pd.DataFrame) -> None:
    """Check how a judge agrees with the human, and whom it favours, on rows that have both."""
    for each in found["agreements"]:
        own = rows if each["model"] is None else rows[rows.model == each["model"]]
        kappa = cohen_kappa_score(own.judge, own.human)
        assert each["kappa"]["value"] == pytest.approx(kappa, rel=1e-9)
        assert each["both"] == int((own.judge * own.human).sum())
        assert each["neither"] == int(((1 - own.judge) * (1 - own.human)).sum())
    error = (rows.judge - rows.human).groupby(rows.model).mean()
    assert found["favours"][0]["error"]["value"] == pytest.approx(error.B - error.A, rel=1e-9)


def test_a_judge_is_held_against_the_human(tmp_path: Path) -> None:
    [found] = judged(tmp_path)["evaluations"]
    rows = frame()
    check_agreements(found, rows[rows.human.notna()])


def test_a_corrected_score_is_that_of_the_formulas(tmp_path: Path) -> None:
    """θ = 0.5902 with an SE of 0.0363 for B without clusters."""
    [found] = judged(tmp_path, data={"cluster": None})["evaluations"]
    own = {(each["model"], each["baseline"]): each for each in found["corrected"]}
    assert own["B", None]["corrected"]["value"] == pytest.approx(0.5902, abs=5e-5)
    assert own["B", None]["se"] == pytest.approx(0.0363, abs=5e-5)
    assert (own["B", "A"]["labelled"], own["B", "A"]["others"]) == (120, 280)


def judged_from_1_to_5(**changes: Any) -> dict[str, Any]:
    """Rows whose judge gives 1 to 5 and a human 0 or 1, as keys of a run on them."""
    rng = np.random.default_rng(5)
    rows = [dict(row) for row in draw_answers()]
    for row in rows:
        row["judge"] = int(np.clip(np.rint(2.5 + 1.2 * row["exact"] + rng.normal(0, 0.9)), 1, 5))
    score = {"bounds": [1, 5], "from": 4, **changes.pop("score", {})}
    score = {key: value for key, value in score.items() if value is not None}
    judge = {"score": "judge", "human": "human", "correct": True}
    scores = {**SCORES, "judge": score}
    return {
        "rows": rows,
        "scores": scores,
        "judge": judge,
        "metrics": ["exact", "judge"],
        **changes,
    }


@pytest.mark.parametrize("bounds", [[1, 5], [None, 5], None])
def test_labels_of_0_and_1_are_passes_of_a_judge_with_another_scale(
    tmp_path: Path, bounds: Any
) -> None:
    keys = judged_from_1_to_5(score={"bounds": bounds}, data={"cluster": None})
    [found] = run(put(tmp_path, **keys))["evaluations"]
    every = pd.DataFrame(keys["rows"])
    every["judge"] = (every.judge >= 4).astype(float)
    rows = every[every.human.notna()]
    check_agreements(found, rows)
    corrected = next(each for each in found["corrected"] if each["model"] == "B")
    own = rows[rows.model == "B"].set_index("item")
    means = every[every.model == "B"].groupby("item").judge.mean()
    others = means.drop(own.index)
    gap = (own.human - corrected["weight"] * own.judge).mean()
    expected = corrected["weight"] * others.mean() + gap
    assert corrected["corrected"]["value"] == pytest.approx(expected, rel=1e-6)
    assert corrected["human"]["value"] == pytest.approx(own.human.mean(), rel=1e-9)
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    front, _, rest = page.partition("## Results")
    assert "the judge's difference in passes is" in front
    assert "A sample passes if judge is 4 or more." in rest


def test_page_one_names_the_judge_and_its_correction(tmp_path: Path) -> None:
    judged(tmp_path)
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    front, _, rest = page.partition("## Results")
    assert "Agreement of the judge with the human labels: Cohen's κ 0." in front
    assert "Corrected by 120 labelled items, the judge's difference is +" in front
    assert "### Judge and human" in rest and "Gwet's AC1" in rest


def test_counts_of_few_samples_are_kept_back(tmp_path: Path) -> None:
    levels: dict[str, Any] = {"open": {}, "strict": {"level": "strict", "min_cell": 20}}
    for name in levels:
        (tmp_path / name).mkdir()
    open_, strict = (judged(tmp_path / name, privacy=keys) for name, keys in levels.items())
    assert [a["human_alone"] for a in open_["evaluations"][0]["agreements"]] == [11, 4, 7]
    assert strict["evaluations"][0]["agreements"] == []
    assert strict["evaluations"][0]["corrected"] == open_["evaluations"][0]["corrected"]


def test_one_sample_of_each_item_cannot_be_split(tmp_path: Path) -> None:
    judged(tmp_path)
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "Each item has one sample." in page and "samples each" not in page


def test_what_would_detect_the_margin_is_named_in_items_and_samples(tmp_path: Path) -> None:
    run(put(tmp_path, primary={"metric": "tokens", "margin": 3}))
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    front = page.partition("## Results")[0]
    assert re.search(r"takes about [\d,]+ items with 3 samples each, or [\d,]+ with 10", front)


def test_a_parquet_file_gives_the_same_numbers(tmp_path: Path, results: dict[str, Any]) -> None:
    config = put(tmp_path, data={"path": "long.parquet"})
    pd.read_csv(tmp_path / "long.csv").to_parquet(tmp_path / "long.parquet")
    found = run(config)
    assert found["comparisons"] == results["comparisons"]
    assert found["estimates"] == results["estimates"]


def test_what_is_kept_of_a_run_is_that_of_its_score(tmp_path: Path) -> None:
    """A cache of resamples must tell one score, and one limit, from another."""
    values = []
    for least in (0.5, 0.9, 0.5):
        metric = {"name": "pass_at", "score": "rubric", "k": 2, "from": least}
        config = put(tmp_path, metrics=[metric, "exact"], primary=None)
        words = ("--out", tmp_path / "out", "--quiet")
        assert call("run", config, *words) == 0
        found = json.loads((tmp_path / "out" / "results.json").read_text())
        values.append(find(found, "estimates", "pass@2 of rubric"))
    assert values[0] == values[2] and values[0]["value"] != values[1]["value"]
    assert values[0]["low"] != values[1]["low"]


def test_labels_that_were_not_drawn_at_random_are_named(tmp_path: Path) -> None:
    rows = [dict(row) for row in draw_answers() if row["sample"] == 1]
    for row in rows:
        row["human"] = row["exact"] if row["judge"] else None
    judge = {"score": "judge", "human": "human", "correct": True}
    scores = {**SCORES, "judge": {"bounds": [0, 1]}}
    run(put(tmp_path, rows, scores=scores, judge=judge, metrics=["exact"]))
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "differ from the others in the scores of judge" in page.partition("## Results")[0]


def test_page_one_speaks_of_items(worked: Path) -> None:
    page = (worked / "report.md").read_text(encoding="utf-8")
    assert "Yes: B is clearly better than A on exact." in page
    assert "59.00% against 53.58%. 400 items over 98 passages, 3 samples each." in page


def test_page_one_tells_what_is_better_on_other_scores(tmp_path: Path) -> None:
    """Each score asks something else; what stands under Gain is no drawback that was not found."""
    run(put(tmp_path, metrics=["exact", "rubric", "pass@3"]))
    page = (tmp_path / "out" / "report.md").read_text("utf-8").partition("## Results")[0]
    assert "**Gain** It is better on rubric: 56.3% against 52.6%. It is better on pass@" in page
    assert "| **rubric** | 52.6% | 56.3% |" in page and "Drawback" not in page


def test_a_config_may_leave_out_models_scores_and_metrics(tmp_path: Path) -> None:
    found = run(put(tmp_path, models=None, scores=None, metrics=None, primary=None))
    assert [each["key"] for each in found["metrics"]] == ["exact", "judge", "rubric"]
    assert [each["role"] for each in found["models"]] == ["baseline", "candidate"]
    assert find(found, "comparisons", "exact")["se"] == pytest.approx(0.0171890, abs=5e-8)


def test_what_is_known_of_an_item_is_no_score_of_an_answer(tmp_path: Path) -> None:
    rows = [{**row, "hard": int(row["item"][-1]) % 2} for row in draw_answers()]
    found = run(put(tmp_path, rows, models=None, scores=None, metrics=None, primary=None))
    assert [each["key"] for each in found["metrics"]] == ["exact", "judge", "rubric"]
    (tmp_path / "c.yaml").unlink()
    assert call("init", tmp_path / "long.csv", "--out", tmp_path / "c.yaml") == 0
    config = yaml.safe_load((tmp_path / "c.yaml").read_text())
    assert "hard" not in config["scores"] and "hard" in config["datasets"]["answers"]["segments"]


def test_models_that_differ_on_one_score_alone_are_not_the_same(tmp_path: Path) -> None:
    own = {(r["item"], r["sample"]): r["exact"] for r in draw_answers() if r["model"] == "A"}
    rows = [{**row, "exact": own[row["item"], row["sample"]]} for row in draw_answers()]
    found = run(put(tmp_path, rows))
    assert "W202" not in {each["code"] for each in found["warnings"]}


@pytest.mark.parametrize("scores", [["exact", "tokens"], {"exact": None, "tokens": None}])
def test_scores_may_be_named_alone(tmp_path: Path, scores: Any) -> None:
    found = run(put(tmp_path, scores=scores, metrics=None))
    assert [each["key"] for each in found["metrics"]] == ["exact", "tokens"]


def test_another_score_and_another_value_from_which_a_sample_passes(tmp_path: Path) -> None:
    metric = {"name": "pass_at", "score": "rubric", "k": 2, "from": 0.75}
    found = run(put(tmp_path, metrics=["exact", metric]))
    rows = frame()
    rows["passed"] = rows.rubric >= 0.75
    counts = rows.groupby(["model", "item"]).passed.sum()
    value = (1 - counts.map(lambda c: comb(3 - c, 2) / 3)).unstack("model").mean()
    estimate = find(found, "estimates", "pass@2 of rubric")["value"]
    assert estimate == pytest.approx(value.B, rel=1e-9)


def test_answers_have_no_target_and_are_not_read_in_parts(tmp_path: Path) -> None:
    rows = [row for row in draw_answers() if row["item"] < "q0012"]
    call("run", put(tmp_path, rows), "--out", tmp_path / "out", "--quiet", "--no-cache")
    found = json.loads((tmp_path / "out" / "results.json").read_text())
    assert {(each["name"], each["outcome"]) for each in found["checks"]} == {("too_few", "failed")}
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    table = page.partition("**What was checked**")[2].partition("## Results")[0]
    assert "Number of rows" in table
    assert "read in parts" not in table and "target" not in table


def lose(rows: int) -> list[dict[str, Any]]:
    """All rows but those of model B of the last items."""
    gone = {f"q{400 - k:04d}" for k in range(1, rows + 1)}
    return [r for r in draw_answers() if not (r["model"] == "B" and r["item"] in gone)]


def test_items_that_a_model_has_not_answered_are_an_error_with_their_number(
    tmp_path: Path,
) -> None:
    put(tmp_path, lose(3))
    code, _, error = heard("run", "c.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code == 3 and len(error.strip().splitlines()) == 1, error
    assert "model 'B' has no answer to 3 of 400 items" in error and "missing: zero" in error


@pytest.mark.parametrize("missing", ["intersect", "drop"])
def test_items_that_some_model_lacks_are_left_out(tmp_path: Path, missing: str) -> None:
    found = run(put(tmp_path, lose(3), data={"missing": missing}))
    means = item_means("exact").iloc[:-3]
    comparison = find(found, "comparisons", "exact")
    assert comparison["difference"] == pytest.approx((means.B - means.A).mean(), rel=1e-9)
    assert "W204" in {each["code"] for each in found["warnings"]}


def test_items_that_some_model_lacks_score_nothing(tmp_path: Path) -> None:
    found = run(put(tmp_path, lose(40), data={"missing": "zero"}, metrics=["exact"]))
    means = item_means("exact")
    means.loc[means.index[-40:], "B"] = 0
    comparison = find(found, "comparisons", "exact")
    assert comparison["difference"] == pytest.approx((means.B - means.A).mean(), rel=1e-9)
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "40 items that B has not answered" in page.partition("## Results")[0]


def test_a_sample_without_a_score_is_left_out_of_its_item(tmp_path: Path) -> None:
    rows = [dict(row) for row in draw_answers()]
    rows[0]["exact"] = None
    found = run(put(tmp_path, rows, metrics=["exact"]))
    values = pd.DataFrame(rows).pivot_table(index="item", columns="model", values="exact")
    comparison = find(found, "comparisons", "exact")
    assert comparison["difference"] == pytest.approx((values.B - values.A).mean(), rel=1e-9)


TWICE = [*draw_answers(), draw_answers()[5]]
BEYOND = [*draw_answers()[:-1], {**draw_answers()[-1], "exact": 7}]
REFUSED: list[tuple[Any, dict[str, Any], int, str]] = [
    (TWICE, {}, 3, "id 'q0001' has 2 rows of model 'A', sample '3'"),
    (BEYOND, {}, 3, "column 'exact' has 1 value of 2400 beyond the bounds of the score"),
    (None, {"metrics": ["exact", "pass@5"]}, 3, "'pass@5' needs 5 samples of each item, and 400"),
    (lose(3), {"data": {"missing": "zero"}}, 2, "zero is the best value of 'tokens'"),
    *(
        (
            lose(3),
            {
                "data": {"missing": "zero"},
                "scores": {"exact": {}, "judge": {"bounds": bounds, "from": 4}},
                "metrics": ["exact", *metrics],
                "primary": {"metric": "exact"},
                "judge": {"score": "judge", "human": "human", "correct": True},
            },
            2,
            f"missing: zero is beyond the bounds of the score 'judge'; remove {way}, or use miss",
        )
        for bounds, metrics, way in (
            ([1, 5], ["judge"], "'judge' from metrics"),
            ([1, None], ["judge"], "'judge' from metrics"),
            ([None, -1], ["judge"], "'judge' from metrics"),
            ([1, 5], ["pass@2 of judge"], "judge.correct"),
        )
    ),
    (
        None,
        {"metrics": [{"name": "pass_at", "score": "tokens", "k": 2}]},
        2,
        "counts high scores as passes",
    ),
    (
        [{**row, "human": None} for row in draw_answers()],
        {"judge": {"score": "exact", "human": "human"}},
        3,
        "no sample has a label in column 'human'",
    ),
    (None, {"metrics": ["exakt"]}, 2, "unknown metric 'exakt'"),
    (None, {"scores": {"exakt": {}}, "metrics": None, "primary": None}, 2, "column 'exakt'"),
    (None, {"models": {"A": {"role": "baseline"}, "C": {}}}, 2, "has no row of model 'C'"),
    (None, {"data": {"target": "exact"}}, 2, "task: scored has no target"),
    (None, {"data": {"weight": "w"}}, 2, "known: exact, human, item, judge, language, model"),
    (None, {"data": {"id": "items"}}, 2, "has no column 'items'; did you mean 'item'?"),
    (None, {"judge": {"score": "exakt", "human": "human"}}, 2, "there is no score 'exakt'"),
    (None, {"judge": {"score": "exact", "human": "who"}}, 2, "has no column 'who'"),
    (
        None,
        {"judge": {"score": "exact", "human": "human"}, "data": {"weight": "tokens"}},
        2,
        "judge: does not support weights",
    ),
    (None, {"compute": {"engine": "stream"}}, 2, "task: scored is not offered when streamed"),
    (
        None,
        {"metrics": [{"name": "pass_at", "score": "exakt", "k": 2}]},
        2,
        "there is no score 'exakt' in this config",
    ),
]


@pytest.mark.parametrize(("rows", "changes", "code", "said"), REFUSED)
def test_what_cannot_be_compared_is_one_line(
    tmp_path: Path, rows: Any, changes: dict[str, Any], code: int, said: str
) -> None:
    put(tmp_path, rows, **changes)
    found, _, error = heard("run", "c.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert (found, said in error) == (code, True), error


def test_keys_of_answers_stand_under_no_other_task(tmp_path: Path) -> None:
    keys = {"scores": {"a": {}}, "judge": {"score": "a", "human": "h"}}
    (tmp_path / "t.csv").write_text("i,y,a\n" + "".join(f"{k},{k},{k}\n" for k in range(9)))
    data = {"path": "t.csv", "target": "y", "missing": "zero", "samples": "i"}
    config = {
        "version": 1,
        "report": {"title": "x"},
        "task": "regression",
        "datasets": {"t": data},
        "models": {"a": {"column": "a"}},
        "metrics": ["mae"],
        **keys,
    }
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(config))
    code, _, error = heard("validate", "c.yaml", cwd=tmp_path)
    assert code == 2
    for said in ("scores is for task: scored", "missing: zero is for", "samples is for"):
        assert said in error


def test_a_model_that_answers_everything_well_may_replace_the_baseline(tmp_path: Path) -> None:
    """Only where classes are told apart does a lack of errors speak of a leak."""
    rows = [{**row, "exact": 1 if row["model"] == "B" else row["exact"]} for row in draw_answers()]
    results = run(put(tmp_path, rows, metrics=["exact"]))
    assert "too_good" not in {each["name"] for each in results["checks"]}
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "Yes: " in page.partition("## Results")[0]


def test_a_model_that_leaves_hard_items_unanswered_is_held(tmp_path: Path) -> None:
    wrong = {row["item"] for row in draw_answers() if row["model"] == "B" and not row["exact"]}
    rows = [row for row in draw_answers() if row["model"] == "A" or row["item"] not in wrong]
    results = run(put(tmp_path, rows, data={"missing": "intersect"}, primary={"metric": "exact"}))
    [held] = [each for each in results["checks"] if each["name"] == "left_out"]
    assert (held["outcome"], held["model"]) == ("failed", "B")
    assert "Cannot tell" in (tmp_path / "out" / "report.md").read_text()


@pytest.mark.parametrize(("is_kind", "code"), [(True, 3), (False, 0)])
def test_a_judge_that_favours_a_model_gives_it_no_verdict(
    tmp_path: Path, is_kind: bool, code: int
) -> None:
    rng = np.random.default_rng(1)
    rows = []
    for model, chance, miss in (("A", 0.6, 0.1), ("B", 0.6, 0.6 if is_kind else 0.1)):
        for k in range(240):
            human = int(rng.random() < chance)
            judge = int(human or rng.random() < miss)
            row = {"item": f"q{k:03d}", "model": model, "judge": judge}
            rows.append(row | {"human": human if k % 3 == 0 else None})
    keys = {"scores": {"judge": {"bounds": [0, 1]}}, "metrics": None, "primary": None}
    judge_keys = {"score": "judge", "human": "human", "correct": True}
    data = {"cluster": None, "segments": []}
    config = put(tmp_path, rows, data=data, judge=judge_keys, **keys)
    assert call("run", config, "--out", tmp_path / "out", "--quiet", "--no-cache") == code
    found = json.loads((tmp_path / "out" / "results.json").read_text())
    [own] = [each for each in found["checks"] if each["name"] == "judge_bias"]
    assert (own["outcome"] == "failed") is is_kind


@pytest.mark.parametrize(
    ("score", "human", "said"),
    [
        (
            {"from": None},
            1,
            "the labels in column 'human' are 0 or 1, and the score 'judge' goes from 1 to 5; "
            "write under scores.judge from which value on a sample passes (`from:`",
        ),
        ({"better": "lower"}, 1, "with `better: higher`), or give labels on its scale"),
        ({}, 10, " labels of 240 beyond the scale of the score 'judge', which goes from 1 to 5"),
        ({"bounds": [0, 1]}, 10, "beyond the scale of the score 'judge', which goes from 0 to 1"),
    ],
)
def test_a_judge_and_a_human_with_no_common_scale_are_refused(
    tmp_path: Path, score: dict[str, Any], human: int, said: str
) -> None:
    keys = judged_from_1_to_5(score=score)
    for row in keys["rows"]:
        row["human"] = None if row["human"] is None else human * row["human"]
        row["judge"] = row["judge"] // 4 if score.get("bounds") else row["judge"]
    put(tmp_path, **keys)
    code, _, error = heard("run", "c.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert (code, said in error, len(error.strip().splitlines())) == (3, True, 1), error


def test_labels_of_one_kind_give_no_kappa_but_its_reason(tmp_path: Path) -> None:
    rows = [dict(row) for row in draw_answers() if row["sample"] == 1]
    for row in rows:
        row["human"] = None if row["human"] is None else 0
    judge = {"score": "judge", "human": "human"}
    scores = {**SCORES, "judge": {"bounds": [0, 1]}}
    found = run(put(tmp_path, rows, scores=scores, judge=judge, metrics=["exact"]))
    assert found["evaluations"][0]["agreements"][0]["kappa"]["value"] is None
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "Cohen's κ" not in page.partition("## Results")[0]
    assert "–<br>the judge or the human passes all, or none" in page

"""Where the curve of FAP is highest: chosen on other queries, or on those that are judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.lists import answers, judgements, put_config
from tests.end_to_end.wallet import call, heard, results

CURVE = "fap_at_k"
RUNS = {name: {"web": f"{name}.run", "early": f"{name}-early.run"} for name in ("one", "two")}
MODELS = {"one": {"run": RUNS["one"], "role": "baseline"}, "two": {"run": RUNS["two"]}}
WEB, EARLY = {"qrels": "web.qrels"}, {"qrels": "early.qrels", "role": "fit"}


def put(folder: Path, first: str = "e", **changes: Any) -> Path:
    """The config with earlier queries to fit on, whose names begin with a letter of their own."""
    datasets = {"web": WEB, "early": EARLY}
    config = put_config(
        folder,
        **{
            "datasets": datasets,
            "models": MODELS,
            "curves": [CURVE],
            "bootstrap": {"replicates": 199},
            **changes,
        },
    )
    lines = (f"{first}{q[1:]} 0 {d} {g}\n" for q, d, g in judgements(seed=8))
    (folder / "early.qrels").write_text("".join(lines))
    for name, seed in (("one", 9), ("two", 10)):
        found = (f"{first}{q[1:]} Q0 {d} 1 {s} x\n" for q, d, s in answers(seed=seed))
        (folder / f"{name}-early.run").write_text("".join(found))
    return config


def ran(folder: Path, first: str = "e", **changes: Any) -> dict[str, Any]:
    config = put(folder, first, **changes)
    assert call("run", config, "--out", folder / "out", "--quiet", "--no-cache") == 0
    return results(folder / "out")


def curves(found: dict[str, Any]) -> dict[str, dict[float, float]]:
    """The values of each model's curve by rank."""
    own = [c for c in found["curves"] if c["curve"] == CURVE and c["baseline"] is None]
    return {c["model"]: dict(zip(c["x"], c["y"], strict=True)) for c in own}


def peaks(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {peak["model"]: peak for peak in found["sensitivity"]["peaks"]}


def said(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [w["numbers"] for w in found["warnings"] if w["code"] == "W121"]


def test_a_rank_is_chosen_on_the_queries_to_fit_and_its_value_is_of_those_judged(
    tmp_path: Path,
) -> None:
    found = ran(tmp_path)
    judged = curves(found)
    (tmp_path / "x").mkdir()
    earlier = curves(
        ran(
            tmp_path / "x",
            datasets={"early": {"qrels": "early.qrels"}},
            models={
                name: {**each, "run": {"early": each["run"]["early"]}}
                for name, each in MODELS.items()
            },
        )
    )
    for model, peak in peaks(found).items():
        assert peak["learnt_on"] == "early"
        assert peak["x"] == max(earlier[model], key=earlier[model].__getitem__)
        assert peak["value"] == pytest.approx(judged[model][peak["x"]], rel=1e-9)
        assert peak["highest"] == max(judged[model].values())
        assert judged[model][peak["highest_x"]] == peak["highest"] >= peak["value"]
        assert peak["x_low"] <= peak["x"] <= peak["x_high"] and 0 < peak["share"] <= 1
        assert peak["low"] < peak["value"] < peak["high"]
    assert not said(found)


def test_a_rank_chosen_on_the_queries_judged_is_warned_of(tmp_path: Path) -> None:
    found = ran(
        tmp_path,
        datasets={"web": WEB},
        models={name: {**each, "run": each["run"]["web"]} for name, each in MODELS.items()},
        outputs=["json", "markdown"],
    )
    for model, height in curves(found).items():
        peak = peaks(found)[model]
        assert peak["learnt_on"] == "web" and peak["highest"] == peak["value"]
        assert peak["x"] == peak["highest_x"] == max(height, key=height.__getitem__)
    assert said(found) == [{"peak": "FAP by depth"}]
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "the rank at which FAP by depth is highest" in page
    assert "The rank at which FAP is highest: how many results to return." in page


def test_the_interval_at_a_given_rank_is_nearly_that_of_the_metric_there(tmp_path: Path) -> None:
    found = ran(tmp_path, bootstrap={"replicates": 1999})
    [k] = {peak["x"] for name, peak in peaks(found).items() if name == "two"}
    (tmp_path / "x").mkdir()
    own = ran(tmp_path / "x", metrics=[{"name": "fap", "k": int(k)}])["estimates"]
    [one] = [e for e in own if e["model"] == "two" and e["segment"] is None]
    peak = peaks(found)["two"]
    assert peak["value"] == pytest.approx(one["value"], rel=1e-9)
    assert peak["high"] - peak["low"] == pytest.approx(one["high"] - one["low"], rel=0.15)


def test_queries_that_teach_a_rank_are_not_judged_unless_the_config_says_so(
    tmp_path: Path,
) -> None:
    put(tmp_path, "q")
    code, _, told = heard("run", "lists.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code == 3 and "a cut-off must not be tested on the queries that it was learnt on" in told
    known = {"web": {**WEB, "used_to_fit": True}, "early": EARLY}
    assert said(ran(tmp_path, "q", datasets=known)) == [{"peak": "FAP by depth", "shared": 40}]


def test_queries_without_a_name_differ_where_their_files_do(tmp_path: Path) -> None:
    models = {
        "one": {"lines": {"web": "web.pred", "early": "late.pred"}, "role": "baseline"},
        "two": {"lines": {"web": "late.pred", "early": "web.pred"}},
    }
    groups = {"letor": {"path": "bare.letor", "groups": "sizes.query"}}
    other = {"letor": {"path": "bare.letor", "groups": "others.query"}, "role": "fit"}
    found = ran(tmp_path, datasets={"web": groups, "early": other}, models=models)
    assert {peak["learnt_on"] for peak in peaks(found).values()} == {"early"}


def test_of_two_sets_of_queries_to_fit_a_config_names_one(tmp_path: Path) -> None:
    models = {
        name: {**each, "run": {**each["run"], "late": f"{name}.run"}}
        for name, each in MODELS.items()
    }
    late = {"qrels": "late.qrels", "role": "fit"}
    put(tmp_path, models=models, datasets={"web": WEB, "early": EARLY, "late": late})
    code, _, told = heard("run", "lists.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code == 2 and "say which one its shifts or cut-offs are fitted on: fit: early" in told
    named = {"web": {**WEB, "fit": "early"}, "early": EARLY, "late": late}
    found = ran(tmp_path, models=models, datasets=named)
    assert {peak["learnt_on"] for peak in peaks(found).values()} == {"early"}

"""The primary comparison under other choices: rows, definition, resamples, design, costs."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen.analysis.sensitivity import alternatives as module
from tests.end_to_end.wallet import heard, put, results

N = 400


def rows(seed: int = 7, far: float = 0.0) -> list[dict[str, str]]:
    """Amounts that `b` comes closer to than `a`, but for four rows that it misses by `far`."""
    draw = np.random.default_rng(seed)
    y = draw.uniform(50, 60, N)
    errors = draw.normal(0, 2, (2, N)) * np.array([[1.0], [0.8]])
    errors[1, :4] += far
    return [
        {
            "id": f"{k:03}",
            "y": f"{y[k]:.6f}",
            "a": f"{y[k] + errors[0, k]:.6f}",
            "b": f"{y[k] + errors[1, k]:.6f}",
            "w": str(1 + k % 3),
            "c": str(k // 4),
            "part": "large" if k % 4 else "small",
        }
        for k in range(N)
    ]


def found(folder: Path, data: list[dict[str, str]], **changes: Any) -> dict[str, Any]:
    """The results of a small run of these rows."""
    told = {"path": "wallet.csv", "id": "id", "target": "y", **changes.pop("holdout", {})}
    put(
        folder,
        data,
        **{
            "datasets": {"holdout": told},
            "models": {"a": {"column": "a", "role": "baseline"}, "b": {"column": "b"}},
            "metrics": ["mae"],
            "primary": {"metric": "mae"},
            "gates": [],
            "curves": [],
            "bootstrap": {"replicates": 99, "seed": 1},
            **changes,
        },
    )
    code, _, error = heard(
        "run", "wallet.yaml", "--out", "out", "--quiet", "--no-cache", cwd=folder
    )
    assert code == 0, error
    return results(folder / "out")


def tried(found: dict[str, Any]) -> dict[tuple[str, str, str], dict[str, Any]]:
    """The analyses by their kind, choice and value."""
    return {(c["kind"], c["choice"], c["value"]): c for c in found["sensitivity"]["choices"]}


TOP = ("rows", "rows", "without the largest errors")


def test_what_the_largest_errors_decide_is_told_on_page_one(tmp_path: Path) -> None:
    given = found(tmp_path, rows(far=150.0), outputs=["json", "markdown"])
    each = tried(given)
    declared = each["declared", "as declared", ""]
    assert (declared["word"], each[TOP]["word"]) == ("cannot tell", "better")
    assert each[TOP]["is_other"] and each[TOP]["n"] == N - 4
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    first = page.partition("\n## ")[0] + page.partition("\n## ")[2].partition("\n## ")[0]
    assert "it is better without the 1% largest errors" in first or (
        "Without the 1% largest errors, the verdict would be “better”." in first
    )


def test_what_nothing_turns_is_told_as_such(tmp_path: Path) -> None:
    given = found(tmp_path, rows())
    others = [c for c in given["sensitivity"]["choices"] if c["kind"] != "declared"]
    assert not any(c["is_other"] for c in others)
    assert others and not any("analys" in said for said in given["conclusion"]["unsure"])


def test_a_variant_of_rows_is_the_comparison_on_these_rows(tmp_path: Path) -> None:
    data = rows(far=150.0)
    y, a, b = (np.array([float(row[name]) for row in data]) for name in ("y", "a", "b"))
    given = tried(found(tmp_path, data, holdout={"segments": ["part"]}))
    small = np.array([row["part"] == "small" for row in data])
    size = np.maximum(abs(a - y), abs(b - y))
    for choice, kept in (
        (("rows", "without", "part=large"), small),
        (TOP, size < np.sort(size)[-4]),
    ):
        expected = np.mean(abs(b - y)[kept]) - np.mean(abs(a - y)[kept])
        assert given[choice]["difference"] == pytest.approx(expected)


def test_the_declared_analysis_is_the_comparison_itself(tmp_path: Path) -> None:
    given = found(tmp_path, rows(), primary={"metric": "mae", "margin": 0.1})
    [compared] = given["comparisons"]
    declared = tried(given)["declared", "as declared", ""]
    assert [declared[key] for key in ("difference", "low", "high", "margin")] == [
        compared[key] for key in ("difference", "low", "high", "margin")
    ]


def test_thirds_of_the_resamples_are_tried_where_they_decide(tmp_path: Path) -> None:
    given = found(tmp_path, rows(), bootstrap={"replicates": 600, "seed": 1, "interval": "bca"})
    thirds = [c for c in given["sensitivity"]["choices"] if c["kind"] == "chance"]
    assert [c["value"] for c in thirds] == ["first third", "second third", "last third"]
    assert len({c["low"] for c in thirds}) == 3
    assert len({c["difference"] for c in thirds}) == 1


def test_thirds_that_are_too_short_are_not_tried(tmp_path: Path) -> None:
    given = found(tmp_path, rows(), bootstrap={"replicates": 99, "seed": 1, "interval": "bca"})
    kinds = {c["kind"] for c in given["sensitivity"]["choices"]}
    assert "chance" not in kinds and {"interval", "formula"} <= kinds


def test_methods_that_too_few_resamples_can_serve_are_not_tried(tmp_path: Path) -> None:
    data = rows()
    for k, name in enumerate(more := ["c1", "c2", "c3", "c4", "c5", "c6"]):
        for row in data:
            row[name] = float(row["a"]) + (float(row["b"]) - float(row["a"])) * (k + 2)
    models = {"a": {"column": "a", "role": "baseline"}} | {m: {"column": m} for m in ["b", *more]}
    for drawn, is_tried in ((199, False), (599, True)):
        given = found(tmp_path, data, models=models, bootstrap={"replicates": drawn, "seed": 1})
        methods = {c["value"] for c in given["sensitivity"]["choices"] if c["kind"] == "interval"}
        assert ("percentile" in methods) == is_tried


def test_weights_and_clusters_off_are_for_comparison(tmp_path: Path) -> None:
    data = rows()
    y, a, b = (np.array([float(row[name]) for row in data]) for name in ("y", "a", "b"))
    given = tried(found(tmp_path, data, holdout={"weight": "w", "cluster": "c"}))
    plain = given["design", "weights", "off"]
    assert plain["difference"] == pytest.approx(np.mean(abs(b - y)) - np.mean(abs(a - y)))
    alone, together = given["design", "units", "off"], given["declared", "as declared", ""]
    assert alone["difference"] == together["difference"]
    assert alone["high"] - alone["low"] != together["high"] - together["low"]


def test_a_margin_of_ones_own_turns_the_verdict(tmp_path: Path) -> None:
    also = [{"name": "tiny", "margin": 1e-6}, {"name": "huge", "margin": 5}]
    given = tried(
        found(tmp_path, rows(), primary={"metric": "mae", "margin": 5}, sensitivity={"also": also})
    )
    assert given["own", "own", "tiny"]["word"] == "clearly better"
    assert given["own", "own", "huge"]["word"] == "equivalent"
    assert given["own", "own", "tiny"]["is_other"] and not given["own", "own", "huge"]["is_other"]


def test_an_analysis_that_says_the_same_more_strongly_is_no_other(tmp_path: Path) -> None:
    """Better with the declared margin, clearly better with a smaller one."""
    also = [{"name": "tiny", "margin": 1e-6}, {"name": "huge", "margin": 5}]
    primary = {"metric": "mae", "margin": 0.29}
    given = tried(found(tmp_path, rows(), primary=primary, sensitivity={"also": also}))
    words = {key[0]: each["word"] for key, each in given.items() if key[0] != "own"}
    assert words["declared"] == "better"
    assert given["own", "own", "tiny"]["word"] == "clearly better"
    assert not given["own", "own", "tiny"]["is_other"] and given["own", "own", "huge"]["is_other"]


def test_definitions_and_costs_have_their_neighbours(tmp_path: Path) -> None:
    cost = [{"name": "asymmetric_cost", "alpha": 0.8}]
    given = tried(found(tmp_path, rows(), metrics=cost, primary={"metric": "asymmetric_cost"}))
    assert {c[1:] for c in given if c[0] == "costs"} == {
        ("asymmetry", "3.2 : 1"),
        ("asymmetry", "5 : 1"),
    }
    given = tried(found(tmp_path, rows(), metrics=["kendall"], primary={"metric": "kendall"}))
    assert ("definition", "metric", "kendall_a") in given
    given = tried(
        found(tmp_path, rows(), metrics=["ranking_last"], primary={"metric": "ranking_last"})
    )
    assert {c[2] for c in given if c[0] == "buckets"} <= {"5", "20"}


def test_a_metric_without_a_formula_is_drawn_again_within_the_budget(tmp_path: Path) -> None:
    asked = {
        "metrics": [{"name": "ranking_last", "statistic": "median"}],
        "primary": {"metric": "ranking_last"},
    }
    few = found(tmp_path, rows(), **asked)
    assert not [c for c in few["sensitivity"]["choices"] if c["kind"] == "rows"]
    many = found(tmp_path, rows(), **asked, bootstrap={"replicates": 1999, "seed": 1})
    drawn = [c for c in many["sensitivity"]["choices"] if c["kind"] in ("formula", "rows")]
    assert [c["value"] for c in drawn] == ["199", "without the largest errors"]
    assert len(drawn) == 1999 // (module.PART * module.DRAWN)
    assert all(c["low"] < c["difference"] < c["high"] for c in drawn)


def test_nothing_else_is_tried_where_that_is_not_wanted(tmp_path: Path) -> None:
    given = found(tmp_path, rows(), sensitivity="none")
    assert given["sensitivity"]["choices"] == []
    assert not any("analys" in said for said in given["conclusion"]["unsure"])


def test_rows_of_ones_own_are_compared_alone(tmp_path: Path) -> None:
    """Without the rows that `b` misses by far its verdict turns; rows are told by a filter."""
    data = rows(far=150.0)
    y, a, b = (np.array([float(row[name]) for row in data]) for name in ("y", "a", "b"))
    also = [{"name": "later ones", "filter": "id >= '004'"}, {"name": "all", "filter": "y > 0"}]
    given = tried(found(tmp_path, data, sensitivity={"also": also}, outputs=["json", "markdown"]))
    own, every = given["own", "own", "later ones"], given["own", "own", "all"]
    expected = np.mean(abs(b - y)[4:]) - np.mean(abs(a - y)[4:])
    assert own["difference"] == pytest.approx(expected)
    assert (own["n"], own["word"], own["is_other"]) == (N - 4, "better", True)
    assert (every["n"], every["is_other"]) == (N, False)
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "“later ones”" in page


@pytest.mark.parametrize(
    ("also", "code", "said"),
    [
        (
            {"name": "n", "filter": "y < 0"},
            3,
            "'n' of sensitivity.also keeps 0 of 400 rows; its filter is 'y < 0'",
        ),
        ({"name": "n", "filter": "nowhere > 1"}, 2, "has no column 'nowhere'"),
        ({"name": "n", "filter": "open('x')"}, 2, "is not understood"),
        ({"name": "n", "filter": "y > 0", "margin": 1}, 2, "give it a margin or a filter"),
        ({"name": "n"}, 2, "give it a margin or a filter"),
    ],
)
def test_rows_that_cannot_be_looked_at_are_told(
    also: dict[str, Any], code: int, said: str, tmp_path: Path
) -> None:
    told = {"path": "wallet.csv", "id": "id", "target": "y"}
    put(
        tmp_path,
        rows(),
        datasets={"holdout": told},
        gates=[],
        curves=[],
        metrics=["mae"],
        models={"a": {"column": "a", "role": "baseline"}, "b": {"column": "b"}},
        primary={"metric": "mae"},
        sensitivity={"also": [also]},
    )
    found, _, error = heard("run", "wallet.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert found == code and said in error, error


@pytest.mark.parametrize(("privacy", "is_told"), [("open", True), ("standard", False)])
def test_few_rows_of_ones_own_are_told_openly_alone(
    privacy: str, is_told: bool, tmp_path: Path
) -> None:
    asked = {"few": "id < '020'", "all but few": "id > '010'", "half": "id < '200'"}
    also = [{"name": name, "filter": text} for name, text in asked.items()]
    given = tried(found(tmp_path, rows(), sensitivity={"also": also}, privacy=privacy))
    assert ("own", "own", "half") in given
    assert (("own", "own", "few") in given) == (("own", "own", "all but few") in given) == is_told

"""Unit costs that differ by row, from a config to the page; the truth is NumPy's."""

import copy

import numpy as np
import pytest
import yaml

from tests.end_to_end.wallet import call, results

DRAW = np.random.default_rng(3)
N = 240
Y = DRAW.gamma(3.0, 10.0, N).round(3)
SCORES = {
    "usual": (Y + DRAW.normal(-4, 6, N)).round(3),
    "new": (Y + DRAW.normal(2, 3, N)).round(3),
}
UNDER = DRAW.choice([1.0, 4.0, 12.0], N)
OVER = DRAW.choice([0.5, 2.0], N)
WEIGHT = DRAW.choice([1.0, 2.0, 3.0], N)
IS_FIT = np.arange(N) % 4 == 0
ASKED = {
    "version": 1,
    "report": {"title": "Stock"},
    "datasets": {
        "shop": {
            "path": "d.csv",
            "id": "id",
            "target": "y",
            "weight": "w",
            "filter": "part == 'test'",
        },
    },
    "task": "regression",
    "models": {"usual": {"column": "usual", "role": "baseline"}, "new": {"column": "new"}},
    "metrics": ["mae", "expected_cost"],
    "primary": {"metric": "expected_cost"},
    "costs": {"under": {"column": "stock_out"}, "over": {"column": "holding"}, "currency": "EUR"},
    "bootstrap": {"replicates": 99},
    "outputs": ["json", "markdown"],
}
FIT = {"path": "d.csv", "id": "id", "target": "y", "filter": "part == 'fit'", "role": "fit"}


def made(folder, change=lambda asked: None, under=UNDER, over=OVER):
    asked = copy.deepcopy(ASKED)
    change(asked)
    (folder / "stock.yaml").write_text(yaml.safe_dump(asked, sort_keys=False), encoding="utf-8")
    part = np.where(IS_FIT, "fit", "test")
    columns = (np.arange(N), Y, *SCORES.values(), under, over, WEIGHT, part)
    lines = ["id,y,usual,new,stock_out,holding,w,part"]
    lines += [",".join(str(cell) for cell in row) for row in zip(*columns, strict=True)]
    (folder / "d.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return call("run", folder / "stock.yaml", "--out", folder / "out", "--quiet")


def cost(error, rows, weight=WEIGHT):
    paid = np.where(error < 0, -UNDER[rows] * error, OVER[rows] * error)
    return float(np.average(paid, weights=weight[rows]))


def error_of(model, rows):
    return SCORES[model][rows] - Y[rows]


def least(model, rows, weight=WEIGHT):
    """The cheapest constant, tried one by one where an error would become zero."""
    error = error_of(model, rows)
    tried = [(cost(error + shift, rows, weight), shift) for shift in -error]
    return min(tried)


def costs_of(found, model):
    """What a model costs by shift."""
    (costs,) = found["costs"]
    return {
        made["shift"]: each
        for made in costs["decisions"]
        for each in made["models"]
        if each["model"] == model
    }


def test_a_bare_expected_cost_is_what_each_row_pays(tmp_path):
    assert made(tmp_path) == 0
    found = results(tmp_path / "out")
    for model in SCORES:
        (own,) = [
            e for e in found["estimates"] if (e["key"], e["model"]) == ("expected_cost", model)
        ]
        assert own["value"] == pytest.approx(cost(error_of(model, ~IS_FIT), ~IS_FIT), rel=1e-9)
        assert own["unit"] == "EUR per case"
        assert own["low"] < own["value"] < own["high"]


def test_the_decision_is_the_same_money_and_its_constant_the_cheapest_of_all(tmp_path):
    assert made(tmp_path) == 0
    found = results(tmp_path / "out")
    for model in SCORES:
        plain, best = costs_of(found, model).values()
        paid = 1000 * cost(error_of(model, ~IS_FIT), ~IS_FIT)
        assert plain["cost"]["value"] == pytest.approx(paid)
        money, shift = least(model, ~IS_FIT)
        assert best["cost"]["value"] == pytest.approx(1000 * money)
        assert best["constant"]["value"] == pytest.approx(shift)
        assert best["cost"]["low"] < best["cost"]["value"] < best["cost"]["high"]


def test_a_fitted_constant_is_found_from_the_unit_costs_of_its_own_rows(tmp_path):
    assert made(tmp_path, lambda asked: asked["datasets"].update(past=FIT)) == 0
    found = results(tmp_path / "out")
    for model in SCORES:
        fitted = costs_of(found, model)["fitted"]
        _, shift = least(model, IS_FIT, np.ones(N))
        assert fitted["constant"]["value"] == pytest.approx(shift)
        moved = cost(error_of(model, ~IS_FIT) + shift, ~IS_FIT)
        assert fitted["cost"]["value"] == pytest.approx(1000 * moved)


def test_columns_of_one_number_cost_what_that_number_does(tmp_path):
    (tmp_path / "columns").mkdir()
    (tmp_path / "numbers").mkdir()
    assert made(tmp_path / "columns", under=np.full(N, 4.0), over=np.full(N, 1.0)) == 0
    assert made(tmp_path / "numbers", lambda a: a.update(costs={"under": 4, "over": 1})) == 0
    by_column, by_number = (results(tmp_path / each / "out") for each in ("columns", "numbers"))
    for model in SCORES:
        for one, other in zip(
            costs_of(by_column, model).values(), costs_of(by_number, model).values(), strict=True
        ):
            for key in ("constant", "cost", "saving", "excess"):
                assert one[key]["value"] == pytest.approx(other[key]["value"], rel=1e-9)
            assert one["share_best"] == other["share_best"]


def test_the_page_says_why_there_is_no_curve_over_the_asymmetry(tmp_path):
    assert made(tmp_path) == 0
    found, page = results(tmp_path / "out"), (tmp_path / "out" / "report.md").read_text()
    assert "With each row's own unit costs (on average" in page
    assert "no single α holds for all rows" in page
    assert not {c["curve"] for c in found["curves"]} & {"cost", "cost_envelope", "rroc_isometric"}
    (costs,) = found["costs"]
    assert costs["decompositions"] and not costs["crossings"] and not costs["ranges"]
    assert ("cost", "stock_out") in {
        (c["role"], c["column"]) for d in found["datasets"] for c in d["columns"]
    }


def test_one_side_may_be_a_number(tmp_path):
    def change(asked):
        asked["costs"]["over"] = 3

    assert made(tmp_path, change) == 0
    own = costs_of(results(tmp_path / "out"), "new")["none"]
    error = error_of("new", ~IS_FIT)
    paid = np.where(error < 0, -UNDER[~IS_FIT] * error, 3 * error)
    assert own["cost"]["value"] == pytest.approx(1000 * np.average(paid, weights=WEIGHT[~IS_FIT]))


@pytest.mark.parametrize(
    ("put", "said"),
    [
        ({"asymmetries": [0.2]}, "asymmetries beside unit costs by row"),
        ({"loss": "quadquad"}, "take loss: linlin alone"),
        ({"with_alpha": True}, "with_alpha: true beside unit costs by row"),
        ({"under": {"column": "stockout"}}, "has no column 'stockout'; did you mean 'stock_out'?"),
        ({"under": {"column": 3}}, "costs.under.column needs text, not '3'"),
        ({"under": 0}, "costs.under needs a number above 0, not '0'"),
        ({"over": "holding"}, "costs.over needs a number, not 'holding'"),
        ({"over": None}, "needs both under and over"),
    ],
)
def test_what_does_not_fit_unit_costs_by_row_is_one_line_with_its_place(
    tmp_path, capsys, put, said
):
    assert made(tmp_path, lambda asked: asked["costs"].update(put)) == 2
    (line,) = [each for each in capsys.readouterr().err.splitlines() if each]
    assert said in line
    assert line.startswith(f"{tmp_path / 'stock.yaml'}:") or "stock.yaml:" in line


def test_by_row_without_columns_is_refused(tmp_path, capsys):
    def change(asked):
        asked["costs"] = {"under": 4, "over": 1}
        asked["metrics"][1] = {"name": "expected_cost", "unit_costs": "by row"}

    assert made(tmp_path, change) == 2
    assert (
        "unit_costs: by row takes costs: {under: {column: …}, over: …}" in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (5, -1.0, "unit cost column 'stock_out' has 1 negative value of 180 (first -1 at line 7)"),
        (
            5,
            "",
            "column 'stock_out' has 1 missing value of 180 (first at line 7); "
            "`missing: drop` under datasets.shop leaves such rows out",
        ),
        (slice(None), 0.0, "unit cost column 'stock_out' is zero on all 180 rows that weigh"),
    ],
)
def test_unit_costs_that_are_none_are_one_line_with_a_way_out(tmp_path, capsys, place, value, said):
    under = UNDER.astype(object)
    under[place] = value
    assert made(tmp_path, under=under) == 3
    (line,) = [each for each in capsys.readouterr().err.splitlines() if each]
    assert said in line

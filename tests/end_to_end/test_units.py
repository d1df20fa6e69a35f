"""A number on the page carries the unit of its metric: money, y's own, its square, or none."""

from xml.sax.saxutils import unescape

import pytest

from tests.end_to_end.wallet import call, dataset, put, results

COST = {"name": "expected_cost", "as": "cost", "under": 4, "over": 1}
METRICS = [
    "mae",
    "error_variance",
    COST,
    {"name": "expected_cost", "as": "squared", "loss": "quadquad", "alpha": 0.8},
    {"name": "expected_cost", "as": "steep", "loss": "linexp"},
]


def made(folder, **changes):
    asked = {"metrics": METRICS, "primary": {"metric": "cost", "margin": "2%"}, "gates": []}
    put(folder, **{**asked, "outputs": ["html", "markdown"], **changes})
    assert call("run", folder / "wallet.yaml", "--out", folder / "out", "--quiet") == 0
    return folder / "out"


def units(found):
    return {metric["key"]: metric["unit"] for metric in found["metrics"]}


@pytest.mark.full
def test_every_metric_has_the_unit_that_its_parameters_make(tmp_path):
    out = made(
        tmp_path, datasets=dataset(unit="USD"), costs={"under": 4, "over": 1, "currency": "EUR"}
    )
    found = results(out)
    asked = {
        "mae": "USD",
        "error_variance": "USD²",
        "cost": "EUR per case",
        "squared": "USD² at under + over = 2",
        "steep": "1",
    }
    assert units(found) == asked
    for kind in ("estimates", "comparisons"):
        assert {e["key"]: e["unit"] for e in found[kind]} == asked


def test_a_difference_in_money_is_printed_as_money(tmp_path):
    out = made(tmp_path, costs={"under": 4, "over": 1, "currency": "€"})
    for name in ("report.html", "report.md"):
        text = (out / name).read_text(encoding="utf-8").replace("\u00a0", " ")
        line = text[text.index("Difference from") :]
        assert "Grey band: less than €" in line.split("CI")[0]
        assert " per row (2%)" in line.split("CI")[0]


def test_without_units_a_square_has_none_either(tmp_path):
    page = (made(tmp_path) / "report.md").read_text(encoding="utf-8")
    assert "y²" not in page.partition("## Method")[0]
    assert " per case" in page


EURO = {"under": 4, "over": 1, "currency": "EUR"}
LOSSES = [
    COST,
    {"name": "expected_cost", "as": "declared", "alpha": 0.8},
    {"name": "expected_cost", "as": "halved", "alpha": 0.8, "loss": "pinball"},
    {"name": "expected_cost", "as": "even", "alpha": 0.5},
    {"name": "expected_cost", "as": "even halves", "alpha": 0.5, "loss": "pinball"},
    {"name": "expected_cost", "as": "squares", "alpha": 0.8, "loss": "quadquad"},
    {"name": "asymmetric_cost", "alpha": 0.8},
]


def values(found):
    return {(e["key"], e["model"]): e["value"] for e in found["estimates"] if not e["segment"]}


@pytest.mark.full
def test_a_cost_at_the_declared_asymmetry_is_that_of_the_declared_unit_costs(tmp_path):
    out = made(tmp_path, datasets=dataset(unit="EUR"), metrics=LOSSES, costs=EURO)
    found = results(out)
    for model in ("clv", "boosted"):
        assert values(found)["declared", model] == values(found)["cost", model]
        assert values(found)["halved", model] == values(found)["cost", model]
        (plain,) = [d for d in found["costs"][0]["decisions"] if d["shift"] == "none"]
        (own,) = [each for each in plain["models"] if each["model"] == model]
        assert abs(own["cost"]["value"] / 1000 / values(found)["declared", model] - 1) < 1e-9
    assert units(found)["declared"] == units(found)["halved"] == "EUR per case"


def test_another_loss_beside_unit_costs_says_on_what_scale_it_is(tmp_path):
    out = made(tmp_path, datasets=dataset(unit="EUR"), metrics=LOSSES, costs=EURO)
    assert units(results(out)) == {
        "cost": "EUR per case",
        "declared": "EUR per case",
        "halved": "EUR per case",
        "even": "EUR at under + over = 2",
        "even halves": "EUR at under + over = 1",
        "squares": "EUR² at under + over = 2",
        "asymmetric_cost": "EUR at under + over = 2",
    }


def test_without_unit_costs_a_loss_is_in_the_unit_of_the_target(tmp_path):
    out = made(tmp_path, datasets=dataset(unit="EUR"), metrics=LOSSES, costs={"asymmetries": [0.8]})
    assert units(results(out))["declared"] == units(results(out))["asymmetric_cost"] == "EUR"


def test_a_gate_on_a_loss_names_its_scale(tmp_path):
    gates = [
        {"name": key, "rule": "below", "metric": key, "model": "clv", "value": 1e6}
        for key in ("declared", "even")
    ]
    out = made(
        tmp_path,
        datasets=dataset(unit="EUR"),
        metrics=LOSSES,
        costs=EURO,
        gates=gates,
        outputs=["junit", "markdown"],
    )
    text = unescape((out / "junit.xml").read_text(encoding="utf-8"))
    case = text.replace("\u00a0", " ").partition('name="even"')
    assert "Needs < 1,000,000 EUR per row" in case[0]
    assert "Needs < 1,000,000 EUR at under + over = 2" in case[2]

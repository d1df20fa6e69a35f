"""A number on the page carries the unit of its metric: money, y's own, its square, or none."""

from tests.end_to_end.wallet import call, dataset, put, results

COST = {"name": "expected_cost", "as": "cost", "under": 4, "over": 1}
METRICS = ["mae", "error_variance", COST,
           {"name": "expected_cost", "as": "squared", "loss": "quadquad", "alpha": 0.8},
           {"name": "expected_cost", "as": "steep", "loss": "linexp"}]  # fmt: skip


def made(folder, **changes):
    asked = {"metrics": METRICS, "primary": {"metric": "cost", "margin": "2%"}, "gates": []}
    put(folder, **{**asked, "outputs": ["html", "markdown"], **changes})
    assert call("run", folder / "wallet.yaml", "--out", folder / "out", "--quiet") == 0
    return folder / "out"


def units(found):
    return {metric["key"]: metric["unit"] for metric in found["metrics"]}


def test_every_metric_has_the_unit_that_its_parameters_make(tmp_path):
    out = made(tmp_path, datasets=dataset(unit="USD"), costs={"under": 4, "over": 1,
                                                              "currency": "EUR"})  # fmt: skip
    found = results(out)
    asked = {"mae": "USD", "error_variance": "USD²", "cost": "EUR per case", "squared": "USD²",
             "steep": "1"}  # fmt: skip
    assert units(found) == asked
    for kind in ("estimates", "comparisons"):
        assert {e["key"]: e["unit"] for e in found[kind]} == asked


def test_a_difference_in_money_is_printed_as_money(tmp_path):
    out = made(tmp_path, costs={"under": 4, "over": 1, "currency": "€"})
    for name in ("report.html", "report.md"):
        text = (out / name).read_text(encoding="utf-8").replace("\u00a0", " ")
        line = text[text.index("Differences in cost") :]
        assert "against a margin of €" in line.split(":")[0]
        assert " per case (2 %)" in line.split(":")[0]
        assert " cost (" not in line


def test_without_units_a_square_has_none_either(tmp_path):
    page = (made(tmp_path) / "report.md").read_text(encoding="utf-8")
    assert "y²" not in page.partition("## Method")[0]
    assert " per case" in page

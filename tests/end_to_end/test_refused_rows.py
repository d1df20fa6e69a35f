"""A measure that single rows forbid is undefined, says why, and tells nothing else of itself."""

from tests.end_to_end.wallet import call, customers, dataset, put, results

METRICS = [
    "mae",
    "mape",
    "wape",
    "smape",
    "rmsle",
    {"name": "deviance", "as": "gamma", "power": 2},
    {"name": "quantile_coverage", "as": "coverage", "quantile": 0.9},
]


def made(folder, **changes):
    asked = {
        "metrics": METRICS,
        "primary": {"metric": "mae"},
        "gates": [],
        "outputs": ["json", "markdown"],
    }
    put(folder, **{**asked, **changes})
    assert call("run", folder / "wallet.yaml", "--out", folder / "out", "--quiet") == 0
    return results(folder / "out")


def of(found, kind, key):
    return [each for each in found[kind] if each["key"] == key and each["segment"] is None]


def test_the_reason_names_the_rows(tmp_path):
    found = made(tmp_path)
    reasons = {e["key"]: e["reason"] for e in found["estimates"] if e["model"] == "clv"}
    assert reasons["mape"] == "where a y is 0"
    assert reasons["gamma"] == "where a y is 0 (power: 2 asks for amounts above 0)"
    assert reasons["wape"] == reasons["smape"] == reasons["rmsle"] == ""
    assert "has no density" in reasons["coverage"]


def test_nothing_is_drawn_from_a_measure_that_does_not_exist(tmp_path):
    found = made(tmp_path)
    for key in ("mape", "gamma"):
        assert {c["word"] for c in of(found, "comparisons", key)} <= {"no result"}
        sensitivity = found["sensitivity"]
        assert not [row for row in sensitivity["influence"] if row["key"] == key]
        shares = [row["shares"] for row in sensitivity["ranks"] if row["key"] == key]
        assert all(share is None for row in shares for share in row)


def test_a_row_without_weight_forbids_nothing(tmp_path):
    rows = customers()
    for row in rows:
        row["counts"] = "1" if float(row["y_spend_hold"]) > 0 else "0"
    asked = {"metrics": ["mape"], "primary": {"metric": "mape"}, "gates": []}
    put(tmp_path, rows, datasets=dataset(weight="counts"), **asked)
    assert call("run", tmp_path / "wallet.yaml", "--out", tmp_path / "out", "--quiet") == 0
    estimates = of(results(tmp_path / "out"), "estimates", "mape")
    known = [e for e in estimates if e["model"] != "rfm"]
    assert known and all(e["low"] < e["value"] < e["high"] for e in known)


def test_the_method_table_prints_the_caveat_of_each_measure(tmp_path):
    made(tmp_path)
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    for words in (
        "Rows with y near 0 decide it",
        "A log of money is no money",
        "not symmetric",
        "rows with large y decide it",
    ):
        assert words in page

"""What changed in the data, in a diff, in the next run's report, and against rows to fit on."""

import json
from pathlib import Path

import pytest

from tests.end_to_end.wallet import customers, heard
from tests.governance.diff.runs import diff, noisy, run


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shifts")


@pytest.fixture(scope="module")
def first(here: Path) -> Path:
    return run(here, "first", outputs=["json"])


def raised(rows):
    """Every other customer, who spends as much again and three dollars."""
    return [{**r, "y_spend_hold": f"{2 * float(r['y_spend_hold']) + 3:.4f}"} for r in rows[::2]]


def test_a_diff_tells_how_the_target_and_the_segments_changed(here, first):
    second = run(here, "second", raised(customers(400)), outputs=["json"])
    found = diff(first, second)["shifts"]
    target = next(s for s in found if s["kind"] == "target")
    assert target["low"] > 0 and target["distance_low"] > 0 and not target["has_same_rows"]
    assert {s["kind"] for s in found} == {"target", "score", "segment"}
    code, text, _ = heard("diff", first, second, cwd=here)
    assert code == 0 and "(target): mean +" in text


def test_on_the_same_rows_only_scores_can_have_changed(here, first):
    other = run(here, "other", noisy(customers(400)), outputs=["json"])
    found = diff(first, other)["shifts"]
    assert {s["kind"] for s in found} == {"score"} and all(s["has_same_rows"] for s in found)


def test_the_next_report_has_the_table_and_the_index_where_it_is_wanted(here, first):
    previous = {"path": "../first/out"}
    rows = raised(customers(400))
    outputs = {"outputs": ["json", "markdown"], "previous": previous}
    plain = run(here, "plain", rows, **outputs)
    assert "PSI" not in (plain / "report.md").read_text("utf-8")
    assert "The mean of " in (plain / "report.md").read_text("utf-8")
    with_index = run(here, "index", rows, report={"title": "Wallet", "psi": True}, **outputs)
    assert "| PSI |" in (with_index / "report.md").read_text("utf-8")


def quantiles(report: Path) -> list[int]:
    columns = json.loads((report / "results.json").read_text("utf-8"))["datasets"][0]["columns"]
    return [len(each["quantiles"]) for each in columns]


def test_a_report_keeps_few_quantiles_or_none_where_rows_are_private(here, first):
    assert set(quantiles(first)) == {80}
    strict = run(here, "strict", outputs=["json"], privacy="strict")
    assert set(quantiles(strict)) == {0}
    many = run(here, "many", outputs=["json"], privacy={"level": "standard", "min_cell": 6})
    assert set(quantiles(many)) == {0}
    standard = run(here, "standard", outputs=["json"], privacy="standard")
    assert set(quantiles(standard)) == {80}
    found = diff(first, strict)["shifts"]
    assert all(s["measure"] != "ks" for s in found)

"""The gate on moves: fails on evidence of harm since the last run, skipped on a first one."""

from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest

from reportgen.governance.decision import ResolvedGate, judge_gates
from reportgen.results.changes import ValueChange
from reportgen.results.core import GateResult
from reportgen.terms import Margin
from tests.end_to_end.wallet import customers, heard, put, results
from tests.governance.diff.runs import noisy, run
from tests.worked import results_of

GATE: dict[str, Any] = {
    "name": "steady",
    "rule": "not_worse_than_previous",
    "metric": "mae",
    "model": "boosted",
    "margin": 0.5,
}
DEMAND = ResolvedGate(
    name="steady",
    rule="not_worse_than_previous",
    dataset="holdout",
    segment=None,
    key="mae",
    model="boosted",
    against=None,
    bound=Margin(0.5),
    on="interval",
    inconclusive="warn",
)


def judge_move(
    demand: ResolvedGate, low: float | None, high: float | None, before: float = 100.0
) -> GateResult:
    """Judge a gate on a mean absolute error that moved, with these limits."""
    change = None if low is None or high is None else (low + high) / 2
    move = ValueChange(
        "holdout",
        "mae",
        "MAE",
        "$",
        "lower",
        "boosted",
        None,
        before,
        before,
        change,
        low=low,
        high=high,
        note="no interval of one level in both runs",
    )
    (finding,) = judge_gates([demand], results_of("wallet"), [move])
    return finding


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.6, 2.0, "not met"),
        (0.4, 2.0, "met"),
        (-3.0, -1.0, "met"),
        (None, None, "cannot tell"),
    ],
)
def test_an_error_that_grew_beyond_the_margin_fails(
    low: float | None, high: float | None, expected: str
) -> None:
    found = judge_move(DEMAND, low, high)
    assert found.status == expected


@pytest.mark.parametrize(("low", "expected"), [(2.1, "not met"), (1.9, "met")])
def test_a_margin_in_percent_is_of_the_value_before(low: float, expected: str) -> None:
    demand = replace(DEMAND, bound=Margin(0.02, is_relative=True))
    found = judge_move(demand, low, 9.0, before=100.0)
    assert (found.status, found.bound) == (expected, 2.0)


def test_a_first_run_skips_it_and_junit_says_so(tmp_path: Path) -> None:
    out = run(
        tmp_path, "first", gates=[GATE], outputs=["junit", "markdown"], previous={"path": "none"}
    )
    [gate] = results(out)["gates"]
    assert (gate["status"], gate["reason"]) == (
        "skipped",
        "skipped: a first run, with no earlier one",
    )
    [case] = Xml.parse(out / "junit.xml").iter("skipped")
    assert case.get("message") == gate["reason"]
    assert "**skipped** Average" not in (out / "report.md").read_text(encoding="utf-8")


def test_a_model_that_got_worse_fails_the_run(tmp_path: Path) -> None:
    run(tmp_path, "first", gates=[])
    worse = tmp_path / "worse"
    worse.mkdir()
    put(
        worse,
        noisy(customers(400), by=8),
        gates=[GATE],
        curves=[],
        outputs=["markdown"],
        bootstrap={"replicates": 199, "seed": 1},
        previous={"path": "../first/out"},
    )
    code, said, _ = heard("run", "wallet.yaml", "--out", "out", "--quiet", cwd=worse)
    assert code == 1
    assert "gate failed: steady: changed by +" in said
    assert "since the last run (95% CI +" in said
    page = (worse / "out" / "report.md").read_text(encoding="utf-8")
    assert "less than 0.5 worse than in the last run" in page


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"previous": None}, "gates[0] is compared with a previous run; name it under `previous`"),
        (
            {"gates": [{**GATE, "segment": "segment=repeat"}]},
            "gates[0].segment: moves are those of all rows; leave it out",
        ),
        (
            {"previous": {"path": "x", "models": {"bosted": "clv"}}},
            "previous.models: there is no model 'bosted' in this config; did you mean 'boosted'?",
        ),
    ],
)
def test_what_cannot_be_held_against_a_run_is_told(
    tmp_path: Path, changes: dict[str, Any], says: str
) -> None:
    put(tmp_path, **{"gates": [GATE], "previous": {"path": "x"}, **changes})
    code, _, err = heard("validate", "wallet.yaml", cwd=tmp_path)
    assert code == 2
    assert says in err

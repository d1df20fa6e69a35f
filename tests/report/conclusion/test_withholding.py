"""What a stop silences: no page compares models, and values stay."""

import re
from dataclasses import replace

import pytest

from reportgen.report.conclusion import add_conclusion, conclude
from reportgen.report.layout import build_document
from reportgen.report.render.outputs import render_output
from reportgen.report.render.theme import Theme
from reportgen.results import Results
from tests.worked import results_of

JUDGED = re.compile(
    r"(^|\| |\*\*|<br>|, )(clearly )?(better|worse|equivalent|not better|not worse|cannot tell)"
    r"(\*\*|<br>| \||$)|cheaper|than all others|"
    r"data cannot tell (them|it|whether (?!the probabilities|any model is worse on fresh))",
    re.IGNORECASE,
)


def stop(results: Results, model: str) -> Results:
    """Leave out the deciding value of a model."""
    key = results.inference.primary or results.metrics[0].key
    lost = {"value": None, "low": None, "high": None, "status": "undefined", "reason": "no y"}
    estimates = tuple(
        replace(e, **lost) if (e.key, e.model) == (key, model) else e for e in results.estimates
    )
    return add_conclusion(replace(results, conclusion=None, estimates=estimates))


@pytest.mark.parametrize("name", ["wallet", "churn", "folds", "see-also"])
def test_a_stopped_report_compares_nothing_anywhere(name: str) -> None:
    found = results_of(name)
    stopped = stop(found, next(each.name for each in found.models if each.role == "baseline"))
    page = render_output("markdown", build_document(stopped), stopped, Theme())["report.md"]
    body = page.decode().split("## Decision")[1].split("## Method")[0]
    assert [line for line in body.splitlines() if JUDGED.search(line)] == []
    assert not stopped.sensitivity.choices and not stopped.pairs and not stopped.fold_comparisons
    assert all(curve.baseline is None for curve in stopped.curves)
    values = [e.value for e in stopped.estimates if e.value is not None]
    assert values and len(values) >= len(stopped.estimates) / 2


def test_a_stop_on_one_candidate_leaves_the_comparisons_of_the_others() -> None:
    before = results_of("wallet")
    gone = "rfm"
    stopped = stop(before, gone)
    assert [each.model for each in stopped.conclusion.recommendation.stops] == [gone]
    assert {gone} == {c.candidate for c in before.sensitivity.choices} - {
        c.candidate for c in stopped.sensitivity.choices
    }
    assert all(curve.model != gone or curve.baseline is None for curve in stopped.curves)
    assert all(gone not in (w.candidate, w.baseline) for w in stopped.sensitivity.wins)
    assert all(each.model != gone for costs in stopped.costs for each in costs.options)
    assert any(c.word != "no result" for c in stopped.comparisons)


def test_what_takes_no_model_is_named_where_privacy_hides_its_value() -> None:
    found = conclude(replace(results_of("rroc-paper"), references=()))
    assert found.set_aside[0].note == (
        "① Set aside: the data cannot tell whether it is better than a prediction without a model."
    )

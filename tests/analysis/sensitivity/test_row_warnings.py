"""Each warning of queries is raised where its limit is passed, and not before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reportgen.analysis.comparisons import iter_comparisons
from reportgen.analysis.plan import Alternative, PlannedMetric
from reportgen.analysis.sensitivity.alternatives import compute_alternatives
from reportgen.analysis.sensitivity.robustness import analyze_sensitivity
from reportgen.analysis.sensitivity.wins import (
    iter_pool_subjects,
    iter_row_warnings,
)
from reportgen.checks.check import iter_raised
from reportgen.checks.comparisons import find_deciding_convention
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Queries
from reportgen.report.prose.warnings import format_warning
from reportgen.report.sections.robustness import say_agreement
from reportgen.results.sensitivity import AlternativeChoice
from tests.analysis.sensitivity.lists import analysis, lists
from tests.report.sections.results_factory import wallet

SOME = [1, 2, 3, 5] * 20
OTHER = [2, 1, 4, 3] * 20


def raised(*found: Any, **more: Any) -> dict[str, dict[str, Any]]:
    asked = analysis(*found, **more)
    return {w.code: dict(w.numbers) for w in iter_row_warnings(asked, analyze_sensitivity(asked))}


def test_nothing_is_raised_of_many_lists_that_were_judged_and_differ() -> None:
    assert raised(lists(SOME), lists(OTHER)) == {}


def test_w131_under_25_queries() -> None:
    assert raised(lists(SOME[:24]), lists(OTHER[:24]))["W131"] == {"queries": 24, "few": 25}
    assert "W131" not in raised(lists(SOME[:25]), lists(OTHER[:25]))


def test_w132_where_under_30_differ() -> None:
    found = raised(lists(SOME), lists([*OTHER[:29], *SOME[29:]]))
    assert found["W132"] == {"differing": 29, "of": 80}
    assert "W132" not in raised(lists(SOME), lists([*OTHER[:30], *SOME[30:]]))


def test_no_w132_where_most_queries_differ() -> None:
    assert "W132" not in raised(lists(SOME[:30]), lists([*OTHER[:29], SOME[29]]))
    assert "W132" in raised(lists(SOME[:60]), lists([*OTHER[:29], *SOME[29:60]]))


def test_a_difference_without_variance_has_one_verdict_everywhere() -> None:
    """So that no warning speaks of another verdict than the comparison has."""
    varied = (Alternative("k", "2", {"k": 2}),)
    asked = analysis(lists([2] * 12), lists([1] * 12), alternatives=varied)
    (compared,) = (c for c in iter_comparisons(asked) if c.candidate == "b")
    declared, *others = compute_alternatives(asked)
    assert (compared.low, compared.word, declared.word) == (None, "better", "better")
    assert others and {c.word for c in others if c.difference} == {"better"}


def test_w132_of_under_30_queries_where_fewer_than_ten_differ() -> None:
    few, other = SOME[:25], OTHER[:25]
    assert raised(lists(few), lists([*other[:9], *few[9:]]))["W132"]["differing"] == 9
    assert "W132" not in raised(lists(few), lists([*other[:10], *few[10:]]))
    assert "W132" not in raised(lists(few[:24]), lists(few[:24]))  # W131 says it


def test_w132_where_under_a_tenth_differs() -> None:
    many = SOME * 5
    assert "W132" in raised(lists(many), lists([*OTHER[:39], *many[39:]]))
    assert "W132" not in raised(lists(many), lists([*OTHER[:40], *many[40:]]))


def test_w133_where_under_nine_of_ten_of_the_first_are_judged() -> None:
    found = raised(lists(SOME, judged=8), lists(OTHER))
    assert found["W133"]["share"] == pytest.approx(0.8) and found["W133"]["k"] == 10
    assert "W133" not in raised(lists(SOME, judged=9), lists(OTHER, judged=9))


def test_w133_where_two_models_are_over_five_points_apart() -> None:
    found = raised(lists(SOME, judged=9), lists(OTHER))
    assert found["W133"]["most_share"] == 1.0 and found["W133"]["other"] == "b"


def test_w134_where_lists_end_before_the_rank_that_is_looked_at_and_lack_judged_ones() -> None:
    uses = (PlannedMetric("RR@20", METRICS["rr"].use(k=20), None, True),)
    found = raised(lists(SOME, lost=10), lists(OTHER, lost=10), metrics=uses)
    assert found["W134"] == {"share": 1.0, "k": 20, "deepest": 10}
    whole = raised(lists(SOME), lists(OTHER), metrics=uses)  # a list of all candidates is not cut
    assert "W134" not in whole and "W133" not in whole


def test_w132_says_nothing_of_how_much_was_judged() -> None:
    uses = (
        PlannedMetric("rr", METRICS["rr"].use(), None, True),
        PlannedMetric("Judged@10", METRICS["judged_at"].use(), None, False),
    )
    assert "W132" not in raised(lists(SOME), lists(OTHER), metrics=uses)


def test_w135_where_ties_move_the_value_by_half_an_error() -> None:
    found = raised(lists(SOME, tied=5), lists(OTHER))
    assert found["W135"]["spread"] > found["W135"]["error"] / 2
    assert "W135" not in raised(lists(SOME), lists(OTHER))


def test_w135_names_the_model_whose_ties_move_its_value() -> None:
    # Five documents share the first place, the relevant one among them: its reciprocal rank is 1 at
    # best and 1/5 at worst. Without ties, no order changes anything.
    tied, distinct = lists([1] * 80, tied=5), lists(OTHER)
    of_baseline, of_candidate = raised(tied, distinct)["W135"], raised(distinct, tied)["W135"]
    assert of_baseline["spread"] == of_candidate["spread"] == pytest.approx(1 - 1 / 5)
    assert of_baseline["other"] == "a" and "other" not in of_candidate
    said = format_warning("W135", of_baseline)
    assert said.startswith("The best and the worst order of tied documents of a differ by 0.80")


def test_w136_where_one_query_holds_the_variance_or_the_weight() -> None:
    base, alike = [1] * 40, [1] * 39 + [10]
    assert raised(lists(base), lists(alike))["W136"]["share"] > 0.25
    weight = np.r_[np.ones(79), 20.0]
    found = raised(lists(SOME), lists(OTHER), weight=weight)
    assert found["W136"]["largest_share"] == pytest.approx(20 / 99)


def test_w137_where_relevant_documents_stand_last() -> None:
    checks = (METRICS["query_auc"].use(),)
    upside = _all_judged([10, 9] * 20)
    found = raised(_all_judged([1, 2] * 20), upside, order_checks=checks)
    assert found["W137"]["most_auc"] < 0.5
    assert "W137" not in raised(
        _all_judged([1, 2] * 20), _all_judged([2, 1] * 20), order_checks=checks
    )


def test_w138_where_few_gain_much_and_most_lose_little() -> None:
    # Ahead on 25 of 80 by 9/10, behind on 55 by 1/6: the mean is above zero.
    a = [10] * 25 + [2] * 55
    b = [1] * 25 + [3] * 55
    found = raised(lists(a), lists(b))
    assert (found["W138"]["ahead"], found["W138"]["behind"]) == (25, 55)
    assert "W138" not in raised(lists(SOME), lists(OTHER))


def test_w139_where_a_convention_has_another_verdict() -> None:
    # What b finds stands third: within the first five, and not within two.
    a, b = [5] * 40 + [2] * 40, [3] * 40 + [2] * 40
    asked = (Alternative("k", "2", {"k": 2}), Alternative("k", "20", {"k": 20}))
    found = raised(lists(a), lists(b), alternatives=asked)
    assert found["W139"]["choice"] == "k: 2" and found["W139"]["choices"] == 1


def test_choices_of_a_pair_begin_as_declared_and_are_made_alike() -> None:
    ends = ({"ties": "optimistic"}, {"ties": "pessimistic"})
    asked = (Alternative("ties", "best", *ends), Alternative("ties", "worst", *ends[::-1]))
    found = compute_alternatives(
        analysis(lists(SOME, tied=3), lists(OTHER, tied=3), alternatives=asked)
    )
    assert [c.choice for c in found] == ["as declared", "ties", "ties"]
    declared, best, worst = (c.difference for c in found)
    assert worst < declared < best


def test_between_two_runs_that_are_the_same_neither_ties_nor_a_convention_decide() -> None:
    ends = ({"ties": "optimistic"}, {"ties": "pessimistic"})
    asked = (Alternative("ties", "best", *ends), Alternative("k", "2", {"k": 2}))
    one, same = lists(SOME, tied=3), lists(SOME, tied=3)
    found = compute_alternatives(analysis(one, same, alternatives=asked))
    assert [(c.choice, c.word) for c in found] == [
        ("as declared", "equivalent"),
        ("k", "equivalent"),
    ]
    assert not {"W135", "W139"} & raised(one, same, alternatives=asked).keys()


def test_without_the_unjudged_ranks_close_up() -> None:
    asked = (Alternative("unjudged", "drop", rows=_only_judged),)
    found = compute_alternatives(
        analysis(lists([5] * 30, judged=3), lists([1] * 30), alternatives=asked)
    )
    assert found[1].difference == pytest.approx(1 - 1 / 4)  # ranks 1 to 3 judged, then the fifth
    assert found[0].difference == pytest.approx(1 - 1 / 5)


def _only_judged(rows: Any) -> Any:
    return Queries(rows.lists.only_judged(), rows.scale, rows.outcome)


def _all_judged(ranks: list[int]) -> Any:
    from reportgen.kernels.ranked_lists import Judgements

    found = lists(ranks)
    start = np.arange(0, 10 * len(ranks) + 1, 10)
    return replace(found, judgements=Judgements.from_grades(start, found.grade))


def test_choices_are_adjusted_as_the_comparisons_are() -> None:
    """As declared each line is the primary comparison itself, and so is its verdict."""
    found = analysis(
        lists(SOME),
        lists(OTHER),
        lists(SOME[::-1]),
        alternatives=(Alternative("k", "5", {"k": 5}),),
    )
    declared = [c for c in compute_alternatives(found) if c.choice == "as declared"]
    for own, known in zip(declared, iter_comparisons(found), strict=True):
        assert (own.candidate, own.difference) == (known.candidate, known.difference)
        assert (own.low, own.high) == (known.low, known.high)
        assert own.word == known.word and own.family_size == known.family_size == 2
    assert {
        c.family_size
        for c in compute_alternatives(
            analysis(lists(SOME), lists(OTHER), alternatives=(Alternative("k", "5", {"k": 5}),))
        )
    } == {1}


def test_w133_is_of_the_model_of_which_least_was_judged_first() -> None:
    pools = analyze_sensitivity(analysis(lists(SOME, judged=8), lists(OTHER, judged=4))).pools
    assert [w.model for w in iter_raised(*iter_pool_subjects(pools))] == ["b", "a"]


@pytest.mark.parametrize(
    ("verdicts", "told"),
    [
        (("worse", "cannot tell", "better"), "two: better"),
        (("better", "clearly worse", "not worse"), "one: clearly worse"),
        (("cannot tell", "better", "worse"), "one: better"),
    ],
)
def test_w139_tells_the_convention_that_is_farthest_away(
    verdicts: tuple[str, ...], told: str
) -> None:
    made = [
        AlternativeChoice(
            "web",
            "rr",
            "b",
            "a",
            name,
            value,
            0.1,
            0.0,
            0.2,
            0.95,
            80,
            verdict,
            name != "as declared",
            None,
            "none",
            "convention" if value else "declared",
        )
        for name, value, verdict in zip(
            ("as declared", "one", "two"), ("", "x", "y"), verdicts, strict=True
        )
    ]
    found = find_deciding_convention(made)
    assert found is not None
    choice, verdict = told.split(": ")
    assert str(found.numbers["choice"]).startswith(choice)
    assert str(found.numbers["verdict"]).startswith(verdict)


def test_w139_counts_the_analyses_that_page_one_counts() -> None:
    """Of four, one interval, one convention and one without some rows differ: three."""
    declared = AlternativeChoice(
        *("web", "rr", "b", "a", "as declared", "", 0.1, 0.02, 0.18, 0.95, 80, "better", False),
        kind="declared",
    )
    other = replace(declared, word="cannot tell", is_other=True)
    made = [
        declared,
        replace(other, choice="interval", value="bca", kind="interval"),
        replace(other, choice="k", value="5", kind="convention"),
        replace(declared, choice="k", value="20", kind="convention"),
        replace(other, choice="without", value="intent=nav", kind="rows"),
    ]
    found = find_deciding_convention(made)
    assert found is not None and found.numbers["choices"] == 3
    assert say_agreement(made, wallet().datasets[0], {}).startswith("3 of 4 re-analyses disagree.")
    assert format_warning("W139", found.numbers).endswith(" 3 re-analyses disagree.")

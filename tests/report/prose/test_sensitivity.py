"""What rows do to the answer, word for word, and never more than was found."""

from dataclasses import replace

import pytest

from reportgen.report.prose.sensitivity import (
    describe_deciding_removal,
    list_most_moved,
    list_worst_cases,
    select_telling_removals,
)
from reportgen.results.core import MetricInfo
from reportgen.results.sensitivity import Deletion, Influence
from tests.report.wording.test_verdicts import KENDALL, MAE, found

LABELS = {"a": "CLV", "b": "Boosting"}


def removed(rows, verdict, *, side="a", changes=False, turns=False, lost=False, left=0.1):
    is_changed = None if verdict is None else changes
    return Deletion(
        "b", "a", rows, side, left, None, None, verdict, "better", is_changed, None, turns, lost
    )


REMOVALS = {
    "nothing found": (
        [removed(1, "better"), removed(236, "better")],
        "Boosting: in the search, removing up to 236 rows never changed the verdict “better”.",
    ),
    "one row": (
        [removed(1, "cannot tell", changes=True), removed(5, "worse", changes=True, turns=True)],
        "Boosting: without 1 row, the verdict “better” becomes “cannot tell”. Without 5 rows, "
        "the difference would favour CLV.",
    ),
    "both at once": (
        [removed(1, "better"), removed(5, "worse", changes=True, turns=True)],
        "Boosting: without 5 rows, the verdict “better” becomes “worse”. The difference would "
        "then favour CLV.",
    ),
    "two ways": (
        [
            removed(1, "cannot tell", changes=True),
            removed(1, "clearly better", side="b", changes=True),
        ],
        "Boosting: without 1 row, the verdict “better” becomes “cannot tell” or “clearly better”, "
        "depending on which are removed.",
    ),
    "the difference alone is turned": (
        [removed(1, "better"), removed(5, "better", turns=True)],
        "Boosting: in the search, removing up to 5 rows never changed the verdict “better”. "
        "But without 5 rows, the difference would favour CLV.",
    ),
    "turned to either side": (
        [removed(1, "better", turns=True), removed(1, "better", side="b", turns=True)],
        "Boosting: in the search, removing a single row never changed the verdict "
        "“better”. But without 1 row, the difference would favour CLV or Boosting, "
        "depending on which are removed.",
    ),
    "another set of the same size": (
        [removed(5, "cannot tell", side="b", changes=True), removed(5, "better", turns=True)],
        "Boosting: without 5 rows, the verdict “better” becomes “cannot tell”. Without 5 rows, "
        "the difference would favour CLV.",
    ),
    "none left": (
        [removed(1, "better"), removed(5, "cannot tell", changes=True, lost=True, left=0.0)],
        "Boosting: without 5 rows, the verdict “better” becomes “cannot tell”. The "
        "difference would then be zero.",
    ),
    "none left, and the same verdict": (
        [removed(1, "better", lost=True, left=0.0)],
        "Boosting: in the search, removing a single row never changed the verdict "
        "“better”. But without 1 row, the difference would be zero.",
    ),
    "undefined": (
        [removed(1, "better"), removed(5, "no result", changes=True, lost=True, left=None)],
        "Boosting: without 5 rows, the verdict “better” becomes “no result”.",
    ),
    "undefined after another": (
        [
            removed(1, "cannot tell", changes=True),
            removed(5, "no result", changes=True, lost=True, left=None),
        ],
        "Boosting: without 1 row, the verdict “better” becomes “cannot tell”. Without 5 rows, "
        "the difference would be undefined.",
    ),
    "difference alone, none left": (
        [removed(1, None), removed(5, None, lost=True, left=0.0)],
        "Boosting: without 5 rows, the difference would be zero. The verdict "
        "without them was not computed.",
    ),
    "difference alone, undefined": (
        [removed(1, None), removed(5, None, lost=True, left=None)],
        "Boosting: without 5 rows, the difference would be undefined. The verdict "
        "without them was not computed.",
    ),
    "difference alone, turned": (
        [removed(1, None), removed(10_000, None, turns=True)],
        "Boosting: without 10,000 rows, the difference would favour CLV. The "
        "verdict without them was not computed.",
    ),
    "difference alone, not turned": (
        [removed(1, None), removed(10_000, None)],
        "Boosting: in the search, removing up to 10,000 rows never reversed the difference. "
        "The verdict without them was not computed.",
    ),
}


def info(label, withstands):
    return MetricInfo(
        label, label, {}, label, "lower", "", (0, None), "", "", "", withstands=withstands
    )


def test_what_wrong_rows_can_do_is_said_by_kind():
    kinds = {
        "MAE": "nothing",
        "RMSE": "nothing",
        "Kendall": "pairs",
        "Spearman": "ranks",
        "Median error": "half",
        "Odd": "",
    }
    metrics = [info(label, kind) for label, kind in kinds.items()]
    loose, pairs, ranks, half = list_worst_cases(metrics, 400)
    assert loose == (
        "A single row with a wrong target can change these metrics without limit: MAE and RMSE."
    )
    assert "is part of 0.50% of the pairs. It changes Kendall" in pairs
    assert "changes Spearman by at most about 0.75% of the range" in ranks
    assert half.startswith(
        "As long as fewer than half of the rows (200) have wrong values, median error stays within"
    )


@pytest.mark.parametrize("fewer", [{"is_weighted": True}, {"is_tied": True}])
def test_no_share_of_the_pairs_is_named_where_they_do_not_all_count_alike(fewer):
    metrics = [info("Kendall", "pairs"), info("Spearman", "ranks")]
    said = list_worst_cases(metrics, 400, **fewer)
    assert [sentence for sentence in said if "%" in sentence] == []
    assert all(" is limited to " in sentence for sentence in said)


def test_a_row_of_a_mean_of_bounded_losses_moves_it_by_its_share_of_the_weight():
    assert list_worst_cases([info("Coverage", "rows")], 400, is_weighted=True) == [
        "One row with wrong values changes coverage by at most that row's share of the "
        "total weight."
    ]
    assert "0.25%" in list_worst_cases([info("Coverage", "rows")], 400, is_tied=True)[0]


@pytest.mark.parametrize(("rows", "said"), REMOVALS.values(), ids=REMOVALS)
def test_a_removal_says_what_was_found(rows, said):
    assert describe_deciding_removal(rows, "b", "a", LABELS) == said


def test_a_pair_without_removals_is_undefined_with_the_reason():
    said = describe_deciding_removal([removed(1, "better")], "a", "b", LABELS)
    assert said.endswith(
        ": no rows were removed. Either there is no difference, or there are too few rows, or "
        "removing any of them changes nothing."
    )


def test_of_removals_that_come_to_the_same_one_is_shown():
    rows = [
        removed(1, "better"),
        removed(5, "better"),
        removed(236, "worse", changes=True, turns=True),
        removed(1, "clearly better", side="b", changes=True),
        removed(5, "clearly better", side="b", changes=True),
    ]
    assert select_telling_removals(rows) == rows[1:4]
    assert select_telling_removals(rows[:2]) == rows[1:2]
    level = removed(5, "better", lost=True, left=0.0)
    assert select_telling_removals([rows[0], level]) == [rows[0], level]


def pair(info, favours, word="cannot tell"):
    return replace(info, needs="order" if info is KENDALL else "amount"), found(
        info, 0.1, -0.1, 0.3, word, favours=favours
    )


RANKS, ERRORS = pair(KENDALL, "b"), pair(MAE, "a")


def test_the_measure_of_each_kind_that_a_row_moves_most_is_named():
    kinds = {"kendall": KENDALL, "mae": replace(MAE, needs="amount")}
    rows = [
        Influence("test", "kendall", "a", None, None, -0.002, "every row"),
        Influence("test", "kendall", "b", None, None, 0.001, "every row"),
        Influence("test", "mae", "b", None, None, -0.04, "every row"),
    ]
    assert list_most_moved(rows, kinds, LABELS) == [
        "Of the error metrics, mean absolute error of Boosting depends most on a single row. "
        "Leaving that row out changes it by 4.0%.",
        "Of the ranking metrics, Kendall τ-b of CLV depends most on a single row. Leaving that row "
        "out changes it by 0.20%.",
    ]
    assert list_most_moved([replace(rows[0], change=None)], kinds, LABELS) == []
    accuracies = {"mae": replace(kinds["mae"], label="Share", better="higher")}
    assert list_most_moved(rows[2:], accuracies, LABELS) == [
        "Of the metrics, share of Boosting depends most on a single row. Leaving that row out "
        "changes it by 4.0%."
    ]

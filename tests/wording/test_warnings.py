"""Every code says its found with and without numbers, and explains itself."""

import pytest

from reportgen import wording
from reportgen.wording.codes import WarningText
from reportgen.wording.plainly import CONSEQUENCES

NB = "\u00a0"
CODES = {
    f"W{number}"
    for number in (
        *range(101, 119),
        121,
        124,
        129,
        *range(130, 141),
        *range(201, 206),
        *range(231, 237),
    )
}


def test_a_heavy_tail_of_clusters_speaks_of_clusters():
    said = wording.warning("W103", {"top_share": 0.7, "n": 40, "counted": "cluster"})
    assert said.startswith("The clusters that count most, 5 % of them, hold")
    brief = wording.briefly("W103", {"top_share": 0.7, "counted": "cluster"})
    assert brief.startswith("5 % of the clusters hold")


def test_every_promised_code_has_its_texts():
    assert set(wording.WARNINGS) == CODES


@pytest.mark.parametrize("code", sorted(CODES))
def test_a_code_has_meaning_weight_and_remedy(code):
    found = wording.WARNINGS[code]
    assert isinstance(found, WarningText)
    for text in (found.meaning, found.matters, found.remedy):
        assert text[0].isupper() and text.endswith(".")
    explained = wording.explain(code)
    assert explained.startswith(code)
    assert all(text in explained for text in (found.meaning, found.matters, found.remedy))


@pytest.mark.parametrize("code", sorted(CODES))
def test_a_code_without_numbers_is_still_a_sentence(code):
    said = wording.warning(code, {})
    assert said[0].isupper() and said.endswith(".") and "{" not in said


SAID = {
    "W101": ({"count": 9, "positives": 9}, "One class has only 9 of the rows; positives: 9."),
    "W102": (
        {"share_pairs": 0.49, "what": "y", "mode": 9.110581, "mode_share": 0.7},
        f"49{NB}% of the pairs are tied in y; 70{NB}% of the rows have the value 9.11.",
    ),
    "W114": (
        {"replicates": 999, "needed": 3999, "comparisons": 100, "family": "segments"},
        "999 resamples cannot reach the level that 100 comparisons together ask for; at least "
        "3,999 could (family: segments).",
    ),
    "W103": (
        {"top_share": 0.7, "tail_index_bound": 1.8, "n": 23_570},
        f"The rows that count most, 5 % of them, hold 70{NB}% of what makes it vary; "
        "tail index at most 1.8 (n = 23,570).",
    ),
    "W104": (
        {"z0": -0.31, "acceleration": 0.02},
        "The corrections of the BCa interval are large: bias −0.31, acceleration 0.02.",
    ),
    "W106": (
        {"clusters": 12, "largest_share": 0.4},
        f"The rows fall into 12 clusters, the largest with 40{NB}% of the weight.",
    ),
    "W108": (
        {"bound": 1.0, "exact_low": 0.97},
        "The estimate lies at the end of its range, 1; an exact bound is 0.97 from below.",
    ),
    "W111": (
        {"autocorrelation": 0.412},
        "Neighbouring rows have similar losses (correlation 0.412), and no time is declared.",
    ),
    "W112": (
        {"share": 0.13},
        f"Chance in the resampling moves the bounds by 13{NB}% of the interval's width.",
    ),
    "W130": (
        {"effective": 7.26, "units": 1000, "largest_share": 0.31, "counted": "cluster"},
        f"By their weights the 1,000 clusters count for 7.3; the largest holds 31{NB}% of the "
        "weight.",
    ),
    "W131": ({"queries": 12, "few": 25}, "There are only 12 queries, where 25 are wanted."),
    "W132": (
        {"differing": 9, "of": 300},
        "The two models differ on only 9 of 300 queries.",
    ),
    "W133": (
        {"share": 0.16, "k": 10, "other": "dense", "most_share": 0.4},
        f"16{NB}% of its first 10 documents were judged; of dense 40{NB}%.",
    ),
    "W134": (
        {"share": 0.25, "k": 10, "deepest": 50},
        f"25{NB}% of its lists have fewer than 10 documents; the longest has 50.",
    ),
    "W135": (
        {"spread": 0.157, "error": 0.0103, "is_turned": False},
        "The best and the worst order of tied documents are 0.157 apart, where the standard error "
        "of the difference is 0.0103.",
    ),
    "W136": (
        {"share": 0.31, "largest_share": 0.0},
        f"One query holds 31{NB}% of what makes the difference vary.",
    ),
    "W137": (
        {"auc": 0.31, "bound": 0.36},
        f"Relevant documents stand above others in 31{NB}% of the pairs only, at most 0.36.",
    ),
    "W138": (
        {"ahead": 20, "behind": 60, "p": 0.0004},
        "It is ahead on 20 queries and behind on 60 (p = < 0.001), while the mean difference "
        "points the other way.",
    ),
    "W139": (
        {"choice": "k: 5", "verdict": "inconclusive", "declared": "worse", "choices": 2},
        "With k: 5 the verdict would be “inconclusive”, not “worse”; conventions with another "
        "verdict: 2.",
    ),
    "W140": (
        {"payers": 5, "units": 100, "few": 30, "counted": "row"},
        "5 rows of 100 pay the larger cost of this loss, fewer than 30.",
    ),
    "W203": (
        {"rows": 7, "fewest": 30},
        "This segment has few rows or none, 7 where 30 are wanted.",
    ),
    "W204": (
        {"column": "spend", "missing": 4, "removed": 3, "unused": 0},
        "Values of spend are missing, and 3 rows were left out for it; 4 rows lack it.",
    ),
}


@pytest.mark.parametrize("code", SAID)
def test_numbers_are_told(code):
    numbers, said = SAID[code]
    assert wording.warning(code, numbers) == said


def test_an_unknown_code_does_not_stop_the_report():
    assert wording.warning("W999", {"a": 1}) == "W999: a 1."


def test_braces_in_a_reason_are_only_text():
    assert "{x}" in wording.warning("W204", {"rows": 1, "reason": "#{x} $x_1$"})


def test_one_cluster_is_one():
    assert wording.warning("W106", {"clusters": 1}) == "The rows fall into 1 cluster."


BRIEF = {
    "ties": (
        "W102",
        {"share_pairs": 0.49, "what": "y", "mode": 9.110581, "mode_share": 0.7},
        f"49{NB}% of the pairs of rows are equal in y; 70{NB}% of the rows have the value 9.11.",
    ),
    "a tail": (
        "W103",
        {"top_share": 0.7, "tail_index_bound": 1.8, "n": 23_570},
        f"5 % of the rows hold 70{NB}% of what makes it vary.",
    ),
    "a tail of few rows": (
        "W103",
        {"top_share": 0.2, "n": 10, "too_few": 50},
        "10 rows (fewer than 50) cannot show how much single rows may weigh.",
    ),
    "another": ("W106", {"clusters": 1}, "The rows fall into 1 cluster."),
}


@pytest.mark.parametrize("what", BRIEF)
def test_page_one_has_a_plain_line(what):
    code, numbers, said = BRIEF[what]
    assert wording.briefly(code, numbers) == said


def test_every_consequence_is_of_something_that_exists():
    assert set(CONSEQUENCES) <= CODES

"""Every code says its found with and without numbers, and explains itself."""

from itertools import combinations

import pytest
from jinja2 import meta

from reportgen.report.prose import load_catalogue
from reportgen.report.prose.warnings import (
    describe_code,
    describe_warning_plainly,
    explain_code,
    format_warning,
    list_codes,
)


def list_numbers(code):
    """List the numbers that the sentence of a code names."""
    catalogue = load_catalogue()
    (wording,) = catalogue.messages[f"warning.{code}.text"].wordings
    found = meta.find_undeclared_variables(catalogue.environment.parse(wording))
    return sorted(found - {"case", "cases", "limit"})


# Released: a code is never dropped, nor given another meaning. New ones need not stand here.
RELEASED = {
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
    said = format_warning("W103", {"top_share": 0.7, "n": 40, "counted": "cluster"})
    assert said.startswith("The most extreme 5% of the clusters carry 70%")
    brief = describe_warning_plainly("W103", {"top_share": 0.7, "counted": "cluster"})
    assert brief.startswith("The most extreme 5% of the clusters carry")


def test_every_promised_code_has_its_texts():
    assert set(list_codes()) >= RELEASED


@pytest.mark.guard
@pytest.mark.parametrize("code", list_codes())
def test_a_code_has_meaning_weight_and_remedy(code):
    parts = [describe_code(code, part) for part in ("meaning", "matters", "remedy")]
    assert all(text[0].isupper() and text.endswith(".") for text in parts)
    explained = explain_code(code)
    assert explained.startswith(f"{code}, {describe_code(code, 'title')}.")
    assert all(text in explained for text in parts)


@pytest.mark.parametrize("code", list_codes())
def test_a_code_without_numbers_is_still_a_sentence(code):
    said = format_warning(code, {})
    assert said[0].isupper() and said.endswith(".") and "{" not in said


@pytest.mark.parametrize("code", list_codes())
def test_a_number_that_a_sentence_names_is_printed(code):
    """Each number of the message changes what it says, beside two others at most."""
    names = [name for name in list_numbers(code) if name != "counted"]
    for name in names:
        others = [other for other in names if other != name]
        beside = [dict.fromkeys(some, 0.25) for k in range(3) for some in combinations(others, k)]
        said = [(format_warning(code, x), format_warning(code, {**x, name: 0.25})) for x in beside]
        assert any(less != more for less, more in said), name


def test_an_unknown_code_does_not_stop_the_report():
    assert format_warning("W999", {"a": 1}) == "W999: a 1."


def test_braces_in_a_reason_are_only_text():
    assert "{x}" in format_warning("W204", {"rows": 1, "reason": "#{x} $x_1$"})


def test_one_cluster_is_one():
    assert format_warning("W106", {"clusters": 1}) == "The rows fall into 1 cluster."


BRIEF = {
    "ties": (
        "W102",
        {"share_pairs": 0.49, "what": "y", "mode": 9.110581, "mode_share": 0.7},
        "49% of the pairs of rows have the same y, and 70% of the rows have the value 9.11.",
    ),
    "ties in a sample": (
        "W102",
        {"share_pairs": 0.49, "what": "y", "sampled": 131_072},
        "49% of the pairs of rows have the same y (in a sample of 131,072 rows).",
    ),
    "a tail": (
        "W103",
        {"top_share": 0.7, "tail_index_bound": 1.8, "n": 23_570},
        "The most extreme 5% of the rows carry 70% of the variation.",
    ),
    "a tail of few rows": (
        "W103",
        {"top_share": 0.2, "n": 10, "too_few": 50},
        "10 rows are too few (fewer than 50) to tell how heavy the tail is.",
    ),
    "another": ("W106", {"clusters": 1}, "The rows fall into 1 cluster."),
}


@pytest.mark.parametrize("what", BRIEF)
def test_page_one_has_a_plain_line(what):
    code, numbers, said = BRIEF[what]
    assert describe_warning_plainly(code, numbers) == said


def test_a_number_of_rows_is_told_whatever_rows_are_called():
    numbers = {"rows": 17, "of": 400, "sum": 0.93}
    assert format_warning("W206", numbers, ("image", "images")).startswith(
        "The probabilities of 17 images did not sum to 1"
    )
    few = format_warning("W126", {"datasets": 5}, ("dataset", "datasets"))
    assert few == "The data are too few for reliable intervals. There are 5 datasets."


def test_a_sum_that_is_nearly_one_is_not_said_to_be_one():
    said = format_warning("W206", {"rows": 533, "of": 1_600, "sum": 1.0001})
    assert said.endswith("the sum farthest from 1 is 1.00010.")


def test_a_model_with_one_score_alone_has_no_different_scores():
    assert format_warning("W118", {"distinct": 1}) == "The model gives every row the same score."

"""Points to check."""

import re
from dataclasses import replace

import pytest

from reportgen.report.document import Bullets, iter_unfolded
from reportgen.report.prose.warnings import describe_consequence
from reportgen.report.sections import points_to_check
from reportgen.report.sections.index import Index
from reportgen.results.core import Warning
from tests.report.sections import results_factory as made


def plain(phrase):
    return "".join(span.text for span in phrase).replace("\u00a0", " ")


def look_at(results):
    blocks = iter_unfolded(points_to_check.build_points_to_check(Index(results)))
    return [plain(item) for block in blocks if isinstance(block, Bullets) for item in block.items]


def test_a_flip_in_a_segment_is_pointed_out():
    assert look_at(made.wallet())[0] == (
        "The result reverses in one segment. On all rows together, Gradient boosting is better. "
        "But for buyer: repeat, CLV is better than Gradient boosting on Kendall τ-b by 0.017 "
        "(0.011 to 0.023; 9,616 rows). Segments"
    )


def test_a_thousand_warnings_are_one_line_a_code():
    results = made.crowd()
    assert len(results.warnings) == 400
    lines = [line for line in look_at(results) if line.startswith("Heavy tail")]
    [line] = lines
    named = 2 * 2  # of each of two texts, and the rest of its places as a number
    others = [int(n) for n in re.findall(r"(\d+) other", line)]
    assert len(others) == 3 and named + sum(others) == 400


def test_what_several_measures_and_models_share_is_told_once():
    few = {"count": 17, "class": "1", "positives": 17, "negatives": 19_983}
    results = made.wallet()
    (first, second), name = results.metrics[:2], results.datasets[0].name
    raised = [Warning("W101", "", few, name, None, first.key)] * 3
    raised += [Warning("W101", "", {**few, "at": "list"}, name, None, second.key)] * 3
    told = [x for x in look_at(replace(results, warnings=tuple(raised))) if "Few rows" in x]
    assert len(told) == 1 and told[0].startswith(
        f"Few rows of a class. {first.label} and {second.label}: only 17 of the rows are “1”. "
        "The negatives number 19,983. These few rows limit"
    )


def test_no_set_of_few_rows_is_a_point_to_check():
    """Of equal models it changes the verdict in up to 66% of samples."""
    assert made.wallet().sensitivity.deletions[0].sets[1].is_changed
    assert not any("Without" in line or "Sensitive" in line for line in look_at(made.wallet()))


@pytest.mark.parametrize("code", ["W105", "W106", "W130"])
def test_what_a_warning_means_holds_where_nothing_has_an_interval(code):
    assert "nterval" not in describe_consequence(code)


def test_a_doubt_says_whose_number_it_is_and_what_it_means():
    line = next(line for line in look_at(made.wallet()) if line.startswith("Heavy tail"))
    assert line.startswith("Heavy tail. Root mean squared error of Gradient boosting: the most")
    assert line.endswith("Intervals may be too narrow. W103")


def test_a_worded_warning_keeps_its_words():
    worded = Warning("W110", "The config says so.", {})
    assert look_at(replace(made.alone(), warnings=(worded,)))[-1] == (
        "Test set used to choose the model. The config says so. The chosen model looks better on "
        "these rows than it will on new ones. W110"
    )


def test_a_calm_report_says_that_it_is_calm():
    (block,) = points_to_check.build_points_to_check(Index(replace(made.alone(), warnings=())))
    assert plain(block.phrase) == "There is no warning."
    calm = replace(made.crowd(models=2, metrics=1, segments=0), warnings=())
    (block,) = points_to_check.build_points_to_check(Index(calm))
    assert plain(block.phrase) == "No issues found: there is no warning."


def test_five_points_are_open_and_the_others_folded():
    results = made.wallet()
    codes = ("W101", "W102", "W103", "W105", "W110", "W111")
    raised = tuple(Warning(code, f"Text of {code}.", {}) for code in codes)
    blocks = points_to_check.build_points_to_check(Index(replace(results, warnings=raised)))
    assert len(blocks[0].items) == points_to_check.MOST_POINTS == 5
    assert (blocks[1].title, blocks[1].is_of_full) == ("2 more", True)

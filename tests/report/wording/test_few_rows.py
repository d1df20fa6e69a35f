"""What the first page says of verdicts that hang on very few rows."""

from reportgen.report.wording.cautions import describe_fragility
from reportgen.results.sensitivity import Deletion

LABELS = {"new": "New model", "old": "Old model"}


def removal(rows, verdict, changes, turns=False, towards="old"):
    return Deletion(
        "new",
        "old",
        rows,
        towards,
        None,
        None,
        None,
        verdict,
        "clearly better",
        changes,
        None,
        turns,
        False,
    )


def said(*removals):
    return describe_fragility(removals, "new", LABELS)


def test_the_fewest_rows_that_change_the_verdict_are_told():
    found = (removal(1, "better", False), removal(3, "not worse", True), removal(5, "worse", True))
    assert said(*found) == "Without 3 rows the verdict would be “not worse”."


def test_two_choices_of_as_many_rows_are_both_told():
    found = (removal(1, "better", True, towards="new"), removal(1, "worse", True))
    assert said(*found) == (
        "Without 1 row the verdict would be “better” or, by another choice, “worse”, "
        "not “clearly better”."
    )


def test_a_verdict_that_takes_six_rows_does_not_hang_on_few():
    assert said(removal(1, "better", False), removal(6, "worse", True)) == ""
    assert describe_fragility([removal(1, "worse", True)], "other", LABELS) == ""


def test_without_verdicts_the_side_of_the_difference_is_told():
    assert said(removal(5, None, None, turns=True)) == (
        "Without 5 rows the difference would be in favour of Old model."
    )

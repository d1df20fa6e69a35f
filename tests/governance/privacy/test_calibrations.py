"""What probabilities say of a class beside what happened is its count, which may be hidden."""

from dataclasses import replace

from reportgen.governance.privacy import (
    suppress_calibrations,
    suppress_class_calibrations,
    suppress_warning_numbers,
)
from reportgen.results.classification import ClassCalibration, ModelCalibration
from reportgen.results.core import ClassInfo, Warning
from tests.report.sections.results_factory import holdout

INFO = replace(
    holdout([], ()),
    classes=(ClassInfo("a", "a", 90), ClassInfo("b", "b", 4), ClassInfo("c", "c", 0)),
)


def test_a_class_that_is_hidden_or_of_few_rows_has_no_share_told():
    every = [ClassCalibration(INFO.name, "m", label, 0.2, 0.3, False) for label in (None, *"abc")]
    kept = suppress_class_calibrations(every, [INFO], {INFO.name: {"c"}}, 5)
    assert [each.label for each in kept] == [None, "a"]


def test_of_two_classes_none_is_told_where_one_is_hidden():
    one = ModelCalibration(
        INFO.name,
        "m",
        9,
        0.1,
        0.1,
        0.2,
        1.0,
        0.9,
        1.1,
        0.95,
        said=0.2,
        happened=0.3,
        ratio_low=1.2,
        ratio_high=1.9,
        p_total=0.01,
    )
    (told,) = suppress_calibrations([one], {INFO.name: {"a"}})
    assert (told.said, told.happened, told.ratio_low, told.p_total) == (None,) * 4
    assert suppress_calibrations([one], {INFO.name: set()}) == (one,)


def test_rows_left_out_keep_their_classes_to_themselves():
    numbers = {
        "column": "x",
        "missing": 2,
        "removed": 2,
        "gone_positive": 1.0,
        "kept_positive": 0.2,
    }
    (told,) = suppress_warning_numbers([Warning("W204", "", numbers, INFO.name)], [INFO], [], {})
    assert "gone_positive" not in told.numbers and "positive" not in told.text

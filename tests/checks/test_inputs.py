"""Checks of the input: their rules, and that each has its words."""

import re

import pytest

from reportgen.checks.check import CHECKS
from reportgen.checks.inputs import (
    OfData,
    OfModel,
    find_constant,
    find_identical,
    find_one_class,
    find_too_few,
)
from reportgen.report import prose
from reportgen.report.prose.replacing import CHECK_PARTS
from reportgen.terms import INPUT_CHECKS

RAISED_ELSEWHERE = ("reference", "conflict", "heavy_tail")


@pytest.mark.guard
@pytest.mark.parametrize("name", [n for n, each in INPUT_CHECKS.items() if each.code in CHECKS])
def test_a_check_of_the_input_has_its_name_and_its_messages(name):
    check = INPUT_CHECKS[name]
    assert CHECKS[check.code].name == name
    parts = CHECK_PARTS[:1] if name in RAISED_ELSEWHERE else CHECK_PARTS
    messages = prose.load_catalogue().messages
    missing = [part for part in parts if f"check.{name}.{part}" not in messages]
    assert not missing, f"write check.{name}.{missing[0]} in templates/prose/checks.md"


def test_codes_follow_the_order_of_the_names():
    codes = [each.code for each in INPUT_CHECKS.values()]
    assert codes == [f"W{301 + place}" for place in range(len(codes))]


def test_a_check_of_the_input_is_of_the_data_or_of_a_model():
    subjects = {"data": OfData, "model": OfModel}
    for name, each in INPUT_CHECKS.items():
        if name not in RAISED_ELSEWHERE:
            assert issubclass(CHECKS[each.code].about, subjects[each.scope]), name


def test_a_target_with_one_value_has_one_class():
    assert find_one_class(True) is not None
    assert find_one_class(False) is None


@pytest.mark.parametrize(
    ("unit", "enough"), [("row", 20), ("cluster", 10), ("time", 10), ("fold", 3), ("dataset", 6)]
)
def test_units_are_too_few_below_the_limit_of_their_kind(unit, enough):
    assert find_too_few({unit: enough}, {}) is None
    found = find_too_few({"row": 1000, unit: enough - 1}, {})
    assert found.numbers == {"unit": unit, "count": enough - 1, "fewest": enough}


def test_fewer_than_8_rows_of_the_rarer_class_stop_ranking_and_decisions_alone():
    assert find_too_few({"row": 100}, {"no": 92, "yes": 8}) is None
    found = find_too_few({"row": 100}, {"no": 93, "yes": 7}).numbers
    assert (found["class"], found["count"], found["metrics"]) == ("yes", 7, "order decision")


def test_of_three_classes_none_has_to_have_8_rows():
    assert find_too_few({"row": 100}, {"a": 60, "b": 37, "c": 3}) is None


def test_one_score_on_20_rows_is_constant():
    assert find_constant(1, 20, False).numbers == {}
    assert find_constant(1, 19, False) is None
    assert find_constant(2, 20, False) is None
    assert find_constant(1, 20, True).numbers == {"predicted": True}


def test_a_model_is_identical_to_its_twin_if_it_has_10_scores():
    assert find_identical("old", 10).numbers == {"other": "old"}
    assert find_identical("old", 9) is None
    assert find_identical("", 10) is None


def test_yaml_in_a_fix_is_code():
    catalogue = prose.load_catalogue()
    for key, message in catalogue.messages.items():
        if re.fullmatch(r"check\.\w+\.fix", key):
            assert all("`" in wording for wording in message.wordings), key

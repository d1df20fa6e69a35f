"""Predicted classes that no row has, queries without a list, and units in several folds."""

import pytest

from reportgen.checks.inputs import NamedClasses, find_labels, find_split_units, find_unmatched

ROWS = {"Cat": 30, "Dog": 20, "Fox": 10}


def labels(predicted, rows=ROWS):
    found = find_labels(NamedClasses(rows, predicted))
    return found and found.numbers


@pytest.mark.parametrize(
    ("written", "name", "difference"),
    [
        ("cat", "Cat", "upper and lower case"),
        ("Cat ", "Cat", "blanks at the ends"),
        ("'Cat'", "Cat", ""),
        ("[Dog]", "Dog", ""),
    ],
)
def test_a_class_that_is_written_otherwise_is_found(written, name, difference):
    found = labels({"Fox": 40, written: 20})
    assert found == {
        "written": written,
        "class": name,
        "of": 60,
        "count": 20,
        "more": 0,
        "difference": difference,
    }


def test_a_class_that_no_row_has_is_an_honest_error_unless_nearly_all_are():
    assert labels({"Cat": 55, "Emu": 5}) is None
    assert labels({"Cat": 3, "Emu": 57})["of"] == 60
    assert labels({"Cat": 0, "Emu": 49}) is None, "too few rows"
    assert labels({"Emu": 60}, {"Cat": 60, "Dog": 0}) is None, "one class has another check"


def test_queries_without_a_list_count_from_half_of_them_on():
    assert find_unmatched(51, 100) is None
    assert find_unmatched(50, 100).numbers == {"lacking": 50, "queries": 100}
    assert find_unmatched(0, 100).numbers["lacking"] == 100


def test_units_in_several_folds_count_from_a_twentieth_on():
    assert find_split_units(0, 10, "patient") is None
    assert find_split_units(4, 100, "patient") is None
    found = find_split_units(5, 100, "patient").numbers
    assert found == {"crossing": 5, "units": 100, "share": 0.05, "what": "patient"}

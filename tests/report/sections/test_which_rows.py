"""Captions say which rows and which models they tell of where there are several."""

from dataclasses import replace

import pytest

from reportgen.report.sections import method
from reportgen.report.sections.costs.tables import build_ranges_table
from reportgen.report.sections.index import Index
from reportgen.results.costs import CostRange
from tests.report.sections import results_factory as made


def said_of_rows(results):
    """The lines on how it was judged."""
    lines = method.build_method_section(results).blocks[0]
    return " ".join(span.text for item in lines.items for span in item)


def test_what_was_compared_names_its_dataset_where_there_are_several():
    results = made.wallet()
    [first] = [d for d in results.datasets if d.role == "test"][:1]
    assert f"rows of {first.name}" not in said_of_rows(replace(results, datasets=(first,)))
    both = replace(results, datasets=(first, replace(first, name="later")))
    assert f"rows of {first.name}" in said_of_rows(both)


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([("boost", "clv")], "each candidate is cheaper or more expensive than the baseline"),
        (
            [("boost", "clv"), ("rfm", "boost")],
            "one model is cheaper or more expensive than the other",
        ),
    ],
)
def test_ranges_say_whom_they_hold_models_against(pairs, said):
    ranges = tuple(CostRange("none", *pair, "cheaper", 0.2, 0.8) for pair in pairs)
    found = replace(made.costs(), ranges=ranges)
    table = build_ranges_table(Index(made.wallet()), found, "ranges")
    assert said in table.caption

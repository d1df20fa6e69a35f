"""Captions say which rows and which models they tell of where there are several."""

from dataclasses import replace

import pytest

from reportgen.results import CostRange
from reportgen.sections.costs.tables import ranges_table
from reportgen.sections.index import Index
from reportgen.sections.scores import scores
from tests.sections import results_factory as made


def lede(results):
    return "".join(span.text for span in scores.section(results).lede)


def test_the_scores_name_their_dataset_where_there_are_several():
    results = made.wallet()
    [first] = [d for d in results.datasets if d.role == "test"][:1]
    assert f"rows of {first.name}" not in lede(replace(results, datasets=(first,)))
    both = replace(results, datasets=(first, replace(first, name="later")))
    assert f"rows of {first.name}" in lede(both)


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([("boost", "clv")], "each candidate is cheaper or dearer than the baseline"),
        ([("boost", "clv"), ("rfm", "boost")], "one model is cheaper or dearer than the other"),
    ],
)
def test_ranges_say_whom_they_hold_models_against(pairs, said):
    ranges = tuple(CostRange("none", *pair, "cheaper", 0.2, 0.8) for pair in pairs)
    found = replace(made.costs(), ranges=ranges)
    table = ranges_table(Index(made.wallet()), found, "ranges")
    assert said in table.caption

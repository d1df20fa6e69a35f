"""Scores: the table of every metric."""

from dataclasses import replace

import pytest

from reportgen.report.document import Table, iter_unfolded
from reportgen.report.layout import build_document
from reportgen.report.sections import across_datasets, method, scores
from reportgen.report.sections.cells import make_difference_cell, make_metric_cell
from reportgen.report.sections.index import Index
from reportgen.report.wording.numbers import NumberFormat
from reportgen.results.classification import OperatingPoint
from tests.report.sections import results_factory as made
from tests.worked import results_of

NB = "\u00a0"


def blocks(results, kind):
    return [
        block
        for block in iter_unfolded(scores.build_scores_section(results).blocks)
        if isinstance(block, kind)
    ]


def test_a_few_models_have_their_values_verdicts_and_differences_in_one_table():
    (table,) = blocks(made.wallet(), Table)
    titles = [column.title for column in table.columns]
    assert titles == ["Metric", "CLV", "Gradient boosting", "Gradient boosting is"]
    row = table.rows[3]
    assert [cell.text for cell in row] == ["Mean absolute error", "33.3", "38.6", "Worse"]
    assert [cell.note for cell in row] == [
        "dollars, lower is better",
        "32.3 to 34.5",
        "37.4 to 40.0",
        "+5.3 (+4.7 to +5.9)",
    ]


def test_values_of_many_models_bear_the_mark_of_their_verdict():
    found = results_of("wallet")
    tables = [t for t in blocks(found, Table) if t.id == "scores-table"]
    [table] = tables
    verdicts = {
        m.name: c.word for m in found.models if (c := Index(found).comparison(m.name, "kendall"))
    }
    assert verdicts["boosted"] == "clearly better"
    texts = {c.title: cell.text for c, cell in zip(table.columns, table.rows[0], strict=True)}
    assert texts["Gradient boosting"].startswith("▲▲ 0.") and texts["CLV"].startswith("0.")
    assert "▲▲ clearly better" in table.caption


def test_more_than_four_models_go_down_the_page():
    tables = [
        t
        for t in blocks(made.crowd(metrics=9, segments=0), Table)
        if t.id.startswith("scores-table")
    ]
    assert [len(table.columns) for table in tables] == [5, 5, 2]
    assert [len(table.rows) for table in tables] == [10, 10, 10]
    assert [table.is_folded for table in tables] == [False, True, True]


def test_a_second_dataset_has_its_own_table():
    results = made.wallet()
    other = replace(results.datasets[0], name="spring", segments=())
    both = replace(
        results,
        datasets=(*results.datasets, other),
        estimates=(
            *results.estimates,
            *(replace(e, dataset="spring") for e in results.estimates if not e.segment),
        ),
        comparisons=(
            *results.comparisons,
            *(replace(c, dataset="spring") for c in results.comparisons if not c.segment),
        ),
    )
    assert [table.id for table in blocks(both, Table)] == ["scores-table"]
    tables = across_datasets.build_across_section(both).blocks
    assert [table.id for table in tables] == ["datasets-overview", "scores-table-2"]
    assert "Dataset spring." in tables[1].caption
    assert build_document(both).sections


def test_intervals_that_allow_for_the_family_say_how():
    results = made.wallet()
    first = replace(results.comparisons[0], low=0.009, high=0.027, family_size=3)
    wide = replace(results, comparisons=(first, *results.comparisons[1:]))
    lines = method.build_method_section(wide).blocks[0]
    said = "".join(span.text for span in lines.items[-1])
    assert said.endswith("of the same kind (Romano and Wolf's step-down max-T).")


def test_differences_of_sizes_say_so():
    alike = made.comparison(made.MAE, 0.1, -0.3, 0.5, "equivalent")
    zero = replace(made.MAE, better="zero")
    cell = make_difference_cell(replace(alike, word="cannot tell"), zero, NumberFormat(2))
    assert cell.note.startswith("in size, ")


POINT = OperatingPoint("holdout", "pays", "cost", "clv", 1, 2, 3, 4, (), {}, threshold=0.0625)


@pytest.mark.parametrize(
    ("name", "declared", "said"),
    [
        ("threshold", {"fixed": 0.7}, "at threshold 0.7"),
        ("half", {"fixed": 0.5}, "at half (threshold 0.5)"),
        ("half", {"fixed": 0.5, "by_model": {"clv": 0.4}}, "at half"),
        ("half", {"fixed": 0.5, "by_class": {"Short": 0.4}}, "at half"),
        ("top", {"share": 0.1}, "at top"),
        ("pays", {"cost": True}, "at pays (threshold 0.0625)"),
    ],
)
def test_a_metric_of_calls_says_where_they_begin(name, declared, said):
    results = made.wallet()
    accuracy = replace(
        results.metrics[0],
        params={"threshold": 0.5, "at": name, "moves": False},
        usual={"threshold": 0.5, "at": "", "moves": False},
    )
    results = replace(
        results,
        metrics=(accuracy, *results.metrics[1:]),
        points=(POINT,),
        config={"thresholds": {name: declared}},
    )
    assert make_metric_cell(Index(results), accuracy).note.startswith(f"{said}, ")

"""Scores: the table, its whiskers, and the figures on one yardstick."""

import re
from dataclasses import replace

import pytest

from reportgen.report.document import Bullets, Figure, Table, iter_unfolded
from reportgen.report.sections import across_datasets, basis, build_document, scores, segments
from reportgen.report.sections.cells import make_difference_cell, make_metric_cell
from reportgen.report.sections.index import Index
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


def figure(results, id_):
    return next(block for block in blocks(results, Figure) if block.id == id_)


def test_a_pair_of_models_has_one_table_as_wide_as_a_page():
    (table,) = blocks(made.wallet(), Table)
    assert [column.title for column in table.columns] == [
        "Metric",
        "CLV",
        "Gradient boosting",
        "Difference",
        "Interval",
        "Gradient boosting is",
    ]
    row = table.rows[3]
    assert [cell.text for cell in row] == [
        "Mean absolute error",
        "33.3 †",
        "38.6",
        "+5.3",
        "",
        "Worse",
    ]
    assert [cell.note for cell in row][:4] == [
        "dollars, lower is better",
        "32.3 to 34.5",
        "37.4 to 40.0",
        "+4.7 to +5.9",
    ]


def test_a_whisker_has_zero_in_its_middle_and_room_for_the_margin():
    whisker = blocks(made.wallet(), Table)[0].rows[0][4].whisker
    assert whisker.axis_low == -whisker.axis_high
    assert whisker.axis_high > max(whisker.high, whisker.margin)
    assert whisker.description == "+0.018 (+0.011 to +0.025)"


def test_the_whiskers_of_one_metric_share_their_axis():
    tables = [t for t in blocks(made.crowd(models=4), Table) if t.id.startswith("differences")]
    axes = {table.rows[0][2].whisker.axis_high for table in tables}
    assert len(tables) == 3 and len(axes) == 1


def test_better_is_to_the_right_whatever_the_direction_of_the_metric():
    drawn = figure(made.wallet(), "scores-forest").panels[0].series[0]
    signs = [1 if x > 0 else -1 for x in drawn.x]
    assert signs == [1, 1, 1, -1, -1, 1]
    assert set(drawn.marks) == {"filled"}
    assert all(
        low <= x <= high for low, x, high in zip(drawn.low, drawn.x, drawn.high, strict=True)
    )


def test_the_yardstick_is_the_standard_error_of_the_baseline():
    results = made.wallet()
    base = next(e for e in results.estimates if e.model == "clv" and e.key == "kendall")
    drawn = figure(results, "scores-forest").panels[0].series[0]
    assert drawn.x[0] == 0.018 / base.se


def test_a_metric_without_a_standard_error_is_left_out_of_the_forest_only():
    results = made.wallet()
    bare = replace(
        results,
        estimates=tuple(replace(e, se=None) if e.key == "mae" else e for e in results.estimates),
    )
    names = [text for _, text in figure(bare, "scores-forest").panels[0].y.ticks]
    assert "Mean absolute error" not in names and len(names) == 5
    assert len(blocks(bare, Table)[0].rows) == 6


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
    [lines] = [
        b for b in basis.build_basis_section(wide).blocks if isinstance(b, Bullets) and b.title
    ]
    said = "".join(span.text for span in lines.items[-1])
    assert said.endswith("their family: Romano and Wolf's step-down max-T.")


def test_differences_of_sizes_say_so():
    alike = made.comparison(made.MAE, 0.1, -0.3, 0.5, "equivalent")
    zero = replace(made.MAE, better="zero")
    assert make_difference_cell(replace(alike, word="cannot tell"), zero).note.startswith(
        "in size, "
    )


def test_every_difference_has_its_standard_error_beside_it():
    (table,) = iter_unfolded(segments.build_comparisons_section(made.wallet()).blocks)
    place = [c.title for c in table.columns].index("SE")
    assert [row[place].text for row in table.rows[:2]] == ["0.00400", "0.00400"]
    assert {row[place].value for row in table.rows} == {c.se for c in made.wallet().comparisons}


def printed(text):
    """The number that a cell shows, and its decimals."""
    number = re.match(r"[+−]?[\d,.]+", text.replace("\u00a0", " ")).group().replace("−", "-")
    return float(number.replace(",", "")), len(number.partition(".")[2])


@pytest.mark.parametrize(
    ("name", "build", "first", "left"),
    [
        ("movies", scores.build_scores_section, 1, 0),
        ("movies", segments.build_segments_section, 2, 1),
    ],
)
def test_printed_values_subtract_where_one_more_decimal_lets_them(name, build, first, left):
    found = build(results_of(name))
    tables = [
        b
        for b in iter_unfolded(found.blocks)
        if isinstance(b, Table) and "Difference" in [c.title for c in b.columns]
    ]
    rows = []
    for table in tables:
        apart = [c.title for c in table.columns].index("Difference")
        places = [first, first + 1, apart]
        rows += [[row[place].text for place in places] for row in table.rows]
    known = [row for row in rows if all(any(c.isdigit() for c in text) for text in row)]
    assert len(known) > 1
    off = 0
    for row in known:
        (low, a), (high, b), (d, c) = map(printed, row)
        off += round(high - low - d, min(a, b, c)) != 0
    assert off == left, known


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

"""Segments, curves, robustness and the rest: what the validator reads."""

from dataclasses import replace

from reportgen.document import Figure, Table
from reportgen.results import TableResult
from reportgen.sections import comparisons, costs, curves, data, method, provenance, robustness
from reportgen.sections import segments as segments_section
from tests.sections import results_factory as made


def blocks(section, kind):
    return [block for block in section.blocks if isinstance(block, kind)]


def test_segments_come_worst_first_with_all_rows_on_top():
    section = segments_section.section(made.wallet())
    (figure,) = blocks(section, Figure)
    names = [text for _, text in figure.panels[0].y.ticks]
    assert names == ["all rows (23,570)", "buyer=repeat (9,616)", "buyer=one-time (13,954)"]
    assert figure.panels[0].y.ticks[0][0] == 1.0
    assert figure.title == (
        "Gradient boosting is ahead on Kendall τ-b in 1 of 2 segments; in 1 the order flips"
    )
    (table,) = blocks(section, Table)
    assert table.rows[0][-1].note == "flips the order"


def test_sixty_segments_are_drawn_in_parts():
    figures = blocks(segments_section.section(made.crowd(models=2)), Figure)
    assert [len(f.panels[0].series[0].x) for f in figures] == [31, 31]


def test_the_ranking_curve_has_its_random_line_and_quotes_the_top():
    section = curves.section(made.wallet())
    (figure,) = blocks(section, Figure)
    assert (section.id, figure.drawing) == ("ranking", "line")
    assert [r.label for r in figure.panels[0].references] == ["random order: 33.0 dollars"]
    assert figure.title == (
        "In the top bucket the mean spend is 170 dollars for CLV and 170 dollars for Gradient "
        "boosting"
    )
    assert [s.role for s in figure.panels[0].series] == ["baseline", "candidate1"]


def test_a_curve_that_nobody_has_worded_is_still_drawn():
    results = made.wallet()
    new = replace(results.curves[0], curve="some_new_curve")
    (figure,) = blocks(curves.section(replace(results, curves=(new,))), Figure)
    assert figure.title == "Some new curve"


def test_a_difference_curve_says_where_it_is_apart():
    results = made.wallet()
    difference = replace(
        results.curves[1], baseline="clv", y=(0.0, 1.0, -2.0, *results.curves[1].y[3:]),
        band_low=(-1.0, 0.5, -3.0) + (-1.0,) * 7, band_high=(1.0, 1.5, -1.0) + (1.0,) * 7,
    )  # fmt: skip
    (figure,) = blocks(curves.section(replace(results, curves=(difference,))), Figure)
    assert figure.title.endswith(
        "against CLV: Gradient boosting above at 1 and below at 1 of 10 points"
    )


def test_costs_are_left_out_until_there_are_some():
    results = made.wallet()
    assert costs.section(results) is None
    decision = TableResult("decision", "holdout", ("alpha", "best", "cost"), ("1", "1", "dollars"),
                           ((0.8, "boost", 34.8),))  # fmt: skip
    table = costs.section(replace(results, tables=(decision,))).blocks[0]
    assert [cell.text for cell in table.rows[0]] == ["0.800", "Gradient boosting", "34.8"]


def test_what_the_sample_could_show_is_printed():
    table = robustness.section(made.wallet()).blocks[0]
    assert [cell.text for cell in table.rows[0]][1:5] == ["Gradient boosting", "+0.018", "0.010",
                                                          "0.01"]  # fmt: skip


def test_zeros_are_told_apart_in_a_distribution():
    figures = blocks(data.section(made.wallet()), Figure)
    assert figures[0].title == "Distribution of spend: 70\u00a0% are zero"
    assert len(figures[1].panels) == 2


def test_the_waterfall_says_why_rows_went():
    waterfall = blocks(data.section(made.wallet()), Table)[0]
    assert [cell.text for cell in waterfall.rows[1]] == ["missing spend", "4", "23,570",
                                                         "spend is empty"]  # fmt: skip


def test_each_method_says_why_it_was_taken():
    tables = {t.id: t for t in blocks(method.section(made.wallet()), Table)}
    assert "pull" in tables["method-intervals"].rows[0][1].text


def test_comparisons_are_bounded_and_say_where_the_rest_is():
    (table,) = comparisons.section(made.crowd()).blocks
    assert len(table.rows) == 200
    assert "200 of 900 rows; the rest is in results.json" in table.caption
    assert all(row[1].note == "all rows" for row in table.rows)


def test_the_sign_off_has_blank_lines_where_nobody_is_named():
    section = provenance.section(made.crowd(models=2, metrics=1, segments=0))
    assert section.blocks[-1].people == (("", "Model owner", "", ""), ("", "Validator", "", ""))

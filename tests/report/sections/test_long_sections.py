"""Segments, curves, robustness and the rest: what the validator reads."""

import json
from dataclasses import replace

from reportgen.report.document import Bullets, Figure, Fold, Table, Text, iter_unfolded
from reportgen.report.sections import data, method, robustness, scores
from reportgen.report.sections import segments as segments_section
from reportgen.report.sections.costs import costs
from reportgen.report.sections.curves import curves
from reportgen.report.sections.index import Index
from reportgen.results.segments import OmittedSegment
from tests.report.sections import results_factory as made
from tests.worked import results_of


def blocks(section, kind):
    return [block for block in iter_unfolded(section.blocks) if isinstance(block, kind)]


def test_segments_are_rows_in_the_order_of_the_config_and_all_rows_a_line():
    section = segments_section.build_segments_section(made.wallet())
    (figure,) = blocks(section, Figure)
    (panel,) = figure.panels
    names = [text for _, text in panel.y.ticks]
    segments = made.wallet().datasets[0].segments
    assert names == [f"{s.column}: {s.value} ({s.n:,})" for s in segments]
    assert [reference.x for reference in panel.references] == [(0.0,), (0.018,)]
    assert figure.title == (
        "On Kendall τ-b, Gradient boosting is better than CLV in 0 of 2 segments and worse in 1"
    )
    assert sorted(panel.series[0].marks) == ["crossed", "open"]
    (table,) = blocks(section, Table)
    assert table.rows[0][-1].note == "reverses the result"


def test_segments_without_a_result_are_named_and_not_counted_as_compared():
    full = made.wallet()
    once = "buyer=one-time"
    without = {"low": None, "high": None, "word": "no result", "reason": "no interval: it has 9"}
    results = replace(
        full,
        comparisons=tuple(
            replace(c, **without) if c.segment == once else c for c in full.comparisons
        ),
    )
    section = segments_section.build_segments_section(results)
    assert str(section.lede).count("No result for “buyer: one-time” (no interval: it has 9).") == 1
    (figure,) = blocks(section, Figure)
    assert figure.title.endswith("is better than CLV in 0 of 1 segment and worse in 1")
    level = tuple(replace(c, word="cannot tell") if c.segment else c for c in full.comparisons)
    (figure,) = blocks(
        segments_section.build_segments_section(replace(full, comparisons=level)), Figure
    )
    assert figure.title == (
        "On Kendall τ-b, Gradient boosting is neither better nor worse than CLV in any of 2 "
        "segments"
    )


def test_each_candidate_has_a_panel_with_the_same_rows():
    (first, _) = blocks(segments_section.build_segments_section(made.crowd(models=4)), Figure)
    assert first.shares_rows and first.shares_axes and len(first.panels) == 3
    assert len({panel.y.ticks for panel in first.panels}) == 1


def test_better_is_on_the_right_where_lower_is_better():
    results = made.wallet()
    lower = replace(results.metrics[0], better="lower")
    turned = replace(results, metrics=(lower, *results.metrics[1:]))
    (figure,) = blocks(segments_section.build_segments_section(turned), Figure)
    assert figure.panels[0].x.is_reversed and figure.panels[0].x.label.endswith("better →")
    (plain,) = blocks(segments_section.build_segments_section(results), Figure)
    assert not plain.panels[0].x.is_reversed and plain.panels[0].x.label.endswith("better →")


def test_sixty_segments_are_drawn_in_parts():
    figures = blocks(segments_section.build_segments_section(made.crowd(models=2)), Figure)
    assert [len(f.panels[0].series[0].x) for f in figures] == [30, 30]


def test_the_ranking_curve_has_its_random_line_and_quotes_the_top():
    section = curves.build_curves_section(made.wallet())
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
    (figure,) = blocks(curves.build_curves_section(replace(results, curves=(new,))), Figure)
    assert figure.title == "Some new curve"


def test_a_difference_curve_says_where_it_is_apart():
    results = made.wallet()
    difference = replace(
        results.curves[1],
        baseline="clv",
        y=(0.0, 1.0, -2.0, *results.curves[1].y[3:]),
        band_low=(-1.0, 0.5, -3.0) + (-1.0,) * 7,
        band_high=(1.0, 1.5, -1.0) + (1.0,) * 7,
    )
    (figure,) = blocks(curves.build_curves_section(replace(results, curves=(difference,))), Figure)
    assert figure.title.endswith(
        "against CLV: Gradient boosting is higher at 1 and lower at 1 of 10 points"
    )


def test_costs_are_left_out_until_there_are_some():
    results = made.wallet()
    assert costs.build_costs_section(results) is None
    words, table = costs.build_costs_section(replace(results, costs=(made.costs(),))).blocks[:2]
    advice, reasons = (span.text for span in words.phrase)
    assert "Cheapest at 4 : 1: Gradient boosting, 3,200 EUR per 1,000 rows less than CLV" in advice
    assert "the lowest of all uncorrected models." in reasons
    assert [cell.text for cell in table.rows[0]] == [
        "α = 0.8 (4 : 1)",
        "Gradient boosting",
        "none",
        "87,000",
        "+3,200",
        "+3,200",
        "99.7%",
    ]


def test_of_several_datasets_what_errors_cost_names_its_own():
    results = made.wallet()
    autumn = replace(results.datasets[0], name="autumn")
    known = (made.costs(), made.costs("autumn"))
    found = costs.build_costs_section(
        replace(results, datasets=(*results.datasets, autumn), costs=known)
    )
    told = iter_unfolded(found.blocks)
    starts = [b.phrase[0].text if isinstance(b, Text) else b.caption[:9] for b in told]
    assert starts == ["holdout: ", "holdout: ", "autumn: ", "autumn: T", "holdout: ", "autumn: E"]


def test_what_the_sample_could_show_is_printed():
    table = blocks(robustness.build_robustness_section(made.wallet()), Table)[0]
    assert [cell.text for cell in table.rows[0]][1:5] == [
        "Gradient boosting",
        "+0.018",
        "0.010",
        "0.01",
    ]


def test_zeros_are_told_apart_in_a_distribution():
    figures = blocks(data.build_data_section(made.wallet()), Figure)
    assert figures[0].title == "Distribution of spend: 70% are zero"
    assert len(figures[1].panels) == 2


def test_the_waterfall_says_why_rows_went():
    waterfall = blocks(data.build_data_section(made.wallet()), Table)[0]
    assert [cell.text for cell in waterfall.rows[1]] == [
        "missing spend",
        "4",
        "23,570",
        "spend is empty",
    ]


def test_each_method_says_why_it_was_taken():
    tables = {t.id: t for t in blocks(method.build_method_section(made.wallet()), Table)}
    assert "each row's influence" in tables["method-intervals"].rows[0][1].text


def test_models_on_one_grid_stand_side_by_side_in_the_table():
    (figure,) = blocks(curves.build_curves_section(made.wallet()), Figure)
    assert [c.title for c in figure.table.columns][1:] == ["CLV", "Gradient boosting"]
    assert [cell.text for cell in figure.table.rows[9]] == ["10", "170", "170"]


def test_a_long_curve_is_thinned_in_its_table_only():
    results = made.wallet()
    many = tuple(float(i) for i in range(400))
    long = replace(results.curves[0], x=many, y=many, low=(), high=(), band_low=(), band_high=())
    (figure,) = blocks(curves.build_curves_section(replace(results, curves=(long,))), Figure)
    assert len(figure.panels[0].series[0].x) == 400
    assert len(figure.table.rows) == 12 and figure.table.rows[-1][0].value == 399
    assert "The table has some of the points; results.json has all." in figure.table.caption


def test_each_of_several_curves_has_points_from_end_to_end_in_the_table():
    results = made.wallet()
    every = {"clv": tuple(map(float, range(400))), "boost": (0.0, 150.0, 399.0)}
    plain = replace(results.curves[0], low=(), high=(), band_low=(), band_high=())
    drawn = tuple(replace(plain, model=model, x=x, y=x) for model, x in every.items())
    (figure,) = blocks(curves.build_curves_section(replace(results, curves=drawn)), Figure)
    ends = [(row[0].text, row[1].value) for row in figure.table.rows]
    assert ends[0] == ("CLV", 0) and ends[11] == ("CLV", 399)
    assert [x for _, x in ends[12:]] == [0, 150, 399]


def test_a_level_that_models_do_not_share_names_its_model():
    results = made.wallet()

    def label(*levels):
        of = zip(("clv", "boost"), levels, strict=True)
        drawn = tuple(
            replace(results.curves[0], curve="error_by_rank", model=model, marks={"mean": level})
            for model, level in of
        )
        (figure,) = blocks(curves.build_curves_section(replace(results, curves=drawn)), Figure)
        return [reference.label for reference in figure.panels[0].references]

    assert [text.partition(":")[0] for text in label(7.5, 2.0)] == ["mean error of CLV"]
    assert [text.partition(":")[0] for text in label(7.5, 7.5)] == ["mean error"]


def test_the_best_possible_curve_is_a_line_in_the_figure_it_bounds():
    results = made.wallet()
    plain = replace(results.curves[0], curve="gain", params={}, marks={"share of best": 0.8})
    best = replace(plain, curve="gain_best", marks={})
    other = replace(plain, model="boost", marks={"share of best": 0.7})
    both = (plain, best, other, replace(best, model="boost"))
    (figure,) = blocks(curves.build_curves_section(replace(results, curves=both)), Figure)
    assert [(s.label, s.role) for s in figure.panels[0].series] == [
        ("best", "reference"),
        ("CLV", "baseline"),
        ("Gradient boosting", "candidate1"),
    ]
    assert "Share of the best: 0.800 for CLV" in figure.caption
    assert [r.label for r in figure.panels[0].references] == ["random order"]


def test_a_bound_without_its_curve_is_drawn_alone():
    results = made.wallet()
    lorenz = replace(results.curves[0], curve="lorenz", params={}, marks={})
    (figure,) = blocks(curves.build_curves_section(replace(results, curves=(lorenz,))), Figure)
    assert [s.role for s in figure.panels[0].series] == ["reference"]


def test_every_worded_curve_that_bounds_another_names_a_curve():
    infos = {info.curve: info for info in made.CURVE_INFOS}
    assert all(info.onto in infos for info in infos.values() if info.onto)
    assert all(info.under in infos for info in infos.values() if info.under)


def test_figures_stand_in_the_order_of_their_places():
    results = made.wallet()
    gain = replace(results.curves[0], curve="gain", params={}, marks={})
    drawn = blocks(
        curves.build_curves_section(replace(results, curves=(gain, results.curves[0]))), Figure
    )
    assert [figure.id for figure in drawn] == ["gain-curve-1", "ranking-curve-2"]


def test_the_bar_of_zeros_is_told_and_not_drawn():
    results = made.wallet()
    named = replace(
        results.curves[2],
        x=(0.0, 5.0, 50.0),
        x_labels=("0", "1 to 10", "10 to 100"),
        y=(0.7, 0.2, 0.1),
    )
    (figure,) = blocks(data.build_data_section(replace(results, curves=(named,))), Figure)
    (series,) = figure.panels[0].series
    assert (series.x, series.y) == ((0.0, 1.0), (0.2, 0.1))
    assert [text for _, text in figure.panels[0].x.ticks] == ["1 to 10", "10 to 100"]


def test_codes_that_occur_are_explained_under_method():
    (bullets,) = [
        b
        for b in iter_unfolded(method.build_method_section(made.wallet()).blocks)
        if getattr(b, "title", "") == "What the warnings mean"
    ]
    assert bullets.items[0][0].text == "W103:"


def test_the_resolved_config_can_be_read_back():
    config = {"a": {"b": [1, 2], "c": "x" * 90}, "d": [{"e": "y" * 60}, {"f": "ß" * 60}]}
    section = method.build_provenance_section(replace(made.wallet(), config=config))
    listing = next(
        b for b in iter_unfolded(section.blocks) if getattr(b, "title", "") == "Resolved config"
    )
    assert json.loads(listing.text) == config
    assert '"b": [1, 2]' in listing.text


def cutoffs(baseline=None, curve="auc_by_cutoff", y=(0.0, 0.2, 1.0)):
    plain = made.ranking("boost", y)
    bands = (
        {}
        if baseline is None or curve == "auc_by_cutoff"
        else dict.fromkeys(("low", "high", "band_low", "band_high"), ())
    )
    return replace(plain, curve=curve, baseline=baseline, params={}, marks={}, **bands)


def test_who_is_ahead_stands_under_the_difference():
    pair = (cutoffs("clv"), cutoffs("clv", "auc_by_cutoff_ahead", (0.01, 0.5, 0.97)))
    (figure,) = blocks(curves.build_curves_section(replace(made.wallet(), curves=pair)), Figure)
    assert figure.is_stacked and len(figure.panels) == 2
    above, under = figure.panels
    assert (above.x.label, under.series[0].y) == ("", (0.01, 0.5, 0.97))
    assert [line.y for line in under.references] == [(0.05,), (0.5,), (0.95,)]
    assert "at 1 of 3 points, CLV at 1." in figure.caption
    assert [column.title for column in figure.table.columns][-1].endswith("share ahead")


def test_rows_below_one_half_are_points_without_a_name():
    row = {"low": (), "high": (), "band_low": (), "band_high": ()}
    whole = replace(made.ranking("boost", (0.6, 0.7, 0.9)), curve="concordance", params={"bins": 3})
    lowest = replace(
        whole, curve="concordance_lowest", params={"bins": 50}, y=(0.1, 0.2, 0.3), **row
    )
    (figure,) = blocks(
        curves.build_curves_section(replace(made.wallet(), curves=(whole, lowest))), Figure
    )
    points = figure.panels[0].series[0]
    assert (points.label, points.has_markers, points.has_line) == ("", True, False)
    assert points.role == "candidate1"


def test_a_distribution_of_zeros_alone_is_not_drawn():
    results = made.wallet()
    zeros = replace(results.curves[2], x=(0.0,), x_labels=("0",), y=(1.0,))
    assert not blocks(data.build_data_section(replace(results, curves=(zeros,))), Figure)


def test_a_metric_that_does_not_apply_is_one_line_for_all_segments():
    results = made.wallet()
    odd = tuple(
        replace(c, status="not applicable", word="no result", reason="it is a rank score")
        if c.segment is not None
        else c
        for c in results.comparisons
    )
    (block,) = iter_unfolded(
        segments_section.build_segments_section(replace(results, comparisons=odd)).blocks
    )
    assert "".join(span.text for span in block.phrase) == (
        "Gradient boosting: Kendall τ-b does not apply: it is a rank score."
    )


def test_the_table_of_metrics_says_once_why_some_do_not_apply():
    results = made.wallet()
    why = "Gradient boosting is a rank score, not an amount"
    keys = {c.key for c in results.comparisons}
    odd = tuple(
        replace(c, status="not applicable", word="no result", difference=None, reason=why)
        for c in results.comparisons
    )
    bullets = blocks(scores.build_scores_section(replace(results, comparisons=odd)), Bullets)
    lines = ["".join(span.text for span in item) for block in bullets for item in block.items]
    (said,) = [line for line in lines if "not apply" in line]
    assert len(keys) > 1 and said.startswith(f"{why}. So ") and said.endswith(" do not apply.")


def test_a_gap_that_is_no_chance_is_printed_without_a_requirement():
    """Those on the primary metric that chance may have made are folded."""
    index = Index(results_of("wallet"))
    metric = next(each for each in index.results.metrics if each.is_primary)
    printed, *folded = segments_section.build_gap_tables(index, metric)
    assert isinstance(printed, Table) and isinstance(folded[0], Fold)
    shown = {row[3].text for row in printed.rows}
    assert shown == {"a gap", "narrower"} and len(printed.rows) >= 3


def test_the_reason_why_a_gap_leaves_out_a_segment_is_printed_in_full():
    results = results_of("wallet")
    why = (
        "no interval: only 9 rows are of one class, and so few do not show how others would differ"
    )
    omitted = (OmittedSegment("other", why),)
    gaps = tuple(replace(each, omitted=omitted) for each in results.group_gaps)
    index = Index(replace(results, group_gaps=gaps))
    metric = next(each for each in index.results.metrics if each.is_primary)
    printed, *_ = segments_section.build_gap_tables(index, metric)
    assert why in printed.caption

"""The verdict and what stands around it."""

from dataclasses import replace

import pytest

from reportgen import wording
from reportgen.results import DifferenceFromBest, Sensitivity, Warning
from reportgen.sections.cells import MARK
from reportgen.sections.front import headlines, look, verdict
from reportgen.sections.index import Index
from reportgen.sections.scores import scores
from tests.sections import results_factory as made


def plain(phrase):
    return "".join(span.text for span in phrase).replace("\u00a0", " ")


def callout(results):
    return verdict.section(results).blocks[0]


def column(block, title):
    return [plain(item) for c in block.columns if c.title == title for item in c.items]


def look_at(results):
    blocks = look.section(results).blocks
    return [plain(item) for item in blocks[0].items]


def test_one_candidate_is_told_as_a_committee_would_ask():
    block = callout(made.wallet())
    assert (block.tag, block.tone) == ("Better", "good")
    assert block.title == "Gradient boosting ranks better than CLV on Kendall τ-b."
    assert [plain(line) for line in block.body] == [
        "Kendall τ-b says how well the scores put the rows in order; higher is better. Kendall τ-b "
        "is higher by 0.018 (95 % interval 0.011 to 0.025), the whole interval beyond the margin "
        "of 0.01.",
        "Rank and error measures disagree: Gradient boosting ranks the rows better (Kendall τ-b, "
        "Spearman ρ and regression AUC); on amounts CLV is better on mean absolute error and root "
        "mean squared error, Gradient boosting on asymmetric cost.",
    ]
    assert column(block, "Why") == [
        "Gradient boosting is clearly better on all 3 rank measures.",
        "Asymmetric cost is lower by 1.3 dollars (95 % interval 0.50 to 2.0).",
        "Gradient boosting is ahead on Kendall τ-b in 99.9 % of the resamples.",
    ]
    assert column(block, "What this does not show")[0] == (
        "Not in buyer=repeat: CLV is better than Gradient boosting on Kendall τ-b by 0.017 "
        "(0.011 to 0.023) among 9,616 rows."
    )
    assert column(block, "Gates")[0].startswith("open mean absolute error under 40: 38.6 dollars")


def test_a_failed_gate_stands_first():
    failed = replace(made.wallet(), gates=(made.gate("MAE under 30", "fail", bound=30.0),))
    block = callout(failed)
    assert plain(block.body[0]) == "1 of 1 gate failed: MAE under 30."
    assert block.body[0][0].tone == "bad"
    assert look_at(failed)[0] == (
        "Gate failed: MAE under 30. 38.6 dollars (95 % interval 37.4 to 40.0) against a bound of "
        "30 dollars. Verdict"
    )


def test_without_a_primary_metric_there_is_no_verdict():
    results = made.wallet()
    plain_metrics = tuple(replace(m, is_primary=False) for m in results.metrics)
    results = replace(results, metrics=plain_metrics, inference=made.inference(primary=None))
    block = callout(results)
    assert (block.tag, block.title) == ("No verdict", "No primary metric was declared.")
    assert not column(block, "Why")


def test_one_model_is_reported_without_a_comparison():
    block = callout(made.alone())
    assert block.tag == "Scores only"
    assert plain(block.body[0]) == (
        "Kendall τ-b of Gradient boosting is 0.356 (95 % interval 0.346 to 0.365)."
    )
    table = scores.section(made.alone()).blocks[0]
    assert [c.title for c in table.columns] == ["Metric", "Gradient boosting"]


def test_no_winner_is_named_where_several_are_level():
    block = callout(made.crowd())
    assert block.title == (
        "Model 1, Model 5 and Model 9 are better than CLV on Kendall τ-b; the data do not say "
        "which of them is best."
    )
    assert len(block.body) == 1 + 1 + 9 + 1


def test_no_candidate_better_is_no_winner():
    results = made.crowd(models=4, metrics=2, segments=0)
    kept = tuple(c for c in results.comparisons if c.candidate != "m1")
    open_ = replace(results, models=(results.models[0], *results.models[2:]), comparisons=kept)
    block = callout(replace(open_, gates=()))
    assert (block.tag, block.tone) == ("No winner", "open")
    assert block.title == "No candidate is shown to be better than CLV on Kendall τ-b."


def test_the_best_alone_is_marked_only_if_it_is_separated():
    index = Index(made.wallet())
    assert index.level_with_best("kendall") == {"boost"}
    assert index.level_with_best("mae") == {"clv"}
    table = scores.section(made.wallet()).blocks[0]
    assert [cell.text.endswith(MARK) for cell in table.rows[0][1:3]] == [False, True]


def separated(dataset, *rows):
    return tuple(
        DifferenceFromBest(dataset, key, best, model, None, None, None, 0.95, is_told)
        for key, best, model, is_told in rows
    )


def test_of_several_models_the_paired_difference_from_the_best_settles_the_mark():
    results = made.crowd(models=4, metrics=1, segments=0)
    told = (("kendall", "m1", "clv", True), ("kendall", "m1", "m2", False),
            ("kendall", "m1", "m3", True))  # fmt: skip
    apart = made.comparison(made.KENDALL, 0.01, 0.004, 0.016, "better", candidate="m1",
                            baseline="m2")  # fmt: skip
    found = (*separated("elsewhere", ("kendall", "m1", "m2", True)), *separated("holdout", *told))
    known = Sensitivity(from_best=found)
    results = replace(results, sensitivity=known, comparisons=(*results.comparisons, apart))
    assert Index(results).level_with_best("kendall") == {"m1", "m2"}
    caption = scores.section(results).blocks[0].caption
    assert caption.replace("\u00a0", " ").endswith(
        "not separated from it by the paired difference, of all models at once (95 % for each "
        "metric, while verdicts allow for every comparison)."
    )


def test_a_flip_in_a_segment_is_pointed_out():
    assert look_at(made.wallet())[0] == (
        "The order flips in one segment. On all rows Gradient boosting is ahead. In buyer=repeat "
        "CLV is better than Gradient boosting on Kendall τ-b by 0.017 (0.011 to 0.023) among "
        "9,616 rows. Segments"
    )


def test_a_thousand_warnings_are_one_line_a_code():
    results = made.crowd()
    assert len(results.warnings) == 400
    lines = [line for line in look_at(results) if line.startswith("Heavy tail")]
    assert len(lines) == 1 and "And 398 other places." in lines[0]


def test_a_calm_report_says_that_it_is_calm():
    calm = replace(made.alone(), warnings=())
    (block,) = look.section(calm).blocks
    assert plain(block.phrase).startswith("Nothing was compared, no gate was declared")
    judged = replace(calm, gates=(made.gate("mean absolute error under 40", "pass"),))
    assert "no gate failed" in plain(look.section(judged).blocks[0].phrase)


def test_no_verdict_is_green_above_a_gate_that_fails_the_run():
    failed = replace(made.wallet(), gates=(made.gate("mean absolute error under 40", "fail"),))
    assert callout(failed).tone == "bad"
    passed = replace(made.wallet(), gates=(made.gate("mean absolute error under 40", "pass"),))
    assert callout(passed).tone == "good"


def test_a_worded_warning_keeps_its_words():
    worded = Warning("W110", "The config says so.", {})
    assert look_at(replace(made.alone(), warnings=(worded,)))[-1] == (
        "Test set used to choose. The config says so. The chosen model looks better on these rows "
        "than it will on new ones. W110"
    )


def test_cards_of_several_candidates_put_the_furthest_ahead_first():
    cards = headlines.section(made.crowd()).blocks[0].cards
    assert [card.title.split(":")[0] for card in cards] == ["Model 1", "Model 5", "Model 9",
                                                            "Model 2"]  # fmt: skip


def hanging(results, candidates):
    (found,) = made.sensitivity().deletions
    one = replace(found.sets[1], rows=2, verdict="not worse")
    sets = tuple(replace(one, candidate=name) for name in candidates)
    return with_sets(results, found, sets)


def with_sets(results, found, sets):
    found = replace(found, dataset=results.datasets[0].name, sets=sets)
    return replace(results, sensitivity=Sensitivity(deletions=(found,)))


def test_a_verdict_that_hangs_on_two_rows_says_so_on_page_one():
    results = hanging(made.wallet(), ["boost"])
    caveats = next(c for c in callout(results).columns if c.title == "What this does not show")
    line = next(item for item in caveats.items if "Without 2 rows" in plain(item))
    assert plain(line) == "Without 2 rows the verdict would be “not worse”. Robustness"
    assert line[-1].href == "#robustness"


def test_of_several_candidates_those_that_hang_on_few_rows_are_to_look_at():
    crowd = made.crowd()
    names = [m.name for m in crowd.models if m.role == "candidate"]
    base = next(m.name for m in crowd.models if m.role == "baseline")
    found = hanging(crowd, names)
    (deletion,) = found.sensitivity.deletions
    found = with_sets(found, deletion, tuple(replace(s, baseline=base) for s in deletion.sets))
    said = [line for line in look_at(found) if "hang" in line or "So does" in line]
    assert len(said) == 4
    assert said[0].endswith(": without 2 rows the verdict would be “not worse”. Robustness")
    assert said[3] == f"So does the verdict on {len(names) - 3} other candidates. Robustness"


def test_the_line_of_a_candidate_names_no_interval_that_is_not_there():
    results = made.crowd(models=4, metrics=1, segments=0)
    nothing = dict.fromkeys(("low", "high", "adjusted_low", "adjusted_high", "equivalence_low",
                             "equivalence_high"))  # fmt: skip
    reason = "Model 2 is a rank score, not an amount"
    absent = {"status": "not applicable", "verdict": "not applicable", "reason": reason}
    changes = {"m1": {"difference": 0.0, "verdict": "equivalent"},
               "m2": {"difference": None, **absent}}  # fmt: skip
    compared = tuple(
        replace(c, **nothing, **changes[c.candidate]) if c.candidate in changes else c
        for c in results.comparisons
    )
    body = [plain(line) for line in callout(replace(results, comparisons=compared)).body]
    assert "Model 1: equivalent, 0 (no interval)." in body
    assert f"Model 2: not applicable, {reason}." in body


def test_no_interval_is_announced_where_no_candidate_has_one():
    results = made.crowd(models=4, metrics=1, segments=0)
    assert any("interval" in plain(line) for line in callout(results).body)
    nothing = dict.fromkeys(("difference", "low", "high", "adjusted_low", "adjusted_high",
                             "equivalence_low", "equivalence_high"))  # fmt: skip
    absent = {"status": "undefined", "verdict": "undefined", "reason": "where a y is 0"}
    compared = tuple(replace(c, **nothing, **absent) for c in results.comparisons)
    body = [plain(line) for line in callout(replace(results, comparisons=compared)).body]
    assert "Model 1: undefined, where a y is 0." in body
    assert not any("interval" in line for line in body)


@pytest.mark.parametrize("code", ["W105", "W106", "W130"])
def test_what_a_warning_means_holds_where_nothing_has_an_interval(code):
    assert "nterval" not in wording.consequence(code)


def test_a_measure_keeps_its_capital_after_the_name_of_a_candidate():
    results = made.crowd(models=3, metrics=1, segments=0)
    kendall = replace(results.metrics[0], label="Kendall's τ-b", is_primary=False)
    cost = replace(made.MAE, is_primary=True)
    pair = [made.comparison(made.MAE, -5.0, -6.0, -4.0, "better", candidate="m1")]
    pair += [c for c in results.comparisons if c.candidate == "m1"]
    results = replace(results, metrics=(cost, kendall), comparisons=tuple(pair),
                      inference=replace(results.inference, primary="mae"))  # fmt: skip
    why = column(callout(results), "Why")
    assert any(line.startswith("Model 1: Kendall's τ-b is higher by") for line in why)


def test_what_does_not_apply_is_said_once_in_a_figure_too():
    results = made.wallet()
    absent = {"difference": None, "status": "not applicable", "verdict": "not applicable"}
    compared = tuple(
        replace(c, **absent) if c.key == "mae" and c.segment is None else c
        for c in results.comparisons
    )
    blocks = scores.section(replace(results, comparisons=compared)).blocks
    forest = next(b for b in blocks if getattr(b, "id", "") == "scores-forest")
    assert "Mean absolute error, Gradient boosting: not applicable." in forest.description


def test_a_doubt_says_whose_number_it_is_and_what_it_means():
    line = next(line for line in look_at(made.wallet()) if line.startswith("Heavy tail"))
    assert line.startswith("Heavy tail. Root mean squared error of Gradient boosting: 5 % of the")
    assert line.endswith("Intervals may be too narrow. W103")

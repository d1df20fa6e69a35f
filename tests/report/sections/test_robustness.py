"""The robustness section: what its tables show, and what they keep to themselves."""

from dataclasses import fields, replace

import pytest

from reportgen.report.document import Bullets, Table, iter_unfolded
from reportgen.report.document import Text as Paragraph
from reportgen.report.layout import build_document
from reportgen.report.sections import robustness
from reportgen.report.sections.index import Index
from reportgen.report.sections.robustness import list_method_sensitive, say_agreement
from reportgen.results.sensitivity import AlternativeChoice, BucketCount, Sensitivity
from tests.report.sections import results_factory as made
from tests.worked import results_of


def tables(results):
    return {
        t.id: t
        for t in iter_unfolded(robustness.build_robustness_section(results).blocks)
        if isinstance(t, Table)
    }


def said(results):
    blocks = list(iter_unfolded(robustness.build_robustness_section(results).blocks))
    items = [item for b in blocks if isinstance(b, Bullets) for item in b.items]
    return [item[0].text for item in items]


def with_sensitivity(**how):
    return replace(made.wallet(), sensitivity=made.sensitivity(**how))


def test_each_place_has_its_share_of_the_resamples():
    found = tables(made.wallet())["robustness-1"]
    assert [c.title for c in found.columns] == ["Model", "Place 1", "Place 2"]
    assert [c.text for c in found.rows[0]] == ["CLV", "under 0.1%", "over 99.9%"]


def test_every_measure_names_its_first():
    rows = tables(made.wallet())["robustness-2"].rows
    assert [row[1].text for row in rows] == ["Gradient boosting over 99.9%", "CLV over 99.9%"]


def test_a_value_without_its_row_stands_beside_the_value():
    found = tables(made.wallet())["robustness-3"]
    assert [c.title for c in found.columns] == ["Metric", "Gradient boosting"]
    cell = found.rows[1][1]
    assert (cell.text, cell.note) == ("−3.80%", "104.5 → 100.5")
    assert "row" not in found.rows[0][1].note


def test_a_row_is_named_only_where_results_name_it():
    results = with_sensitivity(ids=("A17", 3.0, 99.5))
    assert tables(results)["robustness-3"].rows[1][1].note.endswith("; row A17, y 3.00, score 99.5")
    assert tables(results)["robustness-5"].rows[0][-1].text == "A17"


def test_many_models_stand_one_below_the_other():
    full = made.crowd()
    row = replace(made.sensitivity().influence[0], dataset=full.datasets[0].name)
    each = Sensitivity(influence=tuple(replace(row, model=m.name) for m in full.models[:5]))
    found = tables(replace(full, sensitivity=each))["robustness-1"]
    assert [c.title for c in found.columns] == ["Metric", "Model", "Without the row"]
    assert [row[1].text for row in found.rows] == [m.label for m in full.models[:5]]


def test_measures_of_which_not_every_row_was_tried_say_so():
    full = made.wallet()
    row = replace(full.sensitivity.influence[0], search="a short list of 64")
    found = tables(replace(full, sensitivity=Sensitivity(influence=(row,))))["robustness-1"]
    assert found.caption.endswith("For Kendall τ-b, only a short list of 64 rows was tried.")


def test_a_removal_names_its_search_and_claims_no_more():
    found = tables(made.wallet())["robustness-5"]
    assert "greedy" in found.caption and "may change the result more" in found.caption
    assert [c.text for c in found.rows[1]] == ["Gradient boosting", "236", "CLV", "−0.012", "Worse"]
    assert found.rows[1][0].note == "against CLV: better"
    assert (found.rows[0][4].note, found.rows[1][4].note) == ("", "changed")
    assert said(made.wallet()) == [
        "Gradient boosting: without 236 rows, the verdict “better” becomes “worse”. The "
        "difference would then favour CLV."
    ]


def test_without_limits_a_removal_has_no_verdict():
    found = tables(with_sensitivity(is_judged=False))["robustness-5"]
    assert [c.title for c in found.columns][-1] == "Difference without them"
    assert (
        "The verdict without them was not computed." in said(with_sensitivity(is_judged=False))[0]
    )


def test_tables_of_another_dataset_stay_out():
    full = made.wallet()
    others = Sensitivity(
        **{
            kind.name: tuple(
                replace(row, dataset="autumn") for row in getattr(full.sensitivity, kind.name)
            )
            for kind in fields(Sensitivity)
        }
    )
    assert list(tables(replace(full, sensitivity=others))) == ["robustness-power"]


def test_a_removal_against_another_than_the_baseline_names_its_opponent():
    full = made.wallet()
    (found,) = full.sensitivity.deletions
    turned = (replace(each, candidate="clv", baseline="boost") for each in found.sets)
    both = replace(found, sets=(*found.sets, *turned))
    others = replace(full.sensitivity, deletions=(both,))
    first, second = said(replace(full, sensitivity=others))
    assert first.startswith("Gradient boosting: without 236 rows")
    assert second.startswith("CLV against Gradient boosting: without 236 rows")


def test_page_one_and_the_robustness_section_name_the_same_sensitive_verdicts():
    full = made.wallet()
    one = replace(full.comparisons[0], candidate="clv", baseline="boost", is_method_sensitive=True)
    results = replace(full, comparisons=(*full.comparisons, one))
    named = "Kendall τ-b (CLV against Gradient boosting)"
    assert list_method_sensitive(Index(results)) == [named]
    words = [str(b) for s in build_document(results).sections for b in s.blocks]
    assert sum(named in each for each in words) == 2
    assert not any("the kind of interval changes no" in each.lower() for each in words)


def test_a_sensitive_verdict_of_several_datasets_names_its_own():
    full = made.wallet()
    autumn = replace(full.datasets[0], name="autumn")
    one = replace(full.comparisons[0], dataset="autumn", is_method_sensitive=True)
    results = replace(full, datasets=(*full.datasets, autumn), comparisons=(one,))
    assert list_method_sensitive(Index(results)) == ["Kendall τ-b (Gradient boosting, autumn)"]


def buckets(*limits):
    """The numbers of buckets 5 and 10, with a difference and its limits for each."""
    rows = tuple(
        BucketCount("holdout", "rmse", "boost", "clv", n, *each)
        for n, each in zip((5, 10), limits, strict=True)
    )
    return replace(made.wallet(), sensitivity=Sensitivity(bucket_counts=rows))


def test_each_number_of_buckets_is_a_column_with_its_difference_and_interval():
    results = buckets((4.0, 1.0, 7.0), (2.0, -1.0, 5.0))
    table = tables(results)["robustness-1"]
    assert [c.title for c in table.columns] == ["Metric", "Model", "5 buckets", "10 buckets"]
    assert [(c.text, c.note) for c in table.rows[0][2:]] == [
        ("+4.0", "+1.0 to +7.0"),
        ("+2.0", "−1.0 to +5.0"),
    ]


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (
            [(4.0, 1.0, 7.0), (2.0, -1.0, 5.0)],
            "Whether the interval includes zero depends on the "
            "number of buckets: root mean squared error (Gradient boosting against CLV).",
        ),
        (
            [(4.0, 1.0, 7.0), (2.0, 0.5, 3.5)],
            "The number of buckets does not change whether these intervals include zero.",
        ),
    ],
)
def test_a_side_that_changes_with_the_number_of_buckets_is_named(limits, said):
    blocks = list(iter_unfolded(robustness.build_robustness_section(buckets(*limits)).blocks))
    assert said in [block.phrase[0].text for block in blocks if isinstance(block, Paragraph)]


def test_the_forest_shows_the_declared_analysis_and_those_with_another_verdict():
    blocks = [
        b for s in build_document(results_of("wallet")).sections for b in iter_unfolded(s.blocks)
    ]
    curve = next(b for b in blocks if getattr(b, "id", "") == "specification-curve")
    assert {row.name for row in curve.rows} == {"As declared", "Without one-time customers"}


def test_no_forest_stands_where_all_analyses_agree():
    blocks = [
        b for s in build_document(results_of("churn")).sections for b in iter_unfolded(s.blocks)
    ]
    assert not [b for b in blocks if getattr(b, "id", "") == "specification-curve"]


def test_the_declared_analysis_has_the_word_of_page_one():
    results = results_of("wallet")
    blocks = [b for s in build_document(results).sections for b in iter_unfolded(s.blocks)]
    curve = next(b for b in blocks if getattr(b, "id", "") == "specification-curve")
    [word] = [row.word for row in curve.rows if row.name == "As declared"]
    [page_one] = [
        row.word for row in results.conclusion.rows if row.candidate == results.conclusion.about
    ]
    assert word.lower() == page_one


def test_an_analysis_that_one_pair_lacks_has_a_dash_there():
    whole = results_of("wallet")
    first, *others = dict.fromkeys(c.candidate for c in whole.sensitivity.choices)
    assert others
    choices = tuple(
        c for c in whole.sensitivity.choices if c.candidate != first or c.value != "bca"
    )
    lacking = replace(whole, sensitivity=replace(whole.sensitivity, choices=choices))
    lengths = []
    for results in (whole, lacking):
        blocks = [b for s in build_document(results).sections for b in iter_unfolded(s.blocks)]
        table = next(b for b in blocks if getattr(b, "id", "") == "robustness-conventions")
        assert {len(row) for row in table.rows} == {len(table.columns)}
        lengths.append(len(table.rows))
    assert lengths[0] == lengths[1]
    row = next(row for row in table.rows if row[0].text == "With BCa intervals")
    assert [cell.text == "–" for cell in row[2:]].count(True) == 1


def chosen(full, *kinds):
    """The wallet report with these choices beside the declared analysis, the last turning it."""
    rows = tuple(
        AlternativeChoice(
            "holdout",
            "kendall",
            "boost",
            "clv",
            kind,
            "percentile",
            0.1,
            0.05,
            0.15,
            0.95,
            9,
            "better",
            kind == kinds[-1],
            kind=kind,
        )
        for kind in kinds
    )
    alike = tuple(replace(c, is_method_sensitive=False) for c in full.comparisons)
    more = replace(full.sensitivity, choices=rows)
    return replace(full, comparisons=alike, sensitivity=more)


def of_robustness(results):
    return str(next(s for s in build_document(results).sections if s.id == "robustness"))


def test_a_verdict_that_another_kind_of_interval_turns_is_named():
    full = made.wallet()
    text = of_robustness(chosen(full, "declared", "interval"))
    assert "With another kind of interval, the verdict on" in text
    assert "changes for Gradient boosting" in text
    assert "kind of interval changes no" not in text
    text = of_robustness(chosen(full, "declared", "interval", "definition"))
    assert "At least one re-analysis changes a verdict. The kind of interval changes no" in text


def test_one_analysis_alone_has_no_heading_of_what_would_change_the_verdict():
    full = made.wallet()
    assert "What would change the verdict" not in of_robustness(chosen(full, "declared"))
    assert "What would change the verdict" in of_robustness(chosen(full, "declared", "definition"))


@pytest.mark.parametrize(
    ("many", "stronger", "weaker", "said"),
    [
        (1, 0, 0, "The one re-analysis agrees."),
        (1, 1, 0, "The one re-analysis agrees, more strongly."),
        (1, 0, 1, "The one re-analysis agrees, less strongly."),
        (2, 0, 0, "Both re-analyses agree."),
        (3, 0, 0, "All 3 re-analyses agree."),
        (12, 8, 0, "All 12 re-analyses agree, 8 of them more strongly."),
        (11, 0, 1, "All 11 re-analyses agree, 1 of them less strongly."),
    ],
)
def test_the_other_analyses_are_told_in_plain_words(many, stronger, weaker, said):
    tried = [
        AlternativeChoice(
            "holdout",
            "kendall",
            "boost",
            "clv",
            "interval",
            f"method {k}",
            0.1,
            0.05,
            0.15,
            0.95,
            80,
            "clearly better" if k < stronger or (weaker and k >= weaker) else "better",
            False,
        )
        for k in range(many)
    ]
    word = "clearly better" if weaker else "better"
    declared = replace(tried[0], kind="declared", choice="declared", word=word)
    tried = [declared, *(replace(each, kind="interval") for each in tried)]
    assert say_agreement(tried, made.wallet().datasets[0], {}) == said

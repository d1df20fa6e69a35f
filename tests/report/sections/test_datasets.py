"""Several datasets: a row each beside the primary, on page one too."""

from dataclasses import replace

from reportgen.report.conclusion import conclude
from reportgen.report.layout import build_document
from reportgen.report.sections import across_datasets
from reportgen.report.sections.across_datasets import build_datasets_overview
from reportgen.report.sections.index import Index
from tests.report.sections import results_factory as made


def several(*verdicts, **more):
    """The wallet's results, and the same again on further datasets with other verdicts."""
    plain = made.wallet(**more)
    results = plain
    for name, word in verdicts:
        data = replace(plain.datasets[0], name=name, n=500)
        found = tuple(
            replace(c, dataset=name, word=word) if c.key == "kendall" else replace(c, dataset=name)
            for c in plain.comparisons
        )
        results = replace(
            results,
            datasets=(*results.datasets, data),
            comparisons=(*results.comparisons, *found),
            estimates=(*results.estimates, *(replace(e, dataset=name) for e in plain.estimates)),
        )
    return results


def test_each_dataset_is_a_row_and_the_primary_one_is_first():
    table = build_datasets_overview(Index(several(("late", "worse"), ("far", "better"))))
    assert [row[0].text for row in table.rows] == ["holdout", "late", "far"]
    assert [row[0].note for row in table.rows] == ["primary", "", ""]
    assert [row[-1].text for row in table.rows] == ["Clearly better", "Worse", "Better"]
    assert [row[-1].tone for row in table.rows] == ["good", "bad", "good"]
    assert "The datasets are not a random sample" in table.caption
    assert across_datasets.build_across_section(several(("late", "worse"))).blocks[0].id == table.id


def test_one_dataset_has_no_overview_and_no_row_on_page_one():
    assert build_datasets_overview(Index(made.wallet())) is None
    assert {row.dataset for row in conclude(made.wallet()).consequences} == {"holdout"}


def test_page_one_has_a_row_for_each_other_dataset_and_the_primary_one_decides():
    found = conclude(several(("late", "worse"), ("far", "better")))
    rows = [(r.dataset, r.key, r.word) for r in found.consequences if r.dataset != "holdout"]
    assert rows == [
        ("late", "kendall", "worse"),
        ("late", "mae", "worse"),
        ("far", "kendall", "better"),
        ("far", "mae", "worse"),
    ]
    assert found.rows == conclude(made.wallet()).rows
    far = conclude(several(("far", "better")))
    assert far.answer == conclude(made.wallet()).answer


def test_many_candidates_stand_below_one_another_within_each_dataset():
    full = made.crowd()
    data = replace(full.datasets[0], name="late")
    more = tuple(replace(c, dataset="late") for c in full.comparisons)
    results = replace(full, datasets=(*full.datasets, data), comparisons=(*full.comparisons, *more))
    table = build_datasets_overview(Index(results))
    assert len(table.rows) == 2 * len(Index(full).candidates)
    assert build_document(results)

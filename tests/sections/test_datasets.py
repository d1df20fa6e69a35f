"""Several datasets: a row each beside the primary, and one line of page one."""

from dataclasses import replace

from reportgen.sections import document
from reportgen.sections.datasets import overview
from reportgen.sections.front import verdict
from reportgen.sections.index import Index
from reportgen.sections.scores import across
from tests.sections import results_factory as made


def several(*verdicts, **more):
    """The wallet's results, and the same again on further datasets with other verdicts."""
    plain = made.wallet(**more)
    results = plain
    for name, word in verdicts:
        data = replace(plain.datasets[0], name=name, n=500)
        found = tuple(
            replace(c, dataset=name, verdict=word, beyond_margin=False)
            if c.key == "kendall" else replace(c, dataset=name)
            for c in plain.comparisons
        )  # fmt: skip
        results = replace(
            results,
            datasets=(*results.datasets, data),
            comparisons=(*results.comparisons, *found),
            estimates=(*results.estimates, *(replace(e, dataset=name) for e in plain.estimates)),
        )
    return results


def page_one_line(results):
    callout = verdict.section(results).blocks[0]
    lines = ["".join(getattr(s, "text", s) for s in each) for each in callout.body]
    return [line for line in lines if line.startswith("Other datasets")]


def test_each_dataset_is_a_row_and_the_primary_one_is_first():
    table = overview(Index(several(("late", "worse"), ("far", "better"))))
    assert [row[0].text for row in table.rows] == ["holdout", "late", "far"]
    assert [row[0].note for row in table.rows] == ["primary", "", ""]
    assert [row[-1].text for row in table.rows] == ["better", "worse", "better"]
    assert [row[-1].tone for row in table.rows] == ["good", "bad", "good"]
    assert "They are no sample of datasets" in table.caption
    assert across.section(several(("late", "worse"))).blocks[0].id == table.id


def test_one_dataset_has_no_overview_and_no_line():
    assert overview(Index(made.wallet())) is None
    assert page_one_line(made.wallet()) == []


def test_page_one_names_the_dataset_that_disagrees_and_the_one_that_does_not():
    (line,) = page_one_line(several(("late", "worse"), ("far", "better")))
    assert line == (
        "Other datasets: this is the verdict on holdout. On late Gradient boosting is worse. "
        "On far Gradient boosting is better."
    )


def test_the_verdict_is_that_of_the_primary_dataset_whatever_the_others_say():
    alone = verdict.section(made.wallet()).blocks[0]
    beside = verdict.section(several(("late", "worse"))).blocks[0]
    assert (alone.tag, alone.title, alone.tone) == (beside.tag, beside.title, beside.tone)


def test_many_candidates_stand_below_one_another_within_each_dataset():
    full = made.crowd()
    data = replace(full.datasets[0], name="late")
    more = tuple(replace(c, dataset="late") for c in full.comparisons)
    results = replace(full, datasets=(*full.datasets, data), comparisons=(*full.comparisons, *more))
    table = overview(Index(results))
    assert len(table.rows) == 2 * len(Index(full).candidates)
    assert document(results)
    (line,) = page_one_line(results)
    assert "The verdicts are the same on late." in line

"""Page one tells where a difference comes from: of which classes, folds or data sets."""

from dataclasses import replace

import pytest

from reportgen.report.document import Table, Text
from reportgen.report.sections import across_datasets
from reportgen.report.sections.across_datasets import build_rank_figure
from reportgen.report.sections.index import Index
from reportgen.report.sections.page_one import build_page_one_section
from reportgen.results.core import Comparison
from tests.worked import results_of


def table(name: str) -> Table:
    """That table of a worked report."""
    blocks = build_page_one_section(results_of(name)).blocks
    [found] = [
        b
        for b in blocks
        if isinstance(b, Table) and b.id.startswith("first-") and b.id != "first-calls"
    ]
    return found


@pytest.mark.parametrize(
    ("name", "title"),
    [
        (
            "movies",
            "On which labels do Gradient boosting and Logistic regression differ in F score?",
        ),
        ("folds", "On how many folds does each model beat Logistic regression?"),
        ("auc-matrix", "On how many tables does each model beat Logistic regression?"),
    ],
)
def test_page_one_asks_where_the_difference_is(name: str, title: str) -> None:
    assert table(name).title == title


def test_where_no_class_differs_one_sentence_says_so() -> None:
    blocks = build_page_one_section(results_of("digits")).blocks
    said = ["".join(span.text for span in b.phrase) for b in blocks if isinstance(b, Text)]
    assert said == [
        "The data cannot tell Random forest and Logistic regression apart by F score on any of the "
        "10 classes."
    ]


def test_a_class_shown_to_differ_stands_before_larger_differences_of_few_rows() -> None:
    results = results_of("digits")
    about = Index(results).about

    def unclear(c: Comparison, k: int) -> Comparison:
        if c.candidate != about:
            return c
        if k == 0:
            return replace(c, difference=0.01, se=0.002, word="better")
        return replace(c, difference=0.2 + k / 100, se=0.3, word="cannot tell")

    classes, at = [], 0
    for each in results.classes:
        is_one = each.metric == "f" and bool(each.value)
        if is_one:
            made = tuple(unclear(c, at) for c in each.comparisons)
            each, at = replace(each, comparisons=made), at + 1
        classes.append(each)
    blocks = build_page_one_section(replace(results, classes=tuple(classes))).blocks
    [found] = [b for b in blocks if isinstance(b, Table) and b.id == "first-classes"]
    assert found.rows[0][3].value == 0.01
    assert "with the clearest differences" in found.caption
    assert "Too few" not in found.caption
    one = {c.value for d in results.datasets for c in d.classes[:1]}
    few = tuple(
        replace(d, classes=tuple(replace(c, n=7) if c.value in one else c for c in d.classes))
        for d in results.datasets
    )
    changed = replace(results, datasets=few, classes=tuple(classes))
    blocks = build_page_one_section(changed).blocks
    [found] = [b for b in blocks if isinstance(b, Table) and b.id == "first-classes"]
    assert "to compare: " in found.caption


def test_a_candidate_that_shares_no_fold_with_the_baseline_still_has_a_row() -> None:
    results = results_of("folds")
    bare = tuple(replace(v, value=None) if v.model == "forest" else v for v in results.fold_values)
    blocks = build_page_one_section(replace(results, fold_values=bare)).blocks
    [found] = [b for b in blocks if isinstance(b, Table) and b.id == "first-folds"]
    for row in found.rows:
        assert len(row) == len(found.columns)
    assert [cell.text for cell in found.rows[0][1:4]] == ["0 of 0", "–", "–"]


def test_folds_ahead_are_counted() -> None:
    results = results_of("folds")
    index = Index(results)
    assert index.baseline is not None
    key, base = index.leading.key, index.baseline.name
    loss = {(v.model, v.round, v.fold): v.value for v in results.fold_values if v.key == key}
    folds = {place[1:] for place in loss}
    for row, model in zip(table("folds").rows, ("forest", "boosted"), strict=True):
        ahead = sum(loss[model, *f] < loss[base, *f] for f in folds)
        assert row[1].text == f"{ahead} of {len(folds)}"


def test_the_baseline_has_its_rank_and_no_difference() -> None:
    first = table("auc-matrix").rows[0]
    assert [cell.text for cell in first] == ["Logistic regression", "1.25", "baseline", "", ""]


def test_two_classes_scored_once_have_none() -> None:
    blocks = build_page_one_section(results_of("churn")).blocks
    assert not {"first-classes", "first-folds", "first-ranks"} & {
        b.id for b in blocks if isinstance(b, Table)
    }


def test_a_verdict_over_datasets_that_is_another_than_above_is_explained() -> None:
    results = results_of("auc-matrix")
    [across] = results.across
    plain = {(c.candidate, c.baseline): c.word for c in results.comparisons if c.segment is None}
    turned = tuple(
        replace(c, word="cannot tell" if c.candidate == "hgb" else plain[c.candidate, c.baseline])
        for c in across.comparisons
        if (c.candidate, c.baseline) in plain
    )
    blocks = build_page_one_section(
        replace(results, across=(replace(across, comparisons=turned),))
    ).blocks
    [found] = [b for b in blocks if isinstance(b, Table) and b.id == "first-ranks"]
    assert "For Gradient boosting, this verdict differs from the one above" in found.caption
    assert "adjusted for 4 comparisons" in found.caption


@pytest.mark.parametrize(
    ("adjust", "level", "pairs", "said"),
    [
        ("holm", 1 - 0.05 / 12, 10, "adjusted for 12 comparisons"),  # two metrics in one family
        (
            "holm",
            1 - 0.05 / 10,
            4,
            "adjusted for 10 comparisons",
        ),  # the others without the baseline
        ("holm", 0.95, 1, ""),
        ("none", 0.95, 10, "unadjusted"),
        ("bh", 1 - 0.05 / 10, 10, "adjusted for 10 comparisons"),
    ],
)
def test_the_comparisons_that_limits_over_datasets_allow_for_are_those_of_their_level(
    adjust: str, level: float, pairs: int, said: str
) -> None:
    results = results_of("auc-matrix")
    [across] = results.across
    compared = tuple(replace(c, level=level) for c in across.comparisons[:pairs])
    inference = replace(results.inference, adjust=adjust)
    changed = replace(results, across=(replace(across, comparisons=compared),), inference=inference)
    [found] = [
        b for b in build_page_one_section(changed).blocks if getattr(b, "id", "") == "first-ranks"
    ]
    assert (
        isinstance(found, Table)
        and ", ".join(filter(None, ("exact signed-rank CIs", said))) + "." in found.caption
    )


def test_names_beside_bars_of_ranks_are_whole_where_they_fit() -> None:
    results = results_of("auc-matrix")
    [across] = results.across
    assert across.cliques
    ticks = dict(build_rank_figure(Index(results), across).panels[0].y.ticks)
    labels = {m.name: m.label for m in results.models}
    for row, group in enumerate(across.cliques, len(across.models) + 1):
        between = ", " if len(group) == 2 else " to "
        assert ticks[float(row)] == between.join((labels[group[0]], labels[group[-1]]))
    assert max(map(len, ticks.values())) <= 34


def test_a_posterior_that_was_drawn_is_never_certain() -> None:
    [pairs] = [
        b
        for b in across_datasets.build_across_blocks(Index(results_of("auc-matrix")))
        if isinstance(b, Table) and b.id == "across-pairs"
    ]
    told = [cell.text for row in pairs.rows for cell in row if cell.text.count(", ") == 2]
    shares = [share for text in told if "%" in text for share in text.split(", ")]
    assert len(shares) == 30 and not {"0.0%", "0%", "100%"} & set(shares)
    assert {"under 0.1%", "over 99.9%"} & set(shares)

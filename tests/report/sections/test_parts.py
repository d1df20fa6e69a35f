"""Page one tells where a difference comes from: of which classes, folds or data sets."""

from dataclasses import replace

import pytest

from reportgen.report.document import Table
from reportgen.report.sections import across_datasets
from reportgen.report.sections.across_datasets import build_rank_figure
from reportgen.report.sections.index import Index
from reportgen.report.sections.page_one import build_page_one_section
from reportgen.results.core import Comparison
from reportgen.results.verdicts import word_side
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
        ("digits", "In which classes do Random forest and Logistic regression differ in F score?"),
        (
            "movies",
            "In which labels do Gradient boosting and Logistic regression differ in F score?",
        ),
        ("folds", "On how many folds is Logistic regression beaten?"),
        ("auc-matrix", "On how many tables is Logistic regression beaten?"),
    ],
)
def test_page_one_asks_where_the_difference_is(name: str, title: str) -> None:
    assert table(name).title == title


def test_at_most_seven_classes_are_told_those_shown_to_differ_before_others() -> None:
    results = results_of("digits")
    index = Index(results)
    known = {
        c.difference: c
        for each in results.classes
        if each.metric == "f" and each.value
        for c in each.comparisons
        if c.candidate == index.about
    }
    rows = table("digits").rows
    shown = [row[3].value for row in rows]
    assert len(rows) == 7 and set(shown) < set(known)
    assert shown == sorted(shown, key=lambda each: -abs(each))
    clear = {d: (word_side(c.word) != 0, abs(d) / c.se) for d, c in known.items()}
    assert min(clear[d] for d in shown) >= max(clear[d] for d in known if d not in shown)


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
    assert "those shown to differ stand first" in found.caption
    assert "Too few" not in found.caption
    one = {c.value for d in results.datasets for c in d.classes[:1]}
    few = tuple(
        replace(d, classes=tuple(replace(c, n=7) if c.value in one else c for c in d.classes))
        for d in results.datasets
    )
    blocks = build_page_one_section(replace(results, datasets=few)).blocks
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
    said = "Verdicts on Gradient boosting differ from those above, where their mean is judged by"
    assert said not in table("auc-matrix").caption
    [across] = results.across
    turned = tuple(
        replace(c, word="cannot tell") if c.candidate == "hgb" and c.baseline == "logreg" else c
        for c in across.comparisons
    )
    blocks = build_page_one_section(
        replace(results, across=(replace(across, comparisons=turned),))
    ).blocks
    [found] = [b for b in blocks if isinstance(b, Table) and b.id == "first-ranks"]
    assert "Gradient boosting" in found.caption and "differ from those above" in found.caption
    assert "adjusted for 10 comparisons" in found.caption


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
        ("holm", 0.95, 1, "of one comparison"),
        ("none", 0.95, 10, "not adjusted for their number"),
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
    assert isinstance(found, Table) and f"exact signed ranks, {said}." in found.caption


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

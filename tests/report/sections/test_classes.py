"""Sentences of the page on classes: rare and absent ones, and classes that share a row."""

from dataclasses import replace

import pytest

from reportgen.report.document import Bullets, Figure
from reportgen.report.sections.classes import build_classes_section, iter_label_findings
from reportgen.report.sections.index import ClassResults, Index
from reportgen.results import Results
from reportgen.results.core import ClassInfo
from tests.worked import results_of


def without(value: str, n: int) -> Results:
    """The digits where so few rows are of one class that nothing is shown of it."""
    results = results_of("digits")
    main = Index(results).main
    classes = tuple(replace(c, n=n) if c.value == value else c for c in main.classes)
    every = tuple(
        replace(each, n=n, comparisons=()) if each.value == value else each
        for each in results.classes
    )
    datasets = tuple(
        replace(d, classes=classes) if d.name == main.name else d for d in results.datasets
    )
    return replace(results, datasets=datasets, classes=every)


def findings(results: Results) -> str:
    found = build_classes_section(results)
    assert found is not None
    items = [item for b in found.blocks if isinstance(b, Bullets) for item in b.items]
    return " ".join("".join(span.text for span in item) for item in items)


@pytest.mark.parametrize("n", [4, 0])
def test_a_class_that_was_not_judged_is_not_among_every_class(n: int) -> None:
    verdicts = [
        c.word
        for each in results_of("digits").classes
        for c in each.comparisons
        if each.metric == "f"
    ]
    assert verdicts
    for verdict in ("better", "worse", "cannot tell"):
        results = without("7", n)
        every = tuple(
            replace(each, comparisons=tuple(replace(c, word=verdict) for c in each.comparisons))
            for each in results.classes
        )
        said = findings(replace(results, classes=every))
        assert "the 9 classes that could be judged" in said
        assert "every class" not in said


def test_classes_that_share_a_row_are_not_named_as_one() -> None:
    results = results_of("digits")
    main = Index(results).main
    k = 45
    classes = tuple(ClassInfo(f"c{i}", f"c{i}", 100 - i) for i in range(k))
    # c44 and c43, the rarest, are mixed up most; together the rarest are most often called c0.
    weight = [[0.0] * k for _ in range(k)]
    for i in range(k):
        weight[i][i] = 60.0
        weight[i][0] += 3.0
    weight[44][43] = 9.0
    matrices = tuple(replace(each, weight=tuple(map(tuple, weight))) for each in results.confusions)
    datasets = tuple(
        replace(d, classes=classes) if d.name == main.name else d for d in results.datasets
    )
    means = tuple(replace(v, value="", comparisons=()) for v in results.classes if v.average)
    results = replace(results, datasets=datasets, classes=means, confusions=matrices)
    found = build_classes_section(replace(results, confusion_differences=()))
    assert found is not None
    figures = [b for b in found.blocks if isinstance(b, Figure) and b.id.startswith("confusion-")]
    assert len(figures) == 2
    for figure in figures:
        assert "it predicts class c43 for 13% of class c44" in figure.title
        shown = [name for _, name in figure.panels[0].x.ticks]
        assert {"c44", "c43", "c0"} < set(shown) and "c42" not in shown
        assert "The 6 others are the classes with the fewest images" in figure.caption
        assert figure.panels[0].x.ticks[-1] == (40.0, "6 others")


def test_the_difference_of_ten_classes_has_a_whole_page_and_dots_for_what_is_shown() -> None:
    results = results_of("digits")
    assert results.confusion_differences
    moved = [c for c in results.confusion_differences if c.candidate == "forest" and c.difference]
    shown = replace(moved[0], is_shown=True)
    cells = tuple(shown if c == moved[0] else c for c in results.confusion_differences)
    found = build_classes_section(replace(results, confusion_differences=cells))
    assert found is not None
    [figure] = [b for b in found.blocks if getattr(b, "id", "") == "confusion-difference"]
    assert isinstance(figure, Figure) and figure.width == "full"
    [series] = figure.panels[0].series
    assert series.marks.count("filled") == 1 and len(series.marks) == len(series.texts)


def test_a_label_that_no_row_has_is_still_called_in_vain() -> None:
    results = results_of("movies")
    found = ClassResults(Index(results))
    model = found.index.about
    rare = found.classes[0].value
    vain = tuple(
        replace(c, true_positives=0.0, false_positives=207.0, false_negatives=0.0)
        if (c.model, c.value) == (model, rare)
        else c
        for c in results.label_confusions
    )
    datasets = tuple(
        replace(d, classes=tuple(replace(c, n=0) if c.value == rare else c for c in d.classes))
        for d in results.datasets
    )
    changed = ClassResults(Index(replace(results, label_confusions=vain, datasets=datasets)))
    (text,) = map(str, iter_label_findings(changed))
    assert found.names[rare] in text and "100%" in text

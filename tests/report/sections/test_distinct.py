"""Long model names stay apart on every page."""

from dataclasses import replace

import pytest

from reportgen.report.document import iter_unfolded
from reportgen.report.layout import build_document
from reportgen.report.wording.names import make_names_distinct
from tests.report.sections import results_factory as made

START = "Gradient boosted machine, retrained in quarter"
END = "with the extended feature set and every row of the last year"


def labelled(*labels, names=None):
    results = made.crowd(models=3, metrics=2, segments=0)
    given = names or [m.name for m in results.models]
    models = (
        replace(m, name=n, label=label)
        for m, n, label in zip(results.models, given, labels, strict=True)
    )
    return replace(results, models=tuple(models))


def labels(results):
    return [m.label for m in make_names_distinct(results).models]


def test_names_that_differ_at_an_end_are_left_as_they_are():
    typed = [f"{START} {k} with the extended feature set number {k}" for k in range(3)]
    assert labels(labelled(*typed)) == typed


def test_names_that_differ_in_their_middle_get_their_key():
    typed = [f"{START} {k} {END}" for k in range(2)]
    assert labels(labelled(*typed, "Short")) == [f"clv: {typed[0]}", f"m1: {typed[1]}", "Short"]


def test_a_long_key_gives_way_to_a_number():
    typed = [f"{START} {k} {END}" for k in range(2)]
    names = ["clv", "boosting_of_the_first_quarter", "m2"]
    assert labels(labelled(*typed, "Short", names=names))[1] == f"2: {typed[1]}"


@pytest.mark.parametrize("middle", ["", "x"])
def test_every_card_of_a_report_has_its_own_name(middle):
    typed = [f"{START} {middle * k} {END}" for k in range(3)]
    results = labelled(*typed)
    columns = build_document(results).sections
    [results] = [s for s in columns if s.id == "results"]
    scores = next(
        b for b in iter_unfolded(results.blocks) if getattr(b, "id", "") == "scores-table"
    )
    heads = [column.title for column in scores.columns[1:4]]
    assert len(heads) == len(set(heads)) == 3


@pytest.mark.parametrize(
    ("key", "shown"),
    [("capture", "captured spend"), ("capture by the top 20%", "capture by the top 20%")],
)
def test_a_bare_key_gives_way_to_the_phrase_and_a_key_in_words_stays(key, shown):
    results = made.crowd(models=2, metrics=1, segments=0)
    (metric,) = results.metrics
    named = replace(metric, key=key, label=key, phrase="captured spend")
    assert make_names_distinct(replace(results, metrics=(named,))).metrics[0].label == shown

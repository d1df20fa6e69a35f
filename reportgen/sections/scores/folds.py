"""Folds: what the intervals are about, both questions side by side, each fold's difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen import wording
from reportgen.document import (
    Axis,
    Block,
    Bullets,
    Cell,
    Figure,
    Mark,
    Panel,
    Phrase,
    Reference,
    Section,
    Series,
    Table,
    TableColumn,
    phrase,
)
from reportgen.results import FoldComparison, MetricInfo, ModelInfo, Number, Results
from reportgen.sections.index import Index
from reportgen.sections.scores.forests import better_to_the_right
from reportgen.wording import folds as words

_MOST_ROWS = 40
_MOST_PANELS = 3
_TITLES = {"procedure": "Fitted again", "fitted": "These models"}


def section(results: Results) -> Section | None:
    """None where one fit scored all rows."""
    index = Index(results)
    if index.main.question is None:
        return None
    blocks: list[Block] = [Bullets(tuple(_said(index)))]
    figure = _figure(index)
    if figure is not None:
        blocks.append(figure)
    if any(c.dataset == index.main.name for c in results.fold_comparisons):
        blocks.append(_questions(index))
    blocks.append(_values(index))
    return Section("folds", "Folds", tuple(blocks))


def _said(index: Index) -> Iterator[Phrase]:
    main = index.main
    yield phrase(
        f"{wording.capital(words.folds(main))}: each row was scored by a model fitted on "
        f"{words.fitted_on(main)}, {words.train_share(main)} of all rows."
    )
    yield phrase(f"Intervals, verdicts and gates are about {words.question(main)}.")
    if main.question == "procedure":
        yield phrase(
            f"Folds share {words.shared(main)}, and are not taken for independent: "
            "their variance is raised by that share (Nadeau and Bengio 2003)."
        )
    else:
        yield phrase("Rows are resampled within folds. Another sample to learn from is no part "
                     "of the doubt.")  # fmt: skip
    yield phrase("Neither is about the model fitted on all rows, which nobody has judged.")
    keys = index.results.config.get("folds")
    if isinstance(keys, dict) and keys.get("average") == "folds":
        yield phrase("As the config asks, functions of counts are means over the folds, too.")
    if main.is_pooled:
        yield phrase(
            "As the config asks, rows of all folds are ranked together, though the scores of two "
            "fits are on two scales: what measures order may be too low."
        )
    else:
        yield phrase("No order of rows goes across folds: what measures order, and curves along "
                     "it, are means over the folds.")  # fmt: skip


def pairs_of_questions(
    index: Index, metric: MetricInfo
) -> list[tuple[FoldComparison, FoldComparison]]:
    """The comparisons with the baseline: the question that is asked, and the other one."""
    mine = [c for c in index.results.fold_comparisons
            if c.dataset == index.main.name and c.key == metric.key
            and index.baseline is not None and c.baseline == index.baseline.name]  # fmt: skip
    other = {c.candidate: c for c in mine if not c.is_asked}
    return [(c, other[c.candidate]) for c in mine if c.is_asked and c.candidate in other]


def _questions(index: Index) -> Table:
    asked = index.main.question or "procedure"
    beside = "fitted" if asked == "procedure" else "procedure"
    columns = (
        TableColumn("Metric", is_numeric=False),
        TableColumn("Candidate", is_numeric=False),
        TableColumn("Difference"),
        TableColumn(_TITLES[asked], note="decides"),
        TableColumn(_TITLES[beside], note="beside it"),
    )
    level = wording.level(index.results.inference.level)
    against = wording.name(index.baseline.label if index.baseline else "", 40)
    caption = (
        f"Differences from {against} with {level} intervals of both questions, each by itself: "
        f"of {words.PROCEDURE}; and of {words.FITTED}."
    )
    rows = [
        _row(index, metric, *pair)
        for metric in index.metrics
        for pair in pairs_of_questions(index, metric)
    ]
    return Table("folds-questions", caption, columns, tuple(rows))


def _row(
    index: Index, metric: MetricInfo, asked: FoldComparison, beside: FoldComparison
) -> tuple[Cell, ...]:
    form = wording.form_of(asked.difference, asked.low, asked.high, metric.unit)
    return (
        Cell(wording.name(metric.label, 40), is_strong=metric.is_primary),
        Cell(wording.name(index.label(asked.candidate), 40)),
        Cell(form.number(asked.difference, signed=True), value=asked.difference),
        *(_interval(each, metric) for each in (asked, beside)),
    )


def _interval(found: FoldComparison, metric: MetricInfo) -> Cell:
    form = wording.form_of(found.difference, found.low, found.high, metric.unit, (0.0,))
    text = form.interval(found.low, found.high, signed=True)
    return Cell(text, note="" if found.p_value is None else wording.p_value(found.p_value))


def on_folds(index: Index, metric: MetricInfo) -> dict[str, dict[tuple[str, str], Number]]:
    """The leading metric by model, and by round and fold."""
    found: dict[str, dict[tuple[str, str], Number]] = {}
    for v in index.results.fold_values:
        if v.dataset == index.main.name and v.key == metric.key:
            found.setdefault(v.model, {})[v.round, v.fold] = v.value
    return found


def _named(place: tuple[str, str]) -> str:
    name, fold = (wording.name(each, 20) for each in place)
    return f"round {name}, fold {fold}" if place[0] else f"fold {fold}"


def _figure(index: Index) -> Figure | None:
    """Each fold's difference on the leading metric, under that of all rows with its interval."""
    metric = index.leading
    values = on_folds(index, metric)
    pairs = [pair for pair, _ in pairs_of_questions(index, metric) if pair.candidate in values]
    if index.baseline is None or index.baseline.name not in values or not pairs:
        return None
    base = values[index.baseline.name]
    if len(base) > _MOST_ROWS:
        return None
    shown = [(pair, _differences(values[pair.candidate], base)) for pair in pairs[:_MOST_PANELS]]
    models = {m.name: m for m in index.results.models}
    panels = tuple(_panel(index, metric, models[c.candidate], c, d) for c, d in shown)
    first, drawn = shown[0]
    return Figure(
        "folds-differences",
        "forest",
        _title(index, metric, first, drawn),
        f"Each dot is the difference from {wording.name(index.baseline.label)} on one fold; the "
        f"line at the top is the {wording.level(first.level)} interval of the difference on all "
        f"rows, about {words.question(index.main)}.",
        " ".join(f"{_named(place)}: {_shown(value, first, metric)}." for place, value in drawn),
        panels,
        shares_axes=True,
        shares_rows=True,
    )


def _shown(value: Number, found: FoldComparison, metric: MetricInfo) -> str:
    """A fold's difference with as many digits as the interval of the difference on all rows."""
    form = wording.form_of(found.difference, found.low, found.high, metric.unit, (0.0,))
    return form.number(value, signed=True)


def _differences(
    candidate: dict[tuple[str, str], Number], baseline: dict[tuple[str, str], Number]
) -> list[tuple[tuple[str, str], Number]]:
    found = []
    for place, value in candidate.items():
        other = baseline.get(place)
        known = value is not None and other is not None
        found.append((place, value - other if known else None))  # type: ignore[operator]
    return found


def _title(
    index: Index,
    metric: MetricInfo,
    found: FoldComparison,
    drawn: Sequence[tuple[tuple[str, str], Number]],
) -> str:
    known = [value for _, value in drawn if value is not None]
    better = sum((value > 0) == (metric.better == "higher") and value != 0 for value in known)
    name = wording.name(index.label(found.candidate), 40)
    on = wording.lowered(wording.name(metric.label))
    return f"{name} is ahead in {better} of {wording.count(len(known), 'fold')} on {on}"


def _panel(
    index: Index,
    metric: MetricInfo,
    model: ModelInfo,
    found: FoldComparison,
    drawn: Sequence[tuple[tuple[str, str], Number]],
) -> Panel:
    places = [(place, value) for place, value in drawn]
    ticks = ((1.0, "all rows"), *((float(k), _named(p)) for k, (p, _) in enumerate(places, 2)))
    nothing: tuple[Number, ...] = (None,) * len(places)
    mark: Mark = "open"
    marks: tuple[Mark, ...] = ("filled", *(mark for _ in places))
    role = index.role(model.name)
    series = Series(
        wording.name(model.label),
        role,
        (found.difference, *(value for _, value in places)),
        tuple(place for place, _ in ticks),
        (found.low, *nothing),
        (found.high, *nothing),
        marks=marks,
        has_markers=True,
    )
    unit = f", {metric.unit}" if wording.has_unit(metric.unit) else ""
    label = f"difference in {wording.what_differs(metric, 40)}{unit}"
    return Panel(
        wording.name(model.label, 40),
        better_to_the_right(metric, label),
        Axis("", low=0.5, high=len(ticks) + 0.5, ticks=ticks),
        (series,),
        (Reference("no difference", x=(0.0,)),),
    )


def _values(index: Index) -> Table:
    metric = index.leading
    values = on_folds(index, metric)
    models = [m for m in index.results.models if m.name in values]
    sizes = {(v.round, v.fold): v.n for v in index.results.fold_values
             if v.dataset == index.main.name}  # fmt: skip
    columns = (
        TableColumn("Fold", is_numeric=False),
        TableColumn("Rows"),
        *(TableColumn(wording.name(m.label, 40)) for m in models),
    )
    rows = tuple(
        (
            Cell(wording.capital(_named(place))),
            Cell(wording.count(n), value=n),
            *(_value(values[m.name].get(place), metric) for m in models),
        )
        for place, n in list(sizes.items())[:_MOST_ROWS]
    )
    return Table("folds-values", f"{wording.name(metric.label)} on each fold.", columns, rows,
                 is_folded=True)  # fmt: skip


def _value(value: Number, metric: MetricInfo) -> Cell:
    if value is None:
        return Cell(wording.MISSING)
    return Cell(wording.form_of(value, None, None, metric.unit).number(value), value=value)

"""Robustness: what this sample could show, and what would have changed the answer."""

from __future__ import annotations

from reportgen import wording
from reportgen.document import Block, Bullets, Cell, Section, Table, TableColumn, Text, phrase
from reportgen.results import Comparison, MetricInfo, ModelInfo, Results
from reportgen.sections.cells import cut_note, metric_cell
from reportgen.sections.folding import in_full
from reportgen.sections.index import Index
from reportgen.sections.robustness import choices as conventions
from reportgen.sections.robustness.row_tables import row_tables
from reportgen.sections.robustness.second_opinion import method_sensitive
from reportgen.wording.numbers import size_amount
from reportgen.wording.robustness import (
    at_most,
    leans,
    why_measures_disagree,
)

_MOST = 100
_WAYS = ("interval", "formula")
_ALL_AGREE = "No verdict on all rows was found to depend on how its interval is made"


def section(results: Results) -> Section | None:
    """None where nothing is compared and no influence was found."""
    index = Index(results)
    blocks: list[Block] = [] if index.baseline is None else [_agreement(index)]
    blocks += [Text(phrase(line)) for line in _disagreement(index)]
    tables: list[Block] = []
    for place, (said, make) in enumerate(row_tables(index), 1):
        if (made := make(f"robustness-{place}")).rows:
            blocks += said
            tables.append(made)
    blocks += conventions.blocks(index)
    if index.baseline is not None:
        blocks.append(_power(index))
    blocks += in_full("Ranks, influence and deletion", tables)
    if blocks:
        at_worst = _at_most(index)
        blocks += in_full(at_worst.title, [at_worst] if at_worst.items else [])
    return Section("robustness", "Robustness", tuple(blocks)) if blocks else None


def _at_most(index: Index) -> Bullets:
    """What wrong rows can do to each metric, however wrong they are."""
    main = index.main
    is_tied = any(c.tied_pairs for c in main.columns if c.role in ("y", "score"))
    lines = at_most(index.metrics, main.n, main.effective_n is not None, is_tied, main.case)
    title = wording.of_cases("What wrong rows can do at most", main.case)
    return Bullets(tuple(map(phrase, lines)), title=title)


def _disagreement(index: Index) -> list[str]:
    """Whom the measures favour where they disagree, and what in the numbers makes them."""
    if index.baseline is None:
        return []
    against = index.baseline.label
    each = [(index.compared(m.name), m.label) for m in index.candidates]
    split = [
        wording.disagreement(compared, label, against) or leans(compared, label, against)
        for compared, label in each
    ]
    if not any(split):
        return []
    columns = index.main.columns
    y = next((c for c in columns if c.role == "y" and c.n and not c.is_flag), None)
    why = why_measures_disagree(
        index.sensitivity.tails,
        y.zeros / y.n if y else 0.0,
        (y.tied_pairs or 0.0) if y else 0.0,
        {c.model: c.tied_pairs or 0.0 for c in columns if c.role == "score" and c.model},
        index.labels,
    )
    return [line for line in (*split, why) if line]


def _power(index: Index) -> Table:
    """The smallest difference that could be shown, beside the one that was found."""
    rows = [
        (model, metric, c)
        for model in index.candidates
        for metric, c in index.compared(model.name)
        if c.status == "ok"
    ]
    columns = (
        TableColumn("Metric", is_numeric=False),
        TableColumn("Candidate", is_numeric=False),
        TableColumn("Difference"),
        TableColumn("Smallest detectable", note="80% power"),
        TableColumn("Margin"),
        TableColumn("Needed to settle it", note="where inconclusive"),
        TableColumn("Ahead in", note=f"share of {index.drawn}"),
    )
    caption = (
        "What this sample could show: a true difference of the smallest detectable size is found "
        "four times in five. “Ahead in” is a "
        f"{index.fraction}, no probability that the model is better."
    )
    return Table(
        "robustness-power",
        caption + cut_note(len(rows), _MOST),
        columns,
        tuple(_power_row(index, *row) for row in rows[:_MOST]),
    )


def _power_row(
    index: Index, model: ModelInfo, metric: MetricInfo, found: Comparison
) -> tuple[Cell, ...]:
    form = wording.form_for(found, metric)
    least, ahead = found.smallest_detectable, found.probability_better
    is_beyond = least is None and found.se is not None and found.low is not None
    size = size_amount(form, least) if form.unit == "share" else form.number(least)
    smallest = "none possible" if is_beyond else size
    margin = wording.MISSING if found.margin is None else wording.margin_size(found.margin, metric)
    return (
        metric_cell(index, metric),
        Cell(wording.name(model.label)),
        Cell(form.number(found.difference, signed=True), value=found.difference),
        Cell(smallest, value=least),
        Cell(margin, value=found.margin),
        _needed(found),
        Cell(wording.fraction_ahead(ahead, index.resamples), value=ahead),
    )


def _needed(found: Comparison) -> Cell:
    needed, drawn = found.n_to_settle, found.replicates_to_settle
    resamples = "" if drawn is None else f"at least {wording.count(drawn, 'resample')}"
    if needed is None:
        return Cell(resamples or wording.MISSING)
    rows = f"about {wording.units(wording.two_digits(needed), found.counted)}"
    return Cell(rows, note=resamples, value=needed)


def _agreement(index: Index) -> Text:
    """Whether a second method, or another kind of interval of the choices, gives other verdicts."""
    differing, choices = method_sensitive(index), index.sensitivity.choices
    if differing:
        named = wording.listed(differing, most=8)
        said = f"Method-sensitive, since a second method gives another verdict: {named}."
        return Text(phrase(said))
    turned = [c for c in choices if c.is_other and c.kind in _WAYS and c.dataset == index.main.name]
    if turned:
        whom = dict.fromkeys(wording.name(index.label(c.candidate), 40) for c in turned)
        metric = wording.lowered(wording.name(index.labels.get(turned[0].key, "")))
        said = f"With another kind of interval the verdict on {metric} of {wording.listed([*whom])}"
        return Text(phrase(f"{said} is another, see “{conventions.TITLE}”."))
    agreed = wording.of_cases(_ALL_AGREE, index.main.case)
    is_turned = any(c.is_other for c in choices)
    return Text(phrase(f"{agreed}{'; other choices turn one, see below' * is_turned}."))

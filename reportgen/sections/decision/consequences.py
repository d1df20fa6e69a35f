"""What else would change: one row for each metric and segment that the answer is held against."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen import wording
from reportgen.document import Cell, Table, TableColumn
from reportgen.results import DatasetInfo, MetricInfo
from reportgen.results.conclusion import Conclusion, Judged
from reportgen.sections.cells import BY_BINS, with_bins
from reportgen.sections.index import Index
from reportgen.wording import answers, rows
from reportgen.wording.words import TONES, WITHOUT_MARGIN, side_of

_DIRECTIONS = {"lower": "lower is better", "zero": "nearer to 0 is better",
               "one": "nearer to 1 is better"}  # fmt: skip


def table(index: Index, found: Conclusion, shown: Sequence[Judged]) -> Table:
    """One row for each thing that would change: both values, the difference, a word."""
    first = shown[0]
    about, baseline = (wording.name(index.label(m), 40) for m in (first.candidate, first.baseline))
    level = wording.level(index.results.inference.level)
    asks = {
        "replace": f"What would change with {about} in place of {baseline}?",
        "enough": f"What else is known of {about}?",
        "shift": f"What else is known of {about} beside {baseline}?",
    }.get(found.decision, f"What else would change with {about}?")
    return Table(
        "consequences",
        _notes(shown, index.main.name),
        (
            TableColumn("", is_numeric=False),
            TableColumn(baseline),
            TableColumn(about),
            TableColumn("Difference", note=f"{level} CI"),
            TableColumn("Verdict", is_numeric=False),
        ),
        tuple(_consequence(index, row, is_mixed=rows.is_mixed(shown)) for row in shown),
        is_stacked=True,
        title=asks,
    )


def _notes(shown: Sequence[Judged], main: str) -> str:
    """What the intervals of the table allow for, and what a word without a margin rests on."""
    has_margin = [row.margin is not None for row in shown if side_of(row.word)]
    bare = "" if all(has_margin) else WITHOUT_MARGIN
    here = [row for row in shown if row.dataset == main]
    others = "Of other datasets each has its own CI, not adjusted for their number."
    return " ".join(filter(None, (families(here), others * (len(here) < len(shown)), bare)))


def families(shown: Sequence[Judged]) -> str:
    """For how many comparisons of the report the intervals of the table are adjusted."""
    plain = {r.adjusted_for for r in shown if r.segment is None} - {0, 1}
    inside = {r.adjusted_for for r in shown if r.segment is not None} - {0, 1}
    left_out = any(r.adjusted_for == 0 for r in shown)
    if left_out and not plain | inside:
        return "CIs are not adjusted for the number of comparisons."
    parts = [f"{max(plain)} on other metrics"] if plain else []
    parts += [f"{max(inside)} within segments"] if inside else []
    if not parts:
        return ""
    more = f", unless “{wording.NOT_ADJUSTED}” stands beside them" if left_out else ""
    return f"CIs are adjusted for all such comparisons, shown or not: {' and '.join(parts)}{more}."


def _consequence(index: Index, row: Judged, *, is_mixed: bool) -> tuple[Cell, ...]:
    dataset = index.datasets[row.dataset]
    metric = wording.per_case(metric_of(index, row.key), dataset)
    unit, _, per = metric.unit.partition(" per ")
    form = rows.row_form([row], unit)
    name, note = _named(index, row, metric, f"per {per}" if per else "")
    if row.difference is None:
        said = wording.prose(row.reason, 80)
        return (Cell(name, note), Cell(wording.MISSING), Cell(wording.MISSING),
                Cell(wording.MISSING, said), _word(row, metric))  # fmt: skip
    interval = rows.limits(row, form)
    if row.word == "Equivalent" and row.low is not None:
        interval = f"{interval}, {rows.interval_of(row)}"
    if is_mixed and row.adjusted_for == 0:
        interval = f"{interval}, {wording.NOT_ADJUSTED}"
    off_by = index.off_by(row.key, row.candidate, row.baseline)
    return (
        Cell(name, note),
        Cell((form.amount(row.baseline_value)), value=row.baseline_value),
        Cell((form.amount(row.value)), value=row.value),
        Cell(
            form.amount(row.difference, signed=True),
            with_bins(interval, off_by, metric),
            value=row.difference,
        ),
        _word(row, metric, is_open_by_bins=index.is_open_by_bins(row.key, row.candidate)),
    )


def _word(row: Judged, metric: MetricInfo, *, is_open_by_bins: bool = False) -> Cell:
    """The word, the margin that it depends on, and whether bins alone keep it open."""
    is_judged = row.margin is not None and row.status == "ok"
    notes = [f"margin {wording.margin_size(row.margin, metric)}"] if is_judged else []
    notes += [BY_BINS] if is_open_by_bins else []
    return Cell(row.word, "; ".join(notes), tone=TONES[row.word], is_strong=True)


def _named(index: Index, row: Judged, metric: MetricInfo, per: str) -> tuple[str, str]:
    """What a row is about, and the small line under it."""
    dataset = index.datasets[row.dataset]
    said = answers.heading_of(metric)
    label = wording.lowered(wording.name(metric.label))
    notes = [label] if label != answers.phrase_of(metric) else []
    notes += [per] if per else []
    notes += [at] if (at := index.called_at(metric)) else []
    notes += [_DIRECTIONS[metric.better]] if metric.better in _DIRECTIONS else []
    notes += _without_a_model(dataset, metric) if row.segment is None else []
    notes += _of_the_top(dataset, metric) if row.segment is None else []
    if row.segment is not None:
        share = (wording.percent(row.n / dataset.n)) if dataset.n else ""
        notes.append(f"{wording.count(row.n, *dataset.case)}, {share} of all")
        if row.worst_of is not None and row.worst_of > 1:
            notes.append(f"worst of {row.worst_of} segments")
        segment = wording.segment_name(dataset, row.segment)
        said = f"{segment}{',' if ':' in segment else ':'} {answers.phrase_of(metric)}"
    elif dataset is not index.main:
        said = f"{said}, dataset {wording.name(row.dataset, 40)}"
        notes.append(wording.count(row.n, *dataset.case))
    return said, "; ".join(notes)


def _without_a_model(dataset: DatasetInfo, metric: MetricInfo) -> list[str]:
    """How often the commonest class for every row would be right, where the metric asks that."""
    target = next((c for c in dataset.columns if c.role == "y"), None)
    is_asked = metric.name == "accuracy" and target is not None and target.is_flag
    if (
        not is_asked
        or target is None
        or target.mode_share is None
        or dataset.effective_n is not None
    ):
        return []
    who = "all" if target.mode else "none"
    return [f"calling {who}: {wording.percent(target.mode_share, 1)}"]


def _of_the_top(dataset: DatasetInfo, metric: MetricInfo) -> list[str]:
    """How many are in the top that a metric of its share is about, and what one point is worth."""
    share, target = (
        metric.params.get("share"),
        next((c for c in dataset.columns if c.role == "y" and not c.is_flag), None),
    )
    if metric.name != "topk_capture" or target is None or dataset.weight is not None:
        return []
    if not isinstance(share, float) or target.mean is None:
        return []
    top = f"{wording.count(round(share * dataset.n))} of {wording.count(dataset.n, *dataset.case)}"
    point = wording.form_of(target.mean * dataset.n / 100, None, None, dataset.unit)
    return [top, f"1 point = {point.amount(target.mean * dataset.n / 100)}"]


def metric_of(index: Index, key: str) -> MetricInfo:
    """The metric of a key."""
    return next(metric for metric in index.results.metrics if metric.key == key)

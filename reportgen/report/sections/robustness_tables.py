"""Tables of influential rows, case deletion and ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from reportgen.report import wording
from reportgen.report.document import (
    Block,
    Bullets,
    Cell,
    Table,
    TableColumn,
    Text,
    Tone,
    make_phrase,
)
from reportgen.report.sections.cells import MOST_ROWS, describe_cut, make_metric_cell
from reportgen.report.sections.index import TONES, Index
from reportgen.report.wording.sensitivity import (
    describe_bucket_changes,
    describe_deciding_removal,
    describe_most_moved,
    select_telling_removals,
)
from reportgen.results import (
    BucketCount,
    CaseDeletion,
    Deletion,
    Influence,
    MetricInfo,
    Number,
    RankProbabilities,
    Scalar,
    Tail,
)

_MOST_ACROSS = 4
_MOST_FIRST = 4
_RARE = 0.01  # share of resamples below which a model is not named as first
_Make = Callable[[str], Table]
_METRIC = TableColumn("Metric", is_numeric=False)


def iter_row_tables(index: Index) -> Iterator[tuple[Sequence[Block], _Make]]:
    """Yield sentences on each table that holds something, and the function that builds it."""
    found = index.sensitivity
    if found.ranks:
        yield [], partial(build_rank_table, index, found.ranks)
        yield [], partial(build_firsts_table, index, found.ranks)
    if found.influence:
        metrics = {m.key: m for m in index.results.metrics}
        said = describe_most_moved(found.influence, metrics, index.labels, index.main.case)
        yield _list_sentence(said), partial(build_influence_table, index, found.influence)
    if found.tails:
        yield [], partial(build_tails_table, index, found.tails)
    for deletion in found.deletions:
        yield (
            [_build_fragility_bullets(index, deletion.sets)],
            partial(build_deletion_table, index, deletion),
        )
    if found.bucket_counts:
        said = describe_bucket_changes(found.bucket_counts, index.labels)
        yield _list_sentence(said), partial(build_bucket_counts_table, index, found.bucket_counts)


def _list_sentence(said: str) -> list[Block]:
    return [Text(make_phrase(said))] if said else []


def _build_fragility_bullets(index: Index, sets: Sequence[Deletion]) -> Bullets:
    """Describe what each verdict depends on."""
    baseline = index.baseline.name if index.baseline else None
    pairs = dict.fromkeys((each.candidate, each.baseline) for each in sets)
    case = index.main.case
    items = tuple(
        make_phrase(describe_deciding_removal(sets, *pair, index.labels, baseline, case))
        for pair in pairs
    )
    title = wording.fill_case_nouns("Without few rows, by a greedy search on influence", case)
    return Bullets(items, title=title)


def build_influence_table(index: Index, found: Sequence[Influence], id_: str) -> Table:
    """Each metric of each model without its most influential row, models side by side if few."""
    models = list(dict.fromkeys(r.model for r in found))
    case = index.main.case
    head = "The single most influential row of each measure and model: how far the value moves "
    caption = (
        f"{wording.fill_case_nouns(head, case)}"
        "without it, in percent of the value with it (in its unit where that may be zero), and "
        f"both values.{_describe_tried_rows(index, found)}"
    )
    if len(models) <= _MOST_ACROSS:
        columns = (_METRIC, *(TableColumn(wording.clean_name(index.label(m), 40)) for m in models))
        cells = {(r.key, r.model): _build_influence_cell(index, r) for r in found}
        rows = [
            (
                make_metric_cell(index, metric),
                *(cells.get((metric.key, m), Cell(wording.MISSING)) for m in models),
            )
            for metric in index.metrics
            if any((metric.key, m) in cells for m in models)
        ]
    else:
        columns = (
            _METRIC,
            TableColumn("Model", is_numeric=False),
            TableColumn(wording.fill_case_nouns("Without the row", case)),
        )
        rows = [
            (
                make_metric_cell(index, metric),
                _build_model_cell(index, r.model),
                _build_influence_cell(index, r),
            )
            for metric in index.metrics
            for r in found
            if r.key == metric.key
        ]
    return Table(id_, caption + describe_cut(len(rows)), columns, tuple(rows[:MOST_ROWS]))


def build_deletion_table(index: Index, table: CaseDeletion, id_: str) -> Table:
    """Tabulate the primary comparisons without sets of few rows."""
    found, unit = table.sets, table.unit
    is_judged = any(r.verdict is not None for r in found)
    columns = (
        TableColumn("Candidate", is_numeric=False),
        TableColumn(wording.fill_case_nouns("Rows removed", index.main.case)),
        TableColumn("In favour of", is_numeric=False),
        TableColumn("Difference without them", note=unit if wording.has_unit(unit) else ""),
        *((TableColumn("Verdict without them", is_numeric=False),) * is_judged),
        *(
            (TableColumn(_format_rows(index), is_numeric=False),)
            * any(r.ids is not None for r in found)
        ),
    )
    shown = select_telling_removals(found)
    rows = tuple(
        _build_deletion_cells(index, record, unit, is_judged) for record in shown[:MOST_ROWS]
    )
    metric = wording.lower_first_word(wording.clean_name(index.labels.get(table.key, "")))
    caption = (
        f"The primary comparison, on {metric}, without the 1, 5 and 1% of the "
        f"{_format_rows(index).lower()} most influential in favour of one model; of sets that "
        "come to "
        "the same only the one that says most is shown. The search is greedy: it leaves out "
        "those that move the difference most and, "
        "among fewer than 50,000, looks again in rounds. A set that changes more may exist."
    )
    if table.pairs != table.searched:
        caption += f" Looked at: the first {table.searched} of {table.pairs} comparisons."
    return Table(id_, caption + describe_cut(len(shown)), columns, rows)


def build_rank_table(index: Index, found: Sequence[RankProbabilities], id_: str) -> Table:
    """Count how often each model takes each place on the leading metric."""
    mine = [r for r in found if r.key == index.leading.key]
    metric = wording.lower_first_word(wording.clean_name(index.leading.label))
    caption = (
        f"Share of the {index.draw_noun} in which each model takes each place on {metric}; models "
        f"that tie share their places. A {index.fraction}, no probability that a model is best."
    )
    columns = [TableColumn(f"Place {place}") for place in range(1, len(mine) + 1)]
    rows = [
        (_build_model_cell(index, r.model), *(_build_share(index, share) for share in r.shares))
        for r in mine
    ]
    return Table(id_, caption, (TableColumn("Model", is_numeric=False), *columns), tuple(rows))


def build_firsts_table(index: Index, found: Sequence[RankProbabilities], id_: str) -> Table:
    """List the models that come first on each metric, and how often, the most frequent first."""
    rows = []
    for metric in index.metrics:
        mine = [r for r in found if r.key == metric.key]
        shares = [(r.shares[0] or 0.0, index.label(r.model)) for r in mine]
        often = sorted((pair for pair in shares if pair[0] >= _RARE), key=lambda pair: -pair[0])
        named = [
            f"{wording.clean_name(m, 40)} {wording.format_bootstrap_fraction(s, index.resamples)}"
            for s, m in often[:_MOST_FIRST]
        ]
        if mine:
            rows.append(
                (Cell(wording.clean_name(metric.label)), Cell("; ".join(named) or wording.MISSING))
            )
    columns = (
        _METRIC,
        TableColumn(f"First, in a share of the {index.draw_noun}", is_numeric=False),
    )
    caption = f"Which model comes first on each measure, in at least 1% of the {index.draw_noun}."
    return Table(id_, caption, columns, tuple(rows))


def build_tails_table(index: Index, found: Sequence[Tail], id_: str) -> Table:
    """Tabulate the share of all error that the largest errors hold."""
    caption = "What the 1% of the rows with the largest errors hold of a model's total error."
    columns = (
        TableColumn("Model", is_numeric=False),
        TableColumn("Rows"),
        TableColumn("Share of absolute error"),
        TableColumn("Share of squared error"),
    )
    rows = tuple(
        (
            Cell(wording.clean_name(index.label(tail.model))),
            Cell(wording.format_count(tail.rows), value=tail.rows),
            _make_share_cell(tail.absolute_error),
            _make_share_cell(tail.squared_error),
        )
        for tail in found
    )
    return Table(id_, caption + describe_cut(len(rows)), columns, rows[:MOST_ROWS])


def build_bucket_counts_table(index: Index, found: Sequence[BucketCount], id_: str) -> Table:
    """Metrics of buckets with other numbers of buckets, one column a number."""
    counts = sorted({r.buckets for r in found})
    cells = {(r.key, r.model, r.baseline, r.buckets): r for r in found}
    rows = [
        (
            make_metric_cell(index, metric),
            _pair_cell(index, candidate, baseline),
            *(_build_bucket_cell(cells.get((key, candidate, baseline, n)), metric) for n in counts),
        )
        for key, candidate, baseline in dict.fromkeys(place[:3] for place in cells)
        for metric in index.metrics
        if metric.key == key
    ]
    columns = (
        _METRIC,
        TableColumn("Model", is_numeric=False),
        *(TableColumn(f"{wording.format_count(n)} buckets") for n in counts),
    )
    what = "Differences" if any(r.baseline for r in found) else "Values"
    level = wording.format_level(index.results.inference.level)
    caption = (
        f"{what} of metrics of buckets with other numbers of buckets, each with the {level} "
        "interval that it has alone. Verdicts rest on the number under the metric's name."
    )
    return Table(id_, caption + describe_cut(len(rows)), columns, tuple(rows[:MOST_ROWS]))


def _pair_cell(index: Index, candidate: str, baseline: str | None) -> Cell:
    against = f"against {wording.clean_name(index.label(baseline), 40)}" if baseline else ""
    return replace(_build_model_cell(index, candidate), note=against)


def _build_bucket_cell(found: BucketCount | None, metric: MetricInfo) -> Cell:
    """Make a cell of a value, or a difference, with its interval under it."""
    if found is None or found.value is None:
        return Cell(wording.MISSING)
    form = wording.choose_format(found.value, found.low, found.high, metric.unit, (0.0,))
    is_signed = found.baseline is not None
    note = form.interval(found.low, found.high, signed=is_signed)
    return Cell(form.number(found.value, signed=is_signed), note=note, value=found.value)


def _build_influence_cell(index: Index, found: Influence) -> Cell:
    """Show how far one row moves a value, with the value before and after, and the row if named."""
    metric = next(m for m in index.results.metrics if m.key == found.key)
    value, without, change = found.value, found.without, found.change
    # As many digits as show the change.
    low, high = sorted((value or 0.0, without or 0.0))
    form = wording.choose_format(value, low, high, metric.unit)
    note = f"{form.number(value)} → {form.number(without)}"
    if found.row is not None:
        shown = (f", {what} {_format_scalar(value)}" for what, value in found.row.shown.items())
        note += (
            f"; {wording.clean_name(index.main.case[0])} "
            f"{wording.clean_name(found.row.id, 40)}{''.join(shown)}"
        )
    if change is None:
        if value is None or without is None:
            return Cell(wording.MISSING, note=note)
        moved = wording.choose_format(without - value, None, None, metric.unit)
        return Cell(moved.amount(without - value, signed=True), note=note)
    form = wording.choose_format(change, None, None, "share")  # relative to the value: in percent
    relative = wording.format_decimal(100 * change, form.decimals_of(change), signed=True)
    return Cell(f"{relative}%", note=note, value=change)


def _describe_tried_rows(index: Index, found: Sequence[Influence]) -> str:
    """Describe which rows were tried, for measures of which not every row was left out."""
    listed = {r.key: r.search for r in found if r.search != "every row"}
    return "".join(
        f" Of {wording.lower_first_word(wording.clean_name(index.labels[key], 40))} {tried} "
        f"{_format_rows(index).lower()} was tried."
        for key, tried in listed.items()
    )


def _build_deletion_cells(
    index: Index, found: Deletion, unit: str, is_judged: bool
) -> tuple[Cell, ...]:
    """One set of rows: whose comparison, how many rows, what is left without them."""
    value, low, high = found.difference, found.low, found.high
    form = wording.choose_format(value, low, high, unit, (0.0,))
    against = wording.clean_name(index.label(found.baseline), 40)
    candidate = _build_model_cell(index, found.candidate)
    note = form.interval(low, high, signed=True) if low is not None else ""
    word, _, beyond = str(found.verdict).partition(" beyond ")
    notes = (f"beyond {beyond}" * bool(beyond), "changed" * bool(found.is_changed))
    verdict = Cell(word, note=", ".join(filter(None, notes)), tone=_build_tone(word))
    ids = () if found.ids is None else (Cell(wording.clean_prose(_list_row_ids(found), 400)),)
    return (
        replace(candidate, note=f"against {against}: {found.verdict_before}"),
        Cell(wording.format_count(found.rows), value=found.rows),
        _build_model_cell(index, found.in_favour_of),
        Cell(form.number(value, signed=True), note=note, value=value),
        *((verdict,) if is_judged else ()),
        *ids,
    )


def _format_rows(index: Index) -> str:
    """Return the word for rows, as a heading."""
    return wording.capitalize(wording.clean_name(index.main.case[1]))


def _list_row_ids(found: Deletion) -> str:
    """Format the ids of the first rows of a set."""
    ids = found.ids or ()
    return ", ".join(ids) + ", …" * (found.rows > len(ids))


def _build_model_cell(index: Index, model: str) -> Cell:
    return Cell(wording.clean_name(index.label(model), 40))


def _make_share_cell(share: Number) -> Cell:
    if share is None:
        return Cell(wording.MISSING)
    return Cell(wording.choose_format(share, None, None, "share").number(share), value=share)


def _build_share(index: Index, share: Number) -> Cell:
    return Cell(
        wording.format_bootstrap_fraction(share, index.resamples)
        if share is not None
        else wording.MISSING,
        value=share,
    )


def _build_tone(word: str) -> Tone:
    return next((tone for verdict, tone in TONES.items() if verdict == word), "neutral")


def _format_scalar(value: Scalar) -> str:
    if isinstance(value, str):
        return wording.clean_name(value, 40)
    return wording.choose_format(value, None, None).number(value)

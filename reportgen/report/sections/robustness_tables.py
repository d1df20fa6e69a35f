"""Tables of influential rows, case deletion and ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from reportgen.report import wording
from reportgen.report.document import Block, Bullets, Cell, Table, Text, Tone, make_phrase
from reportgen.report.sections.cells import make_metric_cell
from reportgen.report.sections.index import TONES, Index
from reportgen.report.sections.tables import (
    MISSING_CELL,
    MOST_ROWS,
    ReportColumn,
    build_table,
    count_column,
    format_model,
    model_column,
    number_column,
    word_column,
)
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
    if len(models) > _MOST_ACROSS:
        return build_table(
            id_,
            caption,
            [(metric, r) for metric in index.metrics for r in found if r.key == metric.key],
            word_column("Metric", lambda row: make_metric_cell(index, row[0])),
            model_column(index, lambda row: row[1].model),
            number_column(
                wording.fill_case_nouns("Without the row", case),
                lambda row: _build_influence_cell(index, row[1]),
            ),
            most=MOST_ROWS,
        )
    cells = {(r.key, r.model): _build_influence_cell(index, r) for r in found}

    def influence_column(model: str) -> ReportColumn[MetricInfo]:
        return number_column(
            format_model(index, model), lambda m: cells.get((m.key, model), MISSING_CELL)
        )

    return build_table(
        id_,
        caption,
        [metric for metric in index.metrics if any((metric.key, m) in cells for m in models)],
        word_column("Metric", lambda metric: make_metric_cell(index, metric)),
        *map(influence_column, models),
        most=MOST_ROWS,
    )


def build_deletion_table(index: Index, table: CaseDeletion, id_: str) -> Table:
    """Tabulate the primary comparisons without sets of few rows."""
    found, unit = table.sets, table.unit
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
    is_judged = any(r.verdict is not None for r in found)
    has_ids = any(r.ids is not None for r in found)
    return build_table(
        id_,
        caption,
        select_telling_removals(found),
        word_column("Candidate", lambda removal: _build_candidate_cell(index, removal)),
        count_column(wording.fill_case_nouns("Rows removed", index.main.case), lambda r: r.rows),
        model_column(index, lambda removal: removal.in_favour_of, "In favour of"),
        number_column(
            "Difference without them", lambda r: _build_difference_cell(r, unit), unit=unit
        ),
        word_column("Verdict without them", _build_verdict_cell) if is_judged else None,
        word_column(_format_rows(index), _list_row_ids) if has_ids else None,
        most=MOST_ROWS,
    )


def build_rank_table(index: Index, found: Sequence[RankProbabilities], id_: str) -> Table:
    """Count how often each model takes each place on the leading metric."""
    mine = [r for r in found if r.key == index.leading.key]
    metric = wording.lower_first_word(wording.clean_name(index.leading.label))
    caption = (
        f"Share of the {index.draw_noun} in which each model takes each place on {metric}; models "
        f"that tie share their places. A {index.fraction}, no probability that a model is best."
    )

    def place_column(place: int) -> ReportColumn[RankProbabilities]:
        return number_column(f"Place {place + 1}", lambda r: _build_share(index, r.shares[place]))

    columns = map(place_column, range(len(mine)))
    return build_table(id_, caption, mine, model_column(index, lambda r: r.model), *columns)


def build_firsts_table(index: Index, found: Sequence[RankProbabilities], id_: str) -> Table:
    """List the models that come first on each metric, and how often, the most frequent first."""

    def format_firsts(metric: MetricInfo) -> str:
        mine = [r for r in found if r.key == metric.key]
        shares = [(r.shares[0] or 0.0, index.label(r.model)) for r in mine]
        often = sorted((pair for pair in shares if pair[0] >= _RARE), key=lambda pair: -pair[0])
        named = [
            f"{wording.clean_name(m, 40)} {wording.format_bootstrap_fraction(s, index.resamples)}"
            for s, m in often[:_MOST_FIRST]
        ]
        return "; ".join(named) or wording.MISSING

    return build_table(
        id_,
        f"Which model comes first on each measure, in at least 1% of the {index.draw_noun}.",
        [metric for metric in index.metrics if any(r.key == metric.key for r in found)],
        word_column("Metric", lambda metric: wording.clean_name(metric.label)),
        word_column(f"First, in a share of the {index.draw_noun}", format_firsts),
    )


def build_tails_table(index: Index, found: Sequence[Tail], id_: str) -> Table:
    """Tabulate the share of all error that the largest errors hold."""
    return build_table(
        id_,
        "What the 1% of the rows with the largest errors hold of a model's total error.",
        found,
        word_column("Model", lambda tail: wording.clean_name(index.label(tail.model))),
        count_column("Rows", lambda tail: tail.rows),
        number_column("Share of absolute error", lambda t: _build_error_cell(t.absolute_error)),
        number_column("Share of squared error", lambda t: _build_error_cell(t.squared_error)),
        most=MOST_ROWS,
    )


def build_bucket_counts_table(index: Index, found: Sequence[BucketCount], id_: str) -> Table:
    """Metrics of buckets with other numbers of buckets, one column a number."""
    cells = {(r.key, r.model, r.baseline, r.buckets): r for r in found}
    what = "Differences" if any(r.baseline for r in found) else "Values"
    level = wording.format_level(index.results.inference.level)
    caption = (
        f"{what} of metrics of buckets with other numbers of buckets, each with the {level} "
        "interval that it has alone. Verdicts rest on the number under the metric's name."
    )

    def bucket_column(n: int) -> ReportColumn[tuple[MetricInfo, str, str | None]]:
        return number_column(
            f"{wording.format_count(n)} buckets",
            lambda row: _build_bucket_cell(cells.get((row[0].key, *row[1:], n)), row[0]),
        )

    return build_table(
        id_,
        caption,
        [
            (metric, candidate, baseline)
            for key, candidate, baseline in dict.fromkeys(place[:3] for place in cells)
            for metric in index.metrics
            if metric.key == key
        ],
        word_column("Metric", lambda row: make_metric_cell(index, row[0])),
        word_column("Model", lambda row: _pair_cell(index, row[1], row[2])),
        *map(bucket_column, sorted({r.buckets for r in found})),
        most=MOST_ROWS,
    )


def _pair_cell(index: Index, candidate: str, baseline: str | None) -> Cell:
    against = f"against {format_model(index, baseline)}" if baseline else ""
    return Cell(format_model(index, candidate), note=against)


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


def _format_rows(index: Index) -> str:
    """Return the word for rows, as a heading."""
    return wording.capitalize(wording.clean_name(index.main.case[1]))


def _list_row_ids(found: Deletion) -> str:
    """Format the ids of the first rows of a set."""
    ids = found.ids or ()
    return wording.clean_prose(", ".join(ids) + ", …" * (found.rows > len(ids)), 400)


def _build_share(index: Index, share: Number) -> Cell:
    return Cell(
        wording.format_bootstrap_fraction(share, index.resamples)
        if share is not None
        else wording.MISSING,
        value=share,
    )


def _format_scalar(value: Scalar) -> str:
    if isinstance(value, str):
        return wording.clean_name(value, 40)
    return wording.choose_format(value, None, None).number(value)


def _build_candidate_cell(index: Index, found: Deletion) -> Cell:
    """Make a cell of the candidate of a set, with the baseline and the verdict on all rows."""
    against = f"against {format_model(index, found.baseline)}: {found.verdict_before}"
    return Cell(format_model(index, found.candidate), note=against)


def _build_difference_cell(found: Deletion, unit: str) -> Cell:
    value, low, high = found.difference, found.low, found.high
    form = wording.choose_format(value, low, high, unit, (0.0,))
    note = form.interval(low, high, signed=True) if low is not None else ""
    return Cell(form.number(value, signed=True), note=note, value=value)


def _build_verdict_cell(found: Deletion) -> Cell:
    word, _, beyond = str(found.verdict).partition(" beyond ")
    notes = (f"beyond {beyond}" * bool(beyond), "changed" * bool(found.is_changed))
    tone: Tone = next((tone for verdict, tone in TONES.items() if verdict == word), "neutral")
    return Cell(word, note=", ".join(filter(None, notes)), tone=tone)


def _build_error_cell(share: Number) -> Cell:
    if share is None:
        return MISSING_CELL
    return Cell(wording.choose_format(share, None, None, "share").number(share), value=share)

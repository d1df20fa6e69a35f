"""Several datasets side by side, and models over datasets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.report import prose
from reportgen.report.document import (
    Axis,
    Block,
    Bullets,
    Cell,
    Figure,
    Panel,
    Phrase,
    Reference,
    Section,
    Series,
    Table,
)
from reportgen.report.sections.cells import (
    capitalize_verdict,
    make_difference_cell,
    make_estimate_cell,
    make_metric_name_cell,
)
from reportgen.report.sections.index import Index
from reportgen.report.sections.scores import iter_score_tables
from reportgen.report.sections.tables import (
    MISSING_CELL,
    ReportColumn,
    build_table,
    count_column,
    make_value_cell,
    number_column,
    word_column,
)
from reportgen.report.wording import numbers
from reportgen.report.wording.names import (
    clean_name,
    format_adjustment,
    lower_first_word,
)
from reportgen.report.wording.verdicts import TONES
from reportgen.results import Results
from reportgen.results.across_datasets import AcrossComparison, AcrossDatasets, PooledDifference
from reportgen.results.core import Comparison, DatasetInfo, MetricInfo, ModelInfo
from reportgen.results.types import Number

_MOST_ACROSS = 3
_Row = tuple[DatasetInfo, ModelInfo]


def build_datasets_overview(index: Index) -> Table | None:
    """Tabulate the leading metric by dataset, the primary one first; None where there is but one.

    Nothing is averaged or tested over datasets, unless asked: two or three are no sample of any.
    """
    if len(index.tests) < 2:
        return None
    metric, candidates = index.leading, index.candidates
    is_wide = index.baseline is not None and len(candidates) > _MOST_ACROSS
    named = clean_name(metric.label)
    caption = prose.line(
        "across_table.caption",
        metric=named,
        baseline="" if index.baseline is None else clean_name(index.baseline.label, 40),
        dataset=clean_name(index.main.name, 40),
        is_tested=bool(index.results.across),
    )

    def make_name_cell(row: _Row) -> Cell:
        is_main = row[0] is index.main
        name = clean_name(row[0].name, 40)
        return Cell(name, note="primary" * is_main, is_strong=is_main)

    def make_value_columns(
        model: ModelInfo | None = None,
    ) -> tuple[ReportColumn[_Row], ReportColumn[_Row]]:
        """Make the columns of differences and verdicts, of the row's model if none is given."""

        def compare(row: _Row) -> Comparison | None:
            return index.comparison((model or row[1]).name, metric.key, row[0].name)

        title = "Difference" if model is None else clean_name(model.label, 40)
        return (
            number_column(
                title,
                lambda row: make_difference_cell(
                    compare(row), metric, index.choose_form(metric, row[0].name)
                ),
            ),
            word_column("Verdict", lambda row: _make_verdict_cell(compare(row))),
        )

    columns: list[ReportColumn[_Row]] = []
    if index.baseline is None:
        model = index.results.models[0]
        columns.append(
            number_column(
                clean_name(model.label, 40),
                lambda row: make_estimate_cell(
                    index.estimate(model.name, metric.key, row[0].name),
                    metric,
                    index.choose_form(metric, row[0].name),
                ),
            )
        )
    elif is_wide:
        columns.append(word_column("Candidate", lambda row: clean_name(row[1].label, 40)))
        columns += make_value_columns()
    else:
        columns += [column for model in candidates for column in make_value_columns(model)]
    models = candidates if is_wide else index.results.models[:1]
    return build_table(
        "datasets-overview",
        caption,
        [(dataset, model) for dataset in index.tests for model in models],
        word_column("Dataset", make_name_cell),
        count_column("Rows", lambda row: row[0].n),
        *columns,
    )


LONGEST_ROW = 34  # letters next to a row


def build_rank_figure(index: Index, found: AcrossDatasets) -> Figure:
    """Build a figure with a row per model, best mean rank first, and per inseparable group."""
    known = [(r, m) for r, m in zip(found.mean_ranks, found.models, strict=True) if r is not None]
    ordered = sorted(known, key=lambda pair: pair[0])
    rank = {model: each for each, model in ordered}
    rows = [(float(place), model) for place, (_, model) in enumerate(ordered, 1)]
    labels = {model: index.short_label(model) for _, model in rows}
    bars = [(len(rows) + 1.0 + k, group) for k, group in enumerate(found.cliques)]
    ticks = [
        (place, f"{labels[model]}  {numbers.format_decimal(rank[model], 2)}")
        for place, model in rows
    ]
    ticks += [(place, _join_model_names([labels[m] for m in group])) for place, group in bars]
    dots = tuple(
        Series("", index.role(model), (rank[model],), (place,), marks=("filled",))
        for place, model in rows
    )
    joined = tuple(
        Reference("", x=(rank[group[0]], rank[group[-1]]), y=(place, place), role="other")
        for place, group in bars
    )
    across = Axis(prose.line("across_ranks.axis"), low=1.0, high=float(len(rows)))
    up = Axis("", low=0.5, high=len(rows) + len(bars) + 0.5, ticks=tuple(ticks))
    groups = [[labels[m] for m in group] for group in found.cliques]
    best = labels[ordered[0][1]]
    return Figure(
        "across-mean-ranks",
        "forest",
        prose.line("across_ranks.title", model=best, groups=groups),
        prose.line(
            "across_ranks.figure",
            count=numbers.format_count(len(found.datasets), *index.unit_across),
            distance=""
            if found.critical_distance is None
            else numbers.format_decimal(found.critical_distance, 2),
        ),
        " ".join(f"{labels[model]} {numbers.format_decimal(rank[model], 2)}." for _, model in rows),
        (Panel("", across, up, dots, joined),),
    )


def _join_model_names(names: Sequence[str]) -> str:
    """Format the label of a bar: the models that it joins, which follow one another.

    Both fit next to a row.

    >>> _join_model_names(["gbm", "rf"]), _join_model_names(["gbm", "rf", "tree"])
    ('gbm, rf', 'gbm to tree')
    >>> _join_model_names(["Gradient boosting", "Random forest", "Naive Bayes"])
    'Gradient boosting to Naive Bayes'
    """
    if len(names) == 2 and len(whole := ", ".join(names)) <= LONGEST_ROW:
        return whole
    ends = names[0], names[-1]
    if len(names) == 2:
        return ", ".join(clean_name(each, 15) for each in ends)
    whole = prose.line("across_ranks.between", first=ends[0], last=ends[1])
    if len(whole) <= LONGEST_ROW:
        return whole
    first, last = (clean_name(each, 15) for each in ends)
    return prose.line("across_ranks.between", first=first, last=last)


DRAWS_NOTE = 999  # drawn shares are printed to a tenth of a percent, and never as certain


def build_across_blocks(index: Index) -> list[Block]:
    """Build the blocks on the datasets taken together; none where that was not asked for."""
    found = index.results.across
    if not found:
        return []
    first = _order_by_metric(index, found)[0]
    figure = [] if first.p_f is None or len(first.models) < 3 else [build_rank_figure(index, first)]
    said = Bullets(tuple(_iter_dataset_phrases(index, found)))
    return [
        said,
        *figure,
        _build_ranks(index, found),
        _build_pairs(index, found),
        *_iter_pooled_tables(index, found),
    ]


def _build_metric(index: Index, key: str) -> MetricInfo:
    return next(m for m in index.results.metrics if m.key == key)


def _order_by_metric(index: Index, found: tuple[AcrossDatasets, ...]) -> list[AcrossDatasets]:
    keys = [m.key for m in index.metrics]
    return sorted(found, key=lambda each: keys.index(each.key))


def _iter_dataset_phrases(index: Index, found: tuple[AcrossDatasets, ...]) -> Iterator[Phrase]:
    first = _order_by_metric(index, found)[0]
    metric = _build_metric(index, first.key)
    one, many = index.unit_across
    count = numbers.format_count(len(first.datasets), one, many)
    is_of_clusters = len(index.tests) < 2
    yield prose.phrase(
        "across_sample.clusters",
        count=count,
        has_clusters=is_of_clusters and index.main.clusters is not None,
        cases=clean_name(index.main.case[1]),
        is_weighted=is_of_clusters and index.main.weight is not None,
    )
    asked = None if index.baseline is None else index.baseline.name
    for c in (c for c in first.comparisons if c.baseline == asked):
        who, whom = (index.short_label(m) for m in (c.candidate, c.baseline))
        yield prose.phrase(
            "across_pair.wins",
            candidate=who,
            wins=c.wins,
            count=count,
            ties=c.ties,
            centre=_describe_centre(c, metric, (who, whom)),
        )


def _describe_centre(c: AcrossComparison, metric: MetricInfo, pair: tuple[str, str]) -> str:
    """Describe the centre of the differences of a pair, with its limits and the verdict."""
    on = lower_first_word(clean_name(metric.label, 40))
    if c.difference is None:
        return prose.line("across_pair.no_centre", metric=on, candidate=pair[0], baseline=pair[1])
    form = numbers.choose_format(c.difference, c.low, c.high, metric.unit, (0.0,))
    return prose.line(
        "across_pair.centre",
        metric=on,
        candidate=pair[0],
        baseline=pair[1],
        difference=form.number(c.difference, signed=True),
        limits=_format_limits(c, metric),
        word=c.word,
    )


def _format_limits(c: AcrossComparison, metric: MetricInfo) -> str:
    if c.low is None and c.high is None:
        return prose.line("across_pair.no_interval")
    form = numbers.choose_format(c.difference, c.low, c.high, metric.unit, (0.0,))
    limits = form.interval(c.low, c.high, signed=True)
    return prose.line("across_pair.interval", level=numbers.format_level(c.level), limits=limits)


def _build_ranks(index: Index, found: tuple[AcrossDatasets, ...]) -> Table:
    def rank_column(place: int, model: str) -> ReportColumn[AcrossDatasets]:
        def make_cell(ranks: AcrossDatasets) -> Cell:
            rank = ranks.mean_ranks[place]
            return Cell(
                numbers.MISSING if rank is None else numbers.format_decimal(rank, 2), value=rank
            )

        return number_column(index.short_label(model), make_cell)

    return build_table(
        "across-ranks",
        prose.line("across_ranks.table", many=index.unit_across[1]),
        _order_by_metric(index, found),
        word_column("Metric", lambda a: clean_name(_build_metric(index, a.key).label, 40)),
        *(rank_column(place, model) for place, model in enumerate(found[0].models)),
        number_column(
            prose.line("across_ranks.friedman"),
            lambda a: _make_test_cell(a.chi_squared, a.p_chi_squared),
            note="p",
        ),
        number_column(
            prose.line("across_ranks.iman"), lambda a: _make_test_cell(a.f, a.p_f), note="p"
        ),
    )


def _make_test_cell(statistic: float | None, p: float | None) -> Cell:
    if statistic is None:
        return Cell(numbers.MISSING)
    note = "" if p is None else numbers.format_p_value(p)
    return Cell(numbers.format_decimal(statistic, 2), note=note, value=statistic)


def _build_pairs(index: Index, found: tuple[AcrossDatasets, ...]) -> Table:
    leading = index.leading
    rope = next((c.rope for e in found for c in e.comparisons if c.key == leading.key), None)
    on = lower_first_word(clean_name(leading.label, 40))
    return build_table(
        "across-pairs",
        prose.line(
            "across_pairs.caption",
            many=index.unit_across[1],
            adjustment=format_adjustment(index.results.inference.adjust),
            rope=numbers.choose_declared_precision(rope).number(rope) if rope else "",
            metric=on,
        ),
        [
            (_build_metric(index, each.key), c)
            for each in _order_by_metric(index, found)
            for c in each.comparisons
        ],
        word_column("Metric", lambda row: make_metric_name_cell(row[0])),
        word_column("Pair", lambda row: _format_pair(index, row[1])),
        word_column(
            prose.line("across_pairs.wins"),
            lambda row: f"{row[1].wins}, {row[1].ties}, {row[1].losses}",
        ),
        number_column(
            "Difference", lambda row: _make_difference_cell(row[1], row[0]), note="interval"
        ),
        number_column("p", lambda row: _make_p_cell(row[1].p_adjusted), note="adjusted"),
        word_column(
            "Posterior",
            lambda row: _format_posterior(row[1]),
            note=prose.line("across_pairs.posterior"),
        ),
        word_column("Verdict", lambda row: _make_verdict_cell(row[1])),
    )


def _iter_pooled_tables(index: Index, found: tuple[AcrossDatasets, ...]) -> Iterator[Table]:
    """Differences as draws around a mean, where each has a standard error; nothing if none has."""
    shown = [
        (_build_metric(index, each.key), c, c.pooled)
        for each in _order_by_metric(index, found)
        for c in each.comparisons
        if c.pooled is not None
    ]
    if not shown:
        return
    yield build_table(
        "across-pooled",
        prose.line("across_pooled.caption"),
        shown,
        word_column("Metric", lambda row: make_metric_name_cell(row[0])),
        word_column("Pair", lambda row: _format_pair(index, row[1])),
        number_column(
            prose.line("across_pooled.mean"),
            lambda row: _make_mean_cell(row[2], row[0]),
            note="interval",
        ),
        number_column(
            prose.line("across_pooled.spread"),
            lambda row: make_value_cell(_choose_format(row[2], row[0]), row[2].tau),
        ),
        number_column(
            prose.line("across_pooled.next"),
            lambda row: _choose_format(row[2], row[0]).interval(
                row[2].next_low, row[2].next_high, signed=True
            ),
        ),
    )


def _format_pair(index: Index, c: AcrossComparison) -> str:
    return " − ".join(index.short_label(m) for m in (c.candidate, c.baseline))


def build_across_section(results: Results) -> Section | None:
    """None where models are judged on one dataset only, whose rows are no datasets."""
    index = Index(results)
    table = build_datasets_overview(index)
    blocks: list[Block] = build_across_blocks(index)
    if table is not None:
        blocks.append(table)
    if not blocks:
        return None
    for dataset in index.tests[1:]:
        blocks += iter_score_tables(index, dataset)
    return Section("across", prose.line("design.across_title"), tuple(blocks))


def _choose_format(pooled: PooledDifference, metric: MetricInfo) -> numbers.NumberFormat:
    return numbers.choose_format(pooled.mean, pooled.low, pooled.high, metric.unit, (0.0,))


def _make_mean_cell(pooled: PooledDifference, metric: MetricInfo) -> Cell:
    form, level = _choose_format(pooled, metric), numbers.format_level(pooled.level)
    interval = form.interval(pooled.low, pooled.high, signed=True)
    note = prose.line("across_pair.interval", level=level, limits=interval)
    return make_value_cell(form, pooled.mean, note, signed=True)


def _make_difference_cell(c: AcrossComparison, metric: MetricInfo) -> Cell:
    if c.difference is None:
        return MISSING_CELL
    form = numbers.choose_format(c.difference, c.low, c.high, metric.unit, (0.0,))
    return make_value_cell(form, c.difference, _format_limits(c, metric), signed=True)


def _make_p_cell(p: Number) -> Cell:
    return MISSING_CELL if p is None else Cell(numbers.format_bare_p_value(p), value=p)


def _format_posterior(c: AcrossComparison) -> str:
    shares = (s for s in (c.worse, c.alike, c.better) if s is not None)
    texts = (numbers.format_bootstrap_fraction(s, DRAWS_NOTE) for s in shares)
    return ", ".join(texts) or numbers.MISSING


def _make_verdict_cell(c: AcrossComparison | Comparison | None) -> Cell:
    if c is None:
        return MISSING_CELL
    return Cell(capitalize_verdict(c.word), tone=TONES[c.word])

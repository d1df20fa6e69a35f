"""Models over data sets: mean ranks, and pairs by wins, centres and their exact intervals."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen import wording
from reportgen.document import Block, Bullets, Cell, Phrase, Table, TableColumn, phrase
from reportgen.results import AcrossComparison, AcrossDatasets, MetricInfo, PooledDifference
from reportgen.sections.index import TONES, Index
from reportgen.sections.scores.rank_figure import rank_figure

OF_DRAWS = 999  # drawn shares are told to a tenth of a percent, and never as certain


def blocks(index: Index) -> list[Block]:
    """What is told of the datasets together; nothing where that was not asked."""
    found = index.results.across
    if not found:
        return []
    first = _ordered(index, found)[0]
    figure = [] if first.p_f is None or len(first.models) < 3 else [rank_figure(index, first)]
    said = Bullets(tuple(_said(index, found)))
    return [said, *figure, _ranks(index, found), _pairs(index, found), *_pooled(index, found)]


def _metric(index: Index, key: str) -> MetricInfo:
    return next(m for m in index.results.metrics if m.key == key)


def _ordered(index: Index, found: tuple[AcrossDatasets, ...]) -> list[AcrossDatasets]:
    keys = [m.key for m in index.metrics]
    return sorted(found, key=lambda each: keys.index(each.key))


def _said(index: Index, found: tuple[AcrossDatasets, ...]) -> Iterator[Phrase]:
    first = _ordered(index, found)[0]
    metric = _metric(index, first.key)
    one, many = index.unit_across
    count = wording.count(len(first.datasets), one, many)
    made, none = "however many rows it has", "two that share rows are none"
    if index.main.clusters is not None and len(index.tests) < 2:
        made = f"with the means of its {index.main.case[1]}"
        none = f"{index.main.case[1]} of one cluster are none"
    if index.main.weight is not None and len(index.tests) < 2:
        made += " and whatever its weight"
    yield phrase(
        f"Each of {count} is one unit, {made}, and the {count} are taken for a "
        f"sample of such: {none}."
    )
    on = wording.lowered(wording.name(metric.label, 40))
    asked = None if index.baseline is None else index.baseline.name
    for c in (c for c in first.comparisons if c.baseline == asked):
        who, whom = (wording.name(index.label(m), 40) for m in (c.candidate, c.baseline))
        ties = f" and ties on {c.ties}" if c.ties else ""
        won = f"{who} is ahead of {whom} on {c.wins} of {count}{ties}, on {on}"
        yield phrase(f"{won}: {_sized(c, metric)}.")


def _sized(c: AcrossComparison, metric: MetricInfo) -> str:
    """The centre of the differences, with its limits and what follows."""
    if c.difference is None:
        return "how far is not said, as values are in several units"
    form = wording.form_of(c.difference, c.low, c.high, metric.unit, (0.0,))
    limits = _limits(c, metric)
    return f"{form.number(c.difference, signed=True)} ({limits}), {c.verdict}"


def _limits(c: AcrossComparison, metric: MetricInfo) -> str:
    if c.low is None and c.high is None:
        return "too few datasets for an interval"
    form = wording.form_of(c.difference, c.low, c.high, metric.unit, (0.0,))
    return f"{wording.level(c.level)} interval {form.interval(c.low, c.high, signed=True)}"


def _ranks(index: Index, found: tuple[AcrossDatasets, ...]) -> Table:
    columns = (
        TableColumn("Metric", is_numeric=False),
        *(TableColumn(wording.name(index.label(m), 40)) for m in found[0].models),
        TableColumn("Friedman's χ²", note="p"),
        TableColumn("Iman–Davenport F", note="p"),
    )
    rows = tuple(
        (
            Cell(wording.name(_metric(index, each.key).label, 40)),
            *(Cell(wording.MISSING if r is None else f"{r:.2f}", value=r) for r in each.mean_ranks),
            _test(each.chi_squared, each.p_chi_squared),
            _test(each.f, each.p_f),
        )
        for each in _ordered(index, found)
    )
    caption = (
        f"Mean rank of each model over the {index.unit_across[1]}, 1 being the best. Ranks depend "
        "on which models take part. The tests ask whether any model differs; no comparison of two "
        "rests on them."
    )
    return Table("across-ranks", caption, columns, rows)


def _test(statistic: float | None, p: float | None) -> Cell:
    if statistic is None:
        return Cell(wording.MISSING)
    note = "" if p is None else wording.p_value(p)
    return Cell(f"{statistic:.2f}", note=note, value=statistic)


def _pairs(index: Index, found: tuple[AcrossDatasets, ...]) -> Table:
    columns = (
        TableColumn("Metric", is_numeric=False),
        TableColumn("Pair", is_numeric=False),
        TableColumn("Wins, ties, losses", is_numeric=False),
        TableColumn("Difference", note="interval"),
        TableColumn("p", note="adjusted"),
        TableColumn("Posterior", is_numeric=False, note="worse, alike, better"),
        TableColumn("Verdict", is_numeric=False),
    )
    rows = tuple(
        _row(index, _metric(index, each.key), c)
        for each in _ordered(index, found)
        for c in each.comparisons
    )
    leading = index.leading
    rope = next((c.rope for e in found for c in e.comparisons if c.key == leading.key), None)
    on = wording.lowered(wording.name(leading.label, 40))
    alike = f"by {wording.plain_form(rope).number(rope)} or less on {on}, else " if rope else ""
    caption = (
        f"Candidate minus baseline over the {index.unit_across[1]}: the Hodges–Lehmann centre of "
        "the differences, with limits and p-value of exact signed ranks, "
        f"{wording.adjustment(index.results.inference.adjust)}. The posterior is that of the "
        f"Bayesian signed-rank test; alike are models that differ {alike}not at all."
    )
    return Table("across-pairs", caption, columns, rows)


def _pooled(index: Index, found: tuple[AcrossDatasets, ...]) -> Iterator[Table]:
    """Differences as draws around a mean, where each has a standard error; nothing if none has."""
    shown = [
        (_metric(index, each.key), c, c.pooled)
        for each in _ordered(index, found)
        for c in each.comparisons
        if c.pooled is not None
    ]
    if not shown:
        return
    columns = (
        TableColumn("Metric", is_numeric=False),
        TableColumn("Pair", is_numeric=False),
        TableColumn("Mean difference", note="interval"),
        TableColumn("Spread τ"),
        TableColumn("Next dataset"),
    )
    yield Table(
        "across-pooled",
        "The same differences as draws around a mean, each dataset weighing by its own standard "
        "error (random effects): τ is the standard deviation of the true differences (Paule and "
        "Mandel), the interval of the mean that of Knapp and Hartung, modified never to be "
        "narrower than that of known errors. The last column holds the true difference on another "
        "dataset of the kind, at the same level; it allows for how little is known of τ.",
        columns,
        tuple(_pooled_row(index, *each) for each in shown),
    )


def _pooled_row(
    index: Index, metric: MetricInfo, c: AcrossComparison, pooled: PooledDifference
) -> tuple[Cell, ...]:
    limits = (pooled.low, pooled.high)
    form = wording.form_of(pooled.mean, *limits, metric.unit, (0.0,))
    level = wording.level(pooled.level)
    next_ = form.interval(pooled.next_low, pooled.next_high, signed=True)
    return (
        Cell(wording.name(metric.label, 40), is_strong=metric.is_primary),
        Cell(_pair(index, c)),
        Cell(form.number(pooled.mean, signed=True), value=pooled.mean,
             note=f"{level} interval {form.interval(*limits, signed=True)}"),
        Cell(form.number(pooled.tau), value=pooled.tau),
        Cell(next_),
    )  # fmt: skip


def _pair(index: Index, c: AcrossComparison) -> str:
    return " − ".join(wording.name(index.label(m), 40) for m in (c.candidate, c.baseline))


def _row(index: Index, metric: MetricInfo, c: AcrossComparison) -> tuple[Cell, ...]:
    form = wording.form_of(c.difference, c.low, c.high, metric.unit, (0.0,))
    shares = [c.worse, c.alike, c.better]
    posterior = ", ".join(wording.fraction_ahead(s, OF_DRAWS) for s in shares if s is not None)
    return (
        Cell(wording.name(metric.label, 40), is_strong=metric.is_primary),
        Cell(_pair(index, c)),
        Cell(f"{c.wins}, {c.ties}, {c.losses}"),
        Cell(wording.MISSING if c.difference is None else form.number(c.difference, signed=True),
             note="" if c.difference is None else _limits(c, metric), value=c.difference),
        Cell(wording.MISSING if c.p_adjusted is None else wording.bare_p_value(c.p_adjusted),
             value=c.p_adjusted),
        Cell(posterior or wording.MISSING),
        Cell(c.verdict, note="beyond the margin" * c.beyond_margin, tone=TONES[c.verdict]),
    )  # fmt: skip

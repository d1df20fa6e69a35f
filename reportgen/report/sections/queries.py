"""Queries: wins and losses, with figures."""

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
    make_phrase,
)
from reportgen.report.prose import row_wins as win_texts
from reportgen.report.sections.cells import make_metric_cell
from reportgen.report.sections.index import Index, fold_for_full_report
from reportgen.report.sections.tables import (
    ReportColumn,
    build_table,
    count_column,
    make_count_cell,
    make_value_cell,
    model_column,
    number_column,
    word_column,
)
from reportgen.report.wording import numbers
from reportgen.report.wording.names import capitalize, clean_name, lower_first_word
from reportgen.results import Results
from reportgen.results.core import MetricInfo
from reportgen.results.sensitivity import ExtremeRow, GradesByRank, PairedValues, Wins
from reportgen.results.types import Number

_MOST_PAIRS = 4
_MOST_MODELS = 4
_FEWEST = 10  # rows of which the spread is drawn
_TOLD = 0.005  # the smallest share that is written in its cell


def iter_query_figures(index: Index, wins: Sequence[Wins]) -> Iterator[Figure]:
    """Both values of each row and the spread of differences, then the grades at each rank."""
    mine = [pair for pair in index.sensitivity.pairs if pair.dataset == index.main.name]
    mine.sort(key=lambda pair: index.role(pair.candidate) == "other")
    if mine and mine[0].n >= _FEWEST:
        metric = next(m for m in index.results.metrics if m.key == mine[0].key)
        yield _build_scatter(index, mine[:_MOST_PAIRS], metric)
        yield _build_histogram(index, mine[:_MOST_PAIRS], metric, wins)
    grades = [each for each in index.sensitivity.grades if each.dataset == index.main.name]
    if grades:
        yield _build_grades(index, grades)


def _list_names(index: Index, pair: PairedValues) -> tuple[str, str]:
    candidate, baseline = (index.short_label(each, 30) for each in (pair.candidate, pair.baseline))
    return candidate, baseline


def _build_scatter(index: Index, pairs: Sequence[PairedValues], metric: MetricInfo) -> Figure:
    one, many = map(clean_name, index.main.case)
    is_boxed = pairs[0].width > 0
    label = clean_name(metric.label)
    return Figure(
        "queries-scatter",
        "scatter",
        prose.line("query_scatter.title", metric=label, case=one),
        prose.line(
            "query_scatter.caption",
            is_boxed=is_boxed,
            case=one,
            cases=many,
            rows=numbers.format_count(pairs[0].n),
        ),
        " ".join(
            prose.line(
                "query_scatter.pair",
                metric=label,
                rows=numbers.format_count(pair.n),
                cases=many,
                candidate=a,
                baseline=b,
            )
            for pair in pairs
            for a, b in [_list_names(index, pair)]
        ),
        tuple(_build_dots(index, pair) for pair in pairs),
        has_equal_axes=True,
    )


def _build_dots(index: Index, pair: PairedValues) -> Panel:
    candidate, baseline = _list_names(index, pair)
    half = pair.width / 2
    known = [v for v in (*pair.x, *pair.y) if v is not None]
    low, high = min(0.0, min(known) - half), max(known) + half
    high = high if high > low else low + 1
    size = pair.count if pair.width else ()
    dots = Series(candidate, index.role(pair.candidate), pair.x, pair.y, size=size, has_line=False)
    room = 0.03 * (high - low)
    diagonal = Reference("", x=(low, high), y=(low, high))
    across, up = (Axis(name, low=low - room, high=high + room) for name in (baseline, candidate))
    return Panel("", across, up, (dots,), (diagonal,))


def _build_histogram(
    index: Index, pairs: Sequence[PairedValues], metric: MetricInfo, wins: Sequence[Wins]
) -> Figure:
    many = clean_name(index.main.case[1])
    level = {(w.candidate, w.baseline): w.level for w in wins if w.key == metric.key}
    said = [
        prose.line(
            "query_spread.level",
            candidate=_list_names(index, pair)[0],
            baseline=_list_names(index, pair)[1],
            level=level.get((pair.candidate, pair.baseline), 0),
            rows=pair.n,
            cases=many,
        )
        for pair in pairs
    ]
    is_of_several = len({pair.baseline for pair in pairs}) > 1
    ties = [
        prose.line(
            "query_spread.ties",
            level=level.get((pair.candidate, pair.baseline), 0),
            rows=pair.n,
            cases=many,
            candidate=_list_names(index, pair)[0],
            baseline=_list_names(index, pair)[1] if is_of_several else "",
        )
        for pair in pairs
    ]
    return Figure(
        "queries-spread",
        "histogram",
        prose.line("query_spread.title", metric=clean_name(metric.label), ties=said[0]),
        prose.line("query_spread.caption", cases=many, metric=clean_name(metric.label), ties=ties),
        ". ".join(said) + ".",
        tuple(_build_bars(index, pair) for pair in pairs),
        shares_axes=True,
    )


def _build_bars(index: Index, pair: PairedValues) -> Panel:
    candidate, baseline = _list_names(index, pair)
    bars = Series(candidate, index.role(pair.candidate), pair.edges, pair.bars)
    rows = clean_name(index.main.case[1])
    return Panel(
        f"{candidate} − {baseline}",
        Axis("difference"),
        Axis(rows, low=0.0),
        (bars,),
        (Reference("", x=(0.0,)),),
    )


def _build_grades(index: Index, found: Sequence[GradesByRank]) -> Figure:
    shown = sorted(found, key=lambda each: index.role(each.model) == "other")[:_MOST_MODELS]
    ranks, many = len(shown[0].shares[0]), clean_name(index.main.case[1])
    first = [
        prose.line(
            "wins.judged_share",
            share=numbers.format_percent(_first(each)),
            model=index.short_label(each.model, 30),
        )
        for each in shown
    ]
    title = prose.line("query_grades.title", cases=many, shares=first)
    return Figure(
        "queries-grades",
        "matrix",
        title,
        prose.line(
            "query_grades.caption",
            ranks=ranks,
            cases=many,
            shown=len(shown),
            all=0 if len(shown) == len(found) else len(found),
        ),
        f"{title}.",
        tuple(_build_cells(index, each) for each in shown),
    )


def _first(found: GradesByRank) -> Number:
    return found.shares[0][0]


def _build_cells(index: Index, found: GradesByRank) -> Panel:
    cells = [
        (float(k + 1), float(g), share)
        for g, shares in enumerate(found.shares)
        for k, share in enumerate(shares)
    ]
    names = [
        prose.line("query_grades.unjudged") if grade is None else f"grade {grade:g}"
        for grade in found.grades
    ]
    ranks = len(found.shares[0])
    step = 1 if ranks <= 10 else 5
    ticks = tuple((float(k), str(k)) for k in range(1, ranks + 1) if k % step == 0 or k == 1)
    series = Series(
        index.short_label(found.model),
        index.role(found.model),
        tuple(x for x, _, _ in cells),
        tuple(y for _, y, _ in cells),
        size=tuple(share for _, _, share in cells),
        texts=tuple(_format_bar_share(share) for _, _, share in cells) if ranks <= 10 else (),
    )
    return Panel(
        series.label,
        Axis("rank", low=0.5, high=ranks + 0.5, ticks=ticks),
        Axis(
            "",
            low=-0.5,
            high=len(names) - 0.5,
            ticks=tuple((float(g), text) for g, text in enumerate(names)),
        ),
        (series,),
    )


def _format_bar_share(share: Number) -> str:
    """Format the share in percent without its sign; empty for next to none."""
    return "" if share is None or share < _TOLD else numbers.format_decimal(100 * share, 0)


_MOST_PANELS = 4
_COLUMNS = {1: 1, 2: 2, 3: 3, 4: 2}  # by the number of panels
_WIDE, _BESIDE, _SIGN, _GAP = 440, 50, 5.5, 6  # a page, what stands next to axes, and ticks: points
_DOTS = 50  # queries up to which each is a dot
_SHARE = "share"


def build_queries_section(results: Results) -> Section | None:
    """None where rows are not listed one by one."""
    index = Index(results)
    every = [row for row in index.sensitivity.wins if row.dataset == index.main.name]
    if not every:
        return None
    first = [row for row in every if row.key == index.leading.key] or every[:1]
    blocks: list[Block] = [
        Bullets(tuple(_list_query_phrases(index, first))),
        _build_table(index, first, "queries-wins"),
        _build_figure(index, first),
    ]
    rest = [row for row in every if row.key != first[0].key]
    more: list[Block] = [_build_table(index, rest, "queries-wins-others")] if rest else []
    mine = [row for row in index.sensitivity.extremes if row.dataset == index.main.name]
    more += [_build_extremes(index, mine)] if mine else []
    blocks += fold_for_full_report(
        prose.line("queries.single", cases=clean_name(index.main.case[1])),
        iter_query_figures(index, first),
    )
    title = capitalize(clean_name(index.main.case[1]))
    others = fold_for_full_report(prose.line("queries.others"), more)
    return Section("queries", title, (*blocks, *others))


def _list_query_phrases(index: Index, found: Sequence[Wins]) -> list[Phrase]:
    case = index.main.case
    lines = [
        make_phrase(
            f"{win_texts.describe_win_counts(w, index.label(w.candidate), case)} "
            f"{win_texts.describe_win_sizes(w, _build_metric(index, w.key), case)}"
        )
        for w in found
    ]
    mine = [h for h in index.sensitivity.harms if h.dataset == index.main.name]
    lines += [
        make_phrase(
            win_texts.describe_harm(h, _build_metric(index, h.key), index.label(h.candidate), case)
        )
        for h in mine
    ]
    pools = [pool for pool in index.sensitivity.pools if pool.dataset == index.main.name]
    about = (win_texts.describe_judged_share(pools, index.labels),)
    return [*lines, *(make_phrase(text) for text in about if text)]


def _build_table(index: Index, found: Sequence[Wins], id_: str) -> Table:
    caption = prose.line(
        "query_wins.caption",
        case=clean_name(index.main.case[0]),
        level=numbers.format_level(found[0].confidence),
        is_weighted=index.main.effective_n is not None,
    )

    def choose_format(w: Wins) -> numbers.NumberFormat:
        unit = _build_metric(index, w.key).unit
        return numbers.choose_format(w.gain or w.loss or 0.0, None, None, unit)

    def make_risk_cell(w: Wins) -> Cell:
        form = choose_format(w)
        interval = form.interval(w.risk_low, w.risk_high, signed=True)
        return make_value_cell(form, w.risk, interval, signed=True)

    return build_table(
        id_,
        caption,
        found,
        word_column("Metric", lambda w: make_metric_cell(index, _build_metric(index, w.key)))
        if len({row.key for row in found}) > 1
        else None,
        word_column(
            "Candidate",
            lambda w: Cell(index.short_label(w.candidate), note=index.short_label(w.baseline)),
            note="against",
        ),
        number_column(
            "Won",
            lambda w: make_count_cell(
                w.ahead, _format_share(w.share_ahead, w.ahead_low, w.ahead_high)
            ),
        ),
        count_column("Tied", lambda w: w.level),
        number_column(
            "Lost",
            lambda w: make_count_cell(
                w.behind, _format_share(w.share_behind, w.behind_low, w.behind_high)
            ),
        ),
        number_column(
            prose.line("query_wins.gain"),
            lambda w: make_value_cell(choose_format(w), w.gain, signed=True),
        ),
        number_column(
            prose.line("query_wins.loss"),
            lambda w: make_value_cell(choose_format(w), w.loss, signed=True),
        ),
        number_column(
            prose.line("query_wins.risk_title"), make_risk_cell, note=prose.line("query_wins.risk")
        ),
        number_column(
            prose.line("wins.sign_test"),
            lambda w: Cell(numbers.format_bare_p_value(w.p_value), value=w.p_value),
            note="p",
        ),
    )


def _format_share(value: Number, low: Number, high: Number) -> str:
    form = numbers.choose_format(value, low, high, _SHARE)
    return form.interval(low, high) if low is not None else form.number(value)


def _build_figure(index: Index, found: Sequence[Wins]) -> Figure:
    """Build a figure of the sorted differences of all rows, a panel for each candidate."""
    found = sorted(found, key=lambda w: index.role(w.candidate) == "other")
    shown = found[:_MOST_PANELS]
    metric = _build_metric(index, shown[0].key)
    counts = [
        win_texts.describe_win_counts(w, index.label(w.candidate), index.main.case) for w in shown
    ]
    return Figure(
        "queries-differences",
        "steps",
        counts[0].rstrip("."),
        prose.line(
            "query_wins.figure",
            metric=lower_first_word(clean_name(metric.label)),
            case=clean_name(index.main.case[0]),
            rows=numbers.format_count(shown[0].n),
            shown=len(shown),
            pairs=0 if len(found) <= len(shown) else len(found),
        ),
        " ".join(counts),
        tuple(_build_panel(index, w, _COLUMNS[len(shown)]) for w in shown),
        shares_axes=True,
    )


def _build_panel(index: Index, w: Wins, columns: int) -> Panel:
    n, kept = w.n, w.differences
    places = [1 + k * (n - 1) / max(len(kept) - 1, 1) for k in range(len(kept))]
    borders = (1, w.behind, n - w.ahead, n)
    ends = [(float(place), numbers.format_count(place)) for place in borders]
    ticks = _drop_crowded_ticks([tick for tick in ends if tick[0] >= 1], n, columns)
    axis = Axis(
        capitalize(clean_name(index.main.case[1])), low=1.0, high=max(float(n), 2.0), ticks=ticks
    )
    role = index.role(w.candidate)
    line = Series(index.short_label(w.candidate), role, tuple(places), kept, has_markers=n <= _DOTS)
    against = index.short_label(w.baseline, 30)
    return Panel(
        f"{index.short_label(w.candidate)} − {against}",
        axis,
        Axis("difference"),
        (line,),
        (Reference("tie", y=(0.0,)),),
    )


def _drop_crowded_ticks(
    ticks: Sequence[tuple[float, str]], n: int, columns: int
) -> tuple[tuple[float, str], ...]:
    """Select ticks whose texts do not overlap, the last tick among them."""
    points = (_WIDE / columns - _BESIDE) / max(n - 1, 1)
    kept: list[tuple[float, str]] = []
    for tick in ticks:
        wide = _SIGN * (len(tick[1]) + len(kept[-1][1])) / 2 + _GAP if kept else 0
        if not kept or (tick[0] - kept[-1][0]) * points > wide:
            kept.append(tick)
    if kept and kept[-1] != ticks[-1]:
        kept[-1] = ticks[-1]
    return tuple(kept)


def _build_extremes(index: Index, found: Sequence[ExtremeRow]) -> Table:
    metric = _build_metric(index, found[0].key)
    form = numbers.choose_format(found[0].difference, None, None, metric.unit)
    one, many = map(clean_name, index.main.case)

    def extra_column(name: str) -> ReportColumn[ExtremeRow]:
        return number_column(
            capitalize(clean_name(name, 40)), lambda row: _format_label(row.row.shown.get(name))
        )

    return build_table(
        "queries-extremes",
        prose.line("query_extremes.caption", cases=many),
        found,
        word_column(capitalize(one), lambda row: clean_name(row.row.id, 60)),
        model_column(index, lambda row: row.candidate, "Candidate"),
        number_column("Difference", lambda row: make_value_cell(form, row.difference, signed=True)),
        number_column(
            prose.line("query_extremes.value"), lambda row: make_value_cell(form, row.value)
        ),
        number_column(
            prose.line("query_extremes.baseline"),
            lambda row: make_value_cell(form, row.baseline_value),
        ),
        *map(extra_column, dict.fromkeys(what for row in found for what in row.row.shown)),
    )


def _format_label(value: object) -> str:
    if isinstance(value, int | float):
        return numbers.format_count(value) if float(value).is_integer() else f"{value:.3g}"
    return numbers.MISSING if value is None else clean_name(str(value), 60)


def _build_metric(index: Index, key: str) -> MetricInfo:
    return next(m for m in index.results.metrics if m.key == key)

"""Queries: on how many a candidate is ahead, what the worst-hit lose, what of them was judged."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen import wording
from reportgen.document import (
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
    TableColumn,
    phrase,
)
from reportgen.results import Extreme, MetricInfo, Number, Results, Wins
from reportgen.sections.cells import metric_cell
from reportgen.sections.folding import in_full
from reportgen.sections.index import Index
from reportgen.sections.scores.query_figures import figures
from reportgen.wording import wins as said

_MOST_PANELS = 4
_COLUMNS = {1: 1, 2: 2, 3: 3, 4: 2}  # by the number of panels
_WIDE, _BESIDE, _SIGN, _GAP = 440, 50, 5.5, 6  # a page, what stands beside axes, and ticks: points
_DOTS = 50  # queries up to which each is a dot
_SHARE = "share"


def section(results: Results) -> Section | None:
    """None where rows are not told one by one."""
    index = Index(results)
    every = [row for row in index.sensitivity.wins if row.dataset == index.main.name]
    if not every:
        return None
    first = [row for row in every if row.key == index.leading.key] or every[:1]
    blocks: list[Block] = [
        Bullets(tuple(_told(index, first))),
        _table(index, first, "queries-wins"),
        _figure(index, first),
    ]
    rest = [row for row in every if row.key != first[0].key]
    more: list[Block] = [_table(index, rest, "queries-wins-others")] if rest else []
    mine = [row for row in index.sensitivity.extremes if row.dataset == index.main.name]
    more += [_extremes(index, mine)] if mine else []
    blocks += in_full("Single queries and grades by rank", figures(index, first))
    title = wording.capital(wording.name(index.main.case[1]))
    return Section("queries", title, (*blocks, *in_full("Other metrics", more)))


def _told(index: Index, found: Sequence[Wins]) -> list[Phrase]:
    case = index.main.case
    lines = [
        phrase(f"{said.counted(w, index.label(w.candidate), case)} "
               f"{said.sizes(w, _metric(index, w.key), case)}")
        for w in found
    ]  # fmt: skip
    mine = [h for h in index.sensitivity.harms if h.dataset == index.main.name]
    lines += [
        phrase(said.harmed(h, _metric(index, h.key), index.label(h.candidate), case)) for h in mine
    ]
    pools = [pool for pool in index.sensitivity.pools if pool.dataset == index.main.name]
    about = (
        said.judged(pools, index.labels),
        said.in_random_order(pools, index.labels, index.leading),
        *(
            said.in_random_order(pools, index.labels, each, is_primary=False)
            for each in index.metrics
        ),
    )
    return [*lines, *(phrase(text) for text in about if text)]


def _table(index: Index, found: Sequence[Wins], id_: str) -> Table:
    rows = wording.name(index.main.case[1])
    is_one = len({row.key for row in found}) == 1
    columns = (
        *((TableColumn("Metric", is_numeric=False),) * (not is_one)),
        TableColumn("Candidate", is_numeric=False, note="against"),
        TableColumn("Ahead"),
        TableColumn("Level"),
        TableColumn("Behind"),
        TableColumn("Gain where ahead"),
        TableColumn("Loss where behind"),
        TableColumn("Risk-weighted", note="losses count twice"),
        TableColumn("Sign test", note="p"),
    )
    level = wording.level(found[0].confidence)
    of_what = "all" if index.main.effective_n is None else "the weight"
    caption = (
        f"{wording.capital(rows)} ahead, level and behind. Beneath is the {level} interval of the "
        f"share of {of_what} (Wilson; exact where under ten are so, or are not; t over ten "
        "clusters or more). The sign test asks who is ahead more often, not by how much. "
        "Risk-weighted is the mean difference with losses counted twice."
    )
    return Table(id_, caption, columns, tuple(_row(index, row)[is_one:] for row in found))


def _row(index: Index, w: Wins) -> tuple[Cell, ...]:
    metric = _metric(index, w.key)
    form = wording.form_of(w.gain or w.loss or 0.0, None, None, metric.unit)

    def shown(value: Number) -> Cell:
        return Cell(form.number(value, signed=True), value=value)

    risk = form.interval(w.risk_low, w.risk_high, signed=True)
    return (
        metric_cell(index, metric),
        Cell(wording.name(index.label(w.candidate), 40),
             note=wording.name(index.label(w.baseline), 40)),
        Cell(wording.count(w.ahead), note=_share(w.share_ahead, w.ahead_low, w.ahead_high),
             value=w.ahead),
        Cell(wording.count(w.level), value=w.level),
        Cell(wording.count(w.behind), note=_share(w.share_behind, w.behind_low, w.behind_high),
             value=w.behind),
        shown(w.gain),
        shown(w.loss),
        Cell(form.number(w.risk, signed=True), note=risk, value=w.risk),
        Cell(said.sign_test(w), value=w.p_value),
    )  # fmt: skip


def _share(value: Number, low: Number, high: Number) -> str:
    form = wording.form_of(value, low, high, _SHARE)
    return form.interval(low, high) if low is not None else form.number(value)


def _figure(index: Index, found: Sequence[Wins]) -> Figure:
    """The differences of all rows, sorted, a panel a candidate."""
    found = sorted(found, key=lambda w: index.role(w.candidate) == "other")
    shown = found[:_MOST_PANELS]
    metric, rows = _metric(index, shown[0].key), wording.name(index.main.case[1])
    counts = [said.counted(w, index.label(w.candidate), index.main.case) for w in shown]
    more = "" if len(found) <= len(shown) else f" The first {len(shown)} of {len(found)} pairs."
    on = wording.lowered(wording.name(metric.label))
    return Figure(
        "queries-differences",
        "steps",
        counts[0].rstrip("."),
        f"Differences in {on}, one for each of the {rows}, from the largest loss to the "
        f"largest gain; more is better for the candidate. n = {wording.count(shown[0].n)}.{more}",
        " ".join(counts),
        tuple(_panel(index, w, _COLUMNS[len(shown)]) for w in shown),
        shares_axes=True,
    )


def _panel(index: Index, w: Wins, columns: int) -> Panel:
    n, kept = w.n, w.differences
    places = [1 + k * (n - 1) / max(len(kept) - 1, 1) for k in range(len(kept))]
    borders = (1, w.behind, n - w.ahead, n)
    ends = [(float(place), wording.count(place)) for place in borders]
    ticks = _apart([tick for tick in ends if tick[0] >= 1], n, columns)
    axis = Axis(wording.capital(wording.name(index.main.case[1])), low=1.0, high=max(float(n), 2.0),
                ticks=ticks)  # fmt: skip
    role = index.role(w.candidate)
    line = Series(wording.name(index.label(w.candidate), 40), role, tuple(places), kept,
                  has_markers=n <= _DOTS)  # fmt: skip
    against = wording.name(index.label(w.baseline), 30)
    return Panel(
        f"{wording.name(index.label(w.candidate), 40)} − {against}",
        axis,
        Axis("difference"),
        (line,),
        (Reference("level", y=(0.0,)),),
    )


def _apart(
    ticks: Sequence[tuple[float, str]], n: int, columns: int
) -> tuple[tuple[float, str], ...]:
    """The ticks whose texts stand beside those before them, the last among them."""
    points = (_WIDE / columns - _BESIDE) / max(n - 1, 1)
    kept: list[tuple[float, str]] = []
    for tick in ticks:
        wide = _SIGN * (len(tick[1]) + len(kept[-1][1])) / 2 + _GAP if kept else 0
        if not kept or (tick[0] - kept[-1][0]) * points > wide:
            kept.append(tick)
    if kept and kept[-1] != ticks[-1]:
        kept[-1] = ticks[-1]
    return tuple(kept)


def _extremes(index: Index, found: Sequence[Extreme]) -> Table:
    names = list(dict.fromkeys(what for row in found for what in row.row.shown))
    metric = _metric(index, found[0].key)
    form = wording.form_of(found[0].difference, None, None, metric.unit)
    one = wording.capital(wording.name(index.main.case[0]))
    columns = (
        TableColumn(one, is_numeric=False),
        TableColumn("Candidate", is_numeric=False),
        TableColumn("Difference"),
        TableColumn("Candidate's value"),
        TableColumn("Baseline's value"),
        *(TableColumn(wording.capital(wording.name(what, 40))) for what in names),
    )
    rows = tuple(
        (
            Cell(wording.name(row.row.id, 60)),
            Cell(wording.name(index.label(row.candidate), 40)),
            Cell(form.number(row.difference, signed=True), value=row.difference),
            Cell(form.number(row.value), value=row.value),
            Cell(form.number(row.baseline_value), value=row.baseline_value),
            *(Cell(_plain(row.row.shown.get(what))) for what in names),
        )
        for row in found
    )
    many = wording.name(index.main.case[1])
    return Table("queries-extremes", f"The {many} won and lost most.", columns, rows)


def _plain(value: object) -> str:
    if isinstance(value, int | float):
        return wording.count(value) if float(value).is_integer() else f"{value:.3g}"
    return wording.MISSING if value is None else wording.name(str(value), 60)


def _metric(index: Index, key: str) -> MetricInfo:
    return next(m for m in index.results.metrics if m.key == key)

"""Confusions: what each model takes for what, as figures and as the most frequent of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from reportgen import wording
from reportgen.document import Axis, Block, Cell, Figure, Panel, Role, Series, Table, TableColumn
from reportgen.results import ConfusionDifference, ConfusionMatrix
from reportgen.sections.classes.found import FoundClasses
from reportgen.wording import classes as said

MOST_WITH_COUNTS = 12
MOST_DRAWN = 40
MOST_LISTED = 15
MOST_BESIDE_TEXT = 4  # classes whose differences need half a page
Grid = tuple[tuple[float, ...], ...]


def confusion_blocks(found: FoundClasses) -> Iterator[Block]:
    """The figures of the models that are shown, their difference, the most frequent confusions."""
    names = found.shown
    grids = {name: _grid(found.matrix(name), len(found.classes)) for name in names}
    labels = _labels(found, {at for grid in grids.values() for at in _worst_pair(grid)})
    drawn = {name: _joined(grid, labels[1]) for name, grid in grids.items()}
    has_counts = len(labels[0]) <= MOST_WITH_COUNTS
    groups = [list(drawn)] if has_counts else [[name] for name in drawn]
    for place, group in enumerate(groups, 1):
        yield _figure(
            found, {name: drawn[name] for name in group}, labels[0], place,
            [_most(found, grids[name]) for name in group],
        )  # fmt: skip
    if has_counts and len(names) == 2 and found.index.about is not None:
        cells = _differences(found, found.index.about)
        if cells:
            yield _difference_figure(found, cells, labels[0])
    table = _worst(found, grids)
    if table.rows:
        yield table


def _labels(found: FoundClasses, named: set[int]) -> tuple[list[str], list[int]]:
    """The names on the axes, and which of them each class goes by: the rarest share one.

    Not those at the places that titles name.
    """
    k = len(found.classes)
    if k <= MOST_DRAWN:
        return [found.names[each.value] for each in found.classes], list(range(k))
    order = sorted(range(k), key=lambda i: (i not in named, -found.classes[i].n))
    kept = sorted(order[: MOST_DRAWN - 1])
    place = {i: at for at, i in enumerate(kept)}
    names = [found.names[found.classes[i].value] for i in kept]
    return [*names, said.others(k - len(kept))], [place.get(i, len(kept)) for i in range(k)]


def _grid(matrix: ConfusionMatrix | None, k: int) -> Grid:
    if matrix is None:
        return ((0.0,) * k,) * k
    return tuple(tuple(x or 0.0 for x in row) for row in matrix.weight)


def _any_hidden(found: FoundClasses, models: Iterable[str]) -> bool:
    """Whether cells of these models are not told."""
    matrices = (found.matrix(name) for name in models)
    return any(x is None for m in matrices if m is not None for row in m.weight for x in row)


def _joined(grid: Grid, places: Sequence[int]) -> Grid:
    k = max(places) + 1
    made = [[0.0] * k for _ in range(k)]
    for i, row in enumerate(grid):
        for j, weight in enumerate(row):
            made[places[i]][places[j]] += weight
    return tuple(map(tuple, made))


def _figure(
    found: FoundClasses,
    grids: dict[str, Grid],
    labels: list[str],
    place: int,
    most: Sequence[Sequence[tuple[str, str, float]]],
) -> Figure:
    names = [wording.name(found.index.label(name), 40) for name in grids]
    panels = tuple(
        _panel(
            label if len(grids) > 1 else "", _series(label, found.index.role(name), grid), labels
        )
        for label, (name, grid) in zip(names, grids.items(), strict=True)
    )
    counts = "a number its weight" if found.index.main.weight else "a number how many"
    caption = said.reading(found.index.main.case, counts if len(labels) <= MOST_WITH_COUNTS else "")
    if _any_hidden(found, grids):
        caption = f"{caption} {said.HIDDEN}"
    if len(found.classes) > len(labels):
        caption = f"{caption} {said.joined(labels[-1])}"
    texts = [
        said.most(label, cells, _any_hidden(found, [name]))
        for label, name, cells in zip(names, grids, most, strict=True)
    ]
    title = texts[-1]
    return Figure(
        f"confusion-{place}", "matrix", title, caption, " ".join(texts), panels,
        width="full" if len(grids) > 1 or len(labels) > MOST_WITH_COUNTS else "half",
        shares_rows=len(grids) > 1,
    )  # fmt: skip


def _panel(title: str, series: Series, labels: Sequence[str]) -> Panel:
    ticks = tuple((float(i), name) for i, name in enumerate(labels, 1))
    return Panel(title, Axis("called", ticks=ticks), Axis("is", ticks=ticks), (series,))


def _series(label: str, role: Role, grid: Grid) -> Series:
    """One mark a cell that holds anything, shaded by its share of the row."""
    k = len(grid)
    held = [(i, j) for i, j in itertools.product(range(k), range(k)) if grid[i][j] > 0]
    return Series(
        label,
        role,
        tuple(float(j + 1) for _, j in held),
        tuple(float(i + 1) for i, _ in held),
        size=tuple(grid[i][j] / sum(grid[i]) for i, j in held),
        texts=tuple(_count(grid[i][j]) for i, j in held) if k <= MOST_WITH_COUNTS else (),
    )


def _count(weight: float) -> str:
    return wording.count(weight) if weight == int(weight) else wording.decimal(weight, 1)


def _most(found: FoundClasses, grid: Grid) -> list[tuple[str, str, float]]:
    """The class that is most often taken for another: is, called, share of the class."""
    labels, pair = [found.names[each.value] for each in found.classes], _worst_pair(grid)
    if not pair:
        return []
    i, j = pair
    return [(labels[i], labels[j], grid[i][j] / sum(grid[i]))]


def _worst_pair(grid: Grid) -> tuple[int, ...]:
    """The place of the class that is most often taken for another, and of that; none of none."""
    every = itertools.product(range(len(grid)), repeat=2)
    cells = [(i, j) for i, j in every if i != j and grid[i][j] > 0]
    return min(cells, key=lambda at: (-grid[at[0]][at[1]], at), default=())


def _differences(found: FoundClasses, about: str) -> list[ConfusionDifference]:
    main = found.index.main.name
    return [
        each
        for each in found.results.confusion_differences
        if (each.dataset, each.candidate) == (main, about) and each.difference is not None
    ]


def _difference_figure(
    found: FoundClasses, cells: Sequence[ConfusionDifference], labels: list[str]
) -> Figure:
    place = {each.value: k for k, each in enumerate(found.classes, 1)}
    moved = [c for c in cells if c.difference]
    # On the diagonal more is better, elsewhere it is worse: green is good everywhere.
    sizes = [(c.difference or 0.0) * (1 if c.value == c.called else -1) for c in moved]
    label = wording.name(found.index.label(cells[0].candidate), 40)
    against = wording.name(found.index.label(cells[0].baseline), 40)
    series = Series(
        label,
        found.index.role(cells[0].candidate),
        tuple(float(place[c.called]) for c in moved),
        tuple(float(place[c.value]) for c in moved),
        size=tuple(sizes),
        marks=tuple("filled" if c.is_shown else "open" for c in moved),
        texts=tuple(_points(c) for c in moved),
    )
    shown = sorted((c for c in cells if c.is_shown), key=lambda c: -abs(c.difference or 0.0))
    told = [(found.names[c.value], found.names[c.called], c.difference or 0.0) for c in shown]
    title = said.moved(label, against, told, _any_hidden(found, found.shown))
    level = wording.level(found.results.inference.level)
    caption = said.difference_reading(label, against, level)
    return Figure(
        "confusion-difference", "matrix", title, caption, title, (_panel("", series, labels),),
        width="half" if len(labels) <= MOST_BESIDE_TEXT else "full",
    )  # fmt: skip


def _points(c: ConfusionDifference) -> str:
    """A difference in percentage points."""
    return wording.decimal(100 * (c.difference or 0.0), 1, signed=True)


def _worst(found: FoundClasses, grids: dict[str, Grid]) -> Table:
    """The confusions that hold most weight with the models that are shown."""
    k = len(found.classes)
    cells = [(i, j) for i, j in itertools.product(range(k), range(k)) if i != j]
    weight = {at: sum(grid[at[0]][at[1]] for grid in grids.values()) for at in cells}
    cells = sorted((at for at in cells if weight[at] > 0), key=lambda at: (-weight[at], at))
    known = {(c.value, c.called): c for c in _differences(found, found.index.about or "")}
    labels = [wording.name(found.index.label(name), 40) for name in grids]
    columns = (
        TableColumn("Is", is_numeric=False),
        TableColumn("Called", is_numeric=False),
        *(TableColumn(label) for label in labels),
        *([TableColumn("Difference")] if known else []),
    )
    rows = tuple(_line(found, i, j, grids, known) for i, j in cells[:MOST_LISTED])
    case = found.index.main.case
    is_weighted = found.index.main.weight is not None
    hidden = _any_hidden(found, grids)
    caption = said.worst(len(rows), len(cells), case, hidden, is_weighted=is_weighted)
    return Table("confusion-worst", caption, columns, rows)


def _line(
    found: FoundClasses,
    i: int,
    j: int,
    grids: dict[str, Grid],
    known: dict[tuple[str, str], ConfusionDifference],
) -> tuple[Cell, ...]:
    values = found.classes[i].value, found.classes[j].value
    cells = (_cell(found.matrix(name), grid, i, j) for name, grid in grids.items())
    c = known.get(values)
    more = [] if not known else [Cell("") if c is None else _limits(c)]
    return Cell(found.names[values[0]]), Cell(found.names[values[1]]), *cells, *more


def _cell(matrix: ConfusionMatrix | None, grid: Grid, i: int, j: int) -> Cell:
    """A count and its share of the class, unless it is not told."""
    if matrix is not None and matrix.weight[i][j] is None:
        return Cell(said.NOT_TOLD)
    share = grid[i][j] / (sum(grid[i]) or 1.0)
    return Cell(_count(grid[i][j]), note=wording.percent(share), value=grid[i][j])


def _limits(c: ConfusionDifference) -> Cell:
    form = wording.form_of(c.difference, c.low, c.high, "share")
    interval = form.interval(c.low, c.high, signed=True)
    return Cell(
        form.number(c.difference, signed=True),
        note="no interval" if interval == wording.MISSING else interval,
        value=c.difference,
    )

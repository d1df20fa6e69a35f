"""Classes: values per class, confusion matrices, labels."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import cast, get_args

from reportgen.report import prose
from reportgen.report.document import (
    Axis,
    Block,
    Bullets,
    Cell,
    Figure,
    Panel,
    Phrase,
    Role,
    Section,
    Series,
    Table,
    make_phrase,
)
from reportgen.report.facts import ClassAverage, ClassMean
from reportgen.report.prose.classes import (
    describe_confusion_changes,
    describe_label_errors,
    describe_shown_classes,
    describe_top_confusion,
    format_weight,
)
from reportgen.report.prose.operating_points import quote_point
from reportgen.report.sections.cells import build_forest, make_estimate_cell
from reportgen.report.sections.index import FEWEST, ClassResults, Index, fold_for_full_report
from reportgen.report.sections.tables import (
    ReportColumn,
    build_table,
    make_count_cell,
    make_interval_cell,
    make_value_cell,
    number_column,
    word_column,
)
from reportgen.report.wording import numbers
from reportgen.report.wording.names import (
    capitalize,
    clean_name,
    lower_first_word,
)
from reportgen.report.wording.verdicts import choose_pair_format
from reportgen.results import Results
from reportgen.results.classification import ConfusionDifference, ConfusionMatrix, LabelConfusion
from reportgen.results.core import ClassInfo, Comparison, Estimate, MetricInfo, ModelInfo
from reportgen.results.verdicts import word_side

MOST_WITH_COUNTS = 12
MOST_DRAWN = 40
MOST_LISTED = 15
MOST_BESIDE_TEXT = 4  # classes whose differences need half a page
MatrixGrid = tuple[tuple[float, ...], ...]


def iter_confusion_blocks(found: ClassResults) -> Iterator[Block]:
    """Yield the figures of the shown models, their difference, and the most frequent confusions."""
    names = found.matrix_models
    grids = {name: _build_grid(found.matrix(name), len(found.classes)) for name in names}
    labels = _list_labels(found, {at for grid in grids.values() for at in _find_worst_pair(grid)})
    drawn = {name: _merge_grid(grid, labels[1]) for name, grid in grids.items()}
    has_counts = len(labels[0]) <= MOST_WITH_COUNTS
    groups = [list(drawn)] if has_counts else [[name] for name in drawn]
    for place, group in enumerate(groups, 1):
        texts = [_format_top_confusion(found, name, grids[name]) for name in group]
        chosen = {name: drawn[name] for name in group}
        yield build_matrix_figure(found, chosen, place, texts[-1], texts, labels=labels[0])
    if has_counts and len(names) == 2 and found.index.about is not None:
        cells = _list_differences(found, found.index.about)
        if cells:
            yield _difference_figure(found, cells, labels[0])
    table = _build_worst_confusions_table(found, grids)
    if table.rows:
        yield table


def _list_labels(found: ClassResults, named: set[int]) -> tuple[list[str], list[int]]:
    """Return the names on the axes and the index among them of each class; the rarest share one.

    Not those at the places that titles name.
    """
    k = len(found.classes)
    if k <= MOST_DRAWN:
        return [found.names[each.value] for each in found.classes], list(range(k))
    order = sorted(range(k), key=lambda i: (i not in named, -found.classes[i].n))
    kept = sorted(order[: MOST_DRAWN - 1])
    place = {i: at for at, i in enumerate(kept)}
    names = [found.names[found.classes[i].value] for i in kept]
    return [*names, prose.line("confusion.others", count=k - len(kept))], [
        place.get(i, len(kept)) for i in range(k)
    ]


def _build_grid(matrix: ConfusionMatrix | None, k: int) -> MatrixGrid:
    if matrix is None:
        return ((0.0,) * k,) * k
    return tuple(tuple(x or 0.0 for x in row) for row in matrix.weight)


def _has_hidden_cells(found: ClassResults, models: Iterable[str]) -> bool:
    """Tell whether cells of these models are hidden."""
    matrices = (found.matrix(name) for name in models)
    return any(x is None for m in matrices if m is not None for row in m.weight for x in row)


def _merge_grid(grid: MatrixGrid, places: Sequence[int]) -> MatrixGrid:
    k = max(places) + 1
    made = [[0.0] * k for _ in range(k)]
    for i, row in enumerate(grid):
        for j, weight in enumerate(row):
            made[places[i]][places[j]] += weight
    return tuple(map(tuple, made))


def build_matrix_figure(
    found: ClassResults,
    grids: dict[str, MatrixGrid],
    place: int,
    title: str,
    texts: Sequence[str],
    table: Table | None = None,
    labels: Sequence[str] = (),
) -> Figure:
    """Build the confusion matrices of some models side by side; `texts` describe each."""
    labels = labels or list(found.names.values())
    names = [clean_name(found.index.label(name), 40) for name in grids]
    panels = tuple(
        _build_panel(
            label if len(grids) > 1 else "",
            _build_series(label, found.index.role(name), grid),
            labels,
        )
        for label, (name, grid) in zip(names, grids.items(), strict=True)
    )
    caption = prose.line(
        "confusion.caption",
        cases=clean_name(found.index.main.case[1]),
        has_counts=len(labels) <= MOST_WITH_COUNTS,
        is_weighted=bool(found.index.main.weight),
        is_hidden=_has_hidden_cells(found, grids),
        others=labels[-1] if len(found.classes) > len(labels) else "",
    )
    return Figure(
        f"confusion-{place}",
        "matrix",
        title,
        caption,
        " ".join(texts),
        panels,
        width="full" if len(grids) > 1 or len(labels) > MOST_WITH_COUNTS else "half",
        table=table,
        shares_rows=len(grids) > 1,
    )


def build_matrix_table(found: ClassResults, grids: dict[str, MatrixGrid], place: int) -> Table:
    """Tabulate confusion matrices: the true classes of each model below one another."""
    labels = list(found.names.values())
    rows = [(name, k) for name in grids for k in range(len(labels))]

    def predicted_column(at: int) -> ReportColumn[tuple[str, int]]:
        def make_cell(row: tuple[str, int]) -> Cell:
            weight = grids[row[0]][row[1]][at]
            return Cell(format_weight(weight), value=weight)

        return number_column(prose.line("both_classes.predicted", label=labels[at]), make_cell)

    return build_table(
        f"matrix-{place}",
        prose.line(
            "both_classes.counts",
            is_weighted=found.index.main.weight is not None,
            cases=clean_name(found.index.main.case[1]),
            point=quote_point(found.point or ""),
        ),
        rows,
        word_column("Model", lambda row: found.index.short_label(row[0])),
        word_column(prose.line("both_classes.true"), lambda row: labels[row[1]]),
        *map(predicted_column, range(len(labels))),
    )


def _build_panel(title: str, series: Series, labels: Sequence[str]) -> Panel:
    ticks = tuple((float(i), name) for i, name in enumerate(labels, 1))
    return Panel(
        title,
        Axis(prose.line("confusion.predicted"), ticks=ticks),
        Axis(prose.line("confusion.true"), ticks=ticks),
        (series,),
    )


def _build_series(label: str, role: Role, grid: MatrixGrid) -> Series:
    """One mark a cell that holds anything, shaded by its share of the row."""
    k = len(grid)
    held = [(i, j) for i, j in itertools.product(range(k), range(k)) if grid[i][j] > 0]
    return Series(
        label,
        role,
        tuple(float(j + 1) for _, j in held),
        tuple(float(i + 1) for i, _ in held),
        size=tuple(grid[i][j] / sum(grid[i]) for i, j in held),
        texts=tuple(format_weight(grid[i][j]) for i, j in held) if k <= MOST_WITH_COUNTS else (),
    )


def _format_top_confusion(found: ClassResults, model: str, grid: MatrixGrid) -> str:
    return describe_top_confusion(
        clean_name(found.index.label(model), 40),
        _find_commonest_confusions(found, grid),
        _has_hidden_cells(found, [model]),
    )


def _find_commonest_confusions(
    found: ClassResults, grid: MatrixGrid
) -> list[tuple[str, str, float]]:
    """Find the class most often mistaken for another: true class, predicted class, share of it."""
    labels, pair = [found.names[each.value] for each in found.classes], _find_worst_pair(grid)
    if not pair:
        return []
    i, j = pair
    return [(labels[i], labels[j], grid[i][j] / sum(grid[i]))]


def _find_worst_pair(grid: MatrixGrid) -> tuple[int, ...]:
    """Find the indices of the most frequent confusion, true then predicted class; empty if none."""
    every = itertools.product(range(len(grid)), repeat=2)
    cells = [(i, j) for i, j in every if i != j and grid[i][j] > 0]
    return min(cells, key=lambda at: (-grid[at[0]][at[1]], at), default=())


def _list_differences(found: ClassResults, about: str) -> list[ConfusionDifference]:
    main = found.index.main.name
    return [
        each
        for each in found.results.confusion_differences
        if (each.dataset, each.candidate) == (main, about) and each.difference is not None
    ]


def _difference_figure(
    found: ClassResults, cells: Sequence[ConfusionDifference], labels: list[str]
) -> Figure:
    place = {each.value: k for k, each in enumerate(found.classes, 1)}
    moved = [c for c in cells if c.difference]
    # On the diagonal more is better, elsewhere it is worse: green is good everywhere.
    sizes = [(c.difference or 0.0) * (1 if c.value == c.predicted else -1) for c in moved]
    label = clean_name(found.index.label(cells[0].candidate), 40)
    against = clean_name(found.index.label(cells[0].baseline), 40)
    series = Series(
        label,
        found.index.role(cells[0].candidate),
        tuple(float(place[c.predicted]) for c in moved),
        tuple(float(place[c.value]) for c in moved),
        size=tuple(sizes),
        marks=tuple("filled" if c.is_shown else "open" for c in moved),
        texts=tuple(_format_points(c) for c in moved),
    )
    shown = sorted((c for c in cells if c.is_shown), key=lambda c: -abs(c.difference or 0.0))
    differences = [
        (found.names[c.value], found.names[c.predicted], c.difference or 0.0) for c in shown
    ]
    title = describe_confusion_changes(
        label, against, differences, _has_hidden_cells(found, found.matrix_models)
    )
    level = numbers.format_level(found.results.inference.level)
    caption = prose.line("confusion.difference", label=label, against=against, level=level)
    return Figure(
        "confusion-difference",
        "matrix",
        title,
        caption,
        title,
        (_build_panel("", series, labels),),
        width="half" if len(labels) <= MOST_BESIDE_TEXT else "full",
    )


def _format_points(c: ConfusionDifference) -> str:
    """Format a difference in percentage points."""
    return numbers.format_decimal(100 * (c.difference or 0.0), 1, signed=True)


def _build_worst_confusions_table(found: ClassResults, grids: dict[str, MatrixGrid]) -> Table:
    """Tabulate the confusions that hold most weight for the models that are shown."""
    k = len(found.classes)
    cells = [(i, j) for i, j in itertools.product(range(k), range(k)) if i != j]
    weight = {at: sum(grid[at[0]][at[1]] for grid in grids.values()) for at in cells}
    cells = sorted((at for at in cells if weight[at] > 0), key=lambda at: (-weight[at], at))
    known = {(c.value, c.predicted): c for c in _list_differences(found, found.index.about or "")}

    def count_column(model: str) -> ReportColumn[tuple[int, int]]:
        matrix, grid = found.matrix(model), grids[model]
        return number_column(
            found.index.short_label(model),
            lambda at: _build_cell(matrix, grid, *at, choose_form(at)),
        )

    def find_difference(at: tuple[int, int]) -> ConfusionDifference | None:
        return known.get((found.classes[at[0]].value, found.classes[at[1]].value))

    def choose_form(at: tuple[int, int]) -> numbers.NumberFormat:
        """Choose the decimals with which the shares subtract in print."""
        c, shares = find_difference(at), [_share_of_class(grid, *at) for grid in grids.values()]
        form = numbers.NumberFormat(1, "share")
        if c is not None:
            form = numbers.choose_format(c.difference, c.low, c.high, "share").raise_decimals(0)
        return numbers.refine_format(form, shares, (0, 1))

    def make_difference_cell(at: tuple[int, int]) -> Cell:
        c = find_difference(at)
        if c is None:
            return Cell("")
        ends, missing = (c.difference, c.low, c.high), prose.line("confusion.no_interval")
        return make_interval_cell(choose_form(at), *ends, signed=True, missing=missing)

    return build_table(
        "confusion-worst",
        prose.line(
            "confusion.listed",
            shown=MOST_LISTED if len(cells) > MOST_LISTED else 0,
            count=len(cells),
            is_hidden=_has_hidden_cells(found, grids),
            is_weighted=found.index.main.weight is not None,
            cases=clean_name(found.index.main.case[1]),
        ),
        cells[:MOST_LISTED],
        word_column(
            prose.line("both_classes.true"), lambda at: found.names[found.classes[at[0]].value]
        ),
        word_column(
            prose.line("confusion.predicted_as"),
            lambda at: found.names[found.classes[at[1]].value],
        ),
        *map(count_column, grids),
        number_column("Difference", make_difference_cell) if known else None,
    )


def _build_cell(
    matrix: ConfusionMatrix | None, grid: MatrixGrid, i: int, j: int, form: numbers.NumberFormat
) -> Cell:
    """Build a cell with a share of a class and its count, unless the count is withheld."""
    if matrix is not None and matrix.weight[i][j] is None:
        return Cell(prose.line("class_list.not_told"))
    share = _share_of_class(grid, i, j)
    return Cell(form.number(share), note=format_weight(grid[i][j]), value=share)


def _share_of_class(grid: MatrixGrid, i: int, j: int) -> float:
    return grid[i][j] / (sum(grid[i]) or 1.0)


def iter_label_blocks(found: ClassResults) -> Iterator[Block]:
    """Yield each model's table of label predictions, the model asked about first and unfolded."""
    about = found.index.about
    models = sorted(found.results.models, key=lambda m: (m.name != about, m.role != "baseline"))
    tables = [table for k, m in enumerate(models, 1) if (table := _build_table(found, m.name, k))]
    for place, table in enumerate(tables):
        yield from [table] if place == 0 else fold_for_full_report(table.title, [table])


def iter_label_findings(found: ClassResults) -> Iterator[Phrase]:
    """Yield the labels that the model asked about most often misses, or predicts in vain.

    How often is by the size of each label.

    No such share says much of labels that few rows have, nor of those that few are predicted.
    """
    judged = {each.value for each in found.classes if each.n >= FEWEST}
    model = found.index.about or found.results.models[0].name
    calls = found.calls(model)
    missed = _find_worst_label(
        [(e, e.false_negatives, e.true_positives) for e in calls if e.value in judged]
    )
    vain = _find_worst_label(
        [(e, e.false_positives, e.true_positives) for e in calls if _count_calls(e) >= FEWEST]
    )
    if calls:
        label = clean_name(found.index.label(calls[0].model), 40)
        named = [(found.names[e.value], s) if e else None for e, s in (missed, vain)]
        text = describe_label_errors(label, named[0], named[1], found.index.main.case)
        if text:
            yield make_phrase(text)


def _count_calls(each: LabelConfusion) -> float:
    return (each.true_positives or 0.0) + (each.false_positives or 0.0)


def _find_worst_label(
    calls: Sequence[tuple[LabelConfusion, float | None, float | None]],
) -> tuple[LabelConfusion | None, float]:
    """Find the label with the largest share of errors among its errors and correct predictions."""
    shares = [
        (wrong / (wrong + right), each)
        for each, wrong, right in calls
        if wrong and right is not None
    ]
    if not shares:
        return None, 0.0
    share, each = max(shares, key=lambda pair: pair[0])
    return each, share


def _build_table(found: ClassResults, model: str, place: int) -> Table | None:
    calls = found.calls(model)
    if not calls:
        return None
    label, case = found.index.short_label(model), found.index.main.case

    def weight_column(
        title: str, get_weights: Callable[[float, float, float], tuple[float, float]]
    ) -> ReportColumn[LabelConfusion]:
        """Make the column of a weight and the weight it is a share of, by TP, FP and FN."""

        def make_cell(each: LabelConfusion) -> Cell:
            outcomes = (each.true_positives, each.false_positives, each.false_negatives)
            return _label_count_cell(*get_weights(*(x or 0.0 for x in outcomes)))

        return number_column(title, make_cell)

    def make_threshold_cell(each: LabelConfusion) -> Cell:
        if each.threshold is None:
            return Cell("")
        form = numbers.choose_declared_precision(each.threshold)
        return make_value_cell(form, each.threshold)

    return build_table(
        f"labels-{place}",
        prose.line(
            "labels_predicted.caption",
            label=label,
            point=clean_name(calls[0].point, 40),
            is_weighted=bool(found.index.main.weight),
            cases=clean_name(case[1]),
        ),
        calls,
        word_column("Label", lambda each: found.names[each.value]),
        number_column("Threshold", make_threshold_cell)
        if any(each.threshold is not None for each in calls)
        else None,
        weight_column(
            prose.line("labels_predicted.with_it", cases=clean_name(case[1])),
            lambda tp, fp, fn: (tp + fn, 0.0),
        ),
        weight_column("Predicted", lambda tp, fp, fn: (tp + fp, 0.0)),
        weight_column(
            prose.line("labels_predicted.true_positives"), lambda tp, fp, fn: (tp, tp + fp)
        ),
        weight_column(
            prose.line("labels_predicted.false_positives"), lambda tp, fp, fn: (fp, tp + fp)
        ),
        weight_column("Missed", lambda tp, fp, fn: (fn, tp + fn)),
        title=prose.line("labels_predicted.title", label=label),
    )


def _label_count_cell(weight: float, among: float = 0.0) -> Cell:
    """Make a cell of a weight with its share below it."""
    note = numbers.format_percent(weight / among) if among else ""
    return Cell(format_weight(weight), note=note, value=weight)


MOST_IN_FOREST = 20
_AVERAGES = get_args(ClassAverage)


def build_classes_section(results: Results) -> Section | None:
    """None where no class is shown by itself."""
    index = Index(results)
    found = ClassResults(index)
    if not found.values or index.main_points:
        return None
    blocks: list[Block] = [Bullets(tuple(_iter_findings(found)))]
    figure = _build_forest(found)
    blocks += [figure] if figure is not None else []
    if not found.is_of_flagged:
        blocks += iter_confusion_blocks(found) if results.confusions else iter_label_blocks(found)
    models = sorted(results.models, key=lambda m: (m.name != index.about, m.role != "baseline"))
    for place, model in enumerate(models, 1):
        table = _build_report(found, model, place)
        title = prose.line("class_report.title", model=table.title, one=found.nouns.one)
        blocks += [table] if place == 1 else fold_for_full_report(title, [table])
    return Section("classes", capitalize(found.nouns.many), tuple(blocks), _build_lede(found))


def _build_lede(found: ClassResults) -> Phrase:
    return prose.phrase(
        "class_list.lede",
        classes=len(found.classes),
        one=found.nouns.one,
        many=found.nouns.many,
        metrics=[lower_first_word(clean_name(m.label)) for m in found.metrics],
    )


def _iter_findings(found: ClassResults) -> Iterator[Phrase]:
    """Yield what is shown of each candidate by class, and the classes of which nothing is shown."""
    if found.is_of_flagged:
        yield make_phrase(_describe_flagged_only(found))
    metric = found.leading
    for model in sorted(found.index.candidates, key=lambda m: m.name != found.index.about):
        rows = found.comparisons(metric.name, model.name)
        if rows:
            yield make_phrase(_describe_class_verdicts(found, model, metric, rows))
    if found.is_of_flagged:
        return
    yield from iter_label_findings(found)
    cases = clean_name(found.index.main.case[1])
    if found.few:
        names = [
            f"{found.names[each.value]} ({numbers.format_count(each.n)})" for each in found.few
        ]
        yield prose.phrase("class_list.small", cases=cases, classes=names)
    untold = [found.names[each.value] for each in found.classes if each.is_hidden]
    if untold:
        yield prose.phrase("class_list.hidden", cases=cases, one=found.nouns.one, classes=untold)
    absent = [
        found.names[each.value] for each in found.classes if not each.n and not each.is_hidden
    ]
    if absent:
        yield prose.phrase("class_list.absent", cases=cases, one=found.nouns.one, classes=absent)


def _describe_flagged_only(found: ClassResults) -> str:
    """Say what is known where classes are known only of rows that are predicted as some of them."""
    main = found.index.main
    cases = clean_name(main.case[1])
    if main.labels_per_row is not None:
        return prose.line("flagged_only.labels", cases=cases)
    others = [clean_name(c.name, 24) for c in main.classes if c not in found.classes]
    return prose.line("flagged_only.classes", cases=cases, others=others)


def _describe_class_verdicts(
    found: ClassResults,
    model: ModelInfo,
    metric: MetricInfo,
    rows: Sequence[tuple[str, Comparison]],
) -> str:
    by_verdict = {
        verdict: [found.names[value] for value, c in rows if word_side(c.word) == side]
        for verdict, side in (("better", 1), ("worse", -1))
    }
    against = clean_name(found.index.baseline.label, 40) if found.index.baseline else ""
    label = lower_first_word(clean_name(metric.label))
    return describe_shown_classes(
        clean_name(model.label, 40),
        against,
        label,
        by_verdict,
        len(rows),
        found.nouns,
        left_out=len(found.classes) - len(rows),
    )


def _build_forest(found: ClassResults) -> Figure | None:
    """Build a forest of the differences of the model asked about, by class, the worst first."""
    about, metric = found.index.about, found.leading
    if about is None:
        return None
    rows = found.comparisons(metric.name, about)
    if not rows:
        return None
    drawn = _select_rows_to_draw(rows)
    role = found.index.role(about)
    shown = sum(word_side(c.word) != 0 for _, c in rows)
    model = next(m for m in found.index.candidates if m.name == about)
    return build_forest(
        found.index,
        metric,
        [(found.names[value], role, c) for value, c in drawn],
        id_="classes-forest",
        title=_describe_class_verdicts(found, model, metric, rows),
        reading=prose.line(
            "class_verdicts.forest",
            one=found.nouns.one,
            many=found.nouns.many,
            is_cut=len(rows) > len(drawn),
            shown=shown,
            drawn=len(drawn),
            has_room=shown <= len(drawn),
            classes=len(rows),
        ),
    )


def _select_rows_to_draw(rows: Sequence[tuple[str, Comparison]]) -> list[tuple[str, Comparison]]:
    """Select as many rows as a figure holds, in their order.

    First come those that are shown, then the worst.
    """
    is_shown = [word_side(c.word) != 0 for _, c in rows]
    by_weight = sorted(range(len(rows)), key=lambda place: (not is_shown[place], place))
    kept = set(by_weight[:MOST_IN_FOREST])
    return [row for place, row in enumerate(rows) if place in kept]


def _build_report(found: ClassResults, model: ModelInfo, place: int) -> Table:
    """Every class with its values and rows, then the means over classes."""
    label = clean_name(model.label, 40)
    level = numbers.format_level(found.results.inference.level)
    main = found.index.main
    known = {each.average for each in found.values}
    rows: list[ClassInfo | str] = [*found.classes, *(a for a in _AVERAGES if a in known)]

    def make_name_cell(row: ClassInfo | str) -> Cell:
        if isinstance(row, str):
            mean = ClassMean(cast(ClassAverage, row), found.nouns.many, clean_name(main.case[1]))
            return Cell(prose.say_plain(mean), is_strong=True)
        is_small = not found.is_of_flagged and not row.is_hidden and 0 < row.n < FEWEST
        return Cell(found.names[row.value], note=prose.line("class_list.too_few") * is_small)

    def metric_column(metric: MetricInfo) -> ReportColumn[ClassInfo | str]:
        def make_cell(row: ClassInfo | str) -> Cell:
            place = ("", row) if isinstance(row, str) else (row.value, "")
            return make_class_cell(found, model.name, metric, *place)

        return number_column(clean_name(metric.label), make_cell)

    def make_rows_cell(row: ClassInfo | str) -> Cell | str:
        if isinstance(row, str):
            return make_count_cell(main.n)
        if found.is_of_flagged:
            weight = found.sum_predicted(model.name, row.value)
            return Cell("" if weight is None else format_weight(weight), value=weight)
        return prose.line("class_list.not_told") if row.is_hidden else make_count_cell(row.n)

    return build_table(
        f"classes-report-{place}",
        prose.line(
            "class_report.caption",
            model=label,
            one=found.nouns.one,
            many=found.nouns.many,
            level=level,
            has_means=bool(known - {""}),
        ),
        rows,
        word_column(capitalize(found.nouns.one), make_name_cell),
        *map(metric_column, found.metrics),
        number_column(
            "Predicted" if found.is_of_flagged else capitalize(clean_name(main.case[1])),
            make_rows_cell,
        ),
        title=label,
    )


def make_class_cell(
    found: ClassResults, model: str, metric: MetricInfo, value: str, average: str
) -> Cell:
    """Make the cell of a metric of one class, or of a mean over classes."""
    each = found.find_values(metric.name, value, average)
    estimate: Estimate | None = None
    if each is not None:
        estimate = next((e for e in each.estimates if e.model == model), None)
    if estimate is None:
        return Cell("")
    if estimate.status != "ok":
        return Cell(numbers.MISSING, note=estimate.status)
    assert each is not None
    known = {e.model: e.value for e in each.estimates}
    forms = [
        choose_pair_format(c, metric, (known.get(c.candidate), known.get(c.baseline)))
        for c in each.comparisons
        if c.difference is not None
    ] or [
        numbers.choose_format(e.value, e.low, e.high, metric.unit, bounds=metric.bounds)
        for e in each.estimates
    ]
    form = max(forms, key=lambda form: form.decimals)
    of_positives = None if value == found.classes[-1].value else ""  # a metric of two classes
    for same in found.index.metrics:
        setting = same.name, same.params.get("average"), same.params.get("at") or ""
        if setting == (metric.name, average or of_positives, each.point):  # a metric of its own
            form = found.index.choose_form(same, found.index.main.name)
    return make_estimate_cell(estimate, metric, form)

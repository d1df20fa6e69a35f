"""Two classes: confusion matrices in counts, and precision, recall and F of each class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.report import prose
from reportgen.report.document import Block, Cell, Section, Table
from reportgen.report.prose import operating_points
from reportgen.report.prose.classes import format_weight
from reportgen.report.sections.classes import (
    MatrixGrid,
    build_matrix_figure,
    build_matrix_table,
    make_class_cell,
)
from reportgen.report.sections.index import ClassResults, Index, fold_for_full_report
from reportgen.report.sections.tables import (
    ReportColumn,
    build_table,
    count_column,
    number_column,
    word_column,
)
from reportgen.report.wording import numbers
from reportgen.report.wording.names import capitalize, clean_name
from reportgen.results import Results
from reportgen.results.classification import OperatingPoint
from reportgen.results.core import MetricInfo

MOST_MODELS = 4  # that stand side by side
_MEANS = ("macro", "weighted")
_Row = tuple[str, str, str]  # a class or "", a mean or "", and a model


def build_two_classes_section(results: Results) -> Section | None:
    """Build the matrices and values of both classes; None where no row is flagged."""
    index = Index(results)
    points: dict[str, list[OperatingPoint]] = {}
    for point in index.main_points:
        points.setdefault(point.name, []).append(point)
    if not points:
        return None
    first, *others = points
    blocks: list[Block] = list(_iter_blocks(index, first, points[first], has_figure=True))
    rest = [block for name in others for block in _iter_blocks(index, name, points[name])]
    blocks += fold_for_full_report(prose.line("both_classes.others"), rest)
    return Section("both-classes", "Both classes", tuple(blocks))


def _iter_blocks(
    index: Index, name: str, at: Sequence[OperatingPoint], *, has_figure: bool = False
) -> Iterator[Block]:
    """Yield the matrices of at most four models side by side, and the table of classes."""
    found = ClassResults(index, name)
    by_model = {point.model: point for point in at}
    names = list(by_model) if len(at) <= MOST_MODELS else found.matrix_models
    shown = [name for name in names if name in by_model]
    grids = {model: grid for model in shown if (grid := _build_grid(by_model[model])) is not None}
    place = list(dict.fromkeys(p.name for p in index.main_points)).index(name) + 1
    table = build_matrix_table(found, grids, place) if grids else None
    if table is not None and has_figure:
        texts = [_describe_flags(index, by_model[model]) for model in grids]
        about = texts[list(grids).index(index.about)] if index.about in grids else texts[-1]
        sentences = [f"{text}." for text in texts]
        yield build_matrix_figure(found, grids, place, about, sentences, table)
    elif table is not None:
        yield table
    if found.values:
        yield _build_class_table(found, name, list(by_model), place)


def _build_grid(point: OperatingPoint) -> MatrixGrid | None:
    """Build the counts by true class and predicted class; None where they are not all known."""
    lower = (point.true_negatives, point.false_positives)
    upper = (point.false_negatives, point.true_positives)
    if None in lower or None in upper:
        return None
    return tuple(tuple(x or 0.0 for x in row) for row in (lower, upper))


def _describe_flags(index: Index, point: OperatingPoint) -> str:
    hits, vain = point.true_positives or 0.0, point.false_positives or 0.0
    total = hits + (point.false_negatives or 0.0)
    nouns = index.main.positive_case or ("positive", "positives")
    return prose.line(
        "both_classes.flags",
        point=operating_points.quote_point(point.name),
        model=index.short_label(point.model),
        case=clean_name(index.main.case[0]),
        positives=clean_name(nouns[total != 1]),
        flagged=format_weight(hits + vain),
        hits=format_weight(hits),
        total=format_weight(total),
        vain=format_weight(vain),
    )


def _build_class_table(found: ClassResults, point: str, models: Sequence[str], place: int) -> Table:
    """Tabulate both classes and the means over them, the models below one another."""
    index = found.index
    level = numbers.format_level(found.results.inference.level)
    parts_with_values = {(each.value, each.average) for each in found.values}
    parts = [(value, "") for value in found.names] + [("", mean) for mean in _MEANS]
    rows = [(*part, model) for part in parts if part in parts_with_values for model in models]
    counts = {(each.value, each.average): each.n for each in found.values}
    flagged = {
        p.model: (p.true_positives or 0.0) + (p.false_positives or 0.0)
        for p in index.main_points
        if p.name == point
    }

    def make_name_cell(row: _Row) -> Cell:
        value, average, _ = row
        name = found.names[value] if value else prose.line("both_classes.mean", average=average)
        return Cell(name, is_strong=True)

    def metric_column(metric: MetricInfo) -> ReportColumn[_Row]:
        return number_column(
            clean_name(metric.label),
            lambda row: make_class_cell(found, row[2], metric, row[0], row[1]),
        )

    return build_table(
        f"classes-{place}",
        prose.line(
            "both_classes.caption",
            point=operating_points.quote_point(point),
            level=level,
            cases=clean_name(index.main.case[1]),
            lower="" if found.is_of_flagged else next(iter(found.names.values())),
        ),
        rows,
        word_column("Class", make_name_cell),
        word_column("Model", lambda row: index.short_label(row[2])),
        *map(metric_column, found.metrics),
        count_column("Flagged", lambda row: flagged[row[2]])
        if found.is_of_flagged
        else count_column(capitalize(clean_name(index.main.case[1])), lambda row: counts[row[:2]]),
        title=prose.line("both_classes.title"),
    )

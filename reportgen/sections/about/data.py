"""Data: which rows were used, what their columns look like, the files and their hashes."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen import wording
from reportgen.document import Block, Bullets, Cell, Phrase, Section, Table, TableColumn, phrase
from reportgen.results import ColumnProfile, DatasetInfo, Number, Results
from reportgen.sections.curves.figures import figures
from reportgen.sections.folding import in_full
from reportgen.sections.index import Index

_ROLES = {"y": "target", "score": "score", "weight": "weight", "cost": "unit cost"}


def section(results: Results) -> Section:
    """Every dataset, then the distributions."""
    index = Index(results)
    blocks: list[Block] = []
    for place, dataset in enumerate(results.datasets, 1):
        suffix = f"-{place}"
        blocks.append(Bullets(tuple(_facts(dataset)), _title(results, dataset)))
        blocks += [_waterfall(dataset, suffix), _columns(index, dataset, suffix)]
        further = [_files(dataset, suffix)]
        if dataset.segments:
            further.append(_segments(dataset, suffix))
        blocks += in_full("Files and segments", further)
    blocks += _warnings(results)
    blocks += figures(index, ("data",))
    return Section("data", "Data", tuple(blocks))


def _title(results: Results, dataset: DatasetInfo) -> str:
    role = "" if dataset.role == "test" else ", used for fitting only"
    return f"Dataset {wording.name(dataset.name)}{role}" if len(results.datasets) > 1 else ""


def _facts(dataset: DatasetInfo) -> Iterator[Phrase]:
    unit = f", in {wording.name(dataset.unit)}" if wording.has_unit(dataset.unit) else ""
    yield phrase(f"{wording.count(dataset.n, 'row')}; target {wording.name(dataset.target)}{unit}.")
    y = next((c for c in dataset.columns if c.role == "y"), None)
    if y is not None and y.n:
        yield phrase(wording.target_values(y))
    if dataset.is_numbered:
        yield phrase("No column names the rows: each goes by its number in the file.")
    if dataset.cluster is not None:
        groups = wording.count(dataset.clusters, "cluster")
        yield phrase(f"Rows are resampled together by {wording.name(dataset.cluster)}: {groups}.")
    if dataset.fold is not None:
        folds = wording.count(dataset.folds, "fold")
        yield phrase(f"Rows come from {folds}, by {wording.name(dataset.fold)}.")
    if dataset.weight is not None:
        yield phrase(f"Rows are weighted by {wording.name(dataset.weight)}{_effective(dataset)}.")


def _effective(dataset: DatasetInfo) -> str:
    """How many rows of equal weight know as much."""
    if dataset.effective_n is None:
        return ""
    about = wording.effective(dataset.effective_n)
    return f"; by their weights they count for {about} rows of equal weight (Kish)"


def _waterfall(dataset: DatasetInfo, suffix: str) -> Table:
    rows = tuple(
        (
            Cell(wording.name(step.step)),
            Cell(wording.count(step.removed), value=step.removed),
            Cell(wording.count(step.rows), value=step.rows),
            Cell(wording.prose(step.reason, 200)),
        )
        for step in dataset.waterfall
    )
    columns = (
        TableColumn("Step", is_numeric=False),
        TableColumn("Rows removed"),
        TableColumn("Rows left"),
        TableColumn("Why", is_numeric=False),
    )
    return Table(f"data-waterfall{suffix}", "From the files to the rows judged.", columns, rows)


def _columns(index: Index, dataset: DatasetInfo, suffix: str) -> Table:
    titles = ("Distinct", "Zeros", "Minimum", "Quarter", "Median", "Mean", "Three quarters",
              "Maximum", "Standard deviation", "Commonest", "Tied pairs")  # fmt: skip
    return Table(
        f"data-columns{suffix}",
        "What the columns look like. Quarter and three quarters are quantiles; tied pairs are the "
        "share of pairs of rows with equal values.",
        (TableColumn("Column", is_numeric=False), *(TableColumn(title) for title in titles)),
        tuple(_profile(index, column) for column in dataset.columns),
    )


def _profile(index: Index, column: ColumnProfile) -> tuple[Cell, ...]:
    shares = (column.mode_share, column.tied_pairs)
    of = f"{_ROLES[column.role]} of {wording.name(index.label(column.model or ''), 40)}"
    spread = column.sd if column.sd else None
    half = None if spread is None else spread / 10
    low = None if half is None or column.mean is None else column.mean - half
    high = None if half is None or column.mean is None else column.mean + half
    form = wording.form_of(column.mean, low, high)

    def printed(value: Number) -> Cell:
        return Cell(form.number(value), value=value)

    return (
        Cell(wording.name(column.column), note=of if column.model else _ROLES[column.role]),
        Cell(wording.count(column.distinct), value=column.distinct),
        Cell(wording.count(column.zeros), value=column.zeros),
        printed(column.minimum),
        printed(column.q25),
        printed(column.median),
        printed(column.mean),
        printed(column.q75),
        printed(column.maximum),
        printed(column.sd),
        Cell(form.number(column.mode), note=wording.percent(shares[0]), value=column.mode),
        Cell(wording.percent(shares[1]), value=shares[1]),
    )


def _files(dataset: DatasetInfo, suffix: str) -> Table:
    rows = tuple(
        (
            Cell(wording.name(file.path, 200), note=file.role),
            Cell(wording.count(file.rows), value=file.rows),
            Cell(wording.count(file.size_bytes), value=file.size_bytes),
            Cell(file.sha256),
        )
        for file in dataset.inputs
    )
    columns = (
        TableColumn("File", is_numeric=False),
        TableColumn("Rows"),
        TableColumn("Bytes"),
        TableColumn("SHA-256", is_numeric=False),
    )
    return Table(f"data-files{suffix}", "Files that were read.", columns, rows)


def _segments(dataset: DatasetInfo, suffix: str) -> Table:
    rows = tuple(
        (
            Cell(wording.name(s.column)),
            Cell(wording.name(s.value)),
            Cell(wording.count(s.n), value=s.n),
        )
        for s in dataset.segments
    )
    columns = (
        TableColumn("By", is_numeric=False),
        TableColumn("Segment", is_numeric=False),
        TableColumn("n"),
    )
    return Table(f"data-segments{suffix}", "Segments and their rows.", columns, rows, True)


def _warnings(results: Results) -> list[Block]:
    lines = [
        phrase(f"{w.code}: {w.text or wording.warning(w.code, w.numbers)}")
        for w in results.warnings
        if w.code.startswith("W2")
    ]
    return [Bullets(tuple(lines), "Warnings on the data")] if lines else []

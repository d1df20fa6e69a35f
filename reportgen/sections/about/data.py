"""Data: which rows were used, what their columns look like, the files and their hashes."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen import wording
from reportgen.document import Block, Bullets, Cell, Phrase, Section, Table, TableColumn, phrase
from reportgen.results import ColumnProfile, DatasetInfo, Number, Results
from reportgen.sections.about.models import training
from reportgen.sections.curves.figures import figures
from reportgen.sections.folding import in_full
from reportgen.sections.index import Index
from reportgen.wording import folds, prevalence
from reportgen.wording.classes import NOT_TOLD, words_of

_ROLES = {"y": "target", "score": "score", "weight": "weight", "cost": "unit cost",
          "count": "number"}  # fmt: skip

WHOLE = 200  # characters of a class: this is where its whole name stands


def section(results: Results) -> Section:
    """Every dataset, then the distributions."""
    index = Index(results)
    blocks: list[Block] = []
    for place, dataset in enumerate(results.datasets, 1):
        suffix = f"-{place}"
        facts = (*_facts(results, dataset), *training(results, dataset))
        blocks.append(Bullets(facts, _title(results, dataset)))
        blocks.append(_waterfall(dataset, suffix))
        if dataset.columns:
            blocks.append(_columns(index, dataset, suffix))
        if len(dataset.classes) > 2 or dataset.labels_per_row is not None:
            blocks.append(_classes(dataset, suffix))
        blocks += _pools(index, dataset, suffix)
        further = [_files(dataset, suffix)]
        if dataset.segments or dataset.hidden:
            further.append(_segments(dataset, suffix))
        blocks += in_full("Files and segments", further)
    blocks += _warnings(index)
    blocks += figures(index, ("data",))
    return Section("data", "Data", tuple(blocks))


def _title(results: Results, dataset: DatasetInfo) -> str:
    role = "" if dataset.role == "test" else ", used for fitting only"
    return f"Dataset {wording.name(dataset.name)}{role}" if len(results.datasets) > 1 else ""


def _facts(results: Results, dataset: DatasetInfo) -> Iterator[Phrase]:
    unit = f", in {wording.name(dataset.unit)}" if wording.has_unit(dataset.unit) else ""
    case = dataset.case
    target = f"; target {wording.name(dataset.target)}{unit}" if dataset.target else ""
    yield phrase(f"{wording.count(dataset.n, *case)}{target}.")
    if len(dataset.classes) > 2 or dataset.labels_per_row is not None:
        yield phrase(wording.classes_of(dataset))
    y = next((c for c in dataset.columns if c.role == "y"), None)
    if y is not None and y.n:
        known = (case[0], f"{case[1]} whose class is known")
        if dataset.unlabelled:
            yield phrase(wording.labelled(dataset))
        of = known if dataset.unlabelled else case
        yield phrase(wording.target_values(y, of, dataset.classes))
    for counted in (c for c in dataset.columns if c.role == "count" and c.n):
        yield phrase(wording.counts(counted, case))
    if dataset.is_numbered:
        said = "No column names the rows: each goes by its number in the file."
        yield phrase(wording.of_cases(said, case))
    if dataset.is_streamed:
        yield phrase(wording.of_cases("Rows were streamed:", case) + _streamed(results))
    if dataset.cluster is not None:
        groups = wording.count(dataset.clusters, "cluster")
        head = wording.of_cases("Rows are resampled together by", case)
        yield phrase(f"{head} {wording.name(dataset.cluster)}: {groups}.")
    if dataset.fold is not None:
        head = wording.of_cases("Rows come from", case)
        yield phrase(f"{head} {folds.folds(dataset)}.")
    if weights := prevalence.weights(results.config, dataset):
        yield phrase(f"{weights[:-1]}{_effective(dataset)}.")
    if dataset.weight is not None:
        head = wording.of_cases("Rows are weighted by", case)
        yield phrase(f"{head} {wording.name(dataset.weight)}{_effective(dataset)}.")


def _streamed(results: Results) -> str:
    """How rows were read that were not held at once, by whom, and what is exact."""
    compute = results.config.get("compute")
    engine = compute.get("engine") if isinstance(compute, dict) else None
    by = " by the workers of a Dask cluster" if isinstance(engine, dict) else ""
    is_binned = any("binned" in w.numbers for w in results.warnings if w.code == "W251")
    passes = "once for bins of values, and once" if is_binned else "and once"
    said = (
        f" read from Parquet row group by row group{by}, once for counts and the largest values, "
        f"{passes} for sums under the weights and under each resample. Sums are exact, and the "
        "same whoever read the files."
    )
    index = Index(results)
    for metric in results.metrics:
        bound = max(index.off_by(metric.key, model.name) for model in results.models)
        if bound:
            said += (
                f" {wording.name(metric.label)} comes from bins of values: it is off by "
                f"{wording.off_by(bound, metric.unit)} at most, which its intervals include."
            )
    return said


def _effective(dataset: DatasetInfo) -> str:
    """How many rows of equal weight know as much."""
    if dataset.effective_n is None:
        return ""
    about = wording.effective(dataset.effective_n)
    what = wording.name(dataset.case[1])
    return f"; by their weights they count for {about} {what} of equal weight (Kish)"


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
        TableColumn(wording.of_cases("Rows removed", dataset.case)),
        TableColumn(wording.of_cases("Rows left", dataset.case)),
        TableColumn("Why", is_numeric=False),
    )
    caption = wording.of_cases("Row counts, from the files to the rows judged.", dataset.case)
    return Table(f"data-waterfall{suffix}", caption, columns, rows)


def _classes(dataset: DatasetInfo, suffix: str) -> Table:
    """The classes of the target with their values and rows."""
    words = words_of(dataset)
    has_names = any(each.name != each.value for each in dataset.classes)
    rows = tuple(
        (
            Cell(wording.name(each.name, WHOLE)),
            *([Cell(wording.name(each.value, WHOLE))] if has_names else []),
            *(
                (Cell(NOT_TOLD), Cell(NOT_TOLD))
                if each.is_hidden
                else (
                    Cell(wording.count(each.n), value=each.n),
                    Cell(wording.percent(each.n / dataset.n), value=each.n / dataset.n),
                )
            ),
        )
        for each in dataset.classes
    )
    columns = (
        TableColumn(wording.capital(words.one), is_numeric=False),
        *([TableColumn("Value", is_numeric=False)] if has_names else []),
        TableColumn(wording.capital(wording.name(dataset.case[1]))),
        TableColumn("Share"),
    )
    caption = f"{wording.capital(words.many)} of the target."
    return Table(f"data-classes{suffix}", caption, columns, rows)


def _columns(index: Index, dataset: DatasetInfo, suffix: str) -> Table:
    titles = ("Unique values", "Zeros", "Minimum", "1st quartile", "Median", "Mean", "3rd quartile",
              "Maximum", "Standard deviation", "Mode", "Tied pairs")  # fmt: skip
    return Table(
        f"data-columns{suffix}",
        wording.of_cases(
            "Column summary. Tied pairs are the share of pairs of rows with equal values.",
            dataset.case,
        ),
        (TableColumn("Column", is_numeric=False), *(TableColumn(title) for title in titles)),
        tuple(_profile(index, dataset, column) for column in dataset.columns),
    )


def _profile(index: Index, dataset: DatasetInfo, column: ColumnProfile) -> tuple[Cell, ...]:
    shares = (column.mode_share, column.tied_pairs)
    spread = column.sd if column.sd else None
    half = None if spread is None else spread / 10
    low = None if half is None or column.mean is None else column.mean - half
    high = None if half is None or column.mean is None else column.mean + half
    form = wording.form_of(column.mean, low, high)

    def printed(value: Number) -> Cell:
        return Cell(form.number(value), value=value)

    return (
        Cell(wording.name(column.column), note=_role(index, dataset, column)),
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


def _role(index: Index, dataset: DatasetInfo, column: ColumnProfile) -> str:
    """What a column is, of which model; of a target of two classes with names, what 1 stands for.

    The column of the file may hold other values: numbers that were cut in two, or words.
    """
    role = _ROLES[column.role]
    if column.model:
        return f"{role} of {wording.name(index.label(column.model), 40)}"
    is_named = column.role == "y" and column.is_flag and len(dataset.classes) == 2
    return f"{role}; 1 is {wording.name(dataset.classes[-1].name, 30)}" if is_named else role


def _pools(index: Index, dataset: DatasetInfo, suffix: str) -> list[Block]:
    """How long the lists of each model are, and what of them was judged; nothing of no lists."""
    found = [pool for pool in index.sensitivity.pools if pool.dataset == dataset.name]
    if not found:
        return []
    k = found[0].k
    columns = (
        TableColumn("Model", is_numeric=False),
        TableColumn(f"Judged of the first {k}"),
        TableColumn("Documents"),
        TableColumn("Longest list"),
        TableColumn("Short lists", note=f"under {k}"),
        TableColumn("Empty lists"),
        TableColumn("Tied documents"),
    )
    rows = tuple(
        (
            Cell(wording.name(index.label(pool.model), 40)),
            Cell(wording.percent(pool.judged), value=pool.judged),
            Cell(wording.count(pool.documents), value=pool.documents),
            Cell(wording.count(pool.deepest), value=pool.deepest),
            Cell(wording.percent(pool.short), value=pool.short),
            Cell(wording.count(pool.empty), value=pool.empty),
            Cell(wording.percent(pool.tied), value=pool.tied),
        )
        for pool in found
    )
    return [Table(f"data-pool{suffix}", "The lists of each model.", columns, rows)]


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
    ) + tuple(
        (Cell(wording.name(column)), Cell(wording.name(value)), Cell("too few to tell"))
        for column, _, value in (each.partition("=") for each in dataset.hidden)
    )
    columns = (
        TableColumn("By", is_numeric=False),
        TableColumn("Segment", is_numeric=False),
        TableColumn("n"),
    )
    caption = wording.of_cases("Segments and their rows.", dataset.case)
    return Table(f"data-segments{suffix}", caption, columns, rows, True)


def _warnings(index: Index) -> list[Block]:
    lines = [
        phrase(f"{w.code}: {w.text or wording.warning(w.code, w.numbers, index.main.case)}")
        for w in index.results.warnings
        if w.code.startswith("W2")
    ]
    return [Bullets(tuple(lines), "Warnings on the data")] if lines else []

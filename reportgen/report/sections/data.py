"""Data: rows used, columns, files, models."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.report import wording
from reportgen.report.document import (
    Block,
    Bullets,
    Cell,
    Phrase,
    Section,
    Table,
    TableColumn,
    make_phrase,
)
from reportgen.report.sections.curves.figures import build_curve_figures
from reportgen.report.sections.index import Index, fold_for_full_report
from reportgen.report.wording import methods
from reportgen.report.wording.classes import NOT_TOLD, choose_class_wording
from reportgen.results import ColumnProfile, DatasetInfo, ModelInfo, Number, Results

_NOT_SAID = "not stated"
_UNTOLD = "how many of the rows judged here are among them is not told, as few are or few are not"


def build_models_table(results: Results) -> list[Table]:
    """Build a table with a row for each model; none where the config gives only their scores."""
    if not any(each.version or each.owner or each.artifact for each in results.models):
        return []
    columns = ("Model", "Version", "Owner", "Artifact", "SHA-256 of the artifact")
    return [
        Table(
            "provenance-models",
            "The models, as the config states them; artifacts were not opened.",
            tuple(TableColumn(title, is_numeric=False) for title in columns),
            tuple(_build_row(each) for each in results.models),
        )
    ]


def _build_row(model: ModelInfo) -> tuple[Cell, ...]:
    made = model.artifact
    answers = (
        model.version,
        model.owner,
        None if made is None else made.uri,
        None if made is None else made.sha256,
    )
    return (
        Cell(wording.clean_name(model.label, 40), note=model.role),
        *(Cell(wording.clean_name(each, 200) if each else _NOT_SAID) for each in answers),
    )


def iter_training_phrases(results: Results, dataset: DatasetInfo) -> Iterator[Phrase]:
    """Yield how many rows of a dataset each model was trained on, where that is known."""
    for model in results.models:
        known = model.trained_on
        if known is None or dataset.role != "test":
            continue
        files = wording.join_list([wording.clean_name(each.path, 60) for each in known.files], 3)
        head = (
            f"{wording.clean_name(model.label, 40)} was trained on "
            f"{wording.format_count(known.ids, 'id')}"
        )
        shared = known.shared.get(dataset.name)
        said = _UNTOLD if dataset.name in known.hidden else _describe_shared_rows(shared, dataset)
        yield make_phrase(f"{head} ({files}); {said}.")


def _describe_shared_rows(shared: int | None, dataset: DatasetInfo) -> str:
    if shared is None:
        rows = wording.clean_name(dataset.case[1])
        return f"whether any of these {rows} are among them cannot be told, as they have no ids"
    of = wording.format_count(dataset.n, *dataset.case)
    if not shared:
        return f"none of these {of} is among them"
    verb = "is" if shared == 1 else "are"
    return f"{wording.format_count(shared)} of these {of} {verb} among them"


_ROLES = {
    "y": "target",
    "score": "score",
    "weight": "weight",
    "cost": "unit cost",
    "count": "number",
}

WHOLE_FILES = 200  # characters of a class: this is where its whole name stands


def build_data_section(results: Results) -> Section:
    """Every dataset, then the distributions."""
    index = Index(results)
    blocks: list[Block] = []
    for place, dataset in enumerate(results.datasets, 1):
        suffix = f"-{place}"
        facts = (*_iter_facts(results, dataset), *iter_training_phrases(results, dataset))
        blocks.append(Bullets(facts, _format_title(results, dataset)))
        blocks.append(_build_waterfall_table(dataset, suffix))
        if dataset.columns:
            blocks.append(_build_columns(index, dataset, suffix))
        if len(dataset.classes) > 2 or dataset.labels_per_row is not None:
            blocks.append(_build_classes(dataset, suffix))
        blocks += _list_pools(index, dataset, suffix)
        further = [_build_files(dataset, suffix)]
        if dataset.segments or dataset.hidden:
            further.append(_build_segments(dataset, suffix))
        blocks += fold_for_full_report("Files and segments", further)
    blocks += _list_warnings(index)
    blocks += build_curve_figures(index, ("data",))
    return Section("data", "Data", tuple(blocks))


def _format_title(results: Results, dataset: DatasetInfo) -> str:
    role = "" if dataset.role == "test" else ", used for fitting only"
    return f"Dataset {wording.clean_name(dataset.name)}{role}" if len(results.datasets) > 1 else ""


def _iter_facts(results: Results, dataset: DatasetInfo) -> Iterator[Phrase]:
    unit = f", in {wording.clean_name(dataset.unit)}" if wording.has_unit(dataset.unit) else ""
    case = dataset.case
    target = f"; target {wording.clean_name(dataset.target)}{unit}" if dataset.target else ""
    yield make_phrase(f"{wording.format_count(dataset.n, *case)}{target}.")
    if len(dataset.classes) > 2 or dataset.labels_per_row is not None:
        yield make_phrase(wording.describe_class_sizes(dataset))
    y = next((c for c in dataset.columns if c.role == "y"), None)
    if y is not None and y.n:
        known = (case[0], f"{case[1]} whose class is known")
        if dataset.unlabelled:
            yield make_phrase(wording.describe_labelled_rows(dataset))
        of = known if dataset.unlabelled else case
        yield make_phrase(wording.describe_target_values(y, of, dataset.classes))
    for counted in (c for c in dataset.columns if c.role == "count" and c.n):
        yield make_phrase(wording.describe_label_counts(counted, case))
    if dataset.is_numbered:
        said = "No column names the rows: each goes by its number in the file."
        yield make_phrase(wording.fill_case_nouns(said, case))
    if dataset.is_streamed:
        yield make_phrase(
            wording.fill_case_nouns("Rows were streamed:", case) + _describe_streaming(results)
        )
    if dataset.cluster is not None:
        groups = wording.format_count(dataset.clusters, "cluster")
        head = wording.fill_case_nouns("Rows are resampled together by", case)
        yield make_phrase(f"{head} {wording.clean_name(dataset.cluster)}: {groups}.")
    if dataset.fold is not None:
        head = wording.fill_case_nouns("Rows come from", case)
        yield make_phrase(f"{head} {methods.describe_folds(dataset)}.")
    if weights := methods.describe_prevalence_weights(results.config, dataset):
        yield make_phrase(f"{weights[:-1]}{_describe_effective_rows(dataset)}.")
    if dataset.weight is not None:
        head = wording.fill_case_nouns("Rows are weighted by", case)
        yield make_phrase(
            f"{head} {wording.clean_name(dataset.weight)}{_describe_effective_rows(dataset)}."
        )


def _describe_streaming(results: Results) -> str:
    """Describe how rows were read that were not held at once, by whom, and what is exact."""
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
                f" {wording.clean_name(metric.label)} comes from bins of values: it is off by "
                f"{wording.format_bin_offset(bound, metric.unit)} at most, which its intervals "
                "include."
            )
    return said


def _describe_effective_rows(dataset: DatasetInfo) -> str:
    """Describe how many rows of equal weight know as much."""
    if dataset.effective_n is None:
        return ""
    about = wording.format_effective_rows(dataset.effective_n)
    what = wording.clean_name(dataset.case[1])
    return f"; by their weights they count for {about} {what} of equal weight (Kish)"


def _build_waterfall_table(dataset: DatasetInfo, suffix: str) -> Table:
    rows = tuple(
        (
            Cell(wording.clean_name(step.step)),
            Cell(wording.format_count(step.removed), value=step.removed),
            Cell(wording.format_count(step.rows), value=step.rows),
            Cell(wording.clean_prose(step.reason, 200)),
        )
        for step in dataset.waterfall
    )
    columns = (
        TableColumn("Step", is_numeric=False),
        TableColumn(wording.fill_case_nouns("Rows removed", dataset.case)),
        TableColumn(wording.fill_case_nouns("Rows left", dataset.case)),
        TableColumn("Why", is_numeric=False),
    )
    caption = wording.fill_case_nouns(
        "Row counts, from the files to the rows judged.", dataset.case
    )
    return Table(f"data-waterfall{suffix}", caption, columns, rows)


def _build_classes(dataset: DatasetInfo, suffix: str) -> Table:
    """Tabulate the classes of the target with their values and rows."""
    words = choose_class_wording(dataset)
    has_names = any(each.name != each.value for each in dataset.classes)
    rows = tuple(
        (
            Cell(wording.clean_name(each.name, WHOLE_FILES)),
            *([Cell(wording.clean_name(each.value, WHOLE_FILES))] if has_names else []),
            *(
                (Cell(NOT_TOLD), Cell(NOT_TOLD))
                if each.is_hidden
                else (
                    Cell(wording.format_count(each.n), value=each.n),
                    Cell(wording.format_percent(each.n / dataset.n), value=each.n / dataset.n),
                )
            ),
        )
        for each in dataset.classes
    )
    columns = (
        TableColumn(wording.capitalize(words.one), is_numeric=False),
        *([TableColumn("Value", is_numeric=False)] if has_names else []),
        TableColumn(wording.capitalize(wording.clean_name(dataset.case[1]))),
        TableColumn("Share"),
    )
    caption = f"{wording.capitalize(words.many)} of the target."
    return Table(f"data-classes{suffix}", caption, columns, rows)


def _build_columns(index: Index, dataset: DatasetInfo, suffix: str) -> Table:
    titles = (
        "Unique values",
        "Zeros",
        "Minimum",
        "1st quartile",
        "Median",
        "Mean",
        "3rd quartile",
        "Maximum",
        "Standard deviation",
        "Mode",
        "Tied pairs",
    )
    return Table(
        f"data-columns{suffix}",
        wording.fill_case_nouns(
            "Column summary. Tied pairs are the share of pairs of rows with equal values.",
            dataset.case,
        ),
        (TableColumn("Column", is_numeric=False), *(TableColumn(title) for title in titles)),
        tuple(_build_profile(index, dataset, column) for column in dataset.columns),
    )


def _build_profile(index: Index, dataset: DatasetInfo, column: ColumnProfile) -> tuple[Cell, ...]:
    shares = (column.mode_share, column.tied_pairs)
    spread = column.sd if column.sd else None
    half = None if spread is None else spread / 10
    low = None if half is None or column.mean is None else column.mean - half
    high = None if half is None or column.mean is None else column.mean + half
    form = wording.choose_format(column.mean, low, high)

    def make_number_cell(value: Number) -> Cell:
        return Cell(form.number(value), value=value)

    return (
        Cell(wording.clean_name(column.column), note=_format_role(index, dataset, column)),
        Cell(wording.format_count(column.distinct), value=column.distinct),
        Cell(wording.format_count(column.zeros), value=column.zeros),
        make_number_cell(column.minimum),
        make_number_cell(column.q25),
        make_number_cell(column.median),
        make_number_cell(column.mean),
        make_number_cell(column.q75),
        make_number_cell(column.maximum),
        make_number_cell(column.sd),
        Cell(form.number(column.mode), note=wording.format_percent(shares[0]), value=column.mode),
        Cell(wording.format_percent(shares[1]), value=shares[1]),
    )


def _format_role(index: Index, dataset: DatasetInfo, column: ColumnProfile) -> str:
    """Describe a column's role, of which model, and what 1 means in a target of two named classes.

    The column of the file may hold other values: numbers that were cut in two, or words.
    """
    role = _ROLES[column.role]
    if column.model:
        return f"{role} of {wording.clean_name(index.label(column.model), 40)}"
    is_named = column.role == "y" and column.is_flag and len(dataset.classes) == 2
    return f"{role}; 1 is {wording.clean_name(dataset.classes[-1].name, 30)}" if is_named else role


def _list_pools(index: Index, dataset: DatasetInfo, suffix: str) -> list[Block]:
    """List how long the lists of each model are, and what of them was judged.

    Where there are no lists, nothing.
    """
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
            Cell(wording.clean_name(index.label(pool.model), 40)),
            Cell(wording.format_percent(pool.judged), value=pool.judged),
            Cell(wording.format_count(pool.documents), value=pool.documents),
            Cell(wording.format_count(pool.deepest), value=pool.deepest),
            Cell(wording.format_percent(pool.short), value=pool.short),
            Cell(wording.format_count(pool.empty), value=pool.empty),
            Cell(wording.format_percent(pool.tied), value=pool.tied),
        )
        for pool in found
    )
    return [Table(f"data-pool{suffix}", "The lists of each model.", columns, rows)]


def _build_files(dataset: DatasetInfo, suffix: str) -> Table:
    rows = tuple(
        (
            Cell(wording.clean_name(file.path, 200), note=file.role),
            Cell(wording.format_count(file.rows), value=file.rows),
            Cell(wording.format_count(file.size_bytes), value=file.size_bytes),
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


def _build_segments(dataset: DatasetInfo, suffix: str) -> Table:
    rows = tuple(
        (
            Cell(wording.clean_name(s.column)),
            Cell(wording.clean_name(s.value)),
            Cell(wording.format_count(s.n), value=s.n),
        )
        for s in dataset.segments
    ) + tuple(
        (Cell(wording.clean_name(column)), Cell(wording.clean_name(value)), Cell("too few to tell"))
        for column, _, value in (each.partition("=") for each in dataset.hidden)
    )
    columns = (
        TableColumn("By", is_numeric=False),
        TableColumn("Segment", is_numeric=False),
        TableColumn("n"),
    )
    caption = wording.fill_case_nouns("Segments and their rows.", dataset.case)
    return Table(f"data-segments{suffix}", caption, columns, rows, True)


def _list_warnings(index: Index) -> list[Block]:
    lines = [
        make_phrase(
            f"{w.code}: {w.text or wording.format_warning(w.code, w.numbers, index.main.case)}"
        )
        for w in index.results.warnings
        if w.code.startswith("W2")
    ]
    return [Bullets(tuple(lines), "Warnings on the data")] if lines else []

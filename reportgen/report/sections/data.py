"""Data: rows used, columns, files, models."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from reportgen.report import prose
from reportgen.report.document import Block, Bullets, Cell, Phrase, Section, Table, make_phrase
from reportgen.report.prose import methods, run_changes
from reportgen.report.prose.classes import choose_class_nouns
from reportgen.report.prose.warnings import format_warning
from reportgen.report.sections.curves.figures import build_curve_figures
from reportgen.report.sections.index import Index, fold_for_full_report
from reportgen.report.sections.tables import (
    ReportColumn,
    build_table,
    count_column,
    make_count_cell,
    make_share_cell,
    model_column,
    number_column,
    share_column,
    word_column,
)
from reportgen.report.wording import names, numbers
from reportgen.results import Results
from reportgen.results.core import ColumnProfile, DatasetInfo
from reportgen.results.types import Number

_NOT_SAID = "not stated"
_UNTOLD = "how many of the rows judged here are among them is not told, as few are or few are not"


def build_models_table(results: Results) -> list[Table]:
    """Build a table with a row for each model; none where the config gives only their scores."""
    if not any(each.version or each.owner or each.artifact for each in results.models):
        return []
    return [
        build_table(
            "provenance-models",
            "The models, as the config states them; artifacts were not opened.",
            results.models,
            word_column("Model", lambda m: Cell(names.clean_name(m.label, 40), note=m.role)),
            word_column("Version", lambda m: _format_given(m.version)),
            word_column("Owner", lambda m: _format_given(m.owner)),
            word_column(
                "Artifact", lambda m: _format_given(m.artifact.uri if m.artifact else None)
            ),
            word_column(
                "SHA-256 of the artifact",
                lambda m: _format_given(m.artifact.sha256 if m.artifact else None),
            ),
        )
    ]


def iter_training_phrases(results: Results, dataset: DatasetInfo) -> Iterator[Phrase]:
    """Yield how many rows of a dataset each model was trained on, where that is known."""
    for model in results.models:
        known = model.trained_on
        if known is None or dataset.role != "test":
            continue
        files = names.join_list([names.clean_name(each.path, 60) for each in known.files], 3)
        head = (
            f"{names.clean_name(model.label, 40)} was trained on "
            f"{numbers.format_count(known.ids, 'id')}"
        )
        shared = known.shared.get(dataset.name)
        said = _UNTOLD if dataset.name in known.hidden else _describe_shared_rows(shared, dataset)
        yield make_phrase(f"{head} ({files}); {said}.")


def _describe_shared_rows(shared: int | None, dataset: DatasetInfo) -> str:
    if shared is None:
        rows = names.clean_name(dataset.case[1])
        return f"whether any of these {rows} are among them cannot be told, as they have no ids"
    of = numbers.format_count(dataset.n, *dataset.case)
    if not shared:
        return f"none of these {of} is among them"
    verb = "is" if shared == 1 else "are"
    return f"{numbers.format_count(shared)} of these {of} {verb} among them"


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
        blocks += _list_pools(index, dataset, suffix)
        further = [_build_waterfall_table(dataset, suffix)]
        if len(dataset.classes) > 2 or dataset.labels_per_row is not None:
            further.append(_build_classes(dataset, suffix))
        if dataset.columns:
            further.append(_build_columns(index, dataset, suffix))
        further.append(_build_files(dataset, suffix))
        if dataset.segments or dataset.hidden:
            further.append(_build_segments(dataset, suffix))
        blocks += fold_for_full_report(prose.line("data.details"), further)
    blocks += _list_warnings(index)
    blocks += build_curve_figures(index, ("data",))
    return Section("data", "Data", tuple(blocks))


def describe_labelled_rows(dataset: DatasetInfo) -> str:
    """Describe which rows have a class, or all labels, where some have none."""
    return prose.line(
        "flagged_only.rows",
        are_labels=dataset.labels_per_row is not None,
        are_several=len(dataset.classes) > 2,
        known=dataset.n - (dataset.unlabelled or 0),
        total=dataset.n,
        cases=names.clean_name(dataset.case[1]),
    )


def _format_title(results: Results, dataset: DatasetInfo) -> str:
    role = "" if dataset.role == "test" else ", used for fitting only"
    return f"Dataset {names.clean_name(dataset.name)}{role}" if len(results.datasets) > 1 else ""


def _iter_facts(results: Results, dataset: DatasetInfo) -> Iterator[Phrase]:
    unit = f", in {names.clean_name(dataset.unit)}" if numbers.has_unit(dataset.unit) else ""
    case = dataset.case
    target = f"; target {names.clean_name(dataset.target)}{unit}" if dataset.target else ""
    yield make_phrase(f"{numbers.format_count(dataset.n, *case)}{target}.")
    if len(dataset.classes) > 2 or dataset.labels_per_row is not None:
        yield make_phrase(methods.describe_class_sizes(dataset))
        if dataset.unlabelled:
            yield make_phrase(describe_labelled_rows(dataset))
    y = next((c for c in dataset.columns if c.role == "y"), None)
    if y is not None and y.n:
        known = (case[0], f"{case[1]} whose class is known")
        if dataset.unlabelled:
            yield make_phrase(describe_labelled_rows(dataset))
        of = known if dataset.unlabelled else case
        yield make_phrase(methods.describe_target_values(y, of, dataset.classes))
    for counted in (c for c in dataset.columns if c.role == "count" and c.n):
        yield make_phrase(methods.describe_label_counts(counted, case))
    if dataset.is_numbered:
        said = "No column names the rows: each goes by its number in the file."
        yield make_phrase(names.fill_case_nouns(said, case))
    for said in dataset.reading or ():
        yield make_phrase(f"{names.clean_prose(said, 300)}.")
    if _are_names_matched_loosely(results, dataset):
        yield make_phrase(
            "Names that differ only in blanks at the ends, case, Unicode form, a trailing .0, "
            "leading zeros or a time of midnight are read as the same (match: loose)."
        )
    if dataset.is_streamed:
        yield make_phrase(
            names.fill_case_nouns("Rows were streamed:", case) + _describe_streaming(results)
        )
    if dataset.cluster is not None:
        groups = numbers.format_count(dataset.clusters, "cluster")
        head = names.fill_case_nouns("Rows are resampled together by", case)
        yield make_phrase(f"{head} {names.clean_name(dataset.cluster)}: {groups}.")
    if dataset.fold is not None:
        head = names.fill_case_nouns("Rows come from", case)
        yield make_phrase(f"{head} {methods.describe_folds(dataset)}.")
    if weights := methods.describe_prevalence_weights(results.config, dataset):
        yield make_phrase(f"{weights[:-1]}{_describe_effective_rows(dataset)}.")
    if dataset.weight is not None:
        head = names.fill_case_nouns("Rows are weighted by", case)
        yield make_phrase(
            f"{head} {names.clean_name(dataset.weight)}{_describe_effective_rows(dataset)}."
        )


def _are_names_matched_loosely(results: Results, dataset: DatasetInfo) -> bool:
    datasets = results.config.get("datasets")
    own = datasets.get(dataset.name) if isinstance(datasets, dict) else None
    return isinstance(own, dict) and own.get("match") == "loose"


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
                f" {names.clean_name(metric.label)} comes from bins of values: it is off by "
                f"{numbers.format_bin_offset(bound, metric.unit)} at most, which its intervals "
                "include."
            )
    return said


def _describe_effective_rows(dataset: DatasetInfo) -> str:
    """Describe how many rows of equal weight know as much."""
    if dataset.effective_n is None:
        return ""
    about = numbers.format_effective_rows(dataset.effective_n)
    what = names.clean_name(dataset.case[1])
    return f"; by their weights they count for {about} {what} of equal weight (Kish)"


def _build_waterfall_table(dataset: DatasetInfo, suffix: str) -> Table:
    return build_table(
        f"data-waterfall{suffix}",
        names.fill_case_nouns("Row counts, from the files to the rows judged.", dataset.case),
        dataset.waterfall,
        word_column("Step", lambda step: names.clean_name(step.step)),
        count_column(names.fill_case_nouns("Rows removed", dataset.case), lambda s: s.removed),
        count_column(names.fill_case_nouns("Rows left", dataset.case), lambda step: step.rows),
        word_column("Why", lambda step: names.clean_prose(step.reason, 200)),
    )


def _build_classes(dataset: DatasetInfo, suffix: str) -> Table:
    """Tabulate the classes of the target with their values and rows."""
    words, not_told = choose_class_nouns(dataset), prose.line("class_list.not_told")
    has_names = any(each.name != each.value for each in dataset.classes)
    rows = names.capitalize(names.clean_name(dataset.case[1]))
    return build_table(
        f"data-classes{suffix}",
        f"{names.capitalize(words.many)} of the target.",
        dataset.classes,
        word_column(names.capitalize(words.one), lambda c: names.clean_name(c.name, WHOLE_FILES)),
        word_column("Value", lambda c: names.clean_name(c.value, WHOLE_FILES))
        if has_names
        else None,
        number_column(
            f"{rows} known to be of it" if dataset.unlabelled else rows,
            lambda c: not_told if c.is_hidden else make_count_cell(c.n),
        ),
        None
        if dataset.unlabelled
        else number_column(
            "Share",
            lambda c: (
                prose.line("class_list.not_told")
                if c.is_hidden
                else make_share_cell(c.n / dataset.n)
            ),
        ),
    )


def _build_columns(index: Index, dataset: DatasetInfo, suffix: str) -> Table:
    def statistic_column(
        title: str, get_value: Callable[[ColumnProfile], Number]
    ) -> ReportColumn[ColumnProfile]:
        def make_cell(column: ColumnProfile) -> Cell:
            value = get_value(column)
            return Cell(_choose_format(column).number(value), value=value)

        return number_column(title, make_cell)

    caption = "Column summary. Tied pairs are the share of pairs of rows with equal values."
    if run_changes.has_group_means(index.results.config.get("privacy")):
        caption += " Minimum, quartiles, median and maximum are means of groups of rows."
    return build_table(
        f"data-columns{suffix}",
        names.fill_case_nouns(caption, dataset.case),
        dataset.columns,
        word_column(
            "Column",
            lambda c: Cell(names.clean_name(c.column), note=_format_role(index, dataset, c)),
        ),
        count_column("Unique values", lambda c: c.distinct),
        count_column("Zeros", lambda c: c.zeros),
        statistic_column("Minimum", lambda c: c.minimum),
        statistic_column("1st quartile", lambda c: c.q25),
        statistic_column("Median", lambda c: c.median),
        statistic_column("Mean", lambda c: c.mean),
        statistic_column("3rd quartile", lambda c: c.q75),
        statistic_column("Maximum", lambda c: c.maximum),
        statistic_column("Standard deviation", lambda c: c.sd),
        number_column(
            "Mode",
            lambda c: Cell(
                _choose_format(c).number(c.mode),
                note=numbers.format_percent(c.mode_share),
                value=c.mode,
            ),
        ),
        share_column("Tied pairs", lambda c: c.tied_pairs),
    )


def _format_role(index: Index, dataset: DatasetInfo, column: ColumnProfile) -> str:
    """Describe a column's role, of which model, and what 1 means in a target of two named classes.

    The column of the file may hold other values: numbers that were cut in two, or words.
    """
    role = _ROLES[column.role]
    if column.model:
        return f"{role} of {index.short_label(column.model)}"
    is_named = column.role == "y" and column.is_flag and len(dataset.classes) == 2
    return f"{role}; 1 is {names.clean_name(dataset.classes[-1].name, 30)}" if is_named else role


def _list_pools(index: Index, dataset: DatasetInfo, suffix: str) -> list[Block]:
    """List how long the lists of each model are, and what of them was judged.

    Where there are no lists, nothing.
    """
    pools = [pool for pool in index.sensitivity.pools if pool.dataset == dataset.name]
    if not pools:
        return []
    k = pools[0].k
    return [
        build_table(
            f"data-pool{suffix}",
            "The lists of each model.",
            pools,
            model_column(index, lambda pool: pool.model),
            share_column(f"Judged of the first {k}", lambda pool: pool.judged),
            count_column("Documents", lambda pool: pool.documents),
            count_column("Longest list", lambda pool: pool.deepest),
            share_column("Short lists", lambda pool: pool.short, note=f"under {k}"),
            count_column("Empty lists", lambda pool: pool.empty),
            share_column("Tied documents", lambda pool: pool.tied),
        )
    ]


def _build_files(dataset: DatasetInfo, suffix: str) -> Table:
    return build_table(
        f"data-files{suffix}",
        "Files that were read.",
        dataset.inputs,
        word_column("File", lambda f: Cell(names.clean_name(f.path, 200), note=f.role)),
        count_column("Rows", lambda file: file.rows),
        count_column("Bytes", lambda file: file.size_bytes),
        word_column("SHA-256", lambda file: file.sha256),
    )


def _build_segments(dataset: DatasetInfo, suffix: str) -> Table:
    known = [(s.column, s.value, make_count_cell(s.n)) for s in dataset.segments]
    hidden = [each.partition("=") for each in dataset.hidden]
    return build_table(
        f"data-segments{suffix}",
        names.fill_case_nouns("Segments and their rows.", dataset.case),
        [*known, *((by, value, Cell("too few to tell")) for by, _, value in hidden)],
        word_column("By", lambda row: names.clean_name(row[0])),
        word_column("Segment", lambda row: names.clean_name(row[1])),
        number_column("n", lambda row: row[2]),
        is_folded=True,
    )


def _list_warnings(index: Index) -> list[Block]:
    lines = [
        make_phrase(f"{w.code}: {w.text or format_warning(w.code, w.numbers, index.main.case)}")
        for w in index.results.warnings
        if w.code.startswith("W2")
    ]
    return [Bullets(tuple(lines), "Warnings on the data")] if lines else []


def _format_given(text: str | None) -> str:
    return names.clean_name(text, 200) if text else _NOT_SAID


def _choose_format(column: ColumnProfile) -> numbers.NumberFormat:
    """Choose the digits of a column's values: a tenth of its standard deviation shows."""
    if not column.sd or column.mean is None:
        return numbers.choose_format(column.mean, None, None)
    half = column.sd / 10
    return numbers.choose_format(column.mean, column.mean - half, column.mean + half)

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
from reportgen.report.sections.points_to_check import describe_place, prefix_subject
from reportgen.report.sections.shifts import iter_shift_blocks
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


def build_models_table(results: Results) -> list[Table]:
    """Build a table with a row for each model; none where the config gives only their scores."""
    if not any(each.version or each.owner or each.artifact for each in results.models):
        return []
    return [
        build_table(
            "provenance-models",
            prose.line("models_table.caption"),
            results.models,
            word_column("Model", lambda m: Cell(names.clean_name(m.label, 40), note=m.role)),
            word_column("Version", lambda m: _format_given(m.version)),
            word_column("Owner", lambda m: _format_given(m.owner)),
            word_column(
                "Artifact", lambda m: _format_given(m.artifact.uri if m.artifact else None)
            ),
            word_column(
                prose.line("models_table.hash"),
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
        files = [names.clean_name(each.path, 60) for each in known.files]
        label, shared = names.clean_name(model.label, 40), known.shared.get(dataset.name)
        if dataset.name in known.hidden:
            yield prose.phrase("training.hidden", model=label, ids=known.ids, files=files)
        elif shared is None:
            yield prose.phrase(
                "training.unknown",
                model=label,
                ids=known.ids,
                files=files,
                cases=names.clean_name(dataset.case[1]),
            )
        else:
            yield prose.phrase(
                "training.shared",
                model=label,
                ids=known.ids,
                files=files,
                shared=shared,
                rows=numbers.format_count(dataset.n, *dataset.case),
            )


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
    labels = {model.name: model.label for model in results.models}
    has_index = results.report.has_psi
    blocks += iter_shift_blocks(results.shifts, labels, has_index=has_index)
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
    if len(results.datasets) == 1:
        return ""
    name = names.clean_name(dataset.name)
    return prose.line("data_facts.title", name=name, is_test=dataset.role == "test")


def _iter_facts(results: Results, dataset: DatasetInfo) -> Iterator[Phrase]:
    case, cases = dataset.case, names.clean_name(dataset.case[1])
    yield prose.phrase(
        "data_facts.rows",
        rows=numbers.format_count(dataset.n, *case),
        target=names.clean_name(dataset.target) if dataset.target else "",
        unit=names.clean_name(dataset.unit) if numbers.has_unit(dataset.unit) else "",
    )
    if len(dataset.classes) > 2 or dataset.labels_per_row is not None:
        yield make_phrase(methods.describe_class_sizes(dataset))
        if dataset.unlabelled:
            yield make_phrase(describe_labelled_rows(dataset))
    y = next((c for c in dataset.columns if c.role == "y"), None)
    if y is not None and y.n:
        known = case[0], prose.line("data_facts.known", cases=case[1])
        if dataset.unlabelled:
            yield make_phrase(describe_labelled_rows(dataset))
        of = known if dataset.unlabelled else case
        yield make_phrase(methods.describe_target_values(y, of, dataset.classes))
    for counted in (c for c in dataset.columns if c.role == "count" and c.n):
        yield make_phrase(methods.describe_label_counts(counted, case))
    if dataset.is_numbered:
        yield prose.phrase("data_facts.numbered", cases=cases)
    for said in dataset.reading or ():
        yield make_phrase(f"{names.clean_prose(said, 300)}.")
    if _are_names_matched_loosely(results, dataset):
        yield prose.phrase("data_facts.loose")
    if dataset.is_streamed:
        yield _describe_streaming(results, cases)
    if dataset.cluster is not None:
        yield prose.phrase(
            "data_facts.cluster",
            cases=cases,
            column=names.clean_name(dataset.cluster),
            clusters=dataset.clusters,
        )
    if dataset.fold is not None:
        yield prose.phrase("data_facts.folds", cases=cases, folds=methods.describe_folds(dataset))
    effective = ""
    if dataset.effective_n is not None:
        effective = numbers.format_effective_rows(dataset.effective_n)
    if weights := methods.describe_prevalence_weights(results.config, dataset):
        yield prose.phrase(
            "data_facts.prevalence", weights=weights[:-1], effective=effective, cases=cases
        )
    if dataset.weight is not None:
        yield prose.phrase(
            "data_facts.weighted",
            cases=cases,
            column=names.clean_name(dataset.weight),
            effective=effective,
        )


def _are_names_matched_loosely(results: Results, dataset: DatasetInfo) -> bool:
    datasets = results.config.get("datasets")
    own = datasets.get(dataset.name) if isinstance(datasets, dict) else None
    return isinstance(own, dict) and own.get("match") == "loose"


def _describe_streaming(results: Results, cases: str) -> Phrase:
    """Describe how rows were read that were not held at once, by whom, and what is exact."""
    compute, index = results.config.get("compute"), Index(results)
    bounds = [
        (metric, max(index.off_by(metric.key, model.name) for model in results.models))
        for metric in results.metrics
    ]
    return prose.phrase(
        "data_facts.streamed",
        cases=cases,
        is_by_workers=isinstance(compute, dict) and isinstance(compute.get("engine"), dict),
        is_binned=any("binned" in w.numbers for w in results.warnings if w.code == "W251"),
        binned=[
            (names.clean_name(metric.label), numbers.format_bin_offset(bound, metric.unit))
            for metric, bound in bounds
            if bound
        ],
    )


def _build_waterfall_table(dataset: DatasetInfo, suffix: str) -> Table:
    case, cases = map(names.clean_name, dataset.case)
    return build_table(
        f"data-waterfall{suffix}",
        prose.line("waterfall.caption", case=case, cases=cases),
        dataset.waterfall,
        word_column("Step", lambda step: names.clean_name(step.step)),
        count_column(prose.line("waterfall.removed", cases=cases), lambda s: s.removed),
        count_column(prose.line("waterfall.left", cases=cases), lambda step: step.rows),
        word_column("Why", lambda step: names.clean_prose(step.reason, 200)),
    )


def _build_classes(dataset: DatasetInfo, suffix: str) -> Table:
    """Tabulate the classes of the target with their values and rows."""
    words, not_told = choose_class_nouns(dataset), prose.line("class_list.not_told")
    has_names = any(each.name != each.value for each in dataset.classes)
    rows = names.capitalize(names.clean_name(dataset.case[1]))
    return build_table(
        f"data-classes{suffix}",
        prose.line("data_classes.caption", many=words.many),
        dataset.classes,
        word_column(names.capitalize(words.one), lambda c: names.clean_name(c.name, WHOLE_FILES)),
        word_column("Value", lambda c: names.clean_name(c.value, WHOLE_FILES))
        if has_names
        else None,
        number_column(
            prose.line("data_classes.known", cases=rows) if dataset.unlabelled else rows,
            lambda c: not_told if c.is_hidden else make_count_cell(c.n),
        ),
        None
        if dataset.unlabelled
        else number_column(
            "Share",
            lambda c: not_told if c.is_hidden else make_share_cell(c.n / dataset.n),
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

    caption = prose.line(
        "columns_table.caption",
        cases=names.clean_name(dataset.case[1]),
        has_means=run_changes.has_group_means(index.results.config.get("privacy")),
    )
    return build_table(
        f"data-columns{suffix}",
        caption,
        dataset.columns,
        word_column(
            "Column",
            lambda c: Cell(names.clean_name(c.column), note=_format_role(index, dataset, c)),
        ),
        count_column(prose.line("columns_table.unique"), lambda c: c.distinct),
        count_column("Zeros", lambda c: c.zeros),
        statistic_column("Minimum", lambda c: c.minimum),
        statistic_column(prose.line("columns_table.first_quartile"), lambda c: c.q25),
        statistic_column("Median", lambda c: c.median),
        statistic_column("Mean", lambda c: c.mean),
        statistic_column(prose.line("columns_table.third_quartile"), lambda c: c.q75),
        statistic_column("Maximum", lambda c: c.maximum),
        statistic_column(prose.line("columns_table.sd"), lambda c: c.sd),
        number_column(
            "Mode",
            lambda c: Cell(
                _choose_format(c).number(c.mode),
                note=numbers.format_percent(c.mode_share),
                value=c.mode,
            ),
        ),
        share_column(prose.line("columns_table.tied"), lambda c: c.tied_pairs),
    )


def _format_role(index: Index, dataset: DatasetInfo, column: ColumnProfile) -> str:
    """Describe a column's role, of which model, and what 1 means in a target of two named classes.

    The column of the file may hold other values: numbers that were cut in two, or words.
    """
    role = column.role
    if column.model:
        model = index.short_label(column.model)
        return prose.line("column_role.of_model", role=role, model=model)
    if role == "y" and column.is_flag and len(dataset.classes) == 2:
        name = names.clean_name(dataset.classes[-1].name, 30)
        return prose.line("column_role.flag", role=role, name=name)
    return prose.term("column_role", role)


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
            prose.line("pools.caption"),
            pools,
            model_column(index, lambda pool: pool.model),
            share_column(prose.line("pools.judged", k=k), lambda pool: pool.judged),
            count_column("Documents", lambda pool: pool.documents),
            count_column(prose.line("pools.longest"), lambda pool: pool.deepest),
            share_column(
                prose.line("pools.short"),
                lambda pool: pool.short,
                note=prose.line("pools.under", k=k),
            ),
            count_column(prose.line("pools.empty"), lambda pool: pool.empty),
            share_column(prose.line("pools.tied"), lambda pool: pool.tied),
        )
    ]


def _build_files(dataset: DatasetInfo, suffix: str) -> Table:
    return build_table(
        f"data-files{suffix}",
        prose.line("files_table.caption"),
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
        prose.line("segments_table.caption", cases=names.clean_name(dataset.case[1])),
        [
            *known,
            *((by, value, Cell(prose.line("segments_table.hidden"))) for by, _, value in hidden),
        ],
        word_column("By", lambda row: names.clean_name(row[0])),
        word_column("Segment", lambda row: names.clean_name(row[1])),
        number_column("n", lambda row: row[2]),
        is_folded=True,
    )


def _list_warnings(index: Index) -> list[Block]:
    lines = []
    for w in index.results.warnings:
        if w.code.startswith("W2"):
            text = w.text or format_warning(w.code, w.numbers, index.main.case)
            lines.append(make_phrase(f"{prefix_subject(describe_place(index, w), text)} {w.code}"))
    return [Bullets(tuple(lines), prose.line("data_warnings.title"))] if lines else []


def _format_given(text: str | None) -> str:
    return names.clean_name(text, 200) if text else prose.line("models_table.not_stated")


def _choose_format(column: ColumnProfile) -> numbers.NumberFormat:
    """Choose the digits of a column's values: a tenth of its standard deviation shows."""
    if not column.sd or column.mean is None:
        return numbers.choose_format(column.mean, None, None)
    half = column.sd / 10
    return numbers.choose_format(column.mean, column.mean - half, column.mean + half)

"""Assemble the results of a run from its config, data and analyses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Literal

import numpy as np

from reportgen.analysis.across_datasets import (
    AcrossPlan,
    DatasetValues,
    compare_across_datasets,
    compute_group_means,
    iter_dataset_values,
    warn_few_datasets,
)
from reportgen.analysis.costs.rroc_plane import LINES
from reportgen.analysis.curves import iter_curve_infos
from reportgen.analysis.plan import FoldAssignment, PlannedMetric
from reportgen.analysis.run import DatasetResults
from reportgen.config.loading import LoadedConfig
from reportgen.config.schema.config import Config, Dataset
from reportgen.config.schema.datasets import Model
from reportgen.data.dataset import LoadedDataset
from reportgen.data.sample import QueryTarget
from reportgen.metrics.curves import CURVES
from reportgen.metrics.tasks import TASKS
from reportgen.metrics.traits import fill_unit
from reportgen.planning.evaluations import evaluate_items, warn_of_labels
from reportgen.planning.input_checks import check_references, list_unneeded, run_input_checks
from reportgen.planning.metrics import (
    list_pairs,
    plan_families,
    plan_metrics,
    plan_per_class_metrics,
    plan_question,
)
from reportgen.results import Results
from reportgen.results.across_datasets import AcrossDatasets
from reportgen.results.changes import PastRun
from reportgen.results.core import (
    Artifact,
    DatasetInfo,
    Inference,
    MetricInfo,
    ModelInfo,
    ReportInfo,
    TrainedOn,
    Warning,
)
from reportgen.results.curves import CurveInfo
from reportgen.results.input_checks import InputFinding
from reportgen.results.segments import GroupGap, OmittedSegment
from reportgen.results.sensitivity import Sensitivity
from reportgen.results.types import Number, Plain, RaisedWarning, Scalar, round_number

# What a metric needs of a score, in the words of results.
RESULT_NEEDS: Mapping[str, Literal["amount", "order", "probability", "label"]] = {
    "amount": "amount",
    "density": "amount",
    "series": "amount",
    "order": "order",
    "probability": "probability",
    "call": "probability",
    "label": "label",
}


def assemble_results(
    loaded: LoadedConfig,
    data: Sequence[LoadedDataset],
    findings: Sequence[DatasetResults | None],
    training: Mapping[str, TrainedOn],
    history: tuple[PastRun, ...],
    provenance: Plain,
) -> Results:
    """Join everything that is known before the gates are judged; no text is written yet."""
    config, found = loaded.config, [finding for finding in findings if finding is not None]
    comparisons = tuple(c for finding in found for c in finding.comparisons)
    references = tuple(r for finding in found for r in finding.references)
    checks = (
        *run_input_checks(config, data, findings),
        *check_references(config, references),
    )
    sampled = _across_plan(config, [each for each in data if each.info.role == "test"])
    return Results(
        task=config.task,
        report=_build_report(config),
        inference=_build_inference(
            config,
            max((finding.replicates for finding in found), default=0),
        ),
        models=tuple(
            replace(_build_model(name, model), trained_on=training.get(name))
            for name, model in config.models.items()
        ),
        metrics=tuple(
            _add_grades(config, use, _build_metric(config, use), data)
            for use in plan_metrics(config)
        ),
        datasets=tuple(
            _add_dataset_words(_build_dataset(*pair), config.datasets)
            for pair in zip(data, findings, strict=True)
        ),
        estimates=tuple(e for finding in found for e in finding.estimates),
        comparisons=comparisons,
        pairs=tuple(pair for finding in found for pair in finding.pairs),
        curves=tuple(c for finding in found for c in finding.curves),
        curve_infos=_curve_infos(config, found),
        costs=tuple(c for finding in found for c in finding.costs),
        points=tuple(p for finding in found for p in finding.points),
        classes=tuple(c for finding in found for c in finding.classes),
        class_metrics=tuple(_build_metric(config, use) for use in plan_per_class_metrics(config)),
        confusions=tuple(c for finding in found for c in finding.confusions),
        confusion_differences=tuple(c for f in found for c in f.confusion_differences),
        label_confusions=tuple(c for f in found for c in f.label_confusions),
        calibrations=tuple(c for finding in found for c in finding.calibrations),
        class_calibrations=tuple(c for f in found for c in f.class_calibrations),
        rare_classes=tuple(c for finding in found for c in finding.rare_classes),
        across=_compare_across(config, sampled, data, found),
        fold_values=tuple(v for finding in found for v in finding.fold_values),
        fold_comparisons=tuple(c for finding in found for c in finding.fold_comparisons),
        references=references,
        stability=tuple(s for finding in found for s in finding.stability),
        evaluations=evaluate_items(config, data, found) if TASKS[config.task].has_items else (),
        group_gaps=tuple(_add_single_rows(g, data) for f in found for g in f.group_gaps),
        fresh_gaps=tuple(g for finding in found for g in finding.fresh_gaps),
        agreements=tuple(a for finding in found for a in finding.agreements),
        sensitivity=Sensitivity.join(finding.sensitivity for finding in found),
        warnings=(
            *_iter_warnings(config, data, findings),
            *_warn_of_renamed(loaded),
            *_warn_of_datasets(config, sampled),
            *_warn_of_training_rows(config, data, training),
            *_warn_of_unneeded(config, checks),
            *(build_warning(config, each) for each in warn_of_labels(config, data)),
        ),
        checks=checks,
        history=history,
        config=loaded.json_form,
        provenance=provenance,
    )


def _add_single_rows(gap: GroupGap, data: Sequence[LoadedDataset]) -> GroupGap:
    """Add the segments of one row, of which no value is computed, to those that a gap omits."""
    info = next(each.info for each in data if each.info.name == gap.dataset)
    single = [s.value for s in info.segments if s.column == gap.by and s.n == 1]
    if gap.between:
        return gap
    added = tuple(OmittedSegment(name, "it has one row") for name in single)
    return replace(gap, omitted=(*gap.omitted, *added))


def _build_model(name: str, model: Model) -> ModelInfo:
    made = model.artifact
    artifact = None if made is None else Artifact(made.sha256, made.uri)
    return ModelInfo(
        name,
        model.label or name,
        model.role,
        model.scale,
        model.version,
        model.owner,
        artifact,
        order=model.order,
        allow=dict(model.allow),
    )


def _across_plan(config: Config, data: Sequence[LoadedDataset]) -> AcrossPlan | None:
    """Plan the comparison over datasets as a sample; None where that is not requested."""
    if config.across is None:
        return None
    units = tuple(each.info.name for each in data)
    if TASKS[config.task].has_rows_of_datasets:
        clusters = data[0].sample.sampling.units
        units = tuple(data[0].sample.ids if clusters is None else clusters.codes.labels)
    return AcrossPlan(
        units,
        tuple(config.models),
        list_pairs(config),
        plan_metrics(config),
        config.comparisons.adjust,  # type: ignore[arg-type]  # the reading knows the names
        config.level,
        config.bootstrap.seed,
        plan_families(config, config.deciding_dataset),
        config.across.rope,
        config.across.cliques == "nemenyi",
    )


def _compare_across(
    config: Config,
    plan: AcrossPlan | None,
    data: Sequence[LoadedDataset],
    found: Sequence[DatasetResults],
) -> tuple[AcrossDatasets, ...]:
    """Compare the models over the datasets, or over the rows of a table of them.

    Rows in clusters do not count as one each: a cluster does, with the mean of its rows.
    """
    if plan is None:
        return ()
    if not TASKS[config.task].has_rows_of_datasets:
        estimates = [e for each in found for e in each.estimates]
        comparisons = [c for each in found for c in each.comparisons]
        return compare_across_datasets(plan, iter_dataset_values(plan, estimates, comparisons))
    sample = data[0].sample
    values = np.stack([sample.models[model].score for model in plan.models], axis=1)
    if sample.sampling.units is not None:
        values = compute_group_means(values, sample.sampling.units.codes.code)
    return compare_across_datasets(plan, [DatasetValues(use, values) for use in plan.uses])


def _warn_of_renamed(loaded: LoadedConfig) -> Iterator[Warning]:
    """Yield W238 for each value of the config that has a new name."""
    for each in loaded.renamed:
        yield build_warning(loaded.config, RaisedWarning("W238", {**asdict(each)}))


def _warn_of_unneeded(config: Config, checks: Sequence[InputFinding]) -> Iterator[Warning]:
    """Yield W252 for each check that the config allows to fail and that does not."""
    for name in list_unneeded(config, checks):
        yield build_warning(config, RaisedWarning("W252", {"allowed": name}))


def _warn_of_datasets(config: Config, sampled: AcrossPlan | None) -> Iterator[Warning]:
    """Yield the warnings about the datasets as a sample, and about adjusted p-values."""
    if config.comparisons.adjust in ("holm", "bh"):
        raised = RaisedWarning("W237", {"adjust": config.comparisons.adjust})
        yield build_warning(config, raised)
    for raised in () if sampled is None else warn_few_datasets(sampled):
        yield build_warning(config, raised)


def _warn_of_training_rows(
    config: Config, data: Sequence[LoadedDataset], training: Mapping[str, TrainedOn]
) -> Iterator[Warning]:
    """Yield W143 where a model was trained on evaluated rows."""
    for model in config.models:
        shared = training[model].shared if model in training else {}
        for each in data:
            if count := shared.get(each.info.name, 0):
                numbers: dict[str, Scalar] = {"shared": count, "rows": each.info.n}
                raised = RaisedWarning("W143", numbers, model=model)
                yield build_warning(config, raised, each.info.name)


def _curve_infos(config: Config, found: Iterable[DatasetResults]) -> tuple[CurveInfo, ...]:
    """How the curves that were found are told and drawn, each name once.

    What the config names is no detail; without a word on curves it names all of the task.
    """
    known = _build_known_curve_infos()
    names = dict.fromkeys(curve.curve for finding in found for curve in finding.curves)
    every = {c.name for c in CURVES.values() if c.task == config.task and not c.is_on_request}
    asked = {use.name for use in config.curves}
    shown = set() if asked == every else asked
    return tuple(
        replace(known[name], is_detail=known[name].is_detail and name not in shown)
        for name in names
    )


def _build_known_curve_infos() -> Mapping[str, CurveInfo]:
    """How each curve that this version knows is told and drawn, by name."""
    return {info.curve: info for info in (*iter_curve_infos(CURVES.values()), *LINES)}


def add_missing_curve_infos(results: Results) -> Results:
    """Add to the results the descriptions that curves of an earlier version came without."""
    told = {info.curve for info in results.curve_infos}
    names = dict.fromkeys(curve.curve for curve in results.curves if curve.curve not in told)
    known = _build_known_curve_infos() if names else {}
    added = tuple(known[name] for name in names if name in known)
    shown = {info.curve for info in (*results.curve_infos, *added)}
    return replace(
        results,
        curves=tuple(curve for curve in results.curves if curve.curve in shown),
        curve_infos=(*results.curve_infos, *added),
    )


def _build_report(config: Config) -> ReportInfo:
    report, question = config.report, plan_question(config)
    return ReportInfo(
        title=report.title,
        id=report.id,
        question=report.question,
        audience=report.audience,
        classification=report.classification,
        status=report.status or "DRAFT",
        status_reason="" if report.status == "FINAL" else "not signed off",
        limitations=report.limitations,
        sign_off=tuple(person.model_dump() for person in report.sign_off),
        sections=config.sections,
        decision=question.decision,
        about=question.about,
        needs=report.needs,
        headline=report.headline,
        length=report.length,
        attached=config.pdf.attach,
        findings=tuple(each.model_dump() for each in report.findings),
        on_stop=config.checks.on_stop,
        has_psi=report.psi,
    )


def _build_dataset(data: LoadedDataset, finding: DatasetResults | None) -> DatasetInfo:
    """Build the description of a dataset, with how it was resampled."""
    if finding is None:
        return data.info
    return replace(
        data.info,
        design=finding.design,
        block_length=round_number(finding.block),
        replicates=finding.replicates,
        curve_replicates=finding.curve_replicates
        if finding.curve_replicates < finding.replicates
        else None,
        **_collect_folds(finding.folding),
    )


def _collect_folds(folding: FoldAssignment | None) -> dict[str, Any]:
    """Collect what is reported of the folds that scored the rows."""
    if folding is None:
        return {}
    return {
        "repeat": folding.repeat,
        "rounds": folding.rounds if folding.repeat else None,
        "question": "procedure" if folding.is_of_procedure else "fitted",
        "train_share": round_number(1 / (1 + folding.ratio)),
        "is_pooled": folding.is_pooled,
    }


def _add_dataset_words(info: DatasetInfo, datasets: Mapping[str, Dataset]) -> DatasetInfo:
    """Add to a dataset the config's words for its rows, target and segments."""
    dataset = datasets[info.name]
    words = {each.column: each for each in dataset.segments}
    segments = tuple(
        replace(
            each,
            label=words[each.column].label or "",
            value_label=words[each.column].values.get(each.value, ""),
        )
        for each in info.segments
    )
    return replace(
        info,
        target_label=dataset.target_label or "",
        case=dataset.case.nouns if dataset.case else info.case,
        positive_case=dataset.positive_case.nouns if dataset.positive_case else info.positive_case,
        segments=segments,
    )


def _build_inference(config: Config, replicates: int) -> Inference:
    boot, primary = config.bootstrap, config.deciding
    return Inference(
        replicates=replicates,
        seed=boot.seed,
        level=config.level,
        interval=boot.interval,
        against=config.comparisons.against,
        adjust=config.comparisons.adjust,
        primary=primary.metric,
        primary_dataset=primary.dataset,
        is_primary_declared=config.primary is not None,
        weights=boot.weights,
        block=round_number(boot.block),
        test=config.comparisons.test if isinstance(config.comparisons.test, str) else "by metric",
    )


def _build_metric(config: Config, use: PlannedMetric) -> MetricInfo:
    metric = use.metric
    named = next((each for each in config.metrics if each.key == use.key), None)
    unit = next(iter(config.datasets.values())).unit or "y"
    return MetricInfo(
        key=use.key,
        name=metric.request_name,
        params=dict(metric.request_params),
        label=use.key if use.key != metric.request_name else metric.title,
        better=metric.better,
        unit=fill_unit(metric.unit, unit, config.currency),
        bounds=_compute_bounds(metric.bounds),
        definition=metric.description,
        undefined=metric.undefined,
        cite=metric.cite,
        margin=round_number(use.margin.size) if use.margin and not use.margin.is_relative else None,
        margin_text=f"{100 * use.margin.size:g}%" if use.margin and use.margin.is_relative else "",
        is_primary=use.is_primary,
        needs=RESULT_NEEDS[metric.needs],
        caveat=metric.caveat,
        withstands=metric.withstands,
        asks=metric.asks,
        kind=metric.kind,
        is_partial=metric.is_partial,
        phrase=(named and named.phrase) or "",
        verb=(named and named.verb) or "",
        usual={p.name: p.default for p in metric.parameters if p.name in metric.params},
        title=metric.title,
    )


GRADES_THAT_COUNT = (
    "Each grade above 0 that occurs counts alike: {}. If the scale has others, declare it with "
    "`grades:` or `grade_weights:` under `ranking:`."
)


def _add_grades(
    config: Config, use: PlannedMetric, info: MetricInfo, data: Sequence[LoadedDataset]
) -> MetricInfo:
    """Add which grades count to the description of a metric whose scale is what occurs."""
    if info.name != "gap" or use.metric.params.get("weights") or config.privacy.level != "open":
        return info
    targets = [each.sample.target for each in data if each.info.role == "test" and each.sample]
    grades = [each.judged.grade for each in targets if isinstance(each, QueryTarget)]
    scale = np.unique(np.concatenate([np.empty(0), *grades]))
    named = ", ".join(f"{grade:g}" for grade in scale if grade > 0)
    if not named:
        return info
    return replace(info, caveat=GRADES_THAT_COUNT.format(named))


def _compute_bounds(bounds: tuple[float, float]) -> tuple[Number, Number]:
    return round_number(bounds[0]), round_number(bounds[1])


def _iter_warnings(
    config: Config, data: Iterable[LoadedDataset], findings: Iterable[DatasetResults | None]
) -> Iterator[Warning]:
    """Yield every warning without its text, those of the data before those of the numbers."""
    for each, finding in zip(data, findings, strict=True):
        for raised in (*each.warnings, *(finding.warnings if finding else ())):
            yield build_warning(config, raised, each.info.name)


def build_warning(config: Config, raised: RaisedWarning, dataset: str | None = None) -> Warning:
    """Build a warning as results hold it; its words come later."""
    return Warning(
        code=raised.code,
        text="",
        numbers=dict(raised.numbers),
        dataset=dataset,
        segment=raised.segment,
        key=raised.key,
        model=raised.model,
        is_fatal=raised.code in config.warnings.fatal,
    )

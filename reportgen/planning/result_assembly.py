"""Assemble the results of a run from its config, data and analyses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
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
from reportgen.analysis.costs import LINES
from reportgen.analysis.curves import iter_curve_infos
from reportgen.analysis.plan import FoldAssignment, PlannedMetric
from reportgen.analysis.run import DatasetResults
from reportgen.config import Config, Dataset, LoadedConfig, Model
from reportgen.data.dataset import LoadedDataset
from reportgen.metrics.curves import CURVES
from reportgen.metrics.traits import fill_unit
from reportgen.planning.plan import list_pairs, plan_metrics, plan_per_class_metrics
from reportgen.planning.requests import has_external_scores
from reportgen.report import wording
from reportgen.results import (
    AcrossDatasets,
    Artifact,
    CurveInfo,
    DatasetInfo,
    Inference,
    MetricInfo,
    ModelInfo,
    Number,
    Plain,
    ReportInfo,
    Results,
    Sensitivity,
    Warning,
    round_number,
)

# What a metric needs of a score, in the words of results.
RESULT_NEEDS: Mapping[str, Literal["amount", "order", "probability", "label"]] = {
    "amount": "amount",
    "density": "amount",
    "order": "order",
    "probability": "probability",
    "call": "probability",
    "label": "label",
}


def assemble_results(
    loaded: LoadedConfig,
    data: Sequence[LoadedDataset],
    findings: Sequence[DatasetResults | None],
    provenance: Plain,
) -> Results:
    """Everything that is known before the gates are judged."""
    config, found = loaded.config, [finding for finding in findings if finding is not None]
    comparisons = tuple(c for finding in found for c in finding.comparisons)
    sampled = _across_plan(config, [each for each in data if each.info.role == "test"])
    return Results(
        task=config.task,
        report=_build_report(config),
        inference=_build_inference(
            config,
            len([c for c in comparisons if c.family == "primary" and not c.counted_with]),
            max((finding.replicates for finding in found), default=0),
        ),
        models=tuple(_build_model(name, model) for name, model in config.models.items()),
        metrics=tuple(_build_metric(config, use) for use in plan_metrics(config)),
        datasets=tuple(
            _add_dataset_words(_build_dataset(*pair), config.datasets)
            for pair in zip(data, findings, strict=True)
        ),
        estimates=tuple(e for finding in found for e in finding.estimates),
        comparisons=comparisons,
        curves=tuple(c for finding in found for c in finding.curves),
        curve_infos=_curve_infos(config, found),
        costs=tuple(c for finding in found for c in finding.costs),
        points=tuple(p for finding in found for p in finding.points),
        classes=tuple(c for finding in found for c in finding.classes),
        class_metrics=tuple(_build_metric(config, use) for use in plan_per_class_metrics(config)),
        confusions=tuple(c for finding in found for c in finding.confusions),
        confusion_differences=tuple(c for f in found for c in f.confusion_differences),
        label_calls=tuple(c for f in found for c in f.label_calls),
        calibrations=tuple(c for finding in found for c in finding.calibrations),
        class_calibrations=tuple(c for f in found for c in f.class_calibrations),
        rare_classes=tuple(c for finding in found for c in finding.rare_classes),
        across=_compare_across(config, sampled, data, found),
        fold_values=tuple(v for finding in found for v in finding.fold_values),
        fold_comparisons=tuple(c for finding in found for c in finding.fold_comparisons),
        fresh_gaps=tuple(g for finding in found for g in finding.fresh_gaps),
        agreements=tuple(a for finding in found for a in finding.agreements),
        sensitivity=Sensitivity.join(finding.sensitivity for finding in found),
        warnings=(*_iter_warnings(config, data, findings), *_warn_of_datasets(config, sampled)),
        config=loaded.json_form,
        provenance=provenance,
    )


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
    )


def _across_plan(config: Config, data: Sequence[LoadedDataset]) -> AcrossPlan | None:
    """Plan the comparison over datasets as a sample; None where that is not requested."""
    if config.across is None:
        return None
    units = tuple(each.info.name for each in data)
    if has_external_scores(config):
        together = data[0].sample.together
        units = tuple(data[0].sample.ids if together is None else together.codes.labels)
    return AcrossPlan(
        units,
        tuple(config.models),
        list_pairs(config),
        plan_metrics(config),
        config.comparisons.adjust,  # type: ignore[arg-type]  # the reading knows the names
        config.level,
        config.bootstrap.seed,
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
    if not has_external_scores(config):
        estimates = [e for each in found for e in each.estimates]
        comparisons = [c for each in found for c in each.comparisons]
        return compare_across_datasets(plan, iter_dataset_values(plan, estimates, comparisons))
    sample = data[0].sample
    values = np.stack([sample.scores[model] for model in plan.models], axis=1)
    if sample.together is not None:
        values = compute_group_means(values, sample.together.codes.code)
    return compare_across_datasets(plan, [DatasetValues(use, values) for use in plan.uses])


def _warn_of_datasets(config: Config, sampled: AcrossPlan | None) -> Iterator[Warning]:
    """Yield the warnings about the datasets as a sample."""
    for raised in () if sampled is None else warn_few_datasets(sampled):
        text = wording.format_warning(raised.code, dict(raised.numbers))
        is_fatal = raised.code in config.warnings.fatal
        yield Warning(raised.code, text, dict(raised.numbers), is_fatal=is_fatal)


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
    report = config.report
    return ReportInfo(
        title=report.title,
        id=report.id,
        question=report.question,
        audience=report.audience,
        classification=report.classification,
        status=report.status,
        status_reason="" if report.status == "FINAL" else "not signed off",
        limitations=report.limitations,
        sign_off=tuple(person.model_dump() for person in report.sign_off),
        sections=config.sections,
        decision=report.decision,
        about=report.about,
        headline=report.headline,
        length=report.length,
        attached=config.pdf.attach,
        findings=tuple(each.model_dump() for each in report.findings),
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
        segments=segments,
    )


def _build_inference(config: Config, family: int, replicates: int) -> Inference:
    boot, primary = config.bootstrap, config.primary
    return Inference(
        replicates=replicates,
        seed=boot.seed,
        level=config.level,
        interval=boot.interval,
        against=config.comparisons.against,
        adjust=config.comparisons.adjust,
        family=family,
        primary=primary.metric if primary else None,
        primary_dataset=primary.dataset if primary else next(iter(config.datasets)),
        weights=boot.weights,
        block=round_number(boot.block),
        test=config.comparisons.test if isinstance(config.comparisons.test, str) else "by metric",
    )


def _build_metric(config: Config, use: PlannedMetric) -> MetricInfo:
    metric = use.metric
    phrase = next((each.phrase for each in config.metrics if each.key == use.key), None)
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
        phrase=phrase or "",
        usual={p.name: p.default for p in metric.parameters if p.name in metric.params},
        title=metric.title,
    )


def _compute_bounds(bounds: tuple[float, float]) -> tuple[Number, Number]:
    return round_number(bounds[0]), round_number(bounds[1])


def _iter_warnings(
    config: Config, data: Iterable[LoadedDataset], findings: Iterable[DatasetResults | None]
) -> Iterator[Warning]:
    """Every warning in words, those of the data before those of the numbers."""
    fatal = config.warnings.fatal
    metrics = (
        _build_metric(config, use)
        for use in (*plan_per_class_metrics(config), *plan_metrics(config))
    )
    labels = {metric.key: metric.label for metric in metrics}
    labels |= {name: model.label or name for name, model in config.models.items()}
    for each, finding in zip(data, findings, strict=True):
        labels |= wording.list_class_labels([each.info])
        case = _add_dataset_words(each.info, config.datasets).case
        for raised in each.warnings:
            yield Warning(
                code=raised.code,
                text=wording.format_warning(raised.code, dict(raised.numbers), case),
                numbers=dict(raised.numbers),
                dataset=each.info.name,
                segment=raised.segment,
                model=raised.model,
                is_fatal=raised.code in fatal,
            )
        for found in finding.warnings if finding else ():
            yield Warning(
                code=found.code,
                text=wording.format_warning(
                    found.code, wording.replace_by_labels(found.numbers, labels), case
                ),
                numbers=dict(found.numbers),
                dataset=each.info.name,
                segment=found.segment,
                key=found.key,
                model=found.model,
                is_fatal=found.code in fatal,
            )


def add_glyph_warning(results: Results, missing: Sequence[str]) -> Results:
    """Add a warning to the results if the report uses characters that none of its fonts has."""
    if not missing:
        return results
    fatal = "W205" in str(results.config.get("warnings", ""))
    numbers = {"characters": " ".join(f"U+{ord(sign):04X}" for sign in missing[:20])}
    text = wording.format_warning("W205", dict(numbers))
    added = Warning(code="W205", text=text, numbers=dict(numbers), is_fatal=fatal)
    return replace(results, warnings=(*results.warnings, added))

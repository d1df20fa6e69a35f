"""Run the checks of the input on data sets, and hold what they find against what is allowed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

import numpy as np

from reportgen.analysis.run import DatasetResults
from reportgen.checks.check import UNSEEN, CheckResult, Read, Subject, run_checks
from reportgen.checks.inputs import DataSubject, ScoreSubject, UnitKind
from reportgen.config.schema.config import Config
from reportgen.data.dataset import LoadedDataset, StreamedEvidence
from reportgen.data.sample import ClassTarget, Sample
from reportgen.metrics.tasks import TASKS
from reportgen.planning.evaluations import iter_judge_subjects
from reportgen.planning.input_evidence import iter_row_subjects
from reportgen.planning.metrics import plan_metrics
from reportgen.results.input_checks import HEAVY_TAIL, InputFinding
from reportgen.results.references import ReferenceValue
from reportgen.results.types import RaisedWarning
from reportgen.terms import INPUT_CHECKS, LIMITS

FIRST_ROWS = 1_000  # whose scores tell that more differ than checks ask for


def run_input_checks(
    config: Config, data: Sequence[LoadedDataset], analyzed: Sequence[DatasetResults | None] = ()
) -> tuple[InputFinding, ...]:
    """Run the checks of the input on every test data set; `analyzed` are the results, if known."""
    pairs = zip_longest(data, analyzed)
    return tuple(
        finding
        for each, results in pairs
        if each.info.role == "test"
        for finding in _check_dataset(config, each, results)
    )


def check_references(config: Config, known: Sequence[ReferenceValue]) -> Iterator[InputFinding]:
    """Check that each candidate, or the one model, is better than what takes no model.

    On the metric that decides; this is known only once the numbers are.
    """
    candidates = [m for m, each in config.models.items() if each.role == "candidate"]
    for each in known:
        if each.key != config.deciding.metric:
            continue
        for model in candidates or config.models:
            is_better = each.is_beaten_by(model)
            if is_better is None:
                continue
            raised = RaisedWarning(INPUT_CHECKS["reference"].code, {}, model=model)
            finding = _build_finding(config, each.dataset, "reference", raised)
            yield replace(finding, outcome="passed", reason="") if is_better else finding


def list_unneeded(config: Config, findings: Sequence[InputFinding]) -> list[str]:
    """List what the config allows without need, by the name of the check, with its model if any.

    Whether a conflict or a heavy tail needs it is known only from the verdicts.
    """
    used = {(each.model, each.name) for each in findings if each.outcome == "allowed"}
    of_models = [(m, name) for m, model in config.models.items() for name in model.allow]
    every = [*((None, name) for name in config.allow), *of_models]
    return [
        name if m is None else f"{m}: {name}"
        for m, name in every
        if (m, name) not in used and name not in ("conflict", HEAVY_TAIL)
    ]


def _check_dataset(
    config: Config, data: LoadedDataset, analyzed: DatasetResults | None
) -> Iterator[InputFinding]:
    """Yield each failure of a check that applies, else its outcome."""
    kinds = {use.metric.kind for use in plan_metrics(config)}
    results = list(run_checks(*_iter_subjects(config, data)))
    if analyzed is not None:
        constant = {each.warning.model for each in results if each.warning and each.code == "W318"}
        same = [r for r in _iter_same_decisions(analyzed, data.info.n) if r.model not in constant]
        results += [CheckResult(each.code, "raised", each) for each in same]
    for name, check in INPUT_CHECKS.items():
        mine = [each for each in results if each.code == check.code]
        raised = [each.warning for each in mine if each.warning is not None]
        failed = [_build_finding(config, data.info.name, name, each) for each in raised]
        failed = [each for each in failed if any(each.covers(kind) for kind in kinds)]
        outcomes = {each.outcome for each in mine}
        yield from failed
        if not failed and outcomes & {"passed", "raised"}:
            yield InputFinding(check.code, name, "passed", data.info.name)
        elif not failed and "not looked at" in outcomes:
            yield InputFinding(check.code, name, "not looked at", data.info.name)


def _iter_same_decisions(analyzed: DatasetResults, rows: int) -> Iterator[RaisedWarning]:
    """Yield each model that decides the same for every row, at each operating point."""
    if rows < LIMITS["W318"]["fewest"]:
        return
    usual = next((point.name for point in analyzed.points), "")
    for point in analyzed.points:
        flagged = [point.false_positives, point.true_positives]
        others = [point.true_negatives, point.false_negatives]
        if None in (*flagged, *others):  # the class of some rows is not known
            continue
        if not any(flagged) or not any(others):
            numbers = {"at": point.name, "threshold": point.threshold}
            of = {**numbers, "is_usual": point.name == usual, "metrics": "decision"}
            yield RaisedWarning("W318", of, model=point.model)
    for matrix in analyzed.confusions:
        is_whole = all(None not in row for row in matrix.weight)
        if is_whole and sum(any(column) for column in zip(*matrix.weight, strict=True)) == 1:
            yield RaisedWarning("W318", {"metrics": "decision"}, model=matrix.model)


def _build_finding(config: Config, dataset: str, name: str, raised: RaisedWarning) -> InputFinding:
    numbers = {key: value for key, value in raised.numbers.items() if key != "metrics"}
    allow = config.allow if raised.model is None else config.models[raised.model].allow
    return InputFinding(
        raised.code,
        name,
        "allowed" if name in allow else "failed",
        dataset,
        raised.model,
        numbers,
        tuple(str(raised.numbers.get("metrics", "")).split()),
        allow.get(name, ""),
    )


def _iter_subjects(config: Config, data: LoadedDataset) -> Iterator[Subject]:
    """Yield the data and each model as checks read them."""
    info, streamed = data.info, data.looked_at
    sample = data.sample if streamed is None else streamed.sample
    codes = {each.code for each in data.warnings}
    equal = [each for each in data.warnings if each.code == "W202"]
    twins = {each.model: str(each.numbers["other"]) for each in equal}
    is_known = streamed is not None or not info.is_streamed
    target = TASKS[config.task].target
    yield DataSubject(
        rows=info.n,
        units=_count_units(config, data),
        is_constant=None if target == "none" else "W201" in codes,
        class_rows=_count_class_rows(data),
    )
    for name in config.models:
        distinct: Read[int] = None  # scores of documents and of answers are no predictions of rows
        if target not in ("grades", "none"):
            distinct = _count_scores(sample, name, streamed) if is_known else UNSEEN
        yield ScoreSubject(
            model=name,
            rows=info.n,
            predicted=config.models[name].scale == "label",
            distinct=distinct,
            twin=twins.get(name, ""),
        )
    yield from iter_row_subjects(config, data)
    if config.judge is not None:
        yield from iter_judge_subjects(config, data)


def _count_units(config: Config, data: LoadedDataset) -> dict[UnitKind, int]:
    """Count what varies between resamples: rows, clusters, folds."""
    dataset, info = config.datasets[data.info.name], data.info
    if TASKS[config.task].has_rows_of_datasets:  # data sets of one cluster count as one
        return {"dataset": info.n if info.clusters is None else info.clusters}
    row: UnitKind = "query" if TASKS[config.task].target == "grades" else "row"
    units: dict[UnitKind, int] = {row: info.n}
    if info.clusters is not None:
        units["query" if dataset.cluster is None and row == "row" else "cluster"] = info.clusters
    elif data.sample.sampling.time is not None:
        units["time"] = len(data.sample.sampling.time.moments)
    if info.folds is not None and (config.folds is None or config.folds.question == "procedure"):
        units["fold"] = info.folds
    return units


def _count_class_rows(data: LoadedDataset) -> dict[str, int]:
    """Count the rows of each class, as far as they are known; nothing where there are none."""
    target = data.sample.target
    if data.info.is_streamed or not isinstance(target, ClassTarget):
        return dict(data.class_rows)
    known = slice(None) if target.unknown is None else ~target.unknown
    counts = target.count_rows(known)
    return {name: int(count) for name, count in zip(target.classes, counts, strict=True)}


def _count_scores(sample: Sample, model: str, streamed: StreamedEvidence | None) -> int:
    """Count the different values of the column that has most, as far as checks need to know."""
    columns = sample.models[model]
    if streamed is not None and model in streamed.constant:
        return 1
    every = (columns.score, *columns.parts.values())
    some = max(len(np.unique(each[:FIRST_ROWS])) for each in every)
    if some > FIRST_ROWS // 10:
        return some
    most = max(len(np.unique(each)) for each in every)
    return most if streamed is None else max(most, 2)

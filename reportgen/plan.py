"""From the config to what each stage is asked: files to read, questions, gates to judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from reportgen.analysis.enough import enough
from reportgen.analysis.plan import (
    AnalysisPlan,
    LearntPeak,
    Margin,
    ModelScores,
    Use,
)
from reportgen.analysis.sensitivity.peaks import learnt
from reportgen.classed import (
    class_columns,
    class_request,
    class_uses,
    classes_in,
    has_several,
    prices_of_classes,
    refuse_unknown_classes,
)
from reportgen.config import Config, Dataset, Loaded, Model, Scores
from reportgen.config import MarginKeys as WrittenMargin
from reportgen.conventions import alternatives, harms, names_of_rows
from reportgen.costs import SHIFTS, CostModel, Methods, costs
from reportgen.costs.feasible import MANY
from reportgen.curves import CURVES, Curve
from reportgen.data.dataset import LoadedDataset as Data
from reportgen.data.dataset import read_dataset
from reportgen.data.files.unpacking import GB
from reportgen.data.names import in_sequence
from reportgen.data.queries import read_queries
from reportgen.data.request import (
    ColumnRequest,
    DatasetRequest,
    ModelRequest,
    SampleRequest,
    SegmentRequest,
    TableRequest,
)
from reportgen.data.sample import Sample
from reportgen.designed import design_of
from reportgen.errors import ConfigError, Path
from reportgen.fits import fits, warnings
from reportgen.folded import folding_of, within_folds
from reportgen.judged_twice import second_judge
from reportgen.kernels.batch import Column
from reportgen.kernels.cuts import Calls
from reportgen.losses.shifts import OVER
from reportgen.metrics import METRICS
from reportgen.metrics.names import first, meant
from reportgen.operating import Operating, label_points, operating, pointed, refuse_shared
from reportgen.ordered import turned
from reportgen.prevalence import at_prevalence
from reportgen.pricing import cost_model_of, priced, unit_costs_of
from reportgen.privacy import shown_ids
from reportgen.queried import lists_of, ranked_request
from reportgen.results.raised import RaisedWarning
from reportgen.rows import Fit
from reportgen.slices import segments_of, subsets_of
from reportgen.tasks import TASKS, Predictions
from reportgen.variants import variants

PER_ROW = ("id", "target", "weight", "cluster", "strata", "query", "fold", "repeat", "time",
           "balance", "count", "second_target")  # fmt: skip


def dataset_requests(loaded: Loaded) -> tuple[DatasetRequest, ...]:
    """What to read, dataset by dataset, with the place in the config of everything named."""
    datasets = loaded.config.datasets
    classes = classes_in(loaded, lambda at, name: _table(loaded, at, None, datasets[name]))
    return tuple(_dataset_request(loaded, name, classes) for name in datasets)


def read_data(loaded: Loaded) -> tuple[Data, ...]:
    """Every dataset; what is wrong with names in the config is told with its place there."""
    try:
        data = tuple(
            read_queries(each) if each.ranked else read_dataset(each)
            for each in dataset_requests(loaded)
        )
        refuse_unknown_classes(loaded, [each.sample for each in data])
        return turned(loaded.config, at_prevalence(loaded, data))
    except ConfigError as error:
        placed = (replace(p, place=loaded.place(p.at) if p.at else p.place) for p in error.problems)
        raise ConfigError(list(placed)) from None


def _dataset_request(loaded: Loaded, name: str, found: Mapping[str, str]) -> DatasetRequest:
    dataset, at = loaded.config.datasets[name], ("datasets", name)
    named: dict[str, Any] = {
        key: _column(loaded, getattr(dataset, key), (*at, key))
        for key in PER_ROW
        if getattr(dataset, key) is not None
    }
    classes = class_request(loaded, name, found)
    values = () if classes is None else tuple(classes.names)
    models = {model: _model_request(loaded, name, model, values) for model in loaded.config.models}
    sample, where = dataset.sample, (*at, "labels", "path") if dataset.labels else (*at, "path")
    named_id = named.pop("id", None)
    ranked = ranked_request(loaded, name, named_id)
    if ranked is not None:
        judged = next((key for key in ("qrels", "letor") if getattr(dataset, key)), None)
        where, named_id = (*at, judged, "path") if judged else where, None
    return DatasetRequest(
        name=name,
        table=_table(loaded, where, named_id, dataset),
        models=models,
        unit=dataset.unit or "",
        segments=tuple(
            SegmentRequest(each.column, each.bins or None, place, loaded.true(place))
            for index, each in enumerate(dataset.segments)
            for place in [(*at, "segments", index, "column")]
        ),
        filter=None if dataset.filter is None else loaded.true((*at, "filter")),
        filter_shown=dataset.filter if loaded.is_hidden((*at, "filter")) else None,
        filter_at=(*at, "filter"),
        subsets=subsets_of(loaded, name, is_of_lists=ranked is not None),
        sample=SampleRequest(sample.n, sample.seed, (*at, "sample")) if sample else None,
        missing=dataset.missing,
        role=dataset.role,
        classes=classes,
        costs=_cost_columns(loaded),
        ranked=ranked,
        is_finished=is_of_values(loaded.config),
        bounds=loaded.config.score.bounds if loaded.config.score else None,
        **named,
    )


def _cost_columns(loaded: Loaded) -> dict[str, ColumnRequest]:
    """The columns of unit costs by their side."""
    costs = loaded.config.costs
    return {
        side: _column(loaded, column, ("costs", side, "column"))
        for side, column in (costs.named_columns if costs else {}).items()
    }


def _table(
    loaded: Loaded, at: Path, id_column: ColumnRequest | None, *written: Dataset | Scores
) -> TableRequest:
    """What to open; what the first of `written` does not say of the file the next one does."""
    most = next((each.max_unpacked for each in written if each.max_unpacked is not None), None)
    delimiter = next((each.delimiter for each in written if each.delimiter is not None), None)
    return TableRequest(
        path=str(loaded.file(at)),
        shown=loaded.written(at),
        id=id_column,
        at=at,
        max_unpacked=None if most is None else round(most * GB),
        delimiter="\t" if delimiter == "tab" else delimiter,
        printed=loaded.printed_path(at),
        is_hidden=loaded.is_hidden(at),
    )


def _model_request(loaded: Loaded, dataset: str, name: str, classes: Sequence[str]) -> ModelRequest:
    model = loaded.config.models[name]
    at: Path = ("models", name)
    own = model.scores.get(dataset)
    table = None
    if own is not None:
        at = (*at, "scores", dataset)
        id_column = None if own.id is None else _column(loaded, own.id, (*at, "id"))
        table = _table(loaded, (*at, "path"), id_column, own, loaded.config.datasets[dataset])
    if dataset in (model.run.keys() | model.lines.keys()):
        return ModelRequest(ColumnRequest(name))
    source: Model | Scores = own or model
    named = source.columns or {}
    if named and has_several(loaded.config):
        columns = class_columns(loaded, named, at, classes)
    else:
        columns = {p: _column(loaded, column, (*at, "columns", p)) for p, column in named.items()}
    about = (table, model.scale == "probability", model.scale == "label", model.sums)
    if not source.column:
        of: Path = ("datasets", dataset, "target")
        at_least = _column(loaded, loaded.config.datasets[dataset].target, of)
        return ModelRequest(_centre(columns) or at_least, columns, *about)
    return ModelRequest(_column(loaded, source.column, (*at, "column")), columns, *about)


def _column(loaded: Loaded, printed: str, at: Path) -> ColumnRequest:
    return ColumnRequest(printed, at, loaded.true(at))


def _centre(columns: dict[str, ColumnRequest]) -> ColumnRequest | None:
    """The column that is the score itself: the mean, or the median, or else the first named.

    None where no class is known yet, as nothing could be read of the target.
    """
    return columns.get("mean") or columns.get("q50") or next(iter(columns.values()), None)


def is_of_values(config: Config) -> bool:
    """Whether a row is a data set, and holds what each model reached on it."""
    return TASKS[config.task].target == "none"


def uses(config: Config) -> tuple[Use, ...]:
    """The metrics, their parameters fixed; the primary one knows its margin."""
    primary = config.primary
    return tuple(
        Use(
            use.key,
            meant(use.name, config.task, **pointed(config, priced(config, use))),
            _margin(primary.margin) if primary and primary.metric == use.key else None,
            primary is not None and primary.metric == use.key,
            config.comparisons.test_of(use.key),
        )
        for use in config.metrics
    )


def metrics_of_classes(config: Config) -> tuple[Use, ...]:
    """The metrics that are told of each class, whatever the class."""
    return tuple(Use(name, first(name, config.task)) for name in config.per_class)


def _margin(written: WrittenMargin | None) -> Margin | None:
    return None if written is None else Margin(written.value, written.is_relative)


def analysis_plan(config: Config, sample: Sample, fit: Sample | None = None) -> AnalysisPlan:
    """Everything that the config asks of one dataset; shifts are fitted on the rows of `fit`."""
    boot, dataset = config.bootstrap, config.datasets[sample.dataset]
    replicates, asked = _replicates(config, sample), uses(config)
    called = _operating(config, sample, fit, replicates)
    models = tuple(_models(config, sample, fit, replicates, called))
    # Cases of one row stand together whatever they are, and data sets have no order.
    has_no_order = dataset.count is not None or is_of_values(config)
    is_ordered = has_no_order or sample.time is not None or sample.together is not None
    cost_model = cost_model_of(config, sample, fit)
    design = design_of(config, sample, _judge_of_time(config, models, asked), replicates)
    curves = _curves(config, cost_model)
    return AnalysisPlan(
        dataset=sample.dataset,
        unit=dataset.unit or "y",
        models=models,
        pairs=pairs(config),
        uses=asked,
        curves=curves,
        segments=tuple(segments_of(sample)),
        design=design,
        level=config.level,
        interval=boot.interval,
        adjust=config.comparisons.adjust,  # type: ignore[arg-type]
        is_ordered=is_ordered,
        is_used_to_choose=dataset.used_to_choose,
        warnings=(*_of_shifts(config, sample, fit), *called.warnings),
        joints=() if cost_model is None else (costs(cost_model, _methods(cost_model, fit)),),
        repeats={name: codes.code for name, codes in sample.unnamed.items()},
        sequence=None if is_ordered else in_sequence(sample.ids),
        ids=shown_ids(config, sample.ids),
        currency=config.currency,
        baseline=config.baseline,
        bucket_counts=config.bucket_counts,
        is_exact=config.compute.exact,
        points=called.rules,
        alternatives=(
            *alternatives(config, sample, asked),
            *variants(config, sample, asked, models, design),
        ),
        is_varied=config.sensitivity.variants == "usual",
        harms=harms(config, sample.dataset),
        has_wins=TASKS[config.task].has_wins,
        checks=tuple(METRICS[name].use() for name in TASKS[config.task].checks),
        row_names=names_of_rows(config, sample),
        class_uses=class_uses(config, sample),
        folding=folding_of(config, sample),
        peaks=_peaks(config, curves, fit, replicates),
        second=second_judge(config, sample),
    )


def _of_shifts(config: Config, sample: Sample, fit: Sample | None) -> tuple[RaisedWarning, ...]:
    """The warnings about the rows that shifts are fitted on."""
    if fit is None or not TASKS[config.task].has_side_costs:
        return ()
    return tuple(warnings(config, sample, fit))


def _operating(config: Config, sample: Sample, fit: Sample | None, replicates: int) -> Operating:
    """Where the calls of each model begin; thresholds are learnt on the rows of `fit`."""
    if fit is None or TASKS[config.task].has_side_costs:
        return operating(config, sample, None, None)
    shared = refuse_shared(config, sample, fit)
    found = operating(config, sample, fit, design_of(config, fit, (None, None), replicates))
    return replace(found, warnings=(*shared, *found.warnings))


def pairs(config: Config) -> tuple[tuple[str, str], ...]:
    """Who is compared with whom: (candidate, baseline)."""
    baseline = config.baseline
    if config.comparisons.against == "all":
        first = [baseline] if baseline else []
        order = [*first, *(name for name in config.models if name != baseline)]
        return tuple((later, earlier) for earlier, later in combinations(order, 2))
    return tuple((name, baseline) for name in config.models if baseline and name != baseline)


def models_on(
    config: Config, fit: Sample, replicates: int, calls: Mapping[str, Calls]
) -> Iterator[ModelScores]:
    """Every model on the rows to fit on, with the shifts that these teach."""
    return _models(config, fit, fit, replicates, Operating(calls, (), ()))


def model_rows(config: Config, sample: Sample) -> Iterator[ModelScores]:
    """Every model on some rows, where nothing is fitted or learnt on others."""
    return _models(config, sample, None, 0, operating(config, sample, None, None))


def _models(
    config: Config, sample: Sample, fit: Sample | None, replicates: int, called: Operating
) -> Iterator[ModelScores]:
    fitted: Mapping[str, Fit] = {}
    if fit is not None and TASKS[config.task].has_side_costs:
        fitted = fits(
            fit, design_of(config, fit, (None, None), replicates), unit_costs_of(config, fit)
        )
    unit_costs = unit_costs_of(config, sample)
    task, outcome, lists = TASKS[config.task], Column(sample.y), lists_of(config, sample)
    for name, model in config.models.items():
        parts = sample.parts.get(name, {})
        calls = called.calls.get(name, Calls())
        points = label_points(config, name, sample.classes)
        beside = fitted.get(name), unit_costs, lists.get(name)
        said = Predictions(
            sample.scores[name], model.scale, parts, *beside, calls, sample.classes,
            sample.flags, points, prices_of_classes(config, sample.classes),
        )  # fmt: skip
        rows = within_folds(config, sample, task.rows(outcome, said))
        rows.is_of_called = config.datasets[sample.dataset].labelled == "called"
        yield ModelScores(name, model.label or name, rows)


def _curves(config: Config, cost_model: CostModel | None) -> tuple[Curve, ...]:
    """The curves the config names, which may be none; where costs count, those of costs too."""
    named = [CURVES[use.name].use(**use.params) for use in config.curves]
    named += [CURVES[name].use() for curve in named for name in curve.brings]
    if cost_model is not None:
        named += [cost_model.rroc, CURVES["error_density"]]
        if cost_model.is_by_row:  # a curve over the asymmetry needs one of all rows
            named = [curve for curve in named if curve.name != "cost"]
        else:
            named += [cost_model.over_alpha(shift) for shift in SHIFTS]
    return tuple({curve.key: curve for curve in named}.values())


def _peaks(
    config: Config, curves: Sequence[Curve], fit: Sample | None, replicates: int
) -> dict[tuple[str, str], LearntPeak]:
    """Where curves are highest on rows that are not judged; empty where there are none."""
    if fit is None or not any(curve.has_peak for curve in curves):
        return {}
    called = operating(config, fit, None, None)
    models = tuple(_models(config, fit, None, replicates, called))
    return learnt(curves, models, design_of(config, fit, (None, None), replicates))


def _methods(cost_model: CostModel, fit: Sample | None) -> Methods | None:
    """The ways to choose a shift, side by side; None where there is nothing to choose."""
    if (
        cost_model.is_by_row
        or cost_model.loss != "linlin"
        or not (cost_model.is_fitted or cost_model.has_densities)
    ):
        return None
    alphas = OVER if fit is None or fit.n <= MANY else OVER[::4]  # of many rows each fit is slow
    return Methods(cost_model, alphas)


def _replicates(config: Config, sample: Sample) -> int:
    """As many as the config says, or as many as its comparisons on these rows need."""
    boot = config.bootstrap
    return boot.replicates or enough(
        uses(config),
        len(pairs(config)),
        len(list(segments_of(sample))),
        sample.n,
        adjust=config.comparisons.adjust,  # type: ignore[arg-type]  # the reading knows the names
        interval=boot.interval,
        level=config.level,
    )


def _judge_of_time(
    config: Config, models: tuple[ModelScores, ...], asked: tuple[Use, ...]
) -> tuple[Use | None, ModelScores | None]:
    """The primary metric and the baseline: what another model or metric does not change."""
    primary = next((use for use in asked if use.is_primary), None)
    first = next((c for c in models if c.name == config.baseline), models[0])
    return primary, first if primary else None

"""Build the requests of the data stage from a config, and read all datasets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from reportgen.config.loading import LoadedConfig
from reportgen.config.schema.config import Dataset
from reportgen.config.schema.datasets import Model, Scores
from reportgen.data.dataset import LoadedDataset, read_dataset
from reportgen.data.queries import read_queries
from reportgen.data.requests import (
    ColumnRequest,
    DatasetRequest,
    HumanRequest,
    ItemScoreRequest,
    ItemsRequest,
    LongRequest,
    ModelRequest,
    SampleRequest,
    ScoreTransform,
    SegmentRequest,
    TableRequest,
    name_item_column,
)
from reportgen.errors import ConfigError, ConfigPath
from reportgen.metrics.tasks import TASKS
from reportgen.planning.adjustments import orient_scores, reweight_to_prevalence
from reportgen.planning.classes import (
    FoundClasses,
    build_class_request,
    check_class_names,
    has_several_classes,
    preview_classes,
    request_class_columns,
)
from reportgen.planning.files import build_table_request, find_table_place
from reportgen.planning.ranking import build_ranked_request
from reportgen.planning.segments import build_subset_requests

PASS_METRICS = ("pass_at", "pass_all")
ROW_COLUMNS = tuple(
    """
    id target weight cluster strata query fold repeat time balance count second_target
""".split()
)


def build_dataset_requests(loaded: LoadedConfig) -> tuple[DatasetRequest, ...]:
    """Build the requests of what to read, by dataset, with each name's place in the config."""
    classes = preview_classes(loaded, partial(_build_file_request, loaded))
    return tuple(_dataset_request(loaded, name, classes) for name in loaded.config.datasets)


def _build_file_request(
    loaded: LoadedConfig, at: ConfigPath, *written: Dataset | Scores
) -> TableRequest:
    return build_table_request(loaded, at, None, *written)


def read_data(loaded: LoadedConfig) -> tuple[LoadedDataset, ...]:
    """Every dataset; what is wrong with names in the config is told with its place there."""
    try:
        data = tuple(
            read_queries(each) if each.ranked else read_dataset(each)
            for each in build_dataset_requests(loaded)
        )
        check_class_names(loaded, [each.sample for each in data])
        return reweight_to_prevalence(loaded, orient_scores(loaded.config, data))
    except ConfigError as error:
        placed = (replace(p, place=loaded.place(p.at) if p.at else p.place) for p in error.problems)
        raise ConfigError(list(placed)) from None


def _dataset_request(loaded: LoadedConfig, name: str, found: FoundClasses) -> DatasetRequest:
    dataset, at = loaded.config.datasets[name], ("datasets", name)
    named: dict[str, Any] = {
        key: _build_column(loaded, getattr(dataset, key), (*at, key))
        for key in ROW_COLUMNS
        if getattr(dataset, key) is not None
    }
    classes = build_class_request(loaded, name, found)
    values = () if classes is None else tuple(classes.names)
    sample, where = dataset.sample, find_table_place(dataset, at)
    named_id = named.pop("id", None)
    items = _build_items_request(loaded, name, named_id)
    if items is None:
        models = {m: _model_request(loaded, name, m, values) for m in loaded.config.models}
    else:
        models = {model: _build_item_model(items, model) for model in loaded.config.models}
    ranked = build_ranked_request(loaded, name, named_id)
    if ranked is not None:
        judged = next((key for key in ("qrels", "letor") if getattr(dataset, key)), None)
        where, named_id = (*at, judged, "path") if judged else where, None
    table = build_table_request(loaded, where, named_id, dataset)
    return DatasetRequest(
        name=name,
        table=replace(
            table,
            long=_build_long_request(loaded, name, named_id, models),
            items=items,
            may_be_logs=items is not None,
        ),
        models=models,
        unit=dataset.unit or "",
        segments=tuple(
            SegmentRequest(each.column, each.bins or None, place, loaded.get_true_text(place))
            for index, each in enumerate(dataset.segments)
            for place in [(*at, "segments", index, "column")]
        ),
        filter=None if dataset.filter is None else loaded.get_true_text((*at, "filter")),
        filter_shown=dataset.filter if loaded.is_hidden((*at, "filter")) else None,
        filter_at=(*at, "filter"),
        subsets=build_subset_requests(loaded, name, is_of_lists=ranked is not None),
        sample=SampleRequest(sample.n, sample.seed, (*at, "sample")) if sample else None,
        missing=dataset.missing,
        role=dataset.role,
        classes=classes,
        costs=_cost_columns(loaded),
        ranked=ranked,
        is_finished=TASKS[loaded.config.task].target == "none",
        bounds=loaded.config.score.bounds if loaded.config.score else None,
        match=dataset.match,
        **named,
    )


def _build_long_request(
    loaded: LoadedConfig,
    name: str,
    id_column: ColumnRequest | None,
    models: Mapping[str, ModelRequest],
) -> LongRequest | None:
    """Build the request that brings a long table into the form of a wide one; None if it is one."""
    dataset, at = loaded.config.datasets[name], ("datasets", name)
    if TASKS[loaded.config.task].has_items or dataset.model is None or dataset.score is None:
        return None
    if id_column is None:
        return None
    columns = [each.column for each in models.values() if each.scores is None]
    return LongRequest(
        id_column,
        _build_column(loaded, dataset.model, (*at, "model")),
        _build_column(loaded, dataset.score, (*at, "score")),
        {column.name: column.source or column.name for column in columns},
        is_text=any(each.is_label for each in models.values()),
        is_loose=dataset.match == "loose",
    )


def _build_item_model(items: ItemsRequest, model: str) -> ModelRequest:
    """Build the request of a model's scores of items, the first of which stands for it."""
    at: ConfigPath = ("models", model, "column")
    parts = {
        key: ColumnRequest(name_item_column(model, *part), at) for key, part in items.parts.items()
    }
    return ModelRequest(next(iter(parts.values())), parts)


def _build_items_request(
    loaded: LoadedConfig, name: str, id_column: ColumnRequest | None
) -> ItemsRequest | None:
    """Build the request that brings a table of answers into one of items; None if it is none."""
    config, at = loaded.config, ("datasets", name)
    dataset = config.datasets[name]
    if not TASKS[config.task].has_items or dataset.model is None or id_column is None:
        return None
    passing: dict[str, dict[float, None]] = {score: {} for score in config.scores}
    if config.judge is not None:
        least = config.scores[config.judge.score].from_
        passing[config.judge.score][least] = None
    needed: dict[str, tuple[int, str]] = {}
    for use in config.metrics:
        if use.name in PASS_METRICS:
            of, k = str(use.params["of"]), int(use.params["k"])
            passing[of][float(use.params["least"])] = None
            needed[of] = max(needed.get(of, (1, "")), (k, use.key))
    models = {model: ("models", model, "column") for model in config.models}
    human = None
    if config.judge is not None:
        column = _build_column(loaded, config.judge.human, ("judge", "human"))
        keys = config.scores[config.judge.score]
        has_limit = "from_" in keys.model_fields_set and keys.better == "higher"
        human = HumanRequest(column, config.judge.score, keys.from_ if has_limit else None)
    return ItemsRequest(
        id_column,
        _build_column(loaded, dataset.model, (*at, "model")),
        _build_column(loaded, dataset.samples, (*at, "samples")) if dataset.samples else None,
        {
            score: ItemScoreRequest(
                _build_column(loaded, keys.column, ("scores", score, "column"))
                if keys.column
                else ColumnRequest(score, ("scores", score)),
                keys.bounds or (None, None),
                tuple(passing[score]),
                needed.get(score, (1, "")),
            )
            for score, keys in config.scores.items()
        },
        {model: loaded.get_true_text(place) for model, place in models.items()},
        dataset.missing,
        human,
        name,
        is_loose=dataset.match == "loose",
    )


def _cost_columns(loaded: LoadedConfig) -> dict[str, ColumnRequest]:
    """Return the columns of unit costs by their side."""
    costs = loaded.config.costs
    return {
        side: _build_column(loaded, column, ("costs", side, "column"))
        for side, column in (costs.all_columns if costs else {}).items()
    }


def _model_request(
    loaded: LoadedConfig, dataset: str, name: str, classes: Sequence[str]
) -> ModelRequest:
    model = loaded.config.models[name]
    at: ConfigPath = ("models", name)
    own = model.scores.get(dataset)
    table = None
    if own is not None:
        at = (*at, "scores", dataset)
        id_column = None if own.id is None else _build_column(loaded, own.id, (*at, "id"))
        table = build_table_request(
            loaded, (*at, "path"), id_column, own, loaded.config.datasets[dataset]
        )
    if dataset in (model.run.keys() | model.lines.keys()):
        return ModelRequest(ColumnRequest(name))
    source: Model | Scores = own or model
    named = source.columns or {}
    if named and has_several_classes(loaded.config):
        columns = request_class_columns(loaded, named, at, classes)
    else:
        columns = {
            p: _build_column(loaded, column, (*at, "columns", p)) for p, column in named.items()
        }
    transform = _build_transform(model)
    about = (table, model.scale == "probability", model.scale == "label", model.sums, transform)
    if not source.column:
        of: ConfigPath = ("datasets", dataset, "target")
        at_least = _build_column(loaded, loaded.config.datasets[dataset].target, of)
        return ModelRequest(_choose_score_column(columns) or at_least, columns, *about)
    return ModelRequest(_build_column(loaded, source.column, (*at, "column")), columns, *about)


def _build_transform(model: Model) -> ScoreTransform | None:
    given = model.transform
    if given is None or isinstance(given, str):
        return None if given is None else ScoreTransform(given)
    return ScoreTransform("times", given.times)


def _build_column(loaded: LoadedConfig, printed: str, at: ConfigPath) -> ColumnRequest:
    return ColumnRequest(printed, at, loaded.get_true_text(at))


def _choose_score_column(columns: dict[str, ColumnRequest]) -> ColumnRequest | None:
    """Return the column that is the score itself: the mean, else the median, else the first named.

    None where no class is known yet, as nothing could be read of the target.
    """
    return columns.get("mean") or columns.get("q50") or next(iter(columns.values()), None)

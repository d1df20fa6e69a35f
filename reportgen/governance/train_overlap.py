"""How many of the judged ids a model was trained on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from reportgen.config import Config, LoadedConfig
from reportgen.data.files.source import open_source
from reportgen.data.requests import ColumnRequest, TableRequest
from reportgen.data.sample import Sample
from reportgen.errors import ConfigError
from reportgen.report import wording
from reportgen.results import Results, Scalar, TrainedOn, Warning
from reportgen.results.types import RaisedWarning


def load_training_ids(loaded: LoadedConfig, samples: Mapping[str, Sample]) -> dict[str, TrainedOn]:
    """Load what each model was trained on, by model, as far as the config names it."""
    models = loaded.config.models.items()
    return {name: _build_training(loaded, name, samples) for name, m in models if m.trained_on}


def add_training_overlap(
    config: Config, results: Results, known: Mapping[str, TrainedOn]
) -> Results:
    """Add what each model was trained on, and W143 where a model was trained on evaluated rows."""
    models = tuple(replace(each, trained_on=known.get(each.name)) for each in results.models)
    results = replace(results, models=models)
    return replace(results, warnings=(*results.warnings, *_iter_warnings(config, results)))


def _build_training(loaded: LoadedConfig, model: str, samples: Mapping[str, Sample]) -> TrainedOn:
    """Read the training ids, and count those of each evaluated dataset that has ids among them."""
    named = loaded.config.models[model].trained_on
    assert named is not None
    at = ("models", model, "trained_on")
    column = ColumnRequest(named.id, (*at, "id"), loaded.get_true_text((*at, "id")))
    where = (*at, "path")
    request = TableRequest(
        path=str(loaded.file(where)),
        shown=loaded.format_value(where),
        id=column,
        at=where,
        printed=loaded.format_file(where),
        is_hidden=loaded.is_hidden(where),
    )
    try:
        source = open_source(request, {column.name: column.source})
        if problem := source.problem_with(column):
            raise ConfigError([problem])
    except ConfigError as error:
        placed = (replace(p, place=loaded.place(p.at)) for p in error.problems)
        raise ConfigError(list(placed)) from None
    table = source.read({column.name}, set())
    ids = set(table.texts(column.name).drop_null().to_pylist())
    judged = [name for name, each in loaded.config.datasets.items() if each.role == "test"]
    return TrainedOn(
        source.inputs(f"rows that {model} was trained on", table),
        len(ids),
        {
            name: len(ids.intersection(samples[name].ids))
            for name in judged
            if not samples[name].numbered_in
        },
    )


def _iter_warnings(config: Config, results: Results) -> Iterator[Warning]:
    """W143: rows that are judged are among those that a model was trained on."""
    for model in results.models:
        shared = {} if model.trained_on is None else model.trained_on.shared
        for dataset in results.datasets:
            if count := shared.get(dataset.name, 0):
                numbers: dict[str, Scalar] = {"shared": count, "rows": dataset.n}
                raised = RaisedWarning("W143", numbers, model=model.name)
                yield Warning(
                    code=raised.code,
                    text=wording.format_warning(raised.code, numbers, dataset.case),
                    numbers=numbers,
                    dataset=dataset.name,
                    model=raised.model,
                    is_fatal=raised.code in config.warnings.fatal,
                )

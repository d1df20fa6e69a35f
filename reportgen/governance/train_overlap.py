"""How many of the judged ids a model was trained on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from reportgen.config import LoadedConfig
from reportgen.data.files.source import open_source
from reportgen.data.requests import ColumnRequest, TableRequest
from reportgen.data.sample import Sample
from reportgen.errors import ConfigError
from reportgen.results import TrainedOn


def load_training_ids(loaded: LoadedConfig, samples: Mapping[str, Sample]) -> dict[str, TrainedOn]:
    """Load what each model was trained on, by model, as far as the config names it."""
    models = loaded.config.models.items()
    return {name: _build_training(loaded, name, samples) for name, m in models if m.trained_on}


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

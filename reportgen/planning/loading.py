"""Load a config with its plugins and the names of the registries."""

from __future__ import annotations

import json
import os
import runpy
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path, PurePath
from typing import Any

from reportgen.checks.check import CHECKS
from reportgen.config.json_schema import build_config_schema
from reportgen.config.loading import LoadedConfig, find_plugins, read_config
from reportgen.config.sources import ConfigMapping
from reportgen.config.vocabulary import TaskWord, Vocabulary, Word
from reportgen.errors import ConfigError, Problem, hide_values_in_errors
from reportgen.inference import method_names
from reportgen.metrics import METRICS
from reportgen.metrics.curves import CURVES
from reportgen.metrics.lookup import (
    explain_misfit,
    find_metric,
    first_metric,
    list_name_parameters,
    list_names,
    list_tasks,
)
from reportgen.metrics.losses.loss_functions import LOSSES
from reportgen.metrics.rows import OFFERS
from reportgen.metrics.statistic import STATISTICS, Scalar, extend_choices
from reportgen.metrics.tasks import PLANNED_TASKS, SCORERS, TASKS
from reportgen.terms import SECTION_NAMES
from reportgen.text import format_foreign_error


@contextmanager
def load_plugins(files: Sequence[tuple[Path, str, str]], is_allowed: bool) -> Iterator[None]:
    """Run each (file, its printed name, place in the config); what it brings exists until the end.

    Without permission nothing is run, and the error says how to give it.
    """
    if files and not is_allowed:
        _, name, place = files[0]
        message = f"plugins run Python code; if you trust {name}, add --allow-plugins"
        raise ConfigError([Problem(message, place=place)])
    registries: tuple[dict[str, Any], ...] = (METRICS, CURVES, STATISTICS)
    before = [dict(registry) for registry in registries]
    try:
        for file, name, place in files:
            _run_plugin(file, name, place)
        yield
    finally:
        for registry, entries in zip(registries, before, strict=True):
            registry.clear()
            registry.update(entries)


def _run_plugin(file: Path, name: str, place: str) -> None:
    if file.exists() and not file.is_file():
        raise ConfigError([Problem(f"plugin {name} is not a regular file", place=place)])
    try:
        runpy.run_path(str(file))
    except (Exception, SystemExit) as error:
        message = f"plugin {name} failed: {type(error).__name__}: {format_foreign_error(error)}"
        raise ConfigError([Problem(message, place=place)]) from None


def build_vocabulary() -> Vocabulary:
    """Build the names that a config may use, from the registries."""
    tasks = {name: list_tasks(name) for name in list_names()}
    return Vocabulary(
        metrics={name: _build_metric(name, first_task) for name, (first_task, *_) in tasks.items()},
        homonyms={
            task: {
                name: _build_metric(name, task)
                for name, (_, *more) in tasks.items()
                if task in more
            }
            for task in TASKS
        },
        scorers=SCORERS,
        curves={
            c.name: Word(
                c.task,
                c.needs,
                {p.name: extend_choices(p) for p in c.parameters},
                c.description,
                c.check,
                is_on_request=c.is_on_request,
                aliases=c.aliases,
            )
            for c in CURVES.values()
        },
        tasks={
            task.name: TaskWord(
                {s: OFFERS[s] for s in task.scales},
                task.has_side_costs,
                task.has_densities,
                task.target == "flag",
                task.target == "grades",
                task.has_rows_of_datasets,
                task.has_items,
                task.has_classes,
                task.target == "labels",
                task.per_class,
                task.first,
            )
            for task in TASKS.values()
        },
        planned_tasks=PLANNED_TASKS,
        sections=SECTION_NAMES,
        intervals=method_names.INTERVAL_NAMES,
        tests=method_names.TEST_NAMES,
        adjustments=method_names.ADJUSTMENT_NAMES,
        losses=tuple(LOSSES),
        warnings=tuple(code for code in sorted(CHECKS) if code < "W3"),
    )


def _build_metric(name: str, task: str) -> Word:
    """Build the vocabulary entry of a task's metric, by the name that requests it."""
    m = first_metric(name, task)
    return Word(
        m.task,
        m.needs,
        {p.name: extend_choices(p) for p in list_name_parameters(name, task)},
        m.description,
        partial(explain_misfit, name, task),
        method_names.list_tests(m),
        is_best_at_zero=m.better == "zero",
        is_best_low=m.better == "lower",
        no_reference=m.no_reference,
        bounds=partial(_compute_bounds, name, task),
        aliases=m.aliases,
        has_losses=m.has_losses,
        row_bounds=partial(_compute_row_bounds, name, task),
    )


def _compute_bounds(name: str, task: str, **params: Scalar) -> tuple[float, float]:
    """Return the range of a metric with these parameters."""
    return find_metric(name, task, **params).bounds


def _compute_row_bounds(name: str, task: str, **params: Scalar) -> tuple[float, float] | None:
    """Return the range of one row's loss; None where two models differ by no mean of losses."""
    image = find_metric(name, task, **params).root(2)
    metric = image.metric
    is_mean = metric.has_losses and metric.estimand.of == "mean" and not metric.is_sum
    return metric.bounds if is_mean and image.line is not None else None


def dump_config_schema() -> str:
    """Format the JSON Schema of a config as the text of a file."""
    return json.dumps(build_config_schema(build_vocabulary()), indent=2, ensure_ascii=False) + "\n"


def _list_models(*given: Any) -> Any:
    from reportgen.planning.files import list_long_models  # here, since few configs need a file

    return list_long_models(*given)


def _preview_items(*given: Any) -> Any:
    from reportgen.planning.files import preview_items  # here, since few configs need a file

    return preview_items(*given)


def load_config(
    config: Path | ConfigMapping, overrides: Sequence[str], allow_plugins: bool, stack: ExitStack
) -> LoadedConfig:
    """Load the config; until the stack ends, plugin metrics are registered and secrets hidden.

    So are values of rows, unless the config says `privacy: open`.
    """
    load_config_plugins(config, overrides, allow_plugins, stack)
    loaded = read_config(
        config,
        build_vocabulary(),
        overrides=overrides,
        environ=os.environ,
        list_models=_list_models,
        preview_items=_preview_items,
    )
    stack.enter_context(loaded.secrets.hide_in_errors())
    stack.enter_context(hide_values_in_errors(loaded.config.privacy.level != "open"))
    return loaded


def load_config_plugins(
    config: Path | ConfigMapping, overrides: Sequence[str], allow_plugins: bool, stack: ExitStack
) -> None:
    """Until the stack ends, the metrics of a config's plugins are registered, secrets kept."""
    found = find_plugins(config, overrides=overrides, environ=os.environ)
    files = [(plugin.file, PurePath(plugin.written).name, plugin.place) for plugin in found]
    for plugin in found:
        stack.enter_context(plugin.secrets.hide_in_errors())
    stack.enter_context(load_plugins(files, allow_plugins))

"""What can be named in a config, told to the language from the registries."""

from __future__ import annotations

import json
from functools import partial

from reportgen import wording
from reportgen.config import TaskWord, Vocabulary, Word, json_schema
from reportgen.curves import CURVES
from reportgen.inference import methods
from reportgen.losses.losses import LOSSES
from reportgen.metrics.bucket_statistics import offered
from reportgen.metrics.names import first, meant, misfit, names, parameters_of, tasks_of
from reportgen.metrics.spec import Scalar
from reportgen.rows import OFFERS
from reportgen.sections import SECTIONS
from reportgen.tasks import PLANNED, TASKS
from reportgen.tasks.scikit_learn import SCORERS


def vocabulary() -> Vocabulary:
    """The names that a config may use, from the registries."""
    tasks = {name: tasks_of(name) for name in names()}
    return Vocabulary(
        metrics={name: _metric(name, first_task) for name, (first_task, *_) in tasks.items()},
        homonyms={
            task: {name: _metric(name, task) for name, (_, *more) in tasks.items() if task in more}
            for task in TASKS
        },
        scorers=SCORERS,
        curves={
            c.name: Word(
                c.task,
                c.needs,
                {p.name: offered(p) for p in c.parameters},
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
                task.target == "none",
                task.has_classes,
                task.target == "labels",
                task.per_class,
                task.first,
            )
            for task in TASKS.values()
        },
        planned_tasks=PLANNED,
        sections=tuple(SECTIONS),
        intervals=methods.INTERVALS,
        tests=methods.TESTS,
        adjustments=methods.ADJUSTMENTS,
        losses=tuple(LOSSES),
        warnings=tuple(wording.WARNINGS),
    )


def _metric(name: str, task: str) -> Word:
    """A metric of a task, by the name that it is asked for by."""
    m = first(name, task)
    return Word(
        m.task,
        m.needs,
        {p.name: offered(p) for p in parameters_of(name, task)},
        m.description,
        partial(misfit, name, task),
        methods.tests_of(m),
        is_best_at_zero=m.better == "zero",
        bounds=partial(_bounds, name, task),
        aliases=m.aliases,
        has_losses=m.has_losses,
    )


def _bounds(name: str, task: str, **params: Scalar) -> tuple[float, float]:
    """The range of a metric with these parameters."""
    return meant(name, task, **params).bounds


def config_schema() -> str:
    """The JSON Schema of a config, as the text of a file."""
    return json.dumps(json_schema(vocabulary()), indent=2, ensure_ascii=False) + "\n"

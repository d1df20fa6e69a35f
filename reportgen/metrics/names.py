"""What a name of the language means: a metric, or one of several that parameters tell apart.

`expected_cost` is one name for several metrics: `shift` and `unit_costs` say which. Each of them
says by `asked_as` the name and those values; a metric without it goes by its own name alone.
Metrics of different tasks may share a name (accuracy): the `task` says which of them is meant;
without it the one that has the name for its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reportgen.metrics.parameters import Parameter, Scalar
from reportgen.metrics.spec import METRICS, Metric

Option = tuple[Mapping[str, Scalar], Metric]


def names() -> tuple[str, ...]:
    """Every name by which a config may ask for a metric."""
    return tuple(dict.fromkeys(metric.asked_name for metric in METRICS.values()))


def tasks_of(name: str) -> tuple[str, ...]:
    """The tasks with a metric of a name, that of the metric whose own name it is first."""
    found = [METRICS[name]] if name in METRICS else []
    found += [metric for metric in METRICS.values() if metric.asked_name == name]
    return tuple(dict.fromkeys(metric.task for metric in found))


def first(name: str, task: str = "") -> Metric:
    """The metric that is meant where nothing but a name is given."""
    return _options(name, task)[0][1]


def parameters_of(name: str, task: str = "") -> tuple[Parameter, ...]:
    """All that may be given with a name: what its metrics take, and what tells them apart."""
    (telling, plain), *others = options = _options(name, task)
    chosen = (
        Parameter(key, "text", value, tuple(dict.fromkeys(str(told[key]) for told, _ in options)))
        for key, value in telling.items()
    )
    every = (*plain.parameters, *chosen, *(p for _, other in others for p in other.parameters))
    return tuple({parameter.name: parameter for parameter in every}.values())


def meant(name: str, task: str = "", /, **params: Scalar) -> Metric:
    """The metric that a name and these parameters mean, its own parameters fixed."""
    found = _chosen(_options(name, task), params)
    if found is None:
        raise ValueError(f"{name}: {misfit(name, task, **params)}")
    return found.use(**params)


def misfit(name: str, task: str = "", /, **params: Scalar) -> str | None:
    """Why these parameters do not fit a name, or each other, in one sentence; None if they do."""
    options = _options(name, task)
    found, written = _chosen(options, params), _written(options, params)
    if found is None:
        return f"{' and '.join(written)} do not go together"
    own = {parameter.name for parameter in found.parameters} | options[0][0].keys()
    for parameter in parameters_of(name, task):
        value = params.get(parameter.name, parameter.default)
        if parameter.name not in own and value != parameter.default:
            return f"{' and '.join(written)} takes no {parameter.name}"
    used = found.use(**params)
    return used.check(**used.params) if used.check else None


def spelled(metric: Metric) -> str:
    """How a config asks for a metric that shares its name with others; empty for all others."""
    telling = {key: value for key, value in metric.asked_as.items() if key != "name"}
    plain = _options(metric.asked_name, metric.task)[0][0]
    given = [f"{key}: {value}" for key, value in telling.items() if plain[key] != value]
    return f"{{name: {metric.asked_name}, {', '.join(given)}}}" if given else ""


def asked(metric: Metric) -> str:
    """How a config asks for a metric that has another name there; empty for all others."""
    if found := spelled(metric):
        return found
    return metric.asked_name if metric.asked_name != metric.name else ""


def within_task(metric: Metric) -> str:
    """What a metric is called where its task is said: as a config of that task asks for it."""
    return metric.asked_name if homonyms(metric) else metric.name


def homonyms(metric: Metric) -> tuple[Metric, ...]:
    """The metrics of other tasks that a config asks for by the same name."""
    found = METRICS.values()
    return tuple(m for m in found if m.asked_name == metric.asked_name and m.task != metric.task)


def _options(name: str, task: str) -> list[Option]:
    """The metrics that a name may mean, each with the values that tell it from the others."""
    of = task or next(iter(tasks_of(name)), "")
    shared = [m for m in METRICS.values() if m.asked_name == name and m.task == of]
    if not shared:  # one of several, by its own name
        return [({}, METRICS[name])]
    return [({k: v for k, v in m.asked_as.items() if k != "name"}, m) for m in shared]


def _chosen(options: Sequence[Option], params: Mapping[str, Scalar]) -> Metric | None:
    asked = {key: params.get(key, value) for key, value in options[0][0].items()}
    return next((metric for telling, metric in options if telling == asked), None)


def _written(options: Sequence[Option], params: Mapping[str, Scalar]) -> list[str]:
    """What a config writes to tell a metric from the first of its name, or what it leaves out."""
    telling = {key: params.get(key, value) for key, value in options[0][0].items()}
    plain = [f"{key}: {value}" for key, value in options[0][0].items()]
    given = [each for key, value in telling.items() if (each := f"{key}: {value}") not in plain]
    return given or plain[:1]

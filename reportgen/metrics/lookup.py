"""Find the metric that a name and parameters of a config mean; limits of parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reportgen.metrics.metric import METRICS, Metric
from reportgen.metrics.statistic import Parameter, Scalar


def check_range(name: str, value: Scalar, low: float, high: float) -> str | None:
    """Say so if a number lies outside [low, high]; a missing one (None) is not judged.

    >>> check_range("alpha", 1.4, 0, 1)
    'alpha is 1.4, but must be between 0 and 1'
    >>> check_range("alpha", 0.4, 0, 1)
    """
    if value is None or low <= float(value) <= high:
        return None
    span = f"at least {low:g}" if high == float("inf") else f"between {low:g} and {high:g}"
    return f"{name} is {value}, but must be {span}"


def check_open_range(name: str, value: Scalar, low: float, high: float) -> str | None:
    """Say so if a number is not strictly between low and high; None is not judged.

    >>> check_open_range("quantile", 1, 0, 1)
    'quantile is 1, but must lie strictly between 0 and 1'
    """
    if value is None or low < float(value) < high:
        return None
    return f"{name} is {value}, but must lie strictly between {low:g} and {high:g}"


def check_exactly_one(given: dict[str, Scalar], example: str) -> str | None:
    """Say so unless exactly one of the named parameters is given.

    >>> check_exactly_one({"above": None, "quantile": None}, "above: 0")
    'give one of above, quantile (such as above: 0)'
    >>> check_exactly_one({"above": 0.0, "quantile": 0.5}, "above: 0")
    'above and quantile are both given; give one of them'
    """
    named = [name for name, value in given.items() if value is not None]
    if len(named) == 1:
        return None
    if not named:
        return f"give one of {', '.join(given)} (such as {example})"
    every = "both" if len(named) == 2 else "all"
    return f"{' and '.join(named)} are {every} given; give one of them"


def check_alpha(alpha: float | None) -> str | None:
    """Describe an invalid asymmetry: it is a share, 1 where only under-estimation costs."""
    return "give alpha, such as alpha: 0.8" if alpha is None else check_range("alpha", alpha, 0, 1)


Option = tuple[Mapping[str, Scalar], Metric]


def list_names() -> tuple[str, ...]:
    """Every name by which a config may ask for a metric."""
    return tuple(dict.fromkeys(metric.request_name for metric in METRICS.values()))


def list_tasks(name: str) -> tuple[str, ...]:
    """List the tasks with a metric of a name, first that of the metric whose own name it is."""
    found = [METRICS[name]] if name in METRICS else []
    found += [metric for metric in METRICS.values() if metric.request_name == name]
    return tuple(dict.fromkeys(metric.task for metric in found))


def first_metric(name: str, task: str = "") -> Metric:
    """Return the metric that is meant where only a name is given."""
    return _options(name, task)[0][1]


def list_name_parameters(name: str, task: str = "") -> tuple[Parameter, ...]:
    """List what may be given with a name: its metrics' parameters, and those that distinguish."""
    (telling, plain), *others = options = _options(name, task)
    chosen = (
        Parameter(key, "text", value, tuple(dict.fromkeys(str(told[key]) for told, _ in options)))
        for key, value in telling.items()
    )
    every = (*plain.parameters, *chosen, *(p for _, other in others for p in other.parameters))
    return tuple({parameter.name: parameter for parameter in every}.values())


def find_metric(name: str, task: str = "", /, **params: Scalar) -> Metric:
    """Find the metric that a name and these parameters mean, its own parameters fixed."""
    found = _choose_option(_options(name, task), params)
    if found is None:
        raise ValueError(f"{name}: {explain_misfit(name, task, **params)}")
    return found.use(**params)


def explain_misfit(name: str, task: str = "", /, **params: Scalar) -> str | None:
    """Why these parameters do not fit a name, or each other, in one sentence; None if they do."""
    options = _options(name, task)
    found, written = _choose_option(options, params), _list_telling_parameters(options, params)
    if found is None:
        return f"{' and '.join(written)} do not go together"
    own = {parameter.name for parameter in found.parameters} | options[0][0].keys()
    for parameter in list_name_parameters(name, task):
        value = params.get(parameter.name, parameter.default)
        if parameter.name not in own and value != parameter.default:
            return f"{' and '.join(written)} takes no {parameter.name}"
    used = found.use(**params)
    return used.check(**used.params) if used.check else None


def spell_parameters(metric: Metric) -> str:
    """Spell how a config asks for a metric that shares its name with others; else empty."""
    telling = {key: value for key, value in metric.asked_as.items() if key != "name"}
    plain = _options(metric.request_name, metric.task)[0][0]
    given = [f"{key}: {value}" for key, value in telling.items() if plain[key] != value]
    return f"{{name: {metric.request_name}, {', '.join(given)}}}" if given else ""


def config_name(metric: Metric) -> str:
    """Return how a config asks for a metric that has another name there; empty for all others."""
    if found := spell_parameters(metric):
        return found
    return metric.request_name if metric.request_name != metric.name else ""


def name_within_task(metric: Metric) -> str:
    """Return a metric's name where its task is given: as a config of that task asks for it."""
    return metric.request_name if list_homonyms(metric) else metric.name


def list_homonyms(metric: Metric) -> tuple[Metric, ...]:
    """List the metrics of other tasks that a config asks for by the same name."""
    found = METRICS.values()
    return tuple(
        m for m in found if m.request_name == metric.request_name and m.task != metric.task
    )


def _options(name: str, task: str) -> list[Option]:
    """List the metrics that a name may mean, each with the values that distinguish it."""
    of = task or next(iter(list_tasks(name)), "")
    shared = [m for m in METRICS.values() if m.request_name == name and m.task == of]
    if not shared:  # one of several, by its own name
        return [({}, METRICS[name])]
    return [({k: v for k, v in m.asked_as.items() if k != "name"}, m) for m in shared]


def _choose_option(options: Sequence[Option], params: Mapping[str, Scalar]) -> Metric | None:
    asked = {key: params.get(key, value) for key, value in options[0][0].items()}
    return next((metric for telling, metric in options if telling == asked), None)


def _list_telling_parameters(options: Sequence[Option], params: Mapping[str, Scalar]) -> list[str]:
    """List what a config sets, or omits, to distinguish a metric from the first of its name."""
    telling = {key: params.get(key, value) for key, value in options[0][0].items()}
    plain = [f"{key}: {value}" for key, value in options[0][0].items()]
    given = [each for key, value in telling.items() if (each := f"{key}: {value}") not in plain]
    return given or plain[:1]

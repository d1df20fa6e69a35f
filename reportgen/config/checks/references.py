"""Rules about gates and other keys that point at parts of the config."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from math import inf

from reportgen.config.checks.metrics import explain_unlisted
from reportgen.config.checks.view import ConfigFinding, ConfigFindings, ConfigView
from reportgen.config.schema.config import Primary
from reportgen.config.schema.datasets import Model
from reportgen.config.schema.fields import MarginKeys
from reportgen.config.schema.report import (
    AnyGate,
    Bound,
    FewHarmed,
    GapBelow,
    NotWorseThanPrevious,
)
from reportgen.config.shorthand import COMPARING
from reportgen.config.vocabulary import Vocabulary, Word
from reportgen.config.yaml.tree import format_key_path
from reportgen.errors import ConfigPath, did_you_mean, find_nearest
from reportgen.terms import INPUT_CHECKS, STATEMENT

GAP_RULES = ("gap_below", "gap_no_wider")
_PLURAL = {
    "amount": "amounts",
    "series": "amounts",
    "probability": "probabilities",
    "order": "scores",
    "label": "classes",
    "call": "probabilities",
}


def check_references(view: ConfigView) -> ConfigFindings:
    """Datasets, models, metrics, segments and the baseline that are named do exist."""
    yield from _check_supported_words(view)
    yield from _check_baseline(view)
    yield from _check_segments(view)
    if view.config.primary is not None:
        yield from _check_pointer(view, ("primary",), view.config.primary)
    for index, gate in enumerate(view.config.gates):
        if view.is_map("gates", index):
            yield from _check_pointer(view, ("gates", index), gate)
            yield from _check_gate(view, ("gates", index), gate)
    yield from _check_gate_names(view)


def _check_supported_words(view: ConfigView) -> ConfigFindings:
    """Words of the language that this version cannot honour yet."""
    config, words = view.config, view.words
    if isinstance(config.task, str) and view.task is None:
        said = f"is not built yet; this version knows {', '.join(words.tasks)}"
        if config.task not in words.planned_tasks:
            said = f"is not a task; {view.suggest(('task',), words.tasks)}"
        yield ConfigFinding(("task",), f"task: {view.quote('task')} {said}", settles=True)
    yield from view.check_word(
        ("bootstrap", "interval"), config.bootstrap.interval, words.intervals
    )
    yield from view.check_word(
        ("comparisons", "adjust"), config.comparisons.adjust, words.adjustments
    )
    if config.costs is not None:
        yield from view.check_word(("costs", "loss"), config.costs.loss, words.losses)
    yield from _check_listed(view, "outputs", config.outputs, words.outputs)
    yield from _check_listed(view, "sections", config.sections, words.sections)
    for index, code in enumerate(config.warnings.fatal if words.warnings else ()):
        yield from view.check_word(("warnings", "fatal", index), code, words.warnings)
    yield from _check_allowed(view, ("allow",), config.allow, "data")
    for name, model in config.models.items():
        if view.is_map("models", name):
            yield from _check_allowed(view, ("models", name, "allow"), model.allow, "model")


def _check_allowed(
    view: ConfigView, at: ConfigPath, allowed: Iterable[str], scope: str
) -> ConfigFindings:
    """Check that what is allowed are checks of the data, or of a model, where each belongs."""
    known = [name for name, each in INPUT_CHECKS.items() if each.scope == scope]
    for name in allowed:
        if name in known:
            continue
        message = f"allow: {name!r} is not a check; {did_you_mean(name, known)}"
        if name in INPUT_CHECKS:
            of, place = {
                "data": ("a model", "under the model"),
                "model": ("the data", "at the top level"),
            }[scope]
            message = f"allow: {name!r} is a check of {of}; write it {place}"
        yield ConfigFinding((*at, name), message, at_key=True)


def _check_listed(
    view: ConfigView, key: str, listed: tuple[str, ...], known: tuple[str, ...]
) -> ConfigFindings:
    """Check that every word of a list is known and is listed once."""
    for index, word in enumerate(listed):
        yield from view.check_word((key, index), word, known)
        if word is not None and word in listed[:index]:
            yield ConfigFinding(
                (key, index), f"{key} lists {view.quote(key, index)} twice; remove one"
            )


def _check_baseline(view: ConfigView) -> ConfigFindings:
    models = view.config.models
    chosen = [name for name, model in models.items() if model.role == "baseline"]
    for name in chosen[1:]:
        yield ConfigFinding(
            ("models", name, "role"),
            f"{name!r} is a second baseline beside {chosen[0]!r}; "
            "exactly one model has role: baseline",
        )
    roles = {model.role for model in models.values() if isinstance(model.role, str)}
    is_whole = all(view.is_map("models", name) for name in models)
    if len(models) > 1 and is_whole and roles <= {"candidate", "benchmark"}:
        yield ConfigFinding(
            ("models",),
            f"none of the {len(models)} models is the baseline; give the one that the others are "
            f"compared with `role: baseline`, for example {next(iter(models))!r}",
        )


def _check_segments(view: ConfigView) -> ConfigFindings:
    for dataset, node in view.config.datasets.items():
        seen: set[str] = set()
        for index, segment in enumerate(node.segments):
            at = ("datasets", dataset, "segments", index, "column")
            if segment.column in seen:
                said = f"datasets.{dataset}.segments lists {view.quote(*at)} twice; remove one"
                yield ConfigFinding(at, said)
            if isinstance(segment.column, str):
                seen.add(segment.column)


def _check_pointer(view: ConfigView, at: ConfigPath, pointer: Primary | AnyGate) -> ConfigFindings:
    """Check the metric and the dataset of `primary` or of a gate."""
    yield from check_metric(view, (*at, "metric"), pointer.metric)
    datasets, place = view.config.datasets, (*at, "dataset")
    judged = [name for name in datasets if name not in view.fit_datasets]
    yield from view.check_name(place, pointer.dataset, "dataset", datasets, judged or None)
    if judged and pointer.dataset in view.fit_datasets:
        yield ConfigFinding(
            place,
            f"{format_key_path(at)} rests on the dataset {view.quote(*place)}, whose role is fit; "
            "verdicts rest on a dataset with role: test",
        )


def _check_gate(view: ConfigView, at: ConfigPath, gate: AnyGate) -> ConfigFindings:
    yield from view.check_name((*at, "model"), gate.model, "model", view.config.models)
    yield from _check_segment(view, at, gate)
    yield from _check_scale(view, at, gate)
    word = view.words.metrics.get(view.metrics.get(gate.metric, ""))
    if word is not None and word.is_best_at_zero and gate.rule == "above":
        yield ConfigFinding(
            (*at, "rule"),
            f"{format_key_path(at)}: {view.quote(*at, 'rule')} would ask {gate.metric!r} to be far "
            "from zero, where it is best; write rule: below with the largest size that is allowed",
        )
    if gate.rule in COMPARING:
        yield from _check_against(view, at, gate)


def check_metric(view: ConfigView, at: ConfigPath, name: str) -> ConfigFindings:
    """Check that a label is that of one metric; a finding says how to correct it."""
    known, listed = view.metrics, len(view.config.metrics)
    if name is not None and name not in known:
        if not known or len(known) < listed or _is_misspelt_above(view, name):
            return  # what is wrong stands where the metrics are listed, and is said there
        labels = [key for key, each in known.items() if each == name]
        if len(labels) > 1:
            yield ConfigFinding(
                at,
                f"{format_key_path(at)}: {view.quote(*at)} is used {len(labels)} times; "
                f"name one by its label: {', '.join(labels)}",
            )
            return
        if said := explain_unlisted(view, at, name):
            yield ConfigFinding(at, f"{format_key_path(at)}: {said}")
            return
    yield from view.check_name(at, name, "metric", known, view.sound_metrics)


def _is_misspelt_above(view: ConfigView, name: str) -> bool:
    """Tell whether metrics are listed under wrong names: this one, or all of them."""
    catalogue = view.words.metrics
    unknown = [each for each in view.metrics.values() if each not in catalogue]
    known = {each: [*catalogue, *view.list_near_measures(each)] for each in unknown}
    is_near = any(find_nearest(each, names)[:1] == [name] for each, names in known.items())
    return is_near or bool(unknown and not view.sound_metrics)


def _check_segment(view: ConfigView, at: ConfigPath, gate: AnyGate) -> ConfigFindings:
    dataset, place = view.config.datasets.get(gate.dataset), (*at, "segment")
    if dataset is None or not isinstance(gate.segment, str):
        return
    column, sign, _ = gate.segment.partition("=")
    known = [each.column for each in dataset.segments if isinstance(each.column, str)]
    is_of_gap = gate.rule in GAP_RULES
    if is_of_gap:
        yield from _check_gap(view, at, gate)
    if sign and is_of_gap:
        text = f"{format_key_path(place)} needs a column, not {view.quote(*place)}"
        yield ConfigFinding(place, f"{text}; name two of its values under `between`")
    elif not sign and not is_of_gap:
        said = f"{format_key_path(place)} needs column=value, not {view.quote(*place)}"
        yield ConfigFinding(place, said)
    elif column not in known:
        hint = view.quote(*place) if view.is_hidden(place) else ""
        near = did_you_mean(column, known) if known and not hint else "list its column there"
        yield ConfigFinding(
            place,
            f"{format_key_path(place)}: {hint or repr(column)} is not among "
            f"datasets.{gate.dataset}.segments; {near}",
        )


def _check_gap(view: ConfigView, at: ConfigPath, gate: AnyGate) -> ConfigFindings:
    """Check that a gap lies between two values if it names any, and that its bound is above 0."""
    between = getattr(gate, "between", ())
    if (between and len(set(between)) != 2) or len(between) > 2:
        place = (*at, "between")
        yield ConfigFinding(place, f"{format_key_path(place)} needs two different values")
    if isinstance(gate, GapBelow) and gate.value <= 0:
        place = (*at, "value")
        text = f"{format_key_path(place)}: a gap is never below {view.quote(*place)}"
        yield ConfigFinding(place, f"{text}; write a larger bound")


def _check_scale(view: ConfigView, at: ConfigPath, gate: AnyGate) -> ConfigFindings:
    """Check that the scores of the models of a gate suffice for its metric."""
    word = view.words.metrics.get(view.metrics.get(gate.metric, ""))
    if word is None or view.task is None or word.needs == "density":
        return
    if word.task != view.config.task or _has_operating_point(view, gate.metric):
        return  # reported where the metric is named, or every score has calls there
    for name in (gate.model, getattr(gate, "against", None)):
        model = view.config.models.get(name or "")
        offered = None if model is None else view.task.scales.get(model.scale)
        if model is not None and offered is not None and word.needs not in offered:
            yield ConfigFinding(
                (*at, "metric"),
                f"{format_key_path(at)}: the metric {gate.metric!r} needs {_PLURAL[word.needs]}, "
                f"and the model {name!r} has scale: {model.scale}; "
                + _suggest_metric(view.words, word.task, offered)
                + ", or name a threshold of its score: at: NAME" * ("at" in word.parameters),
            )


def _has_operating_point(view: ConfigView, metric: str) -> bool:
    """Tell whether a metric, by its label here, is judged at an operating point."""
    uses = (use for use in view.config.metrics if metric in (use.as_, use.name))
    points = (use.params.get("at") for use in uses)
    return any(isinstance(point, str) and point for point in points)


def _suggest_metric(words: Vocabulary, task: str, offered: Collection[str]) -> str:
    """Suggest the first metric of a task that the offered score suffices for, of order if any."""
    fit = [(n, word) for n, word in words.metrics.items() if word.task == task]
    of_order = [n for n, word in fit if word.needs == "order" and "order" in offered]
    others = [n for n, word in fit if word.needs in offered]
    kind = " of order" if of_order else ""
    return f"use a metric{kind}, such as {(of_order or others)[0]}"


def check_scales(view: ConfigView) -> ConfigFindings:
    """Each model has a kind of score that the task knows."""
    scales = {} if view.task is None else view.task.scales
    for name, model in view.config.models.items() if scales else ():
        at = ("models", name, "scale")
        if model.scale is not None and model.scale not in scales:
            said = f"cannot be {view.quote(*at)} with task: {view.config.task}"
            yield ConfigFinding(at, f"{format_key_path(at)} {said}; {view.suggest(at, scales)}")
    for name, model in view.config.models.items():
        if model.transform is not None and (why := _explain_untransformable(model)):
            at = ("models", name, "transform")
            yield ConfigFinding(at, f"{format_key_path(at)} does not apply: {why}")


def _explain_untransformable(model: Model) -> str:
    """Explain why the scores of a model cannot be transformed; empty if they can."""
    if model.scale == "label":
        return "with scale: label the column names classes; remove one of the two"
    if model.run or model.lines:
        return "ranked lists are judged by their order alone; remove it"
    of_moments = {"mean", "sd"} & set(model.columns or ())
    if of_moments and isinstance(model.transform, str):
        return (
            f"{model.transform} of a mean is not the mean of {model.transform}; "
            "give quantiles, or columns that are on the scale of the target"
        )
    return ""


def _check_against(view: ConfigView, at: ConfigPath, gate: AnyGate) -> ConfigFindings:
    models, baseline = view.config.models, view.config.baseline
    if view.config.is_against_reference(gate):
        yield from _check_against_reference(view, at, gate)
        return
    against = getattr(gate, "against", None)
    others = [name for name in models if name != gate.model]
    yield from view.check_name((*at, "against"), against, "model", models, others)
    pair = {name for name in (gate.model, against) if name in models}
    if gate.model == against and pair:
        yield ConfigFinding(
            (*at, "model"),
            f"{format_key_path(at)} compares the model {view.quote(*at, 'model')} with itself; "
            "name another model, or another one `against`",
        )
    is_compared = view.config.comparisons.against == "all" or baseline in pair
    if len(pair) == 2 and not is_compared:
        yield ConfigFinding(
            (*at, "against"),
            f"{format_key_path(at)}: {against!r} and {gate.model!r} are not compared with each "
            "other, only with the baseline; write comparisons: {against: all}",
        )
    if against not in models and len(models) == 1 and baseline is None:
        yield ConfigFinding(
            (*at, "rule"),
            f"{format_key_path(at)}: {view.quote(*at, 'rule')} compares two models, and this "
            "config has one; add a model with role: baseline, or use below or above",
        )


def _check_against_reference(view: ConfigView, at: ConfigPath, gate: AnyGate) -> ConfigFindings:
    """Check that a metric has a value without a model, and that all rows are meant."""
    word = view.words.metrics.get(view.metrics.get(gate.metric, ""))
    request = view.config.references
    has_own = any(each.value is not None and each.metric in (None, gate.metric) for each in request)
    where, place = format_key_path(at), (*at, "against")
    if not request:
        yield ConfigFinding(place, f"{where} asks for a reference, and references is none")
    elif word is not None and word.no_reference and not has_own:
        yield ConfigFinding(
            place,
            f"{where}: there is no reference for {gate.metric!r}, as {word.no_reference}; write "
            "references: [{name: …, value: …}], or name a model",
        )
    if gate.segment is not None:
        yield ConfigFinding(
            (*at, "segment"), f"{where}: a reference is compared on all rows; remove segment"
        )


def check_reference_uses(view: ConfigView) -> ConfigFindings:
    """Check what `references` asks for: known names, and the keys that each of them takes."""
    tests = [each for name, each in view.config.datasets.items() if each.role == "test"]
    for place, request in enumerate(view.config.references):
        at: ConfigPath = ("references", place)
        is_own = request.value is not None
        if not is_own:
            yield from view.check_name((*at, "name"), request.name, "reference", REFERENCES)
        if request.metric is not None:
            yield from check_metric(view, (*at, "metric"), request.metric)
        needed = REFERENCE_KEYS.get(request.name, ())
        for key in ("by", "lag"):
            if getattr(request, key) is not None and key not in needed:
                yield ConfigFinding((*at, key), f"{request.name} takes no {key}; remove it")
        if request.name in REFERENCE_KEYS and any(each.time is None for each in tests):
            yield ConfigFinding(
                (*at, "name"),
                f"{request.name} needs an order of the rows; add time: under datasets",
            )
        for each in tests if request.by is not None else ():
            columns = [*(s.column for s in each.segments), each.cluster]
            if request.by not in columns:
                yield ConfigFinding(
                    (*at, "by"),
                    f"by names {view.quote(*at, 'by')}, which is neither the cluster nor a segment",
                )


REFERENCE_KEYS = {"last_value": ("by",), "seasonal": ("by", "lag")}
REFERENCES = ("auto", "zero", "mean", "median", *REFERENCE_KEYS, "popularity")


def _check_gate_names(view: ConfigView) -> ConfigFindings:
    names = [gate.name for gate in view.config.gates]
    for index, name in enumerate(names):
        if isinstance(name, str) and name in names[:index]:
            at = ("gates", index, "name")
            said = f"a gate {view.quote(*at)} is already there; give each its own name"
            yield ConfigFinding(at, said)


ABOUT, HEADLINE = ("report", "about"), ("report", "headline")
ROLES = {
    "baseline": "the baseline, which the others are compared with",
    "benchmark": "a benchmark, which is not chosen",
}


def check_page_one(view: ConfigView) -> ConfigFindings:
    """`report.about` is a candidate, and each metric of `report.headline` is listed once."""
    roles = {name: model.role for name, model in view.config.models.items()}
    candidates = [name for name, role in roles.items() if role not in ROLES]
    if {*roles.values()} == {*ROLES}:
        said = "every model but the baseline is a benchmark; at least one is a candidate"
        yield ConfigFinding(("models",), said)
    report = view.config.report
    yield from view.check_name(ABOUT, report.about, "model", roles, candidates or None)
    if report.about in roles and candidates and report.about not in candidates:
        yield ConfigFinding(
            ABOUT,
            f"{format_key_path(ABOUT)}: {report.about!r} is {ROLES[roles[report.about]]}; "
            f"name a candidate, such as {candidates[0]!r}",
        )
    if report.decision == "meets" and len(roles) > 1:
        text = (
            f"report.decision: meets asks whether one model is good enough, and there are "
            f"{len(roles)}; use replace or choose"
        )
        yield ConfigFinding(("report", "decision"), text)
    for index, name in enumerate(report.headline):
        at = (*HEADLINE, index)
        yield from check_metric(view, at, name)
        if name is not None and name in report.headline[:index]:
            said = f"{format_key_path(HEADLINE)} lists {view.quote(*at)} twice; remove one"
            yield ConfigFinding(at, said)


TEST_KEY = ("comparisons", "test")


def check_tests(view: ConfigView) -> ConfigFindings:
    """Each test is known, and suits the metrics it is asked for."""
    asked = view.config.comparisons.test
    if not isinstance(asked, dict):
        likely = _list_common_tests(view, view.metrics)
        yield from view.check_word(TEST_KEY, asked, view.words.tests, likely)
        yield from _check_for_all(view, asked)
        return
    for key, test in asked.items():
        at = (*TEST_KEY, key)
        if key not in view.metrics:
            said = f"{format_key_path(TEST_KEY)}: there is no metric {key!r} in this config"
            yield ConfigFinding(at, f"{said}; {did_you_mean(key, view.sound_metrics)}", at_key=True)
            continue
        yield from view.check_word(at, test, view.words.tests, _list_common_tests(view, [key]))
        if not _is_suitable_test(view, test, key):
            yield _refuse_test(view, at, [key], _list_tests(view, key))


def _list_common_tests(view: ConfigView, keys: Iterable[str]) -> list[str]:
    """List the tests that all these metrics can have; only such tests are suggested."""
    words = (view.words.metrics.get(view.metrics[key]) for key in keys)
    known = [word.tests for word in words if word is not None and word.tests is not None]
    return [test for test in view.words.tests if all(test in tests for tests in known)]


def _check_for_all(view: ConfigView, test: str) -> ConfigFindings:
    """Check one test for every metric."""
    unsuited = [key for key in view.metrics if not _is_suitable_test(view, test, key)]
    suited = [key for key in view.metrics if key not in unsuited]
    if unsuited and suited:
        way = f"test: {{{suited[0]}: {view.format_text(TEST_KEY)}}}"
        way = f"name the metrics that it is for: {way}"
        yield _refuse_test(view, TEST_KEY, unsuited, way)
    elif unsuited:
        yield _refuse_test(view, TEST_KEY, unsuited, _list_tests(view, unsuited[0]))


def _is_suitable_test(view: ConfigView, test: str, key: str) -> bool:
    """Tell whether a metric can have a test; unknown names are reported elsewhere."""
    word = view.words.metrics.get(view.metrics.get(key, ""))
    tests = word.tests if word is not None else None
    return tests is None or test in tests or test not in view.words.tests


def _refuse_test(view: ConfigView, at: ConfigPath, keys: list[str], way: str) -> ConfigFinding:
    named = ", ".join(map(repr, keys[:3])) + (", …" if len(keys) > 3 else "")
    where = format_key_path(TEST_KEY)
    return ConfigFinding(at, f"{where}: {view.quote(*at)} does not suit {named}; {way}")


def _list_tests(view: ConfigView, key: str) -> str:
    word = view.words.metrics[view.metrics[key]]
    return f"for {key!r} there are {', '.join(word.tests or ())}"


def check_governing(view: ConfigView) -> ConfigFindings:
    """Gates on moves have a previous run, looks rows that decide, a statement has gates."""
    config = view.config
    for index, gate in enumerate(config.gates):
        at = ("gates", index)
        if isinstance(gate, NotWorseThanPrevious):
            said = f"{format_key_path(at)} is compared with a previous run"
            if config.previous is None:
                yield ConfigFinding((*at, "rule"), f"{said}; name it under `previous`")
            if gate.segment is not None:
                said = f"{format_key_path(at)}.segment: moves are those of all rows; leave it out"
                yield ConfigFinding((*at, "segment"), said)
    for name, dataset in config.datasets.items():
        if dataset.looks is not None and config.deciding_dataset != name:
            said = f"datasets.{name}.looks: only looks at the rows that decide are planned"
            yield ConfigFinding(("datasets", name, "looks"), f"{said}; leave it out")
    for name in config.previous.models if config.previous else ():
        if name not in config.models:
            said = f"previous.models: there is no model {name!r} in this config"
            meant = did_you_mean(name, config.models)
            yield ConfigFinding(("previous", "models", name), f"{said}; {meant}")
    yield from _check_own_variants(view)
    if STATEMENT in config.outputs and not config.gates:
        said = f"the output {STATEMENT} says how gates ended; declare gates, or leave it out"
        yield ConfigFinding(("outputs", config.outputs.index(STATEMENT)), said)


def _check_own_variants(view: ConfigView) -> ConfigFindings:
    """Check that each analysis in `sensitivity.also` changes one thing and has its own name."""
    variants = view.config.sensitivity.also
    names = [variant.name for variant in variants]
    for index, variant in enumerate(variants):
        at = ("sensitivity", "also", index)
        if variant.name in names[:index]:
            said = f"sensitivity.also has two analyses called {variant.name!r}; rename one"
            yield ConfigFinding((*at, "name"), said)
        if (variant.margin is None) == (variant.filter is None):
            said = f"{format_key_path(at)} changes one thing: give it a margin or a filter"
            yield ConfigFinding(at, said)


MetricRange = tuple[float, float]


def refuse_unreachable_bounds(view: ConfigView) -> ConfigFindings:
    """Refuse each gate whose bound, or margin, lies beyond all that its metric can be.

    So with the primary margin, of which no model could be clearly better.
    """
    for index, gate in enumerate(view.config.gates):
        word, bounds = _find_range(view, gate.metric)
        if word is None:
            continue
        at: ConfigPath = ("gates", index, "value" if isinstance(gate, Bound) else "margin")
        if said := _describe_unreachable(gate, word, bounds, view.quote(*at)):
            text = f"{format_key_path(at[:2])} can never pass: {gate.metric!r} {said}"
            yield ConfigFinding(at, text)
    primary = view.config.primary
    if primary is None or primary.margin is None:
        return
    word, bounds = _find_range(view, primary.metric)
    at = ("primary", "margin")
    if word and (fault := _describe_large_margin(primary.margin, word, bounds, view.quote(*at))):
        text = f"primary: no model can be clearly better: {primary.metric!r} {fault}"
        yield ConfigFinding(at, text)


def _find_range(view: ConfigView, metric: str) -> tuple[Word | None, MetricRange]:
    """Find a metric by its label here, with the range of what is better or worse in it."""
    use = next((use for use in view.config.metrics if use.key == metric), None)
    word = None if use is None else view.words.metrics.get(use.name)
    if use is None or word is None or word.bounds is None:
        return None, (-inf, inf)
    bounds = word.bounds(**use.params)
    return word, (0.0, max(map(abs, bounds))) if word.is_best_at_zero else bounds


def _describe_unreachable(gate: AnyGate, word: Word, bounds: MetricRange, wanted: str) -> str:
    """Describe the metric's limit and what the gate asks of it; empty if that can be reached."""
    low, high = bounds
    of = " in size" * word.is_best_at_zero
    if isinstance(gate, Bound):
        if gate.rule == "below" and gate.value <= low:
            return f"is never below {low:g}{of}, and the bound is {wanted}; write a larger one"
        if gate.rule == "above" and gate.value >= high:
            return f"is never above {high:g}{of}, and the bound is {wanted}; write a smaller one"
        return ""
    if isinstance(gate, FewHarmed) or gate.rule in GAP_RULES:
        return ""  # no value of the metric
    margin = getattr(gate, "margin", None)
    if gate.rule != "better" or margin is None:
        return ""
    return _describe_large_margin(margin, word, bounds, wanted)


def _describe_large_margin(
    margin: MarginKeys, word: Word, bounds: MetricRange, written: str
) -> str:
    """Describe by how much the metric can get better, where that is not the margin."""
    low, high = bounds
    if not margin.is_relative:
        most, limit = high - low, f"differs by {high - low:g}"
    elif low >= 0 and (word.is_best_low or word.is_best_at_zero):
        most, limit = 1.0, "falls by 100%"
    else:
        return ""
    if margin.value < most or most == inf:
        return ""
    return f"{limit} at most, and the margin is {written}; write a smaller one"

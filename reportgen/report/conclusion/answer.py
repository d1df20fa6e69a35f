"""The answer to the question of a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isclose
from typing import Literal

from reportgen.report.conclusion.best_action import does_constant_help
from reportgen.report.selection import Selection, orient_value
from reportgen.report.wording import answers, cost_advice
from reportgen.report.wording.answers import use_case_unit
from reportgen.report.wording.classes import choose_class_wording
from reportgen.report.wording.names import (
    capitalize_sentence,
    clean_name,
    format_segment,
    join_list,
    lower_first_word,
)
from reportgen.report.wording.numbers import format_count
from reportgen.report.wording.verdicts import (
    TONES,
    does_contradict,
    is_exactly_zero,
)
from reportgen.results.conclusion import BestAction, Chosen, HeadlineComparison, HeadlineValue
from reportgen.results.core import GateResult, MetricInfo
from reportgen.results.question import ReportQuestion, settle_question
from reportgen.results.types import DecisionKind
from reportgen.results.verdicts import word_side


def choose_decision(found: Selection) -> DecisionKind:
    """Choose what is decided, as the plan did."""
    return _settle_question(found).decision


def _settle_question(index: Selection) -> ReportQuestion:
    report, baseline = index.results.report, index.baseline
    models = index.results.models if baseline is None else index.candidates
    name = None if baseline is None else baseline.name
    return settle_question(report.decision, report.about, name, [each.name for each in models])


def select_asked_model(found: Selection) -> tuple[str | None, Chosen, int]:
    """The model, why it is that one, and among how many it is the best where it is."""
    if found.baseline is None:
        return found.results.models[0].name, "only model", 1
    names = [model.name for model in found.candidates]
    declared = _settle_question(found).about
    if len(names) == 1:
        return names[0], "only candidate", 1
    if declared in names:
        return declared, "declared", 1
    if (
        found.results.report.decision == "shift"
        and (advised := _find_advised_model(found)) in names
    ):
        return str(advised), "cheapest", len(names)
    ranked = rank_models(found, found.leading)
    best = [name for name in ranked if name in names]
    return (best[0], "best", len(best)) if best else (names[0], "none", 1)


def _find_advised_model(found: Selection) -> str | None:
    """The model of the action that the costs advise, where corrections of scores were tried."""
    costs = found.costs.get(found.main.name)
    declared = None if costs is None else costs.model.declared
    if costs is None or declared is None:
        return None
    options = [each for each in costs.options if isclose(each.asymmetry, declared)]
    is_tried = any(each.method != "none" for each in options)
    return next((each.model for each in options if each.is_advised and is_tried), None)


def rank_models(found: Selection, metric: MetricInfo) -> list[str]:
    """The models to choose from that have a value of a metric on the main dataset, best first."""
    models = [model for model in found.results.models if model.role != "benchmark"]
    known = [found.estimate(model.name, metric.key) for model in models]
    values = {e.model: e.value for e in known if e is not None and e.value is not None}
    return sorted(values, key=lambda model: -orient_value(values[model], metric))


Tone = Literal["good", "bad", "open", "neutral"]


def build_choice_answer(
    found: Selection,
    rows: Sequence[HeadlineComparison],
    metric: MetricInfo,
    contrary: Sequence[Sequence[str]],
    *,
    tells_what_to_do: bool,
) -> tuple[list[str], Tone]:
    """Return which model is shown best, or which are not distinguishable from it.

    `contrary` is what takes back each row of `rows`, in words, the longest first.
    """
    on, baseline = (answers.metric_phrase(metric), clean_name(found.label(rows[0].baseline), 40))
    order, level = rank_models(found, metric), found.level_with_best(metric.key)
    against = dict(zip((row.candidate for row in rows), contrary, strict=True))
    here_only = {row.candidate for row in rows if row.contradicted_by}
    if not order:
        return [f"No conclusion: {on} is undefined."], "neutral"
    best = clean_name(found.label(order[0]), 40)
    if order[0] in here_only:
        finding = f"{best} is best on {on} only; {against[order[0]][0]}."
        advice = [
            f"Do not choose on {on} alone: {best} is best there, {against[order[0]][0]}.",
            f"Do not choose on {on} alone.",
        ]
        return [
            *(advice if tells_what_to_do else ()),
            finding,
            f"{best} is best on {on} only.",
        ], "open"
    if level == {order[0]} and order[0] == rows[0].baseline:
        return [
            f"Keep {baseline}: shown better than every other model on {on}.",
            f"Keep {baseline}: shown best.",
        ], "neutral"
    if level == {order[0]}:
        back = against[order[0]][0] if against[order[0]] and order[0] == rows[0].candidate else ""
        superlative = "cheapest" if metric.kind == "cost" else "best"
        options = _use(best, on, superlative, back) if tells_what_to_do else []
        options += _is_best(best, on, superlative, back)
        return options, "open" if back else "good"
    perfect = [model for model, back in against.items() if answers.TOO_GOOD[0] in back]
    return _build_level(found, rows, metric, perfect, tells_what_to_do=tells_what_to_do)


def _use(best: str, on: str, superlative: str, back: str) -> list[str]:
    """Return what to do where one model is shown better than every other."""
    end = f"; {back}" if back else ""
    reasons = [
        f"{superlative} on {on}, shown better than every other model{end}",
        f"shown better than every other model on {on}{end}",
        f"{superlative} on {on}{end}",
        f"shown {superlative}{end}",
        f"shown {superlative} on {on}",
        f"shown {superlative}",
    ]
    return [f"Use {best}: {why}." for why in reasons]


def _is_best(best: str, on: str, superlative: str, back: str) -> list[str]:
    """The same as a finding."""
    end, first, shown = (
        f"; {back}" * bool(back),
        f"{best} is {superlative}",
        (", shown better than every other model"),
    )
    on_it = f"{first} on {on}"
    options = [
        f"{on_it}{shown}{end}",
        f"{on_it}{end}",
        f"{first}{end}",
        f"{on_it}{shown}",
        f"{first}{shown}",
        first,
    ]
    return [f"{text}." for text in options]


def _build_level(
    found: Selection,
    rows: Sequence[HeadlineComparison],
    metric: MetricInfo,
    perfect: Sequence[str],
    *,
    tells_what_to_do: bool,
) -> tuple[list[str], Tone]:
    """No single model is shown best; of one of the `perfect` that may be a leak's doing."""
    on, baseline = (answers.metric_phrase(metric), clean_name(found.label(rows[0].baseline), 40))
    better = [row for row in rows if word_side(row.word) > 0 and not row.contradicted_by]
    level = found.level_with_best(metric.key)
    better.sort(key=lambda row: rank_models(found, metric).index(row.candidate))
    if not better:
        lead = [
            f"Keep {baseline} for now: no model is shown better on {on}.",
            f"Keep {baseline} for now: no model is shown better.",
        ]
        return [
            *(lead if tells_what_to_do else ()),
            f"No model is shown better than {baseline} on {on}.",
            f"No model is shown better than {baseline}.",
        ], "neutral"
    labels = [clean_name(found.label(row.candidate), 40) for row in better]
    leading = [x for x, row in zip(labels, better, strict=True) if row.candidate in level] or labels
    names = answers.join_labels(labels)
    verb = "is" if len(better) == 1 else "are"
    which, whose = _name_open_choice(labels, leading)
    tone: Tone = max((TONES[row.word] for row in better), key=lambda each: each == "good")
    if leak := next((row.candidate for row in better if row.candidate in perfect), None):
        which, tone = answers.describe_no_error(found.label(leak)), "open"
        whose = which
    is_worth_it = any(row.word != "equivalent" for row in better)
    either = _either(leading, baseline, on, which) if tells_what_to_do and is_worth_it else []
    return [
        *either,
        f"{capitalize_sentence(names, labels)} {verb} better than {baseline} on {on}; {whose}.",
        f"{capitalize_sentence(names, labels)} {verb} better than {baseline}; {whose}.",
        f"{format_count(len(better), 'model')} {verb} better than {baseline}; {whose}.",
        f"{format_count(len(better), 'model')} {verb} better than {baseline}; none is shown best.",
        "No model is shown best.",
    ], tone


def _name_open_choice(better: Sequence[str], leading: Sequence[str]) -> tuple[str, str]:
    """Return a short clause and one with names, which say that the best model is not known.

    The second has names only if other models, too, are better than the baseline.

    >>> _name_open_choice(["c2", "c3"], ["c2", "c3"])[1]
    'which is best is not shown'
    >>> _name_open_choice(["c2", "c3", "c1"], ["c2", "c3"])[1]
    'which of c2 and c3 is best is not shown'
    """
    which = "that it is best is not shown" if len(leading) == 1 else "which is best is not shown"
    if len(leading) == len(better):
        return which, which
    if len(leading) == 1:
        return which, f"that {leading[0]} is best is not shown"
    return which, f"which of {answers.join_labels(leading)} is best is not shown"


def _either(labels: Sequence[str], baseline: str, on: str, which: str) -> list[str]:
    """Return what to do where one model or several are better, and none is shown best."""
    if len(labels) > 3:
        head = f"Use one of {len(labels)} models"
    else:
        head = f"Use {' or '.join(filter(None, (', '.join(labels[:-1]), labels[-1])))}"
    return [
        f"{head}: better than {baseline} on {on}; {which}.",
        f"{head}: better than {baseline}; {which}.",
        f"{head}; {which}.",
    ]


def describe_worse_classes(found: Selection, candidate: str) -> str:
    """In words, on which class the candidate is shown worse, or on how many; "" if on none."""
    metrics = found.results.class_metrics
    leading = next((m for m in metrics if m.name == "f"), metrics[0] if metrics else None)
    if leading is None:
        return ""
    named = {each.value: each.name for each in found.main.classes}
    worse = [
        named.get(each.value, each.value)
        for each in found.results.classes
        if each.dataset == found.main.name and each.metric == leading.name and each.value
        for c in each.comparisons
        if c.candidate == candidate and word_side(c.word) < 0
    ]
    words = choose_class_wording(found.main)
    if len(worse) == 1:
        return f"worse on {words.one} {clean_name(worse[0], 24)}"
    return f"worse on {format_count(len(worse), words.one, words.many)}" if worse else ""


SEPARATED, MISCALIBRATED = "W119", "W120"


def build_answer(
    found: Selection,
    decision: DecisionKind,
    rows: Sequence[HeadlineComparison],
    consequences: Sequence[HeadlineComparison],
    values: Sequence[HeadlineValue],
    best: BestAction | None = None,
) -> tuple[str, Tone]:
    """The answer in at most 18 words, and the colour of its edge: none is green that fails."""
    if decision == "shift" and best is not None:
        options, tone = _answer_by_shift(found, best)
    else:
        options, tone = _list_answers(found, decision, rows, consequences, values)
    failed = _list_failed_gates(found)
    if not failed:
        left = _open(found) if tone in ("good", "open") else []
        texts = [f"{text.removesuffix('.')}; {end}." for end in left for text in options]
        return answers.choose_fitting(
            [*texts, *options]
        ), "open" if left and tone == "good" else tone
    many = f"{len(failed)} of {format_count(len(found.results.gates), 'requirement')} not met"
    lead = "No: " if _asks(found, "replace") else ""
    texts = [
        *(
            f"{many}; {text[:1].lower() + text[1:]}"
            if _is_plain(text, found)
            else f"{many}. {text}"
            for text in options
        ),
        f"{many}.",
    ]
    return answers.choose_fitting(f"{lead}{text}" for text in texts), "bad"


def _list_failed_gates(found: Selection) -> list[GateResult]:
    """The requirements that are not met."""
    return [gate for gate in found.results.gates if gate.is_failure]


def _open(found: Selection) -> list[str]:
    """Say that requirements are neither met nor failed, the longest words first; [] if none is."""
    gates = found.results.gates
    many = sum(gate.status == "inconclusive" for gate in gates)
    if not many:
        return []
    return [
        f"{many} of {format_count(len(gates), 'requirement')} not shown",
        f"{format_count(many, 'requirement')} not shown",
    ]


def _asks(found: Selection, decision: DecisionKind) -> bool:
    """Tell whether the config has a question, and says which decision it serves."""
    report = found.results.report
    return bool(report.question) and report.decision == decision


def _answer_by_shift(found: Selection, best: BestAction) -> tuple[list[str], Tone]:
    """Return which model with which correction, as the costs advise."""
    labels = {model.name: clean_name(model.label, 40) for model in found.results.models}
    assert found.baseline is not None
    helps = does_constant_help(found, best)
    options = cost_advice.list_action_answers(best, labels, found.baseline.name, helps=helps)
    return options, "neutral" if best.is_today else "good"


def _is_plain(text: str, found: Selection) -> bool:
    """Tell whether a text begins with an ordinary word, which may lose its capital."""
    return not any(text.startswith(clean_name(m.label, 40)) for m in found.results.models)


def _list_answers(
    found: Selection,
    decision: DecisionKind,
    rows: Sequence[HeadlineComparison],
    consequences: Sequence[HeadlineComparison],
    values: Sequence[HeadlineValue],
) -> tuple[list[str], Tone]:
    metric, baseline = found.primary, found.baseline
    if baseline is None:
        return _alone(found, values), "neutral"
    if metric is None:
        return ["No conclusion: no primary metric was declared."], "neutral"
    if not rows:
        on, b = answers.metric_phrase(metric), clean_name(baseline.label, 40)
        said = [f"No conclusion: no candidate was compared with {b} on {on}.", "No conclusion."]
        return said, "neutral"
    if decision == "enough":
        return _enough(found, rows, metric)
    if decision == "rank":
        return _answer_ranking(found, metric)
    if decision == "replace":
        return _answer_replacement(found, rows[0], consequences, metric)
    return _answer_choice(found, rows, consequences, metric)


def _alone(found: Selection, values: Sequence[HeadlineValue]) -> list[str]:
    """One model: its value, and that nothing is compared."""
    model = clean_name(found.results.models[0].label, 40)
    metrics = {metric.key: metric for metric in found.results.metrics}
    options = [f"{model} is reported alone; nothing is compared."]
    if values and values[0].value is not None:
        metric = use_case_unit(metrics[values[0].key], found.main)
        shown = answers.format_metric_value(metric, values[0]).partition(" (")[0]
        on = answers.metric_heading(metric)
        options.insert(0, f"{on} of {model} is {shown}; nothing is compared.")
    return options


def _answer_replacement(
    found: Selection,
    row: HeadlineComparison,
    consequences: Sequence[HeadlineComparison],
    metric: MetricInfo,
) -> tuple[list[str], Tone]:
    contrary = list(_contrary(found, row, consequences))
    tone: Tone = "open" if row.contradicted_by else TONES[row.word]
    names = found.label(row.candidate), found.label(row.baseline)
    if _asks(found, "replace") and not _list_failed_gates(found):
        is_back = _is_taken_back(found, row, consequences)
        said = answers.list_replacement_answers(
            row, metric, *names, contrary, is_taken_back=is_back
        )
    else:
        said = answers.list_answers(row, metric, *names, contrary)
    return said, "open" if tone == "good" and contrary else tone


def _is_taken_back(
    found: Selection, row: HeadlineComparison, consequences: Sequence[HeadlineComparison]
) -> bool:
    """Tell whether an advantage has a price.

    It is worse elsewhere, or so good that it may be a leak's.
    """
    is_worse = any(word_side(c.word) < 0 for c in consequences if not is_exactly_zero(c))
    is_worse = is_worse or bool(describe_worse_classes(found, row.candidate))
    return bool(row.contradicted_by) or is_worse or _is_too_good(found, row.candidate)


def _contrary(
    found: Selection, row: HeadlineComparison, consequences: Sequence[HeadlineComparison]
) -> Iterator[str]:
    """The first row that takes the primary verdict back, in words, the longest first."""
    if row.difference is None:
        return
    metrics = {metric.key: metric for metric in found.results.metrics}
    if _is_too_good(found, row.candidate):
        yield from answers.TOO_GOOD
        return
    for key in row.contradicted_by[:1]:
        yield f"worse on {answers.metric_phrase(metrics[key])}"
        return
    telling = [
        c for c in consequences if not is_exactly_zero(c) and does_contradict(c.word, row.word)
    ]
    telling.sort(
        key=lambda c: word_side(c.word) >= 0
    )  # what is worse counts more than what is open
    other = next(iter(telling), None)
    of_class = describe_worse_classes(found, row.candidate) if word_side(row.word) > 0 else ""
    if of_class and (other is None or word_side(other.word) >= 0):
        yield of_class
        return
    if other is None:
        if word_side(row.word) > 0:
            yield from _iter_miscalibration_notes(found, row, metrics[row.key])
        return
    if other.segment is not None:
        where = format_segment(found.datasets[other.dataset], other.segment)
        yield from answers.list_contrary_clauses(other, f"for {where}", "in one segment")
    elif other.dataset != found.main.name:
        yield from answers.list_contrary_clauses(
            other, f"on dataset {clean_name(other.dataset, 40)}", "elsewhere"
        )
    else:
        metric = metrics[other.key]
        label = lower_first_word(clean_name(metric.label))
        yield from answers.list_contrary_clauses(
            other, f"on {answers.metric_phrase(metric)}", f"on {label}"
        )


def _iter_miscalibration_notes(
    found: Selection, row: HeadlineComparison, metric: MetricInfo
) -> Iterator[str]:
    """Say that probabilities are off, and more so than the baseline's, unseen by the metric.

    They take no advantage back: a score whose order is better may be calibrated anew.
    """
    off = {
        w.model: w.numbers
        for w in found.results.warnings
        if w.code == MISCALIBRATED and w.dataset in (None, found.main.name) and w.segment is None
    }
    mine, base = off.get(row.candidate), off.get(row.baseline)
    if mine is None or metric.needs == "probability":
        return
    if base is not None and float(base.get("error") or 0) >= float(mine.get("error") or 0):
        return
    said, happened = mine.get("expected"), mine.get("happened")
    if isinstance(said, float) and isinstance(happened, float):
        yield f"its probabilities are too {'high' if said > happened else 'low'}"
    yield "its probabilities are not right"


def _is_too_good(found: Selection, model: str) -> bool:
    """Tell whether a score divides the classes without error.

    A leak does so more often than skill.
    """
    return any(
        w.code == SEPARATED and w.model == model and w.dataset in (None, found.main.name)
        for w in found.results.warnings
    )


def _answer_choice(
    found: Selection,
    rows: Sequence[HeadlineComparison],
    consequences: Sequence[HeadlineComparison],
    metric: MetricInfo,
) -> tuple[list[str], Tone]:
    """Return the model to use, and what takes that back.

    The latter are the rows of all kinds of the model asked about.
    """
    contrary = [list(_contrary(found, row, consequences if row is rows[0] else ())) for row in rows]
    tells = _asks(found, "choose") and not _list_failed_gates(found)
    return build_choice_answer(found, rows, metric, contrary, tells_what_to_do=tells)


def _answer_ranking(found: Selection, metric: MetricInfo) -> tuple[list[str], Tone]:
    """The models from best to worst by their estimates, and whether the first is shown best."""
    on, order = answers.metric_phrase(metric), rank_models(found, metric)
    labels = [clean_name(found.label(model), 40) for model in order]
    is_shown = len(found.level_with_best(metric.key)) == 1
    end = "" if is_shown else "; the first is not shown best"
    options = [f"From best to worst on {on}: {', '.join(labels)}{end}."]
    options += [f"From best: {join_list(labels, most)}{end}." for most in (4, 3, 2)]
    return options, "good" if is_shown else "neutral"


def _enough(
    found: Selection, rows: Sequence[HeadlineComparison], metric: MetricInfo
) -> tuple[list[str], Tone]:
    """Tell whether the rows suffice to name one best model."""
    order, level = rank_models(found, metric), found.level_with_best(metric.key)
    there = format_count(found.main.n, *found.main.case)
    here_only = {row.candidate for row in rows if row.contradicted_by}
    if order and level == {order[0]} and order[0] not in here_only:
        best = clean_name(found.label(order[0]), 40)
        return [
            f"Yes: {there} are enough; {best} is shown better than every other model.",
            f"Yes: {there} are enough to choose.",
        ], "good"
    short = f"No: {there} are not enough to choose between the models"
    is_best = bool(order) and order[0] not in here_only
    needed = (
        answers.describe_needed_rows(rows_to_identify_best(found, metric), found.main.n)
        if is_best
        else ""
    )
    return [f"{short}; {needed}.", f"{short}."] if needed else [f"{short}."], "neutral"


def rows_to_identify_best(found: Selection, metric: MetricInfo) -> int | None:
    """Return how many would tell the best model from every other, at its estimate.

    It is None if not known.
    """
    order, level = rank_models(found, metric), found.level_with_best(metric.key)
    needed = [
        each.n_to_settle
        for each in found.sensitivity.from_best
        if (each.dataset, each.key) == (found.main.name, metric.key) and each.model in level
    ]
    if not needed and len(level) == 2 and len(found.results.models) == 2:
        needed = [c.n_to_settle for m in order for c in [found.comparison(m, metric.key)] if c]
    known = [n for n in needed if n is not None]
    return max(known) if known and len(known) == len(needed) else None

"""The answer to the question of a report, from the words of its rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen import wording
from reportgen.conclusion.action import helps_in_hindsight
from reportgen.conclusion.asked import ranking
from reportgen.conclusion.by_class import worse_on
from reportgen.conclusion.choosing import Tone, chosen
from reportgen.results import DecisionKind, Finding, MetricInfo
from reportgen.results.conclusion import Alone, BestAction, Judged
from reportgen.selection import Selection
from reportgen.wording import actions, answers
from reportgen.wording.rows import is_nothing
from reportgen.wording.words import TONES, contradicts, side_of

SEPARATED, MISCALIBRATED = "W119", "W120"


def answer(
    found: Selection,
    decision: DecisionKind,
    rows: Sequence[Judged],
    consequences: Sequence[Judged],
    values: Sequence[Alone],
    best: BestAction | None = None,
) -> tuple[str, Tone]:
    """The answer in at most 18 words, and the colour of its edge: none is green that fails."""
    if decision == "shift" and best is not None:
        options, tone = _shifted(found, best)
    else:
        options, tone = _answers(found, decision, rows, consequences, values)
    failed = _failed(found)
    if not failed:
        left = _open(found) if tone in ("good", "open") else []
        texts = [f"{text.removesuffix('.')}; {end}." for end in left for text in options]
        return answers.fitting([*texts, *options]), "open" if left and tone == "good" else tone
    many = f"{len(failed)} of {wording.count(len(found.results.gates), 'requirement')} not met"
    lead = "No: " if _asks(found, "replace") else ""
    texts = [*(f"{many}; {text[:1].lower() + text[1:]}" if _is_plain(text, found) else
               f"{many}. {text}" for text in options), f"{many}."]  # fmt: skip
    return answers.fitting(f"{lead}{text}" for text in texts), "bad"


def _failed(found: Selection) -> list[Finding]:
    """The requirements that are not met."""
    return [gate for gate in found.results.gates if gate.is_failure]


def _open(found: Selection) -> list[str]:
    """That requirements are neither met nor failed, in words, the longest first; [] if none is."""
    gates = found.results.gates
    many = sum(gate.status == "inconclusive" for gate in gates)
    if not many:
        return []
    return [f"{many} of {wording.count(len(gates), 'requirement')} not shown",
            f"{wording.count(many, 'requirement')} not shown"]  # fmt: skip


def _asks(found: Selection, decision: DecisionKind) -> bool:
    """Whether the config has a question, and says which decision it serves."""
    report = found.results.report
    return bool(report.question) and report.decision == decision


def _shifted(found: Selection, best: BestAction) -> tuple[list[str], Tone]:
    """Which model with which correction, as the costs advise."""
    labels = {model.name: wording.name(model.label, 40) for model in found.results.models}
    assert found.baseline is not None
    helps = helps_in_hindsight(found, best)
    options = actions.answers(best, labels, found.baseline.name, helps=helps)
    return options, "neutral" if best.is_today else "good"


def _is_plain(text: str, found: Selection) -> bool:
    """Whether a text begins with an ordinary word, which may lose its capital."""
    return not any(text.startswith(wording.name(m.label, 40)) for m in found.results.models)


def _answers(
    found: Selection,
    decision: DecisionKind,
    rows: Sequence[Judged],
    consequences: Sequence[Judged],
    values: Sequence[Alone],
) -> tuple[list[str], Tone]:
    metric, baseline = found.primary, found.baseline
    if baseline is None:
        return _alone(found, values), "neutral"
    if metric is None:
        return ["No conclusion: no primary metric was declared."], "neutral"
    if not rows:
        on, b = answers.phrase_of(metric), wording.name(baseline.label, 40)
        said = [f"No conclusion: no candidate was compared with {b} on {on}.", "No conclusion."]
        return said, "neutral"
    if decision == "enough":
        return _enough(found, rows, metric)
    if decision == "rank":
        return _ranked(found, metric)
    if decision == "replace":
        return _replaced(found, rows[0], consequences, metric)
    return _chosen(found, rows, consequences, metric)


def _alone(found: Selection, values: Sequence[Alone]) -> list[str]:
    """One model: its value, and that nothing is compared."""
    model = wording.name(found.results.models[0].label, 40)
    metrics = {metric.key: metric for metric in found.results.metrics}
    options = [f"{model} is reported alone; nothing is compared."]
    if values and values[0].value is not None:
        metric = wording.per_case(metrics[values[0].key], found.main)
        shown = answers.value_of(metric, values[0]).partition(" (")[0]
        on = answers.heading_of(metric)
        options.insert(0, f"{on} of {model} is {shown}; nothing is compared.")
    return options


def _replaced(
    found: Selection, row: Judged, consequences: Sequence[Judged], metric: MetricInfo
) -> tuple[list[str], Tone]:
    contrary = list(_contrary(found, row, consequences))
    tone = TONES[row.word]
    names = found.label(row.candidate), found.label(row.baseline)
    if _asks(found, "replace") and not _failed(found):
        is_back = _is_taken_back(found, row, consequences)
        said = answers.replacing(row, metric, *names, contrary, is_taken_back=is_back)
    else:
        said = answers.answers(row, metric, *names, contrary)
    return said, "open" if tone == "good" and contrary else tone


def _is_taken_back(found: Selection, row: Judged, consequences: Sequence[Judged]) -> bool:
    """Whether an advantage has a price: worse elsewhere, or so good that it may be a leak's."""
    is_worse = any(side_of(c.word) < 0 for c in consequences if not is_nothing(c))
    is_worse = is_worse or bool(worse_on(found, row.candidate))
    return bool(row.contradicted_by) or is_worse or _is_too_good(found, row.candidate)


def _contrary(found: Selection, row: Judged, consequences: Sequence[Judged]) -> Iterator[str]:
    """The first row that takes the primary verdict back, in words, the longest first."""
    if row.difference is None:
        return
    metrics = {metric.key: metric for metric in found.results.metrics}
    if _is_too_good(found, row.candidate):
        yield from answers.TOO_GOOD
        return
    for key in row.contradicted_by[:1]:
        yield f"worse on {answers.phrase_of(metrics[key])}"
        return
    telling = [c for c in consequences if not is_nothing(c) and contradicts(c.word, row.word)]
    telling.sort(key=lambda c: side_of(c.word) >= 0)  # what is worse weighs more than what is open
    other = next(iter(telling), None)
    of_class = worse_on(found, row.candidate) if side_of(row.word) > 0 else ""
    if of_class and (other is None or side_of(other.word) >= 0):
        yield of_class
        return
    if other is None:
        if side_of(row.word) > 0:
            yield from _miscalibrated(found, row, metrics[row.key])
        return
    if other.segment is not None:
        where = wording.segment_name(found.datasets[other.dataset], other.segment)
        yield from answers.contrary(other, f"for {where}", "in one segment")
    elif other.dataset != found.main.name:
        yield from answers.contrary(
            other, f"on dataset {wording.name(other.dataset, 40)}", "elsewhere"
        )
    else:
        metric = metrics[other.key]
        label = wording.lowered(wording.name(metric.label))
        yield from answers.contrary(other, f"on {answers.phrase_of(metric)}", f"on {label}")


def _miscalibrated(found: Selection, row: Judged, metric: MetricInfo) -> Iterator[str]:
    """That probabilities are off, where the metric does not see it and the baseline's are less so.

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
    """Whether a score divides the classes without error, as a leak does more often than skill."""
    return any(
        w.code == SEPARATED and w.model == model and w.dataset in (None, found.main.name)
        for w in found.results.warnings
    )


def _chosen(
    found: Selection, rows: Sequence[Judged], consequences: Sequence[Judged], metric: MetricInfo
) -> tuple[list[str], Tone]:
    """Which model to use, and what takes that back: of the model asked about, rows of all kinds."""
    contrary = [list(_contrary(found, row, consequences if row is rows[0] else ())) for row in rows]
    tells = _asks(found, "choose") and not _failed(found)
    return chosen(found, rows, metric, contrary, tells_what_to_do=tells)


def _ranked(found: Selection, metric: MetricInfo) -> tuple[list[str], Tone]:
    """The models from best to worst by their estimates, and whether the first is shown best."""
    on, order = answers.phrase_of(metric), ranking(found, metric)
    labels = [wording.name(found.label(model), 40) for model in order]
    is_shown = len(found.level_with_best(metric.key)) == 1
    end = "" if is_shown else "; the first is not shown best"
    options = [f"From best to worst on {on}: {', '.join(labels)}{end}."]
    options += [f"From best: {wording.listed(labels, most)}{end}." for most in (4, 3, 2)]
    return options, "good" if is_shown else "neutral"


def _enough(found: Selection, rows: Sequence[Judged], metric: MetricInfo) -> tuple[list[str], Tone]:
    """Whether the rows suffice to name one best model."""
    order, level = ranking(found, metric), found.level_with_best(metric.key)
    there = wording.count(found.main.n, *found.main.case)
    here_only = {row.candidate for row in rows if row.word == "Better on this metric only"}
    if order and level == {order[0]} and order[0] not in here_only:
        best = wording.name(found.label(order[0]), 40)
        return [f"Yes: {there} are enough; {best} is shown better than every other model.",
                f"Yes: {there} are enough to choose."], "good"  # fmt: skip
    short = f"No: {there} are not enough to choose between the models"
    is_best = bool(order) and order[0] not in here_only
    needed = answers.needed(to_tell_best(found, metric), found.main.n) if is_best else ""
    return [f"{short}; {needed}.", f"{short}."] if needed else [f"{short}."], "neutral"


def to_tell_best(found: Selection, metric: MetricInfo) -> int | None:
    """How many would tell the best model from every other, at its estimate; None if not known."""
    order, level = ranking(found, metric), found.level_with_best(metric.key)
    needed = [
        each.n_to_settle
        for each in found.sensitivity.from_best
        if (each.dataset, each.key) == (found.main.name, metric.key) and each.model in level
    ]
    if not needed and len(level) == 2 and len(found.results.models) == 2:
        needed = [c.n_to_settle for m in order for c in [found.comparison(m, metric.key)] if c]
    known = [n for n in needed if n is not None]
    return max(known) if known and len(known) == len(needed) else None

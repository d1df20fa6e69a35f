"""Page one: the answer, the number it rests on, every candidate, what else would change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import isclose

from reportgen import wording
from reportgen.conclusion import conclude
from reportgen.conclusion.asked import ranking
from reportgen.document import (
    Block,
    Bullets,
    Callout,
    Cell,
    Phrase,
    Section,
    SideBySide,
    Span,
    Table,
    TableColumn,
    phrase,
)
from reportgen.results import MetricInfo, Results
from reportgen.results.conclusion import BestAction, Conclusion
from reportgen.sections.decision import consequences, forests
from reportgen.sections.decision.consequences import metric_of
from reportgen.sections.decision.forests import CARES
from reportgen.sections.decision.parts import parts
from reportgen.sections.decision.required import MOST_REQUIREMENTS, required
from reportgen.sections.index import Index
from reportgen.sections.scores import operating
from reportgen.wording import actions, answers, calibrations
from reportgen.wording.best import best_of, level_best

MOST_LIMITS = 4
LONGEST_LIMIT = 160


def section(results: Results) -> Section:
    """The blocks of page one, as the conclusion has them."""
    found, index = _conclusion(results), Index(results)
    blocks: list[Block] = [_answer(index, found)]
    if forests.shows_actions(found) and found.action is not None:
        blocks.append(forests.of_actions(index, found.action))
    elif found.rows:
        blocks.append(forests.of_candidates(index, found))
    shown = (*found.rows[: forests.shows_actions(found)], *found.consequences)
    if shown and not found.values:
        blocks.append(consequences.table(index, found, shown))
    if found.values:
        blocks.append(_values(index, found))
    if _shows_calls(index):
        blocks.append(operating.first_table(index))
    blocks += parts(index)
    required = _requirements(found, _not_asked_of(index, found))
    blocks.append(SideBySide(((_cares(index, found),), (*required, _limits(found)))))
    return Section("decision", "Decision", tuple(blocks))


def _conclusion(results: Results) -> Conclusion:
    """What was concluded; without an action where a file has lost the costs it is told by."""
    found = results.conclusion or conclude(results)
    is_priced = Index(results).main.name in {costs.dataset for costs in results.costs}
    return found if is_priced else replace(found, action=None)


def _answer(index: Index, found: Conclusion) -> Callout:
    """The answer, with the paragraph that has the number."""
    is_action = forests.shows_actions(found)
    body = [_sentence(index, found)] if found.sentence and not is_action else []
    beside = [] if is_action else list(found.beside)
    if not is_action and (best_model := _to_tell_best(index, found)):
        beside.insert(0, _told_best(index, found, best_model))
    body += [phrase(" ".join(beside))] if beside else []
    if _shows_calls(index) and (told := operating.told_first(index)):
        body.append(phrase(told))
    best = found.action
    if best is not None and best.text and _is_another(found):
        is_first = is_action or (found.decision == "shift" and not best.is_primary)
        body.insert(0 if is_first else 1, _told_of_action(index, best))
    if found.sensitivity and not is_action:
        body.append(phrase(found.sensitivity))
    return Callout(found.tone, _tag(index.results), found.answer, tuple(body), id="answer")


def _shows_calls(index: Index) -> bool:
    """Whether the config says where calls begin, and the main dataset has some."""
    return bool(index.main_points and index.results.config.get("thresholds"))


def _tag(results: Results) -> str:
    """What the answer lacks: a report that is final, a rule that was kept."""
    is_draft = results.report.status == "DRAFT"
    is_changed = results.frozen is not None and not results.frozen.is_kept
    said = ["draft"] * is_draft + ["exploratory"] * is_changed
    return wording.capital(", ".join(said))


def _to_tell_best(index: Index, found: Conclusion) -> str | None:
    """The candidate that was chosen as the best, or that the answer calls so whatever was asked."""
    metric = index.primary
    if metric is None or not found.rows:
        return None
    if found.chosen == "best":
        return found.about
    first = next(iter(ranking(index, metric)), None)
    if first is None or index.level_with_best(metric.key) != {first}:
        return None
    several = {model.name for model in index.candidates}
    is_told = found.decision == "choose" and len(several) > 1 and first in several
    return first if is_told else None


def _told_best(index: Index, found: Conclusion, model: str) -> str:
    """That a model has the best value of all candidates, and how far the next model is from it."""
    metric = index.primary
    assert metric is not None
    order = ranking(index, metric)
    candidates = len({each.name for each in index.candidates}.intersection(order))
    equal = _equal_to(index, model, metric)
    if equal:
        labels = [wording.name(index.label(each), 40) for each in (model, *equal)]
        return level_best(labels, candidates, metric)
    behind = [each for each in order if each != model][:1]
    apart = [
        each for each in index.sensitivity.from_best
        if (each.key, each.best, [each.model]) == (metric.key, model, behind)
    ]  # fmt: skip
    label, following = (
        wording.name(index.label(each), 40) for each in (model, behind[0] if behind else model)
    )
    row = found.rows[0]
    if model == row.candidate and [model, row.baseline] == order[:2]:  # the sentence has how far
        return f"{label} has the best value of {candidates} candidates; {following} is next."
    return best_of(
        label,
        candidates,
        following,
        apart[0] if apart else None,
        metric.unit,
        index.results.inference.level,
    )


def _equal_to(index: Index, model: str, metric: MetricInfo) -> list[str]:
    """The other candidates that have the very value of one, but for rounding."""
    values = {each.name: index.estimate(each.name, metric.key) for each in index.candidates}
    known = {name: e.value for name, e in values.items() if e is not None and e.value is not None}
    return [
        name for name, value in known.items()
        if name != model and model in known and isclose(value, known[model], rel_tol=1e-12)
    ]  # fmt: skip


def _told_of_action(index: Index, best: BestAction) -> Phrase:
    """What the action costs, its difference in bold."""
    bold = actions.difference_of(best, forests.terms_of(index))
    before, number, after = best.text.partition(bold)
    return phrase(before, Span(number, is_strong=True), after) if number else phrase(best.text)


def _is_another(found: Conclusion) -> bool:
    """Whether the best action is asked for, or is not the use of the model asked about alone."""
    best = found.action
    return best is not None and (
        found.decision == "shift" or (best.model, best.method) != (found.about, "none")
    )


def _sentence(index: Index, found: Conclusion) -> Phrase:
    """The sentence, its number in bold."""
    metric, said = index.primary, found.sentence
    if not found.rows or metric is None or found.rows[0].difference is None:
        return phrase(said)
    shown = wording.per_case(metric, index.main)
    before, number, after = answers.bold_in(said, found.rows[0], shown)
    return phrase(before, Span(number, is_strong=True), after) if number else phrase(said)


def _values(index: Index, found: Conclusion) -> Table:
    """One model alone: its value on a metric of each kind."""
    label = wording.name(index.label(found.values[0].model), 40)
    level = wording.level(index.results.inference.level)
    made, finest = [], _decimals(index, found)
    for row in found.values:
        metric = wording.per_case(metric_of(index, row.key), index.main)
        said = answers.heading_of(metric)
        called = wording.lowered(wording.name(metric.label))
        note = called if called != answers.phrase_of(metric) else ""
        unit = metric.unit.partition(" per ")[0]
        shown, _, interval = answers.value_of(metric, row, finest.get(unit)).partition(" (")
        interval = interval.rstrip(")").partition("CI ")[2] or interval.rstrip(")")
        if row.value is None:
            shown, interval = row.status, wording.prose(row.reason, 80)
        made.append((Cell(said, note), Cell(shown, interval, value=row.value)))
    return Table(
        "values",
        "",
        (TableColumn("Metric", is_numeric=False), TableColumn(label, note=f"{level} CI")),
        tuple(made),
        is_stacked=True,
        title=f"What {'else ' * bool(found.rows)}is known of {label}?",
    )


def _decimals(index: Index, found: Conclusion) -> dict[str, int]:
    """How many decimals the values of each unit have: what stands under each other is read so."""
    finest: dict[str, int] = {}
    for row in found.values:
        unit = metric_of(index, row.key).unit.partition(" per ")[0]
        decimals = wording.form_of(row.value, row.low, row.high, unit).decimals
        finest[unit] = max(decimals, finest.get(unit, decimals))
    return {unit: decimals for unit, decimals in finest.items() if unit != "1"}


def _cares(index: Index, found: Conclusion) -> Bullets:
    """At most three points; those that a row of the forest refers to have its mark."""
    cited = {row.care for row in found.rows}
    items = tuple(
        phrase(
            Span(f"{CARES[number - 1]} {care.title}" if number in cited else care.title,
                 is_strong=True),
            f" {care.text}",
        )
        for number, care in enumerate(found.cares, 1)
    )  # fmt: skip
    none = "No caveat was found beyond the limits" if found.limits else "No caveat was found"
    if index.results.warnings:
        none = "Nothing that weighs on the answer was found; Basis has points to check"
    none += f"{calibrations.untested(index.main_calibrations)}."
    items += tuple(
        phrase(Span("Names without a font.", is_strong=True), f" {warning.text}")
        for warning in index.results.warnings
        if warning.code == "W205"
    )
    return Bullets(items or (phrase(none),), "Read with care")


def _not_asked_of(index: Index, found: Conclusion) -> str:
    """The model of the action that is the answer, where no requirement asks anything of it."""
    best = found.action if forests.shows_actions(found) else None
    if best is None or best.model in {gate.model for gate in index.results.gates}:
        return ""
    return wording.name(index.label(best.model), 40)


def _requirements(found: Conclusion, not_asked_of: str) -> Iterator[Bullets]:
    """Every gate with its slack, those not met first."""
    every = found.requirements
    if not every:
        yield Bullets((phrase("No requirements were declared."),), "Requirements")
        return
    met = sum(r.status == "pass" for r in every)
    lines = [required(each) for each in every[:MOST_REQUIREMENTS]]
    left = len(every) - len(lines)
    if left:
        lines.append(phrase(f"and {wording.count(left, 'other')}: see Basis"))
    note = f"{met} of {len(every)} met, each by its own CI, not adjusted for the others"
    if not_asked_of:
        note += f"; none is about {not_asked_of}, which is advised"
    elif met == len(every) and found.tone != "good":
        note += "; meeting them does not answer the question"
    yield Bullets(tuple(lines), "Requirements", note)


def _limits(found: Conclusion) -> Bullets:
    """What the authors say that the report cannot show."""
    lines = [phrase(wording.prose(text, LONGEST_LIMIT)) for text in found.limits[:MOST_LIMITS]]
    left = len(found.limits) - len(lines)
    if left:
        lines.append(phrase(f"and {wording.count(left, 'other')}; see Method"))
    return Bullets(
        tuple(lines) or (phrase("No limitations were provided by the authors."),),
        "Limits stated by the authors",
    )

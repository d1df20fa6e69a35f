"""The conclusion of a report as data: a pure function of the results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reportgen.records import record
from reportgen.report import prose
from reportgen.report.conclusion.answer import AnswerWriter
from reportgen.report.conclusion.evidence import (
    are_in_rows,
    choose_shown_model,
    list_options,
    recommend,
)
from reportgen.report.conclusion.input_checks import describe_allowed
from reportgen.report.conclusion.key_line import write_key_line
from reportgen.report.conclusion.points import Points, PointWriter
from reportgen.report.conclusion.references import phrase_reference
from reportgen.report.conclusion.requirements import (
    build_requirements,
)
from reportgen.report.conclusion.rows import (
    build_consequences,
    build_forest_rows,
    build_value_rows,
)
from reportgen.report.conclusion.set_aside import build_notes, withhold
from reportgen.report.prose.marks import Marked, remove_marks
from reportgen.report.selection import Selection
from reportgen.report.wording.names import make_names_distinct
from reportgen.results import Results
from reportgen.results.conclusion import (
    Conclusion,
    HeadlineComparison,
    HeadlineValue,
    Requirement,
    UsableAction,
)
from reportgen.results.core import GateResult
from reportgen.results.costs import CostOption
from reportgen.results.recommendation import Recommendation


@record
class PageText:
    """The sentences of page one, with their marks."""

    answer: Marked
    key_line: Marked
    points: Points


def add_conclusion(results: Results) -> Results:
    """Add the conclusion, and leave out every difference and status that it withholds."""
    found = conclude(results)
    gates = _explain_gates(results.gates, found.requirements)
    return withhold(found.recommendation, replace(results, conclusion=found, gates=gates))


def _explain_gates(
    gates: Sequence[GateResult], requirements: Sequence[Requirement]
) -> tuple[GateResult, ...]:
    """Give each gate the text of its requirement, so that every output prints the same numbers."""
    texts = {each.gate: each.text for each in requirements}
    return tuple(replace(gate, reason=texts[gate.name] or gate.reason) for gate in gates)


def conclude(results: Results) -> Conclusion:
    """Conclude from results whose gates are judged."""
    measured = Selection(make_names_distinct(results))
    made = recommend(measured, build_requirements(measured, _build_rows(measured), ()))
    found = Selection(withhold(made, measured.results))
    bare = _conclude_without_words(found, made)
    text = write_page(found, bare)
    points = text.points
    return replace(
        bare,
        answer=remove_marks(text.answer),
        key_line=remove_marks(text.key_line),
        gain=tuple(map(remove_marks, points.gain)),
        drawback=tuple(map(remove_marks, points.drawback)),
        unsure=tuple(map(remove_marks, points.unsure)),
    )


def write_page(found: Selection, conclusion: Conclusion) -> PageText:
    """Write the sentences of page one, from results whose names are distinct."""
    made, model = conclusion.recommendation, conclusion.about
    answer = AnswerWriter(found, made, conclusion.requirements).write()
    said = remove_marks(answer)
    return PageText(
        answer,
        write_key_line(found, made, conclusion.rows, conclusion.values, model, said),
        PointWriter(
            found,
            made,
            model,
            conclusion.rows,
            conclusion.consequences,
            conclusion.requirements,
            said,
        ).write(),
    )


def _build_rows(found: Selection, about: str = "") -> Sequence[HeadlineComparison]:
    """Build the rows of all candidates; nothing where none is compared."""
    if found.baseline is None or not found.candidates:
        return ()
    return build_forest_rows(found, about or found.candidates[0].name)


def _conclude_without_words(found: Selection, made: Recommendation) -> Conclusion:
    is_compared = found.baseline is not None and bool(found.candidates)
    about = choose_shown_model(found, made)
    rows = _build_rows(found, about)
    is_as_is = made.decision != "shift" or (about in made.use and not made.correction)
    others = build_consequences(found, about) if is_compared and is_as_is else ()
    notes = build_notes(found, rows, made)
    requirements = build_requirements(found, rows, others)
    if made.is_silent:
        rows, others, notes = (), (), ()
    numbers = {note.model: note.number for note in notes}
    allowed = describe_allowed(found)
    return Conclusion(
        question=found.results.report.question or _write_question(found, made, about),
        recommendation=made,
        about=about,
        answer="",
        key_line="",
        rows=tuple(replace(row, note=numbers.get(row.candidate)) for row in rows),
        consequences=others,
        values=() if rows else tuple(_iter_values(found, made, about)),
        set_aside=notes,
        requirements=requirements,
        limits=(*found.results.report.limitations, *allowed),
        allowed=allowed,
        actions=_build_actions(found, made) if made.decision == "shift" else (),
    )


def _write_question(found: Selection, made: Recommendation, about: str) -> str:
    """Write the question of a report that declares none; "" where only its authors know it."""
    model, baseline = found.short_label(about), found.baseline
    if made.decision == "choose":
        return prose.line("question.choose")
    if made.decision == "replace" and baseline is not None:
        is_gain = found.results.report.needs == "better"
        name = found.short_label(baseline.name)
        return prose.line("question.replace", model=model, baseline=name, is_gain=is_gain)
    if made.decision != "meets":
        return ""
    each = found.reference(found.leading.key)
    if found.results.gates or each is None:
        return prose.line("question.meets", model=model)
    return prose.line("question.above", model=model, reference=phrase_reference(found, each))


def _iter_values(found: Selection, made: Recommendation, about: str) -> Iterator[HeadlineValue]:
    """Iterate over the values of one model, or of all where nothing is judged."""
    every = [model.name for model in found.results.models]
    for model in every if made.is_silent else [about]:
        yield from build_value_rows(found, model)


def _build_actions(found: Selection, made: Recommendation) -> tuple[UsableAction, ...]:
    """Build every action that can be put to use, the cheapest first."""
    options = [each for each in list_options(found) if made.judges(each.model)]
    if are_in_rows(found, options) or len(options) < 2:
        return ()
    cases = found.costs[found.main.name].model.cases
    return tuple(_build_action(each, cases) for each in options)


def _build_action(option: CostOption, cases: int) -> UsableAction:
    difference = option.saving.opposite.scale(1 / cases)
    cost = option.cost.value
    return UsableAction(
        model=option.model,
        method=option.method,
        cost=None if cost is None else cost / cases,
        difference=difference.value,
        low=difference.low,
        high=difference.high,
        is_advised=option.is_advised,
        is_level=not option.is_advised and not option.is_distinguishable,
    )

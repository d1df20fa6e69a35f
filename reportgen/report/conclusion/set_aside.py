"""Write the notes on candidates that are set aside: why their verdict is not relied on."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.report import prose
from reportgen.report.conclusion.evidence import is_of_decisions
from reportgen.report.conclusion.input_checks import write_hold
from reportgen.report.conclusion.references import phrase_reference
from reportgen.report.conclusion.rows import build_comparison_row
from reportgen.report.facts import Quantity, SameForAll
from reportgen.report.prose.marks import Marked, remove_marks
from reportgen.report.selection import Selection
from reportgen.report.wording.answers import metric_phrase, use_case_unit
from reportgen.report.wording.names import clean_name, lower_first_word
from reportgen.report.wording.numbers import choose_declared_format, format_percent
from reportgen.report.wording.verdicts import choose_row_format
from reportgen.results.conclusion import HeadlineComparison, SetAside
from reportgen.results.core import ColumnProfile, MetricInfo
from reportgen.results.recommendation import CandidateAnswer, Hold, Recommendation

MARKS = "①②③④⑤⑥⑦⑧⑨"
TIED_PAIRS = 0.2
"""Share of a score's pairs that are tied, from which a note names them."""
_FORGIVING = ("kendall", "spearman")


def build_notes(
    found: Selection, rows: Sequence[HeadlineComparison], made: Recommendation
) -> tuple[SetAside, ...]:
    """Build the notes, numbered in the order of the rows."""
    judged = {each.model: each for each in made.candidates}
    every = [judged[row.candidate] for row in rows if row.candidate in judged]
    judged_rows = [each for each in every if each.reason != "stopped"]
    held = [each for each in judged_rows if each.holds or each.reason == "constant"]
    said = {each.model: _write_reason(found, each) for each in held}
    numbers = {reason: number for number, reason in enumerate(dict.fromkeys(said.values()), 1)}
    return tuple(
        SetAside(number, model, remove_marks(_write_note(number, reason)))
        for model, reason in said.items()
        if (number := numbers[reason]) <= len(MARKS)
    )


def _write_note(number: int, reason: Marked) -> Marked:
    return prose.text("note.set_aside", mark=MARKS[number - 1], reason=reason)


def _write_reason(found: Selection, judged: CandidateAnswer) -> Marked:
    """Write why a candidate is set aside; the same for all that one sentence can be about."""
    if judged.reason == "constant":
        key = "decisions" if is_of_decisions(found, judged.model) else "scores"
        case = clean_name(found.main.case[0])
        return prose.mark(SameForAll(key, case))  # type: ignore[arg-type]
    return _write_hold(found, judged.model, judged.holds[0])


def _write_hold(found: Selection, model: str, hold: Hold) -> Marked:
    if hold.code == "reference":
        each = found.reference(found.leading.key)
        assert each is not None
        return prose.text("note.reference", reference=phrase_reference(found, each))
    if hold.metric is None:
        text = write_hold(found, model, [hold])
        assert text is not None
        return Marked(f"{text.finding}. {text.fix}")
    assert found.baseline is not None
    baseline = clean_name(found.label(found.baseline.name), 40)
    tied = _find_ties(found, model)
    half = _find_half_credit(found, model) if tied is not None else None
    other = half if half is not None else found.find_metric(hold.metric)
    comparison = found.comparison(model, other.key)
    assert comparison is not None
    row = build_comparison_row(found, comparison)
    form = choose_row_format(row, use_case_unit(other, found.main))
    value, base = Quantity(row.value, form), Quantity(row.baseline_value, form)
    if tied is None or half is None:
        return prose.text(
            "note.conflict",
            other=metric_phrase(other),
            baseline=baseline,
            value=value,
            base=base,
        )
    mode = choose_declared_format(tied.mode, "")
    return prose.text(
        "note.ties",
        share=format_percent(tied.mode_share),
        mode=mode.number(tied.mode),
        metric=lower_first_word(clean_name(found.leading.label)),
        baseline=baseline,
        other=metric_phrase(other),
        value=value,
        base=base,
    )


def _find_ties(found: Selection, model: str) -> ColumnProfile | None:
    """Find the score of a model whose many ties the metric that decides barely penalises."""
    if found.leading.name not in _FORGIVING:
        return None
    for column in found.main.columns:
        is_tied = (column.tied_pairs or 0.0) > TIED_PAIRS
        if column.role == "score" and column.model == model and is_tied:
            return column
    return None


def _find_half_credit(found: Selection, model: str) -> MetricInfo | None:
    """Find a metric that counts tied pairs as half and on which the model is worse."""
    for metric in found.results.metrics:
        is_half = metric.name == "kendall_a" or (
            metric.name == "regression_auc" and metric.params.get("ties") == "half"
        )
        c = found.comparison(model, metric.key) if is_half else None
        if c is not None and c.word in ("worse", "clearly worse"):
            return metric
    return None

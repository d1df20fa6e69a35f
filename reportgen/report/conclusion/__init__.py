"""The conclusion of a report as data: a pure function of the results."""

from __future__ import annotations

from reportgen.report.conclusion.answer import (
    build_answer,
    choose_decision,
    rank_models,
    rows_to_identify_best,
    select_asked_model,
)
from reportgen.report.conclusion.best_action import build_best_action, is_action_answer
from reportgen.report.conclusion.cautions import build_cautions
from reportgen.report.conclusion.requirements import build_requirements
from reportgen.report.conclusion.rows import (
    build_consequences,
    build_forest_rows,
    build_value_rows,
    compute_total,
    list_omissions,
)
from reportgen.report.selection import Selection
from reportgen.report.wording import answers
from reportgen.report.wording.answers import use_case_unit
from reportgen.report.wording.names import clean_name, make_names_distinct
from reportgen.report.wording.numbers import format_p_value
from reportgen.report.wording.row_wins import describe_win_counts
from reportgen.report.wording.sensitivity import describe_agreement
from reportgen.results import Results
from reportgen.results.conclusion import (
    BestAction,
    Conclusion,
    HeadlineComparison,
    HeadlineValue,
    TotalDifference,
)
from reportgen.results.core import MetricInfo
from reportgen.results.types import DecisionKind
from reportgen.results.verdicts import word_side


def conclude(results: Results) -> Conclusion:
    """The conclusion of results whose gates are judged."""
    found = Selection(make_names_distinct(results))
    decision = choose_decision(found)
    about, chosen, best_of = select_asked_model(found)
    is_compared = found.baseline is not None and about is not None
    rows = build_forest_rows(found, about) if is_compared and about else ()
    others = build_consequences(found, about) if is_compared and about else ()
    best = build_best_action(found, rows)
    alone = (
        build_value_rows(found, about)
        if not is_compared and about
        else _describe_kept_baseline(found, best)
    )
    text, tone = build_answer(found, decision, rows, others, alone, best)
    advised = best if is_action_answer(decision, best) else None
    points, rows = build_cautions(found, rows, others, advised)
    whole = (
        _build_total(found, rows)
        if best is None or best.is_primary or decision != "shift"
        else None
    )
    return Conclusion(
        question=results.report.question or "",
        decision=decision,
        about=about,
        chosen=chosen,
        best_of=best_of,
        answer=(text),
        tone=tone,
        sentence=_format_sentence(found, decision, rows, whole),
        beside=list_omissions(found, decision, rows, others, text),
        rows=rows,
        consequences=others,
        values=alone,
        cares=points,
        requirements=build_requirements(found, rows, others),
        limits=results.report.limitations,
        total=whole,
        action=best,
        sensitivity=_sensitivity(found, rows),
    )


def _describe_kept_baseline(found: Selection, best: BestAction | None) -> tuple[HeadlineValue, ...]:
    """Describe what else is known of the baseline, where the costs advise to keep it."""
    is_asked = choose_decision(found) == "shift" and best is not None and best.is_tried
    if not is_asked or best is None or found.baseline is None:
        return ()
    return build_value_rows(found, best.model) if best.model == found.baseline.name else ()


def _build_total(found: Selection, rows: tuple[HeadlineComparison, ...]) -> TotalDifference | None:
    metric = found.primary
    return compute_total(found, rows[0], metric) if rows and metric is not None else None


def _sensitivity(found: Selection, rows: tuple[HeadlineComparison, ...]) -> str:
    """In how many other analyses the comparison that page one is about has the same verdict."""
    if not rows:
        return ""
    row = rows[0]
    comparison = found.comparison(row.candidate, row.key, row.dataset)
    if comparison is not None and comparison.is_few and not comparison.is_same:
        return ""  # no analysis of so few gives a verdict
    mine = (row.dataset, row.key, row.candidate, row.baseline)
    tried = [
        c for c in found.sensitivity.choices if (c.dataset, c.key, c.candidate, c.baseline) == mine
    ]
    return describe_agreement(tried, found.main)


def _format_sentence(
    found: Selection,
    decision: DecisionKind,
    rows: tuple[HeadlineComparison, ...],
    whole: TotalDifference | None,
) -> str:
    """The number that the answer rests on, or why there is none."""
    metric = found.primary
    if found.baseline is None:
        return "Only one model is reported, so there is no difference to judge."
    if metric is None:
        return (
            "Without a metric that decides, declared before the numbers are seen, the comparisons "
            "below stand beside one another, none above the others."
        )
    if not rows:
        return ""
    row = rows[0]
    comparison = found.comparison(row.candidate, row.key, row.dataset)
    assert comparison is not None
    said = answers.describe_number(
        row,
        use_case_unit(metric, found.main),
        comparison,
        (found.label(row.candidate), found.label(row.baseline)),
        clean_name(found.main.case[1]),
        whole,
    )
    more = (_describe_rows_ahead(found, row), _would_tell(found, decision, rows, metric))
    return " ".join(filter(None, (said, *more)))


def _would_tell(
    found: Selection,
    decision: DecisionKind,
    rows: tuple[HeadlineComparison, ...],
    metric: MetricInfo,
) -> str:
    """Return how many rows would tell the best model from the others, where that is asked."""
    many, order = rows_to_identify_best(found, metric), rank_models(found, metric)
    if decision != "enough" or many is None or not order or many > 1000 * found.main.n:
        return ""
    keys = next((r.contradicted_by for r in rows if r.candidate == order[0]), ())
    worse = next((m for m in found.results.metrics if m.key in keys), None)
    worse_on = "" if worse is None else answers.metric_phrase(worse)
    cases = clean_name(found.main.case[1])
    return answers.describe_rows_for_best(found.label(order[0]), metric, many, cases, worse_on)


def _describe_rows_ahead(found: Selection, row: HeadlineComparison) -> str:
    """Describe on how many rows the candidate wins, if each row is a separate answer.

    A verdict without an interval names the exact test, if that agrees.
    """
    mine = (row.dataset, row.key, row.candidate, row.baseline)
    known = (
        w for w in found.sensitivity.wins if (w.dataset, w.key, w.candidate, w.baseline) == mine
    )
    wins = next(known, None)
    if wins is None:
        return ""
    text = describe_win_counts(wins, found.label(row.candidate), found.main.case)
    p = wins.p_value
    is_bare = row.low is None and row.high is None and word_side(row.word) != 0
    if not is_bare or p is None or p > 1 - row.level:
        return text
    return f"{text.removesuffix('.')} (exact sign test: {format_p_value(p)})."

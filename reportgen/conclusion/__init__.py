"""What a report concludes, as data: a pure function of the results, gates and all.

The sections lay it out and compute nothing; whoever reads results.json has the same answer.
"""

from __future__ import annotations

from reportgen import wording
from reportgen.conclusion.action import action, is_answer
from reportgen.conclusion.answering import answer, to_tell_best
from reportgen.conclusion.asked import asked, decision_of, ranking
from reportgen.conclusion.beside import beside
from reportgen.conclusion.cares import cares
from reportgen.conclusion.requirements import requirements
from reportgen.conclusion.rows import consequences, forest, total, values
from reportgen.results import DecisionKind, MetricInfo, Results
from reportgen.results.conclusion import Alone, BestAction, Conclusion, Judged, Total
from reportgen.selection import Selection
from reportgen.wording import answers
from reportgen.wording.choices import agreement
from reportgen.wording.wins import counted


def conclude(results: Results) -> Conclusion:
    """The conclusion of results whose gates are judged."""
    found = Selection(wording.distinctly_named(results))
    decision = decision_of(found)
    about, chosen, best_of = asked(found)
    is_compared = found.baseline is not None and about is not None
    rows = forest(found, about) if is_compared and about else ()
    others = consequences(found, about) if is_compared and about else ()
    best = action(found, rows)
    alone = values(found, about) if not is_compared and about else _of_the_kept(found, best)
    text, tone = answer(found, decision, rows, others, alone, best)
    advised = best if is_answer(decision, best) else None
    points, rows = cares(found, rows, others, advised)
    whole = _total(found, rows) if best is None or best.is_primary or decision != "shift" else None
    return Conclusion(
        question=results.report.question or "",
        decision=decision,
        about=about,
        chosen=chosen,
        best_of=best_of,
        answer=(text),
        tone=tone,
        sentence=_sentence(found, decision, rows, whole),
        beside=beside(found, decision, rows, others, text),
        rows=rows,
        consequences=others,
        values=alone,
        cares=points,
        requirements=requirements(found),
        limits=results.report.limitations,
        total=whole,
        action=best,
        sensitivity=_sensitivity(found, rows),
    )


def _of_the_kept(found: Selection, best: BestAction | None) -> tuple[Alone, ...]:
    """What else is known of the baseline, where the costs advise to keep it."""
    is_asked = decision_of(found) == "shift" and best is not None and best.is_tried
    if not is_asked or best is None or found.baseline is None:
        return ()
    return values(found, best.model) if best.model == found.baseline.name else ()


def _total(found: Selection, rows: tuple[Judged, ...]) -> Total | None:
    metric = found.primary
    return total(found, rows[0], metric) if rows and metric is not None else None


def _sensitivity(found: Selection, rows: tuple[Judged, ...]) -> str:
    """In how many other analyses the comparison that page one is about has the same verdict."""
    if not rows:
        return ""
    row = rows[0]
    comparison = found.comparison(row.candidate, row.key, row.dataset)
    if comparison is not None and comparison.is_few and not comparison.is_same:
        return ""  # no analysis of so few gives a verdict
    mine = (row.dataset, row.key, row.candidate, row.baseline)
    tried = [c for c in found.sensitivity.choices
             if (c.dataset, c.key, c.candidate, c.baseline) == mine]  # fmt: skip
    return agreement(tried, row.better, found.main)


def _sentence(
    found: Selection, decision: DecisionKind, rows: tuple[Judged, ...], whole: Total | None
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
    said = answers.sentence(
        row,
        wording.per_case(metric, found.main),
        comparison,
        (found.label(row.candidate), found.label(row.baseline)),
        wording.name(found.main.case[1]),
        whole,
    )
    more = (_on_how_many(found, row), _would_tell(found, decision, rows, metric))
    return " ".join(filter(None, (said, *more)))


def _would_tell(
    found: Selection, decision: DecisionKind, rows: tuple[Judged, ...], metric: MetricInfo
) -> str:
    """How many rows would tell the best model from the others, where that is asked."""
    many, order = to_tell_best(found, metric), ranking(found, metric)
    if decision != "enough" or many is None or not order or many > 1000 * found.main.n:
        return ""
    keys = next((r.contradicted_by for r in rows if r.candidate == order[0]), ())
    worse = next((m for m in found.results.metrics if m.key in keys), None)
    worse_on = "" if worse is None else answers.phrase_of(worse)
    cases = wording.name(found.main.case[1])
    return answers.best_needs(found.label(order[0]), metric, many, cases, worse_on)


def _on_how_many(found: Selection, row: Judged) -> str:
    """On how many rows the candidate is ahead, where each is an answer of its own."""
    mine = (row.dataset, row.key, row.candidate, row.baseline)
    known = (w for w in found.sensitivity.wins
             if (w.dataset, w.key, w.candidate, w.baseline) == mine)  # fmt: skip
    wins = next(known, None)
    return "" if wins is None else counted(wins, found.label(row.candidate), found.main.case)

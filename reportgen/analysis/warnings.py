"""Which doubts a study raises: each check of `doubts`, where it applies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from reportgen.analysis import checks
from reportgen.analysis.part import Part
from reportgen.analysis.plan import Doubt, Question, Use
from reportgen.analysis.study import Study
from reportgen.inference.evidence import Evidence
from reportgen.inference.intervals import COUNTED_ONCE, COUNTED_TWICE, interval
from reportgen.kernels.batch import Vector
from reportgen.metrics.sides import Sides
from reportgen.results import Comparison


def doubts(study: Study) -> Iterator[Doubt]:
    """Every doubt about the rows, the estimates and the comparisons, once each."""
    yield from doubts_of_data(study)
    for of in (doubts_of_values, doubts_of_pairs):
        for use in study.question.uses:
            yield from of(study, use)


def doubts_of_data(study: Study) -> Iterator[Doubt]:
    """Every doubt about the design and the rows."""
    if study.question.is_used_to_choose:
        yield Doubt("W110", {})
    yield from study.question.doubts
    yield from _of_rows(study, study.parts[0])


def doubts_of_values(study: Study, use: Use) -> Iterator[Doubt]:
    """Every doubt about the values of one metric on all rows."""
    for key, model in study.parts[0].metrics:
        if key == use.key:
            yield from _of_estimate(study, study.parts[0], use, model)


def doubts_of_pairs(study: Study, use: Use) -> Iterator[Doubt]:
    """Every doubt about the comparisons on one metric on all rows."""
    whole = study.parts[0]
    for candidate, baseline in study.question.pairs:
        if {(use.key, candidate), (use.key, baseline)} <= whole.metrics.keys():
            yield from _of_pair(study, whole, use, candidate, baseline)


def doubts_of_families(question: Question, found: Sequence[Comparison]) -> Iterator[Doubt]:
    """Whether the resamples can reach the level that many comparisons together ask for."""
    for family in dict.fromkeys(c.family for c in found):
        members = [c for c in found if c.family == family and c.status == "ok"
                   and c.counted_with is None]  # fmt: skip
        tails = _tails_counted(question, members)
        # Without adjusting each stands alone; max-T reads one level for all of them.
        sharing = len(members) if question.adjust in ("holm", "bh") else min(len(members), 1)
        replicates = question.design.replicates
        yield from _told(checks.few_for_family(replicates, sharing, question.level, tails, family))


def _tails_counted(question: Question, members: Sequence[Comparison]) -> int:
    """In how many tails replicates are counted: two for limits, one for p; none for formulas."""
    if question.adjust == "maxt" and len(members) > 1:
        return 1
    methods = {question.interval, *(c.method for c in members)}
    if methods & set(COUNTED_TWICE):
        return 2
    is_counted = any(c.test.startswith("null-bootstrap") for c in members)
    return 1 if is_counted or methods & set(COUNTED_ONCE) else 0


def _of_rows(study: Study, part: Part) -> Iterator[Doubt]:
    """Ties of y and of each score; units that repeat; clusters; weights."""
    for place, (model, rows) in enumerate(part.data.items()):
        for what, values in rows.ties().items():
            doubt = checks.ties(values.values)
            if what != "y":
                yield from _told(doubt, model=model, what=what)
            elif place == 0:  # the same for all models
                yield from _told(doubt, what=what)
    for column, code in study.question.repeats.items():
        yield from _told(checks.repeated_units(code), what=column)
    for slice_ in study.parts if part.is_clustered else ():
        doubt = checks.few_clusters(slice_.by_unit(slice_.weight))
        yield from _told(doubt, segment=slice_.name)
    for slice_ in study.parts:
        uneven = checks.uneven_weights(slice_.balance)
        yield from _told(_in_units(study, uneven), segment=slice_.name)


def _of_estimate(study: Study, part: Part, use: Use, model: str) -> Iterator[Doubt]:
    evidence = study.evidence(part, use, model)
    found = interval(evidence, study.question.interval, study.question.level)
    if evidence.positives is not None:
        classes = int(evidence.positives.sum()), int((~evidence.positives).sum())
        yield from _told(checks.few_of_a_class(*classes), use.key)
    sides = part.metrics[use.key, model].sides if np.isfinite(evidence.value) else None
    error = None if sides is None else _centred(part, sides.error)
    tail = checks.heavy_tail(evidence, _target(part, evidence), error)
    yield from _told(_counted(study, evidence, tail), use.key, model)
    if sides is not None:
        yield from _told(_in_units(study, checks.few_payers(_pays(part, sides))), use.key, model)
    yield from _told(checks.degenerate_replicates(evidence), use.key, model)
    yield from _told(checks.at_bound(evidence, found), use.key, model)
    yield from _told(checks.imprecise_limits(evidence, found), use.key, model)
    if found.method == "bca":
        level = study.question.level
        yield from _told(checks.unusable_bca(evidence, level), use.key, model)
    if _is_in_doubtful_order(study, evidence):
        losses = _in_sequence(study, part, evidence)
        yield from _told(checks.autocorrelated(losses, _measures(study, part)), use.key, model)


def _of_pair(study: Study, part: Part, use: Use, candidate: str, baseline: str) -> Iterator[Doubt]:
    difference, value = study.difference(part, use, candidate, baseline)
    is_same = part.data[candidate].is_same(part.data[baseline])
    yield from _told(checks.no_variance(difference, is_same), use.key, candidate)
    if use.is_primary:
        found = interval(difference, study.question.interval, study.question.level)
        margin = use.margin.against(value) if use.margin else None
        yield from _told(checks.too_close_to_call(difference, found, margin), use.key, candidate)


def _target(part: Part, evidence: Evidence) -> Vector | None:
    """What happened, less its mean, for a measure that has groups of rows but no influence."""
    if evidence.grouped is None or evidence.influence is not None:
        return None
    share = part.weight / part.weight.sum()
    return np.asarray(share * (part.outcome - share @ part.outcome))


def _pays(part: Part, sides: Sides) -> Vector:
    """Of each unit with weight, the weight of its rows that pay the larger cost."""
    paid = part.by_unit(np.where(sides.pays, part.weight, 0.0))
    return paid[part.by_unit(part.weight) > 0]


def _centred(part: Part, error: Vector) -> Vector:
    """What each unit adds to the mean error."""
    share = part.weight / part.weight.sum()
    return part.by_unit(share * (error - share @ error))


def _is_in_doubtful_order(study: Study, evidence: Evidence) -> bool:
    """Whether losses stand row by row and nothing is declared about how rows hang together."""
    return evidence.contributions is not None and not study.question.is_ordered


def _in_sequence(study: Study, part: Part, evidence: Evidence) -> Vector:
    """The losses of the rows with weight, whatever it is, in the sequence of their ids."""
    assert evidence.contributions is not None and evidence.shares is not None
    losses: Vector = evidence.contributions / evidence.shares
    sequence, has_weight = study.question.sequence, part.weight > 0
    if sequence is None:
        return losses
    place = np.cumsum(has_weight) - 1
    ordered: Vector = losses[place[sequence[has_weight[sequence]]]]
    return ordered


def _measures(study: Study, part: Part) -> int:
    """How many measures of losses are looked at, each of which may raise a false alarm."""
    has_losses = {use.key: use.metric.has_losses for use in study.question.uses}
    return sum(has_losses[key] for key, _ in part.metrics)


def _counted(study: Study, evidence: Evidence, doubt: checks.Doubt | None) -> checks.Doubt | None:
    """The same with what its numbers count: what was resampled, where influence is known."""
    if doubt is None or evidence.influence is None:
        return doubt
    return _in_units(study, doubt)


def _in_units(study: Study, doubt: checks.Doubt | None) -> checks.Doubt | None:
    """The same with what its numbers count: what was resampled."""
    if doubt is None:
        return None
    return checks.Doubt(doubt.code, {**doubt.numbers, "counted": study.question.design.counted})


def _told(
    doubt: checks.Doubt | None,
    key: str | None = None,
    model: str | None = None,
    what: str = "",
    segment: str | None = None,
) -> Iterator[Doubt]:
    if doubt is not None:
        numbers = {**doubt.numbers, "what": what} if what else dict(doubt.numbers)
        yield Doubt(doubt.code, numbers, segment, key, model)

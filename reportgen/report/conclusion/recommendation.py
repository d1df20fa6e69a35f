"""Decide the recommendation from intervals, requirements and holds: pure functions."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from reportgen.records import record
from reportgen.results.recommendation import (
    Answer,
    CandidateAnswer,
    DatasetAnswer,
    Hold,
    ReasonCode,
    Recommendation,
    Stop,
)
from reportgen.results.types import DecisionKind, Needed, Number, RequirementStatus, Word

BETTER: Collection[Word] = ("clearly better", "better")
WORSE: Collection[Word] = ("clearly worse", "worse")
Pairs = Collection[tuple[str, str]]
"""Pairs of models of which the first is established to be better than the second."""


@record
class CandidateEvidence:
    """What is known of a candidate; gains and limits are oriented so that more is better.

    `statuses` are those of the requirements on it, `losses` the metrics on which it is worse and
    that no requirement settles.
    """

    model: str
    word: Word
    gain: Number
    low: Number
    high: Number
    margin: float = 0.0
    statuses: tuple[RequirementStatus, ...] = ()
    losses: tuple[str, ...] = ()
    holds: tuple[Hold, ...] = ()
    is_constant: bool = False
    is_stopped: bool = False


def judge_candidate(candidate: CandidateEvidence, needs: Needed = "better") -> CandidateAnswer:
    """Judge one candidate by the first step that applies."""
    answer, reason = _find_step(candidate, needs)
    return CandidateAnswer(
        candidate.model,
        answer,
        reason,
        candidate.word,
        candidate.holds,
        candidate.losses if reason == "trade-off" else (),
    )


def recommend_replacement(
    candidate: CandidateEvidence,
    baseline: str,
    needs: Needed = "better",
    others: Sequence[CandidateEvidence] = (),
    stops: Sequence[Stop] = (),
) -> Recommendation:
    """Decide whether one model should replace the baseline; `others` are not asked about."""
    every = (candidate, *others)
    if any(stop.model in (None, baseline, candidate.model) for stop in stops):
        return withhold_verdict("replace", every, stops)
    judged = judge_candidate(candidate, needs)
    is_yes = judged.answer == "yes"
    better = _list_better(every)
    return Recommendation(
        "replace",
        judged.answer,
        use=(candidate.model,) if is_yes else (),
        keep=None if is_yes else baseline,
        better=better,
        level=better if len(better) == 1 else (),
        candidates=tuple(judge_candidate(each, needs) for each in every),
        stops=tuple(stops),
    )


def recommend_choice(
    candidates: Sequence[CandidateEvidence],
    baseline: str,
    beats: Pairs = (),
    stops: Sequence[Stop] = (),
) -> Recommendation:
    """Decide which model to use: those that qualify and that no other of these beats."""
    stopped = {stop.model for stop in stops}
    if stopped & {None, baseline} or stopped >= {each.model for each in candidates}:
        return withhold_verdict("choose", candidates, stops)
    order = sorted(candidates, key=lambda each: -(each.gain if each.gain is not None else -1e308))
    judged = {each.model: judge_candidate(each) for each in order}
    known = close_order(beats, candidates)
    better = _list_better(order)
    eligible = [model for model, each in judged.items() if each.answer == "yes"]
    use = _list_unbeaten(eligible, known)
    answer: Answer = "yes" if use else "cannot tell"
    if not use and all(each.answer == "no" for each in judged.values()):
        answer = "no"
    return Recommendation(
        "choose",
        answer,
        use=use,
        keep=None if use else baseline,
        better=better,
        level=_list_unbeaten(better, known),
        candidates=tuple(judged[each.model] for each in candidates),
        stops=tuple(stops),
    )


def recommend_value(
    model: str,
    statuses: Sequence[RequirementStatus],
    stops: Sequence[Stop] = (),
    reference: Word | None = None,
    holds: Sequence[Hold] = (),
    *,
    is_beaten: bool = False,
) -> Recommendation:
    """Decide whether one model, compared with none, is good enough.

    It meets what is required and is better than the `reference`, what takes no model: the word is
    that of the difference from it, None where there is none. `holds` leave the answer open; where
    the reference is among them and it `is_beaten`, it is established to be no better.
    """
    if stops:
        return withhold_verdict("meets", (), stops)
    judged = [each for each in statuses if each != "skipped"]
    answer: Answer = "yes"
    reason: ReasonCode = "qualified"
    if "not met" in judged:
        answer, reason = "no", "requirement not met"
    elif is_beaten and Hold("reference") in holds:
        answer, reason = "no", "hold"
    elif holds:
        answer, reason = "cannot tell", "hold"
    elif not (judged or reference) or {*judged} - {"met", "no harm seen"}:
        answer, reason = "cannot tell", "requirement open"
    return Recommendation(
        "meets",
        answer,
        use=(model,) if answer == "yes" else (),
        candidates=(CandidateAnswer(model, answer, reason, "no result", tuple(holds)),),
    )


def recommend_order(
    models: Sequence[str],
    candidates: Sequence[CandidateEvidence],
    baseline: str,
    beats: Pairs,
    stops: Sequence[Stop] = (),
) -> Recommendation:
    """Order models, given best value first; neighbours that nothing tells apart form a group."""
    if any(stop.model in (None, baseline) for stop in stops):
        return withhold_verdict("rank", candidates, stops)
    known = close_order(beats, candidates)
    groups: list[list[str]] = []
    for model in models:
        if groups and (groups[-1][-1], model) not in known:
            groups[-1].append(model)
        else:
            groups.append([model])
    is_ordered = all(len(group) == 1 for group in groups) and bool(groups)
    return Recommendation(
        "rank",
        "yes" if is_ordered else "cannot tell",
        better=_list_better(candidates),
        candidates=tuple(judge_candidate(each) for each in candidates),
        order=tuple(tuple(group) for group in groups),
        stops=tuple(stops),
    )


def combine_datasets(each: Sequence[tuple[str, Recommendation]]) -> Recommendation:
    """Combine the answers on several data sets: yes only if all say yes, no if one says no."""
    first = each[0][1]
    answers = [found.answer for _, found in each]
    answer: Answer = "cannot tell"
    if "no verdict" in answers:
        answer = "no verdict"
    elif "no" in answers:
        answer = "no"
    elif set(answers) == {"yes"}:
        is_one_order = first.order and all(found.order == first.order for _, found in each)
        common = [model for model in first.use if all(model in found.use for _, found in each)]
        answer = "yes" if common or is_one_order else "cannot tell"
    use = [model for model in first.use if all(model in found.use for _, found in each)]
    keep = next((found.keep for _, found in each if found.keep), None)
    return Recommendation(
        first.decision,
        answer,
        use=tuple(use) if answer == "yes" else (),
        keep=None if answer in ("yes", "no verdict") else keep,
        better=first.better,
        level=first.level,
        candidates=first.candidates,
        stops=tuple(stop for _, found in each for stop in found.stops),
        order=first.order,
        datasets=tuple(DatasetAnswer(name, found.answer, found.use) for name, found in each),
    )


def close_order(
    beats: Pairs, candidates: Sequence[CandidateEvidence]
) -> frozenset[tuple[str, str]]:
    """Add what follows: better than the baseline, which is better than y, is better than y."""
    above = [each.model for each in candidates if each.low is not None and each.low > 0]
    below = [each.model for each in candidates if each.high is not None and each.high < 0]
    known = {*beats, *((x, y) for x in above for y in below)}
    while True:
        more = {(a, d) for a, b in known for c, d in known if b == c and a != d} - known
        if not more:
            return frozenset(known)
        known |= more


def is_no_worse(word: Word, low: Number, margin: float) -> bool:
    """Tell whether a loss that matters is ruled out; any loss where there is no margin."""
    if word == "equivalent":
        return True
    return low is not None and (low > -margin if margin > 0 else low > 0)


def _find_step(candidate: CandidateEvidence, needs: Needed) -> tuple[Answer, ReasonCode]:
    if candidate.is_stopped:
        return "no verdict", "stopped"
    if "not met" in candidate.statuses:
        return "no", "requirement not met"
    if candidate.is_constant:
        return "no", "constant"
    if _is_ruled_out(candidate, needs):
        return "no", "verdict"
    if candidate.holds:
        return "cannot tell", "hold"
    if not _is_sufficient(candidate, needs):
        return "cannot tell", "verdict"
    if candidate.losses:
        return "cannot tell", "trade-off"
    if any(each in ("cannot tell", "not judged") for each in candidate.statuses):
        return "cannot tell", "requirement open"
    return "yes", "qualified"


def _is_ruled_out(candidate: CandidateEvidence, needs: Needed) -> bool:
    if needs == "better":
        return candidate.word in ("equivalent", "not better", *WORSE)
    high, margin = candidate.high, candidate.margin
    if candidate.word in ("no result", "equivalent") or high is None:
        return False
    return high <= -margin if margin > 0 else high < 0


def _is_sufficient(candidate: CandidateEvidence, needs: Needed) -> bool:
    if needs == "better":
        return candidate.word in BETTER
    if candidate.word == "no result":
        return False
    return is_no_worse(candidate.word, candidate.low, candidate.margin)


def _list_better(candidates: Sequence[CandidateEvidence]) -> tuple[str, ...]:
    ordered = sorted(candidates, key=lambda each: -(each.gain or 0.0))
    return tuple(each.model for each in ordered if each.word in BETTER)


def _list_unbeaten(models: Sequence[str], beats: Pairs) -> tuple[str, ...]:
    return tuple(x for x in models if not any((y, x) in beats for y in models))


def withhold_verdict(
    decision: DecisionKind,
    candidates: Sequence[CandidateEvidence],
    stops: Sequence[Stop],
) -> Recommendation:
    """Give no verdict: the data, the baseline or the model asked about is stopped."""
    return Recommendation(
        decision,
        "no verdict",
        candidates=tuple(
            CandidateAnswer(each.model, "no verdict", "stopped", "no result") for each in candidates
        ),
        stops=tuple(stops),
    )

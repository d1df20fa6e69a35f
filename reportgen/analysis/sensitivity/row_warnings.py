"""Warnings where each row is an answer of its own: W131 to W139, from what was found of rows.

A limit is a constant here and a phrase in `wording.codes`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.plan import Use
from reportgen.analysis.sensitivity.wins import limits_of_mean, paired_rows
from reportgen.analysis.subset import RowSubset
from reportgen.inference.intervals import interval
from reportgen.kernels.batch import Vector
from reportgen.metrics.questions import POOL
from reportgen.results import Choice, Pool, Scalar, Sensitivity, Wins
from reportgen.results.raised import RaisedWarning

FEW = 25  # rows
FEW_DIFFER, SHARE_DIFFER = 30, 0.1
FEW_OF_FEW = 10  # of fewer rows than that, which W131 does not tell of
JUDGED, APART = 0.9, 0.05  # of the first k: of one model, and between two
SHORT = 0.05  # share of rows with a list shorter than k
OF_ERROR = 0.5  # of the standard error of the difference, that the order of ties may move a value
ONE_ROW, ONE_WEIGHT = 0.25, 0.2  # share of the variance, and of the weight
CHANCE = 0.5  # of a pair of documents to be in the right order


def row_warnings(analysis: DatasetAnalysis, found: Sensitivity) -> Iterator[RaisedWarning]:
    """Every warning of rows, lists and conventions; none where rows are not told apart."""
    plan = analysis.plan
    if not plan.has_wins:
        return
    primary = next((use for use in plan.uses if use.is_primary), None)
    yield from few_judged(analysis)
    yield from of_pools(found.pools)
    if primary is not None and primary.metric.params.get("ties") == "trec":
        for pool in found.pools:
            if pool.single:
                yield RaisedWarning("W236", {"documents": pool.single}, model=pool.model)
    yield from _upside_down(analysis)
    for use in plan.uses:
        mine = [row for row in found.wins if row.key == use.key]
        if use.metric.answers != POOL:  # of which models shall have as much
            yield from filter(None, map(level_rows, mine))
        if use is primary:
            yield from _of_primary(analysis, use, mine, found)


def _of_primary(
    analysis: DatasetAnalysis, use: Use, mine: Sequence[Wins], found: Sensitivity
) -> Iterator[RaisedWarning]:
    whole, plan = analysis.parts[0], analysis.plan
    spread = {pool.model: pool.ties or 0.0 for pool in found.pools}
    for row in mine:
        pair = row.candidate, row.baseline
        if whole.is_same(*pair):  # nothing decides between them
            continue
        evidence, _ = analysis.difference(whole, use, *pair)
        limits = interval(evidence, plan.interval, plan.level)
        choices = [c for c in found.choices if (c.candidate, c.baseline) == pair]
        most = max(spread.get(model, 0.0) for model in pair)
        yield from _some(ties_decide(use.key, row.candidate, most, evidence.mean_se, choices))
        yield from _some(dominated(use.key, row.candidate, *_columns(analysis, use, pair)))
        sides = limits.low > 0, limits.high < 0
        is_up = use.metric.better == "higher"
        gains, loses = sides if is_up else sides[::-1]
        yield from _some(contradicted(row, gains, loses, 1 - plan.level))
        yield from _some(convention_decides(use.key, row.candidate, choices))


def few_judged(analysis: DatasetAnalysis) -> Iterator[RaisedWarning]:
    """W131: fewer than 25 rows, or fewer that a metric judges, which leaves out the others."""
    whole, uses = analysis.parts[0], analysis.plan.uses
    judged = {use.key: min(_judged(whole, use), default=whole.n) for use in uses}
    fewer = {key: n for key, n in judged.items() if n < min(FEW, whole.n)}
    for key, n in fewer.items():
        numbers: dict[str, Scalar] = {"queries": n, "few": FEW, "left_out": whole.n - n}
        yield RaisedWarning("W131", numbers, key=key)
    if whole.n < FEW and len(fewer) < max(len(judged), 1):
        yield RaisedWarning("W131", {"queries": whole.n, "few": FEW})


def _judged(whole: RowSubset, use: Use) -> Iterator[int]:
    """How many rows a metric judges of each model."""
    for model in whole.data:
        if (use.key, model) in whole.bound:
            yield whole.judging(whole.bound[use.key, model]).judges


def of_pools(pools: Sequence[Pool]) -> Iterator[RaisedWarning]:
    """W133: under 90 % of the first k judged, or two models 5 points apart; W134: short lists.

    The model of which the least was judged comes first.
    """
    known = sorted((pool for pool in pools if pool.judged is not None), key=lambda p: p.judged or 0)
    shares = [pool.judged or 0.0 for pool in known]
    is_apart = bool(known) and max(shares) - min(shares) > APART
    for pool, share in zip(known, shares, strict=True):
        if share < JUDGED or (is_apart and share == min(shares)):
            most = max(known, key=lambda p: p.judged or 0.0)
            numbers: dict[str, Scalar] = {"share": share, "k": pool.k}
            if is_apart and most is not pool:
                numbers |= {"most_share": most.judged, "other": most.model}
            yield RaisedWarning("W133", numbers, model=pool.model)
    for pool in pools:
        if (pool.short or 0.0) > SHORT:
            shown: dict[str, Scalar] = {"share": pool.short, "k": pool.k, "deepest": pool.deepest}
            yield RaisedWarning("W134", shown, model=pool.model)


def level_rows(row: Wins) -> RaisedWarning | None:
    """W132: fewer than 30 rows differ, or under a tenth of them; of under 30 rows fewer than 10."""
    differing = row.ahead + row.behind
    fewest = FEW_DIFFER if row.n >= FEW_DIFFER else FEW_OF_FEW
    if row.n < FEW or (differing >= fewest and differing >= SHARE_DIFFER * row.n):
        return None
    numbers: dict[str, Scalar] = {"differing": differing, "of": row.n}
    return RaisedWarning("W132", numbers, key=row.key, model=row.candidate)


def ties_decide(
    key: str, model: str, spread: float, error: float, choices: Sequence[Choice]
) -> RaisedWarning | None:
    """W135: the order of tied documents moves a value by over half an error, or the verdict."""
    turned = any(c.is_other for c in choices if c.choice == "ties")
    if not turned and not spread > OF_ERROR * error:
        return None
    numbers: dict[str, Scalar] = {"spread": spread, "error": error}
    return RaisedWarning("W135", {**numbers, "is_turned": turned}, key=key, model=model)


def dominated(key: str, model: str, each: Vector, weight: Vector) -> RaisedWarning | None:
    """W136: one row holds over a quarter of the variance of differences, or a fifth of weight."""
    total = weight.sum()
    if len(each) < 2 or not total > 0:
        return None
    share = weight / total
    squares = share**2 * (each - share @ each) ** 2
    of_all = float(squares.max() / squares.sum()) if squares.sum() > 0 else 0.0
    heaviest = float(share.max())
    if of_all <= ONE_ROW and heaviest <= ONE_WEIGHT:
        return None
    numbers: dict[str, Scalar] = {"share": of_all, "largest_share": heaviest}
    return RaisedWarning("W136", numbers, key=key, model=model)


def contradicted(row: Wins, gains: bool, loses: bool, alpha: float) -> RaisedWarning | None:
    """W138: the mean favours one model and most rows the other, and both are shown."""
    is_majority = row.p_value is not None and row.p_value < alpha
    more = (row.share_ahead or 0.0) > (row.share_behind or 0.0)
    if not is_majority or not ((gains and not more) or (loses and more)):
        return None
    numbers: dict[str, Scalar] = {"ahead": row.ahead, "behind": row.behind, "p": row.p_value}
    return RaisedWarning("W138", numbers, key=row.key, model=row.candidate)


def convention_decides(key: str, model: str, choices: Sequence[Choice]) -> RaisedWarning | None:
    """W139: another convention than the declared one has another verdict; the farthest is told."""
    others = [c for c in choices if c.is_other and c.kind == "convention"]
    others = [c for c in others if _sized(c) != _sized(choices[0])]
    if not others:
        return None
    first = max(others, key=lambda c: abs(_side(c) - _side(choices[0])))
    numbers: dict[str, Scalar] = {
        "choices": len(others), "choice": f"{first.choice}: {first.value}",
        "verdict": _sized(first), "declared": _sized(choices[0]),
    }  # fmt: skip
    return RaisedWarning("W139", numbers, key=key, model=model)


def _side(choice: Choice) -> int:
    return {"worse": -1, "better": 1}.get(choice.verdict.partition(" ")[0], 0)


def _sized(choice: Choice) -> str:
    """The verdict, and whether it leaves open if the difference is larger than the margin."""
    is_open = choice.margin is not None and choice.verdict in ("better", "worse")
    return f"{choice.verdict}, size unclear" if is_open else choice.verdict


def _upside_down(analysis: DatasetAnalysis) -> Iterator[RaisedWarning]:
    """W137: surely more pairs of documents in the wrong order than in the right one."""
    plan, whole = analysis.plan, analysis.parts[0]
    for metric in plan.checks:
        for model, rows in whole.data.items():
            bound = metric.bind(rows)
            if bound.losses is None:
                continue
            judging = whole.judging(bound).weight
            kept = np.flatnonzero(judging > 0)
            unit = whole.unit[kept] if whole.is_clustered else None
            auc, _, most = limits_of_mean(bound.losses[kept], judging[kept], unit, plan.level)
            if most is not None and most < CHANCE:
                yield RaisedWarning("W137", {"auc": auc, "most_auc": most}, model=model)


def _columns(analysis: DatasetAnalysis, use: Use, pair: tuple[str, str]) -> tuple[Vector, Vector]:
    found = paired_rows(analysis.parts[0], use, *pair)
    if found is None:
        return np.empty(0), np.empty(0)
    return found.difference, found.weight


def _some(found: RaisedWarning | None) -> Iterator[RaisedWarning]:
    if found is not None:
        yield found

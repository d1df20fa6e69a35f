"""Concordance of scores and y: Kendall's tau, AUC of pairs, cut-off AUC."""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Batch, Column, Scored, Vector
from reportgen.kernels.cumulative import divide
from reportgen.kernels.pairs import compute_pair_sums
from reportgen.kernels.quantiles import quantile_interval
from reportgen.kernels.row_pairs import (
    RowPairWeights,
    compute_lower_and_tied,
    compute_row_pairs,
    is_tied_without,
    sum_untied_pairs,
)
from reportgen.metrics import questions
from reportgen.metrics.lookup import check_exactly_one, check_open_range
from reportgen.metrics.metric import whole
from reportgen.metrics.monotone import build_forms_on_line, image_of_pairs
from reportgen.metrics.rows import Amounts

Ties = Literal["half", "strict"]
KENDALL_1945 = (
    "Kendall (1945), The treatment of ties in ranking problems, Biometrika 33; "
    "doi:10.1093/biomet/33.3.239"
)
KENDALL_1938 = (
    "Kendall (1938), A new measure of rank correlation, Biometrika 30; doi:10.1093/biomet/30.1-2.81"
)
ROSSET = (
    "Rosset, Perlich & Zadrozny (2005), Ranking-based evaluation of regression models, ICDM; "
    "doi:10.1109/ICDM.2005.126"
)
HARRELL = (
    "Harrell, Califf, Pryor, Lee & Rosati (1982), Evaluating the yield of medical tests, JAMA "
    "247; doi:10.1001/jama.1982.03320430047030"
)
OWN_PAIR = {
    "duplicate": "a row drawn twice is one more pair, tied in both, in the denominator; "
    "a row of weight two is not"
}


def _kendall_fast(rows: Amounts, batch: Batch) -> Vector:
    sums = compute_pair_sums(rows, batch)
    return _share(sums.difference, np.sqrt(sums.untied_y * sums.untied_score), -1.0)


def _kendall_influence(rows: Amounts, weight: Vector) -> Vector:
    """W · θ · (S_i/S − Dy_i/2Dy − Ds_i/2Ds), written so that S may be zero."""
    pairs = compute_row_pairs(rows, weight)
    by_y, by_score = sum_untied_pairs(rows.y, weight), sum_untied_pairs(rows.score, weight)
    size = np.sqrt(by_y * by_score)
    if size == 0:
        return np.full(len(rows), np.nan)
    theta = half_pair_sum(weight, pairs.concordant - pairs.discordant) / size
    shrink = pairs.untied_y / (2 * by_y) + pairs.untied_score / (2 * by_score)
    influence: Vector = (pairs.concordant - pairs.discordant) / size - theta * shrink
    influence *= weight.sum()
    return influence


def _kendall_without_each(rows: Amounts, weight: Vector) -> Vector:
    pairs = compute_row_pairs(rows, weight)
    balance = pairs.concordant - pairs.discordant
    rest = half_pair_sum(weight, balance) - weight * balance
    by_y = sum_untied_pairs(rows.y, weight) - weight * pairs.untied_y
    by_score = sum_untied_pairs(rows.score, weight) - weight * pairs.untied_score
    is_undefined = is_tied_without(rows.y, weight) | is_tied_without(rows.score, weight)
    return _ratio(rest, np.sqrt(np.maximum(by_y * by_score, 0.0)), is_undefined, -1.0)


_order_metric = partial(
    whole,
    task="regression",
    better="higher",
    bounds=(0.0, 1.0),
    unit="1",
    needs="order",
    answers=questions.ORDER,
)


@_order_metric(
    chance=0.0,
    title="Kendall's τ-b",
    bounds=(-1.0, 1.0),
    cite=KENDALL_1945,
    estimand="correlation of pairs",
    fast=_kendall_fast,
    influence=_kendall_influence,
    leave_one_out=_kendall_without_each,
    formula="(C − D) / √(pairs not tied in y · pairs not tied in score)",
    undefined="where every y is equal, or every score",
    asks=questions.IN_ORDER,
    blind=f"{questions.UNSEEN}; a swap at the bottom counts as one at the top",
)
def kendall(y: Vector, score: Vector, weight: Vector) -> float:
    """Rank agreement of score and y from −1 to 1: concordant minus discordant pairs, less ties.

    The pairs tied in y or in score shorten the denominator, so that 1 can be reached where both
    have the same ties.

    >>> kendall(np.array([1.0, 2, 3]), np.array([1.0, 3, 2]), np.ones(3)).__round__(12)
    0.333333333333
    """
    size = np.sqrt(sum_untied_pairs(Column(y), weight) * sum_untied_pairs(Column(score), weight))
    if size == 0:
        return np.nan
    pairs = compute_row_pairs(Amounts(y, score), weight)
    return float(np.clip(half_pair_sum(weight, pairs.concordant - pairs.discordant) / size, -1, 1))


def _kendall_a_fast(rows: Amounts, batch: Batch) -> Vector:
    sums = compute_pair_sums(rows, batch)
    return _share(sums.difference, sums.total, -1.0)


def _kendall_a_influence(rows: Amounts, weight: Vector) -> Vector:
    pairs = compute_row_pairs(rows, weight)
    balance = pairs.concordant - pairs.discordant
    everything = sum_all_pairs(weight)
    if everything == 0:
        return np.full(len(rows), np.nan)
    theta = half_pair_sum(weight, balance) / everything
    total = weight.sum()
    return np.asarray(total * (balance - theta * (total - weight)) / everything)


def _kendall_a_without_each(rows: Amounts, weight: Vector) -> Vector:
    pairs = compute_row_pairs(rows, weight)
    balance = pairs.concordant - pairs.discordant
    rest = half_pair_sum(weight, balance) - weight * balance
    everything = sum_all_pairs(weight) - weight * (weight.sum() - weight)
    is_undefined = np.sum(weight > 0) - (weight > 0).astype(int) < 2
    return _ratio(rest, everything, is_undefined, -1.0)


@_order_metric(
    chance=0.0,
    title="Kendall's τ-a",
    bounds=(-1.0, 1.0),
    cite=KENDALL_1938,
    estimand="mean sign of pairs",
    fast=_kendall_a_fast,
    influence=_kendall_a_influence,
    leave_one_out=_kendall_a_without_each,
    exempt_from=OWN_PAIR,
    formula="(C − D) / Σ_{i<j} w_i w_j",
    undefined="where fewer than two rows weigh anything",
    asks=questions.IN_ORDER,
    blind=f"{questions.UNSEEN}; ties lower it, whoever made them",
)
def kendall_a(y: Vector, score: Vector, weight: Vector) -> float:
    """Concordant minus discordant pairs as a share of all pairs, from −1 to 1; ties count as zero.

    >>> kendall_a(np.array([1.0, 1, 2]), np.array([1.0, 2, 3]), np.ones(3)).__round__(12)
    0.666666666667
    """
    everything = sum_all_pairs(weight)
    if everything == 0:
        return np.nan
    pairs = compute_row_pairs(Amounts(y, score), weight)
    agreement = half_pair_sum(weight, pairs.concordant - pairs.discordant) / everything
    return float(np.clip(agreement, -1, 1))


@_order_metric(
    chance=0.5,
    title="Kendall's τ, rescaled to [0, 1]",
    cite=ROSSET,
    estimand="mean sign of pairs",
    exempt_from=OWN_PAIR,
    formula="(1 + τ_a) / 2",
    undefined="where fewer than two rows weigh anything",
    asks=f"{questions.IN_ORDER} (one half is chance)",
    blind=f"{questions.UNSEEN}; a tie counts one half, so a constant score gets one half",
    **build_forms_on_line("kendall_a", 0.5, 0.5),
)
def tau_tilde(y: Vector, score: Vector, weight: Vector) -> float:
    """Share of all pairs that the scores put in the order of y, ties counted one half."""
    return (1 + kendall_a(y, score, weight)) / 2


def _auc_fast(rows: Amounts, batch: Batch, *, ties: Ties) -> Vector:
    sums = compute_pair_sums(rows, batch)
    credit = sums.tied_score_only / 2 if ties == "half" else 0.0
    return _share(sums.concordant + credit, sums.untied_y, 0.0)


def pair_share_influence(rows: Scored, weight: Vector, *, ties: Ties) -> Vector:
    """Each row's pull on a share of pairs in the right order."""
    pairs = compute_row_pairs(rows, weight)
    everything = sum_untied_pairs(rows.y, weight)
    if everything == 0:
        return np.full(len(rows), np.nan)
    right = concordant_weight(pairs, ties)
    theta = half_pair_sum(weight, right) / everything
    return np.asarray(weight.sum() * (right - theta * pairs.untied_y) / everything)


def pair_share_without_each(rows: Scored, weight: Vector, *, ties: Ties) -> Vector:
    """Compute the share of pairs in the right order, without each row."""
    pairs = compute_row_pairs(rows, weight)
    right = concordant_weight(pairs, ties)
    rest = half_pair_sum(weight, right) - weight * right
    everything = sum_untied_pairs(rows.y, weight) - weight * pairs.untied_y
    return _ratio(rest, everything, is_tied_without(rows.y, weight), 0.0)


@_order_metric(
    chance=0.5,
    title="Regression AUC",
    aliases=("roc_auc",),
    cite=HARRELL,
    estimand="share of pairs",
    image=image_of_pairs,
    fast=_auc_fast,
    influence=pair_share_influence,
    leave_one_out=pair_share_without_each,
    formula="Σ w_i w_j [score_i > score_j] / Σ w_i w_j, over pairs with y_i > y_j",
    undefined="where every y is equal",
    asks="how often, of two rows, the one where more happened has the higher score (one half is "
    "chance)",
    blind=f"{questions.UNSEEN}; pairs with equal y are left out",
)
def regression_auc(y: Vector, score: Vector, weight: Vector, *, ties: Ties = "half") -> float:
    """Chance that, of two rows with different y, the score is higher where y is higher.

    A pair with tied scores counts one half (`ties: half`) or as wrong (`ties: strict`).

    >>> y, score = np.array([0.0, 0, 1, 1]), np.array([0.0, 1, 1, 2])
    >>> regression_auc(y, score, np.ones(4)), regression_auc(y, score, np.ones(4), ties="strict")
    (0.875, 0.75)
    """
    everything = sum_untied_pairs(Column(y), weight)
    if everything == 0:
        return np.nan
    right = concordant_weight(compute_row_pairs(Amounts(y, score), weight), ties)
    return float(np.clip(half_pair_sum(weight, right) / everything, 0, 1))


def _tied_scores_fast(rows: Amounts, batch: Batch) -> Vector:
    sums = compute_pair_sums(rows, batch)
    return _share(sums.tied_score_only, sums.untied_y, 0.0)


def _tied_scores_influence(rows: Amounts, weight: Vector) -> Vector:
    """Twice the credit that half gives and strict does not."""
    half = pair_share_influence(rows, weight, ties="half")
    return 2 * (half - pair_share_influence(rows, weight, ties="strict"))


@_order_metric(
    no_reference="it describes the scores, not how good they are",
    is_partial=True,
    title="Tied scores",
    better="lower",
    cite=HARRELL,
    estimand="share of pairs",
    fast=_tied_scores_fast,
    influence=_tied_scores_influence,
    formula="Σ w_i w_j [score_i = score_j] / Σ w_i w_j, over pairs with y_i > y_j",
    undefined="where every y is equal",
    answers=questions.TIES,
    asks="how many pairs of rows the scores do not tell apart",
    blind="whether the order of the rows that are told apart is right",
)
def tied_scores(y: Vector, score: Vector, weight: Vector) -> float:
    """Share of the pairs with different y that the score cannot tell apart.

    Half of it is what `regression_auc` gains by `ties: half` over `ties: strict`.
    """
    everything = sum_untied_pairs(Column(y), weight)
    if everything == 0:
        return np.nan
    tied = half_pair_sum(weight, compute_row_pairs(Amounts(y, score), weight).tied_score)
    return float(np.clip(tied / everything, 0, 1))


def half_pair_sum(weight: Vector, share: Vector) -> float:
    """Compute a pair sum from the rows' shares of it, each pair being in two of them."""
    return float(weight @ share) / 2


def sum_all_pairs(weight: Vector) -> float:
    """Sum of w_i · w_j over the pairs; exactly 0 where only one row weighs anything."""
    return float(weight[1:] @ np.cumsum(weight)[:-1])


def concordant_weight(pairs: RowPairWeights, ties: Ties) -> Vector:
    """Each row's weight of partners in the right order, with the credit for tied scores."""
    return pairs.concordant + (pairs.tied_score / 2 if ties == "half" else 0.0)


def _share(part: Vector, of: Vector, least: float) -> Vector:
    """Part / of within [least, 1], nan where there is nothing to divide by."""
    return np.asarray(np.clip(divide(part, of), least, 1.0))


def _ratio(top: Vector, bottom: Vector, is_undefined: NDArray[np.bool_], least: float) -> Vector:
    return _share(top, np.where(is_undefined, 0.0, bottom), least)


TRUCHON = (
    "Truchon & Bayly (2007), Evaluating virtual screening methods: good and bad metrics for the "
    '"early recognition" problem, J. Chem. Inf. Model. 47; doi:10.1021/ci600426e'
)
HANLEY = (
    "Hanley & McNeil (1982), The meaning and use of the area under a receiver operating "
    "characteristic (ROC) curve, Radiology 143; doi:10.1148/radiology.143.1.7063747"
)


def check_cutoff(above: float | None, quantile: float | None) -> str | None:
    """Describe invalid parameters of a cut-off, or return None."""
    wrong = check_exactly_one({"above": above, "quantile": quantile}, "above: 0")
    return wrong or check_open_range("quantile", quantile, 0, 1)


def _cutoff_influence(
    rows: Amounts, weight: Vector, *, above: float | None, quantile: float | None
) -> Vector | None:
    if above is None:
        return None
    return pair_share_influence(_dichotomize_target(rows, above), weight, ties="half")


def _cutoff_without_each(
    rows: Amounts, weight: Vector, *, above: float | None, quantile: float | None
) -> Vector | None:
    if above is None:
        return None
    return pair_share_without_each(_dichotomize_target(rows, above), weight, ties="half")


def _cutoff_classes(
    rows: Amounts, *, above: float | None, quantile: float | None
) -> NDArray[np.bool_] | None:
    """None for a quantile, whose place the weights move."""
    return None if above is None else rows.y.values > above


@_order_metric(
    chance=0.5,
    title="AUC at a cut-off of y",
    cite=f"{ROSSET}; {HANLEY}",
    estimand="share of pairs",
    check=check_cutoff,
    influence=_cutoff_influence,
    leave_one_out=_cutoff_without_each,
    classes=_cutoff_classes,
    formula="Σ w_i w_j ([score_i > score_j] + ½[tied]) / Σ w_i w_j, y_i above the cut, y_j not",
    undefined="where no row, or every row, lies above the cut-off",
    answers=questions.TOP,
    asks="how well the scores tell rows above a cut-off from rows below it",
    blind="the order among the rows above the cut-off, and among those below it",
)
def cutoff_auc(
    y: Vector,
    score: Vector,
    weight: Vector,
    *,
    above: float | None = None,
    quantile: float | None = None,
) -> float:
    """Chance that a row with y above the cut-off has a higher score than one with y not above.

    The cut-off is a value (`above`) or a quantile of y, which is found anew for each weighting.
    Tied scores count one half.
    """
    if above is None:
        above = quantile_interval(y, weight, np.nan if quantile is None else quantile)[0]
    is_above = y > above
    below, tied = compute_lower_and_tied(Column(score), np.where(is_above, 0.0, weight))
    chosen, others = weight[is_above], weight[~is_above].sum()
    if chosen.sum() == 0 or others == 0:
        return np.nan
    right = chosen @ (below + tied / 2)[is_above]
    return float(np.clip(right / (chosen.sum() * others), 0, 1))


def _dichotomize_target(rows: Amounts, above: float) -> Amounts:
    """Return the same rows with y reduced to above the cut-off or not."""
    is_above = rows.y.values > above
    return rows.once(f"above {above}", lambda: Amounts(is_above.astype(np.float64), rows.score))

"""Scores of answers to items, which have one sample or several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any, Literal

import numpy as np

from reportgen.kernels.batch import Vector
from reportgen.metrics import questions
from reportgen.metrics.external_scores import check_score_range
from reportgen.metrics.metric import rowwise
from reportgen.metrics.monotone import image_of_one_sample
from reportgen.metrics.rows import ItemScores
from reportgen.metrics.statistic import Scalar, inspect_parameters

MILLER = "Miller (2024), Adding error bars to evals: a statistical approach to language model evals"
CHEN = "Chen et al. (2021), Evaluating large language models trained on code"
YAO = (
    "Yao et al. (2024), τ-bench: a benchmark for tool-agent-user interaction in real-world domains"
)
NO_REFERENCE = "what is good without a model, only the config knows"


def _fields(
    of: str, better: str, low: float | None, high: float | None, unit: str, **_: Any
) -> Mapping[str, Any]:
    """Return the direction, range and unit of the score, which the page need not repeat.

    A score where higher is better says how good answers are; one where lower is better, what they
    cost. A number from 0 to 1 is a share.
    """
    bounds = (-inf if low is None else low, inf if high is None else high)
    values = {"of": of, "better": better, "low": low, "high": high, "unit": unit}
    usual = tuple(
        replace(each, default=values[each.name]) for each in inspect_parameters(item_score)
    )
    is_share = (bounds, unit) == ((0, 1), "1")
    return {
        "better": better,
        "bounds": bounds,
        "unit": "share" if is_share else unit,
        "kind": "answers" if better == "higher" else "expense",
        "parameters": usual,
    }


def _pass_fields(of: str, k: int, **_: Any) -> Mapping[str, Any]:
    """Return the parameters with a default that its label says, so that the page does not."""
    values: Mapping[str, Scalar] = {"of": of, "k": k}
    usual = tuple(
        replace(each, default=values.get(each.name, each.default))
        for each in inspect_parameters(pass_at)
    )
    return {"parameters": usual}


def _find_means(rows: ItemScores, *, of: str, **_: Any) -> tuple[Vector]:
    return (rows.find_score(of),)


@rowwise(
    no_reference=NO_REFERENCE,
    title="Score of answers",
    task="scored",
    better="higher",
    bounds=(-inf, inf),
    unit="1",
    cite=MILLER,
    estimand="mean",
    needs="amount",
    kind="answers",
    check=check_score_range,
    fields_for=_fields,
    inputs=_find_means,
    formula="Σ w s / Σ w, with s the mean of the samples of an item",
    undefined="where no item has weight",
    caveat="All items count equally, however many samples they have.",
    answers=questions.ANSWERS,
    asks="how good an answer is, on average",
    blind="how much the answers to one item differ from sample to sample",
)
def item_score(
    score: Vector,
    *,
    of: str = "",
    better: Literal["higher", "lower"] = "higher",
    low: float | None = None,
    high: float | None = None,
    unit: str = "1",
) -> Vector:
    """Mean over items of a score, of the mean of each item's samples."""
    return np.asarray(score)


def _check_samples(k: int, **_: Scalar) -> str | None:
    return None if k >= 1 else f"k {k} must be 1 or more"


def _count_passes(rows: ItemScores, *, of: str, least: float, **_: Any) -> tuple[Vector, Vector]:
    """Return how many samples of each item pass, and how many there are."""
    passed, samples = rows.find_part(of, f"passes {least:g}"), rows.find_part(of, "samples")
    if passed is None or samples is None:  # each row is one sample
        values = rows.find_score(of)
        return (values >= least).astype(np.float64), np.ones(len(values))
    return passed, samples


def _choose_share(chosen: Vector, samples: Vector, k: int) -> Vector:
    """Compute C(chosen, k) / C(samples, k) of each item; nan with fewer than k samples."""
    value = np.ones(len(samples))
    for taken in range(k):
        with np.errstate(divide="ignore", invalid="ignore"):
            value = value * np.clip(chosen - taken, 0.0, None) / (samples - taken)
    return np.where(samples >= k, value, np.nan)


_pass_metric = partial(
    rowwise,
    no_reference=NO_REFERENCE,
    task="scored",
    better="higher",
    bounds=(0, 1),
    unit="share",
    estimand="mean",
    needs="amount",
    kind="samples",
    check=_check_samples,
    fields_for=_pass_fields,
    inputs=_count_passes,
    undefined="where an item has fewer than k samples",
    answers=questions.ANSWERS,
    blind="how often a single answer passes",
)


@_pass_metric(
    title="pass@k",
    cite=CHEN,
    formula="mean of 1 − C(n − c, k) / C(n, k), with c of n samples of an item that pass",
    caveat="It needs k samples of each item, and a way to tell which of k answers is right.",
    asks="how often one of k samples passes",
)
def pass_at(
    passed: Vector, samples: Vector, *, of: str = "", k: int = 1, least: float = 1.0
) -> Vector:
    """How often at least one of k samples of an item passes, without bias."""
    return 1 - _choose_share(samples - passed, samples, k)


@_pass_metric(
    title="pass^k",
    cite=YAO,
    formula="mean of C(c, k) / C(n, k), with c of n samples of an item that pass",
    caveat="It needs k samples of each item.",
    asks="how often all of k samples pass",
    image=image_of_one_sample,
)
def pass_all(
    passed: Vector, samples: Vector, *, of: str = "", k: int = 1, least: float = 1.0
) -> Vector:
    """How often all of k samples of an item pass, without bias."""
    return _choose_share(passed, samples, k)

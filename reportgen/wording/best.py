"""Sentences on the candidate with the best value of all, or several that have the same."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.results import DifferenceFromBest, MetricInfo
from reportgen.wording.names import allowed_for, listed, lowered, name
from reportgen.wording.numbers import form_of, level


def best_of(
    label: str,
    candidates: int,
    following: str,
    found: DifferenceFromBest | None,
    unit: str,
    base: float,
) -> str:
    r"""That a candidate has the best value, and how far from it the next model is.

    `base` is the level of the report, which that of the limits is where one model alone is next.

    >>> behind = DifferenceFromBest("d", "rho", "b", "c", -0.05, -0.06, -0.04, 0.975, True)
    >>> print(best_of("GBM", 2, "RFM", behind, "", 0.95).partition(". ")[2])
    RFM, the next, differs by −0.050 (95% CI −0.060 to −0.040, adjusted for 2 comparisons).
    """
    said = f"{label} has the best value of {candidates} candidates"
    if found is None or found.low is None or found.high is None or found.level is None:
        return f"{said}."
    form = form_of(found.difference, found.low, found.high, unit)
    limits_of = f"{form.bare(found.low, signed=True)} to {form.bare(found.high, signed=True)}"
    several = allowed_for(found.level, base)
    adjusted = f", adjusted for {several} comparisons" if several > 1 else ""
    shown = base if several > 1 else found.level
    return (
        f"{said}. {following}, the next, differs by "
        f"{form.amount(found.difference, signed=True)} ({level(shown)} CI {limits_of}{adjusted})."
    )


def level_best(labels: Sequence[str], candidates: int, metric: MetricInfo) -> str:
    """That several candidates have one value, than which none is better.

    >>> rho = MetricInfo("rho", "rho", {}, "Spearman ρ", "higher", "1", (-1, 1), "", "", "")
    >>> level_best(["GBM", "RFM"], 2, rho)
    'GBM and RFM have the same Spearman ρ.'
    >>> level_best(["GBM", "RFM"], 3, rho)
    'GBM and RFM have the same Spearman ρ, the best of 3 candidates.'
    """
    said = f"{listed(list(labels), 4)} have the same {lowered(name(metric.label))}"
    of = "" if len(labels) == candidates else f", the best of {candidates} candidates"
    return f"{said}{of}."

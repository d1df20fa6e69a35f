"""What to do about costs, in words for somebody who decides: nothing but intervals behind it."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.results import Scalar
from reportgen.wording.asymmetries import times_of
from reportgen.wording.costs import CostTerms, Row
from reportgen.wording.numbers import count, form_of, has_unit, level, with_unit


def advice(plain: Row, terms: CostTerms, ranges: Sequence[Row]) -> str:
    """Whether to change models at one asymmetry, what it brings, and for which cost ratios.

    A change is advised only where the interval of what it saves leaves out zero. Empty where
    there is no model in use, or no ratio of costs.
    """
    if terms.baseline is None or not terms.axis.has_ratio:
        return ""
    baseline, best = terms.label(terms.baseline), terms.label(plain["best"])
    if plain["best"] == terms.baseline:
        return f"Keep {baseline}: no other model came out cheaper."
    low, high = plain["saved_low"], plain["saved_high"]
    if not (isinstance(low, float) and isinstance(high, float) and low > 0):
        return f"Keep {baseline} for now: {best} came out cheaper, but it may have been chance."
    form = form_of(_number(plain["saved"]), low, high, terms.money, (0.0,))
    bounds = form.interval(low, high)
    gain = (
        f"Use {best} in place of {baseline}. For every {count(terms.cases)} cases expect to save "
        f"about {form.amount(_number(plain['saved']))} ({level(terms.level)} interval {bounds})."
    )
    own = [r for r in ranges if r["shift"] == "none" and r["candidate"] == plain["best"]]
    return f"{gain} {_reach(_number(plain['alpha']), own, terms, baseline)}".strip()


def _reach(alpha: float, own: Sequence[Row], terms: CostTerms, baseline: str) -> str:
    """Over which cost ratios that is shown, and from where on the opposite is."""
    here = next((k for k, r in enumerate(own) if _low(r) <= alpha <= _high(r)), None)
    if here is None or own[here]["verdict"] != "cheaper":
        return "That is for this cost ratio alone: over all ratios at once it is not shown."
    said, unit = [], with_unit("1", terms.unit) if has_unit(terms.unit) else "one unit"
    if _low(own[here]) > 0:
        said.append(f"at least {_times(_low(own[here]))}")
    if _high(own[here]) < 1:
        said.append(f"at most {_times(_high(own[here]))}")
    if not said:
        return "That holds whatever the cost ratio."
    square = " squared" if terms.loss == "quadquad" else ""
    holds = (
        f"That holds while {unit}{square} too low costs {' and '.join(said)} times as much as "
        f"{unit}{square} too high"
    )
    turns = [_turn(own, k, baseline) for k in (here - 1, here + 1)]
    return "; ".join(filter(None, (holds, *turns))) + "."


def _turn(own: Sequence[Row], k: int, baseline: str) -> str:
    """What is known beyond an end of the stretch that is shown."""
    if not 0 <= k < len(own):
        return ""
    row = own[k]
    beyond = [r for r in own if r["verdict"] == "dearer"]
    if row["verdict"] == "dearer":
        return f"beyond that, {baseline} is cheaper"
    before = [r for r in beyond if _high(r) <= _low(row) + 1e-9]
    after = [r for r in beyond if _low(r) >= _high(row) - 1e-9]
    if before:
        edge = _times(_high(before[-1]))
        return f"under {edge} times {baseline} is cheaper, in between it is open"
    if after:
        return f"over {_times(_low(after[0]))} times {baseline} is cheaper, in between it is open"
    return "beyond that it is open"


def _times(alpha: float) -> str:
    return times_of(alpha / (1 - alpha)) if alpha < 1 else "any number of"


def _low(row: Row) -> float:
    return _number(row["low"])


def _high(row: Row) -> float:
    return _number(row["high"])


def _number(value: Scalar) -> float:
    return float(value) if isinstance(value, int | float) else 0.0

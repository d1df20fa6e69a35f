"""When the part of the rows that a measure rests on is to be doubted."""

from __future__ import annotations

from reportgen.results.raised import RaisedWarning

FEW = 10  # rows of a class in a window


def few_in_window(
    positives: int, negatives: int, window: tuple[float, float]
) -> RaisedWarning | None:
    """W101: under 10 rows of a class in the window that a measure rests on.

    Limits of the partial AUC up to 0.1 held in 89 of 100 samples with 50 negatives, 5 in it.
    """
    held = positives * window[0], negatives * window[1]
    if min(window) >= 1 or min(held) >= FEW:
        return None
    numbers = {"count": min(positives, negatives), "positives": positives, "negatives": negatives}
    return RaisedWarning("W101", {**numbers, "in_window": round(min(held)), "is_too_few": False})

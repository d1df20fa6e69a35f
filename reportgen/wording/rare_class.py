"""What a rare class hides, in words: two models that find equally many positives."""

from __future__ import annotations

from reportgen.results import RareClass
from reportgen.wording.numbers import Form, percent


def told(found: RareClass, labels: tuple[str, str], many: str) -> str:
    """How far both models are apart by either rate; `labels` of the candidate and the baseline.

    `many` are the rows.

    >>> print(told(RareClass("d", "b", "a", 1e-4, 0.9, (1e-5, 0.00191), (0.9, 0.045)),
    ...            ("B", "A"), "cases"))  # doctest: +NORMALIZE_WHITESPACE
    Where both find 90% of the positives, the false positive rates of B and A differ by only
    0.0019. Yet of 100 calls 90 are right with B and 4.5 with A, since 99.99% of the cases are
    negative.
    """
    fpr, precision = found.false_positive_rates, found.precisions
    gap = abs((fpr[0] or 0.0) - (fpr[1] or 0.0))
    right = [_digits(100 * (each or 0.0)) for each in precision]
    said = (
        f"Where both find {percent(found.recall or 0.0)} of the positives, the false positive "
        f"rates of {labels[0]} and {labels[1]} differ by only {Form(4, least=2).number(gap)}. "
        f"Yet of 100 calls {right[0]} are right with {labels[0]} and {right[1]} with {labels[1]}, "
        f"since {_most(1 - (found.positives or 0.0))} of the {many} are negative."
    )
    if found.low is not None and found.high is not None:
        ends = [_signed(100 * end) for end in (found.low, found.high)]
        said += f" That is a difference of {ends[0]} to {ends[1]} of 100 calls (CI of it alone)."
    if found.differ:
        said += " The intervals of the areas under both curves do not agree on whether they differ."
    return said


def _signed(value: float) -> str:
    decimals = 0 if abs(value) >= 10 else 1
    return Form(decimals, least=2).number(value, signed=True)


def _digits(value: float) -> str:
    return Form(0 if value >= 10 else 1, least=2).number(value)


def _most(share: float) -> str:
    """A share near 1 with the digits that tell it from 1."""
    decimals = next((d for d in range(6) if round(100 * share, d) < 100), 6)
    return f"{100 * share:.{decimals}f}%"

"""What is said of a second judge of the same rows."""

from __future__ import annotations

from reportgen.results import Agreement
from reportgen.wording.names import Case, name
from reportgen.wording.numbers import count, form_of


def told(share: Agreement, kappa: Agreement, case: Case) -> list[str]:
    """On how many rows two judges agree, what that bounds, and where models call."""
    rows = count(share.n, *case) if share.n == share.of else (
        f"{count(share.n)} of {count(share.of, *case)}"
    )  # fmt: skip
    said = [
        f"A second judge named the class of {rows}, in the column {name(share.column, 40)}.",
        f"Both judges agree on {_value(share)} of them; Cohen's kappa, which takes chance out, is "
        f"{_value(kappa)}.",
        "A model that agrees more with the target than the second judge does may have learnt the "
        "habits of whoever made the target.",
    ]
    if not share.estimates:
        said.append("Models are not held against that: without an operating point they call none.")
    elif share.point:
        said.append(f"Models call at {name(share.point, 40)}.")
    return said


def _value(found: Agreement) -> str:
    """The judge's value with its interval."""
    own = found.judge
    if own.value is None:
        return f"undefined ({own.reason})"
    form = form_of(own.value, own.low, own.high, own.unit)
    known = own.low is not None and own.high is not None
    limits = f" ({form.interval(own.low, own.high)})" if known else ""
    return f"{form.amount(own.value)}{limits}"

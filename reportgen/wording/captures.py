"""What the top of a ranking holds, in words."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.results import Comparison, ModelInfo, Number
from reportgen.wording.names import listed, name
from reportgen.wording.numbers import Form, percent
from reportgen.wording.verdicts import interval_name, interval_text


def captured(share: float, target: str, rows: str, held: Sequence[tuple[str, str]]) -> str:
    """What the top holds by each model; nothing where no value is known.

    >>> captured(0.2, "spend", "customers", [("CLV", "69%"), ("RFM", "68%")])
    'The top 20% of customers hold 69% of spend by CLV and 68% by RFM'
    """
    if not held:
        return ""
    (first, value), *others = held
    said = [f"{value} of {name(target, 40)} by {name(first, 30)}"]
    said += [f"{value} by {name(model, 30)}" for model, value in others]
    return f"The top {(percent(share))} of {name(rows, 30)} hold {listed(said)}"


def captured_differences(
    share: float,
    baseline: ModelInfo | None,
    differences: Sequence[tuple[str, Comparison]],
    decimals: int,
) -> str:
    """The differences with their intervals; nothing where there is none."""
    form = Form(decimals, "share")
    known = [(label, c) for label, c in differences if c.difference is not None]
    if baseline is None or not known:
        return ""
    told = [
        f"{name(label, 30)} {form.amount(c.difference, signed=True)} ({interval_text(c, form)})"
        for label, c in known
    ]
    head = f"At {(percent(share))}, differences from {name(baseline.label, 30)}"
    return f"{head} with the {interval_name(known[0][1])}: {listed(told)}."


def points(value: Number, decimals: int) -> str:
    """A difference of shares in percentage points, without its unit.

    >>> points(-0.0049, 1)
    '−0.5'
    """
    return Form(decimals, "share").bare(value, signed=True)

"""What is said of models on rows to fit on beside fresh rows."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.results import DatasetInfo, FreshGap, MetricInfo
from reportgen.wording.names import listed, name
from reportgen.wording.numbers import count, form_of


def told(
    found: Sequence[tuple[str, FreshGap]], metric: MetricInfo, fresh: DatasetInfo
) -> list[str]:
    """Which samples are held side by side, and how far each model falls behind on fresh rows.

    `found` are the gaps of one metric by the labels of models.
    """
    first = found[0][1]
    rows = f"{count(first.n)} {name(fresh.case[1])} of {name(first.fit, 40)}"
    said = [
        f"Values on {rows}, which are there to fit on, and on the {count(fresh.n)} judged. A model "
        "that was trained on the former looks better there than it is.",
    ]
    sign = {"higher": 1.0, "lower": -1.0}.get(metric.better)
    if sign is None:
        return said
    worse = [_size(label, each, metric) for label, each in found if _is_worse(each, sign)]
    label = name(metric.label, 60)
    if not worse:
        return [*said, f"On fresh rows no model is shown to be worse on {label}."]
    return [*said, f"On fresh rows {label} is worse for {listed(worse)}."]


def _is_worse(gap: FreshGap, sign: float) -> bool:
    """Whether all of the gap's limits are on the bad side of zero."""
    return gap.low is not None and gap.high is not None and max(sign * gap.low, sign * gap.high) < 0


def _size(label: str, gap: FreshGap, metric: MetricInfo) -> str:
    form = form_of(gap.difference, gap.low, gap.high, metric.unit, (0.0,))
    between = form.interval(gap.low, gap.high, signed=True)
    return f"{name(label, 40)} ({form.amount(gap.difference, signed=True)}; {between})"

"""What is said of a second judge of the same rows."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.results import Agreement, DatasetInfo
from reportgen.wording.names import listed, name
from reportgen.wording.numbers import count, form_of

FEW = 30  # rows under which two judges say little of each other


def told(
    share: Agreement, kappa: Agreement, dataset: DatasetInfo, points: Sequence[str]
) -> list[str]:
    """On how many rows two judges agree, what that bounds or why it bounds nothing.

    `points` are the operating points at which models are held against it.
    """
    case = dataset.case
    rows = count(share.n, *case) if share.n == share.of else (
        f"{count(share.n)} of {count(share.of, *case)}"
    )  # fmt: skip
    said = [
        f"A second judge named the class of {rows}, in the column {name(share.column, 40)}.",
        f"Both judges agree on {_value(share)} of them; Cohen's kappa, which takes chance out, is "
        f"{_value(kappa)}.",
        _bound(share, dataset),
    ]
    if not share.estimates:
        said.append("Models are not held against that: without an operating point they call none.")
    elif points:
        said.append(f"Models call at {listed([name(each, 40) for each in points])}.")
    return said


def _bound(share: Agreement, dataset: DatasetInfo) -> str:
    """What the agreement is worth to whoever judges models by it."""
    one, many = map(name, dataset.case)
    if share.only:
        shown = {each.value: each.name for each in dataset.classes}.get(share.only, share.only)
        return (
            f"The second judge gave every {one} the class {name(shown, 40)}: whoever tells no "
            "classes apart agrees no more than chance does, so this is no ceiling for models."
        )
    if share.n < FEW:
        return (
            f"{count(share.n, *dataset.case)} judged twice are too few to say how far two judges "
            "agree: this is no ceiling for models."
        )
    if share.judge.value == 1:
        return (
            f"Two judges who differ on none of the {many} are rare: the column may be a copy of "
            "the target, or have been filled in by somebody who saw it, and then it is no ceiling "
            "for models."
        )
    return (
        "A model that agrees more with the target than the second judge does may have learnt the "
        "habits of whoever made the target."
    )


def _value(found: Agreement) -> str:
    """The judge's value with its interval."""
    own = found.judge
    if own.value is None:
        return f"undefined ({own.reason})"
    form = form_of(own.value, own.low, own.high, own.unit)
    known = own.low is not None and own.high is not None
    limits = f" ({form.interval(own.low, own.high)})" if known else ""
    return f"{form.amount(own.value)}{limits}"

"""What is to be had without a model, and how much better each model is."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from reportgen.records import record
from reportgen.results.types import Better, Number

ReferenceSource = Literal["", "train", "folds", "rows"]


@record
class ReferenceDifference:
    """A model less the reference, paired and unadjusted; no verdict follows from it."""

    model: str
    difference: Number
    low: Number
    high: Number
    method: str
    reason: str = ""


@record
class ReferenceValue:
    """What is to be had without a model on one metric.

    `kind` says what is predicted, `constant` the number if it is one for every row, `label` the
    class, or the name that the config gives a value. `source` says from which rows: those to fit
    on, those of the other folds, or these. `segments` are its values there. Limits and differences
    are known of the metrics of page one.
    """

    dataset: str
    key: str
    kind: str
    label: str
    constant: Number
    source: ReferenceSource
    better: Better
    value: Number
    low: Number
    high: Number
    level: float
    segments: dict[str, Number] = field(default_factory=dict)
    differences: tuple[ReferenceDifference, ...] = ()

    def is_beaten_by(self, model: str) -> bool | None:
        """Tell whether a model is established to be better; None if there is no interval."""
        own = self.difference(model)
        if own is None or (own.low, own.high) == (None, None):
            return None
        end = own.low if self.better == "higher" else own.high
        return end is not None and (end > 0 if self.better == "higher" else end < 0)

    def difference(self, model: str) -> ReferenceDifference | None:
        """Return the difference of one model; None if there is none."""
        return next((each for each in self.differences if each.model == model), None)

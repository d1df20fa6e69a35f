"""The part of the language for gates: what must hold for a run to pass."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from reportgen.config.fields import MarginKeys, Number, Strict, Text, about
from reportgen.config.rules import told


class Gate(Strict):
    """What every rule has in common."""

    name: Text = about("What the gate is called in every output.", example="error in bounds")
    metric: Text = about("One of the metrics, by label or name.", example="mae")
    model: Text = about("The model that must pass.", example="boosted")
    dataset: Text = about("The dataset it must pass on; default: the first.")
    segment: Text | None = about("A slice, column=value.", None, example="segment=repeat")
    inconclusive: Literal["pass", "warn", "fail"] = about(
        "What the gate counts as if the data cannot decide.", "warn"
    )


class Bound(Gate):
    """The metric's interval lies on the right side of a value."""

    rule: Literal["below", "above"] = about(told(("below", "above")))
    value: Number = about("The bound, in the metric's unit.", example=40)
    on: Literal["interval", "value"] = about(
        "Judge the interval's bound, or only the estimate.", "interval"
    )


class Versus(Gate):
    """The model is judged against another by the interval of their difference."""

    rule: Literal["better", "no_regression"] = about(told(("better", "no_regression")))
    against: Text = about("The other model; default: the baseline.")
    margin: MarginKeys | None = about("The largest difference that does not matter.", None)


class NonInferior(Gate):
    """The model is not worse than another by more than a margin."""

    rule: Literal["non_inferior"] = about(told(("non_inferior",)))
    against: Text = about("The other model; default: the baseline.")
    margin: MarginKeys = about("The largest difference that does not matter.", example=0.01)


class FewHarmed(Gate):
    """Few queries, or few rows, lose more than a size."""

    rule: Literal["few_harmed"] = about(told(("few_harmed",)))
    against: Text = about("The other model; default: the baseline.")
    drop: Number = about("The loss on one query that counts, in the metric's unit.", example=0.2)
    value: MarginKeys = about("The largest share that may lose so much.", example="5%")


class NotWorseThanPrevious(Gate):
    """The model's value has not got worse since the previous run by more than a margin."""

    rule: Literal["not_worse_than_previous"] = about(told(("not_worse_than_previous",)))
    margin: MarginKeys = about("The largest move that does not matter.", example=0.01)


AnyGate = Annotated[
    Bound | Versus | NonInferior | FewHarmed | NotWorseThanPrevious, Field(discriminator="rule")
]

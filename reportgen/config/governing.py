"""What holds one report against others: other analyses of the same rows, the run before."""

from __future__ import annotations

from typing import Literal

from reportgen.config.fields import MarginKeys, Strict, Text, about


class OwnVariant(Strict):
    """Another analysis of the primary comparison."""

    name: Text = about("What it is called in the report.", example="half the margin")
    margin: MarginKeys = about("The margin in place of the declared one.", example=0.02)


class SensitivityKeys(Strict):
    """Other choices that the primary comparison is made with, to see what its verdict rests on."""

    variants: Literal["usual", "none"] = about(
        "usual: other intervals, a third of the resamples, without the rows that count most and "
        "without the largest slice of a segment, other definitions, buckets, costs, no weights, no "
        "clusters, one at a time. none: nothing else is tried.",
        "usual",
    )
    also: tuple[OwnVariant, ...] = about("Further analyses of your own.", (), max_length=4)


class Previous(Strict):
    """The run that this one is compared with."""

    path: Text = about(
        "The folder of its report, or its results.json.", example="last/results.json"
    )
    required: bool = about("Whether it must be there; else a first run is told as such.", False)
    models: dict[str, Text] = about(
        "What models were called in it, where that differs.", {}, example={"in_use": "new"}
    )

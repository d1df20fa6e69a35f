"""How a run is made and held against others: computing, warnings, other analyses, past runs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

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


class Compute(Strict):
    """How numbers are found where there are many rows."""

    exact: bool = about(
        "Find the bands of concordance and of rank lift row by row, where they would be found "
        "from rows in cells: from 50,000 rows on.",
        False,
        example=True,
    )


class Warnings(Strict):
    """Which warnings make the run fail."""

    fatal: tuple[Annotated[str, Field(pattern=r"^W[0-9]{3}$")], ...] = about(
        "Codes of warnings that fail the run.", (), example=["W101"]
    )

"""How a run is made and held against others: computing, warnings, other analyses, past runs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from reportgen.config.fields import MarginKeys, Replicates, Seed, Strict, Text, about


class OwnVariant(Strict):
    """Another analysis of the primary comparison: with another margin, or on other rows."""

    name: Text = about("What it is called in the report.", example="half the margin")
    margin: MarginKeys | None = about(
        "The margin in place of the declared one.", None, example=0.02
    )
    filter: Text | None = about(
        "Only the rows for which this is true, in the language of the datasets' filter.",
        None,
        example="tenure >= 3",
    )


class SensitivityKeys(Strict):
    """Other choices that the primary comparison is made with, to see what its verdict rests on."""

    variants: Literal["usual", "none"] = about(
        "usual: other intervals, a third of the resamples, without the rows that count most and "
        "without the largest slice of a segment, other definitions, buckets, costs, no weights, no "
        "clusters, one at a time. none: nothing else is tried.",
        "usual",
    )
    also: tuple[OwnVariant, ...] = about("Further analyses of your own.", (), max_length=4)


class PrivacyKeys(Strict):
    """What a report keeps to itself."""

    level: Literal["open", "standard", "strict"] = about(
        "open tells all that it can without ids; standard hides slices of fewer than 30 rows and "
        "bins and cells of fewer than 5; strict also the ends of columns and what single rows do, "
        "and bins and cells of fewer than 10.",
        "open",
    )
    min_segment: int | None = about(
        "Rows from which a slice is told.", None, example=50, ge=1, le=1_000_000
    )
    min_cell: int | None = about(
        "Rows from which a bin or a cell is told.", None, example=10, ge=1, le=1000
    )
    extremes: bool | None = about("Whether the ends of columns are told.", None, example=False)
    leverage: bool | None = about("Whether it is told what single rows do.", None, example=False)


class Previous(Strict):
    """The run that this one is compared with."""

    path: Text = about(
        "The folder of its report, or its results.json.", example="last/results.json"
    )
    required: bool = about("Whether it must be there; else a first run is told as such.", False)
    models: dict[str, Text] = about(
        "What models were called in it, where that differs.", {}, example={"in_use": "new"}
    )


class DaskEngine(Strict):
    """Workers of a Dask cluster, which read the rows as `engine: stream` does."""

    dask: Text = about(
        "The address of its scheduler; wants `pip install 'reportgen[dask]'`, on the workers too.",
        example="tcp://host:8786",
    )


class Compute(Strict):
    """How numbers are found where there are many rows."""

    engine: Annotated[
        Annotated[Literal["auto", "memory", "stream"], Tag("one")]
        | Annotated[DaskEngine, Tag("dask")],
        Discriminator(lambda given: "dask" if isinstance(given, dict | DaskEngine) else "one"),
    ] = about(
        "Where rows are held: memory, all at once; stream, read from Parquet row group by row "
        "group, for what adds up over rows; dask, the same by the workers of a cluster. auto is "
        "memory, and refuses more than 25 million rows of Parquet: the config then says which.",
        "auto",
    )
    memory: Annotated[str, Field(pattern=r"^[0-9]{1,6}(\.[0-9]{1,3})? ?(MB|GB)$")] | None = about(
        "How much memory streamed rows may take; where even the least does not fit, the run is "
        "refused, and says what does.",
        None,
        example="4GB",
    )

    @property
    def is_streamed(self) -> bool:
        """Whether rows are to be read piece by piece."""
        return self.engine == "stream" or self.is_by_dask

    @property
    def is_by_dask(self) -> bool:
        """Whether that is the work of a cluster."""
        return isinstance(self.engine, DaskEngine)

    @property
    def most_bytes(self) -> float | None:
        """The same in bytes."""
        if self.memory is None:
            return None
        return float(self.memory[:-2]) * (1e9 if self.memory.endswith("GB") else 1e6)

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


class Bootstrap(Strict):
    """How uncertainty is found."""

    replicates: Replicates | None = about("How many resamples; default: 1,999 or as needed.", None)
    seed: Seed = about(
        "Where the draws start; the same seed, the same report.", 1, example=20261121
    )
    interval: Text = about("The method; auto takes the best for each metric.", "auto")
    level: float = about("Coverage of the intervals.", 0.95, example=0.95, gt=0.5, le=0.99999)
    weights: Literal["multinomial", "poisson", "bayesian"] = about(
        "How units are drawn: as many as there are, each on its own, or with real weights.",
        "multinomial",
    )
    block: float | None = about(
        "Mean length of blocks of time, in times; default: found from the data.",
        None,
        example=12,
        ge=1,
        allow_inf_nan=False,
    )

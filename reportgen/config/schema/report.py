"""The report, its gates, and how a run is made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from reportgen.config.schema.fields import (
    MarginKeys,
    Number,
    Replicates,
    Seed,
    StrictModel,
    Text,
    describe_field,
)

Decision = Literal["replace", "choose", "rank", "shift", "enough", "meets"]


class SignOffKeys(StrictModel):
    """A line of the sign-off block; what is empty is left to the pen."""

    role: Text = describe_field("In which role somebody signs.", example="Model owner")
    name: str = describe_field("Who signs.", "")
    decision: str = describe_field("What was decided.", "")
    date: str = describe_field("When, as it shall be printed.", "")


class FindingKeys(StrictModel):
    """Something that whoever reviewed the models found, as it stands now."""

    id: Text = describe_field("Its number in your files.", example="F-12")
    text: str = describe_field("What was found.", "", example="Scores of new customers drift.")
    severity: str = describe_field("How serious it is, in your words.", "", example="high")
    owner: str = describe_field("Who is to settle it.", "", example="Pricing")
    due: str = describe_field("By when, as it shall be printed.", "", example="2026-12-31")
    status: str = describe_field("Where it stands.", "", example="open")


class ReportKeys(StrictModel):
    """Facts that the report states about itself."""

    title: Text = describe_field("The title on page one.", example="Wallet models, autumn review")
    id: Text | None = describe_field(
        "The report's number in your files.", None, example="WALLET-2026-11"
    )
    question: Text | None = describe_field("The question that the report decides.", None)
    audience: Text | None = describe_field("For whom it is written.", None)
    classification: Text | None = describe_field("A label on every page, such as INTERNAL.", None)
    status: Literal["DRAFT", "FINAL"] | None = describe_field(
        "DRAFT or FINAL, printed at the top; default: nothing, but DRAFT if somebody signs off.",
        None,
        example="DRAFT",
    )
    length: Literal["memo", "standard", "full"] = describe_field(
        "How much is printed as PDF and Markdown: memo is the decision and the tables of results; "
        "standard has at most 8 pages, 14 above 4 models or 8 metrics; full has every curve and "
        "every comparison. HTML always has all of it, folded.",
        "standard",
    )
    limitations: tuple[Text, ...] = describe_field(
        "What this report cannot show, one line each.", ()
    )
    sign_off: tuple[SignOffKeys, ...] = describe_field("Who signs: role, name, decision, date.", ())
    findings: tuple[FindingKeys, ...] = describe_field(
        "What a review found, printed beside the sign-off: id, text, severity, owner, due, status.",
        (),
    )
    show_ids: bool = describe_field(
        "Whether single rows may be named: their id, y and score.", False
    )
    psi: bool = describe_field(
        "Whether tables of what changed in the data have the population stability index.", False
    )
    decision: Decision | None = describe_field(
        "What the report is to decide. replace: whether one model should take the place of the "
        "baseline; choose: which model to use; rank: the order of the models; shift: which model "
        "with which correction of its scores; enough: whether the rows suffice to choose; meets: "
        "whether one model, without a baseline, is good enough. Default: replace with one "
        "candidate or with `about`, choose with several, meets without a baseline.",
        None,
        example="replace",
    )
    headline: tuple[Text, ...] = describe_field(
        "The metrics, besides the primary one, that page one has a row for, in this order; "
        "default: the first of each kind.",
        (),
        example=["mae"],
    )
    about: Text | None = describe_field(
        "The candidate that page one is about. With it, the report decides whether this one should "
        "replace the baseline, unless `decision` says otherwise.",
        None,
        example="boosted",
    )
    needs: Literal["better", "not_worse"] = describe_field(
        "What a candidate must be to replace the baseline. better: better than it on the primary "
        "metric; not_worse: not worse by the margin, as where the question begins with “May”.",
        "better",
        example="not_worse",
    )


class ReferenceUse(StrictModel):
    """What models are held against that takes no model."""

    name: Text = describe_field(
        "auto: what suits each metric, such as the median of the target, its commonest class, a "
        "random order. zero, mean, median: that amount for every row. last_value, seasonal: the "
        "target of an earlier row, by `time`. popularity: documents by the number of other queries "
        "they are relevant to. Any other name is that of a `value`.",
        example="zero",
    )
    by: Text | None = describe_field(
        "The column of the series within which rows are earlier: the cluster, or one of the "
        "segments.",
        None,
        example="shop",
    )
    lag: int | None = describe_field(
        "How many rows earlier, for seasonal.", None, example=7, ge=1, le=1_000_000
    )
    value: float | None = describe_field(
        "A value of the metric to hold models against, such as that of people.",
        None,
        example=0.93,
        allow_inf_nan=False,
    )
    metric: Text | None = describe_field(
        "The metric of the value; default: the primary one.", None, example="accuracy"
    )


class Pdf(StrictModel):
    """Files that the PDF carries."""

    attach: tuple[Literal["results", "config", "tables", "evidence"], ...] = describe_field(
        "The files inside it: results.json, the config with every default, a CSV for each figure "
        "and table, and the evidence: versions and hashes of inputs; [] for none.",
        ("config", "evidence"),
        example=["results", "config"],
    )


Colour = Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$")]


class ThemeKeys(StrictModel):
    """Appearance of the report."""

    accent: Colour | None = describe_field("The main colour.", None, example='"#0072B2"')
    colours: tuple[Colour, ...] = describe_field("The models' colours, in their order.", ())
    logo: Text | None = describe_field("An SVG or PNG file for the header.", None)
    fonts: Text | None = describe_field("A folder with more fonts.", None)


class OwnVariant(StrictModel):
    """Another analysis of the primary comparison: with another margin, or on other rows."""

    name: Text = describe_field("What it is called in the report.", example="half the margin")
    margin: MarginKeys | None = describe_field(
        "The margin in place of the declared one.", None, example=0.02
    )
    filter: Text | None = describe_field(
        "Only the rows for which this is true, in the language of the datasets' filter.",
        None,
        example="tenure >= 3",
    )


class SensitivityKeys(StrictModel):
    """Other choices that the primary comparison is made with, to see what its verdict rests on."""

    variants: Literal["usual", "none"] = describe_field(
        "usual: other intervals, a third of the resamples, without the rows that count most and "
        "without the largest segment of each column, other definitions, buckets, costs, no "
        "weights, no clusters, one at a time. none: nothing else is tried.",
        "usual",
    )
    also: tuple[OwnVariant, ...] = describe_field("Further analyses of your own.", (), max_length=4)


class PrivacyKeys(StrictModel):
    """Limits on what a report shows of the data."""

    level: Literal["open", "standard", "strict"] = describe_field(
        "open hides only ids. standard hides segments of fewer than 30 rows, and bins and cells of "
        "fewer than 5. strict also hides the ends of columns, the effects of single rows, and bins "
        "and cells of fewer than 10. Messages show values of rows only with open.",
        "open",
    )
    min_segment: int | None = describe_field(
        "The fewest rows of a segment that the report shows.", None, example=50, ge=1, le=1_000_000
    )
    min_cell: int | None = describe_field(
        "The fewest rows of a bin or a cell that the report shows.", None, example=10, ge=1, le=1000
    )
    extremes: bool | None = describe_field(
        "Whether to print the ends of columns and other values of few rows.", None, example=False
    )
    leverage: bool | None = describe_field(
        "Whether to print the effects of single rows.", None, example=False
    )


class Previous(StrictModel):
    """The run that this one is compared with."""

    path: Text = describe_field(
        "The folder of its report, or its results.json.", example="last/results.json"
    )
    required: bool = describe_field(
        "Whether it must be there; else a first run is told as such.", False
    )
    models: dict[str, Text] = describe_field(
        "What models were called in it, where that differs.", {}, example={"in_use": "new"}
    )


class DaskEngine(StrictModel):
    """Workers of a Dask cluster, which read the rows as `engine: stream` does."""

    dask: Text = describe_field(
        "The address of its scheduler. The package `distributed` must be installed, also on the "
        "workers.",
        example="tcp://host:8786",
    )


class Compute(StrictModel):
    """Settings of the computation where there are many rows."""

    engine: Annotated[
        Annotated[Literal["auto", "memory", "stream"], Tag("one")]
        | Annotated[DaskEngine, Tag("dask")],
        Discriminator(lambda given: "dask" if isinstance(given, dict | DaskEngine) else "one"),
    ] = describe_field(
        "Where rows are held: memory, all at once; stream, read from Parquet row group by row "
        "group; dask, the same by the workers of a cluster. auto is memory, and refuses more than "
        "25 million rows of Parquet: the config then says which.",
        "auto",
    )
    memory: Annotated[str, Field(pattern=r"^[0-9]{1,6}(\.[0-9]{1,3})? ?(MB|GB)$")] | None = (
        describe_field(
            "How much memory streamed rows may take. Without it the columns of metrics that ask "
            "for every row at once may take 8 GB. Where even the least does not fit, the run is "
            "refused, and says what does.",
            None,
            example="4GB",
        )
    )

    @property
    def is_streamed(self) -> bool:
        """True if rows are to be read piece by piece."""
        return self.engine == "stream" or self.is_by_dask

    @property
    def is_by_dask(self) -> bool:
        """True if that is the work of a cluster."""
        return isinstance(self.engine, DaskEngine)

    @property
    def most_bytes(self) -> float | None:
        """The same in bytes."""
        if self.memory is None:
            return None
        return float(self.memory[:-2]) * (1e9 if self.memory.endswith("GB") else 1e6)

    exact: bool = describe_field(
        "Find the bands of concordance and of rank lift row by row, where they would be found "
        "from rows in cells: from 50,000 rows on.",
        False,
        example=True,
    )


class Warnings(StrictModel):
    """Warnings that make the run fail."""

    fatal: tuple[Annotated[str, Field(pattern=r"^W[0-9]{3}$")], ...] = describe_field(
        "Codes of warnings that fail the run.", (), example=["W101"]
    )


class Bootstrap(StrictModel):
    """Settings for estimating uncertainty."""

    replicates: Replicates | None = describe_field(
        "How many resamples; default: 1,999 or as needed.", None
    )
    seed: Seed = describe_field(
        "Where the draws start; the same seed, the same report.", 1, example=20261121
    )
    interval: Text = describe_field("The method; auto takes the best for each metric.", "auto")
    level: float = describe_field(
        "Coverage of the intervals.", 0.95, example=0.95, gt=0.5, le=0.99999
    )
    weights: Literal["multinomial", "poisson", "bayesian"] = describe_field(
        "How units are drawn: as many as there are, each on its own, or with real weights.",
        "multinomial",
    )
    block: float | None = describe_field(
        "Mean length of blocks of time, in times; default: found from the data.",
        None,
        example=12,
        ge=1,
        allow_inf_nan=False,
    )


class InferenceKeys(StrictModel):
    """How often the same question is put to rows that keep coming."""

    sequential: bool = describe_field(
        "Whether differences on the primary metric have limits that hold at every analysis, "
        "however often rows are added and judged again; they are wider.",
        False,
    )
    largest_difference: float | None = describe_field(
        "With `sequential`: what the losses of two models on one row can differ by at most, for a "
        "metric without a largest value.",
        None,
        example=50,
        gt=0,
        allow_inf_nan=False,
    )


GATE_RULES: Mapping[str, str] = {
    "below": "The metric's interval lies below the value, or its size does where zero is best.",
    "above": "The metric's interval lies above the value; refused where zero is best.",
    "better": "The interval of the difference shows an improvement, by more than the margin if "
    "one is given.",
    "no_regression": "There is no evidence of harm beyond the margin. Thin evidence passes.",
    "non_inferior": "The interval of the difference shows that the model is not worse by more than "
    "the margin. Thin evidence does not pass.",
    "not_worse_than_previous": "There is no evidence that the model's value on all rows got worse "
    "since the `previous:` run by more than the margin. Skipped on a first run.",
    "few_harmed": "The interval of the share of queries that lose more than `drop` lies below the "
    "value; task: ranking.",
    "gap_below": "The interval of the gap between the segments of a column lies below the value: "
    "that of the largest value of a segment minus the smallest, or of the size of the difference "
    "between two.",
    "gap_no_wider": "The interval of the model's gap minus that of the other model lies below the "
    "margin. Thin evidence does not pass.",
}


def describe_rules(rules: Iterable[str]) -> str:
    """Describe what each rule demands, one sentence after the other.

    >>> describe_rules(["above"])
    "above: The metric's interval lies above the value; refused where zero is best."
    """
    return " ".join(f"{rule}: {GATE_RULES[rule]}" for rule in rules)


class Gate(StrictModel):
    """Keys that gates of every rule have in common."""

    name: Text = describe_field(
        "What the gate is called in every output.", example="error in bounds"
    )
    metric: Text = describe_field("One of the metrics, by label or name.", example="mae")
    model: Text = describe_field("The model that must pass.", example="boosted")
    dataset: Text = describe_field("The dataset it must pass on; default: the first.")
    segment: Text | None = describe_field(
        "A segment, column=value.", None, example="segment=repeat"
    )
    inconclusive: Literal["pass", "warn", "fail"] = describe_field(
        "What the gate counts as if the data cannot decide.", "warn"
    )


class Bound(Gate):
    """The metric's interval lies on the right side of a value."""

    rule: Literal["below", "above"] = describe_field(describe_rules(("below", "above")))
    value: Number = describe_field("The bound, in the metric's unit.", example=40)
    on: Literal["interval", "value"] = describe_field(
        "Judge the interval's bound, or only the estimate.", "interval"
    )


class Versus(Gate):
    """The model is judged against another by the interval of their difference."""

    rule: Literal["better", "no_regression"] = describe_field(
        describe_rules(("better", "no_regression"))
    )
    against: Text = describe_field(
        "The other model, or for better `reference`, what takes no model; default: the baseline."
    )
    margin: MarginKeys | None = describe_field("The smallest difference that matters.", None)


class NonInferior(Gate):
    """The model is not worse than another by more than a margin."""

    rule: Literal["non_inferior"] = describe_field(describe_rules(("non_inferior",)))
    against: Text = describe_field("The other model; default: the baseline.")
    margin: MarginKeys = describe_field("The smallest difference that matters.", example=0.01)


class FewHarmed(Gate):
    """Few queries, or few rows, lose more than a size."""

    rule: Literal["few_harmed"] = describe_field(describe_rules(("few_harmed",)))
    against: Text = describe_field("The other model; default: the baseline.")
    drop: Number = describe_field(
        "The loss on one query that counts, in the metric's unit.", example=0.2
    )
    value: MarginKeys = describe_field("The largest share that may lose so much.", example="5%")


class NotWorseThanPrevious(Gate):
    """The model's value has not got worse since the previous run by more than a margin."""

    rule: Literal["not_worse_than_previous"] = describe_field(
        describe_rules(("not_worse_than_previous",))
    )
    margin: MarginKeys = describe_field("The smallest move that matters.", example=0.01)


class Gap(Gate):
    """Keys of gates on the gap between segments."""

    segment: Text = describe_field("A column of the dataset's segments.", example="segment")
    between: tuple[Text, ...] = describe_field(
        "Two of its values; default: the one with the largest value of the metric and the one with "
        "the smallest.",
        (),
        example=["repeat", "once"],
    )


class GapBelow(Gap):
    """The gap between segments is below a value."""

    rule: Literal["gap_below"] = describe_field(describe_rules(("gap_below",)))
    value: Number = describe_field("The bound, in the metric's unit.", example=0.05)


class GapNoWider(Gap):
    """The gap between segments is not wider than another model's by a margin."""

    rule: Literal["gap_no_wider"] = describe_field(describe_rules(("gap_no_wider",)))
    against: Text = describe_field("The other model; default: the baseline.")
    margin: MarginKeys = describe_field(
        "The smallest increase of the gap that matters; a percent is one of the other model's gap.",
        example=0.02,
    )


AnyGate = Annotated[
    Bound | Versus | NonInferior | FewHarmed | NotWorseThanPrevious | GapBelow | GapNoWider,
    Field(discriminator="rule"),
]

"""Metrics, models, datasets, estimates, comparisons, gates and warnings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from reportgen.records import record
from reportgen.results.types import (
    PASSED,
    Better,
    Counted,
    DecisionKind,
    Family,
    GateRule,
    Kind,
    Lacking,
    Needed,
    Number,
    Params,
    RequirementStatus,
    Scalar,
    Status,
    Word,
)
from reportgen.terms import Scale

FoldQuestion = Literal["procedure", "fitted"]


@record
class FoldValue:
    """One metric of one model on the `n` rows of one fold; `round` is "" where there is one."""

    dataset: str
    round: str
    fold: str
    n: int
    key: str
    model: str
    value: Number


@record
class FoldComparison:
    """A candidate minus the baseline on all rows, with the interval that answers one question.

    `procedure` asks about the algorithm, retrained on as many new rows; `fitted` about the
    models that made these scores. `is_asked` marks the one on which verdicts and gates rest. No
    interval allows for other comparisons.
    """

    dataset: str
    key: str
    candidate: str
    baseline: str
    question: FoldQuestion
    is_asked: bool
    difference: Number
    low: Number
    high: Number
    level: float
    p_value: Number
    method: str
    test: str


@record
class InputFile:
    """A file that was read: its path as the config wrote it, and what it held.

    Rows of a database have the `statement` that selected them, the name of its `connection`, the
    `driver` that a config names, and a digest of the rows in any order.
    """

    path: str
    role: str
    sha256: str
    rows: int
    size_bytes: int
    statement: str | None = None
    connection: str | None = None
    driver: str | None = None


@record
class Artifact:
    """The file that a model is kept in, as the config says; it is not opened."""

    sha256: str
    uri: str | None = None


@record
class TrainedOn:
    """The ids that a model was trained on, and how many of each dataset's are among them.

    `ids` counts different ones. A dataset whose rows have no ids is not in `shared`,
    nor is one that is `hidden`, as too few rows, or all but too few, are in both.
    """

    files: tuple[InputFile, ...]
    ids: int
    shared: dict[str, int] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()


@record
class ModelInfo:
    """A model as the config declares it; `scale` says whether its score is an amount or a rank.

    A `benchmark` is a simple model, which is compared but never recommended. `version`, `owner`
    and `artifact` are what the config says. In the `order` ascending or rank a low score says more.
    `allow` names the checks of it that may fail, with reasons.
    """

    name: str
    label: str
    role: Literal["baseline", "candidate", "benchmark"]
    scale: Scale
    version: str | None = None
    owner: str | None = None
    artifact: Artifact | None = None
    trained_on: TrainedOn | None = None
    order: Literal["descending", "ascending", "rank"] = "descending"
    allow: Mapping[str, str] = field(default_factory=dict)


@record
class DatasetDigests:
    """Digests of one dataset as it is used: after joins, filters and sampling, sorted by id.

    `ids` says which rows there are; `rows` also what is known of them but the scores: y, weight,
    cluster, stratum, fold, time. `scores` are those of each model by its name. `design` says which
    resamples were drawn, so that replicate r of two runs is the same draw where it is the same.
    `replicates` names what is kept of the resamples of all rows, by model and metric.
    """

    dataset: str
    ids: str
    rows: str
    scores: dict[str, str]
    design: str = ""
    replicates: dict[str, dict[str, str]] = field(default_factory=dict)


@record
class Digests:
    """Digests of a run; `decision` covers the config's part that can change an answer, as `rule`.

    `config` is of the whole config with its defaults, `metrics` of the definition of each metric
    by its key, `code` of the sources of what computes, plug-ins among them. A part of the config is
    hashed in its canonical form (RFC 8785).
    """

    decision: str
    config: str
    code: str
    metrics: dict[str, str]
    datasets: tuple[DatasetDigests, ...]


SCHEMA_VERSION = 3
SCHEMA_MINOR = 0
"""What was added within the version: optional fields only, one step for each release with any."""


@record
class MetricInfo:
    """A metric as used here: what it judges (`needs`), what it says in plain words (`asks`).

    `kind` says which metrics answer one question with other weights; one that `is_partial` looks at
    one side of it alone. `phrase` is what page one calls it, its label where empty; `verb` says
    what a better model does. `usual` are the parameters that it has where nobody says
    otherwise, `title` is what the metric is called, whatever a config calls it.
    """

    key: str
    name: str
    params: Params
    label: str
    better: Better
    unit: str
    bounds: tuple[Number, Number]
    definition: str
    undefined: str
    cite: str
    margin: Number = None
    margin_text: str = ""
    is_primary: bool = False
    needs: Literal["amount", "order", "probability", "label"] = "amount"
    caveat: str = ""
    withstands: str = ""
    asks: str = ""
    kind: Kind = "amount"
    is_partial: bool = False
    phrase: str = ""
    verb: str = ""
    usual: Params = field(default_factory=dict)
    title: str = ""

    @property
    def question(self) -> str:
        """The question that the metric answers: its kind, or its key for scores of answers."""
        return self.key if self.kind == "answers" else self.kind


@record
class WaterfallStep:
    """Rows left after a step, and why some went."""

    step: str
    rows: int
    removed: int
    reason: str


@record
class ColumnProfile:
    """Profile of a numeric column; `tied_pairs` is the share of pairs of equal values.

    A `count` is how many of something each row has: documents of a query. `is_flag` says that the
    values are 0 and 1, of two classes. `quantiles` are values in the middle of equal parts of the
    rows, which say how far another run's are away; empty where few rows would show in them.
    """

    role: Literal["y", "score", "weight", "cost", "count"]
    model: str | None
    column: str
    n: int
    distinct: int
    zeros: int
    minimum: Number
    q25: Number
    median: Number
    mean: Number
    q75: Number
    maximum: Number
    sd: Number
    mode: Number
    mode_share: Number
    tied_pairs: Number
    is_flag: bool = False
    quantiles: tuple[Number, ...] = ()


@record
class SegmentInfo:
    """A segment of rows: `segment` is the name used everywhere, `column=value`.

    `label` and `value_label` are what the report calls the column and its value, if anything else.
    """

    segment: str
    column: str
    value: str
    n: int
    label: str = ""
    value_label: str = ""


@record
class ClassInfo:
    """A class of the target: its value in the data, what the report calls it, how many rows.

    Where the number `is_hidden`, since too few rows have it to be told, `n` is 0.
    """

    value: str
    name: str
    n: int
    is_hidden: bool = False


@record
class DatasetInfo:
    """Facts about one dataset: its rows, its files, its columns.

    `design` says what is resampled, and is empty where nothing is judged. `cluster` is the column
    of the rows that are drawn together, and `block_length` the mean length of blocks of time, in
    times. `is_numbered` says that no column names the rows, `effective_n` how many rows of equal
    weight know as much (Kish), `replicates` how often rows were drawn, `curve_replicates` how many
    of these curves use where not all. `case` are the nouns for one row and for several,
    `positive_case` those for positive rows, `target_label` what the report calls the target, if not
    by its column. `classes` are those of the target where they have names, of two the positive
    last. Where a row may have any number of them, `labels_per_row` are their mean, least and
    largest number. `unlabelled` is how many rows have no class that anybody knows: no model calls
    them. `fold` is the column of the folds whose models scored the rows, `repeat` that of rounds;
    `hidden` are segments whose results are withheld, since they have too few rows. `reading` lists
    what was skipped or converted in the files, such as decimal commas. `question` says what
    intervals answer there, and `train_share` which part of all rows each model was fitted on.
    `is_streamed` says that its rows were read piece by piece.
    """

    name: str
    role: Literal["test", "fit"]
    target: str
    unit: str
    n: int
    weight: str | None
    cluster: str | None
    clusters: int | None
    design: str
    inputs: tuple[InputFile, ...]
    waterfall: tuple[WaterfallStep, ...]
    columns: tuple[ColumnProfile, ...]
    segments: tuple[SegmentInfo, ...]
    time: str | None = None
    block_length: Number = None
    fold: str | None = None
    folds: int | None = None
    repeat: str | None = None
    rounds: int | None = None
    question: FoldQuestion | None = None
    train_share: Number = None
    is_pooled: bool = False
    is_numbered: bool = False
    effective_n: Number = None
    replicates: int | None = None
    curve_replicates: int | None = None
    target_label: str = ""
    case: tuple[str, str] = ("row", "rows")
    positive_case: tuple[str, str] = ("positive", "positives")
    classes: tuple[ClassInfo, ...] = ()
    labels_per_row: tuple[Number, Number, Number] | None = None
    unlabelled: int | None = None
    hidden: tuple[str, ...] = ()
    is_streamed: bool = False
    reading: tuple[str, ...] | None = None


@record
class Estimate:
    """One metric of one model on one set of rows; `segment` is None for all rows.

    Where `is_few` holds there are too few units for a gate to rest on it: `lacks` says of what.
    Of a metric on all rows, `bootstrap_variance` is that of the resamples and `formula_variance`
    that of the formula named by `variance_formula`, where there are both. Where its tail is
    heavy, `tail_reach` is how far three more units as extreme as the most extreme one would move
    the value. Where it `is_decided_by_few` no interval holds it, so that it meets no requirement.
    """

    dataset: str
    segment: str | None
    model: str
    key: str
    metric: str
    params: Params
    unit: str
    value: Number
    low: Number
    high: Number
    level: float
    method: str
    se: Number
    n: int
    status: Status = "ok"
    reason: str = ""
    is_few: bool = False
    lacks: Lacking = ""
    bootstrap_variance: Number = None
    formula_variance: Number = None
    variance_formula: str = ""
    tail_reach: Number = None
    is_decided_by_few: bool = False


@record
class Comparison:
    """A candidate minus the baseline on the same rows and the same resamples.

    `favours` is the model that the sign of the difference speaks for. `low`, `high` are at `level`
    and allow for the `family_size` comparisons of the family, 1 where they are unadjusted. They are
    the only interval, and `word`, the verdict, rests on them. `p_value` and `p_adjusted`
    are of `test`; None where it rests on another method than the interval.
    `n` counts rows; `units`, `units_to_detect` what was resampled, each of which is a `counted`.
    `units_to_detect` show a true difference of the margin with 80% power, whatever this one is;
    with few units `units_to_detect_low` to `units_to_detect_high` do.
    `replicates_to_settle` is how many resamples limits for the family take, where there are fewer.
    `is_same`: 0 on every unit, and of calls
    one score of both. Where `is_few` holds there are too few units for a verdict or a gate
    and no limits; `lacks` says of what. `tail_reach`, `is_decided_by_few`: as those of an estimate.
    Of limits that hold at every analysis, by the `method` anytime, `e_value` is the evidence
    against no difference, and `times_as_wide` compares them with limits for one analysis.
    """

    dataset: str
    segment: str | None
    key: str
    metric: str
    params: Params
    unit: str
    better: Better
    candidate: str
    baseline: str
    difference: Number
    favours: str | None
    low: Number
    high: Number
    level: float
    method: str
    se: Number
    p_value: Number
    p_adjusted: Number
    test: str
    probability_better: Number
    margin: Number
    word: Word
    n: int
    units: int | None = None
    counted: Counted = "row"
    smallest_detectable: Number = None
    units_to_detect: int | None = None
    units_to_detect_low: int | None = None
    units_to_detect_high: int | None = None
    replicates_to_settle: int | None = None
    is_method_sensitive: bool = False
    family: Family = "metrics"
    family_size: int = 1
    is_same: bool = False
    is_few: bool = False
    lacks: Lacking = ""
    status: Status = "ok"
    reason: str = ""
    tail_reach: Number = None
    is_decided_by_few: bool = False
    e_value: Number = None
    times_as_wide: Number = None


@record
class ModelPair:
    """The first of two models minus the second on the primary metric.

    Pairs tell which of the better models is best, or the order of all. One with the baseline is the
    comparison with it; the others are a family of their own.
    """

    dataset: str
    key: str
    first: str
    second: str
    better: Better
    difference: Number
    low: Number
    high: Number
    level: float
    family: Family
    family_size: int
    margin: Number
    word: Word
    reason: str = ""


@record
class GateResult:
    """Result of a gate; `inconclusive` is what the config makes an open gate count as.

    `file` and `line` say where the gate is written: the file as its repository names it. `drop` is
    the loss on one row that counts, where the value is the share of rows that lose more.
    `held_by` is the check of the input that decides the status in place of the numbers, or
    `heavy_tail`, which leaves open what the numbers alone would meet.
    `counts_as_open` says that such a gate makes the run fail as an open one does. Of a gap, `by` is
    the column of the segments, `between` are two of its values if it names them.
    """

    name: str
    status: RequirementStatus
    reason: str
    rule: GateRule
    dataset: str
    segment: str | None
    key: str
    metric: str
    model: str
    against: str | None
    bound: Number
    value: Number
    low: Number
    high: Number
    level: float
    inconclusive: Literal["pass", "warn", "fail"]
    file: str = ""
    line: int | None = None
    drop: Number = None
    counts_as_open: bool = False
    held_by: str = ""
    by: str = ""
    between: tuple[str, ...] = ()

    @property
    def is_of_gap(self) -> bool:
        """True where its value is a gap between segments, or how one changes."""
        return bool(self.by)

    @property
    def is_of_difference(self) -> bool:
        """True where its value is a difference, and its bound a margin."""
        return self.against is not None and self.drop is None

    @property
    def is_failure(self) -> bool:
        """True where this finding makes the run fail."""
        is_open = self.status == "cannot tell" or self.counts_as_open
        return self.status == "not met" or (is_open and self.inconclusive == "fail")

    @property
    def is_passed(self) -> bool:
        """True where it is met, or asks for evidence of harm and none is seen."""
        return self.status in PASSED


@record
class Warning:
    """A coded warning: the code is stable, the numbers are its evidence, the text says it."""

    code: str
    text: str
    numbers: dict[str, Scalar] = field(default_factory=dict)
    dataset: str | None = None
    segment: str | None = None
    key: str | None = None
    model: str | None = None
    is_fatal: bool = False


Length = Literal["memo", "standard", "full"]
"""How much is printed; the HTML page always has all of it, folded."""


@record
class ReportInfo:
    """Statements of the config about the report itself.

    `decision` and `about` are the question (`results.question`), `needs` is what a candidate must
    be to replace the baseline. `headline` names the metrics that page one shows; empty leaves it to
    the results. `sections` are those asked for; () for all. `lacking` is what keeps a report that
    is to be FINAL from being so. `on_stop` says how a run ends whose data support no judgement,
    `has_psi` that tables of what changed in the data have the population stability index.
    """

    title: str
    id: str | None = None
    question: str | None = None
    audience: str | None = None
    classification: str | None = None
    status: Literal["DRAFT", "FINAL"] = "DRAFT"
    status_reason: str = ""
    limitations: tuple[str, ...] = ()
    sign_off: tuple[dict[str, str], ...] = ()
    sections: tuple[str, ...] = ()
    decision: DecisionKind | None = None
    about: str | None = None
    needs: Needed = "better"
    headline: tuple[str, ...] = ()
    length: Length = "standard"
    attached: tuple[str, ...] = ("config", "evidence")
    lacking: tuple[str, ...] = ()
    findings: tuple[dict[str, str], ...] = ()
    on_stop: Literal["error", "inconclusive"] = "error"
    has_psi: bool = False


@record
class Inference:
    """Facts on how uncertainty was found, one a line; `block` is the length that was declared.

    `test` is the one that the config asks for, `by metric` where it names several. `primary`
    decides as the first metric listed, unless it `is_primary_declared`.
    """

    replicates: int
    seed: int
    level: float
    interval: str
    against: Literal["baseline", "all"]
    adjust: str
    primary: str | None
    primary_dataset: str
    is_primary_declared: bool = True
    weights: Literal["multinomial", "poisson", "bayesian"] = "multinomial"
    block: Number = None
    test: str = "auto"

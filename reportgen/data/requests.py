"""What to read: files and columns, each with its place in the config."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from reportgen.errors import ConfigPath
from reportgen.records import record
from reportgen.terms import DERIVED

Missing = Literal["error", "drop", "intersect", "zero"]
Match = Literal["exact", "loose"]
Order = Literal["descending", "ascending", "rank"]
UnitKind = Literal["cluster", "query"]  # of units that several rows belong to


@record
class ColumnRequest:
    """A column by the name that is printed; `source` is what the file calls it, if not so.

    One of a class may go by a `pattern`, as it is printed.
    """

    name: str
    at: ConfigPath = ()
    source: str = ""
    pattern: str = ""


@record
class FileOptions:
    """The format of a file as the config names it; None where the content decides.

    `delimiter` stands between the fields of a text, `decimal` and `thousands` are marks in its
    numbers. `columns` are the names of all columns of a file without a header, and `skip_rows`
    lines stand before its header. `sheet` names that of a workbook. `is_first_of_equals` says that
    only the first of equal lines of judgements or of a run counts.
    """

    format: str | None = None
    encoding: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    columns: tuple[str, ...] = ()
    skip_rows: int = 0
    sheet: str | None = None
    is_first_of_equals: bool = False


@record
class SqlRequest:
    """A statement that selects rows of a database, as it is run and as it is printed.

    `connection` names the environment variable with the URI, `name` is what is printed for it;
    rows are sorted by the column `id`. `driver` is one of ADBC that the config names, printed
    as `driver_name`.
    """

    statement: str
    shown: str
    connection: str
    id: str = ""
    name: str = ""
    driver: str = ""
    driver_name: str = ""


@record
class LongRequest:
    """Columns of a long table, which has a row for each id and model, and its models.

    `models` are the values of the column `model` by the name of the column that each becomes.
    Scores that are `is_text` name classes. If `is_loose`, ids that differ only in how they are
    written are the same.
    """

    id: ColumnRequest
    model: ColumnRequest
    score: ColumnRequest
    models: Mapping[str, str]
    is_text: bool = False
    is_loose: bool = False


SAMPLES, SPREAD, PASSES = "samples", "spread", "passes"
HUMAN_PARTS = (
    "labelled",
    "human sum",
    "judge sum",
    "both",
    "human passes",
    "judge passes",
    "judge mean",
)
"""What is known of each item's samples: how many, their squares, how many pass; as a human says.

The judge's sum and its mean over all samples are on the scale of the human's labels.
"""


@record
class ItemScoreRequest:
    """A score of answers: its column, its range, and from which values on a sample passes.

    `needed` are the samples that each item must have, and the metric that needs them.
    """

    column: ColumnRequest
    bounds: tuple[float | None, float | None] = (None, None)
    passing: tuple[float, ...] = ()
    needed: tuple[int, str] = (1, "")


@record
class HumanRequest:
    """Human labels of samples: their column, and the name of the judge's score.

    `least` is the score from which a sample passes; None where the config does not say.
    """

    column: ColumnRequest
    score: str
    least: float | None = None


@record
class ItemsRequest:
    """Columns of a table with a row for each item, model and sample.

    `models` are the values of the column `model` by the name of a model, `scores` by their name.
    The samples of an item are numbered by `sample`; None where each has one.
    """

    id: ColumnRequest
    model: ColumnRequest
    sample: ColumnRequest | None
    scores: Mapping[str, ItemScoreRequest]
    models: Mapping[str, str]
    missing: Missing = "error"
    human: HumanRequest | None = None
    dataset: str = ""
    is_loose: bool = False

    @property
    def columns(self) -> tuple[ColumnRequest, ...]:
        """All columns of the file that are read into scores."""
        named = (self.id, self.model, self.sample, self.human and self.human.column)
        return (*(each for each in named if each), *(s.column for s in self.scores.values()))

    @property
    def parts(self) -> dict[str, tuple[str, str]]:
        """The values of each item and model: a score and a part, "" for its mean, by name."""
        return {
            f"{name}{DERIVED}{part}" if part else name: (name, part)
            for name, score in self.scores.items()
            for part in (
                "",
                SAMPLES,
                SPREAD,
                *(f"{PASSES} {least:g}" for least in score.passing),
                *(HUMAN_PARTS if self.human and self.human.score == name else ()),
            )
        }


def name_item_column(model: str, score: str, part: str = "") -> str:
    """Name the column of a model's score of items, or of something that is derived from it.

    >>> name_item_column("A", "exact")
    'exact of A'
    """
    return f"{score} of {model}" + (f"{DERIVED}{part}" if part else "")


@record
class TableRequest:
    """A file, a folder, or a glob; `id` names the column that joins tables.

    `max_unpacked` is how many bytes compressed files may hold in all, None for half of the memory.
    `printed` is how the report calls it, without folders of this machine; default: its last part
    if `shown` is absolute. `is_hidden` says that a part of it came from the environment; then
    `purpose`, what the file is for, stands next to it in messages and in the list of inputs.
    `fields` are the columns of a file that does not name them, as TREC's do not. `long` says how
    a long table becomes a wide one, `items` how one of answers to items does, `sql` which rows of
    a database take the place of a file. A request that `may_be_logs` reads logs of evaluations.
    """

    path: str
    shown: str
    id: ColumnRequest | None = None
    at: ConfigPath = ()
    max_unpacked: int | None = None
    options: FileOptions = FileOptions()
    printed: str = ""
    is_hidden: bool = False
    fields: tuple[str, ...] = ()
    long: LongRequest | None = None
    items: ItemsRequest | None = None
    may_be_logs: bool = False
    sql: SqlRequest | None = None

    @property
    def purpose(self) -> str:
        """Dataset and model of the file, by its place in the config; empty if not known."""
        at = map(str, self.at)  # datasets, NAME, path, or models, NAME, scores, DATASET, path
        named = {"datasets": "dataset", "models": "model", "scores": "dataset"}
        owners = [
            f"{named[key]} {name!r}" for key, name in zip(at, at, strict=False) if key in named
        ]
        return ", ".join(owners)

    @property
    def keys_at(self) -> str:
        """The place of the keys of the format, as ` under PLACE`; empty if there is none."""
        parts = [str(part) for part in self.at]
        if parts[:1] == ["datasets"]:
            return f" under {'.'.join(parts[:2])}"
        if parts[:1] == ["models"] and "scores" in parts:
            return f" under {'.'.join(parts[:4])}"
        return f" under datasets.{parts[3]}" if len(parts) > 4 else ""

    @property
    def header_key(self) -> str:
        """The key that names the columns of a file without a header."""
        return "header" if "scores" in self.at else "columns"

    @property
    def header_at(self) -> str:
        """The place of that key, as ` under PLACE`; empty if there is none."""
        is_list = "qrels" in self.at or "run" in self.at
        return f" under {'.'.join(map(str, self.at[:-1]))}" if is_list else self.keys_at


@record
class SegmentRequest:
    """A column that slices the rows: by its text, or by the `bins` of its numbers.

    k edges make k − 1 bins, closed below and open above, the last closed on both sides.
    """

    column: str
    bins: tuple[float, ...] | None = None
    at: ConfigPath = ()
    source: str = ""


@record
class SampleRequest:
    """A fixed choice of `n` rows, the same for the same `seed` and ids."""

    n: int
    seed: int
    at: ConfigPath = ()


@record
class ScoreTransform:
    """How the scores of a model are converted: by a function, or a factor."""

    name: Literal["exp", "expm1", "times"]
    factor: float = 1.0


@record
class ModelRequest:
    """Location of a model's score: its own `scores` table, else the dataset's table.

    `parts` are further columns by the name that metrics know them by (a standard deviation,
    quantiles), or by the value of a class. A score that `is_probability` lies between 0 and 1; one
    that `is_label` names a class. `sums` says what to do where probabilities do not sum to 1,
    `transform` how scores are converted.
    """

    column: ColumnRequest
    parts: Mapping[str, ColumnRequest] = field(default_factory=dict)
    scores: TableRequest | None = None
    is_probability: bool = False
    is_label: bool = False
    sums: Literal["error", "normalise"] = "error"
    transform: ScoreTransform | None = None


@record
class SubsetRequest:
    """Rows to be looked at alone, by the expression that they fulfil; `shown` if that is hidden."""

    name: str
    filter: str
    shown: str | None = None
    at: ConfigPath = ()


@record
class RunRequest:
    """The answers of one model to queries, or judgements: a file, and its columns."""

    table: TableRequest
    query: ColumnRequest
    document: ColumnRequest
    score: ColumnRequest


@record
class LetorRequest:
    """Documents with their grades, line by line, and each model's `scores` in the same order.

    `sizes` is a file of how many documents each query has, where their lines do not name it.
    """

    table: TableRequest
    grade: ColumnRequest
    scores: Mapping[str, TableRequest]
    sizes: TableRequest | None = None


@record
class RankedRequest:
    """Rules by which rows that are documents become queries.

    `qrels` is a file of judgements, and `runs` are the answers by model; or all stand line by
    line, as `letor` says. Without either the documents of all models stand in the dataset's own
    table, with the `document` column as their id. `queries` has a row for each query, named by its
    id. The rest are policies: what happens to documents that nobody judged, documents and queries
    that a model lacks, and negative grades.
    `is_by_id` says that tied documents are put in the order of their ids, which they must have.
    `are_all_by_id` says that every metric does so, `are_powers` that one takes 2^grade as a gain.
    `relevant` is the lowest grade of a document that is relevant.
    `grades` are what labels stand for; `ranks` how many ranks any metric looks at, None for all.
    `orders` say what scores do down a list, by model: fall, where nothing is said. `match` is that
    of the `dataset` of this name.
    """

    qrels: RunRequest | None = None
    runs: Mapping[str, RunRequest] = field(default_factory=dict)
    letor: LetorRequest | None = None
    queries: TableRequest | None = None
    document: ColumnRequest | None = None
    unjudged: Literal["not_relevant", "drop", "error"] = "not_relevant"
    missing_document: Literal["unretrieved", "last", "error"] | None = None
    missing_query: Literal["zero", "drop", "error"] = "zero"
    negative: Literal["pooled", "not_relevant"] = "pooled"
    is_by_id: bool = False
    are_all_by_id: bool = False
    are_powers: bool = False
    relevant: float = 1.0
    grades: Mapping[str, float] = field(default_factory=dict)
    ranks: int | None = None
    orders: Mapping[str, Order] = field(default_factory=dict)
    match: Match | None = None
    dataset: str = ""


@record
class ClassRequest:
    """Classes that a target may hold: `names` of its values, none where the data define them.

    `is_two` says that it has two, of which `positive` is the upper one; without it 1, or true.
    `are_labels` says that a row may have any number of them: one of `columns` for each says which,
    or the target lists them with a `separator` between them. `is_of_flagged` says that rows that no
    model calls may lack a target, `are_found` that no config names the classes. `misspelt` are
    those that models alone name. A target of numbers is of the upper class `above` one, or above
    one of its own quantiles.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    is_two: bool = False
    positive: ColumnRequest | None = None
    are_labels: bool = False
    columns: Mapping[str, ColumnRequest] = field(default_factory=dict)
    separator: str | None = None
    is_of_flagged: bool = False
    are_found: bool = False
    misspelt: frozenset[str] = frozenset()
    above: float | None = None
    quantile: float | None = None

    @property
    def all_names(self) -> tuple[str, ...]:
        """The values that the config names."""
        return (*self.names, *([self.positive.source] if self.positive else []))

    @property
    def is_cut(self) -> bool:
        """True if the target is a number that is cut in two."""
        return self.above is not None or self.quantile is not None


@record
class DatasetRequest:
    """One dataset: its table, wide or of labels only, and what its columns mean.

    `missing` says what happens to rows that not every model can be judged on: `error` refuses
    them; `drop` removes rows with a missing value, ids must still match; `intersect` keeps the
    rows that are present and complete everywhere. A target of classes has `classes`.

    Each value of the column `balance` counts alike, and is a stratum. With a column `repeat` of
    rounds an id has a row in each round.

    One that `is_finished` has no target: a row holds what each model reached elsewhere, within
    `bounds` if there are any.

    A row stands for as many cases as `count` says: each is then a row of its own.
    `second_target` holds the class by a second judge.

    `costs` are columns of unit costs by their side: `under`, `over`. `ranked` says how the rows
    are documents of queries, where they are.

    `match` says whether names that differ only in how they are written are the same (`loose`) or
    others (`exact`); None refuses them.
    """

    name: str
    table: TableRequest
    target: ColumnRequest
    models: Mapping[str, ModelRequest]
    unit: str = ""
    weight: ColumnRequest | None = None
    count: ColumnRequest | None = None
    cluster: ColumnRequest | None = None
    strata: ColumnRequest | None = None
    balance: ColumnRequest | None = None
    query: ColumnRequest | None = None
    fold: ColumnRequest | None = None
    repeat: ColumnRequest | None = None
    second_target: ColumnRequest | None = None
    time: ColumnRequest | None = None
    segments: tuple[SegmentRequest, ...] = ()
    filter: str | None = None
    filter_shown: str | None = None
    filter_at: ConfigPath = ()
    subsets: tuple[SubsetRequest, ...] = ()
    sample: SampleRequest | None = None
    missing: Missing = "error"
    role: Literal["test", "fit"] = "test"
    costs: Mapping[str, ColumnRequest] = field(default_factory=dict)
    classes: ClassRequest | None = None
    ranked: RankedRequest | None = None
    is_finished: bool = False
    bounds: tuple[float | None, float | None] | None = None
    match: Match | None = None

    @property
    def in_doubt(self) -> str:
        """Name of the dataset if names that differ only in how they are written are refused."""
        return "" if self.match else self.name

    @property
    def has_labels(self) -> bool:
        """True if a row may have any number of classes."""
        return self.classes is not None and self.classes.are_labels

    @property
    def resampling_unit(self) -> tuple[UnitKind, ColumnRequest] | None:
        """Kind of unit that is resampled whole, and its column: clusters come first."""
        if self.cluster is not None:
            return "cluster", self.cluster
        if self.repeat is not None and self.table.id is not None:
            return "cluster", self.table.id
        if self.query is None or self.ranked is not None:  # a query may be a row itself
            return None
        return "query", self.query

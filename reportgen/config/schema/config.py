"""The whole config."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from reportgen.config.schema.costs import Costs, Thresholds
from reportgen.config.schema.datasets import (
    AcrossKeys,
    Case,
    FoldKeys,
    ItemScoreKeys,
    JudgeKeys,
    Labels,
    LetorKeys,
    Model,
    PositiveClass,
    PrevalenceKeys,
    QrelsKeys,
    QueriesFileKeys,
    RankingKeys,
    SampleOf,
    ScoreKeys,
    SegmentKeys,
)
from reportgen.config.schema.fields import (
    Buckets,
    Delimiter,
    Header,
    MarginKeys,
    Positive,
    StrictModel,
    Text,
    TextFileKeys,
    describe_field,
    schema_error,
)
from reportgen.config.schema.report import (
    AnyGate,
    Bootstrap,
    Compute,
    InferenceKeys,
    Pdf,
    Previous,
    PrivacyKeys,
    ReferenceUse,
    ReportKeys,
    SensitivityKeys,
    ThemeKeys,
    Warnings,
)
from reportgen.terms import REFERENCE


class Dataset(TextFileKeys):
    """Rows to judge the models on."""

    path: Text | None = describe_field(
        "A wide table: a file, or a glob.", None, example="data/cdnow.csv"
    )
    sql: Text | None = describe_field(
        "One `select` whose rows are the table, in place of a path.",
        None,
        example="select * from scores where month = '2026-10'",
    )
    sql_file: Text | None = describe_field(
        "A file with that statement.", None, example="queries/holdout.sql"
    )
    connection: Text | None = describe_field(
        "The environment variable with the URI of the database for sql: postgresql://…, "
        "sqlite:///FILE or duckdb:///FILE.",
        None,
        example="WAREHOUSE",
    )
    driver: Text | None = describe_field(
        "An installed driver of ADBC for another kind of database.",
        None,
        example="adbc_driver_flightsql",
    )
    labels: Labels | None = describe_field(
        "The file with the target, where scores have files of their own.", None
    )
    id: Text | None = describe_field(
        "The column that names each row; default, for one wide table: the row's number.",
        None,
        example="customer_id",
    )
    qrels: QrelsKeys | None = describe_field("A file of judgements; models then have runs.", None)
    letor: LetorKeys | None = describe_field(
        "A file of documents with their grades, line by line; models then have lines.", None
    )
    queries: QueriesFileKeys | None = describe_field(
        "A file with a line for each query of qrels or letor: weight, cluster, segments.", None
    )
    target: Text = describe_field(
        "The column to predict, or a pattern such as y_{class} for a column of each "
        "label that a row may have; default, with qrels or letor: grade.",
        example="spend",
    )
    model: Text | None = describe_field(
        "The column that names the model, of a long table with a row for each id and model; models "
        "then have `is`, the value there; default: their key.",
        None,
        example="model",
    )
    score: Text | None = describe_field(
        "The column with the scores of all models, of a long table.", None, example="score"
    )
    samples: Text | None = describe_field(
        "The column that numbers the samples of an item and model, where scores are of answers; "
        "default: sample, if there is such a column.",
        None,
        example="epoch",
    )
    separator: Text | None = describe_field(
        "What stands between the labels of a row, where one column lists them.", None, example="|"
    )
    positive: PositiveClass | None = describe_field(
        "The value of the target that is the positive class of two; or where a target of numbers "
        "is cut in two: {above: 100} or {quantile: 0.9}; default: 1, or true.",
        None,
        example="yes",
    )
    second_target: Text | None = describe_field(
        "The column with the class of each row by a second judge, who may have left rows out: how "
        "far two judges agree is a ceiling for models.",
        None,
        example="second_reader",
    )
    target_label: Text | None = describe_field(
        "What the target is called in the report; default: its column.",
        None,
        example="spend in nine months",
    )
    unit: Text | None = describe_field(
        "The target's unit, as it shall be printed.", None, example="USD"
    )
    case: Case | None = describe_field(
        "What a row is, as a noun or as `{one, many}`; default: row, or score with `repeat`.",
        None,
        example="customer",
    )
    positive_case: Case | None = describe_field(
        "What a positive row is, as a noun or as `{one, many}`; default: positive.",
        None,
        example="leaver",
    )
    weight: Text | None = describe_field("The column that says how much a row counts.", None)
    count: Text | None = describe_field(
        "The column that says how many cases a row stands for, as in a table of how often each "
        "class was predicted.",
        None,
        example="cases",
    )
    labelled: Literal["all", "flagged", "called"] = describe_field(
        "Which rows have a target: all, or those alone that some model flags, or predicts as a "
        "class that is looked at, as in an audit.",
        "all",
    )
    cluster: Text | None = describe_field("The column of rows that are resampled together.", None)
    strata: Text | None = describe_field("The column within whose values rows are resampled.", None)
    balance: Text | None = describe_field(
        "The column of queries whose values count alike however many queries have them, and "
        "within which queries are resampled: a mean over collections.",
        None,
    )
    query: Text | None = describe_field(
        "The column of rows that are ranked together; without a cluster they are resampled so.",
        None,
    )
    fold: Text | None = describe_field(
        "The column of folds: the rows of each were scored by a model fitted on the others.", None
    )
    repeat: Text | None = describe_field(
        "The column of rounds, where cross-validation was repeated: an id then has a row in each.",
        None,
    )
    time: Text | None = describe_field(
        "The column that orders the rows in time; without cluster or query, blocks of "
        "neighbouring times are resampled.",
        None,
    )
    segments: tuple[SegmentKeys, ...] = describe_field("Columns whose values slice the rows.", ())
    filter: Text | None = describe_field(
        "Which rows to keep: columns compared with values.", None, example="region == 'north'"
    )
    sample: SampleOf | None = describe_field(
        "Use a fixed random part of the rows.", None, example={"n": 500, "seed": 1}
    )
    delimiter: Delimiter | None = describe_field(
        "What stands between the fields of a CSV file; default: found from its lines.",
        None,
        example='";"',
    )
    columns: Header | None = describe_field(
        "The names of all columns, for a file without a header.",
        None,
        example=["id", "y", "old", "new"],
    )
    duplicates: Literal["first"] | None = describe_field(
        "first: count equal lines of qrels or of a run once; default: an error.", None
    )
    max_unpacked: Positive | None = describe_field(
        "How many GB compressed files may hold once unpacked; default: half of the memory.",
        None,
        example=4,
    )
    missing: Literal["error", "drop", "intersect", "zero"] = describe_field(
        "What to do with ids or scores that are missing somewhere; zero: an item that a model has "
        "not answered scores 0.",
        "error",
    )
    match: Literal["exact", "loose"] | None = describe_field(
        "Whether names that differ only in blanks at the ends, case, Unicode form, a trailing .0, "
        "leading zeros or a time of midnight are the same: ids, classes, documents, queries, "
        "segments. loose: they are; exact: they are not; default: an error where there are such.",
        None,
    )
    role: Literal["test", "fit"] = describe_field(
        "fit: shifts, thresholds and cut-offs are fitted here, nothing is judged.", "test"
    )
    fit: Text | None = describe_field(
        "The dataset with role: fit whose shifts, thresholds or cut-offs these rows are judged "
        "with; default: the only one.",
        None,
        example="autumn",
    )
    used_to_choose: bool = describe_field(
        "Whether these rows took part in choosing or tuning a model; the report then says so.",
        False,
    )
    looks: int | None = describe_field(
        "How often the rows will be judged in all; limits then hold for all looks together "
        "(Bonferroni). For the dataset that decides.",
        None,
        example=12,
        ge=2,
        le=1000,
    )
    used_to_fit: bool = describe_field(
        "Whether shifts may be fitted on rows that are judged here; the report then says so.", False
    )

    @property
    def file(self) -> str:
        """The file with the target, as written, or the database."""
        of = self.labels or self.qrels or self.letor
        own = self.path or f"database {self.connection}"
        return of.path if of else own


class CurveUse(StrictModel):
    """A curve with its parameters, all spelled out."""

    name: Text = describe_field("Its name; see `reportgen list`.", example="kendall")
    as_: Text | None = describe_field("A label for `primary` and `gates`.", None, alias="as")
    params: dict[str, Any] = describe_field("Its parameters.", {})

    @property
    def key(self) -> str:
        """Its label, or else its name, by which it is known everywhere."""
        return self.as_ or self.name


class MetricUse(CurveUse):
    """A metric with its parameters, all spelled out."""

    phrase: Text | None = describe_field(
        "What it is called on page one; default: its label.", None, example="order of customers"
    )
    verb: Text | None = describe_field(
        "What a better model does, as page one says it; default: is better on this metric.",
        None,
        example="reads more digits correctly",
    )


class Primary(StrictModel):
    """The metric that decides, and the difference that matters in it."""

    metric: Text = describe_field("One of the metrics, by label or name.", example="kendall")
    margin: MarginKeys | None = describe_field(
        "The smallest difference that matters.", None, example=0.01
    )
    dataset: Text = describe_field("The dataset that decides; default: the first.")


def _one_or_by_metric(given: object) -> object:
    """Check that a value is the name of a test, or a map from metrics to names of tests."""
    named = given.values() if isinstance(given, dict) else [given]
    if not all(isinstance(name, str) and name for name in named):
        raise schema_error("needs the name of a test, or a map such as {kendall: gaussian, mae: t}")
    return given


Tests = Annotated[str | dict[str, str], BeforeValidator(_one_or_by_metric)]


class Comparisons(StrictModel):
    """Models that are compared, and the correction for several comparisons."""

    against: Literal["baseline", "all"] = describe_field("baseline, or all pairs.", "baseline")
    adjust: Text = describe_field(
        "The correction of intervals for the number of comparisons. `holm` and `bh` adjust "
        "p-values alone; the intervals are then those of `bonferroni`.",
        "bonferroni",
    )
    test: Tests = describe_field(
        "The test of each difference, or a map of metrics to tests; auto suits the metric.",
        "auto",
        example="gaussian",
    )

    def test_of(self, key: str) -> str:
        """The test of one metric, by what it is called here."""
        return self.test if isinstance(self.test, str) else self.test.get(key, "auto")


class ChecksKeys(StrictModel):
    """What happens where the data do not support a judgement."""

    on_stop: Literal["error", "inconclusive"] = describe_field(
        "error: the run ends with exit code 3; inconclusive: requirements count as each one's "
        "`inconclusive` says.",
        "error",
    )


class Config(StrictModel):
    """A model comparison, declared."""

    version: Literal[1] = describe_field("The version of this language.", example=1)
    report: ReportKeys = describe_field("What the report says of itself.")
    datasets: dict[str, Dataset] = describe_field("Rows to judge the models on.", min_length=1)
    task: Text = describe_field("What the models do.", example="regression")
    classes: dict[str, Text] = describe_field(
        "The classes of the target: values and what they are called in the report, or a list of "
        "values; default: the values that the target has.",
        {},
        example={"0": "stayed", "1": "left"},
    )
    models: dict[str, Model] = describe_field("The models to compare.", min_length=1)
    metrics: tuple[MetricUse, ...] = describe_field("How they are measured.", min_length=1)
    primary: Primary | None = describe_field(
        "The metric that decides; default: the first of `metrics`, without a margin.", None
    )
    buckets: Buckets = describe_field(
        "How many equal buckets rankings are cut into, or several such numbers to be held against "
        "each other; the first is that of metrics.",
        10,
    )
    costs: Costs | None = describe_field("What an error costs.", None)
    thresholds: Thresholds = describe_field(
        "Operating points: from which score on a row is flagged; the first is that of "
        "metrics that name none.",
        {},
        example={"half": {"fixed": 0.5}},
    )
    prevalence: PrevalenceKeys | None = describe_field(
        "Other shares of the classes than those of the rows, at which values are found.",
        None,
        example={"target": 0.05},
    )
    per_class: tuple[Text, ...] = describe_field(
        "Metrics that are told of each class, too; [] for none; default: those of the task.",
        (),
        example=["precision", "recall"],
    )
    score: ScoreKeys | None = describe_field("What scores are that were computed elsewhere.", None)
    scores: dict[str, ItemScoreKeys] = describe_field(
        "The scores of answers to items; default: each column of numbers from 0 to 1.",
        {},
        example={"exact": {"column": "match"}},
    )
    judge: JudgeKeys | None = describe_field("A judge to compare with human labels.", None)
    folds: FoldKeys | None = describe_field("How scores of several fits are judged.", None)
    across: AcrossKeys | None = describe_field(
        "Compare models over the datasets, three or more, as a sample of such.", None
    )
    ranking: RankingKeys | None = describe_field("How documents of queries are judged.", None)
    bootstrap: Bootstrap = describe_field("How uncertainty is found.", Bootstrap())
    inference: InferenceKeys = describe_field(
        "Whether the rows that decide are judged again and again.", InferenceKeys()
    )
    compute: Compute = describe_field("How numbers are found where there are many rows.", Compute())
    comparisons: Comparisons = describe_field("Who is compared with whom.", Comparisons())
    references: tuple[ReferenceUse, ...] = describe_field(
        "What models are compared with that needs no model: auto, none, or a list; default: auto.",
        (ReferenceUse(name="auto"),),
        example=["zero"],
    )
    gates: tuple[AnyGate, ...] = describe_field("What must hold for the run to pass.", ())
    allow: dict[str, Text] = describe_field(
        "Checks of the data that may fail, by name, each with the reason, which the report prints.",
        {},
        example={"too_few": "ten rows by design"},
    )
    checks: ChecksKeys = describe_field(
        "What happens where the data do not support a judgement.", ChecksKeys()
    )
    curves: tuple[CurveUse, ...] = describe_field(
        "Which curves; [] for none but those of costs; default: all of the task.", ()
    )
    outputs: tuple[Text, ...] = describe_field(
        "Which files are written; default: all.", min_length=1, example=["html"]
    )
    sections: tuple[Text, ...] = describe_field(
        "Which sections stand in the report, in the order of the page; decision is always there; "
        "default: all.",
        min_length=1,
        example=["decision", "results", "costs"],
    )
    theme: ThemeKeys = describe_field("How the report looks.", ThemeKeys())
    sensitivity: SensitivityKeys = describe_field(
        "Which other choices the primary comparison is made with; `none` for no others.",
        SensitivityKeys(),
        example="none",
    )
    previous: Previous | None = describe_field(
        "An earlier report; what changed since then is told, and its history carried on.", None
    )
    privacy: PrivacyKeys = describe_field(
        "What the report keeps to itself: a level, or a map.", PrivacyKeys(), example="standard"
    )
    frozen: Text | None = describe_field(
        "The file that `reportgen freeze` wrote; what differs from it is told.",
        None,
        example="frozen.json",
    )
    pdf: Pdf = describe_field("What the PDF carries.", Pdf())
    warnings: Warnings = describe_field("Which warnings make the run fail.", Warnings())
    show_variables: tuple[Text, ...] = describe_field(
        "Environment variables that may be printed.", ()
    )
    plugins: tuple[Text, ...] = describe_field("Python files with metrics of your own.", ())
    meta: dict[str, Any] = describe_field("Anything; carried along, never read.", {})

    @property
    def deciding(self) -> Primary:
        """The metric that decides: the primary one, or else the first listed, without a margin."""
        first = self.metrics[0].key
        return self.primary or Primary(metric=first, dataset=self.deciding_dataset)

    @property
    def deciding_dataset(self) -> str:
        """The dataset that decides: as declared, or else the first that is not for fitting."""
        if self.primary is not None:
            return self.primary.dataset
        names = (name for name, each in self.datasets.items() if each.role == "test")
        return next(names, next(iter(self.datasets)))

    @property
    def level(self) -> float:
        """Level of the limits, with all planned looks at the rows that decide allowed for."""
        looks = self.datasets[self.deciding_dataset].looks
        return 1 - (1 - self.bootstrap.level) / (looks or 1) if looks else self.bootstrap.level

    def is_against_reference(self, gate: AnyGate) -> bool:
        """Tell whether a gate names what takes no model, unless a model has this name."""
        against = getattr(gate, "against", None)
        return gate.rule == "better" and against == REFERENCE and REFERENCE not in self.models

    @property
    def are_ties_by_id(self) -> bool:
        """True if anything puts tied documents in the order of their ids."""
        policy = self.ranking
        is_cut = policy is not None and policy.ties == "trec" and policy.depth is not None
        return is_cut or any(
            use.params.get("ties") == "trec" for use in (*self.metrics, *self.curves)
        )

    @property
    def bucket_counts(self) -> tuple[int, ...]:
        """The numbers of buckets, that of metrics first."""
        return (self.buckets,) if isinstance(self.buckets, int) else self.buckets

    @property
    def baseline(self) -> str | None:
        """The model that the others are compared with; None if there is only one model."""
        return next((name for name, m in self.models.items() if m.role == "baseline"), None)

    @property
    def currency(self) -> str | None:
        """The currency of unit costs, "" if they have none; None where none are declared."""
        costs = self.costs
        if costs is None or (not costs.is_priced and costs.currency is None):
            return None
        return costs.currency or ""

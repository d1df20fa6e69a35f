"""The config language, version 1, in its long form: attribute names are the YAML's keys.

Short forms (a metric by its bare name, segments as a list of columns) are written out before a
config gets here. Descriptions and examples serve the error messages and the JSON Schema alike.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from reportgen.config.costing import Costs
from reportgen.config.datasets import AcrossKeys as AcrossKeys
from reportgen.config.datasets import Case as Case
from reportgen.config.datasets import CutKeys as CutKeys
from reportgen.config.datasets import FoldKeys as FoldKeys
from reportgen.config.datasets import Labels as Labels
from reportgen.config.datasets import PositiveClass
from reportgen.config.datasets import SampleOf as SampleOf
from reportgen.config.datasets import ScoreKeys as ScoreKeys
from reportgen.config.datasets import SegmentKeys as SegmentKeys
from reportgen.config.fields import (
    Buckets,
    Delimiter,
    MarginKeys,
    Positive,
    Strict,
    Text,
    about,
    said,
)
from reportgen.config.gating import AnyGate as AnyGate
from reportgen.config.gating import Bound as Bound
from reportgen.config.gating import Gate as Gate
from reportgen.config.gating import NonInferior as NonInferior
from reportgen.config.gating import Versus as Versus
from reportgen.config.governing import Bootstrap as Bootstrap
from reportgen.config.governing import Compute as Compute
from reportgen.config.governing import DaskEngine as DaskEngine
from reportgen.config.governing import OwnVariant as OwnVariant
from reportgen.config.governing import Previous as Previous
from reportgen.config.governing import PrivacyKeys as PrivacyKeys
from reportgen.config.governing import SensitivityKeys as SensitivityKeys
from reportgen.config.governing import Warnings as Warnings
from reportgen.config.modelling import ArtifactKeys as ArtifactKeys
from reportgen.config.modelling import Model as Model
from reportgen.config.modelling import Scores as Scores
from reportgen.config.modelling import TrainedOnKeys as TrainedOnKeys
from reportgen.config.page_one import FindingKeys as FindingKeys
from reportgen.config.page_one import Pdf as Pdf
from reportgen.config.page_one import ReportKeys as ReportKeys
from reportgen.config.page_one import SignOffKeys as SignOffKeys
from reportgen.config.page_one import ThemeKeys as ThemeKeys
from reportgen.config.prevalence import PrevalenceKeys as PrevalenceKeys
from reportgen.config.ranking import LetorKeys as LetorKeys
from reportgen.config.ranking import LinesKeys as LinesKeys
from reportgen.config.ranking import QrelsKeys as QrelsKeys
from reportgen.config.ranking import QueriesFileKeys as QueriesFileKeys
from reportgen.config.ranking import RankingKeys as RankingKeys
from reportgen.config.ranking import RunKeys as RunKeys
from reportgen.config.thresholds import Thresholds


class Dataset(Strict):
    """Rows to judge the models on."""

    path: Text | None = about("A wide table: a file, or a glob.", None, example="data/cdnow.csv")
    labels: Labels | None = about("The file with what happened, where scores come apart.", None)
    id: Text | None = about(
        "The column that names each row; default, for one wide table: the row's number.",
        None,
        example="customer_id",
    )
    qrels: QrelsKeys | None = about("A file of judgements; models then have runs.", None)
    letor: LetorKeys | None = about(
        "A file of documents with their grades, line by line; models then have lines.", None
    )
    queries: QueriesFileKeys | None = about(
        "A file with a line for each query of qrels or letor: weight, cluster, segments.", None
    )
    target: Text = about(
        "The column that says what happened, or a pattern such as y_{class} for a column of each "
        "label that a row may have; default, with qrels or letor: grade.",
        example="spend",
    )
    separator: Text | None = about(
        "What stands between the labels of a row, where one column lists them.", None, example="|"
    )
    positive: PositiveClass | None = about(
        "The value of the target that is the positive class of two; or where a target of numbers "
        "is cut in two: {above: 100} or {quantile: 0.9}; default: 1, or true.",
        None,
        example="yes",
    )
    second_target: Text | None = about(
        "The column with the class of each row by a second judge, who may have left rows out: how "
        "far two judges agree is a ceiling for models.",
        None,
        example="second_reader",
    )
    target_label: Text | None = about(
        "What the target is called in the report; default: its column.",
        None,
        example="spend in nine months",
    )
    unit: Text | None = about("The target's unit, as it shall be printed.", None, example="USD")
    case: Case | None = about(
        "What a row is, as a noun or as `{one, many}`; default: row, or score with `repeat`.",
        None,
        example="customer",
    )
    weight: Text | None = about("The column that says how much a row counts.", None)
    count: Text | None = about(
        "The column that says how many cases a row stands for, as in a table of how often each "
        "class was called.",
        None,
        example="cases",
    )
    labelled: Literal["all", "called"] = about(
        "Which rows have a target: all, or those alone that some model calls positive, as in an "
        "audit of calls.",
        "all",
    )
    cluster: Text | None = about("The column of rows that are resampled together.", None)
    strata: Text | None = about("The column within whose values rows are resampled.", None)
    balance: Text | None = about(
        "The column of queries whose values count alike however many queries have them, and "
        "within which queries are resampled: a mean over collections.",
        None,
    )
    query: Text | None = about(
        "The column of rows that are ranked together; without a cluster they are resampled so.",
        None,
    )
    fold: Text | None = about(
        "The column of folds: the rows of each were scored by a model fitted on the others.", None
    )
    repeat: Text | None = about(
        "The column of rounds, where cross-validation was repeated: an id then has a row in each.",
        None,
    )
    time: Text | None = about(
        "The column that orders the rows in time; without cluster or query, blocks of "
        "neighbouring times are resampled.",
        None,
    )
    segments: tuple[SegmentKeys, ...] = about("Columns whose values slice the rows.", ())
    filter: Text | None = about(
        "Which rows to keep: columns compared with values.", None, example="region == 'north'"
    )
    sample: SampleOf | None = about(
        "Use a fixed random part of the rows.", None, example={"n": 500, "seed": 1}
    )
    delimiter: Delimiter | None = about(
        "What stands between the fields of a CSV file; default: found from its lines.",
        None,
        example='";"',
    )
    max_unpacked: Positive | None = about(
        "How many GB compressed files may hold once unpacked; default: half of the memory.",
        None,
        example=4,
    )
    missing: Literal["error", "drop", "intersect"] = about(
        "What to do with ids or scores that are missing somewhere.", "error"
    )
    role: Literal["test", "fit"] = about(
        "fit: shifts, thresholds and cut-offs are fitted here, nothing is judged.", "test"
    )
    fit: Text | None = about(
        "The dataset with role: fit whose shifts, thresholds or cut-offs these rows are judged "
        "with; default: the only one.",
        None,
        example="autumn",
    )
    used_to_choose: bool = about(
        "Whether these rows took part in choosing or tuning a model; the report then says so.",
        False,
    )
    looks: int | None = about(
        "How often the rows will be judged in all; limits then hold for all looks together "
        "(Bonferroni). For the dataset that decides.",
        None,
        example=12,
        ge=2,
        le=1000,
    )
    used_to_fit: bool = about(
        "Whether shifts may be fitted on rows that are judged here; the report then says so.",
        False,
    )

    @property
    def file(self) -> str:
        """The file with what happened, as written."""
        of = self.labels or self.qrels or self.letor
        return of.path if of else str(self.path)


class CurveUse(Strict):
    """A curve with its parameters, all spelled out."""

    name: Text = about("Its name; see `reportgen list`.", example="kendall")
    as_: Text | None = about("A label for `primary` and `gates`.", None, alias="as")
    params: dict[str, Any] = about("Its parameters.", {})

    @property
    def key(self) -> str:
        """What it is called everywhere: its label, or else its name."""
        return self.as_ or self.name


class MetricUse(CurveUse):
    """A metric with its parameters, all spelled out."""

    phrase: Text | None = about(
        "What it is called on page one; default: its label.", None, example="order of customers"
    )


class Primary(Strict):
    """The metric that decides, and the difference that matters in it."""

    metric: Text = about("One of the metrics, by label or name.", example="kendall")
    margin: MarginKeys | None = about(
        "The largest difference that does not matter.", None, example=0.01
    )
    dataset: Text = about("The dataset that decides; default: the first.")


def _one_or_by_metric(given: object) -> object:
    """The name of a test, or names of tests by metric."""
    named = given.values() if isinstance(given, dict) else [given]
    if not all(isinstance(name, str) and name for name in named):
        raise said("wants the name of a test, or a map such as {kendall: gaussian, mae: t}")
    return given


Tests = Annotated[str | dict[str, str], BeforeValidator(_one_or_by_metric)]


class Comparisons(Strict):
    """Which models are compared, and how several comparisons are allowed for."""

    against: Literal["baseline", "all"] = about("baseline, or all pairs.", "baseline")
    adjust: Text = about("The correction of p-values and intervals.", "holm")
    test: Tests = about(
        "The test of each difference, or a map of metrics to tests; auto suits the metric.",
        "auto",
        example="gaussian",
    )

    def test_of(self, key: str) -> str:
        """The test of one metric, by what it is called here."""
        return self.test if isinstance(self.test, str) else self.test.get(key, "auto")


class Config(Strict):
    """A model comparison, declared."""

    version: Literal[1] = about("The version of this language.", example=1)
    report: ReportKeys = about("What the report says of itself.")
    datasets: dict[str, Dataset] = about("Rows to judge the models on.", min_length=1)
    task: Text = about("What the models do.", example="regression")
    classes: dict[str, Text] = about(
        "The classes of the target: values and what they are called in the report, or a list of "
        "values; default: the values that the target has.",
        {},
        example={"0": "stayed", "1": "left"},
    )
    models: dict[str, Model] = about("The models to compare.", min_length=1)
    metrics: tuple[MetricUse, ...] = about("How they are measured.", min_length=1)
    primary: Primary | None = about("The metric that decides.", None)
    buckets: Buckets = about(
        "How many equal buckets rankings are cut into, or several such numbers to be held against "
        "each other; the first is that of metrics.",
        10,
    )
    costs: Costs | None = about("What an error costs.", None)
    thresholds: Thresholds = about(
        "Operating points: from which score on a row is called positive; the first is that of "
        "metrics that name none.",
        {},
        example={"half": {"fixed": 0.5}},
    )
    prevalence: PrevalenceKeys | None = about(
        "Other shares of the classes than those of the rows, at which values are found.",
        None,
        example={"target": 0.05},
    )
    per_class: tuple[Text, ...] = about(
        "Metrics that are told of each class, too; [] for none; default: those of the task.",
        (),
        example=["precision", "recall"],
    )
    score: ScoreKeys | None = about("What scores are that were computed elsewhere.", None)
    folds: FoldKeys | None = about("How scores of several fits are judged.", None)
    across: AcrossKeys | None = about(
        "Compare models over the datasets, three or more, as a sample of such.", None
    )
    ranking: RankingKeys | None = about("How documents of queries are judged.", None)
    bootstrap: Bootstrap = about("How uncertainty is found.", Bootstrap())
    compute: Compute = about("How numbers are found where there are many rows.", Compute())
    comparisons: Comparisons = about("Who is compared with whom.", Comparisons())
    gates: tuple[AnyGate, ...] = about("What must hold for the run to pass.", ())
    curves: tuple[CurveUse, ...] = about(
        "Which curves; [] for none but those of costs; default: all of the task.", ()
    )
    outputs: tuple[Text, ...] = about(
        "Which files are written; default: all.", min_length=1, example=["html"]
    )
    sections: tuple[Text, ...] = about(
        "Which sections stand in the report, in the order of the page; decision is always there; "
        "default: all.",
        min_length=1,
        example=["decision", "basis", "costs"],
    )
    theme: ThemeKeys = about("How the report looks.", ThemeKeys())
    sensitivity: SensitivityKeys = about(
        "Which other choices the primary comparison is made with; `none` for no others.",
        SensitivityKeys(),
        example="none",
    )
    previous: Previous | None = about(
        "An earlier report; what changed since then is told, and its history carried on.", None
    )
    privacy: PrivacyKeys = about(
        "What the report keeps to itself: a level, or a map.", PrivacyKeys(), example="standard"
    )
    frozen: Text | None = about(
        "The file that `reportgen freeze` wrote; what differs from it is told.",
        None,
        example="frozen.json",
    )
    pdf: Pdf = about("What the PDF carries.", Pdf())
    warnings: Warnings = about("Which warnings make the run fail.", Warnings())
    show_variables: tuple[Text, ...] = about("Environment variables that may be printed.", ())
    plugins: tuple[Text, ...] = about("Python files with metrics of your own.", ())
    meta: dict[str, Any] = about("Anything; carried along, never read.", {})

    @property
    def level(self) -> float:
        """What limits hold, all planned looks at the rows that decide allowed for."""
        primary = self.primary
        looks = None if primary is None else self.datasets[primary.dataset].looks
        return 1 - (1 - self.bootstrap.level) / (looks or 1) if looks else self.bootstrap.level

    @property
    def are_ties_by_id(self) -> bool:
        """Whether anything puts tied documents in the order of their ids."""
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

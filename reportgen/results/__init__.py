"""The results as frozen dataclasses: computed before this point, only read after it."""

from __future__ import annotations

from dataclasses import field

from reportgen.records import record
from reportgen.results.across_datasets import AcrossDatasets, TrainTestGap
from reportgen.results.changes import Changes, DataShift, FrozenRule, LookCount, PastRun
from reportgen.results.classification import (
    Agreement,
    ClassCalibration,
    ClassValues,
    ConfusionDifference,
    ConfusionMatrix,
    LabelConfusion,
    ModelCalibration,
    OperatingPoint,
    RareClassComparison,
)
from reportgen.results.conclusion import Conclusion
from reportgen.results.core import (
    SCHEMA_MINOR,
    SCHEMA_VERSION,
    Comparison,
    DatasetInfo,
    Digests,
    Estimate,
    FoldComparison,
    FoldValue,
    GateResult,
    Inference,
    MetricInfo,
    ModelInfo,
    ModelPair,
    ReportInfo,
    Warning,
)
from reportgen.results.costs import CostAnalysis
from reportgen.results.curves import CurveInfo, CurveResult
from reportgen.results.evaluations import Evaluation
from reportgen.results.input_checks import InputFinding
from reportgen.results.references import ReferenceValue
from reportgen.results.segments import GroupGap, Stability
from reportgen.results.sensitivity import Sensitivity
from reportgen.results.types import Plain


@record
class Results:
    """Everything that is known when computing is done; `files` names the files of the report.

    `changes` and `history` are there where the config names a previous run, `frozen` where it names
    a rule that was fixed beforehand. `shifts` say how the test rows differ from those to fit on.
    """

    task: str
    report: ReportInfo
    inference: Inference
    models: tuple[ModelInfo, ...]
    metrics: tuple[MetricInfo, ...]
    datasets: tuple[DatasetInfo, ...]
    estimates: tuple[Estimate, ...]
    comparisons: tuple[Comparison, ...]
    pairs: tuple[ModelPair, ...] = ()
    curves: tuple[CurveResult, ...] = ()
    curve_infos: tuple[CurveInfo, ...] = ()
    costs: tuple[CostAnalysis, ...] = ()
    points: tuple[OperatingPoint, ...] = ()
    calibrations: tuple[ModelCalibration, ...] = ()
    class_calibrations: tuple[ClassCalibration, ...] = ()
    rare_classes: tuple[RareClassComparison, ...] = ()
    classes: tuple[ClassValues, ...] = ()
    class_metrics: tuple[MetricInfo, ...] = ()
    confusions: tuple[ConfusionMatrix, ...] = ()
    confusion_differences: tuple[ConfusionDifference, ...] = ()
    label_confusions: tuple[LabelConfusion, ...] = ()
    across: tuple[AcrossDatasets, ...] = ()
    fold_values: tuple[FoldValue, ...] = ()
    fold_comparisons: tuple[FoldComparison, ...] = ()
    agreements: tuple[Agreement, ...] = ()
    fresh_gaps: tuple[TrainTestGap, ...] = ()
    references: tuple[ReferenceValue, ...] = ()
    stability: tuple[Stability, ...] = ()
    shifts: tuple[DataShift, ...] = ()
    group_gaps: tuple[GroupGap, ...] = ()
    evaluations: tuple[Evaluation, ...] = ()
    sensitivity: Sensitivity = field(default_factory=Sensitivity)
    gates: tuple[GateResult, ...] = ()
    conclusion: Conclusion | None = None
    warnings: tuple[Warning, ...] = ()
    checks: tuple[InputFinding, ...] = ()
    config: Plain = field(default_factory=dict)
    provenance: Plain = field(default_factory=dict)
    files: tuple[str, ...] = ()
    digests: Digests | None = None
    changes: Changes | None = None
    history: tuple[PastRun, ...] = ()
    frozen: FrozenRule | None = None
    looks: LookCount | None = None
    schema_version: int = SCHEMA_VERSION
    schema_minor: int = SCHEMA_MINOR

    @property
    def is_stopped(self) -> bool:
        """True where the data do not support a judgement on all models, or on one of several."""
        return self.conclusion is not None and bool(self.conclusion.recommendation.stops)

    @property
    def is_failed(self) -> bool:
        """True where a gate failed, or a warning that the config calls fatal was given."""
        return any(gate.is_failure for gate in self.gates) or any(
            warning.is_fatal for warning in self.warnings
        )

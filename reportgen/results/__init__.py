"""The numbers, frozen and plain: the waist of the program.

Everything before this package computes them, everything after only reads them. `None` stands
for a number that does not exist; why is in `status` and `reason`. Numbers are rounded to ten
significant digits on entering (`rounded`), before gates and verdicts are judged, so that what
is printed is what was decided on. This package knows nothing of the rest of the program.
"""

from __future__ import annotations

from reportgen.results.core import (
    SCHEMA_VERSION,
    Better,
    ColumnProfile,
    Comparison,
    Counted,
    DatasetInfo,
    Estimate,
    Family,
    Finding,
    GateStatus,
    Inference,
    InputFile,
    MetricInfo,
    ModelInfo,
    ReportInfo,
    Results,
    SegmentInfo,
    Verdict,
    Warning,
    WaterfallStep,
)
from reportgen.results.curves import CurveInfo, CurveResult
from reportgen.results.numbers import (
    Number,
    Numbers,
    Params,
    Plain,
    Scalar,
    Status,
    rounded,
    rounded_all,
)
from reportgen.results.tables import (
    BucketCount,
    CaseDeletion,
    Deletion,
    DifferenceFromBest,
    Influence,
    NamedRow,
    RankProbabilities,
    Sensitivity,
    TableResult,
    Tail,
)

__all__ = [
    "SCHEMA_VERSION",
    "Better",
    "BucketCount",
    "CaseDeletion",
    "ColumnProfile",
    "Comparison",
    "Counted",
    "CurveInfo",
    "CurveResult",
    "DatasetInfo",
    "Deletion",
    "DifferenceFromBest",
    "Estimate",
    "Family",
    "Finding",
    "GateStatus",
    "Inference",
    "Influence",
    "InputFile",
    "MetricInfo",
    "ModelInfo",
    "NamedRow",
    "Number",
    "Numbers",
    "Params",
    "Plain",
    "RankProbabilities",
    "ReportInfo",
    "Results",
    "Scalar",
    "SegmentInfo",
    "Sensitivity",
    "Status",
    "TableResult",
    "Tail",
    "Verdict",
    "Warning",
    "WaterfallStep",
    "rounded",
    "rounded_all",
]

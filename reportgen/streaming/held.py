"""Columns of all rows, held where a metric asks for every row at once.

Values, replicates and influence are then those of rows in memory. Where the resamples of so many
rows would not fit, those of the influence stand for them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from reportgen.analysis.dataset_analysis import DatasetAnalysis, draw_replicates
from reportgen.analysis.plan import (
    AnalysisPlan,
    ClassPlan,
    CostPlan,
    PlannedMetric,
    SamplingPlan,
    Segment,
    SensitivityPlan,
    StatisticPlan,
)
from reportgen.analysis.row_subset import RowSubset
from reportgen.config.schema.config import Config
from reportgen.data.arrow import compute_keys
from reportgen.data.dataset import Piece
from reportgen.data.sample import (
    AmountTarget,
    ClassTarget,
    LabelTarget,
    ModelColumns,
    Sample,
    SamplingColumns,
)
from reportgen.inference.resampling.replicates import (
    Replicated,
    RowSlice,
    SliceKey,
    StatisticKey,
    compute_replicates,
)
from reportgen.inference.resampling.studentize import LinearizedMetric
from reportgen.kernels.batch import Batch
from reportgen.planning.plan import build_model_rows
from reportgen.streaming.states import State

BYTES_OF_A_ROW = 60  # of its key, its target and what sorting them takes
BYTES_OF_A_SCORE = 85  # with its order and its influence
BYTES_RESAMPLED = 360  # of resamples and of the tables that a batch takes


def estimate_held_bytes(rows: int, models: int, *, is_resampled: bool) -> float:
    """Estimate the bytes that held columns take, with their resamples or without."""
    of_row = BYTES_OF_A_ROW + BYTES_OF_A_SCORE * models + is_resampled * BYTES_RESAMPLED
    return float(rows * of_row)


def put_held_columns(
    state: State, piece: Piece, what: str = "held", chosen: NDArray[np.bool_] | None = None
) -> None:
    """Put the target, the scores, the keys and the weights of a piece into a state."""
    sample, rows = piece.sample, slice(None) if chosen is None else chosen
    state.put("join", what, "keys", value=piece.keys[rows])
    state.put("join", what, "y", value=sample.y[rows])
    if isinstance(sample.target, LabelTarget):
        state.put("join", what, "flags", value=sample.target.flags[rows])
    if sample.sampling.weight is not None:
        state.put("join", what, "weight", value=sample.sampling.weight[rows])
    for column, codes in sample.segments.items():
        keys = compute_keys([f"{column}={label}" for label in codes.labels])
        state.put("join", what, "segment", column, value=keys[codes.code][rows])
    for model, columns in sample.models.items():
        state.put("join", what, "score", model, value=columns.score[rows])
        for name, part in columns.parts.items():
            state.put("join", what, "part", model, name, value=part[rows])


def select_held_segments(state: State, segments: tuple[Segment, ...]) -> tuple[Segment, ...]:
    """Select the rows of each segment, by the keys of the names."""
    held = state.find("join", "held")
    columns = [keys for name, keys in held.items() if name[0] == "segment"]
    return tuple(
        Segment(each.name, np.flatnonzero(keys == key))
        for each in segments
        for key in compute_keys([each.name])
        for keys in columns
        if key in keys
    )


def build_held_sample(state: State, head: Sample, what: str = "held") -> Sample:
    """Build the sample of what is held, in the order of the files; `head` are its first rows."""
    held = state.find("join", what)
    target: AmountTarget | ClassTarget | LabelTarget = AmountTarget(held["y",])
    if isinstance(head.target, LabelTarget):
        target = LabelTarget(head.classes, held["flags",])
    elif isinstance(head.target, ClassTarget):
        target = ClassTarget(held["y",], head.classes)
    models = {
        model: ModelColumns(
            held["score", model],
            {name: held["part", model, name] for name in columns.parts},
        )
        for model, columns in head.models.items()
    }
    weight = held.get(("weight",))
    return Sample(head.dataset, (), target, models, SamplingColumns(weight=weight))


def analyze_held_rows(
    config: Config,
    plan: AnalysisPlan,
    metrics: tuple[PlannedMetric, ...],
    state: State,
    head: Sample,
    threads: int,
    *,
    is_resampled: bool,
) -> DatasetAnalysis:
    """Analyse some metrics of a plan on all rows, under the resamples of streamed rows."""
    sample, keys = build_held_sample(state, head), state["join", "held", "keys"]
    unit, weight = None, sample.sampling.weight
    if plan.sampling.design.unit is not None:
        keys, unit = np.unique(keys, return_inverse=True)
    design = replace(plan.sampling.design, n=sample.n, weight=weight, keys=keys, unit=unit)
    own = replace(
        plan,
        models=tuple(build_model_rows(config, sample)),
        sampling=SamplingPlan(
            design,
            segments=select_held_segments(state, plan.sampling.segments),
            is_ordered=plan.sampling.is_ordered,
        ),
        statistics=StatisticPlan(metrics, plan.statistics.unit),
        classes=ClassPlan(),
        costs=CostPlan(),
        sensitivity=SensitivityPlan(),
    )
    return draw_replicates(own, threads) if is_resampled else _draw_linearized(own, threads)


def _draw_linearized(plan: AnalysisPlan, threads: int) -> DatasetAnalysis:
    """Draw the replicates of each value plus the mean influence of a resample."""
    parts = (RowSubset(plan, None), *(RowSubset(plan, each) for each in plan.sampling.segments))
    slices, unknown = dict[SliceKey, RowSlice](), {}
    for part in parts:
        wanted: dict[StatisticKey, Replicated] = dict(part.errors())
        batch = Batch.from_weights(part.weight)
        for of, bound in part.bound.items():
            value = float(bound(batch)[0])
            influence = bound.influence(part.weight) if np.isfinite(value) else None
            if influence is None:
                unknown[part.name, of] = np.full(plan.sampling.design.replicates, np.nan)
            else:
                wanted[of] = LinearizedMetric(value, influence)
        slices[part.name] = RowSlice(part.rows, wanted)
    found = compute_replicates(plan.sampling.design, slices, threads)
    return DatasetAnalysis(plan, parts, found | unknown)

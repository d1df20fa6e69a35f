"""Transforms of scores on reading, such as from a logarithm back to an amount."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from reportgen.data.arrow import Mask
from reportgen.data.requests import ScoreTransform
from reportgen.data.sample import Vector
from reportgen.data.table import LARGEST, SMALLEST, AlignedColumn, format_count
from reportgen.errors import DataError
from reportgen.text import mask_number, quote

_FUNCTIONS: Mapping[str, Callable[[Vector], Vector]] = {"exp": np.exp, "expm1": np.expm1}


def compute_transform(transform: ScoreTransform, scores: Vector) -> Vector:
    """Compute the transformed scores; what is too large becomes infinite."""
    with np.errstate(over="ignore"):
        if transform.name == "times":
            return np.asarray(scores * transform.factor)
        return _FUNCTIONS[transform.name](scores)


def transform_scores(each: AlignedColumn, transform: ScoreTransform, kept: Mask) -> AlignedColumn:
    """Transform a column of scores; results too large, or all too small, are refused by place."""
    if each.values is None:
        return each
    values = compute_transform(transform, each.values)
    sizes = np.abs(np.where(kept & ~each.is_missing, values, 0.0))
    largest = np.max(sizes, initial=0.0)
    bad = ~(sizes <= LARGEST) if largest > LARGEST else (sizes > 0) & (largest < SMALLEST)
    if bad.any():
        rows = each.rows(bad)
        fault = f"makes {format_count(len(rows), 'score')} too large to be computed with"
        if largest < SMALLEST:
            fault = "makes all scores too small to be computed with"
        raise DataError(
            f"{each.table.shown}: `transform: {_format(transform)}` {fault}, in column "
            f"{quote(each.column)} of model {quote(str(each.model))} (first "
            f"{mask_number(each.values[bad][0])} at {each.table.where(rows[:1])}); check "
            f"`transform` under models.{each.model}"
        )
    return replace(each, values=values)


def _format(transform: ScoreTransform) -> str:
    """Format a transform as the config writes it."""
    return f"{{times: {transform.factor:g}}}" if transform.name == "times" else transform.name

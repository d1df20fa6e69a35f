"""What the numeric columns of a sample look like, row by row and unweighted."""

from __future__ import annotations

from typing import Literal

import numpy as np

from reportgen.data.sample import Vector
from reportgen.results import ColumnProfile, rounded

Role = Literal["y", "score", "weight", "cost", "count"]


def profile(
    values: Vector,
    role: Role,
    column: str,
    model: str | None = None,
) -> ColumnProfile:
    """Describe n >= 2 finite values; of several most frequent values the lowest is the mode."""
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows becomes None
        return _profile(values, role, column, model)


def _profile(values: Vector, role: Role, column: str, model: str | None) -> ColumnProfile:
    distinct, count = np.unique(values, return_counts=True)
    n = len(values)
    q25, median, q75 = np.quantile(values, [0.25, 0.5, 0.75])
    most = int(np.argmax(count))
    pairs = sum(int(size) * (int(size) - 1) for size in count if size > 1)
    return ColumnProfile(
        role=role,
        model=model,
        column=column,
        n=n,
        distinct=len(distinct),
        zeros=int(np.count_nonzero(values == 0)),
        minimum=rounded(float(distinct[0])),
        q25=rounded(float(q25)),
        median=rounded(float(median)),
        mean=rounded(float(values.mean())),
        q75=rounded(float(q75)),
        maximum=rounded(float(distinct[-1])),
        sd=rounded(float(values.std(ddof=1))),
        mode=rounded(float(distinct[most])),
        mode_share=rounded(int(count[most]) / n),
        tied_pairs=rounded(pairs / (n * (n - 1))),
        is_flag=distinct.tolist() == [0.0, 1.0],
    )

"""One metric of one model as a function of sums over rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from reportgen.kernels.batch import Vector
from reportgen.kernels.cuts import CELLS
from reportgen.metrics.centres import about
from reportgen.metrics.in_folds import bind
from reportgen.metrics.of_means import Finish, of_some
from reportgen.metrics.spec import Metric
from reportgen.rows import Rows

Of = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Summand:
    """One metric of one model: where its columns stand, and the centre of each.

    `about` are the centres of the values that columns are made of.
    """

    metric: Metric
    at: slice
    centre: Vector
    is_studentized: bool
    is_wide: bool = field(default=False, kw_only=True)
    about: tuple[float, ...] = field(default=(), kw_only=True)

    @property
    def places(self) -> range:
        """The numbers of its columns."""
        return range(self.at.start, self.at.stop)

    @property
    def finish(self) -> Finish | None:
        """What makes values of means of its columns, (b, k); None where it is the first mean."""
        finish = self.metric.finish
        return partial(of_some, finish) if self.metric.leaves_out else finish

    @property
    def is_of_four_cells(self) -> bool:
        """Whether its columns are what was and what was called, of two classes."""
        is_of_two = self.metric.classes is not None and self.metric.shape == "counted"
        return is_of_two and len(self.places) == CELLS

    @property
    def level(self) -> float:
        """What is added to the value of the means."""
        return 0.0

    @property
    def bound(self) -> float:
        """How far the value can be from that of all rows: sums are exact."""
        return 0.0

    def columns(self, rows: Rows) -> tuple[list[Vector], float]:
        """Its columns of some rows, and how many rows it has no number for.

        Of a metric that leaves these out the last says which rows it judges.
        """
        with about(self.about):
            bound = bind(self.metric, rows)
            columns = bound.summed()
        if not self.metric.leaves_out:
            terms = bound.terms
            return columns, float(terms[:, -1].sum()) if terms.shape[1] > len(columns) else 0.0
        if bound.judged is None:
            return [*columns, np.ones(len(rows))], 0.0
        return columns, float(np.count_nonzero(~bound.judged))

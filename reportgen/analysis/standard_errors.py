"""The standard errors that replicates of metrics, and of their differences, are measured in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from reportgen.analysis.binding import Mapped
from reportgen.kernels.batch import Index, Vector
from reportgen.metrics.spec import BoundMetric
from reportgen.resampling.replicates import What
from reportgen.resampling.studentize import (
    BoundError,
    FrozenError,
    error_of,
    error_of_difference,
    is_difference_studentized,
    is_studentized,
)

Pair = tuple[BoundMetric, BoundMetric | None]  # a metric, and that of the baseline if there is one
Phis = Mapping[BoundMetric, Vector | None]


@dataclass(frozen=True, eq=False)
class StandardErrors:
    """Standard errors on some rows of weight (n,).

    `unit` numbers the rows' clusters, if they have such; `units` counts the units, and `stratum`
    numbers their strata. `centred` f(phi) says what each unit adds to the error, from what each
    row does.
    """

    weight: Vector
    unit: Index | None
    units: int
    stratum: Index | None
    centred: Callable[[Vector], Vector | None]

    def of(
        self, asked: Mapping[What, Pair], mapped: Mapped
    ) -> dict[What, BoundError | FrozenError]:
        """The error of each metric and difference that has one."""
        known = {key: pair for key, pair in asked.items() if _has_error(pair)}
        frozen = (pair for pair in known.values() if self._is_frozen(pair))
        read = {each: None for pair in frozen for each in pair if each is not None}
        phis = dict(zip(read, mapped(lambda each: each.influence(self.weight), read), strict=True))
        found = mapped(lambda pair: self._error(pair, phis), known.values())
        return {key: error for key, error in zip(known, found, strict=True) if error is not None}

    def _is_frozen(self, pair: Pair) -> bool:
        """Whether an error is found from influence values of the full data.

        Within strata a mean is no mean of like units, but its influence is centred in each.
        """
        return self.stratum is not None or not _is_of_means(pair)

    def _error(self, pair: Pair, phis: Phis) -> BoundError | FrozenError | None:
        bound, baseline = pair
        if self._is_frozen(pair):
            influence = self._influence(pair, phis)
            if influence is None:
                return None
            return FrozenError(influence, bound.identity, self.weight, self.unit, self.stratum)
        if baseline is None:
            return error_of(bound, self.weight, self.unit, self.units)
        return error_of_difference(bound, baseline, self.weight, self.unit, self.units)

    def _influence(self, pair: Pair, phis: Phis) -> Vector | None:
        """What each unit adds to the error of a value, or of a difference, where both exist."""
        total = np.zeros(len(self.weight))
        for sign, each in zip((1.0, -1.0), pair, strict=True):
            if each is None:
                continue
            phi = phis[each]
            if phi is None or not np.all(np.isfinite(phi)):
                return None
            total += sign * phi
        return self.centred(total)


def _has_error(pair: Pair) -> bool:
    """Whether replicates are measured in their error."""
    return pair[0].statistic.estimand.is_correlation_of_means or _is_of_means(pair)


def _is_of_means(pair: Pair) -> bool:
    """Whether the error of a metric, or of a difference, is made of sums."""
    bound, baseline = pair
    return is_studentized(bound) if baseline is None else is_difference_studentized(bound)

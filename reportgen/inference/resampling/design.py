"""The resampling design: units, strata and random streams."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import BATCH_SIZE, Batch, Counts, Index, Vector
from reportgen.kernels.buffers import allocate_aligned
from reportgen.kernels.native import is_native
from reportgen.kernels.resample_counts import (
    draw_exponential_weights,
    draw_keyed_poisson_counts,
    draw_multinomial_counts,
    draw_poisson_counts,
    draw_stationary_blocks,
    stable_key,
)
from reportgen.records import record
from reportgen.results.types import Counted

Weights = Literal["multinomial", "poisson", "bayesian"]
WHOLE_FROM = 2_000  # rows from which the last batch is as wide as the others
WIDEST = 16  # batches that are found at once where rows are few: calls take longer than sums there
MANY = 4 * WIDEST  # from so many batches on, twice as many are computed at once
AT_ONCE = 100_000  # rows that such batches have at most, all together

PLURAL = {"row": "rows", "cluster": "clusters", "query": "queries"}


@record
class CountsByKey:
    """How often each row counts in the replicates of one batch, found when rows are read."""

    keys: NDArray[np.uint64]
    stream_key: int
    index: int

    def __getitem__(self, rows: slice) -> NDArray[np.uint8]:
        return draw_keyed_poisson_counts(self.keys[rows], BATCH_SIZE, self.stream_key, self.index)


@record
class Design:
    """A resampling plan for n rows: `unit` numbers the rows' clusters, `stratum` the units' strata.

    Without `unit` each row is drawn on its own. Drawing a unit draws all its rows, and
    `together` says what a unit is, `case` what one row is. `weight` is the rows' own weight, which
    multiplies how often they are drawn.

    With `block` the units are moments, numbered in their order, and blocks of them are drawn
    whose mean length it is. Else `weights` says how units are drawn: as many as there are with
    replacement (multinomial), each on its own with mean 1 (poisson), or all of them with random
    real weights (bayesian: Rubin 1981). `keys` (units,) are the units' own, by which they are drawn
    (poisson) alike wherever they stand.

    `most_curve_replicates` is how many replicates curves use, from the first; None: all.
    """

    name: str
    n: int
    replicates: int
    seed: int
    weight: Vector | None = None
    unit: Index | None = None
    stratum: Index | None = None
    weights_are: Weights = "multinomial"
    block: float | None = None
    keys: NDArray[np.uint64] | None = None
    together: Literal["cluster", "query"] = "cluster"
    case: Literal["row", "query"] = "row"
    most_curve_replicates: int | None = None

    @cached_property
    def units(self) -> int:
        """The number of units that can be drawn."""
        return self.n if self.unit is None else int(self.unit.max()) + 1

    @property
    def is_clustered(self) -> bool:
        """True if the units are clusters of rows, independent of each other."""
        return self.unit is not None and self.block is None

    @property
    def unit_kind(self) -> Counted:
        """The name of one unit."""
        if self.block is not None:
            return "time"
        return self.case if self.unit is None else self.together

    @property
    def batches(self) -> int:
        """The number of batches that hold all replicates."""
        return -(-self.replicates // BATCH_SIZE)

    @property
    def curve_replicates(self) -> int:
        """The number of replicates of each curve."""
        most = self.most_curve_replicates
        return self.replicates if most is None else min(most, self.replicates)

    def list_counts(self, first: int, batches: int) -> list[CountsByKey]:
        """List the counts of batches, each row by its key."""
        assert self.keys is not None
        last = min(first + batches, self.batches)
        return [CountsByKey(self.keys, self.stream_key, k) for k in range(first, last)]

    def side_by_side(self, rows: int) -> int:
        """Count the batches computed at once where `rows` are drawn: several of few, one of many.

        >>> [Design("rows", n, 1_000, seed=1).side_by_side(n) for n in (3_000, 20_000, 100_000)]
        [16, 5, 1]
        """
        widest = WIDEST if self.batches < MANY else 2 * WIDEST
        return max(1, min(widest, self.batches, AT_ONCE // max(rows, 1)))

    @property
    def kind(self) -> str:
        """The design in a word or two."""
        if self.block is not None:
            return "time blocks"
        return self._kind(PLURAL[self.unit_kind])

    @property
    def identity(self) -> tuple[object, ...]:
        """The parts that the draws depend on."""
        how = (self.weights_are, self.block, self.seed, self.replicates)
        units = (self.unit, self.stratum, self.keys)
        return (self.name, self._stream, *how, self.weight, *units)

    @cached_property
    def weights(self) -> Vector:
        """The rows' own weights, ones where there are none."""
        return np.ones(self.n) if self.weight is None else self.weight

    def count_replicates(self, index: int) -> int:
        """Return how many of the weightings of a batch are replicates."""
        return min(BATCH_SIZE, self.replicates - index * BATCH_SIZE)

    def batch(self, index: int, columns: int | None = None) -> Batch:
        """Return the weightings of replicates 64·index and on, shape (n, `columns` or at most 64).

        Of many rows the last batch is as wide as the others: compiled code would fill it up, in
        room of its own. What goes beyond `columns` is drawn like the rest, and nobody's.
        """
        if columns is None:
            columns = (
                BATCH_SIZE if self.n >= WHOLE_FROM and is_native() else self.count_replicates(index)
            )
        parts = [self._draw_counts(k) for k in range(index, index + -(-columns // BATCH_SIZE))]
        drawn = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
        drawn = drawn[:, :columns]
        if self.unit is not None:
            rows = allocate_aligned((self.n, columns), drawn.dtype)
            drawn = np.take(drawn, self.unit, axis=0, out=rows, mode="clip")
        return Batch(drawn, self.weight, index)

    @property
    def is_sampled_by_key(self) -> bool:
        """True if how often a row counts depends on its own key alone."""
        return self.keys is not None and self.unit is None and self.block is None

    def _draw_counts(self, index: int) -> Counts:
        """Return how often each unit is drawn in each replicate of the batch, shape (units, 64)."""
        if self.block is not None:
            return draw_stationary_blocks(self.units, BATCH_SIZE, self._key(0), index, self.block)
        if self.keys is not None:
            return draw_keyed_poisson_counts(self.keys, BATCH_SIZE, self.stream_key, index)
        if self.stratum is None:
            return self._weights(self.units, 0, index)
        parts = [self._weights(len(m), code, index) for code, m in enumerate(self._members)]
        drawn = allocate_aligned((self.units, BATCH_SIZE), np.result_type(*parts))
        for members, part in zip(self._members, parts, strict=True):
            drawn[members] = part
        return drawn

    def _weights(self, units: int, stratum: int, index: int) -> Counts:
        """Return those of one stratum; real ones sum to the number of units."""
        key = self._key(stratum)
        if self.weights_are == "multinomial":
            return draw_multinomial_counts(units, BATCH_SIZE, key, index)
        if self.weights_are == "poisson":
            return draw_poisson_counts(units, BATCH_SIZE, key, index)
        drawn = draw_exponential_weights(units, BATCH_SIZE, key, index)
        drawn *= units / drawn.sum(axis=0)
        return drawn

    @property
    def stream_key(self) -> int:
        """The number that the streams of draws begin with."""
        return self._key(0)

    def _key(self, stratum: int) -> int:
        return stable_key(self.seed, self.name, self._stream, stratum)

    @property
    def _stream(self) -> str:
        """The name of the stream of draws: whatever a row is, rows are drawn alike."""
        if self.block is not None:
            return self.kind
        return self._kind(PLURAL["row" if self.unit is None else self.together])

    def _kind(self, drawn: str) -> str:
        return drawn if self.stratum is None else f"{drawn} within strata"

    @cached_property
    def _members(self) -> tuple[Index, ...]:
        assert self.stratum is not None
        return tuple(
            np.flatnonzero(self.stratum == code) for code in range(int(self.stratum.max()) + 1)
        )

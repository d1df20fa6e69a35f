"""How rows are resampled: which units are drawn, within which strata, from which stream.

A design yields batches of weightings. Replicate r of a design is the same whatever else is
computed and on however many threads, because its draws depend on the seed, the design and r
alone; every model, metric, curve and segment reads the same batches, which is what pairs them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from reportgen.kernels.batch import LANES, Batch, Counts, Index, Vector
from reportgen.kernels.counts import multinomial, stable_key


@dataclass(frozen=True)
class Design:
    """A resampling plan for n rows: `unit` numbers the rows' clusters, `stratum` the units' strata.

    Without `unit` each row is drawn on its own. Drawing a unit draws all its rows. `weight` is
    the rows' own weight, which multiplies how often they are drawn.
    """

    name: str
    n: int
    replicates: int
    seed: int
    weight: Vector | None = None
    unit: Index | None = None
    stratum: Index | None = None

    @cached_property
    def units(self) -> int:
        """How many units can be drawn."""
        return self.n if self.unit is None else int(self.unit.max()) + 1

    @property
    def batches(self) -> int:
        """How many batches hold all replicates."""
        return -(-self.replicates // LANES)

    @property
    def kind(self) -> str:
        """The design in a word or two."""
        drawn = "rows" if self.unit is None else "clusters"
        return drawn if self.stratum is None else f"{drawn} within strata"

    @cached_property
    def weights(self) -> Vector:
        """The rows' own weights, ones where there are none."""
        return np.ones(self.n) if self.weight is None else self.weight

    def batch(self, index: int) -> Batch:
        """The weightings of replicates 64·index and on, shape (n, at most 64)."""
        lanes = min(LANES, self.replicates - index * LANES)
        drawn = self._drawn(index)[:, :lanes]
        return Batch(drawn if self.unit is None else drawn[self.unit], self.weight)

    def _drawn(self, index: int) -> Counts:
        """How often each unit is drawn in each replicate of the batch, shape (units, 64)."""
        if self.stratum is None:
            return multinomial(self.units, LANES, self._key(0), index)
        drawn = np.zeros((self.units, LANES), np.int32)
        for stratum, members in enumerate(self._members):
            drawn[members] = multinomial(len(members), LANES, self._key(stratum), index)
        return drawn

    def _key(self, stratum: int) -> int:
        return stable_key(self.seed, self.name, self.kind, stratum)

    @cached_property
    def _members(self) -> tuple[Index, ...]:
        assert self.stratum is not None
        return tuple(
            np.flatnonzero(self.stratum == code) for code in range(int(self.stratum.max()) + 1)
        )

"""How many equally weighted rows some weights are worth."""

from __future__ import annotations

from reportgen.kernels.column import Vector


def effective_rows(weight: Vector) -> float:
    """Kish's number of rows, (Σw)² / Σw²; 0 where nothing weighs.

    >>> import numpy as np
    >>> effective_rows(np.array([1.0, 1.0, 0.0])), effective_rows(np.zeros(3))
    (2.0, 0.0)
    """
    squares = float(weight @ weight)
    return float(weight.sum()) ** 2 / squares if squares > 0 else 0.0

"""Writes ranking-in-regression.csv: 1,000 drawn rows and three scores for them.

y is standard Normal. y_score_1 is exp(3 + y) with a little noise: nearly the right order, on a
wild scale. y_score_2 is 3y with more noise. y_score_3 is noise that knows nothing of y.
NumPy keeps the stream of RandomState fixed, so every version writes the same file.

    python configs/data/build_ranking.py
"""

from pathlib import Path

import numpy as np

FILE = Path(__file__).with_name("ranking-in-regression.csv")


def columns() -> dict[str, np.ndarray]:
    """The target and the scores, by name."""
    seeds = np.random.RandomState(42).randint(low=0, high=2**32 - 1, size=4)
    y, first, second, third = (np.random.RandomState(s).normal(size=1_000) for s in seeds)
    return {
        "y_true": y,
        "y_score_1": np.exp(3 + y) + first,
        "y_score_2": 3 * y + second,
        "y_score_3": third,
    }


def main() -> None:
    """Ten significant digits: as many as keep every row apart, and more than are printed."""
    found = columns()
    rows = zip(*found.values(), strict=True)
    lines = [",".join([str(i), *(f"{v:.10g}" for v in row)]) for i, row in enumerate(rows, 1)]
    FILE.write_text("\n".join([",".join(["row", *found]), *lines]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

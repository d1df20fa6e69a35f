"""How often segments or periods are said to differ: where they are equal, and where they are not.

    python benchmarks/heterogeneity.py --runs 2000

Paired differences of losses are drawn by segment from one law, or with one segment that differs by
so many standard errors of a segment's mean; by period, as series. Seeds are the numbers of the
runs. The page is benchmarks/results/heterogeneity.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from math import exp, sqrt
from pathlib import Path
from zlib import crc32

import numpy as np

from reportgen.inference.group_gaps import GroupDifferences, compare_groups, estimate_contrast
from reportgen.inference.long_run import estimate_long_run_error
from reportgen.kernels.batch import Vector

PAGE = Path(__file__).parent / "results" / "heterogeneity.md"
LAWS = ("normal", "lognormal", "one-sided", "unequal", "70% zeros", "right or wrong")
SEGMENTS = (2, 5, 10, 25, 50)
SIZES = {"30": (30,), "20 and 200": (20, 200)}
SERIES = ("independent", "one-sided", "ar 0.5", "ar 0.9")
TIMES = (120, 300, 1_200)
PERIODS, SHIFT, LEVEL = 6, 4.0, 0.05

HEAD = """# Where and when: false alarms and power

Made by `python benchmarks/heterogeneity.py`, with {runs:,} samples a row, whose three standard
errors are {error:.1f} points at 5%. *False* is the share of samples, in %, in which equal segments,
or periods, are said to differ at 5%. *Found* is the same where one segment is {shift:g} standard
errors of its own mean away from the others, or where the last period is so far from those before;
for the change, where the difference moves along a straight line by so much in all.
"""


def draw_differences(law: str, n: int, draw: np.random.Generator) -> Vector:
    """Draw paired differences of mean zero."""
    if law == "lognormal":
        return draw.lognormal(size=n) - draw.lognormal(size=n)
    if law == "one-sided":
        return draw.lognormal(size=n) - exp(0.5)
    if law == "70% zeros":
        return np.where(draw.random(n) < 0.3, draw.lognormal(size=n) - draw.lognormal(size=n), 0.0)
    if law == "right or wrong":
        return (draw.random(n) < 0.15).astype(float) - (draw.random(n) < 0.15)
    return draw.normal(size=n)


def draw_segments(
    law: str, k: int, sizes: Sequence[int], shift: float, draw: np.random.Generator
) -> GroupDifferences:
    """Draw the differences of k segments, of which the first may be another."""
    values, errors, units = [], [], []
    for place in range(k):
        n = sizes[place % len(sizes)]
        x = draw_differences(law, n, draw)
        if law == "unequal" and place % 2:
            x = 3 * x
        se = float(x.std(ddof=1)) / sqrt(n)
        values.append(float(x.mean()) + (shift * se if place == 0 else 0.0))
        errors.append(se)
        units.append(float(n))
    known = np.array(errors) > 0
    n = np.array(units)[known]
    return GroupDifferences(np.array(values)[known], np.array(errors)[known], n, n - 1)


def draw_periods(
    kind: str, n: int, shift: float, is_line: bool, draw: np.random.Generator
) -> GroupDifferences:
    """Draw the differences of six periods of one series."""
    x = draw_series(kind, n, draw)
    parts = np.array_split(x, PERIODS)
    found = [estimate_long_run_error(part / len(part)) for part in parts]
    errors = np.array([each.se for each in found])
    place = np.arange(PERIODS) / (PERIODS - 1) if is_line else np.arange(PERIODS) == PERIODS - 1
    values = np.array([part.mean() for part in parts]) + shift * errors.mean() * place
    df = np.array([each.df for each in found])
    return GroupDifferences(values, errors, np.full(PERIODS, n / PERIODS), df)


def draw_series(kind: str, n: int, draw: np.random.Generator) -> Vector:
    """Draw differences of losses in the order of time."""
    if not kind.startswith("ar"):
        return draw_differences(kind, n, draw)
    rho = float(kind.split()[1])
    series = draw.normal(size=(2, n))
    for t in range(1, n):
        series[:, t] = rho * series[:, t - 1] + sqrt(1 - rho**2) * series[:, t]
    one, other = np.abs(series)
    return np.asarray(one - other)


def find_line() -> Vector:
    """Return the weights of the fitted change from the first period to the last."""
    place = np.arange(PERIODS) - (PERIODS - 1) / 2
    return np.asarray(place / float(place @ place) * (PERIODS - 1))


def find_last() -> Vector:
    """Return the weights of the last period minus those before it."""
    return np.append(np.full(PERIODS - 1, -1 / (PERIODS - 1)), 1.0)


def count_segments(law: str, k: int, sizes: Sequence[int], shift: float, runs: int) -> float:
    """Count the share of samples whose segments are said to differ, in %."""
    found = 0
    for run in range(runs):
        draw = np.random.default_rng([crc32(f"{law} {k} {sizes} {shift}".encode()), run])
        tested = compare_groups(draw_segments(law, k, sizes, shift, draw))
        found += tested is not None and tested.p_value < LEVEL
    return 100 * found / runs


def count_periods(kind: str, n: int, shift: float, is_line: bool, runs: int) -> float:
    """Count the share of samples whose last period, or whose line, is said to differ, in %."""
    found, weights = 0, find_line() if is_line else find_last()
    for run in range(runs):
        draw = np.random.default_rng([crc32(f"{kind} {n} {shift} {is_line}".encode()), run])
        periods = draw_periods(kind, n, shift, is_line, draw)
        found += estimate_contrast(periods, weights).p_value < LEVEL
    return 100 * found / runs


def write_lines(runs: int) -> Iterator[str]:
    """Write the page, line by line."""
    yield HEAD.format(runs=runs, error=300 * sqrt(0.05 * 0.95 / runs), shift=SHIFT)
    yield "| differences | segments | rows of each | false | found |"
    yield "| --- | --: | --: | --: | --: |"
    for law in LAWS:
        for k in SEGMENTS:
            for name, sizes in SIZES.items():
                shares = (count_segments(law, k, sizes, shift, runs) for shift in (0.0, SHIFT))
                yield f"| {law} | {k} | {name} | " + " | ".join(f"{x:.1f}" for x in shares) + " |"
    yield "\n| series | times | last period, false | found | change, false | found |"
    yield "| --- | --: | --: | --: | --: | --: |"
    for kind in SERIES:
        for n in TIMES:
            shares = (
                count_periods(kind, n, shift, is_line, runs)
                for is_line in (False, True)
                for shift in (0.0, SHIFT)
            )
            yield f"| {kind} | {n:,} | " + " | ".join(f"{x:.1f}" for x in shares) + " |"


def main() -> None:
    """Run the study and write its page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=2000)
    runs = parser.parse_args().runs
    lines = []
    for line in write_lines(runs):
        print(line, flush=True)
        lines.append(line)
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

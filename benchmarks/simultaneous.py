"""What must hold for many numbers at once: families of candidates, and bands of whole curves."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable
from functools import cache, partial

import numpy as np
from asked import asked
from plans import change_plan
from populations import family, sample

from reportgen.analysis.comparisons import iter_comparisons
from reportgen.analysis.curves import iter_curve_results
from reportgen.analysis.dataset_analysis import draw_replicates
from reportgen.analysis.plan import PlannedMetric
from reportgen.inference.bands import FEWEST_ROWS
from reportgen.kernels.batch import Batch, Vector
from reportgen.metrics import METRICS
from reportgen.metrics.curves import CURVES
from reportgen.metrics.rows import Amounts
from reportgen.results.curves import CurveResult

CANDIDATES = 10
BETTER = 3  # of them, where there is something to find
FAMILIES = (
    PlannedMetric("mae", METRICS["mae"], None, True),
    PlannedMetric("kendall", METRICS["kendall"]),
)
DRAWN = ("ranking", "rec")
LARGE = 1_000_000

Counts = dict[str, Counter[str]]


def of_family(population: str, n: int, better: int, run: int, replicates: int) -> Counts:
    """Ten candidates against a baseline: any false rejection, any limit that is passed, power."""
    rng = np.random.default_rng([zlib.crc32(f"family {population} {better}".encode()), n, run])
    y, scores = family(population, n, CANDIDATES, better, rng)
    names = tuple(scores)
    pairs = tuple((name, names[0]) for name in names[1:])
    found = draw_replicates(asked(y, scores, pairs, FAMILIES, replicates, run, adjust="maxt"))
    counts: Counts = {}
    for adjust in ("bonferroni", "maxt"):
        object.__setattr__(
            found, "question", change_plan(found.plan, adjust=adjust.replace("-", ""))
        )
        judged: dict[str, Counter[str]] = {}
        for each in iter_comparisons(found):
            seen = judged.setdefault(each.key, Counter(runs=1))
            is_found = each.p_adjusted is not None and each.p_adjusted <= 0.05
            if int(each.candidate.split()[1]) > better:
                seen["false"] |= int(is_found)
                is_out = each.low is None or each.low > 0 > each.high
                seen["passed"] |= int(is_out or each.low > 0 or each.high < 0)
            else:
                seen["found"] += int(is_found)
        counts |= {f"{key} family {adjust}": seen for key, seen in judged.items()}
    return counts


def of_bands(population: str, n: int, run: int, replicates: int) -> Counts:
    """Whether the whole of a curve lies within its band, of one model and of a difference."""
    rng = np.random.default_rng([zlib.crc32(f"bands {population}".encode()), n, run])
    y, scores = sample(population, n, rng)
    curves = tuple(CURVES[name] for name in DRAWN)
    pairs = (("second", "first"),)
    found = draw_replicates(asked(y, scores, pairs, (), replicates, run, curves=curves))
    counts: Counts = {}
    for each in iter_curve_results(found):
        if each.baseline is None and each.model != "first":
            continue
        kind = "difference" if each.baseline else "one"
        true = np.zeros(len(each.x)) if each.baseline else true_curve(population, each)
        true[~judged(each)] = np.nan
        counts[f"{each.curve} {kind} band"] = Counter(
            runs=1,
            held=int(_is_within(true, each.band_low, each.band_high)),
            pointwise=int(_is_within(true, each.low, each.high)),
        )
    return counts


def judged(found: CurveResult) -> np.ndarray:
    """The points that a band can speak of: at least ten rows on each side.

    At its last point a share of the rows is 1 in every resample, and no spread is seen.
    """
    if found.curve != "rec":
        return np.ones(len(found.x), bool)
    share = np.array(found.y, dtype=float)
    return np.minimum(share, 1 - share) * found.n >= FEWEST_ROWS


def true_curve(population: str, found: CurveResult) -> Vector:
    """The curve of a very large sample, at the positions of this one."""
    rows = _large(population)
    if found.curve == "rec":
        return np.searchsorted(rows[1], np.asarray(found.x, float), side="right") / LARGE
    return rows[0].copy()


@cache
def _large(population: str) -> tuple[Vector, Vector]:
    rng = np.random.default_rng(zlib.crc32(f"large {population}".encode()))
    y, scores = sample(population, LARGE, rng)
    rows, one = Amounts(y, scores["first"]), np.ones(LARGE)
    ranking = CURVES["ranking"].bind(rows, one)(Batch.from_weights(one))[0]
    return ranking, np.sort(np.abs(scores["first"] - y))


def _is_within(true: Vector, low: object, high: object) -> bool:
    """Whether no point is outside its limits; one without limits or truth is not judged."""
    below, above = np.array(low, dtype=float), np.array(high, dtype=float)
    slack = 1e-9 * np.abs(true)
    return not (np.any(true < below - slack) or np.any(true > above + slack))


GROUNDS: dict[str, Callable[[int, int], Counts]] = {
    **{
        f"family-{population}-{better}-of-{CANDIDATES}": partial(of_family, population, 200, better)
        for population in ("normal", "zeros")
        for better in (0, BETTER)
    },
    **{
        f"bands-{population}-{n}": partial(of_bands, population, n)
        for population in ("normal", "lognormal")
        for n in (100, 500)
    },
}

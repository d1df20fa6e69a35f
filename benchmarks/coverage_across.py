"""How often limits over data sets hold, and tests over data sets reject what is true.

    python benchmarks/coverage_across.py            goes on where it stopped
    python benchmarks/coverage_across.py --table    writes the page of what has been run

Each run draws what four models reach on so many data sets: how hard each is, the same for all
models, and of each model an error of its own, Normal, skewed (exponential) or of heavy tails
(Student's t of 3 degrees of freedom). Three models are equally good; the fourth is too, or better
by 0.8. Limits are the exact ones of signed ranks, about the centre of the differences: errors of
all models follow one law, so that differences lie evenly about it. The p-values are those of signed
ranks, of Friedman's statistic, and of Iman and Davenport's F.

Of random effects each run draws true differences of so many data sets, Normal about a mean or as
skewed as an exponential, what is measured of them, with errors of uneven size, and the standard
errors, as 100 rows would estimate them. The counts are lines of
benchmarks/results/coverage_across.jsonl.
"""

from __future__ import annotations

import argparse
from collections import Counter
from functools import partial
from pathlib import Path
from zlib import crc32

import numpy as np
from blocks_of_runs import Cells, by_ground, go_on, read, summed

from reportgen.inference.across_datasets import (
    FEWEST_FOR_RANK_TESTS,
    fit_random_effects,
    friedman_test,
    hodges_lehmann_limits,
    wilcoxon_p_value,
)
from reportgen.inference.multiplicity import holm_p_values
from reportgen.kernels.batch import Matrix

RESULTS = Path(__file__).parent / "results" / "coverage_across.jsonl"
PAGE = Path(__file__).parent / "results" / "coverage_across.md"
RUNS, BLOCK, MODELS, BETTER = 4_000, 1_000, 4, 0.8
KINDS = ("Normal", "skewed", "heavy-tailed")
DATA_SETS = (6, 16, 30)
POOLED = (3, 5, 10, 30)  # data sets
SPREADS = {"none": 0.0, "as large as the errors": 1.0, "thrice the errors": 3.0}
LAWS = ("Normal", "skewed")
MEAN, ROWS = 0.5, 100


def sample(kind: str, n: int, better: float, rng: np.random.Generator) -> Matrix:
    """What each model reaches on each data set, (n, models); the last is better by so much."""
    size = (n, MODELS)
    errors = {
        "Normal": lambda: rng.normal(size=size),
        "skewed": lambda: rng.exponential(size=size),
        "heavy-tailed": lambda: rng.standard_t(3, size),
    }[kind]()
    values = rng.normal(size=(n, 1)) + errors
    values[:, -1] += better
    return values


def one(kind: str, n: int, run: int) -> dict[str, Counter[str]]:
    """One sample with all models alike, and the same with the last one better."""
    counts = {}
    for name, better in (("equal", 0.0), ("unequal", BETTER)):
        rng = np.random.default_rng([crc32(kind.encode()), n, run])
        values = sample(kind, n, better, rng)
        gap = values[:, -1] - values[:, 0]
        low, high = hodges_lehmann_limits(gap, 0.95)
        pairs = [values[:, a] - values[:, b] for a in range(MODELS) for b in range(a)]
        raised = holm_p_values(np.array([wilcoxon_p_value(each) for each in pairs]))
        found = friedman_test(values, True)
        counts[name] = Counter(
            runs=1,
            held=int(low <= better <= high),
            endless=int(not np.isfinite(low)),
            pair=int(wilcoxon_p_value(gap) <= 0.05),
            friedman=int(found.p_chi_squared <= 0.05),
            iman_davenport=int(found.p_f <= 0.05),
            family=int((raised <= 0.05).any()),
        )
    return counts


def pooled(law: str, n: int, run: int) -> dict[str, Counter[str]]:
    """Random effects of one sample with no spread between the data sets, some, and much."""
    counts = {}
    for name, tau in SPREADS.items():
        rng = np.random.default_rng([crc32(law.encode()), n, run, round(tau)])
        is_normal, size = law == "Normal", n + 1  # the last is a data set to come
        spread = rng.normal(size=size) if is_normal else rng.exponential(size=size) - 1
        errors = rng.uniform(0.5, 1.5, n)
        errors /= np.sqrt(np.mean(errors**2))
        true = MEAN + tau * spread
        seen = true[:n] + errors * rng.normal(size=n)
        told = errors * np.sqrt(rng.chisquare(ROWS - 1, n) / (ROWS - 1))
        found = fit_random_effects(seen, told, 0.95)
        assert found is not None
        weight = 1 / (told**2 + found.tau**2)
        plain = 1.959964 / np.sqrt(weight.sum())
        counts[name] = Counter(
            runs=1,
            held=int(found.low <= MEAN <= found.high),
            plain=int(abs(found.mean - MEAN) <= plain),
            next=int(found.next_low <= true[n] <= found.next_high),
        )
    return counts


def pooled_block(law: str, n: int, first: int) -> Cells:
    """Counts of some runs."""
    return summed(map(partial(pooled, law, n), range(first, first + BLOCK)))


def block(kind: str, n: int, first: int) -> Cells:
    """Counts of some runs."""
    return summed(map(partial(one, kind, n), range(first, first + BLOCK)))


OF_POOLED = """
## Random effects

What the differences of several data sets say together, each known with a standard error of its
own, uneven by up to three to one. *Spread*: the standard deviation of the true differences, in
typical errors. *Mean*: limits of Knapp and Hartung, never narrower than those of known errors,
nominally 95%, that hold the mean of the true differences. *Plain*: Normal limits with the same
spread in their place. *Next*: limits that hold the true difference of a data set to come. Half of
the rows are of true differences that are skewed as an exponential is.

| true differences | data sets | spread | mean | plain | next |
| --- | ---: | --- | ---: | ---: | ---: |
"""
HEAD = f"""# Models over several data sets: how often limits hold, and how often tests reject

Made by `python benchmarks/coverage_across.py`, then `--table`: {RUNS:,} runs a row, so that shares
near 5 or 95% have a standard error of 0.3 points. {MODELS} models; in rows of equal models a test
that rejects is wrong, in the others one of them is better by {BETTER:g}. *Held*: exact limits of
signed ranks, nominally 95%, that hold the difference of two models. *A pair*: their test at 5%.
*Friedman* and *Iman and Davenport*: the tests that all models are alike. *Any pair*: one of the six
pairs is found to differ, by Holm's rule. No p-value of a pair is given under
{FEWEST_FOR_RANK_TESTS} data sets.

| errors | data sets | models | held | a pair | Friedman | Iman and Davenport | any pair |
| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: |
"""


def table() -> str:
    """All that has been run, as a page."""
    total = by_ground(read(RESULTS))
    lines = [HEAD]
    for kind in KINDS:
        for n in DATA_SETS:
            for name, seen in total.get(f"{kind}, {n}", {}).items():
                shares = ("held", "pair", "friedman", "iman_davenport", "family")
                shown = " | ".join(f"{100 * seen[key] / seen['runs']:.1f}" for key in shares)
                lines.append(f"| {kind} | {n} | {name} | {shown} |\n")
    lines.append(OF_POOLED)
    for law in LAWS:
        for n in POOLED:
            for name, seen in total.get(f"random effects, {law}, {n}", {}).items():
                shown = " | ".join(
                    f"{100 * seen[key] / seen['runs']:.1f}" for key in ("held", "plain", "next")
                )
                lines.append(f"| {law} | {n} | {name} | {shown} |\n")
    return "".join(lines)


def main() -> None:
    """Run what is not there yet, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    if options.table:
        PAGE.write_text(table(), encoding="utf-8")
        return
    jobs = {
        (kind, n, first): {"ground": f"{kind}, {n}", "first": first}
        for first in range(0, options.runs, BLOCK)
        for kind in KINDS
        for n in DATA_SETS
    }
    go_on(RESULTS, jobs, block)
    jobs = {
        (law, n, first): {"ground": f"random effects, {law}, {n}", "first": first}
        for first in range(0, options.runs, BLOCK)
        for law in LAWS
        for n in POOLED
    }
    go_on(RESULTS, jobs, pooled_block)


if __name__ == "__main__":
    main()

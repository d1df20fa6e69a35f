"""Machine code of every kind and NumPy agree to the last bit: no report depends on a compiler."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from reportgen.kernels import native
from reportgen.kernels.auc import compute_auc_sums, compute_average_precision
from reportgen.kernels.batch import Batch
from reportgen.kernels.class_curves import (
    compute_class_heights,
    compute_largest_gap,
    compute_window_area,
)
from reportgen.kernels.curve_heights import (
    compute_bin_sums,
    compute_concordance_heights,
    compute_cutoff_heights,
    compute_under_heights,
    cumulate_ranks,
    cumulate_to_targets,
)
from reportgen.kernels.pairs import FEW_ROWS, compute_pair_sums, compute_rank_sums
from reportgen.kernels.quantiles import compute_bucket_means, compute_quantile_intervals
from reportgen.kernels.score_cells import compute_grid_sums
from reportgen.kernels.sums import weighted_sums
from reportgen.metrics.rows import Amounts
from tests.kernels.conftest import BATCHES, KINDS, SIZES, TIES, batch_of, data, on_path


def bits(rows, batch):
    """All numbers that the kernels give for these rows."""
    columns = np.stack([rows.y.values, rows.score.values, rows.y.values**2], axis=1)
    pairs, ranks = compute_pair_sums(rows, batch), compute_rank_sums(rows, batch)
    found = {field.name: getattr(pairs, field.name) for field in fields(pairs)}
    found |= {field.name: getattr(ranks, field.name) for field in fields(ranks)}
    labelled = Amounts((rows.y.values > 0) * 1.0, rows.score)
    found |= vars(compute_auc_sums(labelled, batch)) | {
        "ap": compute_average_precision(labelled, batch)
    }
    found |= of_classes(labelled, batch)
    for edges in ("fractional", "integer"):
        found[edges] = compute_bucket_means(rows, batch, 7, edges)
    for q in (0.0, 0.3, 0.5, 1.0):
        found[f"quantile {q}"] = np.stack(compute_quantile_intervals(rows.score, batch, q))
    found |= vars(compute_grid_sums(rows, batch, np.linspace(0, 1, 8)))
    return found | {"sums": weighted_sums(batch, columns)} | walked(rows, batch)


def of_classes(rows, batch):
    """All numbers of walks along two classes that hold no logarithm."""
    found, shares = {"gap": compute_largest_gap(rows, batch)}, np.linspace(0, 1, 12)
    for flag in (True, False):
        found[f"window {flag}"] = compute_window_area(rows, batch, 0.1, 0.6, of_positives=flag)
        for is_fewest in (True, False):
            walk = compute_class_heights(
                rows, batch, shares, of_positives=flag, is_fewest=is_fewest
            )
            found |= {f"along {flag} {is_fewest} {i}": part for i, part in enumerate(walk)}
    return found


def walked(rows, batch):
    """All numbers of the walks; those of concordance only where they are whole numbers."""
    shares = np.linspace(0, 1, 12)
    walks = {
        "ranks": cumulate_ranks(rows.score, rows.y, batch, shares),
        "cutoffs": compute_cutoff_heights(rows, batch, shares),
        "unders": compute_under_heights(rows.error, batch, shares),
        "raw unders": compute_under_heights(rows.error, batch, 5 * shares, is_raw=True),
    }
    if batch.is_whole:
        walks["concordance"] = compute_concordance_heights(rows, batch, shares)
    found = {f"{k} {part}": values for k, w in walks.items() for part, values in vars(w).items()}
    targets = np.outer(batch.totals, shares)
    found["sums at"] = cumulate_to_targets(rows.error, rows.y.values, batch, targets)
    bins = (3 * np.abs(rows.y.values)).astype(int)
    found["bins"] = compute_bin_sums(batch, bins, 1 + bins.max(initial=0))
    found["bin sums"] = compute_bin_sums(batch, bins, 1 + bins.max(initial=0), rows.error.values)
    return found


@pytest.mark.skipif(not KINDS, reason="no compiled kernels here")
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("kind", BATCHES)
def test_numpy_and_all_machine_code_agree(kind, ties):
    for n in (*SIZES, 1000):
        found = {}
        for path in ("numpy", *KINDS):
            with on_path(path):
                batch = batch_of(n, kind)
                found[path] = bits(data(n, ties), Batch(batch.count, batch.weight))
        for path in KINDS:
            for name, expected in found["numpy"].items():
                same = np.array_equal(found[path][name], expected, equal_nan=True)
                assert same, (n, path, name)


@pytest.mark.skipif(not KINDS, reason="no compiled kernels here")
@pytest.mark.parametrize("n", [4097, 12_289, 17_003])  # a few rows, or nothing, in the last quarter
@pytest.mark.parametrize("kind", ["counts", "huge counts"])
def test_nodes_that_are_parted_in_four_give_the_same_pairs(n, kind):
    for ties in ("none", "some"):
        found = {}
        for path in ("numpy", *KINDS):
            with on_path(path):
                batch = Batch(batch_of(n, kind).count[:, :10])
                found[path] = compute_pair_sums(data(n, ties), batch).discordant
        for path in KINDS:
            assert np.array_equal(found[path], found["numpy"]), (path, ties)


def test_python_and_c_agree_on_how_many_rows_are_few():
    source = (Path(native.__file__).parent / "c" / "kernels.c").read_text(encoding="utf-8")
    assert f"#define FEW {FEW_ROWS} " in source


@pytest.mark.skipif(not KINDS, reason="no compiled kernels here")
@pytest.mark.parametrize("most", [63, 64])  # of 512 rows: totals that just fit 16 bits, or do not
@pytest.mark.parametrize("n", [FEW_ROWS, FEW_ROWS + 1])
def test_few_rows_of_large_counts_give_the_same_sums(n, most):
    draw = np.random.default_rng(n)
    count = np.where(draw.random((n, 70)) < 0.9, most, 0).astype(np.uint8)
    count[:, 0] = most
    for y in (draw.normal(size=n), draw.integers(0, 3, n) * 1.0, np.zeros(n)):
        rows, found = Amounts(y, draw.normal(size=n).round(1)), {}
        for path in ("numpy", *KINDS):
            with on_path(path):
                sums, ranks = (
                    compute(rows, Batch(count))
                    for compute in (compute_pair_sums, compute_rank_sums)
                )
                found[path] = [
                    getattr(each, f.name) for each in (sums, ranks) for f in fields(each)
                ]
        for path in KINDS:
            assert np.array_equal(found[path], found["numpy"]), path


@pytest.mark.skipif(not KINDS, reason="no compiled kernels here")
@pytest.mark.parametrize("n", [3, 300, 5003])  # above 4,096 rows levels are parted in pairs
def test_ties_that_need_no_sorting_hide_no_pair(n):
    draw = np.random.default_rng(n)
    tied, other = np.maximum(draw.normal(size=n), 0.3).round(2), draw.normal(size=n).round(1)
    count, expected = draw.poisson(1.0, (n, 3)).astype(np.uint8), np.zeros(3)
    for i in range(n):
        expected += count[i] * (((tied < tied[i]) & (other > other[i])) @ count.astype(float))
    rising, flat = np.sort(tied), np.zeros(n)
    for path in KINDS:
        with on_path(path):
            batch = Batch(count)
            for y, score in ((tied, other), (other, tied)):  # sorted by the one, then by the other
                assert np.array_equal(
                    compute_pair_sums(Amounts(y, score), batch).discordant, expected
                )
            for y, score in ((rising, rising), (flat, other), (rising, flat)):
                assert not compute_pair_sums(Amounts(y, score), batch).discordant.any()

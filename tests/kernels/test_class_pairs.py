"""Walks along the scores of several classes = the pairs of two classes at a time, on every path."""

from dataclasses import fields

import numpy as np
import pytest

from reportgen.kernels.auc import AucSums, compute_auc_sums, iter_class_pairs
from reportgen.kernels.batch import Batch, Column
from reportgen.metrics.rows import Amounts
from tests.kernels.conftest import BATCHES, KINDS, SIZES, TIES, batch_of, data, on_path

CLASSES = 5  # of which the last has no row


def several(n, ties):
    """The class of each row, and a score of each class."""
    code = np.random.default_rng(n).integers(0, CLASSES - 1, n).astype(np.int32)
    return code, [Column(data(n, ties, seed).score.values) for seed in range(CLASSES)]


@pytest.mark.parametrize("kind", BATCHES)
@pytest.mark.parametrize("ties", TIES)
def test_pairs_of_all_classes_are_those_of_two_at_a_time_to_the_last_bit(path, kind, ties):
    for n in (3, 16, 65, 300):
        (code, scores), batch = several(n, ties), batch_of(n, kind)
        for one, found in enumerate(iter_class_pairs(code, scores, batch)):
            for other in {*range(CLASSES)} - {one}:
                some = np.flatnonzero((code == one) | (code == other))
                y = (code[some] == one).astype(float)
                expected = compute_auc_sums(Amounts(y, scores[one].values[some]), batch.slice(some))
                for each in fields(AucSums):
                    both = (getattr(found, each.name)[other], getattr(expected, each.name))
                    assert np.array_equal(*both), (n, one, other, each.name)


@pytest.mark.skipif(not KINDS, reason="no compiled kernels here")
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("kind", BATCHES)
def test_numpy_and_all_machine_code_agree(kind, ties):
    for n in SIZES:
        found = {}
        for path in ("numpy", *KINDS):
            with on_path(path):
                batch, (code, scores) = batch_of(n, kind), several(n, ties)
                pairs = iter_class_pairs(code, scores, Batch(batch.count, batch.weight))
                areas = [(each.won, each.lost, each.negative) for each in pairs]
                found[path] = np.array(areas)
                # A class met by its own rows says nothing, and is not promised.
                found[path][range(CLASSES), :2, range(CLASSES)] = 0
        for path in KINDS:
            assert np.array_equal(found[path], found["numpy"]), (n, path)

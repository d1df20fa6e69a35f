"""Every test here runs on every path: NumPy, and each kind of machine code this processor runs."""

from contextlib import nullcontext

import numpy as np
import pytest

from reportgen.kernels import native
from reportgen.kernels.batch import Batch
from reportgen.metrics.rows import Amounts

KINDS = native.list_kinds()


def on_path(path):
    return native.use_numpy() if path == "numpy" else native.use_kind(path)


@pytest.fixture(params=["numpy", *native.KINDS])
def path(request):
    """The path that the test runs on; skipped where this machine has no such code."""
    if request.param not in ("numpy", *KINDS):
        pytest.skip(f"no {request.param} kernels were built here, or this processor lacks them")
    with on_path(request.param) if KINDS else nullcontext():
        yield request.param


def data(n, ties, seed=0):
    """Rows whose y and score are related, with ties of the kind asked for."""
    rng = np.random.default_rng(1000 * n + seed)
    y = rng.normal(size=n)
    score = y + rng.normal(size=n)
    if ties == "some":
        y, score = np.round(y, 1), np.round(score, 1)
    elif ties == "many":
        y, score = np.maximum(np.round(y), 0), np.round(score)
    elif ties == "all":
        y, score = np.zeros(n), np.ones(n)
    return Amounts(y, score)


def batch_of(n, kind, seed=0):
    """Weightings of one kind, as resampling, sampling weights and clusters make them."""
    rng = np.random.default_rng(7000 * n + seed)
    count = rng.poisson(1, (n, 64)).astype(np.uint8)
    weight = rng.exponential(size=n) * (rng.random(n) > 0.1)
    match kind:
        case "counts":
            return Batch(count)
        case "few lanes":
            return Batch(count[:, :3])
        case "many lanes":
            return Batch(np.concatenate([count, count[::-1], count[:, :5]], axis=1))
        case "one":
            return Batch(count[:, :1])
        case "huge counts":
            return Batch(rng.choice(np.array([0, 1, 254, 255], np.uint8), (n, 64)))
        case "wide counts":
            return Batch(count.astype(np.int32) * 1000)
        case "weights":
            return Batch(count, weight)
        case "one weighting":
            return Batch.from_weights(weight)
        case "real counts":
            return Batch(rng.exponential(size=(n, 20)))
        case "nothing":
            return Batch(np.zeros((n, 64), np.uint8))
    raise ValueError(kind)


BATCHES = ["counts", "few lanes", "many lanes", "one", "huge counts", "wide counts"]
BATCHES += ["weights", "one weighting", "real counts", "nothing"]
TIES = ["none", "some", "many", "all"]
SIZES = [0, 1, 2, 3, 5, 16, 63, 64, 65, 130, 300]

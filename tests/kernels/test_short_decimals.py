"""Floats of any precision are read as the decimals that they print."""

import numpy as np
import pytest

from reportgen.kernels.columns import parse_printed_floats

DRAW = np.random.default_rng(6)
POWERS = 10.0 ** np.arange(-20, 21)
EDGES = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 3e-45, 1e-13, 1e13])


def draw_bits(n):
    words = DRAW.integers(0, 2**32, n, dtype=np.uint64).astype(np.uint32)
    found = words.view(np.float32)
    return np.where(np.isnan(found), np.float32(0), found)


@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_each_is_the_double_nearest_to_the_shortest_decimal(path, kind):
    some = [DRAW.gamma(1.5, 20, 2_000), np.round(DRAW.random(2_000), 3), 2.0 ** np.arange(-40, 40)]
    with np.errstate(over="ignore", under="ignore"):
        values = np.concatenate([EDGES, POWERS, -POWERS, *some, draw_bits(2_000)]).astype(kind)
        values = np.concatenate([values, np.nextafter(values, kind(np.inf))])
    expected = np.array([float(str(value)) for value in values])
    assert np.array_equal(parse_printed_floats(values), expected, equal_nan=True)

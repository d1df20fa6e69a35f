"""Vectors that are made again whenever they are read."""

import numpy as np

from reportgen.inference.unit_values import FIRST, apply_to_units, make_again

VALUES = np.arange(2.0 * FIRST)


class Made:
    """Makes the values, and counts how often."""

    def __init__(self):
        self.times = 0

    def __call__(self):
        self.times += 1
        return VALUES.copy()


def test_it_is_read_as_the_array():
    each = make_again(Made(), VALUES, is_held=False)
    assert np.array_equal(each - 1, VALUES - 1) and np.array_equal(2 / (1 + each), 2 / (1 + VALUES))
    assert np.array_equal(np.abs(each), VALUES) and np.array_equal(np.asarray(each), VALUES)
    assert (each**2).sum() == np.sum(VALUES**2) and each.max() == VALUES[-1] and np.any(each)
    assert len(each) == len(VALUES) and each[-1] == VALUES[-1]
    assert np.array_equal(each[VALUES > 5], VALUES[6:]) and np.array_equal(each[:-3], VALUES[:-3])


def test_what_is_held_is_made_once_and_takes_room_until_it_is_released():
    make = Made()
    each = make_again(make, VALUES, is_held=True)
    assert each.sum() == VALUES.sum() and each.nbytes == VALUES.nbytes and make.times == 0
    each.release()
    assert each.sum() == VALUES.sum() and each.nbytes == 0 and make.times == 1


def test_a_difference_is_made_when_it_is_read_and_its_first_numbers_once():
    makes = Made(), Made()
    one, other = (make_again(make, VALUES, is_held=False) for make in makes)
    difference = apply_to_units(lambda a, b: 3 * a - b, one, other)
    assert [make.times for make in makes] == [0, 0]
    for _ in range(3):
        assert np.array_equal(difference[:1000], 2 * VALUES[:1000])
    assert [make.times for make in makes] == [1, 1]
    assert isinstance(apply_to_units(np.subtract, VALUES, VALUES), np.ndarray)

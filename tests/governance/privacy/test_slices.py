"""No hidden slice is a combination of told ones: held by least squares on the rows themselves."""

import numpy as np
import pytest

from reportgen.data.sample import Codes
from reportgen.governance.privacy import find_hidden_segments
from reportgen.results.core import SegmentInfo

FEWEST = 30


def slices(**columns: list[str]) -> tuple[list[SegmentInfo], dict[str, Codes]]:
    """The slices of some columns of names, as the results tell them, and the names as numbers."""
    codes = {}
    for name, values in columns.items():
        labels, code = np.unique(values, return_inverse=True)
        codes[name] = Codes(tuple(map(str, labels)), code.astype(np.int64))
    segments = [
        SegmentInfo(f"{name}={label}", name, label, int((each.code == k).sum()))
        for name, each in codes.items()
        for k, label in enumerate(each.labels)
    ]
    return segments, codes


def can_be_had(
    wanted: str, hidden: frozenset[str], segments: list[SegmentInfo], codes: dict[str, Codes]
) -> bool:
    """Whether the rows of a slice are a combination of all rows and of the slices that are told."""

    def rows(each: SegmentInfo) -> np.ndarray:
        column = codes[each.column]
        return (column.code == column.labels.index(each.value)).astype(float)

    told = [rows(each) for each in segments if each.segment not in hidden]
    whole = np.ones(len(next(iter(codes.values())).code))
    columns = np.column_stack([whole, *told])
    target = rows(next(each for each in segments if each.segment == wanted))
    found, *_ = np.linalg.lstsq(columns, target, rcond=None)
    return bool(np.allclose(columns @ found, target, atol=1e-6))


def test_a_slice_that_two_columns_give_away_is_kept_by_hiding_more() -> None:
    """Of a: x 12, y 40, z 68. b has x and z in one slice, so b less z of a would be x."""
    a = ["x"] * 12 + ["y"] * 40 + ["z"] * 68
    b = ["xz"] * 12 + ["y"] * 40 + ["xz"] * 68
    segments, codes = slices(a=a, b=b)
    by_column = frozenset({"a=x", "a=y"})
    assert can_be_had("a=x", by_column, segments, codes)
    hidden = find_hidden_segments(segments, codes, FEWEST)
    assert by_column < hidden
    assert not can_be_had("a=x", hidden, segments, codes)


def test_two_told_slices_with_few_rows_between_them_are_not_both_told() -> None:
    small = ["s"] * 20 + ["t"] * 100
    a = ["p"] * 20 + ["q"] * 60 + ["r"] * 40
    b = ["u"] * 20 + ["v"] * 55 + ["w"] * 45
    segments, codes = slices(small=small, a=a, b=b)
    hidden = find_hidden_segments(segments, codes, FEWEST)
    assert {"small=s", "small=t"} <= hidden
    assert not {"a=q", "b=v"}.isdisjoint(hidden)  # q less v would be five rows


def test_where_no_slice_is_small_none_is_hidden() -> None:
    segments, codes = slices(a=["x"] * 40 + ["y"] * 80, b=["u"] * 60 + ["v"] * 60)
    assert find_hidden_segments(segments, codes, FEWEST) == frozenset()


@pytest.mark.parametrize("seed", range(60))
def test_no_hidden_slice_can_be_had_from_any_that_are_told(seed: int) -> None:
    """Columns that overlap, nest and repeat each other, drawn at random."""
    draw = np.random.default_rng(seed)
    n = int(draw.integers(150, 400))
    first = draw.choice(list("abcde"), n, p=[0.05, 0.05, 0.2, 0.3, 0.4])
    merged = np.where(np.isin(first, ["a", "c"]), "ac", first)  # a coarser column
    other = draw.choice(list("uvw"), n, p=[0.08, 0.4, 0.52])
    finer = np.where(other == "w", np.char.add(other, first), other)
    columns = {"first": first, "merged": merged, "other": other, "finer": finer}
    kept = list(draw.choice([*columns], int(draw.integers(2, 5)), replace=False))
    segments, codes = slices(**{name: [*map(str, columns[name])] for name in kept})
    hidden = find_hidden_segments(segments, codes, FEWEST)
    assert {s.segment for s in segments if s.n < FEWEST} <= hidden
    for name in kept:
        mine = [s for s in segments if s.column == name and s.segment in hidden]
        everything = len(mine) == sum(s.column == name for s in segments)
        assert not mine or everything or (len(mine) > 1 and sum(s.n for s in mine) >= FEWEST)
    for each in hidden:
        assert not can_be_had(each, hidden, segments, codes)

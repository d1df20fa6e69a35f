"""Precision by the share of positives, on the page: at which point, and when it is kept back."""

from pathlib import Path

import numpy as np
import pytest

from reportgen.report.wording.numbers import format_percent
from tests.end_to_end.test_operating_points import columns, put
from tests.end_to_end.wallet import call, heard, results

NAME = "precision_by_prevalence"
POINTS = {"half": {"fixed": 0.5}, "list": {"share": 0.2}}


def drawn(folder: Path, use: object, **changes: object) -> dict[str, dict[str, object]]:
    """The curve of each model."""
    config = put(folder, POINTS, curves=[use], **changes)
    assert call("run", config, "--out", folder / "out", "--quiet", "--no-cache") == 0
    found = results(folder / "out")["curves"]
    return {c["model"]: c for c in found if c["curve"] == NAME and c["baseline"] is None}


def test_it_is_of_the_first_operating_point_unless_another_is_named(tmp_path: Path) -> None:
    y, scores, _ = columns(1)
    called = scores["b"] >= 0.5
    recall, false = called[y > 0].mean(), called[y == 0].mean()
    own = drawn(tmp_path, NAME)["b"]
    x = np.array(own["x"])
    assert own["y"] == pytest.approx(x * recall / (x * recall + (1 - x) * false))
    assert own["params"] == {"at": "half"}
    assert all(
        low < y < high
        for low, y, high in zip(own["band_low"], own["y"], own["band_high"], strict=True)
    )
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "Precision of the flagged rows at “half”, where more or fewer are positive" in page
    assert (
        f"Share of positives on these rows: {format_percent(y.mean(), 1)} for every model." in page
    )
    other = drawn(tmp_path, {"name": NAME, "at": "list"})["b"]
    assert other["params"] == {"at": "list"} and other["y"] != own["y"]


def test_a_point_that_there_is_not_is_told_with_the_nearest(tmp_path: Path) -> None:
    config = put(tmp_path, POINTS, curves=[{"name": NAME, "at": "lits"}])
    code, _, error = heard("validate", config, cwd=tmp_path)
    assert code == 2
    assert "there is no operating point 'lits'; did you mean 'list'?" in error


def test_both_shares_of_calls_are_kept_where_small_cells_are(tmp_path: Path) -> None:
    assert drawn(tmp_path, NAME, privacy={"min_cell": 5}) == {}

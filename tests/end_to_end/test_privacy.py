"""What a report keeps to itself, in every output."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reportgen.governance.cell_suppression import (
    find_small_segments,
    suppress_confusion_differences,
    suppress_confusions,
)
from reportgen.report.layout import build_document
from reportgen.report.render.outputs import render_output
from reportgen.report.render.theme import Theme
from reportgen.results.core import SegmentInfo
from tests.end_to_end.wallet import customers, dataset, heard, put, results
from tests.worked import results_of

SMALL = 12  # rows in the smallest of three slices of 120


def run(folder: Path, privacy: Any, **changes: Any) -> dict[str, Any]:
    """The results of a run of customers in three slices, of 12, 40 and 68."""
    rows = [
        {**row, "part": "few" if k < SMALL else "some" if k < 52 else "many"}
        for k, row in enumerate(customers())
    ]
    gate = {
        "name": "g",
        "rule": "below",
        "metric": "mae",
        "model": "boosted",
        "value": 9999,
        "segment": "part=few",
    }
    outputs = ["json", "markdown", "html"]
    put(
        folder,
        rows,
        datasets=dataset(segments=["part"]),
        gates=[gate],
        privacy=privacy,
        curves=["gain", "distribution_y"],
        outputs=outputs,
        **changes,
    )
    code, _, error = heard("run", "wallet.yaml", "--out", "out", "--quiet", cwd=folder)
    assert code in (0, 1), error
    return results(folder / "out")


def test_a_small_slice_and_the_next_have_no_number_anywhere(tmp_path: Path) -> None:
    told = run(tmp_path, "open")
    (tmp_path / "out").rename(tmp_path / "open")
    kept = run(tmp_path, "standard")
    hidden = {"part=few", "part=some"}
    assert set(kept["datasets"][0]["hidden"]) == hidden
    for table in ("estimates", "comparisons"):
        assert {row["segment"] for row in kept[table]} == {None, "part=many"}
        secret = [row for row in told[table] if row["segment"] in hidden]
        assert secret
        texts = [
            (tmp_path / "out" / name).read_text(encoding="utf-8")
            for name in ("results.json", "report.md", "report.html")
        ]
        known = json.dumps([row for row in kept[table]])
        for row in secret:
            value = row.get("value", row.get("difference"))
            if value is not None and repr(value) not in known:
                assert not any(repr(value) in text for text in texts)
    [gate] = kept["gates"]
    assert (gate["status"], gate["value"], gate["low"], gate["high"]) == ("met", None, None, None)
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert page.count("too few to tell") == 2


def test_no_total_less_the_rest_gives_a_hidden_slice_away(tmp_path: Path) -> None:
    kept = run(tmp_path, "standard")
    told = sum(s["n"] for s in kept["datasets"][0]["segments"])
    assert kept["datasets"][0]["n"] - told == SMALL + 40  # two slices, and neither alone
    without = [c for c in kept["sensitivity"]["choices"] if c["choice"] == "without"]
    assert without == []


@pytest.mark.parametrize(
    ("sizes", "hidden"),
    [
        ((9, 40, 50), [0, 1]),
        ((9, 8, 50), [1, 0, 2]),
        ((9, 8, 40, 50), [1, 0, 2]),
        ((9, 25, 50), [0, 1]),
        ((30, 40), []),
        ((9,), [0]),
        ((9, 90), [0, 1]),
    ],
)
def test_which_slices_are_hidden(sizes: tuple[int, ...], hidden: list[int]) -> None:
    segments = [SegmentInfo(f"a={k}", "a", str(k), n) for k, n in enumerate(sizes)]
    assert [*find_small_segments(segments, 30)] == [f"a={k}" for k in hidden]


def test_strict_tells_no_ends_and_no_single_row(tmp_path: Path) -> None:
    told = run(tmp_path, "open")["datasets"][0]["columns"][0]
    kept = run(tmp_path, "strict")
    column = kept["datasets"][0]["columns"][0]
    assert told["minimum"] <= column["minimum"] and column["maximum"] < told["maximum"]
    assert kept["sensitivity"]["influence"] == []
    sets = [s for each in kept["sensitivity"]["deletions"] for s in each["sets"]]
    assert all(s["rows"] > 5 for s in sets)
    assert run(tmp_path, {"level": "strict", "leverage": True})["sensitivity"]["influence"]


@pytest.mark.parametrize(
    "rules", ["strict", {"level": "standard", "leverage": False}, {"extremes": False}]
)
def test_no_reach_of_a_tail_gives_the_largest_error(tmp_path: Path, rules: Any) -> None:
    told = [*(e["tail_reach"] for e in list_values(run(tmp_path, "open")))]
    assert any(told)
    assert not any(e["tail_reach"] for e in list_values(run(tmp_path, rules)))


def list_values(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [*found["estimates"], *found["comparisons"]]


def test_curves_have_no_finer_steps_than_bins_may_be(tmp_path: Path) -> None:
    kept = run(tmp_path, "standard")
    gains = [c for c in kept["curves"] if c["curve"].startswith("gain")]
    assert gains and all(len(c["x"]) <= 120 // 5 for c in gains)
    assert all(c["x"][0] == 0 and c["x"][-1] == 1 for c in gains if c["x"])


def test_a_bar_joins_its_neighbours_until_it_holds_enough_rows(tmp_path: Path) -> None:
    told = run(tmp_path, "open")
    kept = run(tmp_path, "standard")
    [before, after] = (
        next(c for c in each["curves"] if c["curve"] == "distribution_y") for each in (told, kept)
    )
    sizes = [round(y * 120) for y in after["y"]]
    assert sum(sizes) == 120 and all(size == 0 or size >= 5 for size in sizes)
    assert any(0 < round(y * 120) < 5 for y in before["y"]) and len(sizes) > 4
    ends = [label.partition(" to ")[::2] for label in after["x_labels"]]
    first, last = before["x_labels"][0], before["x_labels"][-1]
    assert (ends[0][0], ends[-1][1]) == (first.partition(" to ")[0], last.partition(" to ")[2])


def test_the_page_says_what_it_keeps(tmp_path: Path) -> None:
    run(tmp_path, {"level": "standard", "min_segment": 50})
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "standard: segments of fewer than 30 rows" in page and "but min\\_segment 50" in page


def test_a_confusion_that_is_not_told_is_not_called_none(tmp_path: Path) -> None:
    """The worked digits, hidden by hand: what is blank is said, and no count stands for it."""
    digits = results_of("digits")
    confusions = suppress_confusions(digits.confusions, 5, {})
    names = {each.name: [c.value for c in each.classes] for each in digits.datasets}
    told = replace(
        digits,
        confusions=confusions,
        confusion_differences=tuple(
            suppress_confusion_differences(digits.confusion_differences, confusions, names)
        ),
    )
    page = render_output("markdown", build_document(told), told, Theme())["report.md"].decode()
    assert "A blank cell is empty or hidden" in page
    assert "confuses no classes" not in page
    assert "The confusions of Random forest are hidden" in page
    assert " apart in any cell of the confusion matrix that is printed." in page
    before = render_output("markdown", build_document(digits), digits, Theme())[
        "report.md"
    ].decode()
    assert "not told" not in before and "All confusions that are printed" not in before

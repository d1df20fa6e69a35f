"""What somebody who knows which rows are in which slice can work out from results.json."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.end_to_end.wallet import customers, dataset, heard, put, results

N = 500
FEWEST = 30
COLUMNS = ("part", "coarse", "band")


def rows() -> list[dict[str, str]]:
    """Rows in slices of three columns, one of which has others of it in common."""
    draw = np.random.default_rng(5)
    part = draw.choice(list("abcd"), N, p=[0.03, 0.17, 0.3, 0.5])
    found = []
    for row, name, band in zip(customers(N), part, draw.choice(list("uvw"), N), strict=False):
        coarse = "ac" if name in "ac" else str(name)
        found.append({**row, "part": str(name), "coarse": coarse, "band": str(band)})
    return found


def told_sums(found: dict[str, Any], data: list[dict[str, str]]) -> tuple[Any, Any]:
    """Each published mean absolute error as a sum over rows: who is in it, and what it comes to."""
    members, sums = [], []
    told = [
        (e["model"], e["segment"], e["value"] * e["n"])
        for e in found["estimates"]
        if (e["key"], e["model"]) == ("mae", "boosted")
    ]
    for _, segment, total in told:
        column, _, value = (segment or "").partition("=")
        members.append([1.0 if not segment or row[column] == value else 0.0 for row in data])
        sums.append(total)
    return np.array(members), np.array(sums)


def errors(data: list[dict[str, str]]) -> Any:
    return np.array([abs(float(r["score_gbm_time"]) - float(r["y_spend_hold"])) for r in data])


def run(folder: Path, privacy: str) -> dict[str, Any]:
    put(
        folder,
        rows(),
        datasets=dataset(segments=[*COLUMNS]),
        privacy=privacy,
        gates=[],
        primary={"metric": "mae", "margin": 1},
    )
    code, _, error = heard("run", "wallet.yaml", "--out", "out", "--quiet", cwd=folder)
    assert code == 0, error
    return results(folder / "out")


def follows(members: Any, wanted: Any) -> bool:
    """Whether a sum over some rows is a combination of sums that are told."""
    found, *_ = np.linalg.lstsq(members.T, wanted, rcond=None)
    return bool(np.allclose(members.T @ found, wanted, atol=1e-6))


def test_no_row_has_its_loss_in_what_a_report_tells_openly(tmp_path: Path) -> None:
    """Fewer sums than rows: the losses that fit them best are not those of the rows."""
    found, data = run(tmp_path, "open"), rows()
    members, sums = told_sums(found, data)
    truth = errors(data)
    assert members @ truth == pytest.approx(sums, rel=1e-8)
    assert np.linalg.matrix_rank(members) < N / 20
    guess, *_ = np.linalg.lstsq(members, sums, rcond=None)
    assert members @ guess == pytest.approx(sums, rel=1e-6)
    assert np.corrcoef(guess, truth)[0, 1] ** 2 < 0.2
    assert not any(follows(members, np.eye(N)[k]) for k in range(0, N, 25))
    text = json.dumps(found)
    assert '"replicates": [' not in text and '"resamples": [' not in text


def test_under_standard_no_sum_of_a_hidden_slice_follows_from_the_told_ones(
    tmp_path: Path,
) -> None:
    """Openly `coarse` less `part=c` is `part=a`, of which there are too few."""
    found, data = run(tmp_path, "standard"), rows()
    members, sums = told_sums(found, data)
    assert members @ errors(data) == pytest.approx(sums, rel=1e-8)
    hidden = found["datasets"][0]["hidden"]
    assert "part=a" in hidden
    for segment in hidden:
        column, _, value = segment.partition("=")
        wanted = np.array([1.0 if row[column] == value else 0.0 for row in data])
        assert not follows(members, wanted), segment
    few = np.array([1.0 if row["part"] == "a" else 0.0 for row in data])
    in_coarse, in_c = (
        np.array([1.0 if row[name] == value else 0.0 for row in data])
        for name, value in (("coarse", "ac"), ("part", "c"))
    )
    assert few.sum() < FEWEST
    assert follows(np.array([in_coarse, in_c]), few)  # which is why one of the two is hidden
    assert not {"part=c", "coarse=ac"}.isdisjoint(hidden)


def ids_in(folder: Path, monkeypatch: pytest.MonkeyPatch, key: str, privacy: str) -> set[str]:
    """The names of rows in a report that may name them."""
    monkeypatch.setenv("REPORTGEN_ID_KEY", key)
    put(folder, report={"title": "Wallet", "show_ids": True}, privacy=privacy)
    assert heard("run", "wallet.yaml", "--out", "out", "--quiet", cwd=folder)[0] == 0
    text = (folder / "out" / "results.json").read_text(encoding="utf-8")
    assert not key or key not in text
    told = json.loads(text)["sensitivity"]
    sets = [s for each in told["deletions"] for s in each["sets"]]
    return {each["row"]["id"] for each in told["influence"] if each["row"]} | {
        each for s in sets for each in s["ids"] or ()
    }


def test_ids_are_shown_under_a_key_and_without_one_only_openly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = ids_in(tmp_path, monkeypatch, "", "open")
    assert plain and plain <= {row["customer_id"] for row in customers()}
    keyed = ids_in(tmp_path, monkeypatch, "only we know it", "standard")
    assert len(keyed) == len(plain) and keyed.isdisjoint(plain)
    assert all(len(each) == 12 and set(each) <= set("0123456789abcdef") for each in keyed)
    assert ids_in(tmp_path, monkeypatch, "nobody knows it", "standard").isdisjoint(keyed)
    assert ids_in(tmp_path, monkeypatch, "", "standard") == set()

"""Queries that a run lacks: page one says so, and what comes of it where they are left out."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.end_to_end.wallet import call, results

TURNED = "with queries missing from a run left out for all models"


def ran(folder: Path, lacking: int, queries: int = 60, **changes: object) -> dict:
    """A report on two runs: `new` has the relevant document first, but no line for some queries.

    `old` has it second or third.
    """
    judged, old, new = [], [], []
    for k in range(queries):
        for d in range(3):
            judged.append(f"q{k:03} 0 d{d} {int(d == 0)}\n")
            old.append(f"q{k:03} Q0 d{(d - 1 - k % 2) % 3} 1 {3 - d} old\n")
            new += [f"q{k:03} Q0 d{d} 1 {3 - d} new\n"] if k >= lacking else []
    for name, lines in (("web.qrels", judged), ("old.run", old), ("new.run", new)):
        (folder / name).write_text("".join(lines))
    config = {
        "version": 1,
        "report": {"title": "Missing"},
        "task": "ranking",
        "datasets": {"web": {"qrels": "web.qrels"}},
        "models": {"old": {"run": "old.run", "role": "baseline"}, "new": {"run": "new.run"}},
        "metrics": ["AP"],
        "primary": {"metric": "AP"},
        "bootstrap": {"replicates": 199},
        "curves": [],
        "outputs": ["json"],
        **changes,
    }
    (folder / "c.yaml").write_text(yaml.safe_dump(config))
    assert call("run", folder / "c.yaml", "--out", folder / "out", "--quiet", "--no-cache") == 0
    return results(folder / "out")


def unsure(found: dict) -> str:
    return " ".join(found["conclusion"]["unsure"])


def mean_of_reciprocal_ranks(queries: range) -> tuple[float, float]:
    """What trec_eval prints as map for both runs: the relevant document is alone in its query."""
    return sum(1 / (2 + (k + 1) % 2) for k in queries) / len(queries), 1.0


@pytest.mark.parametrize(
    ("more", "old", "new"),
    [
        ({}, mean_of_reciprocal_ranks(range(10, 60))[0], 1.0),
        ({"missing_query": "zero"}, mean_of_reciprocal_ranks(range(60))[0], 50 / 60),
    ],
)
def test_like_trec_eval_leaves_a_query_that_a_run_lacks_out_unless_c_is_meant(
    more: dict, old: float, new: float, tmp_path: Path
) -> None:
    """trec_eval averages a run over its own queries, and with -c over all that were judged."""
    found = ran(tmp_path, 10, ranking={"like": "trec_eval", **more})
    values = {each["model"]: each["value"] for each in found["estimates"]}
    assert values == {"old": pytest.approx(old, rel=1e-9), "new": pytest.approx(new, rel=1e-9)}
    (told,) = (w["text"] for w in found["warnings"] if w["code"] == "W231")
    assert ("10 are left out for every model" in told) is (not more)


def test_a_verdict_that_missing_queries_turn_is_told_with_them_left_out(tmp_path: Path) -> None:
    found = ran(tmp_path, 29)
    (compared,) = found["comparisons"]
    assert compared["word"] == "cannot tell"
    (other,) = [c for c in found["sensitivity"]["choices"] if c["choice"] == "missing_query"]
    assert (other["value"], other["n"], other["word"]) == ("drop", 31, "better")
    assert TURNED in unsure(found).lower()
    (told,) = (w["text"] for w in found["warnings"] if w["code"] == "W231")
    assert "29 of 60 queries; 29 count as empty lists" in told


def test_queries_that_are_left_out_are_told_on_page_one(tmp_path: Path) -> None:
    found = ran(tmp_path, 24, ranking={"missing_query": "drop"})
    assert found["comparisons"][0]["word"] == "better"
    assert "new returns nothing for some of the queries." in unsure(found)


def test_a_run_that_lacks_one_query_of_many_and_turns_nothing_is_told_behind(
    tmp_path: Path,
) -> None:
    found = ran(tmp_path, 1, queries=80)
    assert "W231" in {w["code"] for w in found["warnings"]}
    assert "returns nothing" not in unsure(found)


def test_runs_that_answer_all_queries_are_not_looked_at_without_some(tmp_path: Path) -> None:
    found = ran(tmp_path, 0)["sensitivity"]["choices"]
    assert found and not [c for c in found if c["choice"] == "missing_query"]

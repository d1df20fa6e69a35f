"""Few queries that a metric judges: no verdict, no requirement shown, and page one says why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.end_to_end.wallet import call, results

CONFIG: dict[str, object] = {
    "version": 1,
    "report": {"title": "Few"},
    "task": "ranking",
    "datasets": {"web": {"qrels": "web.qrels"}},
    "models": {"old": {"run": "old.run", "role": "baseline"}, "new": {"run": "new.run"}},
    "metrics": ["nDCG@3"],
    "primary": {"metric": "nDCG@3", "margin": 0.01},
    "gates": [
        {"name": "safe", "rule": "non_inferior", "metric": "nDCG@3", "model": "new",
         "margin": 0.01},
    ],
    "bootstrap": {"replicates": 199},
    "curves": [],
    "outputs": ["json", "markdown"],
}  # fmt: skip


def ran(folder: Path, queries: int, relevant: int, **changes: object) -> dict:
    """A report on `queries` of which the first few have a relevant document that `new` has first.

    It is the third of `old`, or the second of every other query.
    """
    judged, old, new = [], [], []
    for k in range(queries):
        at = 1 + k % 2
        for d in range(3):
            judged.append(f"q{k:02} 0 d{d} {int(d == 0 and k < relevant)}\n")
            old.append(f"q{k:02} Q0 d{(d - at) % 3} 1 {3 - d} old\n")
            new.append(f"q{k:02} Q0 d{d} 1 {3 - d} new\n")
    for name, lines in (("web.qrels", judged), ("old.run", old), ("new.run", new)):
        (folder / name).write_text("".join(lines))
    config = folder / "c.yaml"
    config.write_text(yaml.safe_dump({**CONFIG, **changes}))
    assert call("run", config, "--out", folder / "out", "--quiet", "--no-cache") == 0
    return results(folder / "out")


def test_under_ten_queries_page_one_says_that_there_is_no_verdict_and_nothing_against_it(
    tmp_path: Path,
) -> None:
    found = ran(tmp_path, 9, 9)
    (compared,) = found["comparisons"]
    assert compared["verdict"] == "inconclusive" and compared["low"] > 0.01
    page = found["conclusion"]
    assert "Under 10 queries no verdict is given, whatever the interval." in page["sentence"]
    assert "ruled out" not in page["sentence"] and "would decide" not in page["sentence"]
    assert page["sensitivity"] == ""
    (required,) = page["requirements"]
    assert required["text"] == "under 10 queries no verdict is given (“safe”)"
    (gate,) = found["gates"]
    assert gate["reason"].startswith("under 10 queries no verdict is given; difference +0.")


def test_no_other_analysis_of_under_ten_queries_gives_a_verdict(tmp_path: Path) -> None:
    choices = ran(tmp_path, 9, 9)["sensitivity"]["choices"]
    assert len(choices) > 2
    assert {c["verdict"] for c in choices} == {"inconclusive"}


def test_of_ten_queries_there_is_a_verdict(tmp_path: Path) -> None:
    found = ran(tmp_path, 10, 10)
    assert found["comparisons"][0]["verdict"] == "better"
    assert "no verdict" not in json.dumps(found["conclusion"])


@pytest.mark.parametrize("relevant", [5, 12])
def test_few_queries_are_those_that_the_metric_judges(relevant: int, tmp_path: Path) -> None:
    found = ran(tmp_path, 60, relevant)
    (few,) = [w for w in found["warnings"] if w["code"] == "W131"]
    assert few["key"] == "nDCG@3"
    assert few["numbers"] == {"queries": relevant, "few": 25, "left_out": 60 - relevant}
    first = found["conclusion"]["cares"][0]
    assert first["text"].startswith(
        f"nDCG@3: the number of queries is {relevant}, where 25 are wanted; the measure leaves "
        f"out {60 - relevant} others."
    )
    assert ("no verdict" in found["conclusion"]["sentence"]) is (relevant < 10)


def test_a_metric_that_judges_enough_queries_is_not_told_of_few(tmp_path: Path) -> None:
    more = ["nDCG@3", "Judged@3"]
    few = [w for w in ran(tmp_path, 60, 5, metrics=more)["warnings"] if w["code"] == "W131"]
    assert [w["key"] for w in few] == ["nDCG@3"]


def test_a_convention_with_another_verdict_has_another_word(tmp_path: Path) -> None:
    found = ran(tmp_path, 60, 5)
    for w in (w for w in found["warnings"] if w["code"] == "W139"):
        assert w["numbers"]["verdict"] != w["numbers"]["declared"]
    changed = [c for c in found["sensitivity"]["choices"] if c["is_other"]]
    assert all(c["verdict"] != "inconclusive" for c in changed)

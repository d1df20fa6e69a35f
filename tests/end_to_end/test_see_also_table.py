"""The worked config of one long table: the same numbers as its runs and judgements would give."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.end_to_end.wallet import ROOT, call, results
from tests.metrics import retrieval_definitions as definitions

CONFIG, DATA = ROOT / "configs" / "see-also-table.yaml", ROOT / "configs" / "data"
GRADES = {"by it": 2.0, "in it": 1.0}
WORDS = ("--quiet", "--no-cache", "--set", "bootstrap.replicates=99")


def judged_lists() -> dict[str, tuple[list[dict[str, str]], list[float]]]:
    """The lines of each query, and the grades of its judged documents."""
    text = gzip.decompress((DATA / "see_also_table.csv.gz").read_bytes()).decode()
    found: dict[str, list[dict[str, str]]] = {}
    for row in csv.DictReader(text.splitlines()):
        found.setdefault(row["query"], []).append(row)
    return {
        query: (rows, [GRADES[row["named"]] for row in rows if row["named"]])
        for query, rows in found.items()
    }


def by_hand(model: str, measure: Callable[..., float], **params: object) -> float:
    """A measure under `ties: trec` by its definition; what has no score stands last, tied."""
    values = []
    for rows, judged in judged_lists().values():
        order = sorted(
            rows,
            key=lambda row: (
                np.float32(row[model]) if row[model] else -np.inf,
                row["document"].encode(),
            ),
            reverse=True,
        )
        grades = [GRADES.get(row["named"]) for row in order]
        values.append(measure(grades, judged, **params))
    return float(np.mean(values))


def test_values_are_those_of_the_definitions(tmp_path: Path) -> None:
    trec = ("--set", "ranking.ties=trec", "--set", "outputs=[json]")
    assert call("run", CONFIG, "--out", tmp_path, *WORDS, *trec) == 0
    found = {
        (e["model"], e["key"]): e["value"]
        for e in results(tmp_path)["estimates"]
        if e["segment"] is None
    }
    for model in ("names", "words"):
        assert found[model, "nDCG@10"] == pytest.approx(by_hand(model, definitions.ndcg, k=10))
        assert found[model, "AP"] == pytest.approx(by_hand(model, definitions.ap))


def test_conventions_ties_and_what_was_judged_are_warned_of(tmp_path: Path) -> None:
    assert call("run", CONFIG, "--out", tmp_path, *WORDS, "--set", "outputs=[json]") == 0
    assert {"W133", "W135", "W139"} <= {w["code"] for w in results(tmp_path)["warnings"]}

"""The worked config of ranking by query: a search over docstrings, against the definitions."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import numpy as np
import pytest

from tests.end_to_end.wallet import ROOT, call, results
from tests.metrics import retrieval_definitions as definitions

CONFIG, DATA = ROOT / "configs" / "see-also.yaml", ROOT / "configs" / "data"
WANT = {
    "RR@10": (definitions.rr, 10),
    "AP": (definitions.ap, None),
    "nDCG@10": (definitions.ndcg, 10),
    "judged@10": (definitions.judged_at, 10),
    "R@50": (definitions.recall_at, 50),
}


def ran(folder: Path, *more: str) -> Path:
    words = ("--quiet", "--no-cache", "--set", "bootstrap.replicates=99", *more)
    assert call("run", CONFIG, "--out", folder, *words, "--set", "outputs=[json, markdown]") == 0
    return folder


def graded() -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for line in (DATA / "see_also.qrels").read_text(encoding="utf-8").splitlines():
        query, _, document, grade = line.split()
        found.setdefault(query, {})[document] = float(grade)
    return found


def orders(model: str) -> dict[str, list[str]]:
    """The documents of each query by score in single precision, then by id, the last first."""
    lists: dict[str, list[tuple[np.float32, bytes]]] = {}
    text = gzip.decompress((DATA / f"see_also_{model}.run.gz").read_bytes()).decode()
    for line in text.splitlines():
        query, _, document, _, score, _ = line.split()
        lists.setdefault(query, []).append((np.float32(score), document.encode()))
    return {q: [d.decode() for _, d in sorted(each, reverse=True)] for q, each in lists.items()}


def test_the_values_are_those_of_the_definitions_with_ties_broken_by_id(tmp_path: Path) -> None:
    judged = graded()
    lists = {model: orders(model) for model in ("summaries", "texts", "names", "words")}
    checked = 0
    for found in results(ran(tmp_path, "--set", "ranking={ties: trec}"))["estimates"]:
        if found["segment"] is None:
            measure, k = WANT[found["key"]]
            each = [
                measure(
                    [known.get(d) for d in lists[found["model"]].get(q, [])],
                    list(known.values()),
                    k,
                )
                for q, known in judged.items()
            ]
            assert found["value"] == pytest.approx(float(np.mean(each)), rel=1e-9)
            checked += 1
    assert checked == 4 * len(WANT)


def test_every_page_speaks_of_queries(tmp_path: Path) -> None:
    page = (ran(tmp_path) / "report.md").read_text(encoding="utf-8")
    assert "300 queries" in page.partition("## Results")[0]
    assert not [
        line
        for line in page.splitlines()
        if re.search(r"\brows?\b", line) and not line.startswith("- **equivalent**")
    ]


def test_what_was_judged_is_counted_and_is_no_amount(tmp_path: Path) -> None:
    data = (ran(tmp_path) / "report.md").read_text(encoding="utf-8").partition("## Data")[2]
    assert "Each query has from 1 to 14 relevant documents, 3.23 on average." in data
    assert "zero" not in data.partition("## Method")[0].lower().replace("zeros", "")


def test_a_metric_says_what_is_not_as_usual_and_method_says_all(tmp_path: Path) -> None:
    told = ran(tmp_path, "--set", "ranking={gain: exp2}", "--set", "report.length=full")
    told = told / "report.md"
    front, _, method = told.read_text(encoding="utf-8").partition("## Method")
    assert "gain \\= exp2" in front and "ties \\= expected" not in front
    assert "k \\= 10" not in front  # the name says it
    assert "ties \\= expected" in method and "k \\= 10" in method


def test_the_data_are_small() -> None:
    assert sum(path.stat().st_size for path in DATA.glob("see_also*")) < 1_000_000


def test_single_queries_and_grades_are_drawn(tmp_path: Path) -> None:
    from reportgen.report.archive import load_results
    from reportgen.report.document import Figure, iter_unfolded
    from reportgen.report.layout import build_document

    found = load_results(ran(tmp_path) / "results.json")
    blocks = [
        b for section in build_document(found).sections for b in iter_unfolded(section.blocks)
    ]
    figures = {block.id: block for block in blocks if isinstance(block, Figure)}
    assert len(figures["queries-scatter"].panels) == 3  # a panel for each candidate
    assert len(figures["queries-scatter"].panels[0].series[0].x) == 300
    [level] = [
        w.level for w in found.sensitivity.wins if (w.key, w.candidate) == ("nDCG@10", "texts")
    ]
    assert f"ties with Summary on {level} of 300 queries" in figures["queries-spread"].title
    grades = figures["queries-grades"].panels[0]
    assert [text for _, text in grades.y.ticks] == ["grade 2", "grade 1", "grade 0", "not judged"]
    depth = next(figure for name, figure in figures.items() if name.startswith("ndcg-at-k"))
    assert "higher at ranks" in depth.title and len(depth.more_panels) == 1

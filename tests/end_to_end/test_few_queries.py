"""Few queries that a metric judges: no verdict, no requirement shown, and page one says why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.end_to_end.wallet import TINY, call, results

CONFIG: dict[str, object] = {
    "version": 1,
    "report": {"title": "Few"},
    "task": "ranking",
    "datasets": {"web": {"qrels": "web.qrels"}},
    "models": {"old": {"run": "old.run", "role": "baseline"}, "new": {"run": "new.run"}},
    "metrics": ["nDCG@3"],
    "primary": {"metric": "nDCG@3", "margin": 0.01},
    "gates": [
        {
            "name": "safe",
            "rule": "non_inferior",
            "metric": "nDCG@3",
            "model": "new",
            "margin": 0.01,
        },
    ],
    "bootstrap": {"replicates": 199},
    "curves": [],
    "outputs": ["json", "markdown"],
}


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
    few = TINY if queries < 10 else {}
    config.write_text(yaml.safe_dump({**CONFIG, **few, **changes}))
    assert call("run", config, "--out", folder / "out", "--quiet", "--no-cache") == 0
    return results(folder / "out")


def test_under_ten_queries_page_one_says_that_there_is_no_verdict_and_nothing_against_it(
    tmp_path: Path,
) -> None:
    found = ran(tmp_path, 9, 9)
    (compared,) = found["comparisons"]
    assert compared["word"] == "no result" and compared["difference"] > 0.01
    assert (compared["low"], compared["reason"]) == (None, "no interval: fewer than 10 queries")
    page = found["conclusion"]
    assert "A verdict on new needs at least 10 queries." in page["answer"]
    assert "rules out" not in page["key_line"] and "takes about" not in " ".join(page["unsure"])
    (required,) = page["requirements"]
    assert required["text"] == "a verdict needs at least 10 queries"
    (gate,) = found["gates"]
    assert gate["reason"] == required["text"]


def test_no_other_analysis_of_under_ten_queries_gives_a_verdict(tmp_path: Path) -> None:
    choices = ran(tmp_path, 9, 9)["sensitivity"]["choices"]
    assert len(choices) > 2
    assert {(c["word"], c["low"]) for c in choices} == {("no result", None)}


def test_of_ten_queries_there_is_a_verdict(tmp_path: Path) -> None:
    found = ran(tmp_path, 10, 10)
    assert found["comparisons"][0]["word"] == "clearly better"
    assert "no verdict" not in json.dumps(found["conclusion"])


@pytest.mark.parametrize("relevant", [5, 12])
def test_few_queries_are_those_that_the_metric_judges(relevant: int, tmp_path: Path) -> None:
    found = ran(tmp_path, 60, relevant)
    (few,) = [w for w in found["warnings"] if w["code"] == "W131"]
    assert few["key"] == "nDCG@3"
    assert few["numbers"] == {"queries": relevant, "few": 25, "left_out": 60 - relevant}
    assert few["text"].startswith(
        f"There are {relevant} queries; at least 25 are needed; the metric leaves out "
        f"{60 - relevant} more."
    )
    assert ("needs at least 10 queries" in found["conclusion"]["answer"]) is (relevant < 10)


def test_a_metric_that_judges_enough_queries_is_not_told_of_few(tmp_path: Path) -> None:
    more = ["nDCG@3", "Judged@3"]
    few = [w for w in ran(tmp_path, 60, 5, metrics=more)["warnings"] if w["code"] == "W131"]
    assert [w["key"] for w in few] == ["nDCG@3"]


def test_a_convention_with_another_verdict_has_another_word(tmp_path: Path) -> None:
    found = ran(tmp_path, 60, 5)
    for w in (w for w in found["warnings"] if w["code"] == "W139"):
        assert w["numbers"]["verdict"] != w["numbers"]["declared"]
    changed = [c for c in found["sensitivity"]["choices"] if c["is_other"]]
    assert all(c["word"] != "no result" for c in changed)


def in_folds(folder: Path, queries: int, parts: int, **changes: object) -> dict:
    """A report on queries in folds; of each `new` has the relevant document higher than `old`."""
    lines = ["query,doc,grade,old,new,fold"]
    is_fitted = changes.get("folds") == {"question": "fitted"}
    for k in range(queries):
        at = 1 + (k % 3 == 0)
        lines += [
            f"q{k:02},d{d},{int(d == 0)},{3 - (d - at) % 3},{3 - d},{k % parts}" for d in range(3)
        ]
    (folder / "t.csv").write_text("\n".join(lines) + "\n")
    table = {"path": "t.csv", "query": "query", "id": "doc", "target": "grade", "fold": "fold"}
    models = {"old": {"column": "old", "role": "baseline"}, "new": {"column": "new"}}
    few = TINY if queries < 10 or (parts < 3 and not is_fitted) else {}
    config = {**CONFIG, "datasets": {"web": table}, "models": models, **few, **changes}
    (folder / "c.yaml").write_text(yaml.safe_dump(config))
    assert call("run", folder / "c.yaml", "--out", folder / "out", "--quiet", "--no-cache") == 0
    return results(folder / "out")


@pytest.mark.parametrize("question", ["procedure", "fitted"])
@pytest.mark.parametrize(
    ("queries", "folds", "lacks"),
    [
        (8, 4, "queries"),
        (8, 2, "queries"),
        (40, 4, ""),
        (40, 2, "folds"),
    ],
)
def test_few_queries_and_few_folds_are_each_too_few_by_their_own_rule(
    queries: int, folds: int, lacks: str, question: str, tmp_path: Path
) -> None:
    asked = {"folds": {"question": question}}
    expected = "" if (lacks, question) == ("folds", "fitted") else lacks
    found = in_folds(tmp_path, queries, folds, **asked)
    (compared,) = found["comparisons"]
    assert (compared["lacks"], compared["is_few"]) == (expected, bool(expected))
    assert (compared["word"] == "no result") is bool(expected)
    said = {"queries": "at least 10 queries", "folds": "at least 3 folds"}.get(expected, "")
    assert (f" {expected}." in found["conclusion"]["answer"]) is bool(expected)
    (gate,), (required,) = found["gates"], found["conclusion"]["requirements"]
    assert (gate["status"] == "met") is not bool(expected)
    for text in (gate["reason"], required["text"]):
        assert ((said or "under") in text) is bool(expected)
    codes = [w["code"] for w in found["warnings"]]
    assert ("W131" in codes) is (queries < 25)
    assert "W126" in codes  # under five folds, and under 400 rows


def write_users(folder: Path, kind: str) -> dict[str, object]:
    """Write 60 queries, 24 of them of one user; return the dataset of a table or of runs."""
    users = ["u0"] * 24 + [f"u{k}" for k in range(1, 37)]
    lines = [
        (k, j, (k + j) % 4 == 0, (k * j) % 7, (k + j) % 5) for k in range(60) for j in range(8)
    ]
    if kind == "table":
        rows = [f"q{k},d{j},{g:d},{a},{b},{users[k]}\n" for k, j, g, a, b in lines]
        (folder / "t.csv").write_text("query,doc,label,one,two,user_id\n" + "".join(rows))
        return {"path": "t.csv", "query": "query", "id": "doc", "target": "label"}
    (folder / "t.qrels").write_text("".join(f"q{k} 0 d{j} {g:d}\n" for k, j, g, *_ in lines))
    for at, name in ((3, "one"), (4, "two")):
        text = "".join(f"q{each[0]} Q0 d{each[1]} 1 {each[at]} x\n" for each in lines)
        (folder / f"{name}.run").write_text(text)
    facts = "".join(f"q{k},{user}\n" for k, user in enumerate(users))
    (folder / "facts.csv").write_text("query,user_id\n" + facts)
    return {"qrels": "t.qrels", "queries": {"path": "facts.csv", "id": "query"}}


@pytest.mark.parametrize("kind", ["table", "runs"])
def test_a_user_with_many_queries_is_told_of(tmp_path: Path, kind: str) -> None:
    dataset = write_users(tmp_path, kind)
    source = "column" if kind == "table" else "run"
    names = (
        {"one": "one", "two": "two"} if kind == "table" else {"one": "one.run", "two": "two.run"}
    )
    config = {
        "version": 1,
        "report": {"title": "Users"},
        "task": "ranking",
        "datasets": {"web": dataset},
        "models": {
            "one": {source: names["one"], "role": "baseline"},
            "two": {source: names["two"]},
        },
        "metrics": [{"name": "ndcg", "k": 3}],
        "bootstrap": {"replicates": 19},
        "outputs": ["json"],
    }
    path = tmp_path / "c.yaml"
    path.write_text(yaml.safe_dump(config))
    assert call("run", path, "--out", tmp_path / "out", "--quiet", "--no-cache") == 0
    (told,) = (w for w in results(tmp_path / "out")["warnings"] if w["code"] == "W107")
    assert told["numbers"] == {
        "share": 0.4,
        "largest": 24,
        "units": 37,
        "n": 60,
        "what": "user_id",
    }

"""Documents and scores line by line: the numbers of the same lists in one table, and what fails."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest

from tests.end_to_end.lists import judgements, put_config
from tests.end_to_end.wallet import call, results

WORDS = ("--quiet", "--no-cache")
METRICS = [{"name": "ndcg", "k": 3}, "ap"]
MODELS = {"one": {"lines": "web.pred", "role": "baseline"}, "two": {"lines": "late.pred"}}
BARE = {"path": "bare.letor", "groups": "sizes.query"}


def letor(folder: Path, file: object = "web.letor", **changes: object) -> Path:
    changes = {"metrics": METRICS, "models": MODELS, **changes}
    return put_config(folder, datasets={"web": {"letor": file}}, **changes)


def estimates(folder: Path, config: Path) -> list[dict[str, object]]:
    assert call("run", config, "--out", folder / "out", *WORDS) == 0
    return results(folder / "out")["estimates"]


def put_table(folder: Path, config: Path) -> Path:
    """The same lists in one long table."""
    judged = [each for each in judgements() if each[2] >= 0]
    scores = [(folder / f"{name}.pred").read_text().split() for name in ("web", "late")]
    with (folder / "long.csv").open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["query", "doc", "label", "s_one", "s_two"])
        out.writerows([*each, *of] for each, *of in zip(judged, *scores, strict=True))
    return put_config(
        folder,
        metrics=METRICS,
        datasets={"web": {"path": "long.csv", "query": "query", "id": "doc", "target": "label"}},
        models={"one": {"column": "s_one", "role": "baseline"}, "two": {"column": "s_two"}},
    )


@pytest.mark.parametrize("file", ["web.letor", BARE])
def test_lines_give_the_numbers_of_one_long_table(tmp_path: Path, file: object) -> None:
    found = estimates(tmp_path, letor(tmp_path, file))
    assert found == estimates(tmp_path, put_table(tmp_path, letor(tmp_path)))
    assert len({estimate["value"] for estimate in found}) == 4


def test_names_at_the_end_of_lines_order_ties_as_trec_eval_does(tmp_path: Path) -> None:
    by_id = {"ranking": {"ties": "trec"}}
    assert estimates(tmp_path, letor(tmp_path, **by_id)) != estimates(tmp_path, letor(tmp_path))


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_packed_files_comments_and_a_byte_order_mark_are_read(tmp_path: Path, suffix: str) -> None:
    plain = estimates(tmp_path, letor(tmp_path))
    config, text = letor(tmp_path, f"odd.txt{suffix}"), (tmp_path / "web.letor").read_text()
    odd = ("\ufeff# made today\n\n" + text.replace("\n", "\r\n")).encode()
    (tmp_path / f"odd.txt{suffix}").write_bytes(gzip.compress(odd) if suffix else odd)
    assert estimates(tmp_path, config) == plain


FAULTS = [
    ("web.pred", lambda t: t[2:], "write one score for each document, in the same order"),
    ("web.pred", lambda t: "nan" + t[1:], "web.pred: 1 missing score of"),
    ("web.pred", lambda t: "1 2" + t[1:], "line 1 has 2 fields where a file of scores has 1"),
    ("web.letor", lambda t: t.replace(" qid:q0", ""), "line 1 has no qid after its grade"),
    (
        "web.letor",
        lambda t: t.replace("qid:", "qid: "),
        "web.letor: line 1 names no query behind `qid:`; write it without a space, as in qid:10",
    ),
    ("web.letor", lambda t: t.replace("qid:q3 ", "qid: "), "names no query behind `qid:`"),
    ("web.letor", lambda t: t.replace(" qid:q", " "), "write `groups:` with the file of how many"),
    ("web.letor", lambda t: "x" + t[1:], "map labels with `ranking: {grades: …}`"),
    ("web.letor", lambda t: t + t.splitlines()[0] + "\n", "occurs twice for query 'q0'"),
]


@pytest.mark.parametrize(("file", "change", "said"), FAULTS)
def test_what_does_not_fit_is_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], file: str, change, said: str
) -> None:
    config = letor(tmp_path)
    (tmp_path / file).write_text(change((tmp_path / file).read_text()))
    assert call("run", config, "--out", tmp_path / "out", *WORDS) == 3
    err = capfd.readouterr().err.strip()
    assert said in err and "\n" not in err


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ("others.query", None),
        ("web.pred", "holds no number of documents; each line has one, from 1"),
        ("short.query", "counts 3 documents in 2 queries, bare.letor has"),
        ("short.query", "; write how many documents each query has, in the order of the documents"),
    ],
)
def test_sizes_of_queries_cover_all_documents(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], groups: str, said: str | None
) -> None:
    (tmp_path / "short.query").write_text("1\n2\n")
    config = letor(tmp_path, {"path": "bare.letor", "groups": groups})
    assert call("run", config, "--out", tmp_path / "out", *WORDS) == (0 if said is None else 3)
    assert said is None or said in capfd.readouterr().err


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"datasets": {"web": {"letor": "web.letor", "qrels": "web.qrels"}}},
            "datasets.web: letor goes with other files, not with qrels; keep one of the two",
        ),
        (
            {"datasets": {"web": {"letor": "web.letor", "path": "web.csv"}}},
            "datasets.web: path goes with one long table, not with letor; keep one of the two",
        ),
        (
            {"datasets": {"web": {"letor": "web.letor", "weight": "w"}}},
            "add queries: {path: …, id: …}",
        ),
        ({"models": {"one": {"run": "one.run"}}}, "write `qrels: …` in the dataset"),
        ({"task": "regression"}, "letor is for task: ranking; remove it, or set that"),
    ],
)
def test_keys_that_do_not_go_together_are_told_with_their_place(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], changes: dict[str, object], said: str
) -> None:
    base = {"datasets": {"web": {"letor": "web.letor"}}, "models": MODELS}
    config = put_config(tmp_path, **{**base, **changes})
    assert call("validate", config) == 2
    assert said in capfd.readouterr().err


def test_order_by_id_needs_ids(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    by_id = {"ranking": {"ties": "trec"}}
    assert call("run", letor(tmp_path, BARE, **by_id), "--out", tmp_path / "out", *WORDS) == 3
    assert "not every line names its document" in capfd.readouterr().err
    table = {"shop": {"path": "table.csv", "query": "query", "target": "label"}}
    models = {"one": {"column": "s_one", "role": "baseline"}, "two": {"column": "s_two"}}
    assert call("validate", put_config(tmp_path, datasets=table, models=models, **by_id)) == 2
    assert "has no 'id' (the column that names each document)" in capfd.readouterr().err


@pytest.mark.parametrize(
    "changes",
    [
        {"curves": [{"name": "recall_at_k", "ties": "trec"}]},
        {"ranking": {"ties": "trec", "depth": 2}, "metrics": ["query_kendall"]},
    ],
)
def test_curves_and_cut_lists_break_ties_by_ids_too(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], changes: dict[str, object]
) -> None:
    table = {"path": "table.csv", "query": "query", "target": "label"}
    models = {"one": {"column": "s_one", "role": "baseline"}, "two": {"column": "s_two"}}
    asked = {"datasets": {"web": table}, "models": models, **changes}
    assert call("validate", put_config(tmp_path, **asked)) == 2
    assert "has no 'id' (the column that names each document)" in capfd.readouterr().err
    named = {**asked, "datasets": {"web": {**table, "id": "doc"}}}
    assert call("validate", put_config(tmp_path, **named)) == 0

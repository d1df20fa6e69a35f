"""Ranking by query through the whole program: judgements and runs, or one long table."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml

from tests.end_to_end.lists import answers, judgements, put_config
from tests.end_to_end.wallet import TINY, call, results
from tests.metrics import retrieval_definitions as definitions

AP = {"name": "ap", "as": "AP"}
WORDS = ("--quiet", "--no-cache")
TABLE: dict[str, object] = {
    "datasets": {
        "shop": {
            "path": "table.csv",
            "query": "query",
            "id": "doc",
            "target": "label",
            "segments": ["kind"],
        }
    },
    "models": {"one": {"column": "s_one", "role": "baseline"}, "two": {"column": "s_two"}},
}


def harm(metric: str) -> dict[str, object]:
    """A gate on how many queries lose much."""
    return {
        "name": "few hurt",
        "rule": "few_harmed",
        "metric": metric,
        "model": "two",
        "drop": 0.1,
        "value": "5%",
    }


def ran(folder: Path, code: int = 0, **changes: object) -> dict[str, dict]:
    """The estimates of a run by model, of the first metric on all rows."""
    config = put_config(folder, **changes)
    assert call("run", config, "--out", folder / "out", *WORDS) == code
    found = results(folder / "out")["estimates"]
    first = found[0]["key"]
    return {e["model"]: e for e in found if e["segment"] is None and e["key"] == first}


def by_hand(seed: int, lacking: int = -1, no_relevant: float | None = None) -> float:
    """Mean AP of a run over the queries with a relevant document, by the definition."""
    grades: dict[str, dict[str, float]] = {}
    for query, document, grade in judgements():
        grades.setdefault(query, {})[document] = float(grade)
    lists: dict[str, list[tuple[str, int]]] = {}
    for query, document, score in answers(seed=seed, lacking=lacking):
        lists.setdefault(query, []).append((document, score))
    values = []
    for query, known in grades.items():
        judged = [g for g in known.values() if g >= 0]
        if not any(g >= 1 for g in judged):
            values += [] if no_relevant is None else [no_relevant]
            continue
        found = lists.get(query, [])
        order = [g if (g := known.get(d, -1.0)) >= 0 else None for d, _ in found]
        values.append(definitions.expected(definitions.ap, order, [s for _, s in found], judged))
    return float(np.mean(values))


def test_a_value_is_the_mean_over_queries_that_have_a_relevant_document(tmp_path: Path) -> None:
    found = ran(tmp_path, metrics=[AP])
    assert found["one"]["value"] == pytest.approx(by_hand(2), rel=1e-9)
    assert found["two"]["value"] == pytest.approx(by_hand(3, lacking=7), rel=1e-9)
    assert found["one"]["n"] == found["two"]["n"] < 40


def test_a_policy_is_the_default_of_every_metric_that_has_it(tmp_path: Path) -> None:
    found = ran(tmp_path, metrics=[AP], ranking={"no_relevant": "zero"})
    assert found["one"]["value"] == pytest.approx(by_hand(2, no_relevant=0.0), rel=1e-9)
    assert found["one"]["n"] == 40 and found["one"]["params"]["no_relevant"] == "zero"
    own = ran(tmp_path, metrics=[{**AP, "no_relevant": "skip"}], ranking={"no_relevant": "zero"})
    assert own["one"]["value"] == pytest.approx(by_hand(2), rel=1e-9)


def test_what_a_preset_says_of_a_cut_off_refuses_no_measure_without_one(tmp_path: Path) -> None:
    plain, like = (
        ran(tmp_path, metrics=[AP], ranking={**more, "no_relevant": "one"})
        for more in ({}, {"like": "lightgbm"})
    )
    assert like["one"]["value"] == plain["one"]["value"]


@pytest.mark.parametrize(
    ("like", "params"),
    [
        ("trec_eval", {"ties": "trec", "no_relevant": "zero"}),
        ("sklearn", {"ties": "expected", "no_relevant": "zero"}),
        ("lightgbm", {"ties": "expected", "no_relevant": "one", "denominator": "min"}),
    ],
)
def test_like_sets_what_another_program_does(
    tmp_path: Path, like: str, params: dict[str, str]
) -> None:
    found = ran(tmp_path, metrics=[{**AP, "k": 3}], ranking={"like": like})
    assert params.items() <= found["one"]["params"].items()
    beside = {"like": like, "no_relevant": "skip"}
    found = ran(tmp_path, metrics=[{**AP, "k": 3}], ranking=beside)
    assert found["one"]["params"]["no_relevant"] == "skip"


def test_compressed_files_and_tables_give_the_same_numbers(tmp_path: Path) -> None:
    plain = ran(tmp_path)
    for name in ("web.qrels", "one.run", "two.run"):
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress((tmp_path / name).read_bytes()))
    packed = ran(
        tmp_path,
        datasets={"web": {"qrels": "web.qrels.gz"}},
        models={"one": {"run": "one.run.gz", "role": "baseline"}, "two": {"run": "two.run.gz"}},
    )
    table = ran(
        tmp_path,
        datasets={"web": {"qrels": {"path": "web.csv"}}},
    )
    for other in (packed, table):
        assert [e["value"] for e in other.values()] == [e["value"] for e in plain.values()]


def test_a_long_table_is_what_its_files_would_be(tmp_path: Path) -> None:
    found = ran(tmp_path, **TABLE)
    rows = [line.split(",") for line in (tmp_path / "table.csv").read_text().splitlines()[1:]]
    for name, place in (("judged.qrels", 2), ("left.run", 3), ("right.run", 4)):
        text = (
            f"{r[0]} 0 {r[1]} {r[place]}\n" if place == 2 else f"{r[0]} Q0 {r[1]} 1 {r[place]} x\n"
            for r in rows
        )
        (tmp_path / name).write_text("".join(text))
    again = ran(
        tmp_path,
        datasets={"web": {"qrels": "judged.qrels"}},
        models={"one": {"run": "left.run", "role": "baseline"}, "two": {"run": "right.run"}},
    )
    assert [e["value"] for e in found.values()] == [e["value"] for e in again.values()]


def test_a_segment_is_queries_and_a_weight_is_one_of_a_query(tmp_path: Path) -> None:
    facts = {"qrels": "web.qrels", "queries": {"path": "topics.csv", "id": "topic"}}
    config = put_config(
        tmp_path, datasets={"web": {**facts, "segments": ["kind"], "cluster": "user"}}, **TINY
    )
    assert call("run", config, "--out", tmp_path / "out", *WORDS) == 0
    found = results(tmp_path / "out")
    sizes = {s["segment"]: s["n"] for s in found["datasets"][0]["segments"]}
    assert sizes == {"kind=0": 20, "kind=1": 20}
    assert found["datasets"][0]["clusters"] == 3
    one = ran(tmp_path, datasets={"web": facts})
    heavy = ran(tmp_path, datasets={"web": {**facts, "weight": "traffic"}})
    assert one["one"]["value"] != heavy["one"]["value"]


def test_gates_tests_and_pages_speak_of_queries(tmp_path: Path) -> None:
    gate = {
        "name": "no worse",
        "rule": "non_inferior",
        "metric": "AP",
        "model": "two",
        "margin": 0.5,
    }
    config = put_config(
        tmp_path,
        metrics=[AP],
        primary={"metric": "AP", "margin": 0.01},
        gates=[gate],
        outputs=["json", "markdown", "junit"],
    )
    assert call("run", config, "--out", tmp_path / "out", *WORDS) == 0
    [case] = ElementTree.parse(tmp_path / "out" / "junit.xml").getroot().findall(".//testcase")
    assert case.get("name") == "no worse" and not case.findall("failure")
    [comparison] = results(tmp_path / "out")["comparisons"]
    assert (comparison["method"], comparison["test"]) == ("t", "paired t")
    assert results(tmp_path / "out")["datasets"][0]["case"] == ["query", "queries"]


def test_the_resolved_config_reads_back_and_gives_the_same_values(tmp_path: Path) -> None:
    before = ran(tmp_path, ranking={"like": "sklearn"})
    config = results(tmp_path / "out")["config"]
    (tmp_path / "again.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    assert call("run", tmp_path / "again.yaml", "--out", tmp_path / "out", *WORDS) == 0
    after = results(tmp_path / "out")["estimates"]
    assert [e["value"] for e in after] == [e["value"] for e in before.values()]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"task": "regression"}, "qrels is for task: ranking; remove it, or set that"),
        (
            {"models": {"one": {"role": "baseline"}}},
            "models.one has no 'run' for the dataset 'web'",
        ),
        (
            {"models": {"one": {"run": {"wep": "one.run"}}}},
            "there is no dataset 'wep' with `qrels:` in this config; did you mean 'web'?",
        ),
        (
            {**TABLE, "datasets": {"d": {"path": "table.csv", "target": "label"}}},
            "datasets.d has no 'query' (the column that names the query of each document)",
        ),
        (
            {"ranking": {"ties": "expect"}},
            "ranking.ties cannot be 'expect'; did you mean 'expected'?",
        ),
        ({"ranking": {"tie": "trec"}}, "unknown key 'tie' in ranking; did you mean 'ties'?"),
        ({"metrics": ["ndgc"]}, "unknown metric 'ndgc'; did you mean 'ndcg'?"),
        ({"metrics": ["ndcg@10"]}, "unknown metric 'ndcg@10'; did you mean 'nDCG@10'?"),
        ({"metrics": ["p(rel=2)@5"]}, "unknown metric 'p(rel=2)@5'; did you mean 'P(rel=2)@5'?"),
        (
            {"metrics": [{"name": "ap", "denominator": "k"}]},
            "denominator: k needs k, such as k: 10",
        ),
        (
            {"ranking": {"grades": {"Exact": float("inf")}}},
            "ranking.grades.Exact needs a finite number, not '.inf'",
        ),
        (
            {"ranking": {"grades": {"Exact": float("nan")}}},
            "ranking.grades.Exact needs a finite number, not '.nan'",
        ),
        (
            {"ranking": {"grade_weights": {"1": float("inf")}}},
            "ranking.grade_weights.1 needs a finite number",
        ),
        (
            {"metrics": ["gmap", "ap"], "gates": [harm("gmap")]},
            "few_harmed: 'gmap' is not a mean over queries; name one that is, such as 'ap'",
        ),
        (
            {"metrics": [{"name": "gmap", "as": "G"}], "gates": [harm("G")]},
            "few_harmed: 'G' is not a mean over queries; add one that is, such as ap",
        ),
        ({"metrics": [{"name": "ndcg", "k": 0}]}, "k is 0, but must be at least 1"),
        (
            {"datasets": {"web": {"qrels": "web.qrels", "weight": "w"}}},
            "weight names a column of a file with a line for each query; add queries:",
        ),
        ({"costs": {"under": 1, "over": 2}}, "costs: are for amounts; remove them"),
    ],
)
def test_a_config_that_cannot_be_is_one_line_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, object], said: str
) -> None:
    config = put_config(tmp_path, **changes)
    assert call("validate", config) == 2
    told = capsys.readouterr().err
    assert said in told and "lists.yaml:" in told


@pytest.mark.parametrize("metrics", [["ndcg@10", "MAPP"], ["ndcg@10", "AP"], ["MAPP"]])
def test_a_metric_that_is_misspelt_where_it_is_listed_is_not_missed_elsewhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], metrics: list[str]
) -> None:
    """`primary` has its right name: what is wrong is said once, at the list."""
    config = put_config(tmp_path, metrics=metrics, primary={"metric": "nDCG@10"})
    assert call("validate", config) == 2
    right = {"ndcg@10": "nDCG@10", "MAPP": "MAP"}
    said = [f"unknown metric {m!r}; did you mean {right[m]!r}?" for m in metrics if m in right]
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(": ", 1)[1] for line in lines] == said


def test_no_check_of_lists_in_memory_is_left_undone(tmp_path: Path) -> None:
    ran(tmp_path)
    outcomes = {each["outcome"] for each in results(tmp_path / "out")["checks"]}
    assert "passed" in outcomes and "not looked at" not in outcomes


def test_under_ten_queries_nothing_is_decided(tmp_path: Path) -> None:
    gates = [
        {"name": "no worse", "rule": "non_inferior", "metric": "AP", "model": "two", "margin": 0.9},
        {"name": "good", "rule": "above", "metric": "AP", "model": "two", "value": 0.0001},
    ]
    config = put_config(
        tmp_path,
        metrics=[AP],
        gates=gates,
        primary={"metric": "AP", "margin": 0.9},
        datasets={"web": {"qrels": "web.qrels", "sample": {"n": 9}}},
        **TINY,
    )
    assert call("run", config, "--out", tmp_path / "out", *WORDS) == 0
    found = results(tmp_path / "out")
    [comparison] = found["comparisons"]
    assert (comparison["p_value"], comparison["word"]) == (None, "no result")
    assert comparison["low"] is None and "fewer than 10 queries" in comparison["reason"]
    assert [gate["status"] for gate in found["gates"]] == ["cannot tell"] * 2


@pytest.mark.parametrize(
    ("drop", "value", "status"),
    [(0.9, "99%", "met"), (0.0, "1%", "not met"), (0.3, "10%", "cannot tell")],
)
def test_few_harmed_holds_the_share_of_queries_that_lose_much(
    tmp_path: Path, drop: float, value: str, status: str
) -> None:
    gate = {
        "name": "few hurt",
        "rule": "few_harmed",
        "metric": "AP",
        "model": "two",
        "drop": drop,
        "value": value,
    }
    config = put_config(tmp_path, metrics=[AP], gates=[gate], outputs=["json", "markdown", "junit"])
    assert call("run", config, "--out", tmp_path / "out", *WORDS) == (status == "not met")
    [found] = results(tmp_path / "out")["gates"]
    [harm] = results(tmp_path / "out")["sensitivity"]["harms"]
    assert (found["status"], found["value"]) == (status, harm["share"])
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert f"Fewer than {value.rstrip('%')}" in page and "of the queries lose more than" in page


@pytest.mark.parametrize("is_clustered", [False, True])
def test_where_a_metric_leaves_out_every_query_nothing_is_said_of_shares(
    tmp_path: Path, is_clustered: bool
) -> None:
    """No grade is as high as is asked for."""
    gate = {
        "name": "few hurt",
        "rule": "few_harmed",
        "metric": "AP",
        "model": "two",
        "drop": 0.1,
        "value": "5%",
    }
    facts = {"queries": {"path": "topics.csv", "id": "topic"}, "cluster": "user"}
    config = put_config(
        tmp_path,
        metrics=[AP],
        ranking={"relevant": 9},
        gates=[gate],
        primary={"metric": "AP"},
        datasets={"web": {"qrels": "web.qrels", **(facts if is_clustered else {})}},
        outputs=["json", "html", "markdown"],
    )
    assert call("run", config, "--out", tmp_path / "out", *WORDS) == 3
    found = results(tmp_path / "out")
    assert [(g["status"], g["value"]) for g in found["gates"]] == [("not judged", None)]
    assert found["sensitivity"]["wins"] == []
    assert "ahead on" not in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")


def test_a_depth_is_how_far_every_document_must_be_judged(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    strict = {"unjudged": "error", "negative": "not_relevant"}
    config = put_config(tmp_path, ranking={**strict, "depth": 1}, metrics=["ap"])
    shape = {"d0": 9, "d1": 8, "unknown": 7}
    text = "".join(f"q{k} Q0 {d} 1 {s} m\n" for k in range(40) for d, s in shape.items())
    for name in ("one", "two"):
        (tmp_path / f"{name}.run").write_text(text)
    assert call("run", config, "--out", tmp_path / "out", *WORDS) == 0
    config.write_text(config.read_text().replace("depth: 1", "depth: 3"))
    assert call("run", config, "--out", tmp_path / "out", *WORDS) == 3
    assert "40 documents of model 'one' in the first 3 ranks" in capfd.readouterr().err


@pytest.mark.parametrize("gain", ["linear", "exp2"])
def test_a_grade_too_large_for_its_gain_is_refused_and_is_else_one_like_others(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], gain: str
) -> None:
    uses = [{"name": "ndcg", "k": 3, "as": "N"}, "err"]
    config = put_config(
        tmp_path,
        ranking={"gain": gain},
        metrics=uses,
        primary={"metric": "N"},
        curves=None,
        outputs=["json", "html"],
    )
    text = (tmp_path / "web.qrels").read_text().replace(" 2\n", " 2000\n")
    (tmp_path / "web.qrels").write_text(text)
    assert call("run", config, "--out", tmp_path / "out", *WORDS) == (3 if gain == "exp2" else 0)
    if gain == "exp2":
        assert "is too large for `gain: exp2`" in capfd.readouterr().err
        return
    assert all(e["value"] is not None for e in results(tmp_path / "out")["estimates"])


def test_few_harmed_on_a_segment_without_a_relevant_document_is_inconclusive(
    tmp_path: Path,
) -> None:
    gate = {
        "name": "few hurt",
        "rule": "few_harmed",
        "metric": "AP",
        "model": "two",
        "segment": "kind=0",
        "drop": 0.1,
        "value": "5%",
    }
    config = put_config(tmp_path, metrics=[AP], gates=[gate], **TABLE)
    rows = [line.split(",") for line in (tmp_path / "table.csv").read_text().splitlines()]
    bare = [[*row[:2], "0" if row[5] == "0" else row[2], *row[3:]] for row in rows]
    (tmp_path / "table.csv").write_text("".join(",".join(row) + "\n" for row in bare))
    assert call("run", config, "--out", tmp_path / "out", *WORDS) == 0
    found = results(tmp_path / "out")
    assert [(g["status"], g["value"]) for g in found["gates"]] == [("cannot tell", None)]


def test_the_values_of_queries_are_a_file_of_their_own(tmp_path: Path) -> None:
    config = put_config(tmp_path, metrics=[AP], outputs=["json", "queries"])
    assert call("run", config, "--out", tmp_path / "out", *WORDS) == 0
    lines = (tmp_path / "out" / "queries.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "dataset,query,measure,model,value" and len(lines) == 1 + 2 * 40
    mean = results(tmp_path / "out")["estimates"][0]["value"]
    known = [
        float(row[4])
        for row in (line.split(",") for line in lines[1:])
        if row[3] == "one" and row[4]
    ]
    assert np.mean(known) == pytest.approx(mean)


def test_no_query_is_named_unless_asked_for(tmp_path: Path) -> None:
    config = put_config(tmp_path, metrics=[AP], primary={"metric": "AP"})
    assert call("run", config, "--out", tmp_path / "out", *WORDS) == 0
    found = results(tmp_path / "out")["sensitivity"]
    assert found["extremes"] == [] and found["row_values"] == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"outputs": ["queries"]}, "the output queries is for task: ranking"),
        (
            {
                "gates": [
                    {
                        "name": "x",
                        "rule": "few_harmed",
                        "metric": "mae",
                        "model": "two",
                        "drop": 1,
                        "value": "5%",
                    }
                ]
            },
            "the rule few_harmed is for task: ranking",
        ),
    ],
)
def test_what_is_of_queries_is_refused_elsewhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, object], said: str
) -> None:
    put_config(tmp_path)
    config = {
        "version": 1,
        "report": {"title": "x"},
        "task": "regression",
        "metrics": ["mae"],
        "datasets": {"d": {"path": "table.csv", "target": "label"}},
        "models": {"one": {"column": "s_one", "role": "baseline"}, "two": {"column": "s_two"}},
        **changes,
    }
    path = tmp_path / "other.yaml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    assert call("validate", path) == 2
    assert said in capsys.readouterr().err


def turned(text: str) -> str:
    """A run whose scores are distances."""
    rows = [line.split() for line in text.splitlines()]
    return "".join(f"{q} Q0 {d} {r} {-float(s)} {t}\n" for q, _, d, r, s, t in rows)


def test_distances_are_scores_turned_round(tmp_path: Path) -> None:
    plain = ran(tmp_path)
    far = {"run": "far.run", "order": "ascending"}
    config = put_config(
        tmp_path, models={"one": {"run": "one.run", "role": "baseline"}, "two": far}
    )
    (tmp_path / "far.run").write_text(turned((tmp_path / "two.run").read_text()))
    assert call("run", config, "--out", tmp_path / "out", *WORDS) == 0
    found = {e["model"]: e["value"] for e in results(tmp_path / "out")["estimates"]}
    assert found == {name: e["value"] for name, e in plain.items()}


def test_of_distances_in_a_table_what_is_missing_still_stands_last(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    rows = [("q1", "a", 1, 0.1), ("q1", "b", 0, 0.2), ("q2", "a", 0, 0.5), ("q2", "b", 1, "")]
    lines = [f"{q},{d},{g},{s},{-s if s else s}\n" for q, d, g, s in rows]
    (tmp_path / "far" / "t.csv").write_text("q,d,g,one,two\n" + "".join(lines))
    config = {
        "version": 1,
        "report": {"title": "x"},
        "task": "ranking",
        "metrics": ["RR"],
        "datasets": {"d": {"path": "t.csv", "query": "q", "id": "d", "target": "g"}},
        "models": {
            "two": {"column": "two", "role": "baseline"},
            "one": {"column": "one", "order": "ascending"},
        },
        "ranking": {"missing_document": "last"},
        "outputs": ["json"],
        "curves": [],
        **TINY,
    }
    path = tmp_path / "far" / "c.yaml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    assert call("run", path, "--out", tmp_path / "out", *WORDS) == 0
    found = {e["model"]: e["value"] for e in results(tmp_path / "out")["estimates"]}
    assert found == {"one": (1 + 1 / 2) / 2, "two": (1 + 1 / 2) / 2}


def test_ranks_of_a_run_are_its_order_where_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = ran(tmp_path, ranking={"ties": "trec"})
    models = {
        "one": {"run": "one.run", "role": "baseline"},
        "two": {"run": "ranks.run", "order": "rank"},
    }
    config = put_config(tmp_path, ranking={"ties": "trec"}, models=models)
    lists: dict[str, list[tuple[float, str]]] = {}
    for line in (tmp_path / "two.run").read_text().splitlines():
        query, _, document, _, score, _ = line.split()
        lists.setdefault(query, []).append((float(score), document))
    lines = [
        f"{q} Q0 {d} {r} 0 x\n"
        for q, each in lists.items()
        for r, (_, d) in enumerate(sorted(each, reverse=True), 1)
    ]
    (tmp_path / "ranks.run").write_text("".join(lines))
    assert call("run", config, "--out", tmp_path / "out", *WORDS) == 0
    found = {e["model"]: e["value"] for e in results(tmp_path / "out")["estimates"]}
    assert found == {name: e["value"] for name, e in plain.items()}
    (tmp_path / "ranks.run").write_text("".join(lines).replace(" 2 0 x", " 1 0 x"))
    capsys.readouterr()
    assert call("run", config, "--out", tmp_path / "out", *WORDS) == 3
    assert "ranks.run: rank 1 occurs twice for query 'q0'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("short", "name", "params"),
    [
        ("nDCG@3", "ndcg", {"k": 3, "gain": "linear"}),
        ("nDCG(dcg='exp-log2')@3", "ndcg", {"k": 3, "gain": "exp2"}),
        ("P(rel=2)@5", "precision_at", {"k": 5, "relevant": 2.0}),
        ("RBP(p=0.9)", "rbp", {"p": 0.9}),
        ("ERR@20", "err", {"k": 20, "top": 4.0}),
        ("ndcg_cut_10", "ndcg", {"k": 10}),
        ("map", "ap", {"k": None}),
    ],
)
def test_measures_may_be_written_as_other_programs_do(
    tmp_path: Path, short: str, name: str, params: dict[str, object]
) -> None:
    found = ran(tmp_path, metrics=[short])["one"]
    assert (found["key"], found["metric"]) == (short, name)
    assert params.items() <= found["params"].items()


def test_a_declared_highest_grade_goes_before_that_of_another_program(tmp_path: Path) -> None:
    found = ran(tmp_path, metrics=["ERR@20"], ranking={"top_grade": 2})["one"]
    assert found["params"]["top"] == 2.0


def test_a_parameter_beside_a_measure_that_says_its_own_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = put_config(tmp_path, metrics=[{"name": "nDCG@10", "k": 5}])
    assert call("validate", config) == 2
    assert "'nDCG@10' says its parameters itself; write {name: ndcg, k: …}" in (
        capsys.readouterr().err
    )


def codes(folder: Path) -> set[str]:
    return {warning["code"] for warning in results(folder)["warnings"]}


def test_ranks_that_stand_against_the_scores_are_warned_of(tmp_path: Path) -> None:
    config = put_config(tmp_path)
    lines = [f"q{k} Q0 d{j} {j + 1} {9 - j} x\n" for k in range(40) for j in range(5)]
    for name, swapped in (("one", False), ("two", True)):
        text = "".join(lines)
        text = text.replace("d0 1 9", "d0 2 9").replace("d1 2 8", "d1 1 8") if swapped else text
        (tmp_path / f"{name}.run").write_text(text)
    assert call("run", config, "--out", tmp_path / "out", *WORDS) == 0
    raised = [w for w in results(tmp_path / "out")["warnings"] if w["code"] == "W235"]
    assert [(w["model"], w["numbers"]["share"]) for w in raised] == [("two", 0.25)]


@pytest.mark.parametrize(("ties", "is_raised"), [("trec", True), ("expected", False)])
def test_scores_equal_in_single_precision_alone_are_warned_of_under_trec(
    tmp_path: Path, ties: str, is_raised: bool
) -> None:
    config = put_config(tmp_path, primary={"metric": "ndcg"}, ranking={"ties": ties})
    text = (tmp_path / "one.run").read_text()
    (tmp_path / "one.run").write_text(
        "".join(
            f"{q} Q0 {d} {r} {1 + k * 1e-10} x\n"
            for k, (q, _, d, r, _, _) in enumerate(line.split() for line in text.splitlines())
        )
    )
    assert call("run", config, "--out", tmp_path / "out", *WORDS) == 0
    assert ("W236" in codes(tmp_path / "out")) == is_raised


def test_a_curve_without_any_value_is_named_and_not_drawn(tmp_path: Path) -> None:
    """No document has grade 9; what is highest at a rank is told by a whole number."""
    curves = [{"name": "query_roc", "relevant": 9}, "fap_at_k"]
    config = put_config(tmp_path, curves=curves, outputs=["json", "markdown"])
    assert call("run", config, "--out", tmp_path / "out", *WORDS) == 0
    found = {(c["curve"], c["status"]) for c in results(tmp_path / "out")["curves"]}
    assert found == {("query_roc", "undefined"), ("fap_at_k", "ok")}
    page = (tmp_path / "out" / "report.md").read_text()
    said = "“ROC curve, as a mean over queries” is not drawn. It is undefined for every model."
    assert page.count("ROC curve") == 1 and said in page
    assert re.search(r"Highest at k: \d+ for ", page)

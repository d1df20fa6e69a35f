"""Judgements, runs and long tables: what is read of them, and every way to be wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reportgen.data.dataset import LoadedDataset
from reportgen.data.files.list_files import QRELS, RUN
from reportgen.data.queries import read_queries
from reportgen.data.requests import (
    ColumnRequest,
    DatasetRequest,
    ModelRequest,
    RankedRequest,
    RunRequest,
    SampleRequest,
    TableRequest,
)
from reportgen.errors import DataError

GRADES = "q2 0 a 1\nq2 0 b 0\nq10 0 a 2\nq10 0 c 1\nq1 0 b 1\n"
ANSWERS = "q2 Q0 b 1 3 m\nq2 Q0 a 2 2 m\nq10 Q0 d 1 9 m\nq10 Q0 a 2 1 m\nq1 Q0 b 1 0 m\n"
WEB = TableRequest("web.qrels", "web.qrels", fields=QRELS)


def columns(*names: str) -> tuple[ColumnRequest, ...]:
    return tuple(map(ColumnRequest, names))


def asked(
    folder: Path, qrels: str | bytes = GRADES, run: str | bytes = ANSWERS, **policies: object
) -> DatasetRequest:
    """A request for judgements and the run of one model, written into a folder."""
    for name, text in (("web.qrels", qrels), ("m.run", run)):
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    tables = [
        TableRequest(str(folder / name), name, fields=fields)
        for name, fields in (("web.qrels", QRELS), ("m.run", RUN))
    ]
    ranked = RankedRequest(
        RunRequest(tables[0], *columns("query", "document", "grade")),
        {"m": RunRequest(tables[1], *columns("query", "document", "score"))},
        **policies,  # type: ignore[arg-type]
    )
    models = {"m": ModelRequest(ColumnRequest("score"))}
    return DatasetRequest("web", tables[0], ColumnRequest("grade"), models, ranked=ranked)


def table(folder: Path, text: str, **keys: object) -> DatasetRequest:
    """A request for a long table of one model."""
    (folder / "t.csv").write_text(text)
    policies = {key: keys.pop(key) for key in ("missing_document", "grades") if key in keys}
    ranked = RankedRequest(document=ColumnRequest("doc"), **policies)  # type: ignore[arg-type]
    return DatasetRequest(
        "shop",
        TableRequest(str(folder / "t.csv"), "t.csv"),
        ColumnRequest("label"),
        {"m": ModelRequest(ColumnRequest("s"))},
        query=ColumnRequest("q"),
        ranked=ranked,
        **keys,  # type: ignore[arg-type]
    )


def lists(found: LoadedDataset) -> dict[str, list[tuple[float, float]]]:
    """The grades and scores of the answer to each query, best first."""
    made = found.sample.models["m"].lists
    return {
        query: list(zip(made.grade[a:b].tolist(), made.score[a:b].tolist(), strict=True))
        for query, a, b in zip(found.sample.ids, made.start, made.start[1:], strict=False)
    }


def test_answers_are_sorted_by_score_and_graded_by_what_was_judged(tmp_path: Path) -> None:
    found = read_queries(asked(tmp_path))
    assert found.sample.ids == ("q1", "q10", "q2")
    np.testing.assert_equal(
        lists(found), {"q1": [(1, 0)], "q10": [(np.nan, 9), (2, 1)], "q2": [(0, 3), (1, 2)]}
    )
    assert found.sample.y.tolist() == [1, 2, 1]
    assert found.info.n == 3 and found.info.case == ("query", "queries")
    assert [step.step for step in found.info.waterfall] == ["read", "used"]


def test_spaces_tabs_empty_lines_comments_and_line_ends_do_not_matter(tmp_path: Path) -> None:
    plain = read_queries(asked(tmp_path))
    odd = "# made by hand\n# more\r\n\n" + ANSWERS.replace(" ", " \t ").replace("\n", "  \r\n\r\n")
    again = read_queries(asked(tmp_path, run=odd))
    np.testing.assert_equal(lists(again), lists(plain))


def test_a_query_that_a_run_lacks_is_an_empty_list_or_left_out(tmp_path: Path) -> None:
    short = ANSWERS.replace("q1 Q0 b 1 0 m\n", "")
    found = read_queries(asked(tmp_path, run=short))
    assert lists(found)["q1"] == []
    assert [(d.code, d.model, d.numbers) for d in found.warnings] == [
        ("W231", "m", {"queries": 1, "of": 3, "empty": 1})
    ]
    found = read_queries(asked(tmp_path, run=short, missing_query="drop"))
    assert found.warnings[0].numbers == {"queries": 1, "of": 3, "left_out": 1}
    assert found.sample.ids == ("q10", "q2")
    assert found.info.waterfall[1].reason == "no line in the run of 'm'"


def test_a_query_that_nobody_judged_is_left_out_and_told(tmp_path: Path) -> None:
    found = read_queries(asked(tmp_path, run=ANSWERS + "q7 Q0 a 1 1 m\n"))
    assert found.sample.ids == ("q1", "q10", "q2")
    assert [(d.code, d.numbers) for d in found.warnings] == [("W233", {"queries": 1})]


def test_grades_below_zero_are_not_judged_or_not_relevant(tmp_path: Path) -> None:
    below = GRADES.replace("q2 0 b 0", "q2 0 b -1")
    pooled = read_queries(asked(tmp_path, below))
    np.testing.assert_equal(lists(pooled)["q2"], [(np.nan, 3), (1, 2)])
    assert len(pooled.sample.target.judged.grade) == 4
    assert [d.code for d in pooled.warnings] == ["W234"]
    judged = read_queries(asked(tmp_path, below, negative="not_relevant"))
    assert lists(judged)["q2"] == [(0, 3), (1, 2)]


def test_unjudged_documents_may_leave_every_list(tmp_path: Path) -> None:
    assert lists(read_queries(asked(tmp_path, unjudged="drop")))["q10"] == [(2, 1)]


def test_judged_documents_that_a_run_lacks_may_stand_behind_all_others(tmp_path: Path) -> None:
    found = lists(read_queries(asked(tmp_path, missing_document="last")))
    last = float(np.nextafter(np.float32(1), np.float32(0)))  # just below the list's own lowest
    np.testing.assert_equal(found["q10"], [(np.nan, 9), (2, 1), (1, last)])


def test_a_sample_is_of_queries_and_the_same_whatever_the_order_of_the_file(tmp_path: Path) -> None:
    some = [
        read_queries(replace(asked(tmp_path, run=run), sample=SampleRequest(2, 1))).sample.ids
        for run in (ANSWERS, "".join(reversed(ANSWERS.splitlines(keepends=True))))
    ]
    assert some[0] == some[1] and len(some[0]) == 2


LONG = "q,doc,label,s,u\n1,a,1,3,x\n1,b,0,2,x\n01,a,2,1,y\n01,b,0,5,y\n"


def test_a_long_table_has_the_documents_of_all_models(tmp_path: Path) -> None:
    found = read_queries(table(tmp_path, LONG, cluster=ColumnRequest("u")))
    assert found.sample.ids == ("01", "1")  # texts, never numbers
    assert lists(found) == {"01": [(0, 5), (2, 1)], "1": [(1, 3), (0, 2)]}
    assert found.sample.sampling.units is not None
    assert found.sample.sampling.units.codes.labels == ("x", "y")


def test_a_document_without_a_score_is_not_retrieved_or_last(tmp_path: Path) -> None:
    gap = LONG.replace("1,a,1,3,x", "1,a,1,,x", 1)
    found = read_queries(table(tmp_path, gap, missing_document="unretrieved"))
    assert lists(found)["1"] == [(0, 2)]
    found = read_queries(table(tmp_path, gap, missing_document="last"))
    assert lists(found)["1"] == [(0, 2), (1, float(np.nextafter(np.float32(2), np.float32(0))))]


def test_labels_stand_for_grades(tmp_path: Path) -> None:
    text = LONG.replace(",1,3", ",Exact,3").replace(",2,1", ",Exact,1").replace(",0,", ",No,")
    found = read_queries(table(tmp_path, text, grades={"Exact": 2, "No": 0}))
    assert lists(found)["1"] == [(2, 3), (0, 2)]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"run": ANSWERS + "q1 Q0 c 1 5\n"},
            "m.run: line 6 has 5 fields where a run has 6: query Q0 document rank score tag; "
            "put white space between fields, none in them",
        ),
        (
            {"qrels": "q1 0 a\n"},
            "web.qrels: line 1 has 3 fields where a file of judgements has 4: "
            "query iteration document grade; put white space between fields, none in them",
        ),
        (
            {"run": ANSWERS + "\nq2 Q0 a 3 1 m\n"},
            "m.run: document 'a' occurs twice for query 'q2' (lines 2, 7); keep one of the lines",
        ),
        (
            {"qrels": GRADES + "q1 0 b 0\n"},
            "web.qrels: document 'b' occurs twice for query 'q1' (lines 5, 6); keep one of the "
            "lines",
        ),
        (
            {"qrels": GRADES.replace("a 2", "a x")},
            "web.qrels: column 'grade' has text instead of numbers: 'x' at line 3 (1 such "
            "value of 5); correct it, or map labels with `ranking: {grades: …}`",
        ),
        (
            {"run": ANSWERS.replace(" 9 ", " nan ")},
            "m.run: column 'score' has 1 missing value of 5 (first at line 3); leave out such "
            "lines",
        ),
        (
            {"run": ANSWERS.replace(" 9 ", " high ")},
            "m.run: column 'score' has text instead of numbers: 'high' at line 3 (1 such "
            "value of 5); correct it",
        ),
        (
            {"run": ANSWERS.replace(" 9 ", " inf ")},
            "m.run: column 'score' has 1 infinite value of 5 (first at line 3); correct it, "
            "or leave its row out",
        ),
        (
            {"run": ANSWERS.replace("q", "0q")},
            "m.run: shares no query with web.qrels ('q1' there, '0q1' here); use the same query "
            "names in both",
        ),
        (
            {"run": "q2 Q0 a 1 1 m\n", "missing_query": "error"},
            "m.run: no line for 2 queries of 3 (first 'q1', 'q10'); see `missing_query`",
        ),
        (
            {"unjudged": "error", "ranks": 1},
            "m.run: 1 document of model 'm' in the first 1 ranks, ties included, was not judged, "
            "in 1 of 3 queries (first query 'q10'); see `unjudged`",
        ),
        (
            {"unjudged": "error"},
            "m.run: 1 document of model 'm' was not judged, in 1 of 3 queries (first query 'q10'); "
            "see `unjudged`",
        ),
        (
            {"qrels": GRADES.replace("a 2", "a 2000"), "are_powers": True},
            "web.qrels: grade 2000 at line 3 is too large for `gain: exp2`, which holds grades up "
            "to 166; set `gain: linear`, or write smaller grades",
        ),
        (
            {"grades": {"0": 0, "1": 1}},
            "web.qrels: grade '2' at line 3 is not in `ranking: {grades: …}`, which has '0', '1'",
        ),
        (
            {"run": ANSWERS.encode().replace(b"q10", b"q\xff")},
            "m.run: line 3: its query is not UTF-8; save the file so",
        ),
        ({"run": b"# nothing\n"}, "m.run: has no rows, only column names"),
        ({"run": b""}, "m.run: the file is empty"),
        (
            {"qrels": "q2 0 a 1\n", "run": "q2 Q0 a 1 1 m\n"},
            "web.qrels: 1 query of 1 left to compare models on; at least 2 are needed",
        ),
    ],
)
def test_a_broken_file_is_one_line_with_its_place_and_the_way_out(
    tmp_path: Path, change: dict[str, object], said: str
) -> None:
    with pytest.raises(DataError) as caught:
        read_queries(asked(tmp_path, **change))  # type: ignore[arg-type]
    assert caught.value.lines == (said,)


@pytest.mark.parametrize(
    ("text", "keys", "said"),
    [
        (
            LONG.replace("1,b,0,2,x", "1,b,0,2,z", 1),
            {"cluster": ColumnRequest("u")},
            "t.csv: column 'u' differs within query '1' ('x' at line 2, 'z' at line 3); a query "
            "has one value of it",
        ),
        (
            LONG.replace("1,b,0,2,x", "1,a,0,2,x", 1),
            {},
            "t.csv: document 'a' occurs twice for query '1' (lines 2, 3); keep one of the lines",
        ),
        (
            LONG.replace("1,a,1,3,x", "1,a,1,,x", 1),
            {},
            "t.csv: column 's' of model 'm' has 1 missing score of 4 (first at line 2); see "
            "`missing_document`",
        ),
        (
            LONG.replace("1,a,1,3,x", ",a,1,3,x", 1),
            {},
            "t.csv: column 'q' has 1 missing name of 4 (first at line 2); a query and a document "
            "need one",
        ),
    ],
)
def test_a_broken_table_is_one_line_with_its_place_and_the_way_out(
    tmp_path: Path, text: str, keys: dict[str, object], said: str
) -> None:
    with pytest.raises(DataError) as caught:
        read_queries(table(tmp_path, text, **keys))
    assert caught.value.lines == (said,)


def test_bytes_at_random_are_one_line_too(tmp_path: Path) -> None:
    draw = np.random.default_rng(11)
    files = (GRADES.encode(), ANSWERS.encode())
    for _ in range(300):
        spoilt = []
        for data in files:
            at, kind = int(draw.integers(len(data))), int(draw.integers(3))
            byte = bytes([int(draw.integers(256))])
            spoilt.append((data[:at] + byte + data[at + 1 :], data[:at], data[:at] + data)[kind])
        try:
            found = read_queries(asked(tmp_path, *spoilt))
        except DataError as fault:
            assert len(fault.lines) <= 2 and not any("\n" in line for line in fault.lines)
        else:
            assert found.sample.n >= 2


@pytest.mark.parametrize("grades", [{}, {"0": 0.0, "1": 1.0, "2": 2.0}])
@pytest.mark.parametrize("negative", ["pooled", "not_relevant"])
def test_a_judgement_without_a_grade_is_refused_whether_labels_are_mapped_or_not(
    tmp_path: Path, grades: dict[str, float], negative: str
) -> None:
    request = asked(tmp_path, grades=grades, negative=negative)
    (tmp_path / "q.csv").write_text("query,document,grade\nq2,a,1\nq2,b,\nq10,a,2\nq1,b,1\n")
    assert request.ranked is not None and request.ranked.qrels is not None
    file = replace(request.ranked.qrels, table=TableRequest(str(tmp_path / "q.csv"), "q.csv"))
    with pytest.raises(DataError) as caught:
        read_queries(replace(request, ranked=replace(request.ranked, qrels=file)))
    assert caught.value.lines == (
        "q.csv: column 'grade' has 1 missing value of 4 (first at line 3); leave out such lines",
    )


def test_a_mapped_label_may_be_missing_in_a_long_table_where_it_means_not_judged(
    tmp_path: Path,
) -> None:
    text = LONG.replace(",2,1,y", ",,1,y")
    found = read_queries(table(tmp_path, text, grades={"1": 1.0, "0": 0.0}))
    np.testing.assert_equal(lists(found)["01"], [(0, 5), (np.nan, 1)])


def test_the_name_of_a_file_stands_in_an_error_as_it_is(tmp_path: Path) -> None:
    request = asked(tmp_path, run="q2 Q0 a 1 1 m\n", missing_query="error")
    assert request.ranked is not None
    run = request.ranked.runs["m"]
    named = replace(run, table=replace(run.table, shown="querys.run"))
    with pytest.raises(DataError) as caught:
        read_queries(replace(request, ranked=replace(request.ranked, runs={"m": named})))
    assert caught.value.lines[0].startswith("querys.run: no line for 2 queries of 3")


def test_a_query_that_the_file_of_queries_lacks_is_told_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "topics.csv").write_text("topic,w\nq1,1\nq2,2\n")
    file = TableRequest(str(tmp_path / "topics.csv"), "topics.csv", id=ColumnRequest("topic"))
    with pytest.raises(DataError) as caught:
        read_queries(replace(asked(tmp_path, queries=file), weight=ColumnRequest("w")))
    assert caught.value.lines == (
        "topics.csv: no line for 1 of 3 queries of web.qrels (first 'q10'); give each one line",
    )


TIED = "q2 Q0 a 1 2 m\nq10 Q0 a 1 5 m\nq10 Q0 d 2 5 m\nq1 Q0 b 1 0 m\n"


@pytest.mark.parametrize("run", [TIED, "".join(reversed(TIED.splitlines(keepends=True)))])
def test_of_tied_documents_one_that_may_stand_in_the_first_k_must_be_judged(
    tmp_path: Path, run: str
) -> None:
    with pytest.raises(DataError, match="in the first 1 ranks, ties included, was not judged"):
        read_queries(asked(tmp_path, run=run, unjudged="error", ranks=1))


@pytest.mark.parametrize("run", [TIED, "".join(reversed(TIED.splitlines(keepends=True)))])
@pytest.mark.parametrize("is_first", [True, False])
def test_where_all_metrics_order_ties_by_id_only_the_first_k_by_id_must_be_judged(
    tmp_path: Path, run: str, is_first: bool
) -> None:
    """Of equal scores the last id stands first, also where they are equal in single precision."""
    run = run.replace("d 2 5 m", f"{'d' if is_first else '_'} 2 4.99999999 m")
    request = asked(tmp_path, run=run, unjudged="error", ranks=1, is_by_id=True, are_all_by_id=True)
    if not is_first:
        assert read_queries(request).sample.n == 3
        return
    with pytest.raises(DataError, match="was not judged, in 1 of 3 queries"):
        read_queries(request)


def test_a_pooled_grade_below_zero_puts_no_document_at_the_end_of_a_list(tmp_path: Path) -> None:
    below = GRADES.replace("q10 0 c 1", "q10 0 c -1")
    found = lists(read_queries(asked(tmp_path, below, missing_document="last")))
    np.testing.assert_equal(found["q10"], [(np.nan, 9), (2, 1)])
    known = ANSWERS.replace("q10 Q0 d 1 9 m\n", "")
    whole = asked(tmp_path, below, known, missing_document="last", unjudged="error")
    assert lists(read_queries(whole))["q10"] == [(2, 1)]


@pytest.mark.parametrize("size", [1e9, 1e20])
def test_what_stands_behind_all_others_is_tied_with_none_of_them(
    tmp_path: Path, size: float
) -> None:
    far = ANSWERS.replace("q10 Q0 a 2 1 m", f"q10 Q0 a 2 {-size} m")
    found = lists(read_queries(asked(tmp_path, run=far, missing_document="last")))["q10"]
    assert found[2][0] == 1 and np.float32(found[2][1]) < np.float32(found[1][1])
    gap = LONG.replace("1,a,1,3,x", "1,a,1,,x", 1)
    [[_, lowest], last] = lists(read_queries(table(tmp_path, gap, missing_document="last")))["1"]
    assert last[0] == 1 and np.float32(last[1]) < np.float32(lowest)


def test_what_a_list_lacks_is_last_for_its_own_scores_alone(tmp_path: Path) -> None:
    far = GRADES + "q3 0 a 1\nq3 0 b 0\n"
    run = ANSWERS + "q3 Q0 b 1 -1e17 m\n"
    found = lists(read_queries(asked(tmp_path, qrels=far, run=run, missing_document="last")))
    assert [grade for grade, _ in found["q3"]] == [0, 1]  # a, which the list lacks, is behind b
    again = lists(
        read_queries(
            asked(tmp_path, qrels=far, run=run.replace("-1e17", "5"), missing_document="last")
        )
    )
    np.testing.assert_equal({**found, "q3": None}, {**again, "q3": None})
    for of in (*found.values(), *again.values()):
        scores = [score for _, score in of]
        short = np.array(scores, np.float32)
        tied = np.diff(scores) == 0
        np.testing.assert_array_equal(np.diff(short) == 0, tied)  # behind in single precision too
        assert np.allclose(scores, np.maximum(scores, min(s for s in scores)), rtol=1e-6)


def test_documents_count_as_relevant_from_the_declared_grade_on(tmp_path: Path) -> None:
    found = read_queries(asked(tmp_path, relevant=2.0))
    assert found.sample.y.tolist() == [0, 1, 0]
    assert [(d.code, d.numbers) for d in found.warnings] == [("W232", {"queries": 2, "of": 3})]

"""What is wrong with files and columns, and the exact line that says so."""

import gzip
import os
from dataclasses import replace

import pyarrow as pa
import pytest
import zstandard
from pyarrow import parquet

from reportgen.data.dataset import read_dataset
from reportgen.data.requests import ColumnRequest, SampleRequest, SegmentRequest, TableRequest
from reportgen.errors import ConfigError, DataError
from reportgen.text import shorten

GOOD = "id,y,a,b\n1,10,1,2\n2,20,3,4\n3,30,5,6\n"
AT = ("datasets", "test")
LONG = "y > 25" + " and y > 25" * 50


def rows(count, line="{i},{i},{i},{i}\n"):
    return "id,y,a,b\n" + "".join(line.format(i=i) for i in range(1, count + 1))


# name of the file, its content, changes of the request, what is said
CONTENT = {
    "a missing value": (
        "id,y,a,b\n1,10,1,2\n2,,3,4\n3,NA,5,6\n",
        {},
        "t.csv: column 'y' has 2 missing values of 3 (first at lines 3, 4); "
        "`missing: drop` under datasets.test leaves such rows out",
    ),
    "many missing values": (
        rows(9)
        .replace("2,2,2,2", "2,2,2,")
        .replace("4,4,4,4", "4,4,4,nan")
        .replace("5,5,5,5", "5,5,5,")
        .replace("7,7,7,7", "7,7,7,null"),
        {},
        "t.csv: column 'b' has 4 missing values of 9 (first at lines 3, 5, 6); "
        "`missing: drop` under datasets.test leaves such rows out",
    ),
    "two columns with missing values": (
        "id,y,a,b\n1,10,,2\n2,20,3,\n3,30,5,6\n",
        {},
        "t.csv: column 'a' has 1 missing value of 3 (first at line 2); "
        "`missing: drop` under datasets.test leaves such rows out\n"
        "t.csv: column 'b' has 1 missing value of 3 (first at line 3); "
        "`missing: drop` under datasets.test leaves such rows out",
    ),
    "nothing but missing values, none of which may be": (
        "id,y,a,b\n1,,1,2\n2,,3,4\n",
        {},
        "t.csv: column 'y' has 2 missing values of 2 (first at lines 2, 3); no row has a value: "
        "correct this column, or name another one",
    ),
    "nothing but missing values": (
        "id,y,a,b\n1,,1,2\n2,,3,4\n",
        {"missing": "drop"},
        "t.csv: 0 rows of 2 left to compare models on (2 dropped); at least 2 are needed",
    ),
    "text in a number column": (
        "id,y,a,b\n1,10,1,2\n2,20,high,4\n3,30,low,6\n",
        {},
        "t.csv: column 'a' has text instead of numbers: 'high' at line 3 (2 such values of "
        "3); correct it",
    ),
    "percent signs in a number column": (
        "id,y,a,b\n1,10,46.78%,2\n2,20,5 %,4\n",
        {},
        "t.csv: column 'a' has text instead of numbers: '46.78%' at line 2 (2 such values of "
        "2); remove the percent sign, and divide shares by 100",
    ),
    "text in a number column after a quoted line break": (
        'id,y,a,b\n"x\ny",10,1,2\n\n2,20,{high},4\n',
        {},
        "t.csv: column 'a' has text instead of numbers: '{high}' at line 5 "
        "(1 such value of 2); correct it",
    ),
    "an infinite value": (
        "id,y,a,b\n1,10,1,2\n2,inf,3,4\n3,30,5,6\n",
        {},
        "t.csv: column 'y' has 1 infinite value of 3 (first at line 3); correct it, "
        "or leave its row out",
    ),
    "a number too large": (
        "id,y,a,b\n1,10,1,2\n2,20,3,-1e400\n3,30,5,6\n",
        {},
        "t.csv: column 'b' has 1 infinite value of 3 (first at line 3); correct it, "
        "or leave its row out",
    ),
    "no number of a usual size": (
        "id,y,a,b\n1,10,1e-310,2\n2,20,-2e-310,4\n3,30,,6\n",
        {},
        "t.csv: column 'a' has no value of even 1e-50 in size (the largest is 2e-310 at line 3), "
        "too small to be computed with; rescale it",
    ),
    "an amount that vanishes once squared": (
        "id,y,a,b\n1,10,1,2\n2,2e-310,3,4\n3,-1e-60,5,6\n",
        {},
        "t.csv: column 'y' has 2 values of 3 that are not 0, but below 1e-50 in size (first "
        "2e-310 at lines 3, 4), too small to be computed with; write 0, or rescale it",
    ),
    "a weight below zero": (
        "id,y,a,b\n1,10,1,2\n2,20,-3,4\n3,30,-5,6\n",
        {"weight": ColumnRequest("a")},
        "t.csv: weight column 'a' has 2 negative values of 3 (first -3 at line 3)",
    ),
    "weights that are all zero": (
        "id,y,a,b\n1,10,0,2\n2,20,0,4\n",
        {"weight": ColumnRequest("a")},
        "t.csv: weight column 'a' is zero on all 2 rows; no row counts",
    ),
    "weights that are texts": (
        "id,y,a,b,w\n1,10,1,2,gold\n2,20,3,4,iron\n3,30,5,6,NA\n",
        {"weight": ColumnRequest("w")},
        "t.csv: weight column 'w' holds texts, 'gold', 'iron'; a weight is a number of 0 or more, "
        "how much a row counts",
    ),
    "a weight that is no number": (
        "id,y,a,b,w\n1,10,0,2,1\n2,20,0,4,nan\n",
        {"weight": ColumnRequest("w")},
        "t.csv: column 'w' has 1 missing value of 2 (first at line 3); "
        "`missing: drop` under datasets.test leaves such rows out",
    ),
    "one row": (
        "id,y,a,b\n1,10,0,2\n",
        {},
        "t.csv: 1 row of 1 left to compare models on; at least 2 are needed",
    ),
    "a filter that nothing passes": (
        GOOD,
        {"filter": "y > 25"},
        "t.csv: 1 row of 3 left to compare models on (2 left out by `filter: y > 25` under "
        "datasets.test); at least 2 are needed",
    ),
    "a filter that is hidden": (
        GOOD,
        {"filter": "y > 25", "filter_shown": "y > ${LOW}"},
        "t.csv: 1 row of 3 left to compare models on (2 left out by `filter: y > ${LOW}` under "
        "datasets.test); at least 2 are needed",
    ),
    "a long filter": (
        GOOD,
        {"filter": LONG},
        f"t.csv: 1 row of 3 left to compare models on (2 left out by `filter: {shorten(LONG, 200)}`"
        " under datasets.test); at least 2 are needed",
    ),
    "a sample larger than the data": (
        GOOD,
        {"sample": SampleRequest(4, 1)},
        "t.csv: 3 rows left, of which 4 cannot be sampled; lower `sample: n`",
    ),
    "a missing id": (
        "id,y,a,b\n1,10,1,2\n,20,3,4\n",
        {},
        "t.csv: id column 'id' has 1 missing id of 2 (first at line 3); "
        "a row without an id cannot be matched",
    ),
    "an id twice": (
        "id,y,a,b\n1,10,1,2\n2,20,3,4\n1,30,5,6\n2,1,1,1\n7,1,1,1\n",
        {},
        "t.csv: id column 'id' has 2 ids more than once ('1', '2'; '1' at lines 2, 4); "
        "an id must name one row",
    ),
    "a line with too many fields": (
        "id,y,a,b\n1,10,1,2\n2,20,3,4,5\n",
        {},
        "t.csv: line 3 has 5 fields where the header has 4",
    ),
    "a line with too few fields": (
        "id,y,a,b\n1,10,1,2\n2,20\n",
        {},
        "t.csv: line 3 has 2 fields where the header has 4; it is the last line: the file may be "
        "cut short",
    ),
    "a line with too few fields before another": (
        "id,y,a,b\n1,10\n2,20,3,4\n",
        {},
        "t.csv: line 2 has 2 fields where the header has 4",
    ),
    "a quote that never ends": (
        'id,y,a,b\n1,10,1,2\n"2,20,3,4\n3,1,1,1\n',
        {},
        "t.csv: line 3 has 1 field where the header has 4; "
        "a quotation mark is opened and never closed",
    ),
    "a quote in the header that never ends": (
        GOOD.replace("b\n", 'b,"c\n'),
        {},
        "t.csv: cannot be read as CSV; a quotation mark is opened and never closed",
    ),
    "another encoding": (
        "id,y,a,b\n1,10,1,2\nZürich,20,3,4\n".encode("latin-1"),
        {},
        "t.csv: line 3 is not UTF-8 (byte 0xfc); save it as UTF-8, or write `encoding: cp1252` "
        "under datasets.test",
    ),
    "another encoding of the header": (
        "id,y,a,b,größe\n1,10,1,2,3\n".encode("latin-1"),
        {},
        "t.csv: line 1 is not UTF-8 (byte 0xf6); save it as UTF-8, or write `encoding: cp1252` "
        "under datasets.test",
    ),
    "half of two bytes a letter": (
        GOOD.encode("utf-16")[:-1],
        {},
        "t.csv: byte 73 is not UTF-16, as its first bytes say; save it as UTF-8",
    ),
    "an empty file": (b"", {}, "t.csv: the file is empty"),
    "blank lines only": ("\n\n\n", {}, "t.csv: the file is empty"),
    "a header only": ("id,y,a,b\n", {}, "t.csv: has no rows, only column names"),
    "a header without an end": ("id,y,a,b", {}, "t.csv: has no rows, only column names"),
    "a name twice": (
        "id,y,a,b,a\n1,10,1,2,3\n",
        {},
        "t.csv: 2 columns are called 'a', so it is not clear which is meant: columns 3 and 5; "
        "rename all but one in the file",
    ),
    "bars": (
        GOOD.replace(",", "|"),
        {},
        't.csv: line 1 has bars between the names instead of commas; write `delimiter: "|"`',
    ),
    "a value outside the bins": (
        GOOD,
        {"segments": (SegmentRequest("y", (0.0, 20.0, 25.0)),)},
        "t.csv: segment column 'y' has 1 value outside its bins, 0 to 25 (first 30 at line 4); "
        "widen `bins:`, -.inf and .inf are allowed",
    ),
    "a segment column of names": (
        rows(201, "c{i},{i},{i},{i}\n"),
        {"segments": (SegmentRequest("id"),)},
        "t.csv: segment column 'id' has 201 different values; at most 200 are allowed",
    ),
    "a time that is no date": (
        "id,y,a,b,t\n1,10,1,2,2026-01-01\n2,20,3,4,Jan 3\n",
        {"time": ColumnRequest("t")},
        "t.csv: time column 't' has neither numbers nor ISO 8601 dates: 'Jan 3' at line 3 (1 such "
        "value of 2); write YYYY-MM-DD",
    ),
}


@pytest.mark.parametrize("case", CONTENT)
def test_a_broken_csv_file_is_refused_in_one_clear_line(case, tmp_path, asked):
    content, changes, message = CONTENT[case]
    path = tmp_path / "t.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataError) as refused:
        read_dataset(asked.wide(path, **changes))
    assert str(refused.value) == message


def test_a_cut_gzip_file_is_refused(tmp_path, asked):
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(GOOD.encode())[:-9])
    with pytest.raises(DataError) as refused:
        read_dataset(asked.wide(tmp_path / "t.csv.gz"))
    assert str(refused.value) == (
        "t.csv.gz: is not a whole .gz file (Compressed file ended before the end-of-stream marker "
        "was reached); was it cut off or renamed?"
    )


def test_a_cut_zstandard_file_is_refused(tmp_path, asked):
    (tmp_path / "t.csv.zst").write_bytes(zstandard.compress(GOOD.encode())[:-9])
    with pytest.raises(DataError) as refused:
        read_dataset(asked.wide(tmp_path / "t.csv.zst"))
    assert str(refused.value) == (
        "t.csv.zst: is not a whole .zst file (the data ends inside a frame); "
        "was it cut off or renamed?"
    )


@pytest.mark.parametrize("suffix", ["gz", "zst"])
def test_plain_text_under_a_compressed_name_is_refused(suffix, tmp_path, asked):
    path = tmp_path / f"t.csv.{suffix}"
    path.write_text(GOOD)
    with pytest.raises(DataError, match=rf"^t\.csv\.{suffix}: is not a whole \.{suffix} file \("):
        read_dataset(asked.wide(path))


@pytest.mark.parametrize(("suffix", "kind"), [("parquet", "Parquet"), ("feather", "Feather")])
def test_text_under_the_name_of_another_format_is_refused(suffix, kind, tmp_path, asked):
    path = tmp_path / f"t.{suffix}"
    path.write_text(GOOD)
    with pytest.raises(DataError, match=rf"^t\.{suffix}: cannot be read as {kind}: "):
        read_dataset(asked.wide(path))


JSON = {
    "a line that is no JSON": (
        '{"id": 1, "y": 1, "a": 1, "b": 1}\n{"id": 2,\n',
        "t.jsonl: line 2 is not JSON: Expecting property name enclosed in double quotes",
    ),
    "a line that is no object": (
        '{"id": 1, "y": 1, "a": 1, "b": 1}\n[1, 2]\n',
        "t.jsonl: line 2 is not an object in braces",
    ),
    "a key twice": (
        '{"id": 1, "y": 1, "y": 2, "a": 1, "b": 1}\n',
        "t.jsonl: line 1 is not JSON: key 'y' occurs twice",
    ),
    "a list as a value": (
        '{"id": 1, "y": [1], "a": 1, "b": 1}\n',
        "t.jsonl: column 'y' holds a list or an object at line 1 instead of text or a number",
    ),
    "a key that a line lacks": (
        '{"id": 1, "y": 1, "a": 1, "b": 1}\n\n{"id": 2, "a": 1, "b": 1}\n',
        "t.jsonl: column 'y' has 1 missing value of 2 (first at line 3); "
        "`missing: drop` under datasets.test leaves such rows out",
    ),
    "half a character": (
        '{"id": "\\ud800", "y": 1, "a": 1, "b": 1}\n{"id": 2, "y": 1, "a": 1, "b": 1}\n',
        "t.jsonl: column 'id' holds half a character (a lone surrogate)",
    ),
    "another encoding": (
        b'{"id": 1, "y": 1, "a": 1, "b": 1}\n{"id": "\xfc"}\n',
        "t.jsonl: line 2 is not UTF-8 (byte 0xfc); save it as UTF-8, or write `encoding: cp1252` "
        "under datasets.test",
    ),
}


@pytest.mark.parametrize("case", JSON)
def test_a_broken_file_of_json_lines_is_refused_in_one_clear_line(case, tmp_path, asked):
    content, message = JSON[case]
    path = tmp_path / "t.jsonl"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataError) as refused:
        read_dataset(asked.wide(path))
    assert str(refused.value) == message


TYPED = {
    "ids that are floats": (
        {"id": [1.0, 2.0]},
        "t.parquet: id column 'id' holds floating point numbers, which cannot tell large ids "
        "apart; save it as text or as integers",
    ),
    "dates instead of numbers": (
        {"y": pa.array([1, 2], pa.date32())},
        "t.parquet: column 'y' holds date32[day] instead of numbers",
    ),
    "lists instead of numbers": (
        {"y": [[1], [2]]},
        "t.parquet: column 'y' holds list<element: int64> instead of numbers",
    ),
    "lists instead of text": (
        {"id": [[1], [2]]},
        "t.parquet: column 'id' holds list<element: int64>, not text or numbers",
    ),
    "a null among numbers": (
        {"y": [1.5, None]},
        "t.parquet: column 'y' has 1 missing value of 2 (first at row 2); "
        "`missing: drop` under datasets.test leaves such rows out",
    ),
}


@pytest.mark.parametrize("case", TYPED)
def test_a_broken_typed_column_is_refused_in_one_clear_line(case, tmp_path, asked):
    columns, message = TYPED[case]
    table = pa.table({"id": ["1", "2"], "y": [1, 2], "a": [1, 2], "b": [1, 2]} | columns)
    parquet.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(DataError) as refused:
        read_dataset(asked.wide(tmp_path / "t.parquet"))
    assert str(refused.value) == message


def test_a_folder_where_a_file_is_meant_is_refused(tmp_path, asked):
    (tmp_path / "t.csv").mkdir()
    with pytest.raises(DataError) as refused:
        read_dataset(asked.wide(tmp_path / "t.csv"))
    assert str(refused.value) == (
        "t.csv: is a folder without a file of data; name a file or a glob"
    )


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_a_file_that_may_not_be_read_is_refused(tmp_path, asked):
    path = tmp_path / "t.csv"
    path.write_text(GOOD)
    path.chmod(0)
    with pytest.raises(DataError) as refused:
        read_dataset(asked.wide(path))
    assert str(refused.value) == "t.csv: cannot be read: Permission denied"


def test_a_file_of_a_glob_that_lacks_a_column_is_refused(tmp_path, asked):
    (tmp_path / "p1.csv").write_text(GOOD)
    (tmp_path / "p2.csv").write_text("id,y,a\n9,1,1\n")
    with pytest.raises(DataError) as refused:
        read_dataset(asked.wide(tmp_path / "p*.csv"))
    assert str(refused.value) == "p2.csv: has no column 'b', unlike p1.csv"


def test_a_bad_row_of_a_glob_is_named_with_its_file(tmp_path, asked):
    (tmp_path / "p1.csv").write_text(GOOD)
    (tmp_path / "p2.csv").write_text("b,id,y,a\n1,9,1,\n")
    with pytest.raises(DataError) as refused:
        read_dataset(asked.wide(tmp_path / "p*.csv"))
    assert str(refused.value) == (
        "p*.csv: column 'a' has 1 missing value of 4 (first at p2.csv line 2); "
        "`missing: drop` under datasets.test leaves such rows out"
    )


@pytest.mark.parametrize(("ids", "matched"), [((1, 8, 9), 1), ((7, 8, 9), 0)])
def test_no_rows_in_all_files_are_offered_where_few_ids_match(tmp_path, asked, ids, matched):
    (tmp_path / "labels.csv").write_text("id,y\n1,1\n2,2\n3,3\n4,4\n")
    for name in ("first", "second"):
        lines = "".join(f"{each},3\n" for each in ids)
        column = {"first": "a", "second": "b"}[name]
        (tmp_path / f"{name}.csv").write_text(f"id,{column}\n{lines}")
    with pytest.raises(DataError) as refused:
        read_dataset(asked.split(tmp_path))
    assert "intersect" not in str(refused.value)
    ending = f"only {matched} of 4 ids are in all files: do the id columns hold the same ids?"
    assert str(refused.value).endswith(ending)


def test_ids_that_do_not_match_are_counted_on_each_side(tmp_path, asked):
    (tmp_path / "labels.csv").write_text("id,y\n1,1\n2,2\n3,3\nNA,4\n")
    (tmp_path / "first.csv").write_text("id,a\n3,3\n1,1\n8,8\n9,9\n")
    (tmp_path / "second.csv").write_text("id,b\n1,1\n2,2\n3,3\nNA,4\n")
    with pytest.raises(DataError) as refused:
        read_dataset(asked.split(tmp_path))
    assert str(refused.value) == (
        "first.csv: 2 of 4 ids of labels.csv are not in first.csv (first '2', 'NA'); "
        "2 of 4 ids of first.csv are not in labels.csv (first '8', '9'); "
        "`missing: intersect` under datasets.test keeps what is in all files"
    )


# changes of the request -> each place and message, in order
NAMES = {
    "a column that is not there": (
        {"target": ColumnRequest("yy", (*AT, "target"))},
        [((*AT, "target"), "t.csv has no column 'yy'; did you mean 'y'?")],
    ),
    "a column of a very long name": (
        {"target": ColumnRequest("x" * 3000, (*AT, "target"))},
        [
            (
                (*AT, "target"),
                f"t.csv has no column '{'x' * 36}…{'x' * 23}'; known: a, b, id, y",
            )
        ],
    ),
    "several columns that are not there": (
        {
            "segments": (SegmentRequest("a"), SegmentRequest("c", at=(*AT, "segments", 1))),
            "weight": ColumnRequest("heavy", (*AT, "weight")),
        },
        [
            ((*AT, "segments", 1), "t.csv has no column 'c'; known: a, b, id, y"),
            ((*AT, "weight"), "t.csv has no column 'heavy'; known: a, b, id, y"),
        ],
    ),
    "a filter on a column that is not there": (
        {"filter": "age > 3", "filter_at": (*AT, "filter")},
        [((*AT, "filter"), "t.csv has no column 'age'; known: a, b, id, y")],
    ),
    "a filter that is no comparison": (
        {"filter": "y = 3", "filter_at": (*AT, "filter")},
        [
            (
                (*AT, "filter"),
                "filter: 'y = 3' is not understood (equality is `==`); compare columns with "
                "values: ==, !=, <, <=, >, >=, in [...], is missing; and, or, not",
            )
        ],
    ),
    "bins that do not ascend": (
        {"segments": (SegmentRequest("a", (0.0, 0.0), (*AT, "segments", 0)),)},
        [
            (
                (*AT, "segments", 0),
                "bins of segment column 'a' must be two or more ascending edges",
            )
        ],
    ),
    "a segment column twice": (
        {
            "segments": (
                SegmentRequest("id"),
                SegmentRequest("id", at=(*AT, "segments", 1)),
            )
        },
        [((*AT, "segments", 1), "segment column 'id' is given twice")],
    ),
    "a sample of one": (
        {"sample": SampleRequest(1, 7, (*AT, "sample"))},
        [((*AT, "sample"), "sample: n is 1; at least 2 rows are needed")],
    ),
    "a file that is not there": (
        {"table": TableRequest("/nowhere/u.csv", "data/u.csv", at=(*AT, "path"))},
        [((*AT, "path"), "no file 'data/u.csv': looked in '/nowhere'")],
    ),
    "a glob that matches nothing": (
        {"table": TableRequest("/nowhere/*.csv", "data/*.csv", at=(*AT, "path"))},
        [((*AT, "path"), "no file matches 'data/*.csv'")],
    ),
    "a path with an impossible letter": (
        {"table": TableRequest("a\0.csv", "a\0.csv", at=(*AT, "path"))},
        [((*AT, "path"), "no file 'a\\x00.csv'")],
    ),
}


@pytest.mark.parametrize("case", NAMES)
def test_a_wrong_name_is_reported_at_its_place_in_the_config(case, tmp_path, asked):
    changes, problems = NAMES[case]
    (tmp_path / "t.csv").write_text(GOOD)
    with pytest.raises(ConfigError) as refused:
        read_dataset(asked.wide(tmp_path / "t.csv", **changes))
    assert [(each.at, each.message) for each in refused.value.problems] == problems


def test_what_is_wrong_with_several_files_is_reported_at_once(tmp_path, asked):
    (tmp_path / "labels.csv").write_text("id,y\n1,1\n2,2\n")
    (tmp_path / "second.csv").write_text("key,score\n1,1\n2,2\n")
    with pytest.raises(ConfigError) as refused:
        read_dataset(asked.split(tmp_path))
    scores = ("models", "second", "scores")
    assert [(each.at, each.message) for each in refused.value.problems] == [
        (
            ("models", "first", "scores", "path"),
            f"no file 'first.csv': looked in '{tmp_path}'",
        ),
        ((*scores, "id"), "second.csv has no column 'id'; known: key, score"),
        ((*scores, "column"), "second.csv has no column 'b'; known: key, score"),
    ]


def test_a_file_of_an_unknown_kind_is_a_problem_of_the_config(tmp_path, asked):
    (tmp_path / "t.doc").write_text(GOOD)
    with pytest.raises(ConfigError) as refused:
        read_dataset(asked.wide(tmp_path / "t.doc"))
    assert str(refused.value) == (
        "cannot tell what 't.doc' is; known: .csv, .tsv, .jsonl, .ndjson (each also .gz, .zst, "
        ".bz2, .xz, .zip), .parquet, .feather, .xlsx"
    )


def test_scores_of_their_own_need_an_id_on_both_sides(tmp_path, asked):
    for name in ("labels", "first", "second"):
        (tmp_path / f"{name}.csv").write_text(GOOD)
    request = asked.split(tmp_path)
    request = replace(request, table=replace(request.table, id=None))
    with pytest.raises(ConfigError) as refused:
        read_dataset(request)
    assert str(refused.value) == "labels.csv needs an `id:` column to be joined by"

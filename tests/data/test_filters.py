"""What a filter keeps, and that nothing in it can run."""

from datetime import date

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from reportgen.data.dataset import read_dataset
from reportgen.data.filters import FilterError, parse_filter
from reportgen.data.requests import ColumnRequest

TABLE = """id,y,a,b,group,tax id,day,age
1,1,1,1,new,x,2026-01-05,17
2,2,2,2,old,,2026-02-01,40
3,3,3,3,old,y,2025-12-31,
4,4,4,4,,NA,2026-01-31,65
5,5,5,5,it's,z,2026-01-01,-3.5
"""

KEPT = {
    "group == 'old'": "23",
    "group != 'old'": "15",
    "not group == 'old'": "15",
    "group in ['old', 'new']": "123",
    "group not in ('old', 'new')": "5",
    "group is missing": "4",
    "group is not missing": "1235",
    "age is missing or group is missing": "34",
    "age > 17": "24",
    "17 < age": "24",
    "17 <= age < 65": "12",
    "age in [17, 65]": "14",
    "age == -3.5 or y == 1e0": "15",
    "not (age > 17)": "15",
    "age > 17 or y == 3": "234",
    "`tax id` == 'NA' or `tax id` is missing": "24",
    "day >= '2026-01-01' and day < '2026-02-01'": "145",
    "group == \"it's\" or (group == 'new')": "15",
    "  (age <= 40\n and age >= 17)": "12",
}


@pytest.mark.parametrize("text", KEPT)
def test_a_filter_keeps_the_rows_it_is_true_for(text, tmp_path, asked):
    (tmp_path / "t.csv").write_text(TABLE)
    request = asked.wide(tmp_path / "t.csv", filter=f"({text}) or id == '99'")
    if len(KEPT[text]) == 1:  # two rows are needed at least
        request = asked.wide(tmp_path / "t.csv", filter=f"({text}) or id in ['1', '2']")
        assert set(read_dataset(request).sample.ids) == {"1", "2", *KEPT[text]}
        return
    assert "".join(read_dataset(request).sample.ids) == KEPT[text]


HINT = "; compare columns with values: ==, !=, <, <=, >, >=, in [...], is missing; and, or, not"
REFUSED = {
    "": "'' is not understood" + HINT,
    "age": "age is not understood" + HINT,
    "age = 3": "'age = 3' is not understood (equality is `==`)" + HINT,
    "age > 3 AND y > 1": "'age > 3 AND y > 1' is not understood "
    "(write and, or, not, in, is in small letters)" + HINT,
    "__import__('os').system('x')": "__import__('os').system('x') is not understood" + HINT,
    "age.__class__ == 3": "age.__class__ is not understood" + HINT,
    "(lambda: age)() > 3": "(lambda: age)() is not understood" + HINT,
    "[age for age in 'x'] == 3": "[age for age in 'x'] is not understood" + HINT,
    "age + 1 > 3": "age + 1 is not understood" + HINT,
    "f'{age}' == age": "f'{age}' is not understood" + HINT,
    "`tax id`[0] == 'x'": "`tax id`[0] is not understood" + HINT,
    "age == True": "True is not understood" + HINT,
    "age > y": "y stands in place of a value; put a text in quotes",
    "age is None": "`is` is followed by `missing` or `not missing`",
    "age in 3": "`in` is followed by a list of values, such as ['north', 'east']",
    "age in []": "`in` is followed by a list of values, such as ['north', 'east']",
    "age > 1e999": "a number is too large",
    "age > 3\0": "'age > 3\\x00' is not understood" + HINT,
    "(" * 300 + "age > 3" + ")" * 300: None,
    "not " * 50 + "age > 3": None,
    "not " * 400 + "age > 3": "is nested more than 60 deep",
    "age > 3 or " * 400 + "age > 3": "is 4407 letters long; at most 2000 are allowed",
}


@pytest.mark.parametrize("text", REFUSED)
def test_anything_else_is_refused_with_what_would_do(text):
    try:
        parse_filter(text)
    except FilterError as refused:
        if REFUSED[text] is not None:
            assert str(refused) == REFUSED[text]
    else:
        assert REFUSED[text] is None


@given(
    st.text(max_size=60)
    | st.lists(
        st.sampled_from(
            [
                "age",
                "y",
                "==",
                "<",
                "in",
                "is",
                "missing",
                "not",
                "and",
                "or",
                "(",
                ")",
                "[",
                "]",
                "'",
                "`",
                "3",
                "1.5",
                "-",
                ",",
                "\\",
                "lambda",
                ":",
                "{",
                "}",
                "\n",
                "f'",
                "0x",
                "\x00",
                "é",
            ]
        ),
        max_size=25,
    ).map(" ".join)
)
def test_no_text_does_anything_but_parse_or_be_refused(text):
    try:
        parse_filter(text)
    except FilterError as refused:
        assert str(refused)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("day >= '2026-01-02'", "23"),
        ("is_new == 'true'", "13"),
        ("is_new == 1", "13"),
        ("group == 'b' or group is missing", "23"),
        ("size > 1.5 or size is missing", "23"),
        ("size == '1' or id == '2'", "12"),
    ],
)
def test_columns_of_typed_files_are_compared_by_number_or_by_text(text, kept, tmp_path, asked):
    columns = {
        "id": [1, 2, 3],
        "y": [1, 2, 3],
        "a": [1, 2, 3],
        "b": [3, 2, 1],
        "day": [date(2026, 1, 1), date(2026, 1, 2), date(2026, 1, 3)],
        "is_new": [True, False, True],
        "group": pa.array(["a", "b", None]).dictionary_encode(),
        "size": [1, None, 2],
    }
    parquet.write_table(pa.table(columns), tmp_path / "t.parquet")
    request = asked.wide(tmp_path / "t.parquet", filter=text, time=ColumnRequest("day"))
    sample = read_dataset(request).sample
    assert "".join(sample.ids) == kept
    assert sample.sampling.time.code.tolist() == [0, 1]

"""Judgements and runs as nested JSON: the same as TREC's, and every way to be wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reportgen.data.files.list_files import QRELS, RUN
from reportgen.data.queries import read_queries
from reportgen.data.requests import DatasetRequest, TableRequest
from reportgen.errors import DataError
from tests.data.test_queries import ANSWERS, GRADES, asked


def nested(folder: Path, qrels: str | bytes, run: str | bytes) -> DatasetRequest:
    """The request of the same judgements and run in files of JSON."""
    request = asked(folder)
    tables = []
    for name, text, fields in (("web.json", qrels, QRELS), ("m.json", run, RUN)):
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        tables.append(TableRequest(str(folder / name), name, fields=fields))
    assert request.ranked is not None and request.ranked.qrels is not None
    ranked = replace(
        request.ranked,
        qrels=replace(request.ranked.qrels, table=tables[0]),
        runs={"m": replace(request.ranked.runs["m"], table=tables[1])},
    )
    return replace(request, table=tables[0], ranked=ranked)


def as_json(text: str, value: int) -> str:
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        fields = line.split()
        found.setdefault(fields[0], []).append(f'"{fields[2]}": {fields[value]}')
    return "{" + ", ".join(f'"{q}": {{{", ".join(each)}}}' for q, each in found.items()) + "}"


def test_the_same_numbers_as_from_trec_files(tmp_path: Path) -> None:
    one = read_queries(asked(tmp_path)).sample
    other = read_queries(nested(tmp_path, as_json(GRADES, 3), as_json(ANSWERS, 4))).sample
    assert one.ids == other.ids
    np.testing.assert_array_equal(one.target.judged.grade, other.target.judged.grade)
    for field in ("start", "grade", "score", "name"):
        np.testing.assert_array_equal(
            getattr(one.models["m"].lists, field), getattr(other.models["m"].lists, field)
        )


@pytest.mark.parametrize(
    ("qrels", "said"),
    [
        ("[1]", 'web.json: is not an object of queries, such as {"query": {"document": 1}}'),
        ('{"q": 3}', "web.json: query 'q' has no object of documents"),
        ('{"q": {"d": [1]}}', "web.json: document 'd' of query 'q' has no number"),
        ('{"q": {"d": true}}', "web.json: document 'd' of query 'q' has no number"),
        ('{"q": {"d": null}}', "column 'grade' has 1 missing value of 1 (first at place 1)"),
        ('{"q": {"d": "high"}}', "map labels with `ranking: {grades: …}`"),
        ('{"q": {"d": 1,\n "e"}}', "web.json: line 2 is not JSON"),
        ('{"q": {"d": 1, "d": 2}}', "document 'd' occurs twice for query 'q' (places 1, 2)"),
        (b'{"q\xff": {"d": 1}}', "web.json: is not UTF-8; save it as UTF-8"),
        ('{"q": {"\\ud800": 1}}', "a document holds half a character"),
        ("{}", "web.json: has no rows, only column names"),
        ('{"q":' * 100_000, "web.json: "),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path: Path, qrels: str | bytes, said: str) -> None:
    with pytest.raises(DataError) as fault:
        read_queries(nested(tmp_path, qrels, as_json(ANSWERS, 4)))
    [line] = fault.value.lines
    assert said in line

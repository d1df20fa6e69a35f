"""Every format and both shapes give the same sample, to the last bit."""

import gzip
import json
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import zstandard
from pyarrow import csv, feather, parquet

from reportgen.cli.init.draft import ColumnPreview, preview_columns
from reportgen.data.dataset import read_dataset
from reportgen.data.requests import (
    ColumnRequest,
    DatasetRequest,
    ModelRequest,
    SegmentRequest,
    TableRequest,
)

WALLET = Path(__file__).parents[2] / "configs" / "data" / "cdnow.csv"
IDS = ["0012", "NA", str(2**53 + 1), " spaced ", "null", "Zürich", "12", "1e3"]
VALUES = {
    "y": [0.1, 2.5, 1e-50, -3.0, 4.0, 5.0, 6.0, 1e22],
    "a": [1 / 3, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
    "b": [8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1e-7],
}
COUNTRY = ["NA", "FR", "NA", "FR", "FR", "NA", "FR", "DE"]


def table():
    return pa.table({"unused": list(range(8)), "id": IDS, **VALUES, "country": COUNTRY})


def as_csv(delimiter=","):
    sink = pa.BufferOutputStream()
    csv.write_csv(table(), sink, csv.WriteOptions(delimiter=delimiter))
    return sink.getvalue().to_pybytes()


def as_json():
    rows = (json.dumps(row) + "\n" for row in table().to_pylist())
    return "".join(rows).encode()


FORMATS = {
    "t.csv": as_csv,
    "t.tsv": lambda: as_csv("\t"),
    "t.csv.gz": lambda: gzip.compress(as_csv()),
    "t.csv.zst": lambda: zstandard.compress(as_csv()),
    "t.tsv.zst": lambda: (
        zstandard.compress(as_csv("\t")[:50]) + zstandard.compress(as_csv("\t")[50:])
    ),
    "t.jsonl": as_json,
    "t.ndjson": as_json,
    "t.jsonl.gz": lambda: gzip.compress(as_json()),
    "t.ndjson.zst": lambda: zstandard.compress(as_json()),
}


def same(one, other):
    """Whether two samples are the same to the last bit."""
    assert one.ids == other.ids
    assert one.y.tobytes() == other.y.tobytes()
    assert one.models.keys() == other.models.keys()
    for model in one.models:
        assert one.models[model].score.tobytes() == other.models[model].score.tobytes()
    assert (one.sampling.weight is None) == (other.sampling.weight is None)
    assert one.weights.tobytes() == other.weights.tobytes()
    assert one.segments.keys() == other.segments.keys()
    for column in one.segments:
        assert one.segments[column].labels == other.segments[column].labels
        assert one.segments[column].code.tobytes() == other.segments[column].code.tobytes()
    return True


def expected():
    order = sorted(range(8), key=lambda i: IDS[i].encode())
    return order, [IDS[i] for i in order]


def check(loaded):
    order, ids = expected()
    assert list(loaded.sample.ids) == ids
    assert loaded.sample.y.tolist() == [VALUES["y"][i] for i in order]
    assert loaded.sample.models["first"].score.tolist() == [VALUES["a"][i] for i in order]
    assert loaded.sample.models["second"].score.tolist() == [VALUES["b"][i] for i in order]
    found = loaded.sample.segments["country"]
    assert found.labels == ("DE", "FR", "NA")
    assert [found.labels[code] for code in found.code] == [COUNTRY[i] for i in order]


@pytest.mark.parametrize("name", FORMATS)
def test_every_text_format_gives_back_what_was_written(name, tmp_path, asked):
    (tmp_path / name).write_bytes(FORMATS[name]())
    loaded = read_dataset(asked.wide(tmp_path / name, segments=(SegmentRequest("country"),)))
    check(loaded)
    [file] = loaded.info.inputs
    data = (tmp_path / name).read_bytes()
    assert (file.path, file.role, file.rows) == (name, "data", 8)
    assert (file.sha256, file.size_bytes) == (sha256(data).hexdigest(), len(data))


@pytest.mark.parametrize("categories", [False, True])
@pytest.mark.parametrize("name", ["t.parquet", "t.feather"])
def test_every_typed_format_gives_back_what_was_written(name, categories, tmp_path, asked):
    written = table()
    if categories:
        column = written.column("country").dictionary_encode()
        written = written.set_column(5, "country", column)
    write = parquet.write_table if name.endswith("parquet") else feather.write_feather
    write(written, tmp_path / name)
    check(read_dataset(asked.wide(tmp_path / name, segments=(SegmentRequest("country"),))))


def test_a_folder_of_parquet_files_is_one_table(tmp_path, asked):
    (tmp_path / "t" / "more").mkdir(parents=True)
    parquet.write_table(table().slice(0, 3), tmp_path / "t" / "b.parquet")
    parquet.write_table(table().slice(3), tmp_path / "t" / "more" / "a.parquet")
    (tmp_path / "t" / "_SUCCESS").touch()
    loaded = read_dataset(asked.wide(tmp_path / "t", segments=(SegmentRequest("country"),)))
    check(loaded)
    assert [(file.path, file.rows) for file in loaded.info.inputs] == [
        ("t/b.parquet", 3),
        ("t/more/a.parquet", 5),
    ]


def test_a_glob_reads_its_files_in_order_whatever_their_column_order(tmp_path, asked):
    (tmp_path / "in").mkdir()
    header, *lines = as_csv().decode().splitlines(keepends=True)
    (tmp_path / "in" / "2.csv").write_text("".join([header, *lines[:4]]), encoding="utf-8")
    turned = table().slice(4).select(["country", "b", "a", "y", "id"])
    csv.write_csv(turned, tmp_path / "in" / "1.csv")
    request = asked.wide(tmp_path, segments=(SegmentRequest("country"),))
    where = TableRequest(str(tmp_path / "in" / "*.csv"), "../in/*.csv", request.table.id)
    loaded = read_dataset(replace(request, table=where))
    check(loaded)
    assert [file.path for file in loaded.info.inputs] == ["../in/1.csv", "../in/2.csv"]


def test_integer_ids_of_a_typed_file_stay_whole(tmp_path, asked):
    ids = [2**53 + 1, 2**53, 7]
    numbers = {"y": [1, 2, 3], "a": [1, 2, 3], "b": [3, 2, 1]}
    parquet.write_table(pa.table({"id": ids, **numbers}), tmp_path / "t.parquet")
    sample = read_dataset(asked.wide(tmp_path / "t.parquet")).sample
    assert sample.ids == ("7", "9007199254740992", "9007199254740993")
    assert sample.y.tolist() == [3, 2, 1]


def test_an_absolute_path_is_shown_by_its_name_alone(tmp_path, asked):
    (tmp_path / "t.csv").write_bytes(as_csv())
    request = asked.wide(tmp_path / "t.csv")
    request = replace(request, table=replace(request.table, shown=str(tmp_path / "t.csv")))
    assert read_dataset(request).info.inputs[0].path == "t.csv"


def test_without_ids_rows_keep_the_order_of_the_file(tmp_path, asked):
    lines = "".join(f"{i},{i},{i}\n" for i in range(12, 0, -1))
    (tmp_path / "t.csv").write_text("y,a,b\n" + lines)
    request = asked.wide(tmp_path / "t.csv", filter="y != 12")
    sample = read_dataset(replace(request, table=replace(request.table, id=None))).sample
    assert sample.ids == ("02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12")
    assert sample.y.tolist() == list(range(11, 0, -1))


def test_a_byte_order_mark_quotes_blank_lines_and_other_line_ends_are_read(tmp_path, asked):
    text = '\ufeff\r\nid,"y",a,b\r\n"x, ""1""",1, 2 ,3\r\n\r\n"line\nbreak",4,+5,6'
    (tmp_path / "t.csv").write_bytes(text.encode())
    sample = read_dataset(asked.wide(tmp_path / "t.csv")).sample
    assert sample.ids == ("line\nbreak", 'x, "1"')
    assert sample.models["first"].score.tolist() == [5, 2]


def wallet(**changes):
    scores = {"clv": "score_clv_bgnbd_gg", "boosted": "score_gbm_time", "rfm": "score_rfm"}
    request = DatasetRequest(
        name="holdout",
        table=TableRequest(str(WALLET), "data/cdnow.csv", ColumnRequest("customer_id")),
        target=ColumnRequest("y_spend_hold"),
        models={name: ModelRequest(ColumnRequest(column)) for name, column in scores.items()},
        weight=ColumnRequest("weight"),
        segments=(SegmentRequest("segment"), SegmentRequest("cohort")),
    )
    return replace(request, **changes)


def shuffled(lines, seed):
    header, *rest = lines
    order = np.random.default_rng(seed).permutation(len(rest))
    return [header, *(rest[i] for i in order)]


def test_rows_in_any_order_are_the_same_sample(tmp_path):
    lines = WALLET.read_text().splitlines(keepends=True)
    (tmp_path / "mixed.csv").write_text("".join(shuffled(lines, 1)))
    mixed = TableRequest(str(tmp_path / "mixed.csv"), "mixed.csv", ColumnRequest("customer_id"))
    assert same(read_dataset(wallet()).sample, read_dataset(wallet(table=mixed)).sample)


def test_a_wide_table_and_its_parts_in_shuffled_order_are_the_same_sample(tmp_path):
    whole = wallet()
    cells = [line.rstrip("\n").split(",") for line in WALLET.read_text().splitlines()]
    names = cells[0]

    def write(name, columns, seed, header=None):
        at = [names.index(column) for column in columns]
        lines = [",".join(row[i] for i in at) + "\n" for row in cells]
        lines[0] = ",".join(header or columns) + "\n"
        (tmp_path / name).write_text("".join(shuffled(lines, seed)))
        return TableRequest(str(tmp_path / name), name, ColumnRequest((header or columns)[0]))

    labels = ["customer_id", "segment", "cohort", "weight", "y_spend_hold"]
    models = {
        name: ModelRequest(
            ColumnRequest("value"),
            scores=write(f"{name}.csv", ["customer_id", model.column.name], seed, ["key", "value"]),
        )
        for seed, (name, model) in enumerate(whole.models.items())
    }
    parts = replace(whole, table=write("labels.csv", labels, 9), models=models)
    loaded = read_dataset(parts)
    assert same(read_dataset(whole).sample, loaded.sample)
    assert [(file.path, file.role, file.rows) for file in loaded.info.inputs] == [
        ("labels.csv", "labels", 23570),
        ("clv.csv", "scores of clv", 23570),
        ("boosted.csv", "scores of boosted", 23570),
        ("rfm.csv", "scores of rfm", 23570),
    ]
    assert [(s.step, s.rows, s.removed) for s in loaded.info.waterfall] == [
        ("read", 23570, 0),
        ("joined", 23570, 0),
        ("used", 23570, 0),
    ]


def test_reading_text_files_needs_no_pandas(tmp_path):
    code = (
        "import sys\n"
        "from reportgen.data.dataset import read_dataset\n"
        "from reportgen.data.requests import *\n"
        f"table = TableRequest({str(WALLET)!r}, 'cdnow.csv', ColumnRequest('customer_id'))\n"
        "models = {'m': ModelRequest(ColumnRequest('score_rfm'))}\n"
        "segments = (SegmentRequest('segment'),)\n"
        "target = ColumnRequest('y_spend_hold')\n"
        "request = DatasetRequest('d', table, target, models, segments=segments)\n"
        "assert read_dataset(request).sample.n == 23570\n"
        "print('pandas' in sys.modules)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"


def test_further_columns_of_a_model_are_its_parts(tmp_path, asked):
    (tmp_path / "t.csv").write_text("id,y,a,b,sd\n2,1,2,3,0.5\n1,4,5,6,0.25\n")
    model = ModelRequest(
        ColumnRequest("a"), {"mean": ColumnRequest("a"), "sd": ColumnRequest("sd")}
    )
    loaded = read_dataset(asked.wide(tmp_path / "t.csv", models={"m": model}))
    found = {name: values.tolist() for name, values in loaded.sample.models["m"].parts.items()}
    assert found == {"mean": [5, 2], "sd": [0.25, 0.5]}
    assert [(each.role, each.model, each.column) for each in loaded.info.columns] == [
        ("y", None, "y"),
        ("score", "m", "a"),
        ("score", "m", "sd"),
    ]


def test_models_may_share_one_file_of_scores(tmp_path, asked):
    csv.write_csv(table().select(["id", "y"]), tmp_path / "labels.csv")
    csv.write_csv(table().select(["a", "b", "id"]), tmp_path / "both.csv")
    loaded = read_dataset(asked.split(tmp_path, first="both.csv", second="both.csv"))
    csv.write_csv(table(), tmp_path / "wide.csv")
    assert same(loaded.sample, read_dataset(asked.wide(tmp_path / "wide.csv")).sample)
    assert [file.role for file in loaded.info.inputs] == ["labels", "scores of first, second"]


def test_a_first_look_tells_keys_numbers_and_text_apart(tmp_path):
    (tmp_path / "t.csv").write_text(
        "key;y;code;note;wide\n1;1.5;01;x;1,5\n2;1.5;02;;2,5\n3;NA;01;x;1.234,5\n"
    )
    assert preview_columns(str(tmp_path / "t.csv")) == (
        ColumnPreview("key", "number", 3, 0, True, values=("1", "2", "3")),
        ColumnPreview("y", "number", 1, 1, False, values=("1.5",)),
        ColumnPreview("code", "text", 2, 0, False, values=("01", "02")),
        ColumnPreview("note", "text", 1, 1, False, values=("x",)),
        ColumnPreview("wide", "number", 3, 0, False, values=("1,5", "1.234,5", "2,5")),
    )
    wallet_columns = {guess.name: guess for guess in preview_columns(str(WALLET))}
    assert wallet_columns["customer_id"] == ColumnPreview("customer_id", "text", 23570, 0, True)
    months = ("1997-01", "1997-02", "1997-03")
    cohort = ColumnPreview("cohort", "text", 3, 0, False, values=months, is_time=True)
    assert wallet_columns["cohort"] == cohort
    twelve = wallet_columns["score_rfm"]
    assert twelve == ColumnPreview("score_rfm", "number", 12, 0, False, values=twelve.values)
    assert len(twelve.values) == 12 and [*twelve.values] == sorted(twelve.values, key=float)

"""Labels as lists: of Parquet, of JSON, as the text of a list, or between separators."""

import json
import re
from pathlib import Path
from shutil import copy

import pyarrow as pa
import pytest
import yaml
from pyarrow import parquet

from reportgen.errors import ConfigError, DataError
from tests.end_to_end.wallet import heard
from tests.streaming.configs import results_of

FIELD = Path(__file__).parent / "field"
CONFIG = """
version: 1
report: {title: Labels}
task: multilabel
datasets: {w: {path: FILE, id: id, target: y, separator: "SEPARATOR"}}
models: {a: {column: a, scale: label, role: baseline}, b: {column: b, scale: label}}
metrics: [{name: f, as: macro}, {name: f, average: micro, as: micro}, hamming_loss]
primary: {metric: macro}
bootstrap: {replicates: 99}
curves: []
sensitivity: none
outputs: [json]
"""
VALUES = [0.5858417, 0.8723906, 0.5866667, 0.875, 0.3444444, 0.1]


def write(folder, file, separator="|", **dataset):
    keys = yaml.safe_load(CONFIG.replace("FILE", file).replace("SEPARATOR", separator))
    keys["datasets"]["w"].update(dataset)
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(keys), encoding="utf-8")
    return path


def find_values(path):
    return [each.value for each in results_of(path).estimates]


def read_rows():
    lines = (FIELD / "l.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize(
    ("file", "separator"),
    [("l.jsonl", "|"), ("l.parquet", "|"), ("repr.csv", ","), ("sp.csv", ",")],
)
def test_lists_are_read_however_they_are_written(tmp_path, file, separator):
    copy(FIELD / file, tmp_path)
    found = results_of(write(tmp_path, file, separator))
    assert [each.value for each in found.estimates] == pytest.approx(VALUES, abs=1e-7)
    assert [each.value for each in found.datasets[0].classes] == ["blue", "green", "red"]


def write_texts(folder, form):
    """Write lists by a form, as tabulated text."""
    rows = read_rows()
    lines = ["id\ty\ta\tb"]
    lines += ["\t".join([str(row["id"]), *(form(row[key]) for key in "yab")]) for row in rows]
    (folder / "rows.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize(
    "form",
    [
        lambda labels: f"[{', '.join(map(repr, labels))}]",
        lambda labels: f"[{' '.join(map(repr, labels))}]",  # an array of NumPy
        lambda labels: f" [ {','.join(map(repr, labels))}, ]",
        lambda labels: f"['{labels[0]}', None]" if len(labels) == 1 else str(labels),
    ],
)
def test_texts_of_lists(tmp_path, form):
    write_texts(tmp_path, form)
    assert find_values(write(tmp_path, "rows.tsv")) == pytest.approx(VALUES, abs=1e-7)


def test_a_label_in_brackets_is_no_list(tmp_path):
    write_texts(tmp_path, lambda labels: "|".join(f"[{label}]" for label in labels))
    classes = results_of(write(tmp_path, "rows.tsv")).datasets[0].classes
    assert [each.value for each in classes] == ["[blue]", "[green]", "[red]"]


def test_lists_beside_other_texts_are_refused(tmp_path):
    write_texts(tmp_path, lambda labels: str(labels) if len(labels) > 1 else "".join(labels))
    with pytest.raises(DataError) as caught:
        results_of(write(tmp_path, "rows.tsv"))
    assert "column 'y' has lists in brackets, and another text at line 3" in caught.value.lines[0]


@pytest.mark.parametrize("kind", [pa.list_, pa.large_list, lambda item: pa.list_(item)])
@pytest.mark.parametrize("item", [pa.string(), pa.large_string(), pa.int8()])
def test_types_of_lists(tmp_path, kind, item):
    rows, codes = read_rows(), {"blue": 1, "green": 2, "red": 3}
    columns = {"id": [row["id"] for row in rows]}
    for key in "yab":
        lists = [row[key] for row in rows]
        if pa.types.is_integer(item):
            lists = [[codes[label] for label in each] for each in lists]
        columns[key] = pa.array([each or None for each in lists], kind(item))
    parquet.write_table(pa.table(columns), tmp_path / "rows.parquet")
    assert find_values(write(tmp_path, "rows.parquet")) == pytest.approx(VALUES, abs=1e-7)


def test_labels_of_lists_match_loosely(tmp_path):
    rows = read_rows()
    for row in rows:
        row["b"] = [label.upper() + " " for label in row["b"]]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "rows.jsonl").write_text(lines, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        results_of(write(tmp_path, "rows.jsonl"))
    assert "'BLUE' and 'blue' differ only in upper and lower case" in caught.value.lines[0]
    path = write(tmp_path, "rows.jsonl", match="loose")
    assert find_values(path) == pytest.approx(VALUES, abs=1e-7)


@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize("sign", [", ", ",", ";", " "])
def test_another_separator_is_proposed_if_all_labels_are_then_known(tmp_path, sign, columns):
    write_texts(tmp_path, sign.join)
    path = write(tmp_path, "rows.tsv", sign.strip() or sign)
    keys = yaml.safe_load(path.read_text(encoding="utf-8"))
    if columns:  # classes are then known by their columns
        lines = (tmp_path / "rows.tsv").read_text(encoding="utf-8").splitlines()
        names = [f"{model}_{label}" for model in "pq" for label in ("blue", "green", "red")]
        rows = [
            f"{line}\t" + "\t".join(f"0.{(k + j) % 9}" for j in range(6))
            for k, line in enumerate(lines[1:])
        ]
        text = "\n".join(["\t".join([lines[0], *names]), *rows]) + "\n"
        (tmp_path / "rows.tsv").write_text(text, encoding="utf-8")
        keys["models"] = {"a": {"columns": "p_{class}", "role": "baseline"}}
        keys["models"]["b"] = {"columns": "q_{class}"}
        keys["metrics"], keys["primary"] = ["lrap"], {"metric": "lrap"}
    else:
        keys["classes"] = ["blue", "green", "red"]
    path.write_text(yaml.safe_dump(keys), encoding="utf-8")
    expected = find_values(path)
    assert columns or expected == pytest.approx(VALUES, abs=1e-7)
    keys["datasets"]["w"]["separator"] = "|"
    path.write_text(yaml.safe_dump(keys), encoding="utf-8")
    with pytest.raises((ConfigError, DataError)) as caught:
        results_of(path)
    found = re.search(r"; write `([^`]+)` under datasets\.w$", caught.value.lines[0])
    assert found is not None, caught.value.lines
    keys["datasets"]["w"].update(yaml.safe_load(found[1]))
    path.write_text(yaml.safe_dump(keys), encoding="utf-8")
    assert find_values(path) == pytest.approx(expected)


def test_a_separator_that_leaves_unknown_labels_is_not_proposed(tmp_path):
    write_texts(tmp_path, ", ".join)
    path = write(tmp_path, "rows.tsv")
    keys = yaml.safe_load(path.read_text(encoding="utf-8")) | {"classes": ["blue", "green"]}
    path.write_text(yaml.safe_dump(keys), encoding="utf-8")
    with pytest.raises(DataError) as caught:
        results_of(path)
    assert "separator" not in caught.value.lines[0]


def test_streamed_lists(tmp_path):
    copy(FIELD / "l.parquet", tmp_path)
    values = []
    for engine in ("memory", "stream"):
        path = write(tmp_path, "l.parquet")
        keys = yaml.safe_load(path.read_text(encoding="utf-8"))
        keys |= {"compute": {"engine": engine}, "classes": ["blue", "green", "red"]}
        keys["bootstrap"]["weights"] = "poisson"
        keys["metrics"] = ["hamming_loss"]
        keys["primary"] = {"metric": "hamming_loss"}
        path.write_text(yaml.safe_dump(keys), encoding="utf-8")
        values.append(find_values(path))
    assert values[0] == pytest.approx(VALUES[4:], abs=1e-7)
    assert values[1] == pytest.approx(values[0])


@pytest.mark.parametrize("key", ["id", "cluster", "strata", "segments", "filter"])
@pytest.mark.parametrize("kind", ["parquet", "jsonl"])
def test_lists_where_text_is_meant_are_refused(tmp_path, key, kind):
    copy(FIELD / "l.parquet", tmp_path)
    copy(FIELD / "l.jsonl", tmp_path)
    value = {"segments": [{"column": "a"}], "filter": "a == 'x'"}.get(key, "a")
    path = write(tmp_path, f"l.{kind}", **{key: value})
    code, _, said = heard("run", path, "--out", tmp_path / "out", "--no-cache", cwd=tmp_path)
    assert code == 3, said
    assert f"l.{kind}: column 'a' holds" in said


def test_records_are_no_lists(tmp_path):
    rows = [{"id": k, "y": {"red": 1}, "a": "red", "b": "red"} for k in range(9)]
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "rows.parquet")
    with pytest.raises(DataError) as caught:
        results_of(write(tmp_path, "rows.parquet"))
    assert "column 'y' holds struct<red: int64>, not lists of labels" in caught.value.lines[0]

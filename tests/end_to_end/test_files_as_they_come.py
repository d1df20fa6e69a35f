"""Files as other programs write them are read rightly, or refused with a line that mends them."""

from __future__ import annotations

import bz2
import copy
import gzip
import io
import json
import lzma
import re
import zipfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import yaml
from pyarrow import feather, parquet

from reportgen.errors import DataError
from reportgen.planning.loading import load_config
from reportgen.planning.requests import read_data
from tests.end_to_end.lists import LISTS
from tests.end_to_end.wallet import call, results

FIELD = Path(__file__).parents[1] / "data" / "field"
MAE = (234.189333333, 183.161)
CONFIG: dict[str, Any] = {
    "version": 1,
    "report": {"title": "Files"},
    "task": "regression",
    "datasets": {"w": {"id": "id", "target": "y"}},
    "models": {"a": {"column": "a", "role": "baseline"}, "b": {"column": "b"}},
    "metrics": ["mae"],
    "bootstrap": {"replicates": 19},
    "curves": [],
    "outputs": ["json", "markdown"],
}
ADVICE = re.compile(r"`([a-z_]+: [^`]+)`(?: or `([a-z_]+: [^`]+)`)? under `?([\w.]+\w)")


def make_config(path: str, **keys: object) -> dict[str, Any]:
    """Make a config for one wide table."""
    config = copy.deepcopy(CONFIG)
    config["datasets"]["w"] |= {"path": path, **keys}
    return config


def write_config(folder: Path, config: dict[str, Any]) -> Path:
    """Write a config into a folder."""
    path = folder / "c.yaml"
    path.write_text(yaml.safe_dump(config, sort_keys=False, allow_unicode=True), "utf-8")
    return path


def read(folder: Path, config: dict[str, Any]) -> Any:
    """Read the first dataset of a config."""
    with ExitStack() as stack:
        return read_data(load_config(write_config(folder, config), (), False, stack))[0]


def read_errors(folder: Path, config: dict[str, Any]) -> list[float]:
    """Return the mean absolute errors of the models a and b."""
    sample = read(folder, config).sample
    return [float(np.abs(sample.y - model.score).mean()) for model in sample.models.values()]


def refuse(folder: Path, config: dict[str, Any]) -> str:
    """Return what the file is refused with, which is one line for each column."""
    with pytest.raises(DataError) as refused:
        read(folder, config)
    return str(refused.value)


def find_total(folder: Path, config: dict[str, Any]) -> str:
    """Return where a row holds totals, and what to write."""
    total = read(folder, config).total
    return f"{total.where} holds totals: {total.because}; {total.describe_way_out('w')}"


def paste(config: dict[str, Any], said: str, choice: int = 1) -> dict[str, Any]:
    """Write the line that a message proposes at the place that it names."""
    found = ADVICE.search(said)
    assert found is not None, said
    mended = copy.deepcopy(config)
    place = mended
    for part in found[3].split("."):
        place = place[part]
    place.update(yaml.safe_load(found[choice]))
    return mended


def put(folder: Path, content: bytes | str, name: str = "t.csv") -> dict[str, Any]:
    """Write a file, and make the config that reads it."""
    data = content.encode() if isinstance(content, str) else content
    (folder / name).write_bytes(data)
    return make_config(name)


def plain() -> str:
    """Return the field's table as every program writes it."""
    return (FIELD / "UP.CSV").read_text("utf-8")


# The field's files, as a whole run.


def run_field(folder: Path, config: dict[str, Any]) -> tuple[list[float], dict[str, Any]]:
    """Run a config and return the values of its two models, and its results."""
    path = write_config(folder, config)
    assert call("run", path, "--out", folder / "out", "--no-cache", "--quiet") == 0
    found = results(folder / "out")
    whole = [each for each in found["estimates"] if each["segment"] is None]
    return [float(str(each["value"])) for each in whole], found


def copy_field(folder: Path, name: str) -> dict[str, Any]:
    """Copy a file of the field next to a config."""
    (folder / name).write_bytes((FIELD / name).read_bytes())
    return make_config(name)


@pytest.mark.parametrize("name", ["UP.CSV", "euro.csv", "sep.csv"])
def test_a_dialect_is_read_as_it_comes(name: str, tmp_path: Path) -> None:
    values, found = run_field(tmp_path, copy_field(tmp_path, name))
    assert values == pytest.approx(MAE)
    said = found["datasets"][0]["reading"]
    page = (tmp_path / "out" / "report.md").read_text("utf-8")
    if name == "euro.csv":
        assert said == ["euro.csv was read with decimal commas in 'y', 'a', 'b'"]
        assert "was read with decimal commas" in page
    else:
        assert said is None and "was read with" not in page


def test_validate_lists_what_was_read_otherwise(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = write_config(tmp_path, copy_field(tmp_path, "euro.csv"))
    assert call("validate", "--data", path) == 0
    assert "w: euro.csv was read with decimal commas in 'y', 'a', 'b'" in capfd.readouterr().out


MENDED = {
    "latin.csv": (MAE, "line 2 is not UTF-8 (byte 0xf6)", "encoding: cp1252"),
    "dotth.csv": ((234.133333333, 183.233333333), "thousands or decimals?", 'thousands: "."'),
}


@pytest.mark.parametrize("name", MENDED)
def test_a_dialect_in_doubt_is_refused_with_the_line_that_mends_it(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    values, fact, line = MENDED[name]
    config = copy_field(tmp_path, name)
    if name == "latin.csv":
        config["datasets"]["w"]["segments"] = ["stadt"]
    path = write_config(tmp_path, config)
    assert call("run", path, "--out", tmp_path / "out", "--no-cache", "--quiet") == 3
    assert not (tmp_path / "out").exists()
    said = capfd.readouterr().err
    assert fact in said and f"`{line}`" in said
    got, found = run_field(tmp_path, paste(config, said))
    assert got == pytest.approx(values)
    assert found["datasets"][0]["n"] == 60
    if name == "latin.csv":
        cities = {
            e["segment"]: e["value"]
            for e in found["estimates"]
            if e["model"] == "b" and e["segment"]
        }
        assert sorted(cities.values()) == pytest.approx([177.542, 184.532, 187.409])
        assert found["datasets"][0]["reading"] == ["latin.csv was read as cp1252"]


def test_a_row_of_totals_gives_no_verdict_and_the_line_that_mends_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config = copy_field(tmp_path, "total.csv")
    path = write_config(tmp_path, config)
    assert call("run", path, "--out", tmp_path / "out", "--no-cache") == 3
    said = capfd.readouterr().out
    assert "line 62 holds totals: its id is 'Total'" in said
    assert "No verdict: a row holds totals" in (tmp_path / "out" / "report.md").read_text("utf-8")
    got, found = run_field(tmp_path, paste(config, said))
    assert got == pytest.approx(MAE) and found["datasets"][0]["n"] == 60


def test_the_other_answer_to_a_doubt_reads_the_points_as_decimals(tmp_path: Path) -> None:
    config = copy_field(tmp_path, "dotth.csv")
    mended = paste(config, refuse(tmp_path, config), choice=2)
    assert read_errors(tmp_path, mended) == pytest.approx([114.168, 100.882], abs=5e-4)


@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [plain, lambda: json.dumps(list_records())])
def test_utf_16_without_a_mark_is_refused_with_its_encoding(
    name: str, text: Callable[[], str], tmp_path: Path
) -> None:
    content = text()
    file = "t.json" if content.startswith("[") else "t.csv"
    put(tmp_path, content.encode(name), file)
    said = refuse(tmp_path, make_config(file))
    assert "\n" not in said and f"`encoding: {name}` under datasets.w" in said
    assert read_errors(tmp_path, paste(make_config(file), said)) == pytest.approx(MAE)


# Kinds and names.


def zip_text(text: str, *more: str) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name in ("t.csv", *more):
            archive.writestr(name, text)
    return held.getvalue()


def write_arrow(write: Callable[..., None]) -> bytes:
    rows = [line.split(",") for line in plain().splitlines()]
    columns = {
        name: [row[at] if at == 0 else float(row[at]) for row in rows[1:]]
        for at, name in enumerate(rows[0])
    }
    held = io.BytesIO()
    write(pa.table(columns), held)
    return held.getvalue()


def list_records() -> list[dict[str, Any]]:
    rows = [line.split(",") for line in plain().splitlines()]
    return [
        {name: row[at] if at == 0 else float(row[at]) for at, name in enumerate(rows[0])}
        for row in rows[1:]
    ]


KINDS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "txt": ("t.txt", lambda: plain().encode()),
    "no suffix": ("t", lambda: plain().encode()),
    "a line that names tabs": (
        "t.csv",
        lambda: ("sep=\t\n" + plain().replace(",", "\t")).encode(),
    ),
    "tabs in capitals": ("T.TSV", lambda: plain().replace(",", "\t").encode()),
    "gzip without its suffix": ("t.csv", lambda: gzip.compress(plain().encode())),
    "bzip2": ("t.csv.bz2", lambda: bz2.compress(plain().encode())),
    "xz": ("t.csv.xz", lambda: lzma.compress(plain().encode())),
    "zip of one file": ("t.zip", lambda: zip_text(plain())),
    "parquet called csv": ("t.csv", lambda: write_arrow(parquet.write_table)),
    "feather called csv": ("t.csv", lambda: write_arrow(feather.write_feather)),
    "JSON of records": ("t.json", lambda: json.dumps(list_records(), indent=1).encode()),
    "JSON lines called json": (
        "t.json",
        lambda: "\n".join(map(json.dumps, list_records())).encode(),
    ),
    "utf-16": ("t.csv", lambda: plain().encode("utf-16")),
    "utf-16 the other way": ("t.csv", lambda: b"\xfe\xff" + plain().encode("utf-16-be")),
    "a mark of utf-8": ("t.csv", lambda: plain().encode("utf-8-sig")),
    "comments before the header": ("t.csv", lambda: ("# of 2026\n# two\n" + plain()).encode()),
    "blanks before names": ("t.csv", lambda: plain().replace(",", ", ").encode()),
    "dollars and commas": (
        "t.csv",
        lambda: re.sub(
            r"(?<=;)(\d+)(?=\.)", lambda m: f"${int(m[1]):,}", plain().replace(",", ";")
        ).encode(),
    ),
    "euros behind, blanks between thousands": (
        "t.csv",
        lambda: re.sub(
            r"(?<=;)(\d+)\.(\d+)",
            lambda m: f"{int(m[1]):,}".replace(",", "\u202f") + f",{m[2]} €",
            plain().replace(",", ";"),
        ).encode(),
    ),
    "a German export": (
        "t.csv",
        lambda: re.sub(
            r"(?<=;)(\d+)\.(\d+)",
            lambda m: f"{int(m[1]):,}".replace(",", ".") + f",{m[2]}",
            plain().replace(",", ";"),
        ).encode(),
    ),
}


@pytest.mark.parametrize("name", KINDS)
def test_a_file_is_known_by_its_content(name: str, tmp_path: Path) -> None:
    file, write = KINDS[name]
    assert read_errors(tmp_path, put(tmp_path, write(), file)) == pytest.approx(MAE)


def test_a_key_says_what_a_file_is(tmp_path: Path) -> None:
    config = put(tmp_path, plain(), "t.dat")
    config["datasets"]["w"]["format"] = "csv"
    assert read_errors(tmp_path, config) == pytest.approx(MAE)


def test_lines_before_the_header_are_skipped_if_the_config_says_so(tmp_path: Path) -> None:
    config = put(tmp_path, f"made by us, today\n\n{plain()}")
    config["datasets"]["w"]["skip_rows"] = 2
    assert read_errors(tmp_path, config) == pytest.approx(MAE)
    assert read(tmp_path, config).info.reading == (
        "t.csv was read without 2 lines before the header",
    )
    bad = put(tmp_path, f"made by us, today\n\n{plain()}".replace("2,98.1", "2,high"))
    bad["datasets"]["w"]["skip_rows"] = 2
    assert "'high' at line 5 (1 such value of 60)" in refuse(tmp_path, bad)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (zip_text("x", "xl/workbook.xml"), "cannot be read as a workbook"),
        (zip_text("x", "u.csv"), "is a zip file of 2 files"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99), "cannot be read as a workbook"),
    ],
)
@pytest.mark.parametrize("name", ["t.csv", "t.zip"])
def test_what_is_no_table_is_refused(content: bytes, said: str, name: str, tmp_path: Path) -> None:
    assert said in refuse(tmp_path, put(tmp_path, content, name))


# Headers.


def test_a_file_without_a_header_is_refused_with_the_names_to_write(tmp_path: Path) -> None:
    config = put(tmp_path, plain().partition("\n")[2])
    said = refuse(tmp_path, config)
    assert "line 1 looks like data" in said and "`columns: [id, y, a, b]` under datasets.w" in said
    mended = paste(config, said)
    assert read_errors(tmp_path, mended) == pytest.approx(MAE)
    mended["datasets"]["w"]["columns"] = ["id", "y", "a"]
    assert "line 1 has 4 fields where `columns:` names 3" in refuse(tmp_path, mended)


def test_columns_may_be_called_by_numbers(tmp_path: Path) -> None:
    config = put(tmp_path, plain().replace("id,y,a,b", "id,y,2019,2020"))
    config["models"] = {"a": {"column": "2019", "role": "baseline"}, "b": {"column": "2020"}}
    assert read_errors(tmp_path, config) == pytest.approx(MAE)


def test_scores_without_a_header_are_refused_with_the_names_to_write(tmp_path: Path) -> None:
    config = put(tmp_path, plain())
    rows = [line.split(",") for line in plain().splitlines()[1:]]
    (tmp_path / "b.csv").write_text("".join(f"{row[0]};{row[3]}\n" for row in rows))
    scores = {"w": {"path": "b.csv", "id": "id", "column": "p"}}
    config["models"]["b"] = {"scores": scores}
    labels = {"path": config["datasets"]["w"].pop("path")}
    config["datasets"]["w"]["labels"] = labels
    config["models"]["a"] = {
        "role": "baseline",
        "scores": {"w": {"path": "t.csv", "id": "id", "column": "a"}},
    }
    said = refuse(tmp_path, config)
    assert "`header: [id, p]` under models.b.scores.w" in said
    assert read_errors(tmp_path, paste(config, said)) == pytest.approx(MAE)


@pytest.mark.parametrize("fault", ["thousands", "encoding"])
def test_scores_are_mended_where_they_are_named(fault: str, tmp_path: Path) -> None:
    config = put(tmp_path, "id,y,a\n1,1299,0\n2,816,0\nThree,3,0\n")
    numbers = ("1.299", "816", "3") if fault == "thousands" else ("1299", "816", "3")
    rows = "".join(f"{k};{n}\n" for k, n in zip(("1", "2", "Three"), numbers, strict=True))
    name = "größe" if fault == "encoding" else "b"
    (tmp_path / "b.csv").write_bytes(f"id;{name}\n{rows}".encode("latin-1"))
    config["models"]["b"] = {"scores": {"w": {"path": "b.csv", "id": "id", "column": name}}}
    said = refuse(tmp_path, config)
    assert "under models.b.scores.w" in said
    assert read_errors(tmp_path, paste(config, said)) == [706, 0]


# Numbers.


def put_column(folder: Path, *values: str, **keys: object) -> dict[str, Any]:
    """Write a file with a column y of some texts, whose scores are as right as 0 and 1."""
    rows = "".join(f'{k};"{value}";0;1\n' for k, value in enumerate(values, 1))
    config = put(folder, f"id;y;a;b\n{rows}")
    config["datasets"]["w"] |= keys
    return config


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        (["1.5", "2"], [1.5, 2]),
        (["0.125", "0.250", "3", "4"], [0.125, 0.25, 3, 4]),  # no thousands begin with 0
        (["1234.567", "2", "3"], [1234.567, 2, 3]),
        (["1.125", "2.0", "3.0"], [1.125, 2, 3]),
        (["1,5", "2", "NA", ""], [1.5, 2]),
        (["1.299.500", "816"], [1299500, 816]),
        (["1,299", "816.5"], [1299, 816.5]),
        (["1.299,50", "2"], [1299.5, 2]),
        (["1,299,500.25", "2"], [1299500.25, 2]),
        (["1 299", "12 299 500"], [1299, 12299500]),
        (["1'299.5", "7"], [1299.5, 7]),
        (["$1,299.50", "-$816.00"], [1299.5, -816]),
        (["12,5 €", "816,5 €"], [12.5, 816.5]),
        (["1e3", "2.5e-3"], [1000, 0.0025]),
    ],
)
def test_numbers_are_read_as_they_are_written(
    values: list[str], numbers: list[float], tmp_path: Path
) -> None:
    config = put_column(tmp_path, *values, missing="drop")
    assert read(tmp_path, config).sample.y.tolist() == numbers


@pytest.mark.parametrize(
    ("values", "thousands", "decimals"),
    [
        (["1.299", "816", "3"], [1299, 816, 3], [1.299, 816, 3]),
        (["1,299", "2,816"], [1299, 2816], [1.299, 2.816]),
        (["1,299", "816"], [1299, 816], [1.299, 816]),
    ],
)
def test_a_doubt_is_settled_by_the_line_that_is_proposed(
    values: list[str], thousands: list[float], decimals: list[float], tmp_path: Path
) -> None:
    config = put_column(tmp_path, *values)
    said = refuse(tmp_path, config)
    assert read(tmp_path, paste(config, said)).sample.y.tolist() == thousands
    assert read(tmp_path, paste(config, said, choice=2)).sample.y.tolist() == decimals


@pytest.mark.parametrize(
    "values", [["1.299,5", "12.99"], ["1.5.2", "3"], ["$5", "€6"], ["5%", "6%"]]
)
def test_what_is_no_number_in_any_style_is_refused(values: list[str], tmp_path: Path) -> None:
    assert "has text instead of numbers" in refuse(tmp_path, put_column(tmp_path, *values))


def test_files_of_one_glob_are_written_alike(tmp_path: Path) -> None:
    put(tmp_path, 'id;y;a;b\n1;"1.299,5";0;1\n2;"3,5";0;1\n', "t1.csv")
    put(tmp_path, "id;y;a;b\n3;5;0;1\n4;7;0;1\n", "t2.csv")
    config = make_config("t*.csv")
    assert read(tmp_path, config).sample.y.tolist() == [1299.5, 3.5, 5, 7]
    put(tmp_path, "id;y;a;b\n3;5.25;0;1\n4;7;0;1\n", "t2.csv")
    assert "has decimal points, but t1.csv has decimal commas" in refuse(tmp_path, config)


def test_plain_columns_are_left_alone_and_german_ones_found(tmp_path: Path) -> None:
    draw = np.random.default_rng(1)
    for scale in (1.0, 30.0, 900.0, 40_000.0):
        for decimals in (0, 1, 2, 4):  # three between semicolons are in doubt
            amounts = np.round(draw.gamma(1.5, scale, 60), decimals)
            forms = [[f"{x:.{decimals}f}" for x in amounts]]
            if decimals:
                forms.append([f"{x:,.{decimals}f}".translate({44: 46, 46: 44}) for x in amounts])
            for texts in forms:
                found = read(tmp_path, put_column(tmp_path, *texts)).sample.y
                assert sorted(found) == sorted(amounts)


def test_a_key_holds_for_columns_that_say_otherwise(tmp_path: Path) -> None:
    said = refuse(tmp_path, put_column(tmp_path, "12.5", "3", decimal=","))
    assert "column 'y' has text instead of numbers: '12.5'" in said


def test_a_filter_compares_the_numbers_as_they_are_written(tmp_path: Path) -> None:
    config = put_column(tmp_path, "1,5", "2,5", "30,25", filter="y > 2")
    assert read(tmp_path, config).sample.y.tolist() == [2.5, 30.25]


def test_text_in_parquet_is_in_doubt_too_and_never_guessed(tmp_path: Path) -> None:
    config = make_config("t.parquet")
    for first, number in (("1.299", 1299), ("1,5", 1.5)):
        columns = {"y": [first, "816", "3"], "a": [0.0] * 3, "b": [1.0] * 3}
        table = pa.table({"id": ["1", "2", "3"], **columns})
        parquet.write_table(table, tmp_path / "t.parquet")
        mended = paste(config, refuse(tmp_path, config))
        assert read(tmp_path, mended).sample.y.tolist() == [number, 816, 3]


LARGE = 2**53 + 1


@pytest.mark.parametrize("kind", ["csv", "parquet", "decimal", "jsonl"])
def test_integers_that_lose_digits_are_refused(kind: str, tmp_path: Path) -> None:
    values = [LARGE, 5, 2**60]
    name = "t.csv"
    if kind == "csv":
        put(tmp_path, "id,y,a,b\n" + "".join(f"{k},{v},0,1\n" for k, v in enumerate(values)))
    elif kind == "jsonl":
        name = "t.jsonl"
        rows = [{"id": k, "y": v, "a": 0, "b": 1} for k, v in enumerate(values)]
        put(tmp_path, "\n".join(map(json.dumps, rows)), name)
    else:
        name = "t.parquet"
        types = pa.int64() if kind == "parquet" else pa.decimal128(30, 0)
        y = pa.array(values, pa.int64()).cast(types)
        table = pa.table({"id": ["0", "1", "2"], "y": y, "a": [0.0] * 3, "b": [1.0] * 3})
        parquet.write_table(table, tmp_path / name)
    said = refuse(tmp_path, make_config(name))
    assert f"1 integer of 3 beyond 2^53 whose last digits would be lost ({LARGE} at" in said


def test_times_of_many_digits_keep_their_order(tmp_path: Path) -> None:
    times = [LARGE, LARGE - 1, LARGE + 1]
    config = put(
        tmp_path, "id,y,a,b,t\n" + "".join(f"{k},{k},0,1,{t}\n" for k, t in enumerate(times))
    )
    config["datasets"]["w"]["time"] = "t"
    assert read(tmp_path, config).sample.sampling.time.code.tolist() == [1, 0, 2]


# Totals.


def test_a_mean_at_the_end_is_found_and_joins_a_filter(tmp_path: Path) -> None:
    mean = np.mean([float(line.split(",")[1]) for line in plain().splitlines()[1:]])
    rows = plain() + f"Mean,{mean:.2f},1,1\n"
    config = put(tmp_path, rows)
    config["datasets"]["w"]["filter"] = "y > 0"
    said = find_total(tmp_path, config)
    assert "its y is the mean of the values above" in said
    assert "(y > 0) and id != 'Mean'" in said
    assert read_errors(tmp_path, paste(config, said)) == pytest.approx(MAE)


def test_a_last_row_that_is_no_total_stays(tmp_path: Path) -> None:
    config = put(tmp_path, plain() + "X1,12.5,3.5,4.5\n")
    assert read(tmp_path, config).sample.n == 61


def put_sums(folder: Path, ids: list[str] | None, at: int, signs: int = 0) -> dict[str, Any]:
    """Write the plain table and a row of the sums of its columns; return its config."""
    rows = [list(map(float, line.split(",")[1:])) for line in plain().splitlines()[1:]]
    sums = [round(sum(column), 2) + signs for column in zip(*rows, strict=True)]
    rows.insert(at, sums)
    lines = [",".join(map(str, row)) for row in rows]
    if ids is not None:
        lines = [f"{name},{line}" for name, line in zip(ids, lines, strict=True)]
    head = "y,a,b" if ids is None else "id,y,a,b"
    config = put(folder, "\n".join([head, *lines]) + "\n")
    if ids is None:
        del config["datasets"]["w"]["id"]
    return config


NAMES_OF_SUMS = {
    "an integer": ([str(k) for k in range(1, 62)], 60),
    "a code": ([f"{k:04d}" for k in range(1, 62)], 60),
    "text among texts": ([f"c{k}" for k in range(61)], 60),
    "the first": ([str(k) for k in range(61)], 0),
    "empty among integers": ([*map(str, range(60)), ""], 60),
    "empty among texts": ([*(f"c{k}" for k in range(60)), ""], 60),
    "none": (None, 60),
}


@pytest.mark.parametrize("kind", NAMES_OF_SUMS)
def test_sums_of_all_other_rows_are_found_whatever_their_id(tmp_path: Path, kind: str) -> None:
    ids, at = NAMES_OF_SUMS[kind]
    config = put_sums(tmp_path, ids, at)
    said = (refuse if "empty" in kind else find_total)(tmp_path, config)
    assert f"line {at + 2} holds totals: its y and its scores are the sums" in said
    assert read_errors(tmp_path, paste(config, said)) == pytest.approx(MAE)


def test_a_row_that_is_near_the_sums_stays(tmp_path: Path) -> None:
    config = put_sums(tmp_path, [str(k) for k in range(61)], 60, signs=1)
    assert read(tmp_path, config).sample.n == 61


def test_few_rows_that_are_not_0_are_no_total(tmp_path: Path) -> None:
    rows = ["id,y,a,b", *(f"{k},{k % 2},{k % 2},{k % 2}" for k in range(8)), "8,4,4,4"]
    assert read(tmp_path, put(tmp_path, "\n".join(rows) + "\n")).sample.n == 9


# Numbers in JSON.


def put_json(folder: Path, name: str, convert: Callable[[str], object]) -> dict[str, Any]:
    """Write the plain table as JSON, with converted numbers; return its config."""
    head, *lines = [line.split(",") for line in plain().splitlines()]
    rows = [
        {key: text if key == "id" else convert(text) for key, text in zip(head, line, strict=True)}
        for line in lines
    ]
    text = json.dumps(rows) if name.endswith(".json") else "\n".join(map(json.dumps, rows))
    put(folder, text, name)
    return make_config(name)


def write_german(text: str) -> str:
    return f"{float(text):,.2f}".translate(str.maketrans(",.", ".,"))


@pytest.mark.parametrize("name", ["t.json", "t.jsonl"])
def test_marks_of_numbers_hold_for_texts_in_json(tmp_path: Path, name: str) -> None:
    config = put_json(tmp_path, name, write_german)
    said = refuse(tmp_path, config)
    assert "has a decimal comma instead of a decimal point" in said
    assert read_errors(tmp_path, paste(config, said)) == pytest.approx(MAE)
    config["datasets"]["w"]["decimal"] = ","
    mixed = put_json(tmp_path, name, lambda t: float(t) if float(t) < 300 else write_german(t))
    mixed["datasets"]["w"]["decimal"] = ","
    assert read_errors(tmp_path, mixed) == pytest.approx(MAE)
    numbers = put_json(tmp_path, name, float)
    for key, mark in (("decimal", ","), ("thousands", "."), ("thousands", " ")):
        numbers["datasets"]["w"] = {**numbers["datasets"]["w"], key: mark}
        assert read_errors(tmp_path, numbers) == pytest.approx(MAE)
        del numbers["datasets"]["w"][key]


def test_thousands_in_json_are_not_read_as_decimals(tmp_path: Path) -> None:
    rows = [{"id": k, "y": f"1.{100 + k}", "a": f"1.{200 + k}", "b": "2.000"} for k in range(20)]
    put(tmp_path, json.dumps(rows), "t.json")
    config = make_config("t.json")
    config["datasets"]["w"]["thousands"] = "."
    assert read(tmp_path, config).sample.y[:2].tolist() == [1100.0, 1101.0]


def test_totals_are_refused_in_scores_of_their_own(tmp_path: Path) -> None:
    config = put(tmp_path, plain())
    (tmp_path / "total.csv").write_bytes((FIELD / "total.csv").read_bytes())
    config["models"]["b"] = {"scores": {"w": {"path": "total.csv", "id": "id", "column": "b"}}}
    assert "total.csv: line 62 holds totals" in refuse(tmp_path, config)


def test_totals_are_refused_where_rows_are_streamed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rows = [line.split(",") for line in (FIELD / "total.csv").read_text("utf-8").splitlines()]
    columns = {
        name: [row[at] if at == 0 else float(row[at]) for row in rows[1:]]
        for at, name in enumerate(rows[0])
    }
    parquet.write_table(pa.table(columns), tmp_path / "t.bin", row_group_size=20)
    config = make_config("t.bin")
    config["compute"] = {"engine": "stream"}
    config["bootstrap"]["weights"] = "poisson"
    config["outputs"] = ["json"]
    path = write_config(tmp_path, config)
    assert call("run", path, "--out", tmp_path / "out", "--no-cache") == 3
    said = capfd.readouterr().out
    assert "t.bin: row 61 holds totals" in said and (tmp_path / "out" / "results.json").exists()
    values, _ = run_field(tmp_path, paste(config, said))
    assert values == pytest.approx(MAE)


# Judgements and runs.

GRADES = {("q1", "d1"): 1, ("q1", "d2"): 0, ("q2", "d1"): 0, ("q2", "d3"): 2}
RANKS = {("q1", "d1"): 1, ("q1", "d2"): 2, ("q2", "d3"): 1, ("q2", "d1"): 2}


def write_lines(form: str, values: dict[tuple[str, str], int], *, header: str = "") -> str:
    lines = [form.format(q=q, d=d, n=n, s=10 - n) for (q, d), n in values.items()]
    return header + "".join(f"{line}\n" for line in lines)


QRELS = {
    "TREC": write_lines("{q} 0 {d} {n}", GRADES),
    "TREC between tabs": write_lines("{q}\t0\t{d}\t{n}", GRADES),
    "TREC with comments": "# a\n" + write_lines("{q} 0 {d} {n}\n# here", GRADES),
    "BEIR": write_lines("{q}\t{d}\t{n}", GRADES, header="query-id\tcorpus-id\tscore\n"),
    "three fields": write_lines("{q} {d} {n}", GRADES),
    "a header of blanks": write_lines("{q} {d} {n}", GRADES, header="query document grade\n"),
}
RUNS = {
    "TREC": write_lines("{q} Q0 {d} {n} {s} me", RANKS),
    "TREC with words as tag": write_lines("{q} Q0 {d} {n} {s} my own run", RANKS),
    "TREC without a tag": write_lines("{q} Q0 {d} {n} {s}", RANKS),
    "TREC with comments": "# a\n" + write_lines("{q} Q0 {d} {n} {s} me\n# here", RANKS),
    "MS MARCO": write_lines("{q}\t{d}\t{n}", RANKS),
    "MS MARCO with a header": write_lines("{q}\t{d}\t{n}", RANKS, header="query\tdocument\trank\n"),
    "scores": write_lines("{q} {d} {s}.5", RANKS),
    "BEIR": write_lines("{q}\t{d}\t{s}", RANKS, header="query-id\tcorpus-id\tscore\n"),
}


def put_run(folder: Path, qrels: str, run: str, end: str) -> dict[str, Any]:
    """Write judgements and a run, and make the config that judges it."""
    (folder / f"web.{end}").write_text(qrels)
    (folder / f"one.{end}").write_text(run)
    config = copy.deepcopy(LISTS)
    config["datasets"] = {"web": {"qrels": {"path": f"web.{end}"}}}
    config["models"] = {"one": {"run": {"web": {"path": f"one.{end}"}}, "role": "baseline"}}
    return config


@pytest.mark.parametrize("end", ["txt", "tsv", "run"])
@pytest.mark.parametrize(
    ("qrels", "run"), [*((q, "TREC") for q in QRELS), *(("TREC", r) for r in RUNS)]
)
def test_a_run_is_recognised_by_its_fields(qrels: str, run: str, end: str, tmp_path: Path) -> None:
    if end == "tsv" and " " in (QRELS[qrels] + RUNS[run]) and "header of blanks" in qrels:
        pytest.skip("a table between tabs has none")
    found = read(tmp_path, put_run(tmp_path, QRELS[qrels], RUNS[run], end))
    lists = found.sample.models["one"].lists
    assert lists.start.tolist() == [0, 2, 4]
    assert lists.grade.tolist() == [1, 0, 2, 0]
    assert (np.diff(lists.score)[[0, 2]] < 0).all()
    if "comments" in qrels + run:
        assert "that begin with #" in "".join(found.info.reading)


def test_a_third_field_in_doubt_is_settled_by_the_line_that_is_proposed(tmp_path: Path) -> None:
    run = write_lines("{q} {d} {n}", {key: 3 * n for key, n in RANKS.items()})
    config = put_run(tmp_path, QRELS["TREC"], run, "txt")
    said = refuse(tmp_path, config)
    assert "the third field may be a rank or a score" in said
    for choice, grades in ((1, [1, 0, 2, 0]), (2, [0, 1, 0, 2])):
        found = read(tmp_path, paste(config, said, choice))
        assert found.sample.models["one"].lists.grade.tolist() == grades


def test_a_run_between_commas_without_a_header_is_mended_too(tmp_path: Path) -> None:
    run = write_lines("{q},{d},{n}", RANKS).replace("q", "").replace("d", "")
    qrels = QRELS["TREC"].replace("q", "").replace("d", "")
    config = put_run(tmp_path, qrels, run, "csv")
    said = refuse(tmp_path, config)
    assert "one.csv: line 1 looks like data" in said
    for choice, grades in ((1, [1, 0, 2, 0]), (2, [0, 1, 0, 2])):
        found = read(tmp_path, paste(config, said, choice))
        assert found.sample.models["one"].lists.grade.tolist() == grades


def test_a_run_of_scores_between_commas_is_read_by_the_line_that_is_proposed(
    tmp_path: Path,
) -> None:
    run = write_lines("{q},{d},{s}.5", RANKS)
    config = put_run(tmp_path, QRELS["TREC"], run, "csv")
    said = refuse(tmp_path, config)
    assert "`columns: [query, document, score]` under models.one.run.web" in said
    found = read(tmp_path, paste(config, said))
    assert found.sample.models["one"].lists.grade.tolist() == [1, 0, 2, 0]


def test_equal_lines_are_one_if_the_config_says_so(tmp_path: Path) -> None:
    config = put_run(tmp_path, QRELS["TREC"], RUNS["TREC"] + RUNS["TREC"].splitlines()[0], "run")
    said = refuse(tmp_path, config)
    mended = paste(config, said)
    assert mended["datasets"]["web"]["duplicates"] == "first"
    found = read(tmp_path, mended)
    assert found.sample.models["one"].lists.grade.tolist() == [1, 0, 2, 0]
    (tmp_path / "one.run").write_text(RUNS["TREC"] + "q1 Q0 d1 3 1 me\n")
    assert "duplicates" not in refuse(tmp_path, config)
    assert "occurs twice" in refuse(tmp_path, mended)


@pytest.mark.parametrize("order", [("y", "a", "b"), ("b", "a", "y")])
def test_points_beside_decimal_commas_are_in_doubt(
    tmp_path: Path, order: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        (k, f"{20 + k}.{100 + k},5", f"{21 + k}.{200 + k}", f"{20 + k}.{190 + k},25")
        for k in range(40)
    ]
    names = dict(zip(("y", "a", "b"), order, strict=True))
    lines = [f"id;{names['y']};{names['a']};{names['b']}"]
    lines += [";".join(map(str, row)) for row in rows]
    (tmp_path / "mix.csv").write_text("\n".join(lines) + "\n")
    path = write_config(tmp_path, make_config("mix.csv"))
    assert call("run", path, "--out", tmp_path / "out") == 3
    said = capsys.readouterr().err
    assert "decimal commas" in said and "points before three digits" in said
    assert 'write `decimal: ","` under datasets.w' in said
    assert not (tmp_path / "out").exists()
    path = write_config(tmp_path, make_config("mix.csv", decimal=","))
    assert call("run", path, "--out", tmp_path / "out") == 3, "a and b have the order of y"
    if order[0] == "y":
        found = {row["model"]: row["value"] for row in results(tmp_path / "out")["estimates"]}
        assert found["a"] == pytest.approx(1_099.5)


def test_a_run_of_six_fields_between_commas_is_read_by_the_line_that_is_proposed(
    tmp_path: Path,
) -> None:
    run = write_lines("{q},Q0,{d},{n},{s}.5,tag", RANKS)
    config = put_run(tmp_path, QRELS["TREC"], run, "csv")
    said = refuse(tmp_path, config)
    assert "`columns: [query, Q0, document, rank, score, tag]` under models.one.run.web" in said
    found = read(tmp_path, paste(config, said))
    assert found.sample.models["one"].lists.grade.tolist() == [1, 0, 2, 0]


@pytest.mark.parametrize("choice", [1, 2])
def test_points_before_three_digits_between_semicolons_are_in_doubt(
    choice: int, tmp_path: Path
) -> None:
    """Semicolons separate fields where commas are decimal, so that points may be of thousands."""
    rows = [(k, f"{k}.850", f"{k}.525", f"{k}.906") for k in range(1, 9)]
    text = "id;y;a;b\n" + "".join(";".join(map(str, row)) + "\n" for row in rows)
    config = put(tmp_path, text)
    said = refuse(tmp_path, config)
    assert 'which may be 1850 or 1.850: thousands or decimals? write `thousands: "."`' in said
    size = {1: 1000.0, 2: 1.0}[choice]
    found = read(tmp_path, paste(config, said.splitlines()[0], choice)).sample
    assert found.y[0] == pytest.approx(1.85 * size)

"""Under `privacy: standard` and `strict` messages name files and lines, and no values of rows.

All ids and values have nine digits, so that a number of five digits or more in a message can only
be part of one of them.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import yaml
from pyarrow import parquet

from tests.end_to_end.test_broken import DATA
from tests.end_to_end.wallet import customers, heard, put

LEVELS = ("standard", "strict")
N = 60
LONG_NUMBER = re.compile(r"\d(?:[\d.,_]*\d){4,}")
Row = dict[str, str]
Change = Callable[[list[Row]], object]


def draw_id(rng: np.random.Generator) -> str:
    return str(rng.integers(100_000_000, 1_000_000_000))


def draw_rows() -> list[Row]:
    """Draw rows whose ids and values have nine digits; row k stands in line k + 2."""
    rng = np.random.default_rng(20)
    y = np.round(rng.uniform(100, 1000, N), 6)
    rows = []
    for k in range(N):
        p = round(float(rng.uniform(0.1, 0.9)), 9)
        rows.append(
            {
                "id": draw_id(rng),
                "y": f"{y[k]}",
                "a": f"{rng.uniform(100, 1000):.6f}",
                "b": f"{rng.uniform(100, 1000):.6f}",
                "flag": str(int(k % 3 == 0)),
                "kind": ("x", "y", "z")[k % 3],
                "p": f"{p}",
                "p_x": f"{p}",
                "p_y": f"{1 - p:.9f}",
                "p_z": "0",
                "w": f"{rng.uniform(1, 9):.8f}",
                "half": ("one", "two")[k % 2],
                "shop": f"S{100_000_000 + k // 4}",
                "town": f"T{100_000_000 + k // 12}",
                "day": f"2024-01-{1 + k % 28:02d}",
                "query": f"Q{100_000_000 + k // 6}",
                "grade": str(k % 3),
                "doc": f"D{draw_id(rng)}",
            }
        )
    return rows


BASE: dict[str, Any] = {
    "version": 1,
    "report": {"title": "Hidden"},
    "datasets": {"test": {"path": "t.csv", "id": "id", "target": "y"}},
    "task": "regression",
    "models": {"a": {"column": "a", "role": "baseline"}, "b": {"column": "b"}},
    "metrics": ["mae"],
    "bootstrap": {"replicates": 19},
    "curves": [],
    "outputs": ["json"],
}
BINARY = {
    "task": "binary",
    "metrics": ["roc_auc"],
    "models": {"a": {"column": "p", "role": "baseline"}, "b": {"column": "p_y"}},
    "target": "flag",
}
CLASSES = {
    "task": "multiclass",
    "metrics": ["accuracy"],
    "models": {"a": {"columns": "p_{class}", "role": "baseline"}},
    "target": "kind",
}
SAID = {
    **CLASSES,
    "models": {"a": {"column": "said", "role": "baseline"}},
    "classes": ["x", "y", "z"],
}
RANKS = {
    "task": "ranking",
    "metrics": ["ap"],
    "target": "grade",
    "query": "query",
    "id": "doc",
}
TREC = {
    "task": "ranking",
    "metrics": ["ap"],
    "datasets": {"web": {"qrels": "web.qrels"}},
    "models": {"one": {"run": "one.run", "role": "baseline"}, "two": {"run": "two.run"}},
}
DENSITY = {"a": {"columns": {"mean": "a", "sd": "w"}, "role": "baseline"}, "b": {"column": "b"}}
CROSSED = {"a": {"columns": {"q10": "a", "q90": "b"}, "role": "baseline"}, "b": {"column": "b"}}
APART = {"a": {"scores": {"test": {"path": "s.csv", "id": "id", "column": "a"}}}}


@dataclass(frozen=True)
class Case:
    """Changes of rows and of the config, and where the message says that the fault is."""

    change: Change
    place: str
    config: dict[str, Any] = field(default_factory=dict)
    file: str = "t.csv"
    code: int = 3


def put_values(column: str, value: str, *lines: int) -> Change:
    def change(rows: list[Row]) -> None:
        for line in lines:
            rows[line - 2][column] = value

    return change


def copy_value(column: str, source: int, to: int) -> Change:
    def change(rows: list[Row]) -> None:
        rows[to - 2][column] = rows[source - 2][column]

    return change


def edit(column: str, line: int, make: Callable[[str], str]) -> Change:
    def change(rows: list[Row]) -> None:
        rows[line - 2][column] = make(rows[line - 2][column])

    return change


def add_column(column: str, make: Callable[[int], str]) -> Change:
    def change(rows: list[Row]) -> None:
        for k, row in enumerate(rows):
            row[column] = make(k)

    return change


def append_total(rows: list[Row]) -> None:
    total = sum(float(row["y"]) for row in rows)
    rows.append({**rows[0], "id": "Total 483920184", "y": f"{total:.6f}"})


def put_labels(rows: list[Row]) -> None:
    for k, row in enumerate(rows):
        row |= {"y_u": "4.83920184" if k == 15 else "1", "y_v": str(k % 2)}


def set_classes(rows: list[Row]) -> None:
    for k, row in enumerate(rows):
        row["kind"] = row["said"] = f"K48392018{k % 3}"


def leave(rows: list[Row]) -> None:
    """Change nothing."""


CASES: dict[str, Case] = {
    "text among numbers": Case(put_values("a", "N483920184", 17), "line 17"),
    "a decimal comma": Case(put_values("a", "483,920184", 17), "line 17"),
    "thousands or decimals": Case(
        add_column("a", lambda k: "483.920" if k == 3 else str(k)), "line 5"
    ),
    "an integer whose last digits are lost": Case(
        put_values("a", "9483920184483920185", 17), "line 17"
    ),
    "an infinite value": Case(put_values("a", "inf", 17), "line 17"),
    "a huge value": Case(put_values("a", "4.83920184e60", 17), "line 17"),
    "a tiny value": Case(put_values("y", "4.83920184e-60", 17), "line 17"),
    "only tiny values": Case(add_column("y", lambda k: f"{4.83 + (k == 15)}920184e-60"), "line 17"),
    "a missing value": Case(put_values("a", "", 17), "line 17"),
    "an id twice": Case(copy_value("id", 9, 17), "lines 9, 17"),
    "a missing id": Case(put_values("id", "", 17), "line 17"),
    "a row of totals": Case(append_total, f"line {N + 2}"),
    "a negative weight": Case(put_values("w", "-4.83920184", 17), "line 17", {"weight": "w"}),
    "a weight beyond all measure": Case(
        put_values("w", "4.83920184e40", 17), "line 17", {"weight": "w"}
    ),
    "a count that is not whole": Case(put_values("w", "4.83920184", 2), "line 2", {"count": "w"}),
    "a negative cost": Case(
        put_values("w", "-4.83920184", 17),
        "line 17",
        {"costs": {"under": {"column": "w"}, "over": 1}},
    ),
    "a time that is none": Case(put_values("day", "T483920184", 17), "line 17", {"time": "day"}),
    "a value outside the bins": Case(
        leave, "line ", {"segments": [{"column": "y", "bins": [0, 101]}]}
    ),
    "a cluster in two strata": Case(
        put_values("town", "T483920184", 17), "lines 14, 17", {"cluster": "shop", "strata": "town"}
    ),
    "one fold": Case(add_column("town", lambda k: "T483920184"), "line 2", {"fold": "town"}),
    "two spellings of a segment": Case(
        put_values("shop", "s100000000", 17), "lines 2, 17", {"segments": ["shop"]}
    ),
    "a segment that no row has": Case(
        leave,
        "case.yaml:",
        {
            "segments": ["town"],
            "gates": [
                {
                    "name": "g",
                    "rule": "below",
                    "metric": "mae",
                    "model": "b",
                    "value": 9,
                    "segment": "town=T",
                }
            ],
        },
        code=2,
    ),
    "a word for a value that no row has": Case(
        leave, "case.yaml:", {"segments": [{"column": "town", "values": {"T": "a"}}]}, code=2
    ),
    "three values for two classes": Case(put_values("flag", "K483920184", 17), "line 17", BINARY),
    "two values of which none is named": Case(
        add_column("flag", lambda k: f"K48392018{k % 2}"), "lines 2, 3", BINARY, code=2
    ),
    "one value alone": Case(add_column("flag", lambda k: "K483920184"), "line 2", BINARY, code=2),
    "a positive value that no row has": Case(
        add_column("flag", lambda k: f"K48392018{k % 2}"),
        "lines 2, 3",
        {**BINARY, "positive": "K"},
        code=2,
    ),
    "a class that is not declared": Case(
        put_values("kind", "K483920184", 17), "line 17", {**CLASSES, "classes": ["x", "y", "z"]}
    ),
    "a class without a column": Case(
        put_values("kind", "K483920184", 17), "line 17", CLASSES, code=2
    ),
    "a class without a column of a map": Case(
        put_values("kind", "K483920184", 17),
        "case.yaml:",
        {
            **CLASSES,
            "models": {"a": {"columns": {"x": "p_x", "y": "p_y", "z": "p_z"}, "role": "baseline"}},
        },
        code=2,
    ),
    "two spellings of a class": Case(
        put_values("kind", " x", 17),
        "line",
        {**CLASSES, "models": {"a": {"column": "half", "role": "baseline"}}},
    ),
    "a predicted class that is none": Case(
        add_column("said", lambda k: "K483920184" if k == 15 else "x"), "line 17", SAID
    ),
    "a class that a metric names": Case(
        set_classes,
        "case.yaml:",
        {**SAID, "classes": None, "metrics": [{"name": "recall", "of": "K"}]},
        code=2,
    ),
    "a second class that is none": Case(
        add_column("said", lambda k: "K483920184" if k == 15 else "x"),
        "line 17",
        {**CLASSES, "second_target": "said", "classes": ["x", "y", "z"]},
    ),
    "a probability above 1": Case(put_values("p", "4.83920184", 17), "line 17", BINARY),
    "a sum other than 1": Case(put_values("p_x", "0.000483920184", 17), "line 17", CLASSES),
    "a label other than 0 and 1": Case(
        put_labels,
        "line 17",
        {
            "task": "multilabel",
            "target": "y_{class}",
            "classes": ["u", "v"],
            "metrics": ["brier"],
            "models": {"a": {"columns": {"u": "p", "v": "p_y"}, "role": "baseline"}},
        },
    ),
    "a label that is not declared": Case(
        add_column("tags", lambda k: "u|K483920184" if k == 15 else "u"),
        "line 17",
        {
            "task": "multilabel",
            "target": "tags",
            "separator": "|",
            "classes": ["u", "v"],
            "metrics": ["brier"],
            "models": {"a": {"columns": {"u": "p", "v": "p_y"}, "role": "baseline"}},
        },
    ),
    "a negative standard deviation": Case(
        put_values("w", "-4.83920184", 17), "line 17", {"models": DENSITY}
    ),
    "quantiles that cross": Case(leave, "line ", {"models": CROSSED}),
    "a score beyond its bounds": Case(
        leave,
        "line ",
        {
            "task": "finished",
            "target": None,
            "metrics": None,
            "score": {"bounds": [0, 101]},
        },
    ),
    "ids that other files lack": Case(leave, "lines 2, 3", {"models": APART}, file="s.csv"),
    "ids that are written otherwise": Case(
        edit("id", 17, lambda each: each + ".0"), "line 17", {"models": APART}, file="s.csv"
    ),
    "a class that no called row has": Case(
        add_column("flag", lambda k: "" if k == 15 else str(k % 2)),
        "t.csv",
        {
            **BINARY,
            "metrics": ["precision"],
            "labelled": "flagged",
            "thresholds": {"all": {"fixed": 0.01}},
        },
    ),
    "shared ids": Case(
        leave,
        "'test' and 'fit'",
        {
            "fit": True,
            **BINARY,
            "thresholds": {"best": {"maximize": "f", "on": "fit"}},
        },
    ),
    "a document twice": Case(copy_value("doc", 15, 17), "lines 15, 17", RANKS),
    "a query without a name": Case(put_values("query", "", 17), "line 17", RANKS),
    "a weight that differs within a query": Case(leave, "line 2", {**RANKS, "weight": "w"}),
    "a cluster that differs within a query": Case(
        put_values("town", "T483920184", 17), "line 17", {**RANKS, "cluster": "town"}
    ),
    "a score that is missing in a list": Case(put_values("a", "", 17), "line 17", RANKS),
    "a grade that is not mapped": Case(
        put_values("grade", "G483920184", 17),
        "line 17",
        {**RANKS, "ranking": {"grades": {"0": 0, "1": 1, "2": 2}}},
    ),
    "a grade that is too large": Case(
        put_values("grade", "483920184", 17),
        "line 17",
        {**RANKS, "metrics": ["ndcg"], "ranking": {"gain": "exp2"}},
    ),
    "a rank twice": Case(
        add_column("a", lambda k: "48392.0184" if k in (13, 15) else str(k)),
        "lines 15, 17",
        {
            **RANKS,
            "models": {"a": {"column": "a", "order": "rank", "role": "baseline"}},
        },
    ),
    "a filter that compares texts as numbers": Case(leave, "line 2", {"filter": "shop > 3"}),
    "a line with one field more": Case(leave, "line 17", {"raw": ("line", 17, ",N483920184")}),
    "a quotation mark that is open": Case(leave, "t.csv", {"raw": ("line", 17, ',"N483920184')}),
    "no header": Case(leave, "line 1", {"raw": ("header", 1, "")}),
    "a byte that is not UTF-8": Case(leave, "line 17", {"raw": ("bytes", 17, "")}),
}


def put_trec(folder: Path) -> None:
    """Write judgements and two runs whose queries and documents have nine digits."""
    rng = np.random.default_rng(21)
    names = [(f"Q{1e8 + q:.0f}", f"D{draw_id(rng)}") for q in range(6) for _ in range(5)]
    judged = [f"{q} 0 {d} {k % 2}" for k, (q, d) in enumerate(names)]
    (folder / "web.qrels").write_text("\n".join(judged) + "\n")
    for run in ("one", "two"):
        lines = [f"{q} Q0 {d} 1 {rng.uniform(100, 900):.6f} {run}" for q, d in names]
        (folder / f"{run}.run").write_text("\n".join(lines) + "\n")


def replace_line(line: int, make: Callable[[str], str]) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        lines = path.read_text().splitlines()
        lines[line - 1] = make(lines[line - 1])
        path.write_text("".join(each + "\n" for each in lines if each))

    return change


def drop_lines(*lines: int) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        kept = [x for k, x in enumerate(path.read_text().splitlines(), 1) if k not in lines]
        path.write_text("".join(each + "\n" for each in kept))

    return change


def repeat_line(line: int) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        lines = path.read_text().splitlines()
        path.write_text("".join(each + "\n" for each in [*lines, lines[line - 1]]))

    return change


LISTS: dict[str, tuple[str, Callable[[Path], None], str, dict[str, Any]]] = {
    "a document of a run twice": ("one.run", repeat_line(4), "lines 4, 31", {}),
    "a judged document twice": ("web.qrels", repeat_line(4), "lines 4, 31", {}),
    "queries that a run lacks": (
        "one.run",
        drop_lines(*range(6, 11)),
        "line 6 of web.qrels",
        {"ranking": {"missing_query": "error"}},
    ),
    "a document that nobody judged": (
        "web.qrels",
        drop_lines(4),
        "line 1 of one.run",
        {"ranking": {"unjudged": "error"}},
    ),
    "a query in small letters": (
        "one.run",
        replace_line(4, lambda line: line.lower().replace("q0", "Q0")),
        "line 4",
        {},
    ),
    "no query in common": (
        "one.run",
        lambda path: path.write_text(path.read_text().replace("Q1", "Q7")),
        "shares no query",
        {},
    ),
    "no document in common": (
        "one.run",
        lambda path: path.write_text(path.read_text().replace(" D", " E")),
        "none of its 30 documents",
        {},
    ),
    "a score that is none": (
        "one.run",
        replace_line(4, lambda line: line.replace(" 1 ", " 1 N")),
        "line 4",
        {},
    ),
    "a grade that is none": (
        "web.qrels",
        replace_line(4, lambda line: line[:-1] + "G483920184"),
        "line 4",
        {},
    ),
    "a line of too few fields": (
        "one.run",
        replace_line(4, lambda line: line.split(" Q0 ")[0]),
        "line 4",
        {},
    ),
}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", LISTS)
def test_a_message_about_lists_names_no_query_and_no_document(
    name: str, level: str, tmp_path: Path
) -> None:
    file, change, place, more = LISTS[name]
    put_trec(tmp_path)
    change(tmp_path / file)
    config = {**BASE, **TREC, **more, "privacy": level}
    (tmp_path / "case.yaml").write_text(yaml.safe_dump(config))
    code, out, error = heard("run", "case.yaml", "--out", "out", "--no-cache", cwd=tmp_path)
    assert code == 3, out + error
    assert find_values(out + error) == []
    assert place in error


def write_json(path: Path, rows: list[Row]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def write_parquet(path: Path, rows: list[Row]) -> None:
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    numbers = {"y", "w"}
    arrays = {
        name: pa.array([float(x) if name in numbers else x for x in values])
        for name, values in columns.items()
    }
    parquet.write_table(pa.table(arrays), path, row_group_size=20)


FILES: dict[str, tuple[str, Callable[[Path, list[Row]], None], Change, str, dict[str, Any]]] = {
    "text in JSON": ("t.jsonl", write_json, put_values("a", "N483920184", 17), "line 16", {}),
    "a list in JSON": (
        "t.jsonl",
        write_json,
        lambda rows: rows[15].update(a=[483920184]),  # type: ignore[call-overload]
        "line 1",
        {},
    ),
    "a key twice in JSON": (
        "t.jsonl",
        lambda path, rows: path.write_text('{"id": 483920184, "id": 483920185}\n'),
        leave,
        "line 1",
        {},
    ),
    "text in Parquet": (
        "t.parquet",
        write_parquet,
        put_values("a", "N483920184", 17),
        "row 16",
        {},
    ),
    "a decimal comma in Parquet": (
        "t.parquet",
        write_parquet,
        put_values("a", "483,920184", 17),
        "row 16",
        {},
    ),
    "a file that is no Parquet": (
        "t.parquet",
        lambda path, rows: path.write_bytes(b"PAR1483920184PAR1"),
        leave,
        "t.parquet",
        {},
    ),
    "streamed rows with a negative weight": (
        "t.parquet",
        write_parquet,
        put_values("w", "-4.83920184", 37),
        "row 36",
        {"weight": "w", "streamed": True},
    ),
    "streamed rows with an id twice": (
        "t.parquet",
        write_parquet,
        copy_value("id", 9, 17),
        "",
        {"streamed": True},
    ),
    "a streamed query that comes back": (
        "t.parquet",
        write_parquet,
        put_values("query", "Q100000000", 37),
        "row 36",
        {**RANKS, "streamed": True},
    ),
    "streamed rows with text": (
        "t.parquet",
        write_parquet,
        put_values("a", "N483920184", 37),
        "row 36",
        {"streamed": True},
    ),
}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", FILES)
def test_messages_about_other_files_and_streamed_rows_name_no_value(
    name: str, level: str, tmp_path: Path
) -> None:
    file, write, change, place, more = FILES[name]
    rows = draw_rows()
    change(rows)
    write(tmp_path / file, rows)
    more = dict(more)
    is_streamed = more.pop("streamed", False)
    config = build_config(Case(leave, place, more), level)
    config["datasets"]["test"]["path"] = file
    if is_streamed:
        config |= {
            "compute": {"engine": "stream"},
            "bootstrap": {"replicates": 19, "weights": "poisson"},
            "sensitivity": "none",
        }
    (tmp_path / "case.yaml").write_text(yaml.safe_dump(config))
    code, out, error = heard("run", "case.yaml", "--out", "out", "--no-cache", cwd=tmp_path)
    assert code == 3, out + error
    assert find_values(out + error) == []
    assert place in error


@pytest.mark.parametrize("name", DATA)
def test_no_cell_of_the_broken_customers_is_in_a_message(name: str, tmp_path: Path) -> None:
    change, config = DATA[name]
    rows = change(customers())
    put(tmp_path, rows, privacy="strict", **config)
    code, out, error = heard("run", "wallet.yaml", "--out", "out", cwd=tmp_path)
    assert code == 3
    cells = {value for row in rows for value in row.values() if len(value) > 3}
    words = set(re.findall(r"[^\s,;:()'\"]+", out + error))
    assert not words & (cells | {"-1", "1e300", "1e40", "high", "soon"})


PLUGIN = """
from reportgen import rowwise

@rowwise(
    title="A metric that breaks", task="regression", better="lower", bounds=(0, 1e99),
    unit="", estimand="mean", needs="amount", cite="",
)
def broken(y, score):
    raise KeyError(f"no key {y[0]!r}")
"""


def test_a_fault_of_the_program_is_printed_without_its_text(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(PLUGIN)
    case = Case(leave, "", {"plugins": ["own.py"], "metrics": ["broken"]})
    write_csv(tmp_path / "t.csv", draw_rows())
    for level, is_hidden in (("open", False), ("strict", True)):
        config = build_config(case, level)
        (tmp_path / "case.yaml").write_text(yaml.safe_dump(config))
        code, out, error = heard("run", "case.yaml", "--allow-plugins", "--no-cache", cwd=tmp_path)
        assert code == 101 and "raise KeyError" in error
        assert ("KeyError: [hidden]" in error) == is_hidden
        assert (find_values(out + error) == []) == is_hidden


def build_config(case: Case, level: str) -> dict[str, Any]:
    """Build the config of a case: keys of a dataset go there, all others to the top."""
    config = {**BASE, "privacy": level}
    changes = {k: v for k, v in case.config.items() if k not in ("raw", "fit")}
    data = dict(config["datasets"]["test"])
    of_rows = (
        "target query id weight count time segments cluster strata fold positive second_target "
        "separator labelled filter"
    ).split()
    for key in of_rows:
        if key in changes:
            data[key] = changes.pop(key)
    data = {k: v for k, v in data.items() if v is not None}
    config["datasets"] = {"test": data}
    if case.config.get("fit"):
        config["datasets"]["fit"] = {**data, "role": "fit"}
    return {k: v for k, v in {**config, **changes}.items() if v is not None}


def write_csv(path: Path, rows: list[Row]) -> None:
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names, restval="0", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def spoil_text(path: Path, way: str, line: int, addition: str) -> None:
    """Spoil a written file: a longer line, no header, or a byte of another encoding."""
    lines = path.read_bytes().split(b"\n")
    if way == "header":
        del lines[0]
    elif way == "bytes":
        lines[line - 1] = b"\xe9" + lines[line - 1][1:]
    else:
        lines[line - 1] += addition.encode()
    path.write_bytes(b"\n".join(lines))


def run_case(folder: Path, case: Case, level: str) -> tuple[int, str]:
    """Write the files of a case and run it; return the exit code and all that it says."""
    rows = draw_rows()
    if case.file != "t.csv":
        kept = draw_rows()
        write_csv(folder / "t.csv", kept)
        rows = rows if case.change is not leave else [{**r, "id": f"9{r['id']}"} for r in rows]
    case.change(rows)
    write_csv(folder / case.file, rows)
    if raw := case.config.get("raw"):
        spoil_text(folder / "t.csv", *raw)
    (folder / "case.yaml").write_text(yaml.safe_dump(build_config(case, level), sort_keys=False))
    code, out, error = heard("run", "case.yaml", "--out", "out", "--no-cache", cwd=folder)
    return code, out + error


def find_values(text: str) -> list[str]:
    """Return the numbers of a message that may be part of a value or an id of nine digits."""
    return LONG_NUMBER.findall(re.sub("(?m)^manifest sha256.*$", "", text))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", CASES)
def test_a_message_names_the_line_and_no_value(name: str, level: str, tmp_path: Path) -> None:
    case = CASES[name]
    code, said = run_case(tmp_path, case, level)
    assert code == case.code, said
    assert find_values(said) == [], said
    assert case.place in said, said

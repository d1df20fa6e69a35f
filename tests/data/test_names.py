"""Names that match nothing are refused, and matched where `match: loose` says so."""

import unicodedata
from pathlib import Path
from shutil import copy

import pyarrow as pa
import pytest
import yaml
from pyarrow import parquet

from reportgen.data.names import WAYS, describe_difference, normalize_names
from reportgen.errors import ConfigError, DataError
from tests.end_to_end.wallet import heard
from tests.streaming.configs import results_of

FIELD = Path(__file__).parent / "field"
WRITTEN = {  # how a name is written twice, by what differs
    "Unicode form": ("Zürich", unicodedata.normalize("NFD", "Zürich")),
    "blanks at the ends": ("Zürich", " Zürich\t"),
    "upper and lower case": ("Zürich", "ZÜRICH"),
    "a time of midnight": ("2024-03-01", "2024-03-01 00:00:00"),
    "a trailing .0": ("17", "17.0"),
    "leading zeros": ("17", "0017"),
}
COMMON = """
version: 1
report: {title: Names}
bootstrap: {replicates: 99}
curves: []
sensitivity: none
outputs: [json]
"""
CLASSES = """
task: multiclass
datasets: {w: {path: classes.csv, id: id, target: y}}
models: {m1: {column: a, role: baseline}, m2: {column: b}}
metrics: [accuracy]
"""
SCORES = """
task: regression
datasets: {w: {labels: {path: rows.csv}, id: id, target: y}}
models:
  old: {role: baseline, scores: {w: {path: old.csv, id: id, column: s}}}
  new: {scores: {w: {path: new.csv, id: id, column: s}}}
metrics: [mae]
"""
ROWS = """
task: regression
datasets: {w: {path: rows.csv, id: id, target: y}}
models: {old: {column: old, role: baseline}, new: {column: new}}
metrics: [mae]
"""
RANKING = """
task: ranking
datasets: {w: {qrels: {path: web.qrels}}}
models: {old: {role: baseline, run: {w: {path: old.run}}}, new: {run: {w: {path: new.run}}}}
metrics: [{name: precision_at, k: 2}]
"""


def write(folder, config, match=None):
    """Write a config, whose one dataset may say how names match, and return its path."""
    keys = yaml.safe_load(COMMON + config)
    if match:
        keys["datasets"]["w"]["match"] = match
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(keys, sort_keys=False), encoding="utf-8")
    return path


def write_lines(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def find_values(path):
    return [each.value for each in results_of(path).estimates if each.segment is None]


def refuse(path):
    """The lines by which a run is refused."""
    with pytest.raises(DataError) as caught:
        results_of(path)
    return caught.value.lines


@pytest.mark.parametrize("way", WAYS)
def test_each_way_is_found_and_described(way):
    one, other = WRITTEN[way]
    first, second = normalize_names(pa.array([one, other])).to_pylist()
    assert first == second
    assert describe_difference(one, other) == way


@pytest.mark.parametrize(
    ("one", "other"), [("17", "170"), ("1.05", "1.5"), ("a b", "ab"), ("x0", "x"), ("a0", "a00")]
)
def test_other_names_stay_others(one, other):
    first, second = normalize_names(pa.array([one, other])).to_pylist()
    assert first != second


def test_classes_written_otherwise_give_no_verdict_and_the_advice_works(tmp_path):
    copy(FIELD / "classes.csv", tmp_path)
    path = write(tmp_path, CLASSES)
    code, said, _ = heard("run", path, "--out", tmp_path / "out", "--no-cache", cwd=tmp_path)
    assert code == 3
    assert "m1 writes Cat as “cat”. 40 of 40 rows are predicted as “cat” or 2 more" in said
    assert "The names differ only in upper and lower case." in said
    assert "m2 writes Cat as “Cat ”. 13 of 40 rows" in said
    assert "The names differ only in blanks at the ends." in said
    keys = yaml.safe_load(path.read_text(encoding="utf-8"))
    keys["datasets"]["w"].update(yaml.safe_load(said.split("Write `")[1].split("`")[0]))
    path.write_text(yaml.safe_dump(keys), encoding="utf-8")
    code, _, _ = heard("run", path, "--out", tmp_path / "out", "--no-cache", cwd=tmp_path)
    assert code == 0
    assert find_values(path) == [pytest.approx(0.3), pytest.approx(0.75)]


PATTERNS = """
task: multiclass
datasets: {w: {path: classes.csv, id: id, target: y}}
models: {m1: {columns: "p_{class}", role: baseline}, m2: {columns: "q_{class}"}}
metrics: [accuracy]
"""
LABELS = """
task: multilabel
classes: [one, two]
datasets: {w: {path: labels.csv, id: id, target: "y_{class}"}}
models: {m1: {columns: "p_{class}", role: baseline}, m2: {columns: "q_{class}"}}
metrics: [hamming_loss]
thresholds: {half: {fixed: 0.5}}
"""


def write_classes(folder, values, columns):
    """Write three classes with a column of each for two models; return the accuracies."""
    rows = [
        f"{k},{values[k % 3]},{','.join('.6' if k % 5 % 3 == j else '.2' for j in range(3))},"
        f"{','.join('.6' if k % 3 == j else '.2' for j in range(3))}"
        for k in range(30)
    ]
    write_lines(folder / "classes.csv", [",".join(["id", "y", *columns]), *rows])
    return [sum(k % 5 % 3 == k % 3 for k in range(30)) / 30, 1.0]


NEAR_COLUMNS = {
    "Unicode form": ("Zürich", unicodedata.normalize("NFD", "p_Zürich")),
    "blanks at the ends": ("cat", "p_cat "),
    "upper and lower case": ("cat", "P_Cat"),
    "a trailing .0": ("7", "p_7.0"),
    "leading zeros": ("7", "p_07"),
}


@pytest.mark.parametrize("way", NEAR_COLUMNS)
def test_a_column_that_a_pattern_nearly_gives_is_refused_and_the_advice_works(tmp_path, way):
    value, column = NEAR_COLUMNS[way]
    columns = [column, "p_8", "p_9", f"q_{value}", "q_8", "q_9"]
    expected = write_classes(tmp_path, [value, "8", "9"], columns)
    with pytest.raises(ConfigError) as caught:
        results_of(write(tmp_path, PATTERNS))
    [said] = caught.value.lines
    assert f"classes.csv has no column 'p_{value}'; " in said
    assert said.endswith(
        f"differ only in {way}: write `match: loose` under datasets.w if they are the same"
    )
    assert find_values(write(tmp_path, PATTERNS, "loose")) == pytest.approx(expected)
    with pytest.raises(ConfigError, match="no column 'p_") as caught:
        results_of(write(tmp_path, PATTERNS, "exact"))
    assert "loose" not in str(caught.value)


def test_columns_of_a_pattern_in_another_case_are_one_line_each_model(tmp_path):
    columns = ["P_A", "P_B", "P_C", "q_A", "q_b", "q_c"]
    expected = write_classes(tmp_path, "abc", columns)
    with pytest.raises(ConfigError) as caught:
        results_of(write(tmp_path, PATTERNS))
    first, second = caught.value.lines
    assert "'P_A' and 'p_a' (and 2 more of 'p_{class}') differ only in upper and lower" in first
    assert "'q_A' and 'q_a' differ only in upper and lower case" in second
    assert find_values(write(tmp_path, PATTERNS, "loose")) == pytest.approx(expected)


@pytest.mark.parametrize("other", ["CAT", "Cat "])
def test_values_in_another_case_than_the_columns_are_refused_and_the_advice_works(tmp_path, other):
    heads = [f"{model}_{value}" for model in "pq" for value in ("cat", "dog", "ox")]
    expected = write_classes(tmp_path, ["cat", "dog", "ox"], heads)
    path = tmp_path / "classes.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[1:10] = [line.replace("cat", other) for line in lines[1:10]]
    write_lines(path, lines)
    with pytest.raises(ConfigError) as caught:
        results_of(write(tmp_path, PATTERNS))
    [said] = caught.value.lines
    assert f"column 'y' has {other!r} on 3 rows (first at lines 2, 5, 8)" in said
    assert "filter" not in said and said.endswith("`match: exact` if not")
    config = write(tmp_path, PATTERNS)
    keys = yaml.safe_load(config.read_text(encoding="utf-8"))
    keys["datasets"]["w"].update(yaml.safe_load(said.split("write `")[1].split("`")[0]))
    config.write_text(yaml.safe_dump(keys), encoding="utf-8")
    assert find_values(config) == pytest.approx(expected)
    with pytest.raises(ConfigError, match="leave such rows out by `filter:`"):
        results_of(write(tmp_path, PATTERNS, "exact"))


def test_two_columns_that_a_pattern_nearly_gives_are_not_matched(tmp_path):
    write_classes(tmp_path, "abc", ["P_A", "p_A", "p_c", "q_a", "q_b", "q_c"])
    for match in (None, "loose"):
        with pytest.raises(ConfigError, match="no column 'p_a'"):
            results_of(write(tmp_path, PATTERNS, match))


def test_columns_of_labels_in_another_case_are_refused_or_matched(tmp_path):
    rows = [f"{k},{k % 2},{k % 3 % 2},.{k % 7 + 1},.{k % 5 + 1},.8,.3" for k in range(40)]
    found = []
    for head in ("y_one,y_two,p_one,p_two,q_one,q_two", "Y_One,y_TWO,P_one,p_Two,q_one,q_two"):
        write_lines(tmp_path / "labels.csv", [f"id,{head}", *rows])
        found.append(find_values(write(tmp_path, LABELS, "loose")))
    assert found[0] == found[1]
    with pytest.raises(ConfigError) as caught:
        results_of(write(tmp_path, LABELS))
    assert [line.split("; ")[1].split(" (")[0] for line in caught.value.lines] == [
        "'Y_One' and 'y_one'",
        "'P_one' and 'p_one'",
    ]


def test_data_says_that_names_are_matched_loosely(tmp_path):
    copy(FIELD / "classes.csv", tmp_path)
    path = write(tmp_path, CLASSES, "loose")
    keys = yaml.safe_load(path.read_text(encoding="utf-8")) | {"outputs": ["markdown"]}
    path.write_text(yaml.safe_dump(keys), encoding="utf-8")
    heard("run", path, "--out", tmp_path / "out", "--no-cache", cwd=tmp_path)
    assert "(match: loose)" in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")


def test_a_class_that_no_row_has_is_refused_unless_it_is_declared(tmp_path):
    rows = [f"{k},{'ab'[k % 2]},{'abc'[k % 3]},a" for k in range(30)]
    write_lines(tmp_path / "classes.csv", ["id,y,a,b", *rows])
    [said] = refuse(write(tmp_path, CLASSES))
    assert said.startswith("classes.csv: column 'a' of model 'm1' has 'c', not among classes")
    assert "name all classes under `classes:`" in said
    assert len(find_values(write(tmp_path, CLASSES + "classes: [a, b, c]\n"))) == 2


def test_a_class_that_a_model_never_names_is_fine(tmp_path):
    rows = [f"{k},{'abc'[k % 3]},{'ab'[k % 2]},a" for k in range(30)]
    write_lines(tmp_path / "classes.csv", ["id,y,a,b", *rows])
    assert len(find_values(write(tmp_path, CLASSES))) == 2


def test_probabilities_are_no_classes(tmp_path):
    rows = [f"{k},{'ab'[k % 2]},0.{k},b" for k in range(10, 40)]
    write_lines(tmp_path / "classes.csv", ["id,y,a,b", *rows])
    [said] = refuse(write(tmp_path, CLASSES))
    assert "column 'a' of model 'm1' has '0.10', '0.11', '0.12' and 27 more" in said


@pytest.mark.parametrize("match", [None, "exact", "loose"])
def test_a_target_with_one_class_written_twice(tmp_path, match):
    rows = [f"{k},{['a', 'b', 'A'][k % 3]},a,b" for k in range(30)]
    write_lines(tmp_path / "classes.csv", ["id,y,a,b", *rows])
    path = write(tmp_path, CLASSES, match)
    if match is None:
        [said] = refuse(path)
        assert "column 'y' has the classes 'A' and 'a', which differ only in upper" in said
        return
    share = 2 / 3 if match == "loose" else 1 / 3
    assert find_values(path) == [pytest.approx(share), pytest.approx(1 / 3)]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("missing", ["error", "intersect"])
def test_ids_written_otherwise_are_refused_and_matched(tmp_path, way, missing):
    one, _ = WRITTEN[way]
    ids = [f"20{k:02d}-03-01" if "-" in one else f"1{k}" for k in range(10, 40)]
    ids = ids if one[0].isdigit() else [f"Zürich {k}" for k in ids]
    changed = {
        "Unicode form": lambda text: unicodedata.normalize("NFD", text),
        "blanks at the ends": lambda text: f" {text} ",
        "upper and lower case": str.upper,
        "a time of midnight": lambda text: f"{text}T00:00:00Z",
        "a trailing .0": lambda text: f"{text}.0",
        "leading zeros": lambda text: f"00{text}",
    }[way]
    write_lines(tmp_path / "rows.csv", ["id,y", *(f"{k},{i}" for i, k in enumerate(ids))])
    write_lines(tmp_path / "old.csv", ["id,s", *(f"{k},{i + 1}" for i, k in enumerate(ids))])
    scores = [f"{changed(k) if i % 2 else k},{i + 2}" for i, k in enumerate(ids)]
    write_lines(tmp_path / "new.csv", ["id,s", *scores])
    config = SCORES.replace("target: y", f"target: y, missing: {missing}")
    [said] = refuse(write(tmp_path, config))
    assert said == (
        "new.csv: 15 of 30 ids (first at line 3) are not in rows.csv as they are written; they "
        f"differ only in {way}: write `match: loose` under datasets.w if they are the same, "
        "`match: exact` if not"
    )
    assert find_values(write(tmp_path, config, "loose")) == [1.0, 2.0]
    if missing == "intersect":
        assert results_of(write(tmp_path, config, "exact")).datasets[0].n == 15


def test_ids_that_loosely_are_one_are_refused(tmp_path):
    ids = [*range(30), "07"]
    write_lines(tmp_path / "rows.csv", ["id,y", *(f"{k},1" for k in ids)])
    for name in ("old.csv", "new.csv"):
        write_lines(tmp_path / name, ["id,s", *(f"{k},{i}" for i, k in enumerate(ids))])
    assert len(find_values(write(tmp_path, SCORES))) == 2
    assert "more than once" in refuse(write(tmp_path, SCORES, "loose"))[0]


@pytest.mark.parametrize("key", ["segments: [shop]", "strata: shop", "fold: shop"])
def test_values_of_rows_written_twice(tmp_path, key):
    names = ["North", "South", "north "]
    rows = [f"{k},{k},{k + 1},{k + 2},{names[k % 3]}" for k in range(30)]
    write_lines(tmp_path / "rows.csv", ["id,y,old,new,shop", *rows])
    config = ROWS.replace("target: y", f"target: y, {key}")
    [said] = refuse(write(tmp_path, config))
    assert said == (
        "rows.csv: column 'shop' has two names that may be one (lines 2, 4); they differ only in "
        "blanks at the ends, upper and lower case: write `match: loose` under datasets.w if they "
        "are the same, `match: exact` if not"
    )
    if "segments" in key:
        labels = {
            match: [each.segment[5:] for each in results_of(path).datasets[0].segments]
            for match in ("exact", "loose")
            for path in [write(tmp_path, config, match)]
        }
        assert labels == {"exact": ["North", "South", "north "], "loose": ["North", "South"]}


def write_runs(folder, changed):
    queries = [f"Q{k}" for k in range(6)]
    judged = [f"{q} 0 Doc{d} {int(d < 2)}" for q in queries for d in range(4)]
    write_lines(folder / "web.qrels", judged)
    run = [f"{q} Q0 Doc{d} {d + 1} {9 - d} r" for q in queries for d in range(4)]
    write_lines(folder / "old.run", run)
    write_lines(folder / "new.run", map(changed, run))


@pytest.mark.parametrize(("kind", "old", "new"), [("queries", "Q1", "q1"), ("documents", "D", "d")])
def test_documents_and_queries_written_otherwise(tmp_path, kind, old, new):
    write_runs(tmp_path, lambda line: line.replace(old, new))
    [said] = refuse(write(tmp_path, RANKING))
    count = "1 of 6" if kind == "queries" else "4 of 4"
    line = 5 if kind == "queries" else 1
    assert said == (
        f"new.run: {count} {kind} (first at line {line}) are not in web.qrels as they are written; "
        "they differ only in upper and lower case: write `match: loose` under datasets.w if they "
        "are the same, `match: exact` if not"
    )
    assert find_values(write(tmp_path, RANKING, "loose")) == [1.0, 1.0]


def test_a_run_without_a_judged_document_is_refused(tmp_path):
    write_runs(tmp_path, lambda line: line.replace("Doc", "page"))
    [said] = refuse(write(tmp_path, RANKING))
    assert said == ("new.run: none of its 4 documents is in web.qrels; use the same names in both")


def test_queries_of_a_file_of_facts(tmp_path):
    write_runs(tmp_path, str)
    write_lines(tmp_path / "facts.csv", ["q,kind", *(f"q{k},{'ab'[k % 2]}" for k in range(6))])
    config = RANKING.replace(
        "web.qrels}", "web.qrels}, queries: {path: facts.csv, id: q}, segments: [kind]"
    )
    [said] = refuse(write(tmp_path, config))
    assert said.startswith("facts.csv: no line for 6 of 6 queries of web.qrels as they are written")
    assert len(find_values(write(tmp_path, config, "loose"))) == 2


def test_streamed_rows_are_not_matched_loosely(tmp_path):
    table = pa.table({"id": range(40), "y": range(40), "old": range(40), "new": range(40)})
    parquet.write_table(table, tmp_path / "rows.parquet")
    config = ROWS.replace("rows.csv", "rows.parquet") + "compute: {engine: stream}\n"
    code, _, said = heard("run", write(tmp_path, config, "loose"), cwd=tmp_path)
    assert code == 2
    assert "datasets.w.match: loose is not offered when streamed" in said

"""`init` on files of every shape: a config that fits the data, or what it cannot know."""

import json
from pathlib import Path

import pyarrow as pa
import pytest
import yaml
from pyarrow import parquet

from tests.end_to_end.wallet import call

Said = pytest.CaptureFixture[str]
ROWS = [
    {
        "customer_id": f"c{k}",
        "spend": k % 7,
        "score_old": k % 5 + k / 50,
        "score_new": k % 6,
        "sample_weight": 1 + k % 2,
        "age": 20 + k,
        "region": ("n", "s")[k % 2],
    }
    for k in range(40)
]


def of(*names: str) -> list[dict[str, object]]:
    return [{name: row[name] for name in names} for row in ROWS]


def delimited(path: Path, sign: str, rows: list[dict[str, object]]) -> Path:
    lines = [sign.join(rows[0]), *(sign.join(map(str, row.values())) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def drafted(capfd: Said, *words: object) -> tuple[dict[str, dict[str, dict[str, object]]], str]:
    """The config of a draft that fits its data, and what was said of it."""
    assert call("init", *words, "--out", "new.yaml") == 0
    said = capfd.readouterr().err
    assert call("validate", "new.yaml", "--data") == 0
    return yaml.safe_load(Path("new.yaml").read_text(encoding="utf-8")), said


def test_a_wide_table_between_semicolons_with_an_id(tmp_path: Path, capfd: Said) -> None:
    data = delimited(tmp_path / "t.csv", ";", of("customer_id", "spend", "score_old", "score_new"))
    config, said = drafted(capfd, data)
    assert config["datasets"]["holdout"] == {
        "path": "t.csv",
        "id": "customer_id",
        "target": "spend",
    }
    assert config["models"]["old"] == {"column": "score_old", "role": "baseline"}
    assert "guessed by its name: baseline 'old'" in said


def test_a_table_between_tabs_without_an_id(tmp_path: Path, capfd: Said) -> None:
    data = delimited(tmp_path / "t.tsv", "\t", of("spend", "score_old", "score_new", "region"))
    config, said = drafted(capfd, data)
    assert "id" not in config["datasets"]["holdout"]
    assert (
        "no column was found to name each row, so rows are identified by their row numbers" in said
    )


def test_a_parquet_file_with_weights_and_features(tmp_path: Path, capfd: Said) -> None:
    rows = [row | {"tags": ["a", "b"]} for row in ROWS]
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "t.parquet")
    config, said = drafted(capfd, tmp_path / "t.parquet")
    assert [model["column"] for model in config["models"].values()] == ["score_old", "score_new"]
    assert "not used: 'sample_weight' may be weights" in said and "left out: 'age' (" in said
    assert "left out: 'tags' (lists or records)" in said


def test_json_lines_with_missing_values(tmp_path: Path, capfd: Said) -> None:
    rows = [dict(row) for row in of("customer_id", "spend", "score_old", "score_new")]
    del rows[3]["score_new"]
    data = tmp_path / "t.jsonl"
    data.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    config, said = drafted(capfd, data)
    assert config["datasets"]["holdout"]["missing"] == "drop"
    assert "rows without a value in 'score_new' are dropped" in said


def test_one_column_of_scores_is_one_model(tmp_path: Path, capfd: Said) -> None:
    data = delimited(tmp_path / "t.csv", ",", of("spend", "score_new"))
    config, _ = drafted(capfd, data)
    assert config["models"] == {"new": {"column": "score_new"}}


def test_a_file_of_text_alone_is_asked_about(tmp_path: Path, capfd: Said) -> None:
    data = delimited(tmp_path / "t.csv", ",", of("customer_id", "region"))
    assert call("init", data, "--out", "new.yaml") == 2
    assert not Path("new.yaml").exists()
    assert capfd.readouterr().err == (
        "cannot tell which columns hold the target and the scores of models; name them, such as "
        "--target Y --models A,B; no column holds numbers; a few different texts in 'region'\n"
    )


def test_what_names_do_not_tell_is_told_by_options(tmp_path: Path, capfd: Said) -> None:
    rows = [dict(zip(("k", "u", "v", "w"), row.values(), strict=False)) for row in ROWS]
    data = delimited(tmp_path / "t.csv", ",", rows)
    assert call("init", data) == 2
    words = ("--target", "u", "--models", "v,w", "--baseline", "w")
    config, said = drafted(capfd, data, *words)
    assert config["models"] == {"v": {"column": "v"}, "w": {"column": "w", "role": "baseline"}}
    assert config["datasets"]["holdout"]["id"] == "k" and "guessed: 'k' names each row" in said


def test_a_target_of_two_numbers_is_of_two_classes(tmp_path: Path, capfd: Said) -> None:
    rows = [{"row": 7 * k, "y": 1 + k % 2, "p_old": k / 41, "p_new": k / 50} for k in range(40)]
    config, said = drafted(capfd, delimited(tmp_path / "t.csv", ",", rows))
    assert config["task"] == "binary"
    assert config["datasets"]["holdout"] == {
        "path": "t.csv",
        "id": "row",
        "target": "y",
        "positive": "2",
    }
    assert "guessed as the last of the two, so check it: '2' is the positive class" in said


CALLS = [
    {
        "id": k,
        "animal": ("dog", "chat écaille", "bird")[k % 3],
        "old": ("dog", "chat écaille", "bird")[k % 5 % 3],
        "new": ("dog", "bird")[k % 2],
        "fold": k % 4,
        "round": k % 2,
    }
    for k in range(40)
]


def test_columns_that_name_the_class_are_models_where_they_are_named(
    tmp_path: Path, capfd: Said
) -> None:
    data = delimited(tmp_path / "t.csv", ",", CALLS)
    config, said = drafted(capfd, data, "--target", "animal", "--models", "old,new")
    assert config["task"] == "multiclass"
    assert config["models"] == {
        "old": {"column": "old", "role": "baseline"},
        "new": {"column": "new"},
    }
    assert "'fold' may be folds that models were fitted without; if so, uncomment fold:" in said
    assert "'round' may be rounds of folds; if so, uncomment repeat:" in said
    text = Path("new.yaml").read_text(encoding="utf-8")
    assert "    # fold: fold #" in text and "    # repeat: round #" in text
    assert call("init", data, "--target", "animal", "--models", "old,round") == 2
    assert "--models: column 'old' holds text, not numbers" in capfd.readouterr().err


def test_patterns_of_columns_are_models_where_they_are_named(tmp_path: Path, capfd: Said) -> None:
    rows = [
        {"id": k, "kind": "abc"[k % 3], "q a": 0.5, "q b": 0.25, "q c": 0.25} for k in range(40)
    ]
    data = delimited(tmp_path / "t.csv", ",", rows)
    config, _ = drafted(capfd, data, "--target", "kind", "--models", "q {class}")
    assert config["models"] == {"q": {"columns": "q {class}"}}


def test_the_schema_is_written_beside_the_config_that_points_to_it(
    tmp_path: Path, capfd: Said
) -> None:
    data = delimited(tmp_path / "t.csv", ",", of("spend", "score_old", "score_new"))
    assert call("init", data) == 0
    assert "$schema" not in capfd.readouterr().out
    (tmp_path / "in").mkdir()
    assert call("init", data, "--out", "in/alone.yaml") == 0
    assert capfd.readouterr().out == "in/alone.yaml\n"
    assert "$schema" not in Path("in/alone.yaml").read_text(encoding="utf-8")
    assert call("init", data, "--schema") == 2
    assert "name that with --out" in capfd.readouterr().err
    assert call("init", data, "--out", "in/new.yaml", "--schema") == 0
    assert capfd.readouterr().out == "in/new.yaml\nin/config.schema.json\n"
    assert json.loads((tmp_path / "in" / "config.schema.json").read_bytes())["properties"]
    first = (tmp_path / "in" / "new.yaml").read_text(encoding="utf-8").splitlines()[0]
    assert first.endswith("$schema=config.schema.json")
    (tmp_path / "in" / "config.schema.json").write_text("theirs", encoding="utf-8")
    assert call("init", data, "--out", "in/other.yaml") == 0
    assert (tmp_path / "in" / "config.schema.json").read_text(encoding="utf-8") == "theirs"


def put_runs(folder: Path, *names: str) -> Path:
    from tests.end_to_end.lists import put_lists

    put_lists(folder)
    for old in folder.glob("*.run"):
        if old.stem not in names:
            old.unlink()
    return folder / "web.qrels"


def test_judgements_with_the_runs_beside_them(tmp_path: Path, capfd: Said) -> None:
    judged = put_runs(tmp_path, "one", "two")
    (tmp_path / "runs").mkdir()
    (tmp_path / "two.run").rename(tmp_path / "runs" / "bm25.run")
    config, said = drafted(capfd, judged)
    assert config["task"] == "ranking" and config["datasets"]["queries"]["qrels"] == "web.qrels"
    assert config["models"] == {
        "one": {"run": "one.run"},
        "bm25": {"run": "runs/bm25.run", "role": "baseline"},
    }
    assert "grades '-1', '0', '1', '2'" in said and "guessed: baseline 'bm25'" in said
    assert "run 'bm25': answers 39 of 40 judged queries, 5 deep" in said


def test_runs_that_are_named_and_a_baseline(tmp_path: Path, capfd: Said) -> None:
    judged = put_runs(tmp_path, "one", "two", "three")
    runs = f"{tmp_path / 'two.run'},{tmp_path / 'one.run'}"
    config, said = drafted(capfd, judged, "--models", runs, "--baseline", "one")
    assert list(config["models"]) == ["two", "one"] and "beside" not in said
    assert config["models"]["one"] == {"run": "one.run", "role": "baseline"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "found no run next to it or in a folder `runs`; name them, such as --models"),
        (
            ("--target", "grade"),
            "--target: the grade stands on each line of the file; leave it out",
        ),
        (("--models", "no.run"), "no file 'no.run'"),
    ],
)
def test_judgements_without_what_a_config_needs_are_one_line(
    tmp_path: Path, capfd: Said, words: tuple[str, ...], said: str
) -> None:
    assert call("init", put_runs(tmp_path), *words) == 2
    assert said in capfd.readouterr().err


def test_documents_line_by_line_with_the_scores_beside_them(tmp_path: Path, capfd: Said) -> None:
    from tests.end_to_end.lists import put_letor

    put_letor(tmp_path)
    (tmp_path / "short.pred").write_text("1\n2\n")
    config, said = drafted(capfd, tmp_path / "web.letor")
    assert config["datasets"]["queries"] == {"letor": "web.letor"}
    assert config["models"] == {
        "late": {"lines": "late.pred", "role": "baseline"},
        "web": {"lines": "web.pred"},
    }
    assert "of 40 queries" in said and "short" not in said
    (tmp_path / "sizes.query").rename(tmp_path / "bare.query")
    Path("new.yaml").unlink()
    config, said = drafted(capfd, tmp_path / "bare.letor", "--baseline", "web")
    assert config["datasets"]["queries"]["letor"] == {"path": "bare.letor", "groups": "bare.query"}
    assert "of 40 queries" in said


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("bare.letor", "name no query (qid:…), and there is no bare.letor.query beside it"),
        ("web.letor", "there is no file with a score for each of its"),
    ],
)
def test_documents_without_queries_or_scores_are_one_line(
    tmp_path: Path, capfd: Said, file: str, said: str
) -> None:
    from tests.end_to_end.lists import put_letor

    put_letor(tmp_path)
    for path in tmp_path.glob("*.pred"):
        path.unlink()
    assert call("init", tmp_path / file) == 2
    assert said in capfd.readouterr().err


def test_two_words_are_two_classes_and_one_is_proposed(tmp_path: Path, capfd: Said) -> None:
    rows = [
        {"id": f"c{k}", "churn": ("yes", "no", "no")[k % 3], "p_old": k % 7 / 7, "p_new": k % 5 / 5}
        for k in range(40)
    ]
    config, said = drafted(capfd, delimited(tmp_path / "t.csv", ",", rows), "--target", "churn")
    assert config["task"] == "binary"
    assert "    positive: yes # ← the class you want to find" in Path("new.yaml").read_text()
    assert config["models"]["old"] == {"column": "p_old", "role": "baseline"}
    assert "guessed by its name: 'yes' is the positive class" in said


def test_words_that_do_not_say_it_leave_the_positive_class_to_be_looked_at(
    tmp_path: Path, capfd: Said
) -> None:
    rows = [{"outcome": "ab"[k % 2], "p_old": k % 7 / 7} for k in range(40)]
    config, said = drafted(capfd, delimited(tmp_path / "t.csv", ",", rows))
    assert config["datasets"]["holdout"]["positive"] == "b"
    assert "guessed as the last of the two, so check it: 'b' is the positive class" in said


def test_columns_of_flags_with_scores_for_each_are_labels(tmp_path: Path, capfd: Said) -> None:
    rows = [
        {
            "film": f"f{k}",
            "y_Sci-Fi": k % 2,
            "y_War": k % 3 // 2,
            "p_old_Sci-Fi": k % 7 / 7,
            "p_old_War": k % 5 / 5,
            "p_new_Sci-Fi": k % 3 / 3,
            "p_new_War": k % 8 / 8,
        }
        for k in range(40)
    ]
    config, said = drafted(capfd, delimited(tmp_path / "t.csv", ",", rows))
    assert config["task"] == "multilabel" and config["classes"] == ["Sci-Fi", "War"]
    assert config["datasets"]["holdout"]["target"] == "y_{class}"
    assert config["models"]["old"] == {"columns": "p_old_{class}", "role": "baseline"}
    assert config["models"]["new"] == {"columns": "p_new_{class}"}
    assert "guessed: each row has any of 2 labels, 'Sci-Fi', 'War'" in said


def documents(grades: str = "012") -> list[dict[str, object]]:
    return [
        {
            "query": f"q{q}",
            "doc": f"d{d}",
            "rel": grades[(q + d) % 3],
            "score_old": d,
            "score_new": (q * d) % 5,
        }
        for q in range(12)
        for d in range(4)
    ]


def test_a_table_of_graded_documents_is_a_ranking(tmp_path: Path, capfd: Said) -> None:
    rows = [row | {"title": "x"} for row in documents()]
    config, said = drafted(capfd, delimited(tmp_path / "t.csv", ",", rows))
    assert config["task"] == "ranking"
    assert config["datasets"]["queries"] == {
        "path": "t.csv",
        "query": "query",
        "id": "doc",
        "target": "rel",
    }
    assert config["models"] == {
        "old": {"column": "score_old", "role": "baseline"},
        "new": {"column": "score_new"},
    }
    assert "guessed by their names: query 'query', id 'doc', target 'rel'" in said
    assert "left out: 'title' (neither query, document, grade nor score)" in said


def test_texts_that_are_the_same_within_a_query_are_its_segments(
    tmp_path: Path, capfd: Said
) -> None:
    rows = [
        row | {"intent": "buy" if row["query"] in ("q1", "q4", "q7") else "look", "by": "ab"[k % 2]}
        for k, row in enumerate(documents())
    ]
    config, said = drafted(capfd, delimited(tmp_path / "t.csv", ",", rows))
    assert config["datasets"]["queries"]["segments"] == ["intent"]
    assert "guessed for their few values, one for each query: segments by 'intent'" in said
    assert "left out: 'by' (neither query, document, grade nor score)" in said


def test_labels_of_documents_become_grades_that_are_to_be_looked_at(
    tmp_path: Path, capfd: Said
) -> None:
    config, said = drafted(capfd, delimited(tmp_path / "t.csv", ",", documents("abc")))
    assert config["ranking"] == {"grades": {"a": 0, "b": 1, "c": 2}}
    assert "labels are grades in this order; look at `grades`" in said


def test_judgements_in_a_table_find_the_runs_beside_them(tmp_path: Path, capfd: Said) -> None:
    rows = documents()
    for name, column in (("one", "score_old"), ("two", "score_new")):
        of_run = [{"query": r["query"], "doc": r["doc"], "score": r[column]} for r in rows]
        delimited(tmp_path / f"{name}.csv", ",", of_run)
    delimited(tmp_path / "other.csv", ",", of("customer_id", "spend"))
    judged = [{key: r[key] for key in ("query", "doc", "rel")} for r in rows]
    config, said = drafted(capfd, delimited(tmp_path / "judged.csv", ",", judged))
    assert config["datasets"]["queries"]["qrels"] == {
        "path": "judged.csv",
        "query": "query",
        "id": "doc",
    }
    run = {"query": "query", "id": "doc", "column": "score"}
    assert config["models"] == {
        "one": {"run": {"path": "one.csv", **run}, "role": "baseline"},
        "two": {"run": {"path": "two.csv", **run}},
    }
    assert "found next to it: 2 runs" in said
    assert call("init", tmp_path / "judged.csv", "--models", "other.csv", "--out", "x.yaml") == 2
    assert (
        "no table next to it with 'doc' and 'query' and a column 'score'" in capfd.readouterr().err
    )


def test_documents_that_stand_twice_are_told_before_a_run_refuses_them(
    tmp_path: Path, capfd: Said
) -> None:
    judged = put_runs(tmp_path, "one", "two")
    assert "already" not in drafted(capfd, judged)[1]
    for path, lines in ((judged, 1), (tmp_path / "two.run", 2)):
        text = path.read_text()
        path.write_text(text + "".join(text.splitlines(True)[:lines]))
    assert call("init", judged) == 0
    said = capfd.readouterr().out
    assert "web.qrels: 1 line names a document that its query has already; keep one" in said
    assert "two.run: 2 lines name a document that its query has already" in said
    assert "one.run:" not in said


def test_files_of_trec_are_known_by_their_lines(tmp_path: Path, capfd: Said) -> None:
    rows = documents()
    (tmp_path / "qrels.test").write_text(
        "".join(f"{r['query']} 0 {r['doc']} {r['rel']}\n" for r in rows)
    )
    for name, column, of_query in (("input.a", "score_old", "q"), ("input.b", "score_new", "x")):
        lines = (f"{of_query}{str(r['query'])[1:]} Q0 {r['doc']} 1 {r[column]} t\n" for r in rows)
        (tmp_path / name).write_text("".join(lines))
    config, said = drafted(capfd, tmp_path / "qrels.test")
    assert config["datasets"]["queries"] == {"qrels": "qrels.test"}
    assert config["models"] == {"input.a": {"run": "input.a"}}  # b answers other queries
    assert "grades '0', '1', '2'" in said and "found next to it: 1 run\n" in said


def test_a_table_of_scores_of_data_sets_is_of_finished_scores(tmp_path: Path, capfd: Said) -> None:
    rows = [{"set": f"t{k}", "rf": 0.7 + k / 100, "gbm": 0.71 + k / 90} for k in range(12)]
    config, said = drafted(capfd, delimited(tmp_path / "t.csv", ",", rows))
    assert config["task"] == "finished"
    assert config["datasets"]["holdout"] == {"path": "t.csv", "id": "set"}
    assert set(config["models"]) == {"rf", "gbm"}
    assert config["primary"] == {"metric": config["score"]["title"]}
    assert "a row is a dataset, named by 'set'" in said


@pytest.mark.parametrize("change", [{"rf": 1.2}, {"set": 3}])
def test_a_table_that_may_be_of_cases_is_not(
    tmp_path: Path, capfd: Said, change: dict[str, object]
) -> None:
    rows = [{"set": f"t{k}", "rf": 0.7 + k / 100, "gbm": 0.7 + k / 90, **change} for k in range(9)]
    assert call("init", delimited(tmp_path / "t.csv", ",", rows)) == 2
    assert "cannot tell which column is the target" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("digits", "total", "why"),
    [
        (4, 1, "miss a sum of 1 by their rounding"),
        (3, 1, "miss a sum of 1 by their rounding"),
        (17, 1, None),
        (9, 0.97, "miss a sum of 1, by up to 0.03: a class may be missing"),
    ],
)
def test_probabilities_that_do_not_sum_to_1_are_normalised(
    tmp_path: Path, capfd: Said, digits: int, total: float, why: str | None
) -> None:
    rows = []
    for k in range(30):
        parts = [1 + k % 3, 1 + k % 5, 1 + k % 7]
        p = [round(total * part / sum(parts), digits) for part in parts]
        rows.append(
            {"id": k, "kind": "abc"[k % 3], **dict(zip(("p_a", "p_b", "p_c"), p, strict=True))}
        )
    config, said = drafted(capfd, delimited(tmp_path / "t.csv", ",", rows))
    [model] = config["models"].values()
    assert model.get("sums") == ("normalise" if why else None)
    assert ("miss a sum" in said) == bool(why) and (why or "") in said


def test_the_draft_says_why_a_class_is_the_positive_one(tmp_path: Path) -> None:
    for texts, why in (
        (("no", "yes"), "by its name"),
        (("a", "b"), "as the last of the two, so check it"),
    ):
        rows = [{"id": k, "y": texts[k % 2], "score_m": k / 30} for k in range(30)]
        folder = tmp_path / texts[0]
        folder.mkdir()
        data = delimited(folder / "t.csv", ",", rows)
        assert call("init", data, "--out", folder / "new.yaml") == 0
        text = (folder / "new.yaml").read_text()
        assert f"    positive: {texts[1]} # ← the class you want to find" in text
        assert f"guessed {why}: '{texts[1]}' is the positive class" in text

"""Ordinary tables whose first config runs without an edit, and traps for a careless guess."""

import numpy as np
import pandas as pd
import pytest
import yaml

from tests.end_to_end.wallet import heard

N = 200
DRAW = np.random.default_rng(7)


def logistic(x):
    return 1 / (1 + np.exp(-x))


PRICE = np.round(DRAW.lognormal(12, 0.5, N), -2)
FLAG = (DRAW.random(N) < 0.25).astype(int)
SCORE = 2 * FLAG - 2 + DRAW.normal(size=N)
LEFT = np.where(FLAG == 1, "yes", "no")
KIND = DRAW.integers(0, 3, N)


def near(values, spread):
    return np.round(values * DRAW.lognormal(0, spread, len(values)), -1)


def chances(skill):
    raw = np.exp(DRAW.normal(size=(N, 3)) + skill * np.eye(3)[KIND])
    return np.round(raw / raw.sum(1, keepdims=True), 6)


KNN, FOREST = chances(1.0), chances(2.0)
CLICK = (DRAW.random(400) < 0.3).astype(int)
TEAM = np.array(["billing", "login", "shipping"])[KIND]
TABLES = {
    "houses": {
        "house_id": range(N),
        "area": near(PRICE / 2000, 0.2),
        "district": DRAW.choice(["north", "south"], N),
        "price": PRICE,
        "linear": near(PRICE, 0.3),
        "forest": near(PRICE, 0.2),
    },
    "payments": {
        "transaction": [f"T{k:04}" for k in range(N)],
        "amount": near(np.full(N, 900.0), 1.0),
        "is_fraud": FLAG,
        "xgb": logistic(SCORE),
        "logreg": logistic(0.5 * SCORE),
    },
    "churn": {
        "customer": range(1000, 1000 + N),
        "plan": DRAW.choice(["basic", "plus"], N),
        "churned": LEFT,
        "champion": logistic(SCORE),
        "challenger": logistic(SCORE + DRAW.normal(size=N)),
    },
    "penguins": {
        "id": range(N),
        "species": np.array(["adelie", "chinstrap", "gentoo"])[KIND],
        **{f"knn_{k}": KNN[:, k] for k in range(3)},
        **{f"rf_{k}": FOREST[:, k] for k in range(3)},
    },
    "feed": {
        "user_id": np.repeat(np.arange(20), 20),
        "item_id": np.tile(np.arange(20), 20) + 100,
        "clicked": CLICK,
        "als": CLICK + DRAW.normal(size=400),
        "two_tower": 2 * CLICK + DRAW.normal(size=400),
    },
    "sales": {
        "date": pd.date_range("2025-01-01", periods=N).astype(str),
        "store": DRAW.choice(["A", "B"], N),
        "sales": near(np.full(N, 400.0), 0.3),
        "naive": near(np.full(N, 400.0), 0.3),
        "prophet": near(np.full(N, 400.0), 0.1),
    },
    "year": {
        "id": range(N),
        "year": DRAW.integers(1950, 2020, N),
        "price": PRICE,
        "lasso": near(PRICE, 0.3),
        "svm": near(PRICE, 0.3),
    },
    "hard and soft": {
        "id": range(N),
        "churned": LEFT,
        "logreg": np.where(SCORE > 0, "yes", "no"),
        "logreg_proba": logistic(SCORE),
        "rf_proba": logistic(0.3 * SCORE),
    },
    "flag feature": {
        "id": range(N),
        "is_new": DRAW.integers(0, 2, N),
        "bad_debt": FLAG,
        "score_old": logistic(SCORE),
        "score_new": logistic(1.5 * SCORE),
    },
    "repeated user": {
        "user_id": np.repeat(np.arange(40), 5),
        "spend": PRICE,
        "rf": near(PRICE, 0.3),
        "mlp": near(PRICE, 0.3),
    },
    "logarithms": {
        "id": range(N),
        "price": PRICE,
        "ridge": np.log(PRICE) + DRAW.normal(0, 0.2, N),
        "gbm": np.log(PRICE) + DRAW.normal(0, 0.1, N),
    },
    "constant": {"id": range(N), "y": FLAG, "dummy": np.full(N, 0.25), "gbm": logistic(SCORE)},
}


def draft(folder, columns):
    """Write the table, and return the config of `init` as a map with its text."""
    folder.mkdir(exist_ok=True)
    pd.DataFrame(columns).to_csv(folder / "t.csv", index=False)
    code, _, error = heard("init", "t.csv", "--out", "c.yaml", cwd=folder)
    assert code == 0, error
    text = (folder / "c.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(text), text


@pytest.mark.parametrize(
    ("table", "task", "dataset", "models"),
    [
        ("houses", "regression", {"target": "price", "id": "house_id"}, ["linear", "forest"]),
        ("payments", "binary", {"target": "is_fraud", "id": "transaction"}, ["xgb", "logreg"]),
        (
            "churn",
            "binary",
            {"target": "churned", "positive": True, "id": "customer"},
            ["champion", "challenger"],
        ),
        ("penguins", "multiclass", {"target": "species"}, ["knn", "rf"]),
        (
            "feed",
            "ranking",
            {"query": "user_id", "id": "item_id", "target": "clicked"},
            ["als", "two_tower"],
        ),
        ("sales", "regression", {"target": "sales", "time": "date"}, ["naive", "prophet"]),
        ("year", "regression", {"target": "price"}, ["lasso", "svm"]),
        ("hard and soft", "binary", {"target": "churned"}, ["logreg", "rf"]),
        ("flag feature", "binary", {"target": "bad_debt"}, ["old", "new"]),
        ("repeated user", "regression", {"cluster": "user_id"}, ["rf", "mlp"]),
        ("logarithms", "regression", {"target": "price"}, ["ridge", "gbm"]),
        ("constant", "binary", {"target": "y"}, ["dummy", "gbm"]),
    ],
)
def test_an_ordinary_table_needs_no_flag_and_its_config_runs(
    tmp_path, table, task, dataset, models
):
    config, text = draft(tmp_path, TABLES[table])
    (only,) = config["datasets"].values()
    assert config["task"] == task
    assert {key: only.get(key) for key in dataset} == dataset
    assert list(config["models"]) == models
    assert config["models"][models[0]]["role"] == "baseline"
    assert ("time" in only) == (table == "sales") and ("# time: year" in text) == (table == "year")
    code, _, error = heard(
        "run",
        "c.yaml",
        "--set",
        "bootstrap.replicates=99",
        "--set",
        "outputs=[json]",
        "--quiet",
        "--out",
        "o",
        cwd=tmp_path,
    )
    assert code == 0, error


def test_what_a_table_hides_is_said(tmp_path):
    config, text = draft(tmp_path / "a", TABLES["hard and soft"])
    assert config["models"]["logreg"]["column"] == "logreg_proba"
    assert "not used: 'logreg' has the classes of the model whose probabilities" in text
    config, text = draft(tmp_path / "b", TABLES["logarithms"])
    assert {each["transform"] for each in config["models"].values()} == {"exp"}
    assert "scores of 'ridge', 'gbm' are logarithms of 'price' (transform: exp)" in text
    _, text = draft(tmp_path / "c", TABLES["constant"])
    assert "'dummy' gives every row the same score" in text
    config, _ = draft(tmp_path / "d", TABLES["penguins"])
    columns = {"adelie": "rf_0", "chinstrap": "rf_1", "gentoo": "rf_2"}
    assert config["models"]["rf"]["columns"] == columns


@pytest.mark.parametrize(
    ("columns", "asks"),
    [
        (
            {"cost": PRICE, "revenue": 1.3 * PRICE, "ridge": near(PRICE, 0.3)},
            "name it with --target; it may be 'cost', 'revenue'",
        ),
        (
            {"c1": PRICE, "c2": near(PRICE, 0.3), "c3": near(PRICE, 0.2)},
            "name them, such as --target Y --models A,B",
        ),
        (
            {"team": TEAM, "rules": np.roll(TEAM, 1), "router": np.roll(TEAM, 2)},
            "name them, such as --target team --models rules,router; 'team', 'rules', 'router' "
            "have the same classes, of which the target is one",
        ),
    ],
)
def test_what_nothing_shows_is_asked_for(tmp_path, columns, asks):
    pd.DataFrame(columns).to_csv(tmp_path / "t.csv", index=False)
    code, _, error = heard("init", "t.csv", "--out", "c.yaml", cwd=tmp_path)
    assert code == 2 and asks in error and not (tmp_path / "c.yaml").exists()


def test_named_models_are_found_without_what_their_columns_share(tmp_path):
    columns = {
        "y": PRICE,
        "pred_ridge": near(PRICE, 0.3),
        "pred_rf": near(PRICE, 0.2),
        "pred_x": 1.0,
    }
    pd.DataFrame(columns).to_csv(tmp_path / "t.csv", index=False)
    code, text, error = heard("init", "t.csv", "--models", "ridge,rf", cwd=tmp_path)
    assert code == 0 and error == "check the lines with ←, then run it\n"
    models = yaml.safe_load(text)["models"]
    assert {name: each["column"] for name, each in models.items()} == {
        "ridge": "pred_ridge",
        "rf": "pred_rf",
    }
    assert "value: " in text and "add margin: 2%" in text


def test_models_of_a_table_of_queries_lose_the_letter_that_their_columns_share(tmp_path):
    columns = {
        "query": np.repeat(np.arange(20), 20),
        "doc": [f"d{k}" for k in range(400)],
        "grade": CLICK,
        "s_bm25": CLICK + DRAW.normal(size=400),
        "s_gbm": 2 * CLICK + DRAW.normal(size=400),
    }
    pd.DataFrame(columns).to_csv(tmp_path / "t.csv", index=False)
    code, text, _ = heard("init", "t.csv", "--models", "s_bm25,s_gbm", cwd=tmp_path)
    models = yaml.safe_load(text)["models"]
    assert code == 0
    assert models == {"bm25": {"column": "s_bm25", "role": "baseline"}, "gbm": {"column": "s_gbm"}}


def test_an_amount_that_differs_in_every_row_names_no_row(tmp_path):
    used = DRAW.lognormal(9, 0.5, N).round(2)
    columns = {
        "building": [f"B{k}" for k in range(N)],
        "year": DRAW.integers(1950, 2020, N),
        "usage kWh": used,
        "Prognose alt": near(used, 0.3),
        "Prognose neu": near(used, 0.2),
    }
    config, _ = draft(tmp_path, columns)
    [dataset] = config["datasets"].values()
    assert (dataset["target"], dataset["id"]) == ("usage kWh", "building")
    assert list(config["models"]) == ["alt", "neu"]


def test_a_click_is_the_target_of_scores_of_a_search(tmp_path):
    """Each search has several jobs; one order of them must not be taken for the outcome."""
    columns = {
        "search_id": np.repeat(np.arange(20), 20),
        "job_id": [f"j{k}" for k in range(400)],
        "country": DRAW.choice(["AT", "CH"], 400),
        "clicked": CLICK,
        "bm25": CLICK + DRAW.normal(size=400),
        "embedding": 2 * CLICK + DRAW.normal(size=400),
    }
    config, _ = draft(tmp_path / "a", columns)
    [dataset] = config["datasets"].values()
    assert config["task"] == "ranking"
    assert [dataset[key] for key in ("query", "id", "target")] == ["search_id", "job_id", "clicked"]
    assert list(config["models"]) == ["bm25", "embedding"]
    config, _ = draft(tmp_path / "b", {name: columns[name] for name in list(columns)[2:]})
    [dataset] = config["datasets"].values()
    assert (config["task"], dataset["target"]) == ("binary", "clicked")


def test_columns_with_the_same_classes_as_a_named_target_are_models(tmp_path):
    columns = {"team": TEAM, "rules": np.roll(TEAM, 1), "router": np.roll(TEAM, 2)}
    pd.DataFrame(columns).to_csv(tmp_path / "t.csv", index=False)
    code, _, error = heard("init", "t.csv", "--target", "team", "--out", "c.yaml", cwd=tmp_path)
    assert code == 0, error
    assert list(yaml.safe_load((tmp_path / "c.yaml").read_text())["models"]) == ["rules", "router"]


def test_tables_of_ranks_beside_judgements_are_runs(tmp_path):
    judged = [(q, f"d{d}", (q + d) % 3) for q in range(30) for d in range(6)]
    names = ["query", "document", "grade"]
    pd.DataFrame(judged, columns=names).to_csv(tmp_path / "judged.csv", index=False)
    for name, sign in (("lexical", 1), ("neural", -1)):
        run = [
            (q, f"d{d}", 1 + sorted(range(6), key=lambda k: sign * k).index(d))
            for q in range(30)
            for d in range(6)
        ]
        table = pd.DataFrame(run, columns=["query", "document", "rank"])
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    code, _, error = heard("init", "judged.csv", "--out", "c.yaml", cwd=tmp_path)
    assert code == 0, error
    config = yaml.safe_load((tmp_path / "c.yaml").read_text())
    assert {each["order"] for each in config["models"].values()} == {"ascending"}
    code, _, error = heard("run", "c.yaml", "--set", "outputs=[json]", "--quiet", cwd=tmp_path)
    assert code == 0, error
    values = yaml.safe_load((tmp_path / "reports" / "c" / "results.json").read_text())["estimates"]
    found = {e["model"]: e["value"] for e in values if e["key"] == "nDCG@10" and not e["segment"]}
    gain = [0.0, 1.0, 2.0, 0.0, 1.0, 2.0]
    grades = [[gain[(q + d) % 6] for d in range(6)] for q in range(3)]
    discount = 1 / np.log2(np.arange(2, 8))
    best = np.sort(grades)[:, ::-1] @ discount
    assert found["lexical"] == pytest.approx((grades @ discount / best).mean(), rel=1e-8)


def test_a_whole_number_in_the_first_column_names_each_row(tmp_path):
    columns = {"ticket": range(N), "y": PRICE, "ridge": near(PRICE, 0.3), "gbm": near(PRICE, 0.2)}
    config, _ = draft(tmp_path, columns)
    assert next(iter(config["datasets"].values()))["id"] == "ticket"


def test_probabilities_with_decimal_commas_are_scores(tmp_path):
    columns = {"kunde": range(N), "churned": np.where(FLAG == 1, "ja", "nein")}
    columns |= {f"p_{name}": logistic(SCORE * k).round(3) for name, k in (("alt", 1), ("neu", 2))}
    pd.DataFrame(columns).to_csv(tmp_path / "t.csv", index=False, sep=";", decimal=",")
    code, _, error = heard("init", "t.csv", "--out", "c.yaml", cwd=tmp_path)
    assert code == 0, error
    config = yaml.safe_load((tmp_path / "c.yaml").read_text())
    assert (config["task"], list(config["models"])) == ("binary", ["alt", "neu"])
    assert config["datasets"]["holdout"]["positive"] == "ja"
    assert config["models"]["alt"]["role"] == "baseline"

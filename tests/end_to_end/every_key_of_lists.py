"""Cases of the keys of ranking by query, for the test that every key changes what is seen."""

from __future__ import annotations

import copy

from tests.end_to_end.lists import LISTS

Pair = tuple[dict[str, object], dict[str, object]]
BASE = {**LISTS, "primary": None, "gates": None}
AT_3 = [{"name": "ap", "k": 3}]
TOPICS = {"path": "topics.csv", "id": "topic"}
TABLE = {"path": "web.csv"}


def policy(key: str, value: object, **more: object) -> Pair:
    """One key of `ranking:`."""
    return {**BASE, **more}, {**BASE, **more, "ranking": {key: value}}


def data(before: dict[str, object], after: dict[str, object]) -> Pair:
    """The dataset with other keys."""
    one, other = ({**BASE, "datasets": {"web": each}} for each in (before, after))
    return one, other


def run(before: object, after: object) -> Pair:
    """The second model with another run."""
    made = []
    for each in (before, after):
        models = copy.deepcopy(BASE["models"])
        models["two"]["run"] = each  # type: ignore[index]
        made.append({**BASE, "models": models})
    return made[0], made[1]


GATE = {
    "name": "few hurt",
    "rule": "few_harmed",
    "metric": "ndcg",
    "model": "two",
    "drop": 0.2,
    "value": "20%",
}
MANY: dict[str, object] = {
    "models": {
        "one": {"run": {"web": "one.run", "late": "one.run"}, "role": "baseline"},
        "two": {"run": {"web": "two.run", "late": "two.run"}},
        "three": {"run": {"web": "three.run", "late": "three.run"}},
    },
    "metrics": [{"name": "ndcg", "k": 3}, "rr"],
    "datasets": {
        "web": {"qrels": "web.qrels", "queries": TOPICS, "segments": ["kind"]},
        "late": {"qrels": "late.qrels"},
    },
}


def gate(key: str, value: object) -> Pair:
    """A gate of single queries with one key changed."""
    return {**BASE, **MANY, "gates": [GATE]}, {**BASE, **MANY, "gates": [{**GATE, key: value}]}


def letor(file: object, lines: object = "late.pred", before: object = "web.letor") -> Pair:
    """Documents line by line; the second model has these scores of them."""
    made = []
    for each, second in ((before, "late.pred"), (file, lines)):
        models = {"one": {"lines": "web.pred", "role": "baseline"}, "two": {"lines": second}}
        made.append({**BASE, "datasets": {"web": {"letor": each}}, "models": models})
    return made[0], made[1]


def order(value: str) -> Pair:
    """The second model read in another order."""
    models = copy.deepcopy(BASE["models"])
    models["two"]["order"] = value  # type: ignore[index]
    return BASE, {**BASE, "models": models}


CASES: dict[str, Pair] = {
    "Model.order": order("ascending"),
    "FewHarmed.name": gate("name", "another"),
    "FewHarmed.metric": gate("metric", "rr"),
    "FewHarmed.model": gate("model", "three"),
    "FewHarmed.dataset": gate("dataset", "late"),
    "FewHarmed.segment": gate("segment", "kind=1"),
    "FewHarmed.inconclusive": gate("inconclusive", "fail"),
    "FewHarmed.rule": (
        {**BASE, **MANY, "gates": [GATE]},
        {
            **BASE,
            **MANY,
            "gates": [{"name": "few hurt", "rule": "better", "metric": "ndcg", "model": "two"}],
        },
    ),
    "FewHarmed.against": gate("against", "three"),
    "FewHarmed.drop": gate("drop", 0.5),
    "FewHarmed.value": gate("value", "30%"),
    "Config.ranking": policy("gain", "exp2"),
    "RankingKeys.like": policy("like", "lightgbm", metrics=AT_3),
    "RankingKeys.relevant": policy("relevant", 2, metrics=AT_3),
    "RankingKeys.grades": policy("grades", {"-1": 0, "0": 0, "1": 5, "2": 6}),
    "RankingKeys.ties": policy("ties", "trec"),
    "RankingKeys.gain": policy("gain", "exp2"),
    "RankingKeys.denominator": policy("denominator", "k", metrics=AT_3),
    "RankingKeys.no_relevant": policy("no_relevant", "zero"),
    "RankingKeys.unjudged": policy("unjudged", "drop"),
    "RankingKeys.missing_document": policy("missing_document", "last", metrics=["ap"]),
    "RankingKeys.missing_query": policy("missing_query", "drop"),
    "RankingKeys.negative": policy("negative", "not_relevant", metrics=["judged_at"]),
    "RankingKeys.depth": policy("depth", 2, metrics=["ap"]),
    "RankingKeys.top_grade": policy("top_grade", 4, metrics=["err"]),
    "RankingKeys.grade_weights": policy("grade_weights", {"1": 0.2, "2": 0.8}, metrics=["gap"]),
    "Dataset.balance": data(
        {"qrels": "web.qrels", "queries": TOPICS},
        {"qrels": "web.qrels", "queries": TOPICS, "balance": "user"},
    ),
    "Dataset.qrels": data({"qrels": "web.qrels"}, {"qrels": "late.qrels"}),
    "QrelsKeys.path": data({"qrels": {"path": "web.qrels"}}, {"qrels": {"path": "late.qrels"}}),
    "QrelsKeys.query": data({"qrels": TABLE}, {"qrels": {**TABLE, "query": "topic"}}),
    "QrelsKeys.columns": data(
        {"qrels": {"path": "web.qrels"}},
        {"qrels": {"path": "web.qrels", "columns": ["query", "other", "document", "else"]}},
    ),
    "Dataset.duplicates": data(
        {"qrels": "again.qrels"}, {"qrels": "again.qrels", "duplicates": "first"}
    ),
    "QrelsKeys.id": data({"qrels": TABLE}, {"qrels": {**TABLE, "id": "doc"}}),
    "Dataset.queries": data(
        {"qrels": "web.qrels"}, {"qrels": "web.qrels", "queries": TOPICS, "cluster": "user"}
    ),
    **{
        f"QueriesFileKeys.{key}": data(
            {"qrels": "web.qrels", "queries": TOPICS, "weight": "traffic", "cluster": "user"},
            {
                "qrels": "web.qrels",
                "queries": {**TOPICS, key: value},
                "weight": "traffic",
                "cluster": "user",
            },
        )
        for key, value in (("path", "others.csv"), ("id", "back"))
    },
    "Model.run": run("two.run", "three.run"),
    "Dataset.letor": letor("late.letor"),
    "LetorKeys.path": letor({"path": "late.letor"}),
    "LetorKeys.groups": letor(
        {"path": "bare.letor", "groups": "others.query"},
        before={"path": "bare.letor", "groups": "sizes.query"},
    ),
    "Model.lines": letor("web.letor", "web.pred"),
    "LinesKeys.path": letor("web.letor", {"path": "web.pred"}),
    "RunKeys.path": run({"path": "two.run"}, {"path": "three.run"}),
    "RunKeys.query": run({"path": "two.csv"}, {"path": "two.csv", "query": "back"}),
    "RunKeys.columns": run(
        {"path": "two.run"},
        {"path": "two.run", "columns": ["query", "Q0", "document", "score", "rank", "tag"]},
    ),
    "RunKeys.id": run({"path": "two.csv"}, {"path": "two.csv", "id": "doc"}),
    "RunKeys.column": run({"path": "two.csv"}, {"path": "two.csv", "column": "other"}),
}

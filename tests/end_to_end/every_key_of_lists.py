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


CASES: dict[str, Pair] = {
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
    "Dataset.qrels": data({"qrels": "web.qrels"}, {"qrels": "late.qrels"}),
    "QrelsKeys.path": data({"qrels": {"path": "web.qrels"}}, {"qrels": {"path": "late.qrels"}}),
    "QrelsKeys.query": data({"qrels": TABLE}, {"qrels": {**TABLE, "query": "topic"}}),
    "QrelsKeys.id": data({"qrels": TABLE}, {"qrels": {**TABLE, "id": "doc"}}),
    "Dataset.queries": data(
        {"qrels": "web.qrels"}, {"qrels": "web.qrels", "queries": TOPICS, "cluster": "user"}
    ),
    **{
        f"QueriesFileKeys.{key}": data(
            {"qrels": "web.qrels", "queries": TOPICS, "weight": "traffic", "cluster": "user"},
            {"qrels": "web.qrels", "queries": {**TOPICS, key: value}, "weight": "traffic",
             "cluster": "user"},
        )
        for key, value in (("path", "others.csv"), ("id", "back"))
    },
    "Model.run": run("two.run", "three.run"),
    "RunKeys.path": run({"path": "two.run"}, {"path": "three.run"}),
    "RunKeys.query": run({"path": "two.csv"}, {"path": "two.csv", "query": "back"}),
    "RunKeys.id": run({"path": "two.csv"}, {"path": "two.csv", "id": "doc"}),
    "RunKeys.column": run({"path": "two.csv"}, {"path": "two.csv", "column": "other"}),
}  # fmt: skip

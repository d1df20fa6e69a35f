"""`balance:` gives each collection of queries the same weight, and draws within it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.end_to_end.lists import put_config
from tests.end_to_end.wallet import call, results

WORDS = ("--quiet", "--no-cache")
FACTS = {"path": "topics.csv", "id": "topic"}


def ran(folder: Path, **dataset: object) -> dict[str, object]:
    data = {"web": {"qrels": "web.qrels", "queries": FACTS, **dataset}}
    config = put_config(folder, datasets=data, metrics=["judged_at"], outputs=["json", "queries"])
    assert call("run", config, "--out", folder / "out", *WORDS) == 0
    return results(folder / "out")


def by_query(folder: Path) -> Iterator[tuple[int, float]]:
    """The number of each query, and the value of the first model."""
    for line in (folder / "out" / "queries.csv").read_text(encoding="utf-8").splitlines()[1:]:
        _, query, _, model, value = line.split(",")
        if model == "one":
            yield int(query[1:]), float(value)


def value_of_one(found: dict[str, object]) -> float:
    [one] = [e for e in found["estimates"] if e["model"] == "one"]  # type: ignore[attr-defined]
    return float(one["value"])


def test_the_value_is_the_mean_of_the_means_of_collections(tmp_path: Path) -> None:
    found = ran(tmp_path, balance="user")
    values: dict[int, list[float]] = {}
    for query, value in by_query(tmp_path):
        values.setdefault(query % 3, []).append(value)
    assert sorted(map(len, values.values())) == [13, 13, 14]
    want = np.mean([np.mean(v) for v in values.values()])
    assert value_of_one(found) == pytest.approx(want, rel=1e-9)


def test_within_a_collection_weights_count_as_they_are(tmp_path: Path) -> None:
    found = ran(tmp_path, balance="kind", weight="traffic")
    values: dict[int, list[float]] = {0: [], 1: []}
    weights: dict[int, list[float]] = {0: [], 1: []}
    for query, value in by_query(tmp_path):
        values[query % 2].append(value)
        weights[query % 2].append(1 + query % 3)
    want = np.mean([np.average(values[kind], weights=weights[kind]) for kind in (0, 1)])
    assert value_of_one(found) == pytest.approx(want, rel=1e-9)
    assert abs(want - np.mean([np.mean(v) for v in values.values()])) > 1e-4


def test_a_column_of_a_long_table_balances_its_queries(tmp_path: Path) -> None:
    table = {"path": "table.csv", "query": "query", "id": "doc", "target": "label"}
    models = {"one": {"column": "s_one", "role": "baseline"}, "two": {"column": "s_two"}}
    found = []
    for more in ({"balance": "kind"}, {}, {"filter": "kind == 0"}, {"filter": "kind == 1"}):
        config = put_config(
            tmp_path,
            datasets={"shop": {**table, **more}},
            models=models,
            ranking={"no_relevant": "zero"},
        )
        assert call("run", config, "--out", tmp_path / "out", *WORDS) == 0
        found.append(results(tmp_path / "out")["estimates"][0]["value"])
    assert found[0] == pytest.approx((found[2] + found[3]) / 2)
    assert found[2] != found[3]


@pytest.mark.parametrize(
    ("dataset", "said"),
    [
        ({"strata": "kind"}, "strata and balance are both given"),
        ({"queries": None}, "balance names a column of a file with a line for each query"),
        ({"balance": "users"}, "has no column 'users'; did you mean 'user'?"),
    ],
)
def test_a_balance_that_cannot_be_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], dataset: dict[str, object], said: str
) -> None:
    given = {"qrels": "web.qrels", "queries": FACTS, "balance": "user", **dataset}
    own = {key: value for key, value in given.items() if value is not None}
    config = put_config(tmp_path, datasets={"web": own})
    assert call("run", config, "--out", tmp_path / "out", *WORDS) == 2
    assert said in capsys.readouterr().err

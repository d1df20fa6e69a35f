"""Broken configs and data, by the command line: the line that is said, and the exit code.

What is said stands in broken.yaml, under the same names.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.end_to_end.wallet import call, contents, customers, dataset, put, shell

Rows = list[dict[str, str]]
LAST = b'{"provenance": {"versions": {"reportgen": "0.1"}}, "last": true}'
BELOW = {"name": "e", "rule": "below", "metric": "mae", "model": "clv", "value": 400}


def with_value(column: str, value: str, *lines: int) -> Callable[[Rows], Rows]:
    """The rows, with a value set at some lines of the file (the header is line 1)."""
    return lambda rows: [
        {**row, column: value} if line in lines else row for line, row in enumerate(rows, start=2)
    ]


def without(column: str) -> Callable[[Rows], Rows]:
    return lambda rows: [{k: v for k, v in row.items() if k != column} for row in rows]


SAYS = yaml.safe_load((Path(__file__).parent / "broken.yaml").read_text(encoding="utf-8"))
CONFIGS: dict[str, dict[str, object]] = {
    "a metric that is none": {"metrics": ["kendal", "mae"], "primary": None, "gates": None},
    "a key that is none": {"bootstrp": {"replicates": 9}},
    "a version of the future": {"version": 2},
    "a task that is none": {"task": "multilable"},
    "a file that is not there": {"datasets": dataset(path="walet.csv")},
    "a glob that matches nothing": {"datasets": dataset(path="walet-*.csv")},
    "a file of no known kind": {"datasets": dataset(path="wallet.yaml")},
    "a target that is no column": {"datasets": dataset(target="spend")},
    "an id that is no column": {"datasets": dataset(id="customer")},
    "a score that is no column": {"models": {"clv": {"column": "score_clv"}}, "gates": None},
    "a segment that is no column": {"datasets": dataset(segments=["cohorts"]), "gates": None},
    "a segment of numbers without bins": {
        "datasets": dataset(segments=["recency_days"]),
        "gates": None,
    },
    "a weight that is no column": {"datasets": dataset(weight="w")},
    "a filter of a column that is none": {"datasets": dataset(filter="orders > 2")},
    "a filter that is no sentence": {"datasets": dataset(filter="n_orders >")},
    "a gate on a segment that the data do not have": {
        "gates": [{**BELOW, "segment": "segment=nobody"}]
    },
    "a gate on a model that is none": {"gates": [{**BELOW, "model": "clvv"}]},
    "a gate between models that are not compared": {
        "gates": [
            {
                "name": "e",
                "rule": "better",
                "metric": "kendall",
                "model": "rfm",
                "against": "boosted",
            }
        ]
    },
    "a gate on amounts of a rank": {"gates": [{**BELOW, "model": "rfm"}]},
    "a primary metric that is not listed": {"primary": {"metric": "rmse"}},
    "no baseline": {
        "models": {"a": {"column": "score_rfm"}, "b": {"column": "score_last91"}},
        "gates": None,
    },
    "plugins without permission": {"plugins": ["mine.py"]},
    "a level in percent": {"bootstrap": {"level": 95}},
    "an output that is none": {"outputs": ["htm"]},
    "a logo that is no file": {"theme": {"logo": "logo.svg"}, "outputs": ["html"]},
    "an interval that is none": {"bootstrap": {"interval": "exact"}},
    "an extends that is not there": {"extends": "base.yaml"},
}
DATA: dict[str, tuple[Callable[[Rows], Rows], dict[str, object]]] = {
    "text among the scores": (with_value("score_gbm_time", "high", 4, 9), {}),
    "a score that is missing": (with_value("score_gbm_time", "", 5, 42), {}),
    "an infinite target": (with_value("y_spend_hold", "inf", 7), {}),
    "a score too large to square": (with_value("score_gbm_time", "1e300", 7), {}),
    "an id twice": (lambda rows: [*rows, rows[3]], {}),
    "an id that is missing": (with_value("customer_id", "", 3), {}),
    "one row": (lambda rows: rows[:1], {}),
    "a negative weight": (with_value("weight", "-1", 3), {"datasets": dataset(weight="weight")}),
    "weights of zero": (
        lambda rows: [{**row, "weight": "0"} for row in rows],
        {"datasets": dataset(weight="weight")},
    ),
    "a weight beyond all measure": (
        with_value("weight", "1e40", 3),
        {"datasets": dataset(weight="weight")},
    ),
    "a filter that leaves nothing": (
        lambda rows: rows,
        {"datasets": dataset(filter="n_orders > 1000")},
    ),
    "a sample larger than the data": (
        lambda rows: rows,
        {"datasets": dataset(sample={"n": 5000, "seed": 1})},
    ),
    "a segment with too many names": (
        lambda rows: [{**row, "when": f"day {at}"} for at, row in enumerate(rows * 3)],
        {"datasets": dataset(segments=["when"], id="when"), "gates": None},
    ),
    "a time that is none": (with_value("cohort", "soon", 2), {"datasets": dataset(time="cohort")}),
    "a value outside its bins": (
        lambda rows: rows,
        {"datasets": dataset(segments=[{"column": "recency_days", "bins": [0, 100]}])},
    ),
}


@pytest.mark.parametrize("name", CONFIGS)
def test_a_broken_config_ends_with_2_and_says_why(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path, **CONFIGS[name])
    assert refused(tmp_path, capfd) == (2, SAYS[name].replace("FOLDER", str(tmp_path)))


@pytest.mark.parametrize("name", DATA)
def test_broken_data_end_with_3_and_say_why(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    change, config = DATA[name]
    put(tmp_path, change(customers()), **config)
    assert refused(tmp_path, capfd) == (3, SAYS[name])


def refused(folder: Path, capfd: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The exit code and the one thing said; an old report is untouched, and nothing is written."""
    (folder / "report").mkdir()
    (folder / "report" / "results.json").write_bytes(LAST)
    before = sorted(path.name for path in folder.iterdir())
    code = call("run", "wallet.yaml", "--out", "report", "--quiet")
    out, err = capfd.readouterr()
    assert out == ""
    assert contents(folder / "report") == {"results.json": LAST}
    assert sorted(path.name for path in folder.iterdir() if path.name != "cache") == before
    return code, err.removesuffix("\n")


@pytest.mark.full
@pytest.mark.parametrize("name", ["a key that is none", "an id twice"])
def test_a_program_of_its_own_says_the_same(name: str, tmp_path: Path) -> None:
    change, config = DATA.get(name, (list, CONFIGS.get(name, {})))
    put(tmp_path, change(customers()), **config)
    code, out, err = shell("run", "wallet.yaml", "--quiet", cwd=tmp_path)
    assert (code, out, err) == (3 if name in DATA else 2, "", SAYS[name] + "\n")
    assert not (tmp_path / "reports").exists()


def test_there_are_more_than_forty_broken_cases() -> None:
    assert len(CONFIGS) + len(DATA) >= 40
    assert SAYS.keys() == {*CONFIGS, *DATA}

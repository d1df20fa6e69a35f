"""What it costs to call one of several classes another: `costs: {matrix: …}` to the page."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import yaml

from tests.end_to_end.wallet import call, heard

NAMES = ("1", "7", "8")
MATRIX = {"7": {"1": 50, "other": 5}, "other": {"other": 2}}
PRICES = np.array([[0.0, 2, 2], [50, 0, 5], [2, 2, 0]])


def put(folder: Path, costs: object, **changes: object) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(4)
    code = draw.integers(0, 3, 90)
    raw = draw.random((90, 3)) + 0.6 * np.eye(3)[code]
    p = raw / raw.sum(axis=1, keepdims=True)
    lines = (
        f"{NAMES[c]},{','.join(map(repr, row.tolist()))},{NAMES[row.argmax()]}\n"
        for c, row in zip(code, p, strict=True)
    )
    (folder / "t.csv").write_text("digit,p_1,p_7,p_8,said\n" + "".join(lines))
    config: dict[str, object] = {
        "version": 1,
        "report": {"title": "Digits"},
        "datasets": {"t": {"path": "t.csv", "target": "digit"}},
        "task": "multiclass",
        "models": {"p": {"columns": "p_{class}", "role": "baseline"}, "said": {"column": "said"}},
        "metrics": [
            "misclassification_cost",
            {"name": "misclassification_cost", "calls": "largest", "as": "as called"},
        ],
        "costs": costs,
        "primary": None,
        "bootstrap": {"replicates": 59, "seed": 1},
        "outputs": ["json", "markdown"],
        **changes,
    }
    given = {key: value for key, value in config.items() if value is not None}
    (folder / "c.yaml").write_text(yaml.safe_dump(given, sort_keys=False))
    return code, p


def test_a_model_calls_what_costs_least_by_its_probabilities(tmp_path: Path) -> None:
    code, p = put(tmp_path, {"matrix": MATRIX, "currency": "EUR"})
    assert call("run", tmp_path / "c.yaml", "--out", tmp_path / "out", "--quiet") == 0
    found = json.loads((tmp_path / "out" / "results.json").read_text())
    each = {(e["key"], e["model"]): (e["value"], e["unit"]) for e in found["estimates"]}
    cheapest, largest = (p @ PRICES).argmin(axis=1), p.argmax(axis=1)
    plain = pytest.approx(PRICES[code, largest].mean())
    assert each["misclassification_cost", "p"] == (
        pytest.approx(PRICES[code, cheapest].mean()),
        "EUR per case",
    )
    assert each["as called", "p"][0] == plain
    assert each["misclassification_cost", "said"][0] == plain == each["as called", "said"][0]
    assert PRICES[code, cheapest].mean() < PRICES[code, largest].mean()


REFUSED = [
    ({"matrix": {"9": {"1": 5}}}, {}, "costs.matrix: there is no class '9'"),
    ({"matrix": {"7": {"9": 5}}}, {}, "costs.matrix: there is no class '9'"),
    ({"matrix": MATRIX, "fp": 1, "fn": 2}, {}, "beside matrix, which are costs of classes"),
    ({"fp": 1, "fn": 2}, {}, "costs: {fp, fn} is for task: binary; remove it here"),
    (None, {}, "misclassification_cost needs costs: {matrix: …}"),
    (
        {"matrix": MATRIX},
        {"task": "regression", "metrics": ["mae"], "models": {"p": {"column": "p_1"}}},
        "costs.matrix is for task: multiclass; remove it",
    ),
]


@pytest.mark.parametrize(("costs", "changes", "said"), REFUSED)
def test_what_a_matrix_of_costs_cannot_say_is_one_line(
    tmp_path: Path, costs: object, changes: dict[str, object], said: str
) -> None:
    put(tmp_path, costs, **changes)
    code, _, told = heard("run", "c.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert (code, said in told) == (2, True), told

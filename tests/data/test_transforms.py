"""Scores are put through a function or a factor on reading, by every engine."""

import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.end_to_end.wallet import heard, put, results

COPY = {"target_copy": "scores made from the target"}
SMALL = {"metrics": ["mae"], "primary": {"metric": "mae"}, "gates": None}


def rows_with(scores, count=40):
    """Rows whose target is 1 to 40, and a score of each from a function of it."""
    return [
        {"customer_id": f"{n:03}", "y_spend_hold": str(n), "old": str(n + 1), "new": scores(n)}
        for n in range(1, count + 1)
    ]


def run(folder, scores, transform, **more):
    path = "wallet.parquet" if "compute" in more else "wallet.csv"
    models = {
        "old": {"column": "old", "role": "baseline", "allow": COPY},
        "new": {"column": "new", "transform": transform, "allow": COPY},
    }
    data = {"holdout": {"path": path, "id": "customer_id", "target": "y_spend_hold"}}
    more = {"bootstrap": {"replicates": 99, "weights": "poisson"}, **more}
    config = put(folder, rows_with(scores), models=models, datasets=data, **SMALL, **more)
    return heard("run", config, "--out", "out", "--quiet", "--no-cache", cwd=folder)


@pytest.mark.parametrize("engine", ["memory", "stream"])
@pytest.mark.parametrize(
    ("transform", "scores", "expected"),
    [
        ("exp", lambda n: "0", sum(n - 1 for n in range(1, 41)) / 40),
        ("expm1", lambda n: "0", sum(range(1, 41)) / 40),
        ({"times": 0.01}, lambda n: str(100 * n + 50), 0.5),
    ],
    ids=["exp", "expm1", "times"],
)
def test_scores_are_transformed_on_reading(tmp_path, engine, transform, scores, expected):
    rows = rows_with(lambda n: float(scores(n)))
    columns = {name: [float(row[name]) for row in rows] for name in ("y_spend_hold", "old", "new")}
    table = {"customer_id": [row["customer_id"] for row in rows], **columns}
    parquet.write_table(pa.table(table), tmp_path / "wallet.parquet")
    code, _, error = run(tmp_path, scores, transform, compute={"engine": engine})
    assert code == 0, error
    (found,) = (e for e in results(tmp_path / "out")["estimates"] if e["model"] == "new")
    assert found["value"] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("transform", "score", "said"),
    [
        ("exp", "200", "`transform: exp` makes 1 score too large to be computed with"),
        ({"times": 1e-40}, "1e-20", "`transform: {times: 1e-40}` makes all scores too small"),
    ],
)
def test_a_score_that_a_transform_takes_out_of_range_is_told_with_its_place(
    tmp_path, transform, score, said
):
    code, _, error = run(tmp_path, lambda n: score if n == 7 else "0", transform)
    assert code == 3
    (line,) = error.strip().splitlines()
    assert (said in line and "row 7" in line) or "line 8" in line, line
    assert "check `transform` under models.new" in line


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ({"columns": {"mean": "new", "sd": "old"}, "transform": "exp"}, "exp of a mean is not"),
        ({"column": "new", "transform": {"times": 0}}, "models.new.transform"),
        ({"column": "new", "transform": "sqrt"}, "models.new.transform"),
    ],
)
def test_a_transform_that_cannot_be_is_refused_at_its_line(tmp_path, model, said):
    models = {"old": {"column": "old", "role": "baseline"}, "new": model}
    config = put(tmp_path, rows_with(str), models=models, **SMALL)
    code, _, error = heard("validate", config, cwd=tmp_path)
    assert code == 2 and said in error and "wallet.yaml:" in error

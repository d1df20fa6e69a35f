"""Few rows, perfect models, scores all tied: every page is made, and no number is invented."""

from pathlib import Path

import numpy as np
import pytest

from tests.end_to_end.wallet import call, results

METRICS = ["kendall", "spearman", "mae", "rmse", "median_ae", "r2"]
CONFIG = f"""
version: 1
report: {{title: Odd rows}}
datasets: {{odd: {{path: odd.csv, id: id, target: y}}}}
task: regression
models: {{first: {{column: first, role: baseline}}, second: {{column: second}}}}
metrics: [{", ".join(METRICS)}]
primary: {{metric: kendall}}
costs: {{under: 4, over: 1, currency: EUR}}
bootstrap: {{replicates: 49, seed: 1}}
outputs: [html, pdf, markdown]
"""
DRAW = np.random.default_rng(1)


def rows(kind: str, n: int) -> np.ndarray:
    y = np.arange(n) * DRAW.integers(0, 2, n) + 0.0
    scores = {
        "perfect": (y, y),
        "perfect but for one": (y, np.append(y[:-1], y[-1] + 1)),
        "tied": (np.full(n, 3.0), np.full(n, 3.0)),
        "wild": (DRAW.normal(size=n), DRAW.normal(size=n)),
    }[kind]
    return np.column_stack([np.arange(n), y, *scores])


@pytest.mark.full
@pytest.mark.parametrize("n", [2, 3, 40])
@pytest.mark.parametrize("kind", ["perfect", "perfect but for one", "tied", "wild"])
def test_the_pages_are_made(kind: str, n: int, tmp_path: Path) -> None:
    table = rows(kind, n)
    np.savetxt("odd.csv", table, "%.17g", ",", header="id,y,first,second", comments="")
    Path("odd.yaml").write_text(CONFIG, encoding="utf-8")
    # Too few rows to judge by, and an order that nothing is known of, give pages without a verdict.
    code = 3 if n < 20 or kind == "tied" else 0
    assert call("run", "odd.yaml", "--out", "out", "--quiet", "--no-cache") == code
    assert {path.name for path in Path("out").iterdir()} >= {"report.html", "report.pdf"}
    found = {(e["key"], e["model"]): e for e in results(Path("out"))["estimates"]}
    error = np.abs(table[:, 2] - table[:, 1]).mean()
    assert found["mae", "first"]["value"] == pytest.approx(error, rel=1e-9)
    is_ranked = len(set(table[:, 1])) > 1 and len(set(table[:, 2])) > 1
    assert (found["kendall", "first"]["status"] == "ok") == is_ranked

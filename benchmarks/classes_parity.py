"""Metrics of classes beside other people's programs, on the customers and tables of `configs/data`.

    python benchmarks/classes_parity.py

It needs model-diagnostics, statsmodels, scikit-learn and scikit-posthocs, none of which the package
depends on, and writes benchmarks/results/classes_parity.md.
"""

from __future__ import annotations

import csv
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import scikit_posthocs as posthocs
import statsmodels.api as sm
from model_diagnostics.scoring import LogLoss, SquaredError, decompose
from scipy import stats
from sklearn import metrics as sk
from statsmodels.stats.multitest import multipletests

from reportgen.inference.across_datasets import critical_distance, friedman_test, wilcoxon_p_value
from reportgen.inference.multiplicity import holm_p_values
from reportgen.kernels.batch import Vector
from reportgen.metrics.metric import METRICS
from reportgen.metrics.rows import Classes

DATA = Path(__file__).parents[1] / "configs" / "data"
RESULT = Path(__file__).parent / "results" / "classes_parity.md"
MODELS = {"logistic": "p_logreg", "forest": "p_rf", "boosted": "p_gbm"}
CLIP = 1e-6
Row = tuple[str, str, str, float, float]


def customers() -> tuple[Vector, dict[str, Vector]]:
    """Who left, and the probability of it by each model."""
    with (DATA / "churn.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    scores = {m: np.array([float(r[c]) for r in rows]) for m, c in MODELS.items()}
    return np.array([float(r["y_test"]) for r in rows]), scores


def ours(name: str, y: Vector, p: Vector, weight: Vector, **params: object) -> float:
    """The value of a metric by its own definition."""
    rows = Classes(y.astype(np.intp), p[:, None], ("0", "1"))
    return METRICS[name].use(**params).bind(rows).define(weight)  # type: ignore[arg-type]


def of_customers() -> Iterator[Row]:
    """Calibration, areas and calls, without weights and with some."""
    y, models = customers()
    weights = {"": np.ones(len(y)), ", weighted": 0.5 + np.arange(len(y)) % 7}
    for model, p in models.items():
        for kind, w in weights.items():
            for name, who, value, params in theirs(y, p, w):
                of = " of the log loss" if params.get("loss") == "log_loss" else ""
                yield f"{name}{of}{kind}", model, who, ours(name, y, p, w, **params), value


Told = Iterator[tuple[str, str, float, dict[str, object]]]


def theirs(y: Vector, p: Vector, w: Vector) -> Told:
    """What the others say: the metric, the program, its value and our parameters."""
    for score, loss in (("brier", SquaredError()), ("log_loss", LogLoss())):
        if score == "log_loss" and ((p <= 0) | (p >= 1)).any():
            continue  # a decomposition of a loss that is infinite is none
        parts = decompose(y, p, weights=w, scoring_function=loss).row(0, named=True)
        for name in ("miscalibration", "discrimination"):
            yield name, "model-diagnostics", float(parts[name]), {"loss": score}
    q = np.clip(p, CLIP, 1 - CLIP)
    z = np.log(q / (1 - q))
    both, ones = sm.add_constant(z), np.ones((len(y), 1))
    family, given = sm.families.Binomial(), {"freq_weights": w}
    fitted = sm.GLM(y, both, family=family, **given).fit(tol=1e-13)
    yield "calibration_slope", "statsmodels", float(fitted.params[1]), {}
    level = sm.GLM(y, ones, family=family, offset=z, **given).fit(tol=1e-13)
    yield "calibration_intercept", "statsmodels", float(level.params[0]), {}
    yield "roc_auc", "scikit-learn", sk.roc_auc_score(y, p, sample_weight=w), {}
    found = sk.average_precision_score(y, p, sample_weight=w)
    yield "average_precision", "scikit-learn", found, {}
    called = p >= 0.5
    calls: dict[str, Callable[..., float]] = {
        "recall": sk.recall_score,
        "precision": sk.precision_score,
        "f": sk.f1_score,
        "mcc": sk.matthews_corrcoef,
        "kappa": sk.cohen_kappa_score,
        "balanced_accuracy": sk.balanced_accuracy_score,
    }
    for name, function in calls.items():
        yield name, "scikit-learn", float(function(y, called, sample_weight=w)), {}


def of_tables() -> Iterator[Row]:
    """Five models on 16 data sets: all at once, and pair by pair."""
    table = pd.read_csv(DATA / "auc-matrix.csv")
    values = table[["logreg", "gnb", "tree", "rf", "hgb"]].to_numpy()
    found = friedman_test(values, True)
    chi, p = stats.friedmanchisquare(*values.T)
    yield "Friedman's χ²", "all", "scipy", found.chi_squared, float(chi)
    yield "its p-value", "all", "scipy", found.p_chi_squared, float(p)
    names = list(table.columns[1:6])
    k, n = values.shape[1], len(values)
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
    nemenyi = posthocs.posthoc_nemenyi_friedman(values).to_numpy()
    raw = np.array([wilcoxon_p_value(values[:, i] - values[:, j]) for i, j in pairs])
    known = [stats.wilcoxon(values[:, i], values[:, j], method="exact").pvalue for i, j in pairs]
    adjusted = multipletests(known, method="holm")[1]
    for (i, j), one, other in zip(pairs, holm_p_values(raw), adjusted, strict=True):
        pair = f"{names[j]} − {names[i]}"
        yield "signed ranks, Holm", pair, "scipy, statsmodels", float(one), float(other)
    apart = np.abs(np.subtract.outer(found.mean_ranks, found.mean_ranks))
    mine = apart >= critical_distance(k, n, 0.95)
    for i, j in pairs:
        pair = f"{names[j]} − {names[i]}"
        theirs_apart = float(nemenyi[i, j] <= 0.05)
        yield "apart by Nemenyi", pair, "scikit-posthocs", float(mine[i, j]), theirs_apart


def main() -> None:
    """Write the table, and stop if any two numbers differ by more than 1 in 1,000,000."""
    warnings.simplefilter("ignore")
    rows = [*of_customers(), *of_tables()]
    packages = ("model-diagnostics", "statsmodels", "scikit-learn", "scikit-posthocs", "scipy")
    said = ", ".join(f"{name} {version(name)}" for name in packages)
    off = [abs(mine - other) / max(abs(other), 1e-12) for *_, mine, other in rows]
    lines = [
        "# Metrics of classes beside other programs",
        "",
        f"Made by `python benchmarks/classes_parity.py` with {said}, on the customers of "
        "`configs/churn.yaml` and the tables of `configs/auc-matrix.yaml`. The largest of "
        f"{len(rows)} relative differences is {max(off):.1e}.",
        "",
        "| what | of | by | ours | theirs | relative difference |",
        "| --- | --- | --- | ---: | ---: | ---: |",
    ]
    for (what, of, who, mine, other), gap in zip(rows, off, strict=True):
        lines.append(f"| {what} | {of} | {who} | {mine:.10g} | {other:.10g} | {gap:.0e} |")
    RESULT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert max(off) < 1e-6, max(zip(off, rows, strict=True))


if __name__ == "__main__":
    main()

"""How a config asks for what scikit-learn calls by another name: its scorers, by task.

A test holds every line against the metrics and the parameters that there are, and every scorer of
scikit-learn to be here, to be called the same, or to have no equivalent.
"""

from __future__ import annotations

from collections.abc import Mapping

_AVERAGES = ("macro", "micro", "weighted")


def _averaged(theirs: str, own: str) -> dict[str, dict[str, str]]:
    """What is averaged over classes or labels, by each way to average."""
    ways = {way: ("multiclass", "multilabel") for way in _AVERAGES} | {"samples": ("multilabel",)}
    return {
        f"{theirs}_{way}": dict.fromkeys(tasks, f"{{name: {own}, average: {way}}}")
        for way, tasks in ways.items()
    }


def _of(task: str, **names: str) -> dict[str, dict[str, str]]:
    return {theirs: {task: own} for theirs, own in names.items()}


SCORERS: Mapping[str, Mapping[str, str]] = {
    **_averaged("f1", "f"),
    **_averaged("precision", "precision"),
    **_averaged("recall", "recall"),
    **_averaged("jaccard", "jaccard"),
    "f1": dict.fromkeys(("binary", "multiclass", "multilabel"), "f"),
    "matthews_corrcoef": dict.fromkeys(("binary", "multiclass"), "mcc"),
    "neg_log_loss": dict.fromkeys(("binary", "multiclass"), "log_loss"),
    "qwk": {"multiclass": "{name: kappa, weights: quadratic}"},
    "neg_brier_score": dict.fromkeys(("binary", "multiclass"), "brier"),
    **_of(
        "binary",
        d2_brier_score="brier_skill",
        d2_log_loss_score="log_loss_skill",
        positive_likelihood_ratio="lr_positive",
        neg_negative_likelihood_ratio="lr_negative",
    ),
    **_of(
        "multiclass",
        roc_auc_ovr="{name: roc_auc, average: ovr}",
        roc_auc_ovr_weighted="{name: roc_auc, average: ovr_weighted}",
        roc_auc_ovo="{name: roc_auc, average: ovo}",
        roc_auc_ovo_weighted="{name: roc_auc, average: ovo_weighted}",
    ),
    **_of(
        "regression",
        neg_mean_absolute_error="mae",
        neg_mean_squared_error="mse",
        neg_root_mean_squared_error="rmse",
        neg_median_absolute_error="median_ae",
        neg_mean_absolute_percentage_error="mape",
        neg_root_mean_squared_log_error="rmsle",
        neg_mean_poisson_deviance="{name: deviance, power: 1}",
        neg_mean_gamma_deviance="{name: deviance, power: 2}",
    ),
}
"""Of each scorer that has another name here, by task what a config lists under `metrics`."""

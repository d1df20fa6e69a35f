"""The registry of metrics. Importing this package registers all of them.

Every metric is also a function here: `reportgen.metrics.kendall(y, score, weight=None)`.
"""

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules

from reportgen.metrics.array_functions import make_array_function, scorer
from reportgen.metrics.metric import METRICS, BoundMetric, Metric, rowwise, whole
from reportgen.metrics.statistic import Parameter, bucket_statistic

for _family in "classification regression retrieval external_scores item_scores".split():
    _package = import_module(f"{__name__}.{_family}")
    for _module in iter_modules(getattr(_package, "__path__", ())):
        import_module(f"{_package.__name__}.{_module.name}")

# The order in which metrics are listed, and suggested where one does not fit. (It was the
# alphabetical order of the files, and changed with the name of any.)
ORDER = """
kendall kendall_a tau_tilde regression_auc tied_scores cutoff_auc roc_auc gini f jaccard
fowlkes_mallows g_mean balanced_accuracy youden markedness mcc kappa lr_positive lr_negative
odds_ratio net_benefit mae mse rmse r2 median_ae bias error_variance mean_cost ranking_last
ranking_first ranking_difference ranking_slope deviance accuracy error_rate precision recall
specificity npv fpr fnr fdr flagged found missed false_positives binary_ranking_last
binary_ranking_first binary_ranking_difference binary_ranking_slope log_loss brier brier_skill
log_loss_skill calibration_bias calibration_slope calibration_intercept oe_ratio calibration_error
ece miscalibration discrimination misclassification_cost multiclass_misclassification_cost
partial_auc ks decayed_auc decayed_average_precision h_measure multiclass_ece average_precision
pr_auc multilabel_roc_auc multilabel_average_precision multilabel_precision multilabel_recall
multilabel_f multilabel_jaccard subset_accuracy hamming_loss lrap coverage_error ranking_loss
one_error multilabel_log_loss multilabel_brier multiclass_accuracy multiclass_error_rate
class_distance multiclass_balanced_accuracy multiclass_precision multiclass_recall multiclass_f
multiclass_jaccard multiclass_mcc multiclass_kappa multiclass_roc_auc multiclass_log_loss
multiclass_brier rps top_k_accuracy topk_capture binary_recall_at fpr_at binary_precision_at
capture lift binary_fap smooth_ece spearman rho_tilde pearson pinball asymmetric_cost expected_cost
expected_cost_optimal expected_cost_fitted expected_cost_density expected_cost_by_row
expected_cost_by_row_fitted finished_score item_score pass_at
pass_all interval_score weighted_interval_score crps
quantile_coverage mape wape smape rmsle mase
precision_at recall_at f_at r_precision success_at rr judged_at cg dcg ndcg rbp rbp_residual err
query_kendall query_spearman query_pearson tau_ap ap gmap gap bpref query_auc fap iprec
eleven_point over under heaven_distance aoc
"""
_PLACES = {_name: _place for _place, _name in enumerate(ORDER.split())}
for _name in sorted(METRICS, key=lambda name: _PLACES.get(name, len(_PLACES))):
    METRICS[_name] = METRICS.pop(_name)

__all__ = [
    "METRICS",
    "BoundMetric",
    "Metric",
    "Parameter",
    "bucket_statistic",
    "rowwise",
    "scorer",
    "whole",
]


def __getattr__(name: str) -> Callable[..., float]:
    """Return a metric by its name, as a function of arrays."""
    if name in METRICS:
        return make_array_function(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *METRICS})

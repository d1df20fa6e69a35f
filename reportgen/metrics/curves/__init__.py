"""The registry of curves. Importing this package registers every curve beside it."""

from importlib import import_module
from pkgutil import iter_modules

from reportgen.metrics.curves.curve import CURVES, BoundCurve, Curve, Trace, curve

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

# The order in which a report shows curves where its config names none. (It was the alphabetical
# order of the files, and changed with the name of any.)
ORDER = """
distribution_y distribution_score distribution_error error_density score_density
score_density_of_negatives ndcg_at_k recall_at_k precision_at_k f_at_k fap_at_k success_at_k
judged_at_k precision_by_prevalence interpolated_precision raw_precision decision_curve
net_benefit_of_all precision_by_threshold recall_by_threshold flagged_by_threshold f_by_threshold
cost_by_threshold calibration murphy roc det precision_recall concordance concordance_envelope
concordance_lowest auc_by_cutoff rroc cost cumulative_gains best_cumulative_gains cumulative_lift
positives_by_bucket cumulative_cost cost_lines cost_of_one_call brier_curve
interpolated_precision_recall rank_lift rank_lift_best rank_lift_worst gain gain_best lift
concentration lorenz row_log_loss costliest_rows log_loss_shares query_roc ranking reliability
reliability_bins rec error_by_rank bucket_calibration
"""
_PLACES = {_name: _place for _place, _name in enumerate(ORDER.split())}
for _name in sorted(CURVES, key=lambda name: _PLACES.get(name, len(_PLACES))):
    CURVES[_name] = CURVES.pop(_name)

__all__ = ["CURVES", "BoundCurve", "Curve", "Trace", "curve"]

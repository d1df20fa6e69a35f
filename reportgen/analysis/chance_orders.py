"""The order of each model next to that of chance, on rows whose columns are in memory."""

from __future__ import annotations

from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.checks.orders import ChanceOrder, RowDesign, measure_auc, measure_spearman
from reportgen.metrics.rows import Amounts, Classes


def measure_chance_orders(analysis: DatasetAnalysis) -> dict[str, ChanceOrder]:
    """Measure the order of the models that have one, by their names."""
    design = analysis.plan.sampling.design
    of_rows, orders = RowDesign(design.weight, design.unit), {}
    for model in analysis.plan.models:
        rows, order = model.rows, None
        if isinstance(rows, Amounts):
            order = measure_spearman(rows.outcome, rows.ranking, of_rows)
        elif isinstance(rows, Classes) and len(rows.labels) == 2 and rows.scale != "label":
            order = measure_auc(rows.y, rows.score, of_rows)
        if order is not None:
            orders[model.name] = order
    return orders

"""Results made of a few numbers: differences with their limits, judged by the rules themselves."""

from collections import Counter
from dataclasses import replace

from reportgen.report.selection import orient_difference
from reportgen.results.core import ModelInfo, ModelPair, SegmentInfo
from reportgen.results.verdicts import decide_verdict
from tests.report.sections import results_factory as made

TAU = made.metric("kendall", "Kendall's τ-b", "higher", "1", "order", is_primary=True, margin=0.01)
AUC = made.metric(
    "regression_auc", "Regression AUC", "higher", "1", "order", params={"ties": "half"}
)
MAE = made.metric("mae", "Mean absolute error", "lower", "$", "amount")
CAPTURE = made.metric(
    "topk_capture",
    "Capture of the top",
    "higher",
    "share",
    "order",
    phrase="spend captured by the best 20%",
)
COST = made.metric("expected_cost", "cost", "lower", "$ per case", "amount", margin=1.0)
REPEAT = SegmentInfo("buyer=repeat", "buyer", "repeat", 9_616, "Customers", "Repeat")


def compared(info, low, high, model="boost", *, margin=None, **more):
    """Make a comparison with these limits, and its verdict by the rule."""
    margin = info.margin if margin is None else margin
    return made.comparison(
        replace(info, margin=margin),
        (low + high) / 2,
        low,
        high,
        decide_verdict(low, high, margin, info.better),
        candidate=model,
        **more,
    )


def results(
    *comparisons,
    models=("boost",),
    metrics=(TAU, AUC, MAE, CAPTURE, COST),
    level=(),
    gates=(),
    segments=(),
    **report,
):
    """Results of these comparisons; `level` are models not distinguishable from the best."""
    labels = {"boost": "Gradient boosting", "rfm": "RFM", "last91": "Spend of the last 91 days"}
    candidates = tuple(ModelInfo(m, labels.get(m, m), "candidate", "amount") for m in models)
    keys = {c.key for c in comparisons}
    infos = tuple(m for m in metrics if m.key in keys)
    found = tuple(
        made.estimate(model, info, value, value - 0.01, value + 0.01, segment=c.segment, n=c.n)
        for info in infos
        for c in comparisons
        if c.key == info.key
        for model, value in ((c.candidate, 0.5 + c.difference), ("clv", 0.5))
    )
    primary = next((m.key for m in infos if m.is_primary), None)
    sizes = Counter(c.family for c in comparisons if c.low is not None)
    comparisons = tuple(
        replace(c, family_size=max(sizes[c.family], 1)) if c.family == "choice" else c
        for c in comparisons
    )
    base = made.wallet()
    first = [c for c in comparisons if c.key == primary and c.segment is None]
    ahead = max(first, key=orient_difference, default=None)
    best = ahead.candidate if ahead is not None and orient_difference(ahead) > 0 else "clv"
    pairs = tuple(
        ModelPair(
            "holdout",
            primary,
            best,
            m,
            "higher",
            0.1,
            -0.1 if m in level else 0.05,
            0.2,
            0.95,
            "best",
            1,
            None,
            "cannot tell" if m in level else "better",
        )
        for m in (*models, "clv")
        if m != best
    )
    return replace(
        base,
        report=replace(base.report, **report),
        inference=made.inference(primary=primary),
        models=(made.CLV, *candidates),
        metrics=infos,
        datasets=(made.holdout((made.CLV, *candidates), segments),),
        estimates=tuple({(e.model, e.key, e.segment): e for e in found}.values()),
        comparisons=comparisons,
        gates=gates,
        warnings=(),
        pairs=pairs,
        sensitivity=replace(base.sensitivity, deletions=()),
    )

"""Realistic results for tests: the wallet study with one, two and ten models."""

from dataclasses import replace

from reportgen.analysis.costs.rroc_plane import LINES
from reportgen.analysis.curves import iter_curve_infos
from reportgen.metrics import METRICS
from reportgen.metrics.curves import CURVES
from reportgen.results import Results
from reportgen.results.core import (
    ColumnProfile,
    Comparison,
    DatasetInfo,
    Estimate,
    GateResult,
    Inference,
    InputFile,
    MetricInfo,
    ModelInfo,
    ReportInfo,
    SegmentInfo,
    Warning,
    WaterfallStep,
)
from reportgen.results.costs import (
    CostAnalysis,
    CostDecision,
    CostModelInfo,
    CostOption,
    IntervalEstimate,
    ModelCost,
)
from reportgen.results.curves import CurveResult
from reportgen.results.sensitivity import (
    CaseDeletion,
    Deletion,
    Influence,
    NamedRow,
    RankProbabilities,
    Sensitivity,
    TailShares,
)

CURVE_INFOS = (*iter_curve_infos(CURVES.values()), *LINES)
N = 23_570
CLV = ModelInfo("clv", "CLV", "baseline", "amount")
BOOST = ModelInfo("boost", "Gradient boosting", "candidate", "amount")


def metric(key, label, better, unit, needs, **more):
    bounds = more.pop("bounds", (-1.0, 1.0) if needs == "order" else (0.0, None))
    return MetricInfo(
        key=key,
        name=key,
        params=more.pop("params", {}),
        label=label,
        better=better,
        unit=unit,
        bounds=bounds,
        definition=f"{label}, as its paper defines it.",
        undefined="every y is equal",
        cite="doi:10.1093/biomet/30.1-2.81",
        needs=needs,
        asks=METRICS[key].asks if key in METRICS else "",
        kind=more.pop("kind", METRICS[key].kind if key in METRICS else needs),
        **more,
    )


KENDALL = metric(
    "kendall",
    "Kendall τ-b",
    "higher",
    "1",
    "order",
    margin=0.01,
    margin_text="0.01",
    is_primary=True,
)
SPEARMAN = metric("spearman", "Spearman ρ", "higher", "1", "order")
AUC = metric("regression_auc", "Regression AUC", "higher", "1", "order", bounds=(0.0, 1.0))
MAE = metric("mae", "Mean absolute error", "lower", "dollars", "amount")
RMSE = metric("rmse", "Root mean squared error", "lower", "dollars", "amount")
COST = metric(
    "asymmetric_cost", "Asymmetric cost", "lower", "dollars", "amount", params={"alpha": 0.8}
)

# metric: baseline value, low, high; candidate's; difference, low, high
WALLET = (
    (KENDALL, (0.337, 0.326, 0.347, 0.356, 0.346, 0.365, 0.018, 0.0108, 0.0252, "clearly better")),
    (SPEARMAN, (0.428, 0.414, 0.440, 0.443, 0.432, 0.455, 0.016, 0.006, 0.024, "better")),
    (AUC, (0.733, 0.726, 0.739, 0.738, 0.732, 0.744, 0.005, 0.0003, 0.010, "better")),
    (MAE, (33.3, 32.3, 34.5, 38.6, 37.4, 40.0, 5.3, 4.7, 5.9, "worse")),
    (RMSE, (92.3, 80.8, 103.2, 104.5, 92.4, 117.1, 12.2, 4.5, 20.9, "worse")),
    (COST, (36.1, 34.5, 38.0, 34.8, 33.3, 36.7, -1.3, -2.0, -0.5, "better")),
)


def estimate(model, info, value, low, high, **more):
    return Estimate(
        dataset=more.pop("dataset", "holdout"),
        segment=more.pop("segment", None),
        model=model,
        key=info.key,
        metric=info.name,
        params=info.params,
        unit=info.unit,
        value=value,
        low=low,
        high=high,
        level=0.95,
        method="influence" if info.needs == "order" else "paired t",
        se=(high - low) / 3.92 if high is not None and low is not None else None,
        n=more.pop("n", N),
        **more,
    )


def comparison(info, difference, low, high, word, **more):
    candidate, baseline = more.pop("candidate", "boost"), more.pop("baseline", "clv")
    is_gain = (difference or 0) * (1 if info.better == "higher" else -1) > 0
    return Comparison(
        dataset=more.pop("dataset", "holdout"),
        segment=more.pop("segment", None),
        key=info.key,
        metric=info.name,
        params=info.params,
        unit=info.unit,
        better=info.better,
        candidate=candidate,
        baseline=baseline,
        difference=difference,
        favours=None if not difference else (candidate if is_gain else baseline),
        low=low,
        high=high,
        level=0.95,
        method="bootstrap standard error",
        se=0.004,
        p_value=more.pop("p", 0.0004),
        p_adjusted=more.pop("p_adjusted", 0.003),
        test="z",
        probability_better=more.pop("probability", 0.999 if is_gain else 0.001),
        margin=more.pop("margin", info.margin),
        word=word,
        family=more.pop("family", "choice" if info.is_primary else "metrics"),
        n=more.pop("n", N),
        smallest_detectable=more.pop("smallest", 0.010),
        **more,
    )


def profile(role, model, column, **more):
    numbers = {
        "n": N,
        "distinct": 4000,
        "zeros": 16_500,
        "minimum": 0.0,
        "q25": 0.0,
        "median": 0.0,
        "mean": 33.0,
        "q75": 20.0,
        "maximum": 6552.7,
        "sd": 120.0,
        "mode": 0.0,
        "mode_share": 0.7,
        "tied_pairs": 0.49,
    }
    return ColumnProfile(role, model, column, **{**numbers, **more})


def holdout(models, segments):
    return DatasetInfo(
        name="holdout",
        role="test",
        target="spend",
        unit="dollars",
        n=N,
        weight=None,
        cluster=None,
        clusters=None,
        design="customers resampled independently",
        inputs=(InputFile("data/cdnow.csv", "labels and scores", "9f2b" * 16, N, 1_234_567),),
        waterfall=(
            WaterfallStep("read data/cdnow.csv", 23_574, 0, ""),
            WaterfallStep("missing spend", N, 4, "spend is empty"),
        ),
        columns=(
            profile("y", None, "spend"),
            *(profile("score", m.name, m.name, zeros=0, tied_pairs=0.02) for m in models),
        ),
        segments=tuple(segments),
    )


def inference(primary="kendall", against="baseline"):
    return Inference(1999, 7, 0.95, "auto", against, "max-T", primary, "holdout")


REPORT = ReportInfo(
    title="Customer wallet models, autumn review",
    id="WALLET-2026-11",
    question="Should the boosted model replace the CLV model for the spring campaign?",
    classification="internal",
    status_reason="two limitations not signed off",
    limitations=("One cohort year; stability over time is not tested.",),
    sign_off=({"name": "A. Reader", "role": "Validator"},),
)
ONE_TIME = SegmentInfo("buyer=one-time", "buyer", "one-time", 13_954)
REPEAT = SegmentInfo("buyer=repeat", "buyer", "repeat", 9_616)
PROVENANCE = {
    "command": "reportgen run configs/wallet.yaml",
    "time": "2026-11-21T09:00:00Z",
    "python": "3.11.7",
    "versions": {"reportgen": "0.1.0", "numpy": "2.1.0"},
}


def gate(name, status, **more):
    return GateResult(
        name=name,
        status=status,
        reason=more.pop("reason", ""),
        rule=more.pop("rule", "below"),
        dataset="holdout",
        segment=None,
        key=more.pop("key", "mae"),
        metric="mae",
        model="boost",
        against=None,
        bound=more.pop("bound", 40.0),
        value=more.pop("value", 38.6),
        low=more.pop("low", 37.4),
        high=more.pop("high", 40.0),
        level=0.95,
        inconclusive=more.pop("inconclusive", "warn"),
    )


def ranking(model, ys):
    return CurveResult(
        dataset="holdout",
        segment=None,
        curve="ranking",
        params={"buckets": len(ys), "statistic": "mean"},
        model=model,
        baseline=None,
        x=tuple(float(i) for i in range(1, len(ys) + 1)),
        y=tuple(ys),
        low=tuple(y * 0.9 for y in ys),
        high=tuple(y * 1.1 for y in ys),
        band_low=tuple(y * 0.85 for y in ys),
        band_high=tuple(y * 1.15 for y in ys),
        level=0.95,
        method="sup-t",
        n=N,
        y_unit="dollars",
        marks={"random": 33.04},
    )


def distribution(curve, model):
    return CurveResult(
        dataset="holdout",
        segment=None,
        curve=curve,
        params={},
        model=model,
        baseline=None,
        x=(5.0, 15.0, 25.0),
        y=(0.2, 0.08, 0.02),
        low=(),
        high=(),
        band_low=(),
        band_high=(),
        level=0.95,
        method="",
        n=N,
        marks={"zeros": 0.7} if curve == "distribution_y" else {},
    )


def around(value, by):
    return IntervalEstimate(value, value - by, value + by)


def decisions():
    """At four to one the candidate is cheapest, as it is and with a constant that hardly helps."""
    saving, nothing = around(3200.0, 1900.0), around(0.0, 0.0)
    today = ModelCost(
        "clv", nothing, around(90200.0, 4000.0), nothing, saving, nothing, 0.003, True
    )
    best = ModelCost(
        "boost", nothing, around(87000.0, 4000.0), saving, nothing, nothing, 0.997, False
    )
    plain = CostDecision(
        0.8,
        4.0,
        1.0,
        "none",
        "boost",
        best.cost,
        saving,
        nothing,
        around(0.035, 0.025),
        True,
        (),
        (today, best),
    )
    moved = replace(best, constant=IntervalEstimate(0.2, -1.6, 1.7))
    return plain, replace(plain, shift="optimal", models=(today, moved))


def options():
    """What can be put to use in that decision: the models as they are."""
    today, best = decisions()[0].models
    kept = CostOption(
        0.8,
        "clv",
        "none",
        0,
        IntervalEstimate(),
        today.cost,
        today.saving,
        around(0.0, 0.0),
        today.excess,
        True,
        False,
    )
    other = replace(
        kept,
        model="boost",
        cost=best.cost,
        saving=best.saving,
        saving_share=around(0.035, 0.025),
        excess=best.excess,
        is_distinguishable=False,
        is_advised=True,
    )
    return kept, other


def costs(dataset="holdout"):
    """What is found of costs with that decision."""
    model = CostModelInfo("linlin", 5.0, "EUR", 1000, True, 0.8, False, None)
    return CostAnalysis(dataset, model, decisions(), options(), ())


def sensitivity(*, is_judged=True, ids=()):
    """Ranks, influence, tails and case deletion as a study of the wallet finds them."""
    row = NamedRow(ids[0], {"y": ids[1], "score": ids[2]}) if ids else None
    alone = Deletion(
        "boost",
        "clv",
        1,
        "clv",
        0.0175,
        None,
        None,
        None,
        "better",
        None,
        None,
        False,
        False,
        ids[:1] or None,
    )
    many = replace(alone, rows=236, difference=-0.012, is_turned=True)
    if is_judged:
        alone = replace(alone, low=0.01, high=0.025, word="better", is_changed=False)
        many = replace(many, low=-0.019, high=-0.005, word="worse", is_changed=True)
    if ids:
        many = replace(many, ids=tuple(ids[:1] * 10))
    return Sensitivity(
        ranks=(
            RankProbabilities("holdout", "kendall", "clv", (0.0005, 0.9995)),
            RankProbabilities("holdout", "kendall", "boost", (0.9995, 0.0005)),
            RankProbabilities("holdout", "rmse", "clv", (1.0, 0.0)),
            RankProbabilities("holdout", "rmse", "boost", (0.0, 1.0)),
        ),
        influence=(
            Influence("holdout", "kendall", "boost", 0.3557, 0.3559, 0.0005, "every row", row),
            Influence("holdout", "rmse", "boost", 104.5, 100.5, -0.038, "every row", row),
        ),
        tails=(TailShares("holdout", "boost", 236, 0.19, 0.7),),
        deletions=(
            CaseDeletion("holdout", "kendall", "1", "greedy by influence", 1, 1, (alone, many)),
        ),
    )


def wallet():
    """The candidate ranks better, predicts amounts worse, and loses among repeat customers."""
    estimates, comparisons = [], []
    for info, (base, b_low, b_high, value, low, high, *difference) in WALLET:
        estimates += [
            estimate("clv", info, base, b_low, b_high),
            estimate("boost", info, value, low, high),
        ]
        comparisons.append(comparison(info, *difference))
    comparisons += [
        comparison(
            KENDALL,
            0.015,
            -0.002,
            0.033,
            "not worse",
            segment="buyer=one-time",
            n=13_954,
            p_adjusted=0.09,
        ),
        comparison(
            KENDALL,
            -0.017,
            -0.023,
            -0.011,
            "clearly worse",
            segment="buyer=repeat",
            n=9_616,
            p_adjusted=0.004,
        ),
    ]
    estimates += [
        estimate(name, KENDALL, value, value - 0.012, value + 0.012, segment=s.segment, n=s.n)
        for s, values in ((ONE_TIME, (0.301, 0.316)), (REPEAT, (0.318, 0.301)))
        for name, value in zip(("clv", "boost"), values, strict=True)
    ]
    models = (CLV, BOOST)
    heavy = {"top_share": 0.87, "tail_index_bound": 1.12, "n": N}
    return Results(
        task="regression",
        report=REPORT,
        inference=inference(),
        models=models,
        metrics=tuple(info for info, _ in WALLET),
        datasets=(holdout(models, (ONE_TIME, REPEAT)),),
        estimates=tuple(estimates),
        comparisons=tuple(comparisons),
        curve_infos=CURVE_INFOS,
        curves=(
            ranking("clv", (10.0, 8.0, 9.0, 10.0, 9.0, 11.0, 16.0, 31.0, 57.0, 170.0)),
            ranking("boost", (6.0, 7.0, 7.0, 8.0, 11.0, 15.0, 20.0, 32.0, 57.0, 170.4)),
            distribution("distribution_y", ""),
            distribution("distribution_error", "clv"),
            distribution("distribution_error", "boost"),
        ),
        sensitivity=sensitivity(),
        gates=(
            gate("ranks no worse than CLV", "met"),
            gate("mean absolute error under 40", "cannot tell"),
        ),
        warnings=(Warning("W103", "", heavy, "holdout", None, "rmse", "boost"),),
        config={"task": "regression", "models": ["clv", "boost"]},
        provenance=dict(PROVENANCE),
    )


def alone():
    """One model: scores without a comparison."""
    full = wallet()
    model = replace(BOOST, role="baseline")
    return replace(
        full,
        inference=inference(),
        models=(model,),
        datasets=(holdout((model,), (ONE_TIME, REPEAT)),),
        estimates=tuple(e for e in full.estimates if e.model == "boost"),
        comparisons=(),
        curves=tuple(c for c in full.curves if c.model != "clv"),
        sensitivity=replace(full.sensitivity, ranks=(), deletions=()),
        gates=(),
        warnings=(),
    )


def crowd(models=10, metrics=40, segments=60):
    """Many of everything: half the candidates better on the primary metric, a few worse."""
    candidates = tuple(
        ModelInfo(f"m{i}", f"Model {i}", "candidate", "amount") for i in range(1, models)
    )
    infos = (KENDALL, *(_numbered(i) for i in range(2, metrics + 1)))
    slices = tuple(SegmentInfo(f"shop={i}", "shop", str(i), 400) for i in range(segments))
    estimates = [_level(info, m, i) for info in infos for i, m in enumerate(candidates)]
    estimates += [estimate("clv", info, 0.3, 0.29, 0.31) for info in infos]
    compared = [_nth(info, m, i) for info in infos for i, m in enumerate(candidates)]
    compared += [
        _nth(KENDALL, m, i + j, segment=s.segment, n=s.n)
        for i, m in enumerate(candidates)
        for j, s in enumerate(slices)
    ]
    every = (CLV, *candidates)
    return Results(
        task="regression",
        report=replace(REPORT, limitations=(), sign_off=()),
        inference=inference(),
        models=every,
        metrics=infos,
        datasets=(holdout(every, slices),),
        estimates=tuple(estimates),
        comparisons=tuple(compared),
        curve_infos=CURVE_INFOS,
        curves=tuple(ranking(m.name, (5.0, 9.0, 30.0 + i)) for i, m in enumerate(every)),
        gates=tuple(
            gate(f"gate {i}", "not met" if i == 3 else "met", key="kendall") for i in range(12)
        ),
        warnings=tuple(
            Warning("W103", "", {"top_share": 0.5 + 0.001 * i}, "holdout", None, info.key, m.name)
            for i, info in enumerate(infos)
            for m in every
        ),
        provenance=dict(PROVENANCE),
    )


def _numbered(i):
    needs = "order" if i % 2 else "amount"
    better = "higher" if i % 2 else "lower"
    return metric(f"metric_{i}", f"Measure {i}", better, "1" if i % 2 else "dollars", needs)


def _level(info, model, i):
    """The baseline's 0.3 and the difference."""
    value = 0.3 + _nth(info, model, i).difference
    return estimate(model.name, info, value, value - 0.01, value + 0.01)


def _nth(info, model, i, **where):
    """A difference that is clearly better, not worse, open or clearly worse by turns."""
    low, high, word = (
        (0.011, 0.025, "clearly better"),
        (-0.004, 0.014, "not worse"),
        (-0.03, 0.03, "cannot tell"),
        (-0.025, -0.011, "clearly worse"),
    )[i % 4]
    if info.better == "lower":
        low, high = -high, -low
    return comparison(
        info,
        (low + high) / 2,
        low,
        high,
        word,
        candidate=model.name,
        **where,
    )

"""Every design: what it draws, that its spread is right, and that nothing else moves it."""

import tracemalloc
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.plans import change_plan
from reportgen.analysis.comparisons import iter_comparisons
from reportgen.analysis.dataset_analysis import draw_replicates
from reportgen.analysis.estimates import iter_estimates
from reportgen.analysis.run import analyze_dataset
from reportgen.inference.resampling.design import WIDEST, Design
from reportgen.inference.significance import SIGNIFICANCE_TESTS
from reportgen.kernels import native
from reportgen.kernels.columns import BATCH_SIZE
from reportgen.metrics import METRICS
from reportgen.planning.resampling import choose_block_length, compute_error_series
from tests.analysis.asked import NAMES, but, question, rows

N = 60
CLUSTER = np.repeat(np.arange(12), 5)
REGION = {"segments": [("half=a", np.arange(N) < 30), ("half=b", np.arange(N) >= 30)]}
DESIGNS = {
    "rows": {},
    "weighted rows": {"weight": np.linspace(0.5, 2, N)},
    "poisson": {"weights_are": "poisson"},
    "bayesian": {"weights_are": "bayesian"},
    "clusters": {"unit": CLUSTER},
    "bayesian clusters": {"unit": CLUSTER, "weights_are": "bayesian"},
    "rows within strata": {"stratum": np.arange(N) % 3},
    "clusters within strata": {"unit": CLUSTER, "stratum": np.arange(12) % 2},
    "bayesian within strata": {"stratum": np.arange(N) % 3, "weights_are": "bayesian"},
    "time blocks": {"unit": np.arange(N)[::-1].copy(), "block": 4.0},
    "equal times": {"unit": np.arange(N) // 2, "block": 4.0},
}


def numbers(asked, threads=1):
    """Raw estimates and comparisons by what they are about; nothing of families."""
    found = draw_replicates(asked, threads)
    singles = {
        (e.segment, e.key, e.model): (e.value, e.low, e.high, e.se, e.method)
        for e in iter_estimates(found)
    }
    pairs = {
        (c.segment, c.key, c.candidate): (c.difference, c.low, c.high, c.se, c.p_value, c.test)
        for c in iter_comparisons(found)
    }
    return singles | pairs


def evidence(asked, key, model="m0"):
    found = draw_replicates(asked)
    return found.evidence(
        found.parts[0], next(u for u in asked.statistics.metrics if u.key == key), model
    )


def autoregressive(n, rho, seed):
    """A stationary series of unit innovations."""
    shock = np.random.default_rng(seed).normal(size=n)
    x = np.empty(n)
    x[0] = shock[0] / np.sqrt(1 - rho**2)
    for t in range(1, n):
        x[t] = rho * x[t - 1] + shock[t]
    return x


@pytest.mark.parametrize("name", DESIGNS)
def test_another_model_or_metric_moves_no_raw_number(name):
    design = DESIGNS[name] | REGION
    few = numbers(question(N, 2, NAMES[:3], adjust="none", **design))
    many = numbers(question(N, 3, NAMES, adjust="none", **design))
    assert few and {key: many[key] for key in few} == few


@pytest.mark.parametrize("name", DESIGNS)
def test_threads_and_machine_code_move_no_number(name):
    asked = question(N, 2, **(DESIGNS[name] | REGION))
    alone = numbers(asked)
    assert numbers(asked, threads=2) == alone
    with native.use_numpy() if native.list_kinds() else nullcontext():
        assert numbers(asked) == alone


@pytest.mark.parametrize("name", DESIGNS)
def test_a_batch_is_the_same_whatever_else_is_drawn(name):
    design = question(N, **DESIGNS[name]).sampling.design
    longer = replace(design, replicates=1000)
    assert (design.batch(3).weights == longer.batch(3).weights[:, :7]).all()
    assert not (longer.batch(3).weights == longer.batch(4).weights).all()


def test_all_rows_of_a_unit_are_drawn_alike_and_strata_keep_their_size():
    unit, stratum = np.arange(40) // 4, np.arange(10) // 5
    for weights in ("multinomial", "bayesian"):
        design = Design("d", 40, 64, 1, None, unit, stratum, weights_are=weights)
        count = design.batch(0).weights
        assert (count.reshape(10, 4, 64) == count[::4, None]).all()
        drawn = count[::4].reshape(2, 5, 64).sum(axis=1)
        assert drawn == pytest.approx(np.full((2, 64), 5.0))


def test_bayesian_and_poisson_spread_like_multinomial():
    spread = {}
    for weights in ("multinomial", "poisson", "bayesian"):
        asked = question(300, replicates=4000, names=("mae", "kendall"), weights_are=weights)
        for key in ("mae", "kendall"):
            spread[weights, key] = evidence(asked, key).bootstrap_se
    for weights, key in spread:
        # three Monte-Carlo errors of a ratio of two spreads, 3/sqrt(4000), and 1/(2n)
        assert spread[weights, key] == pytest.approx(spread["multinomial", key], rel=0.05)


def test_the_cluster_bootstrap_meets_the_clustered_mean():
    y, scores = rows(400, 1, seed=3)
    effect = np.repeat(np.random.default_rng(1).normal(0, 3, 40), 10)
    scores = [scores[0] + effect]
    unit = np.repeat(np.arange(40), 10)
    asked = question(data=(y, scores), models=1, names=("mae",), replicates=4000, unit=unit)
    found = evidence(asked, "mae")
    means = np.abs(scores[0] - y).reshape(40, 10).mean(axis=1)
    closed = means.std(ddof=1) / np.sqrt(40)
    assert found.influence_se == pytest.approx(closed)
    assert found.bootstrap_se == pytest.approx(closed, rel=0.05)
    naive = evidence(
        change_plan(asked, design=replace(asked.sampling.design, unit=None)), "mae"
    ).bootstrap_se
    assert naive < 0.7 * closed


def test_influence_is_centred_within_strata():
    y, scores = rows(200, 1)
    stratum = np.arange(200) // 100
    scores = [scores[0] + 20 * stratum]
    asked = question(data=(y, scores), models=1, names=("mae",), replicates=4000, stratum=stratum)
    found, loss = evidence(asked, "mae"), np.abs(scores[0] - y)
    within = np.sqrt(sum(loss[stratum == s].var() / 100 for s in (0, 1)) / 4)
    assert found.influence_se == pytest.approx(within)
    assert found.bootstrap_se == pytest.approx(within, rel=0.05)


def test_blocks_spread_as_politis_and_romano_say():
    # Lemma 1 of the paper: the exact bootstrap variance of a mean, by circular autocovariances
    n, block = 300, 8.0
    x = autoregressive(n, 0.6, 11)
    c = x - x.mean()
    lag = np.arange(1, n)
    around = np.array([c @ np.roll(c, k) for k in lag]) / n
    weight = (1 - lag / n) * (1 - 1 / block) ** lag
    exact = (c @ c / n + 2 * weight @ around) / n
    design = Design("d", n, 6400, 1, unit=np.arange(n), block=block)
    means = np.concatenate([design.batch(k).weights.T @ x / n for k in range(design.batches)])
    assert means.var() == pytest.approx(exact, rel=0.06)


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.7])
def test_blocks_know_the_variance_of_an_autoregressive_mean(rho):
    # The mean of many series, as one series' estimate is itself uncertain by a fifth. At the best
    # length the expected loss is 2ρ/(1 − ρ²)/length: 8 % at 0.5, 10 % at 0.7.
    ratios = []
    for seed in range(12):
        error = autoregressive(2000, rho, seed)
        y = np.zeros(2000)
        data = (y, [error])
        length = choose_block_length(error)
        asked = question(
            data=data, models=1, names=("bias",), replicates=512, unit=np.arange(2000), block=length
        )
        ratios.append(evidence(asked, "bias").bootstrap_se ** 2 * 2000 * (1 - rho) ** 2)
    assert np.mean(ratios) == pytest.approx(1.0, rel=0.15)


def test_the_block_length_is_that_of_the_published_rule_or_of_neighbours_alike():
    # arch 8.0.0, optimal_block_length, column `stationary`, on the same series
    frozen = {0.0: 1.0470671, 0.3: 1.9542550, 0.6: 3.6541210, 0.9: 11.8208872}
    for rho, published in frozen.items():
        x = autoregressive(100, rho, 100 + int(10 * rho))
        raw = np.sum((x[1:] - x.mean()) * (x[:-1] - x.mean())) / np.sum((x - x.mean()) ** 2)
        alike = max(raw + (1 + 3 * raw) / 100, 0.0)
        least = (2 * alike / (1 - alike**2)) ** (2 / 3) * 100 ** (1 / 3)
        assert choose_block_length(x) == pytest.approx(max(published, least), rel=1e-5)


def test_a_block_length_is_defined_for_series_that_say_nothing():
    for values in ([1.0], [1.0, 2.0], np.ones(50), np.arange(9.0)):
        assert choose_block_length(np.asarray(values)) == 1.0


def test_equal_times_are_one_moment():
    x = autoregressive(300, 0.7, 4)
    assert choose_block_length(
        np.repeat(x / 2, 2), np.repeat(np.arange(300), 2)
    ) == choose_block_length(x)


def test_without_a_metric_the_order_of_y_counts():
    asked = question(50)
    y, weight = asked.outcome.values, np.ones(50)
    assert compute_error_series(y, weight, None, None) == pytest.approx((y - y.mean()) / 50)
    loss = np.abs(asked.models[0].rows.score.values - y)
    by_loss = compute_error_series(y, weight, asked.statistics.metrics[0], asked.models[0])
    assert by_loss == pytest.approx((loss - loss.mean()) / 50)
    rank = but(asked.models[0], scale="rank")
    assert (
        compute_error_series(y, weight, asked.statistics.metrics[0], rank)
        == compute_error_series(y, weight, None, None)
    ).all()


def test_in_time_no_formula_for_independent_rows_is_used():
    asked = question(N, 2, **DESIGNS["time blocks"] | REGION, is_ordered=True)
    answer = analyze_dataset(asked)
    assert not {e.method for e in answer.estimates} & {
        "bca",
        "studentized",
        "bonett-wright",
        "hollander-wolfe",
    }
    assert {c.test for c in answer.comparisons} <= {"influence t", "bootstrap t", "diebold-mariano"}
    assert all(e.low < e.high for e in answer.estimates)
    assert "W111" not in {d.code for d in answer.warnings}
    assert (answer.design, answer.block) == ("time blocks", 4.0)


@pytest.mark.parametrize("name", ["mcnemar", "sign-flip", "wilcoxon", "multiplier"])
def test_tests_of_independent_rows_are_silent_in_time(name):
    found = evidence(question(N, **DESIGNS["time blocks"]), "mae")
    test = SIGNIFICANCE_TESTS[name]
    assert test(found) is None
    assert name in ("mcnemar", "multiplier") or test(evidence(question(N), "mae")) is not None


def test_serial_losses_make_diebold_and_mariano_wider():
    error = np.abs(autoregressive(400, 0.8, 2)) + 1
    asked = question(data=(np.zeros(400), [error]), models=1, names=("mae",))
    plain = SIGNIFICANCE_TESTS["diebold-mariano"](evidence(asked, "mae"))
    timed = change_plan(
        asked, design=replace(asked.sampling.design, unit=np.arange(400), block=9.5)
    )
    serial = SIGNIFICANCE_TESTS["diebold-mariano"](evidence(timed, "mae"))
    assert abs(serial.statistic) < 0.7 * abs(plain.statistic)


def test_few_clusters_are_told_and_have_no_p_value():
    halves = [("half=a", np.arange(N) < 30), ("half=b", np.arange(N) >= 30)]
    asked = question(N, unit=CLUSTER, segments=halves, replicates=199, adjust="none")
    answer = analyze_dataset(asked)
    told = {d.segment: d.numbers for d in answer.warnings if d.code == "W106"}
    assert told[None]["clusters"] == 12 and not told[None]["has_no_p"]
    assert told["half=a"]["clusters"] == 6 and told["half=a"]["has_no_p"]
    for c in answer.comparisons:
        assert c.p_value is None or c.segment is None
        assert c.low is not None and c.word != "no result"
    whole = next(c for c in answer.comparisons if c.segment is None and c.key == "mae")
    # t with 12 - 1 degrees of freedom
    assert (whole.high - whole.low) / 2 == pytest.approx(2.200985 * whole.se, rel=1e-6)


def test_units_that_repeat_in_a_column_nobody_named_are_told():
    asked = change_plan(question(N), repeats={"customer_id": np.arange(N) // 2})
    (told,) = [d.numbers for d in analyze_dataset(asked).warnings if d.code == "W107"]
    assert (told["what"], told["share"], told["units"]) == ("customer_id", 1.0, 30)


def test_few_rows_of_a_class_are_told_of_an_area_at_a_cut_off():
    asked = question(N)
    y = np.sort(asked.outcome.values)
    use = replace(
        asked.statistics.metrics[0], key="cut", metric=METRICS["cutoff_auc"].use(above=float(y[-9]))
    )
    told = [
        d.numbers
        for d in analyze_dataset(change_plan(asked, metrics=(use,))).warnings
        if d.code == "W101"
    ]
    assert told and told[0]["is_too_few"] and told[0]["negatives"] > 50


def test_a_test_set_that_was_used_to_choose_is_told():
    assert "W110" in {d.code for d in analyze_dataset(question(is_used_to_choose=True)).warnings}
    assert "W110" not in {d.code for d in analyze_dataset(question()).warnings}


def test_too_few_replicates_for_a_family_are_told():
    def told(replicates, **more):
        answer = analyze_dataset(question(replicates=replicates, models=3, **more))
        return {d.numbers["family"]: d.numbers for d in answer.warnings if d.code == "W114"}

    # four other metrics of each candidate: two tails of 0.05/4 each; R² asks what RMSE asks
    assert told(158, interval="percentile")["metrics"]["needed"] == 159
    assert "metrics" not in told(159, interval="percentile")
    # p-values by counting, of RMSE and medians: one tail
    assert told(78)["metrics"]["needed"] == 79
    assert not told(79)
    assert not told(39, interval="percentile", adjust="none")
    assert not told(199, adjust="maxt")


def test_what_too_few_replicates_leave_open_has_no_interval_and_no_verdict():
    names = ("mae", "rmse", "kendall", "spearman", "median_ae")
    found = analyze_dataset(
        question(n=200, names=names, models=3, replicates=60, interval="percentile")
    )
    lacking = [c for c in found.comparisons if "too few resamples" in c.reason]
    assert {c.key for c in lacking} >= {"rmse", "kendall", "spearman", "median_ae"}
    assert {c.word for c in lacking} == {"no result"}
    assert all((c.low, c.high) == (None, None) for c in lacking)


def test_where_resamples_lack_as_many_are_asked_for_as_give_limits():
    names = ("mae", "rmse", "kendall", "spearman", "median_ae")
    asked = dict(n=200, names=names, models=3, interval="percentile")
    few = [
        c
        for c in analyze_dataset(question(replicates=60, **asked)).comparisons
        if c.replicates_to_settle is not None
    ]
    assert few and all("too few resamples" in c.reason for c in few)
    (needed,) = {c.replicates_to_settle for c in few if c.family == "metrics"}
    enough = analyze_dataset(question(replicates=needed, **asked)).comparisons
    assert all(c.replicates_to_settle is None for c in enough if c.family == "metrics")
    short = analyze_dataset(question(replicates=needed - 1, **asked)).comparisons
    assert needed in {c.replicates_to_settle for c in short}


@pytest.mark.parametrize("name", DESIGNS)
def test_no_design_holds_all_replicates_of_all_rows(name):
    n = 3000
    times = {"unit": n // N, "stratum": n // N, "weight": n // N}
    many = {k: np.repeat(v, times[k]) if k in times else v for k, v in DESIGNS[name].items()}
    if name == "clusters within strata":
        many["stratum"] = DESIGNS[name]["stratum"]  # one a cluster, as before

    def peak(replicates):
        asked = question(data=rows(n, 2), names=("mae", "rmse"), replicates=replicates, **many)
        tracemalloc.start()
        draw_replicates(asked)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(64)  # what a process finds once and keeps, as its libraries with threads, counts for none
    # in whole rounds, as a shorter last one takes room of its own, which no further one adds to;
    # a byte for each row of each further replicate would be 20 times as much
    few, many_more = (rounds * 2 * WIDEST * BATCH_SIZE for rounds in (5, 9))
    assert peak(many_more) - peak(few) < n * (many_more - few) / 20

"""The intervals of moves: as sure as they say, and paired where they can be."""

from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import reportgen
from reportgen.governance.run_diff import FREE_OF_SHARE, compute_moves
from reportgen.inference.differences import mover_limits
from reportgen.metrics import METRICS
from reportgen.results import Results
from tests.end_to_end.wallet import WALLET, customers, results
from tests.governance.diff.runs import diff, move, noisy, run
from tests.metrics.cases import CASES, rows_of
from tests.worked import results_of


def test_the_limits_by_hand() -> None:
    """Zou and Donner's formula with numbers that a reader can do in the head."""
    assert mover_limits((10.0, 7.0, 14.0), (8.0, 5.0, 12.0)) == (2.0 - 5.0, 2.0 + 5.0)


def test_of_two_equal_models_on_fresh_rows_one_in_twenty_moves_is_shown() -> None:
    """2,000 pairs of means of 200 skewed values, each with its own t interval of 95%."""
    draw = np.random.default_rng(20261123).gamma(2.0, 1.0, (2, 2000, 200))
    mean, half = draw.mean(axis=2), 1.972 * draw.std(axis=2, ddof=1) / np.sqrt(200)
    shown = 0
    for (old, new), (h_old, h_new) in zip(mean.T, half.T, strict=True):
        low, high = mover_limits((new, new - h_new, new + h_new), (old, old - h_old, old + h_old))
        shown += low > 0 or high < 0
    assert shown / 2000 == pytest.approx(0.05, abs=0.015)


def test_a_paired_move_is_as_sure_as_both_models_in_one_run(tmp_path: Path) -> None:
    """The old and the new scores in two runs, and as two models of one run."""
    plain, other = customers(400), noisy(customers(400))
    both = [{**a, "second": b["score_gbm_time"]} for a, b in zip(plain, other, strict=True)]
    boot = {"replicates": 999, "seed": 1}
    one, two = (
        run(tmp_path, name, rows, bootstrap=boot) for name, rows in (("one", plain), ("two", other))
    )
    models = {
        "boosted": {**WALLET["models"]["boosted"], "role": "baseline"},
        "again": {"column": "second"},
    }
    side_by_side = run(tmp_path, "both", both, models=models, gates=[], bootstrap=boot)
    for key in ("kendall", "mae"):
        found = move(diff(one, two), key, "boosted")
        [beside] = [
            c
            for c in results(side_by_side)["comparisons"]
            if c["key"] == key and c["segment"] is None
        ]
        assert found["change"] == pytest.approx(beside["difference"], rel=1e-8)
        se = (found["high"] - found["low"]) / (2 * 1.959964)
        assert se == pytest.approx(beside["se"], rel=0.05), key


@pytest.mark.parametrize("printed", [4.0, 0.1])
def test_a_paired_move_is_as_much_wider_as_differences_are_printed(printed: float) -> None:
    """Where tails are heavy a run prints more than its resamples say; a move does so, too."""
    z, key = 1.959964, "rmse"
    wallet = results_of("wallet")
    assert wallet.digests is not None
    [told] = wallet.digests.datasets
    compared = tuple(
        replace(c, low=-printed * z, high=printed * z, family_size=1) if c.key == key else c
        for c in wallet.comparisons
        if c.candidate == "boosted" and c.segment is None
    )

    def results_with(**changed: str) -> Results:
        replicates = {m: {key: changed.get(m, m)} for m in ("clv", "boosted")}
        scores = {**told.scores, **changed}
        one = replace(told, replicates=replicates, scores=scores)
        assert wallet.digests is not None
        return replace(
            wallet, comparisons=compared, digests=replace(wallet.digests, datasets=(one,))
        )

    class Kept:
        draw = np.random.default_rng(1).normal(size=(2, 199))
        known: ClassVar[dict[str, Any]] = {
            "clv": np.zeros(199),
            "boosted": draw[0],
            "new": draw[0] + draw[1] / 2,
        }

        def get(self, digest: str, shape: tuple[int, ...]) -> Any:
            return self.known[digest]

    found = next(
        m
        for m in compute_moves(results_with(), results_with(boosted="new"), Kept())
        if (m.key, m.model, m.against) == (key, "boosted", None)
    )
    own = np.std(Kept.draw[1] / 2, ddof=1)
    before, now = (np.std(Kept.known[name], ddof=1) for name in ("boosted", "new"))
    assert found.method == "paired" and found.low is not None and found.high is not None
    expected = z * own * max(1.0, printed / min(before, now))
    assert (found.high - found.low) / 2 == pytest.approx(expected, rel=1e-6)


def test_metrics_free_of_the_share_of_positives_are_those_that_it_does_not_move() -> None:
    """Positives that count three times are a larger share, and nothing else."""
    draw = np.random.default_rng(1)
    y = (draw.random(400) < 0.3).astype(float)
    score = 1 / (1 + np.exp(1 - 1.3 * y - draw.normal(0, 1.2, 400)))
    found = set()
    cases = {case.metric: case for case in reversed(CASES) if METRICS[case.metric].task == "binary"}
    for name, case in cases.items():
        bound = METRICS[name].use(**case.params).bind(rows_of(name, y, score))
        plain, more = (bound.define(each) for each in (np.ones(400), 1 + 2 * y))
        if np.isclose(plain, more, rtol=1e-9):
            found.add(name)
    assert found == FREE_OF_SHARE


@pytest.mark.parametrize(("shift", "is_withheld"), [(1.2, True), (0.0, False)])
def test_no_metric_is_better_or_worse_where_the_share_of_positives_moved_it(
    shift: float, is_withheld: bool, tmp_path: Path
) -> None:
    for seed, (name, base, noise) in enumerate((("one", 0.0, 1.5), ("two", shift, 0.4))):
        draw = np.random.default_rng(seed)
        y = draw.random(900) < 1 / (1 + np.exp(1.0 - base))
        scores = [2 * y - 1 + draw.normal(0, sd, 900) for sd in (1.5, noise)]
        found = reportgen.compare(
            y.astype(int),
            dict(zip(("old", "new"), (1 / (1 + np.exp(-each)) for each in scores), strict=True)),
            metrics=["roc_auc", "average_precision"],
            config={"bootstrap": {"replicates": 199}, "outputs": ["json"]},
        )
        found.save(tmp_path / name)
    told = diff(tmp_path / "one", tmp_path / "two")
    assert move(told, "roc_auc", "new")["word"] == "improved"
    precision = move(told, "average_precision", "new")
    assert precision["word"] == ("moved" if is_withheld else "improved")
    assert ("the share of positives changed from 2" in precision["note"]) == is_withheld

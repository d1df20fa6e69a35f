"""Every number of the paper's examples, printed or derived from them, and where it is held.

`paper_numbers.json` gives each one's value and tolerance. All that the program can say of the ten
rows comes from one run of configs/rroc-paper.yaml; what the paper says of no data, from functions.
"""

import json
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from reportgen.analysis.run import analyze_dataset
from reportgen.kernels.batch import Batch
from reportgen.metrics import METRICS
from reportgen.metrics.losses.loss_functions import quadquad_shift
from reportgen.metrics.losses.shifts import normal_expectiles, normal_linexp, normal_quantiles
from reportgen.metrics.rows import Amounts
from reportgen.planning.loading import load_config
from reportgen.planning.plan import build_analysis_plan
from reportgen.planning.requests import read_data
from reportgen.planning.result_assembly import assemble_results

CONFIG = Path(__file__).parents[3] / "configs" / "rroc-paper.yaml"
NUMBERS = json.loads((Path(__file__).parent / "paper_numbers.json").read_text())
MODELS = ("m1", "m2", "m3", "m4")
ROWS = 10


class Paper:
    """One run of the config."""

    def __init__(self):
        with ExitStack() as stack:
            loaded = load_config(CONFIG, ("bootstrap.replicates=39",), False, stack)
            data = read_data(loaded)
            self.sample = data[0].sample
            self.order = [self.sample.ids.index(str(k + 1)) for k in range(ROWS)]
            answer = analyze_dataset(
                build_analysis_plan(loaded.config, self.sample, data[1].sample)
            )
            self.results = assemble_results(loaded, data, [answer, None], {}, (), {})
        (self.costs,) = self.results.costs

    def value(self, model, key):
        return next(e.value for e in self.results.estimates if (e.model, e.key) == (model, key))

    def decision(self, alpha, shift):
        wanted = (alpha, shift)
        return next(d for d in self.costs.decisions if (d.asymmetry, d.shift) == wanted)

    def curve(self, name, model="", **params):
        return next(
            c
            for c in self.results.curves
            if (c.curve, c.model, c.baseline) == (name, model, None)
            and params.items() <= c.params.items()
        )

    def errors(self, model):
        return self.sample.models[model].score - self.sample.y


@pytest.fixture(scope="module")
def paper():
    return Paper()


def of_model(paper, model, key):
    split = next(each for each in paper.costs.decompositions if each.model == model)
    point = next(each for each in paper.costs.points if each.name == model)
    whole = {
        "pred": lambda: paper.sample.models[model].score[paper.order],
        "errors": lambda: paper.errors(model)[paper.order],
        "over": lambda: paper.value(model, "over"),
        "under": lambda: paper.value(model, "under"),
        "total_bias": lambda: ROWS * point.bias.value,
        "mean_error": lambda: split.bias.value,
        "mae": lambda: paper.value(model, "mae"),
        "mse": lambda: split.mse.value,
        "popvar": lambda: paper.value(model, "error_variance"),
        "aoc": lambda: paper.value(model, "aoc"),
        "heaven_distance": lambda: ROWS * np.hypot(point.over.value, point.under.value),
        "distinct_vertices": lambda: len(paper.curve("rroc", model, raw=True).x),
    }
    return whole[key]()


def linlin(paper, model, alpha):
    curve = paper.curve("cost", model, shift="none")
    return ROWS * curve.y[curve.x.index(alpha)]


def tie(paper, pair):
    wanted = ("none", *pair.split("_"))
    return next(
        c.asymmetry for c in paper.costs.crossings if (c.shift, c.first, c.second) == wanted
    )


def isometric(paper):
    """Slope and intercept of the line of the least cost at 0.8, in sums."""
    line = paper.curve("rroc_isometric", alpha=0.8)
    slope = (line.y[1] - line.y[0]) / (line.x[1] - line.x[0])
    return slope, ROWS * (line.y[0] - slope * line.x[0])


FUNCTIONS = {
    "fig9_brown_aoc": lambda: (
        METRICS["aoc"]
        .use(raw=True)
        .bind(Amounts(np.zeros(ROWS), np.tile([-1.0, 1.0], 5)))(Batch.from_weights(np.ones(ROWS)))[
            0
        ]
    ),
    "reframing_linlin_normal_mu2_sd1.5_alpha0.8": lambda: normal_quantiles(
        np.array([2.0]), np.array([1.5]), np.array([0.8])
    )[0, 0],
    "reframing_linexp_normal_mu2_sd1.5_a1.0": lambda: normal_linexp(
        np.array([2.0]), np.array([1.5]), 1.0
    )[0],
    "reframing_linexp_normal_mu2_sd1.5_a-0.5": lambda: normal_linexp(
        np.array([2.0]), np.array([1.5]), -0.5
    )[0],
    "reframing_quadquad_normal_mu2_sd1.5_alpha0.8": lambda: normal_expectiles(
        np.array([2.0]), np.array([1.5]), np.array([0.8])
    )[0, 0],
}
PAPER = {
    "y_true": lambda paper: paper.sample.y[paper.order],
    "isometric_slope_alpha_0.8": lambda paper: isometric(paper)[0],
    "isometric_intercept_m3_alpha_0.8": lambda paper: isometric(paper)[1],
}
NAMES = {
    "best_model_alpha_0.8": lambda p: p.decision(0.8, "none").best,
    "hull_discarded": lambda p: next(
        point.name for point in p.costs.points if point.is_on_hull is False
    ),
}
SHAPES = ("rroc_vertices", "best_constant_shift", "quadquad", "slopes_n10")


def kind(name):
    return next((k for k in SHAPES if k in name), "number")


def chosen(wanted):
    return [name for name in NUMBERS if kind(name) == wanted]


@pytest.mark.parametrize("name", [n for n in chosen("number") if n not in NAMES])
def test_a_number_of_the_paper_comes_out(paper, name):
    expected, tolerance = NUMBERS[name]
    if name in FUNCTIONS:
        found = FUNCTIONS[name]()
    elif name in PAPER:
        found = PAPER[name](paper)
    elif name.startswith("tie_alpha."):
        found = tie(paper, name.removeprefix("tie_alpha."))
    elif "total_linlin_alpha_" in name:
        model, alpha = name.split(".total_linlin_alpha_")
        found = linlin(paper, model, float(alpha))
    else:
        found = of_model(paper, *name.split(".", 1))
    slack = max(tolerance, 1e-9)  # results hold ten digits
    assert np.asarray(found) == pytest.approx(np.asarray(expected), abs=slack, rel=2e-9)


@pytest.mark.parametrize("name", NAMES)
def test_a_choice_of_the_paper_comes_out(paper, name):
    assert NAMES[name](paper) == NUMBERS[name][0]


@pytest.mark.parametrize("name", chosen("rroc_vertices"))
def test_every_corner_of_the_curve_is_drawn_and_tied_ones_once(paper, name):
    line = paper.curve("rroc", name[:2], raw=True)
    expected = np.unique(np.round(NUMBERS[name][0], 9), axis=0)
    assert np.column_stack([line.x, line.y]) == pytest.approx(expected, abs=1e-8)


def test_the_slopes_of_ten_rows_are_the_papers(paper):
    line = paper.curve("rroc", "m1", raw=True)
    inner = NUMBERS["slopes_n10"][0][1:-1]
    assert np.diff(line.y) / np.diff(line.x) == pytest.approx(inner, rel=1e-6)


@pytest.mark.parametrize("name", chosen("best_constant_shift"))
def test_the_best_constant_is_one_of_the_papers_and_costs_as_little(paper, name):
    model, alpha = name.split(".best_constant_shift_alpha_")
    expected = NUMBERS[name][0]
    models = paper.decision(float(alpha), "optimal").models
    own = next(each for each in models if each.model == model)
    assert own.cost.value * ROWS == pytest.approx(expected["min_total_loss"])
    low, high = expected["shift_interval"]
    assert own.constant.value == pytest.approx(min(low, high, key=abs))  # the end nearest zero


@pytest.mark.parametrize("name", chosen("quadquad"))
def test_quadquad_before_and_after_the_best_constant_are_the_papers(paper, name):
    if name in FUNCTIONS:
        expected, tolerance = NUMBERS[name]
        assert FUNCTIONS[name]() == pytest.approx(expected, abs=tolerance)
        return
    model, expected = name[:2], NUMBERS[name][0]
    before, after = (paper.value(model, key) for key in ("quad-quad", "shifted quad-quad"))
    assert ROWS * before == pytest.approx(expected["total_at_shift_0"])
    assert ROWS * after == pytest.approx(expected["min_total"])
    shift = quadquad_shift(paper.errors(model), np.ones(ROWS), 0.8)
    assert shift == pytest.approx(expected["best_shift"], abs=1e-6)

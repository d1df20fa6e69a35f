"""The drawing of a curve of a million rows: small, and true to within a pixel."""

import re

import numpy as np
import pytest

from reportgen.kernels.batch import Batch
from reportgen.metrics.curves import CURVES
from reportgen.metrics.losses.rroc_geometry import minimal_costs, rroc_vertices
from reportgen.metrics.rows import Amounts
from reportgen.report.document import Axis, Figure, Panel, Series
from reportgen.report.render.plain import draw_svg
from reportgen.report.render.theme import Theme

MANY = 1_000_000
PIXEL = 0.75  # of a screen, in the points in which drawings are written
STEP = re.compile(r"([MlhvL])(-?[\d.]+)(?: ?(-?[\d.]+))?")


@pytest.fixture(scope="module")
def models():
    draw = np.random.default_rng(8)
    y = draw.gamma(1.0, 30.0, MANY)
    return [
        Amounts(y, 12 + 0.55 * y + 6 * draw.standard_normal(MANY)),
        Amounts(y, 5 + 0.95 * y + draw.gamma(1.0, 12.0, MANY)),
        Amounts(y, np.round(y + 20 * draw.standard_t(3, MANY))),
    ]


def picture(curves):
    roles = ("baseline", "candidate1", "candidate2")
    series = tuple(
        Series(role, role, tuple(x.tolist()), tuple(y.tolist()))
        for role, (x, y) in zip(roles, curves, strict=True)
    )
    figure = Figure("f", "line", "t", "c", "d", (Panel("", Axis("x"), Axis("y"), series),))
    return draw_svg(figure, Theme())


def stroke(svg, colour="#595959"):
    """The corners of the line of the baseline, in points."""
    found = re.findall(rf'<path d="([^"]*)"[^>]*fill="none" stroke="{colour}"', svg)
    at, corners = np.zeros(2), []
    for letter, first, second in STEP.findall(re.sub(r"(?<=\d)-", " -", max(found, key=len))):
        if letter in "ML":
            at = np.array([float(first), float(second)])
        else:
            along = float(first) if letter != "v" else 0.0
            down = float(first) if letter == "v" else float(second or 0)
            at = at + np.array([along, down])
        corners.append(at)
    return np.array(corners)


def furthest(points, line):
    """How far the furthest of some points is from a polyline."""
    start, along = line[:-1], np.diff(line, axis=0)
    offset = points[:, None] - start
    length = np.maximum((along**2).sum(axis=1), 1e-300)
    share = np.clip((offset * along).sum(axis=2) / length, 0, 1)
    return np.hypot(*np.moveaxis(offset - share[..., None] * along, 2, 0)).min(axis=1).max()


def to_points(x, y, line, ends):
    """Data in points of the drawing, by the two ends that data and drawing share."""
    (x0, y0), (x1, y1) = ends
    (left, start), (right, end) = line[0], line[-1]
    return np.column_stack(
        [left + (x - x0) / (x1 - x0) * (right - left), start + (y - y0) / (y1 - y0) * (end - start)]
    )


def test_the_rroc_curve_is_small_and_true_to_a_pixel(models):
    one = Batch.from_weights(np.ones(MANY))
    curves = [
        (t.x, t.y)
        for rows in models
        for t in [CURVES["rroc"].bind(rows, np.ones(MANY)).trace(np.ones(MANY))]
    ]
    svg = picture(curves)
    assert len(svg.encode()) < 40_000
    line, (x, y) = stroke(svg), curves[0]
    over, under = (side[::997, 0] for side in rroc_vertices(models[0], one))
    inside = (over >= x[0]) & (over <= x[-1])
    exact = to_points(over[inside], under[inside], line, ((x[0], y[0]), (x[-1], y[-1])))
    assert len(exact) > 500
    assert furthest(exact, line) < PIXEL


def test_cost_space_is_small_and_true_to_a_pixel(models):
    one, weight = Batch.from_weights(np.ones(MANY)), np.ones(MANY)
    traces = [CURVES["cost"].use(shift="optimal").bind(m, weight).trace(weight) for m in models]
    svg = picture([(t.x[10:], t.y[10:]) for t in traces])
    assert len(svg.encode()) < 40_000
    line, alphas = stroke(svg), np.linspace(0.1, 1, 1801)
    costs = minimal_costs(models[0], one, alphas)[0]
    ends = ((alphas[0], costs[0]), (alphas[-1], costs[-1]))
    assert furthest(to_points(alphas, costs, line, ends), line) < PIXEL


@pytest.mark.parametrize("name", ["rroc", "error_density", "cost"])
def test_other_curves_are_small_too(models, name):
    params = {"rroc": {"loss": "quadquad"}, "cost": {"loss": "quadquad", "shift": "optimal"}}
    weight = np.ones(MANY)
    curve = CURVES[name].use(**params.get(name, {}))
    traces = [curve.bind(rows, weight).trace(weight) for rows in models]
    assert len(picture([(t.x, t.y) for t in traces]).encode()) < 40_000

"""Learn on training rows where curves are highest."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.analysis.plan import LearnedPeak
from reportgen.analysis.sensitivity.peaks import learn_peaks
from reportgen.config import Config
from reportgen.data.sample import Sample
from reportgen.metrics.curves import Curve
from reportgen.planning.models import build_models
from reportgen.planning.resampling import build_design
from reportgen.planning.thresholds import plan_operating_points


def learn_curve_peaks(
    config: Config, curves: Sequence[Curve], fit: Sample | None, replicates: int
) -> dict[tuple[str, str], LearnedPeak]:
    """Learn where curves are highest on the rows of `fit`; nothing without such rows."""
    if fit is None or not any(curve.has_peak for curve in curves):
        return {}
    calls = plan_operating_points(config, fit, None, None)
    models = tuple(build_models(config, fit, None, replicates, calls))
    return learn_peaks(curves, models, build_design(config, fit, (None, None), replicates))

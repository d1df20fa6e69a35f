"""Metrics that are monotone functions of other metrics, so that both order models alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from reportgen.kernels.batch import Vector
from reportgen.metrics.losses.loss_functions import LOSSES, LossName
from reportgen.metrics.metric import METRICS, MonotoneImage
from reportgen.metrics.rows import Rows
from reportgen.metrics.statistic import Scalar

DUST = 1e-12


def image_of_mse(n: int) -> MonotoneImage:
    """Return RMSE as the image: on the same rows, the variance of y is the same for all models."""
    return MonotoneImage(METRICS["rmse"])


def image_of_mae(n: int) -> MonotoneImage:
    """Return MAE as the image: the sizes of y are the same for all models."""
    return MonotoneImage(METRICS["mae"])


def image_of_metric(name: str, *line: float) -> Callable[..., MonotoneImage]:
    """Return the image of another metric with the same parameters; a line with level and slope."""
    return lambda n, **params: MonotoneImage(
        METRICS[name].use(**params), (line[0], line[1]) if line else None
    )


def build_forms_on_line(name: str, level: float, slope: float) -> dict[str, Any]:
    """Build the image and the fast and exact forms of level + slope · another metric."""
    of = METRICS[name]
    assert of.fast is not None and of.influence is not None and of.leave_one_out is not None
    fast, slopes, without_each = of.fast, of.influence, of.leave_one_out

    def influence(rows: Rows, weight: Vector) -> Vector | None:
        phi = slopes(rows, weight)
        return None if phi is None else slope * phi

    def leave_one_out(rows: Rows, weight: Vector) -> Vector | None:
        values = without_each(rows, weight)
        return None if values is None else level + slope * values

    return {
        "image": image_of_metric(name, level, slope),
        "fast": lambda rows, batch: level + slope * fast(rows, batch),
        "influence": influence,
        "leave_one_out": leave_one_out,
    }


def image_of_pairs(n: int, *, ties: str) -> MonotoneImage | None:
    """With half a credit for tied scores, C − D is twice the rightly ordered pairs less those of y.

    The pairs not tied in y are the same for all models.
    """
    return MonotoneImage(METRICS["kendall_a"]) if ties == "half" else None


def image_of_one_sample(n: int, *, k: int, **others: Any) -> MonotoneImage | None:
    """Return pass@1: of a single sample, one of them and all of them are the same."""
    line = (0.0, 1.0)
    return MonotoneImage(METRICS["pass_at"].use(k=k, **others), line) if k == 1 else None


def image_of_halves(
    n: int, *, buckets: int, statistic: str, quantile: float | None, edges: str
) -> MonotoneImage | None:
    """Return the other bucket: the means of two make up that of all rows."""
    is_mean = statistic == "mean" and quantile is None and edges == "fractional"
    return (
        MonotoneImage(METRICS["ranking_last"].use(buckets=2)) if buckets == 2 and is_mean else None
    )


def image_of_few_buckets(n: int, *, buckets: int, **how: Scalar) -> MonotoneImage | None:
    """Over two or three buckets the slope is that from the first to the last."""
    if buckets > 3:
        return None
    last_less_first = METRICS["ranking_difference"].use(buckets=buckets, **how)
    return MonotoneImage(last_less_first, (0.0, 1.0 / (buckets - 1)))


def image_of_end_bucket(top: float, of: str = "") -> MonotoneImage | None:
    """Return the end bucket that a top share equals, if any; total y is the same for all models.

    `of` begins the names of such buckets, where these are not of amounts.
    """
    for share, bucket in ((top, "ranking_last"), (1 - top, "ranking_first")):
        buckets = round(1 / share) if share > DUST else 0
        if buckets >= 2 and abs(share * buckets - 1) < DUST:
            return MonotoneImage(METRICS[f"{of}{bucket}"].use(buckets=buckets))
    return None


def image_of_one_side(n: int, *, alpha: float, raw: bool) -> MonotoneImage | None:
    """Return the named metric of which Lin-Lin is a multiple: at α of 0, 0.5 and 1.

    A raw sum orders models as its mean does.
    """
    if raw:
        return MonotoneImage(METRICS["asymmetric_cost"].use(alpha=alpha, raw=False))
    if alpha == 0.5:
        return MonotoneImage(METRICS["mae"], (0.0, 1.0))
    if alpha == 0:
        return MonotoneImage(METRICS["over"].use(raw=False), (0.0, 2.0))
    if alpha == 1:
        return MonotoneImage(METRICS["under"].use(raw=False), (0.0, -2.0))
    return None


def image_at_mean_asymmetry(
    n: int, *, weighting: str, a: float, b: float, shift: str
) -> MonotoneImage | None:
    """As scores are, Lin-Lin is straight in α: its average is that at the average α."""
    if shift != "none":
        return None
    alpha = 0.5 if weighting == "uniform" else round(a / (a + b), 12)
    return MonotoneImage(METRICS["asymmetric_cost"].use(alpha=alpha), (0.0, 1.0))


def image_of_linlin(n: int, *, alpha: float) -> MonotoneImage:
    """Pinball is half of Lin-Lin."""
    return MonotoneImage(METRICS["asymmetric_cost"].use(alpha=alpha), (0.0, 0.5))


def image_of_mean(name: str) -> Callable[..., MonotoneImage | None]:
    """Return a function that takes the mean as the image of a raw sum: both order models alike."""
    return lambda n, *, raw: MonotoneImage(METRICS[name].use(raw=False)) if raw else None


def image_of_variance(n: int, *, raw: bool) -> MonotoneImage:
    """Return the error variance: twice the area over the RROC curve, or ordering models alike."""
    return MonotoneImage(METRICS["error_variance"], None if raw else (0.0, 0.5))


def image_in_loss_units(name: str) -> Callable[..., MonotoneImage | None]:
    """So many units of a loss, which has a metric of its own where the scores are as they are."""
    return partial(_units_of_the_loss, name, {"linlin": "asymmetric_cost", "quadquad": "mse"})


def image_in_least_loss_units(name: str) -> Callable[..., MonotoneImage | None]:
    """Return the same for the best constant, where symmetric squares give the error variance."""
    return partial(_units_of_the_loss, name, {"quadquad": "error_variance"})


def image_in_own_units(name: str) -> Callable[..., MonotoneImage | None]:
    """Return the same for another shift, for which no loss has a metric of its own."""
    return partial(_units_of_the_loss, name, {})


def _units_of_the_loss(
    name: str,
    own: Mapping[str, str],
    n: int,
    *,
    loss: LossName,
    alpha: float | None,
    under: float | None,
    over: float | None,
    c: float | None,
    raw: bool = False,
    **how: Scalar,
) -> MonotoneImage | None:
    if raw:
        terms: dict[str, Scalar] = {"loss": loss, "alpha": alpha, "under": under, "over": over}
        return MonotoneImage(METRICS[name].use(**terms, c=c, raw=False, **how))
    if LOSSES[loss].is_exponential:
        return None
    price, plain = LOSSES[loss].scale, LOSSES[loss].plain
    if under is not None and over is not None:
        # To 12 digits, so that 0.3 and 0.1 are the 0.75 that somebody may have written.
        alpha, price = round(under / (under + over), 12), (under + over) / 2
    if plain == "linlin" and plain in own:
        return MonotoneImage(METRICS[own[plain]].use(alpha=alpha), (0.0, price))
    if plain == "quadquad" and plain in own and alpha == 0.5:
        return MonotoneImage(METRICS[own[plain]], (0.0, price))
    if plain == loss and under is None:
        return None
    return MonotoneImage(METRICS[name].use(loss=plain, alpha=alpha, **how), (0.0, price))

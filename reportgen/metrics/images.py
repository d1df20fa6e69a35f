"""Which metrics order models alike on the same rows, as another metric does: their `image`.

Each function is given the number of rows and the metric's parameters. A metric that is found to
order models as another does, and does not say so, fails in the tests by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from reportgen.losses.losses import LOSSES, LossName
from reportgen.metrics.spec import METRICS, Image, Scalar

DUST = 1e-12


def as_the_squares(n: int) -> Image:
    """The mean square decides, as on the same rows the variance of y is the same for all models."""
    return Image(METRICS["rmse"])


def as_the_sizes(n: int) -> Image:
    """The mean size of the error decides, as the sizes of y are the same for all models."""
    return Image(METRICS["mae"])


def as_another(name: str, *line: float) -> Callable[..., Image]:
    """As another metric with the same parameters; with level and slope a straight line of it."""
    return lambda n, **params: Image(
        METRICS[name].use(**params), (line[0], line[1]) if line else None
    )


def half_of_rho(n: int) -> Image:
    """Spearman's ρ, brought to 0 to 1."""
    return Image(METRICS["spearman"], (0.5, 0.5))


def half_of_tau(n: int) -> Image:
    """Kendall's τ-a, brought to 0 to 1."""
    return Image(METRICS["kendall_a"], (0.5, 0.5))


def as_all_pairs(n: int, *, ties: str) -> Image | None:
    """With half a credit for tied scores, C − D is twice the rightly ordered pairs less those of y.

    The pairs not tied in y are the same for all models.
    """
    return Image(METRICS["kendall_a"]) if ties == "half" else None


def of_two_halves(
    n: int, *, buckets: int, statistic: str, quantile: float | None, edges: str
) -> Image | None:
    """Of two buckets the means make up that of all rows, so that one gives the other."""
    is_mean = statistic == "mean" and quantile is None and edges == "fractional"
    return Image(METRICS["ranking_last"].use(buckets=2)) if buckets == 2 and is_mean else None


def of_few_buckets(n: int, *, buckets: int, **how: Scalar) -> Image | None:
    """Over two or three buckets the slope is that from the first to the last."""
    if buckets > 3:
        return None
    last_less_first = METRICS["ranking_difference"].use(buckets=buckets, **how)
    return Image(last_less_first, (0.0, 1.0 / (buckets - 1)))


def as_the_end_bucket(top: float, of: str = "") -> Image | None:
    """A top of one in so many holds what a bucket of that size does, and all y is the same.

    `of` begins the names of such buckets, where these are not of amounts.
    """
    for share, bucket in ((top, "ranking_last"), (1 - top, "ranking_first")):
        buckets = round(1 / share) if share > DUST else 0
        if buckets >= 2 and abs(share * buckets - 1) < DUST:
            return Image(METRICS[f"{of}{bucket}"].use(buckets=buckets))
    return None


def as_one_side_or_both(n: int, *, alpha: float) -> Image | None:
    """Lin-Lin as a multiple of what is known under a name of its own: half, 0 and 1 of α."""
    if alpha == 0.5:
        return Image(METRICS["mae"], (0.0, 1.0))
    if alpha == 0:
        return Image(METRICS["over"].use(raw=False), (0.0, 2.0))
    if alpha == 1:
        return Image(METRICS["under"].use(raw=False), (0.0, -2.0))
    return None


def at_the_mean_asymmetry(
    n: int, *, weighting: str, a: float, b: float, shift: str
) -> Image | None:
    """As scores are, Lin-Lin is straight in α: its average is that at the average α."""
    if shift != "none":
        return None
    alpha = 0.5 if weighting == "uniform" else round(a / (a + b), 12)
    return Image(METRICS["asymmetric_cost"].use(alpha=alpha), (0.0, 1.0))


def half_of_linlin(n: int, *, alpha: float) -> Image:
    """Pinball is half of Lin-Lin."""
    return Image(METRICS["asymmetric_cost"].use(alpha=alpha), (0.0, 0.5))


def as_the_mean(name: str) -> Callable[..., Image | None]:
    """A raw sum orders models as its mean does."""
    return lambda n, *, raw: Image(METRICS[name].use(raw=False)) if raw else None


def half_of_the_variance(n: int, *, raw: bool) -> Image:
    """The area over the RROC curve is half the variance of the errors, or orders models alike."""
    return Image(METRICS["error_variance"], None if raw else (0.0, 0.5))


def as_units_of_the_loss(name: str) -> Callable[..., Image | None]:
    """So many units of a loss, which has a metric of its own where the scores are as they are."""
    return partial(_units_of_the_loss, name, {"linlin": "asymmetric_cost", "quadquad": "mse"})


def as_units_of_the_least_loss(name: str) -> Callable[..., Image | None]:
    """The same with the best constant, with which even squares are the variance of the errors."""
    return partial(_units_of_the_loss, name, {"quadquad": "error_variance"})


def as_units_of_itself(name: str) -> Callable[..., Image | None]:
    """The same with another shift, for which no loss has a metric of its own."""
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
    **how: Scalar,
) -> Image | None:
    if LOSSES[loss].parameter == "c":
        return None
    price, plain = (0.5, "linlin") if loss == "pinball" else (1.0, loss)
    if under is not None and over is not None:
        # To 12 digits, so that 0.3 and 0.1 are the 0.75 that somebody may have written.
        alpha, price = round(under / (under + over), 12), (under + over) / 2
    if plain == "linlin" and plain in own:
        return Image(METRICS[own[plain]].use(alpha=alpha), (0.0, price))
    if plain == "quadquad" and plain in own and alpha == 0.5:
        return Image(METRICS[own[plain]], (0.0, price))
    if plain == loss and under is None:
        return None
    return Image(METRICS[name].use(loss=plain, alpha=alpha, **how), (0.0, price))

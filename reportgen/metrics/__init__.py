"""The catalogue. Importing this package registers every metric in the files beside it.

Every metric is also a function here: `reportgen.metrics.kendall(y, score, weight=None)`.
"""

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules

from reportgen.metrics.bucket_statistics import bucket_statistic
from reportgen.metrics.public import function_of, scorer
from reportgen.metrics.spec import METRICS, BoundMetric, Metric, Parameter, rowwise, whole

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

__all__ = [
    "METRICS",
    "BoundMetric",
    "Metric",
    "Parameter",
    "bucket_statistic",
    "rowwise",
    "scorer",
    "whole",
]


def __getattr__(name: str) -> Callable[..., float]:
    """A metric by its name, as a function of arrays."""
    if name in METRICS:
        return function_of(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *METRICS})

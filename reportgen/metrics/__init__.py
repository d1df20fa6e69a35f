"""The catalogue. Importing this package registers every metric in the files beside it."""

from importlib import import_module
from pkgutil import iter_modules

from reportgen.metrics.spec import METRICS, BoundMetric, Metric, Parameter, rowwise, whole

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

__all__ = ["METRICS", "BoundMetric", "Metric", "Parameter", "rowwise", "whole"]

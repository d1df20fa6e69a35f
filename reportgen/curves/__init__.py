"""The catalogue of curves. Importing this package registers those in the files beside it."""

from importlib import import_module
from pkgutil import iter_modules

from reportgen.curves.spec import CURVES, BoundCurve, Curve, Trace, curve

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

__all__ = ["CURVES", "BoundCurve", "Curve", "Trace", "curve"]

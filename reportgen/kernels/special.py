"""SciPy's special functions, as its compiled module has them.

The package around that module takes eight times as long to import, to offer the functions to other
libraries of arrays.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import TYPE_CHECKING


def _load_compiled() -> ModuleType:
    """Load the compiled module under its own name; the package is imported as ever later on."""
    name = "scipy.special"
    spec = find_spec(name)
    if name in sys.modules or spec is None:
        return import_module(name)
    sys.modules[name] = module_from_spec(spec)  # which is not run
    try:
        return import_module(f"{name}._ufuncs")
    finally:
        del sys.modules[name]


if TYPE_CHECKING:
    from scipy.special import betainc as betainc
    from scipy.special import betaincinv as betaincinv
    from scipy.special import chdtrc as chdtrc
    from scipy.special import chdtri as chdtri
    from scipy.special import expit as expit
    from scipy.special import fdtrc as fdtrc
    from scipy.special import gammainc as gammainc
    from scipy.special import ndtr as ndtr
    from scipy.special import ndtri as ndtri
    from scipy.special import stdtr as stdtr
    from scipy.special import stdtrit as stdtrit
    from scipy.special import xlogy as xlogy
else:
    _compiled = _load_compiled()
    betainc, betaincinv = _compiled.betainc, _compiled.betaincinv
    chdtrc, chdtri, fdtrc = _compiled.chdtrc, _compiled.chdtri, _compiled.fdtrc
    expit, gammainc, xlogy = _compiled.expit, _compiled.gammainc, _compiled.xlogy
    ndtr, ndtri, stdtr, stdtrit = (
        _compiled.ndtr,
        _compiled.ndtri,
        _compiled.stdtr,
        _compiled.stdtrit,
    )

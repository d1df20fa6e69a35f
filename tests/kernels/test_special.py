"""SciPy's functions, taken from its compiled module, and its package as ever afterwards."""

import subprocess
import sys

from scipy import special as package

from reportgen.kernels import special

AFTERWARDS = """
import sys
from reportgen.kernels import special
assert "scipy.special" not in sys.modules
from scipy import special as package, stats
assert package.ndtr is special.ndtr and stats.norm.cdf(0.0) == package.logsumexp([0.0]) + 0.5
"""


def test_the_functions_are_those_of_the_package():
    names = [name for name in vars(special) if name in package.__all__]
    assert len(names) == 12
    assert all(getattr(special, name) is getattr(package, name) for name in names)


def test_the_package_is_not_loaded_and_loads_as_ever_later_on():
    subprocess.run([sys.executable, "-c", AFTERWARDS], check=True)

"""Time a first comparison of arrays, from the start of Python, against another checkout.

    python benchmarks/compare_start.py OTHER_PYTHON

Runs the same call by this Python and by OTHER_PYTHON, in which an earlier version is installed, in
turn, and prints the median seconds of processor time of each and their ratio. Bytecode is compiled
by a first run that is not counted.
"""

import os
import statistics
import subprocess
import sys

RUNS = 7
CALL = """
import numpy as np, reportgen
draw = np.random.default_rng(0)
y = draw.gamma(2.0, 10.0, 1000)
models = {"a": y + draw.normal(0, 5, 1000), "b": y + draw.normal(0, 4, 1000)}
reportgen.compare(y, models, baseline="a", metrics=["mae"], use_cache=False)
"""


def measure(python: str) -> float:
    """Return the processor time of one run, its children too."""
    before = os.times()
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    subprocess.run([python, "-c", CALL], check=True, env=environment)
    after = os.times()
    used = zip(after[2:4], before[2:4], strict=True)
    return sum(now - then for now, then in used)


def main() -> None:
    """Print the medians and their ratio."""
    pythons = {"here": sys.executable, "there": sys.argv[1]}
    for python in pythons.values():
        measure(python)
    times = {name: [] for name in pythons}
    for _ in range(RUNS):
        for name, python in pythons.items():
            times[name].append(measure(python))
    here, there = (statistics.median(times[name]) for name in pythons)
    print(f"here {here:.2f} s, there {there:.2f} s, ratio {here / there:.2f}")


if __name__ == "__main__":
    main()

"""What starting a command loads: no library that the command does not need."""

import subprocess
import sys

import pytest

HEAVY = ("numpy", "scipy", "pandas", "pyarrow", "matplotlib", "pydantic", "typst", "fontTools")
SCHEMA = "reportgen.config.schema.config"
COMMAND = """
import os, sys
from reportgen.__main__ import main
leave = os._exit
def report(code):
    sys.stderr.write("LOADED " + " ".join(sys.modules))
    sys.stderr.flush()
    leave(code)
os._exit = report
sys.argv = ["reportgen", *{words!r}]
main()
"""
COMPARE = """
import sys
import numpy as np, reportgen
y = np.arange(60.0) % 7
reportgen.compare(y, {"a": y + np.cos(y), "b": y + np.sin(y)}, use_cache=False)
sys.stderr.write("LOADED " + " ".join(sys.modules))
"""


def loaded_by(code):
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(made.stderr.partition("LOADED ")[2].split())


@pytest.mark.parametrize(
    ("words", "without"),
    [
        (["--help"], HEAVY),
        (["list"], HEAVY),
        (["run", "--help"], HEAVY),
        (["list", "metrics"], ("pandas", "pyarrow", "matplotlib", "pydantic", "typst")),
        (["explain", "kendall"], ("pandas", "pyarrow", "matplotlib", SCHEMA, "typst")),
        (["explain", "W103"], ("pandas", "pyarrow", "matplotlib", SCHEMA, "typst")),
    ],
    ids=" ".join,
)
def test_a_command_loads_what_it_needs(words, without):
    assert not set(without) & loaded_by(COMMAND.format(words=words))


def test_a_comparison_of_arrays_draws_nothing_and_needs_no_pandas():
    assert not {"matplotlib", "pandas", "typst"} & loaded_by(COMPARE)

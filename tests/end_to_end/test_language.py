"""A few configs drawn over the whole language: every run ends as the exit codes promise."""

import subprocess
import sys
from pathlib import Path

import pytest

FUZZ = Path(__file__).parents[2] / "benchmarks" / "fuzz_language.py"


@pytest.mark.full
def test_no_config_ends_in_a_traceback_a_warning_or_a_hang(tmp_path):
    words = ("--first", "1", "--count", "30", "--kept", str(tmp_path))
    done = subprocess.run([sys.executable, FUZZ, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "30 cases" in done.stdout

"""The program that draws configs over the whole language knows it all, and sees what goes wrong."""

import json
import sys
from pathlib import Path

import pytest

BENCHMARKS = str(Path(__file__).parents[2] / "benchmarks")


@pytest.fixture
def fuzz(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import fuzz_language

    return fuzz_language


@pytest.mark.guard
def test_every_key_of_the_language_has_a_way_of_drawing_it(fuzz):
    from language_cases import case, unknown_to_the_fuzz

    assert unknown_to_the_fuzz() == []
    drawn = [case(seed) for seed in range(20)]
    assert drawn == [case(seed) for seed in range(20)]
    assert {"case.yaml"} <= set.intersection(*(set(each.files) for each in drawn))


@pytest.mark.parametrize(
    ("code", "said", "fault"),
    [
        (0, "", ""),
        (0, "/x/reportgen/a.py:7: RuntimeWarning: overflow encountered in square", "a.py:7"),
        (0, "/y/numpy/core.py:7: RuntimeWarning: divide by zero", "RuntimeWarning"),
        (0, "Traceback (most recent call last):", "Traceback"),
        (1, "x" * 800, "letters or more"),
        (2, "", "without a word"),
        (101, "", "exit 101"),
        (-24, "", "exit -24"),
        (-9, "", "exit -9"),
    ],
)
def test_a_warning_a_traceback_a_long_line_and_a_kill_are_faults(fuzz, tmp_path, code, said, fault):
    (tmp_path / "results.json").write_text(json.dumps({}))
    found = fuzz.fault_of(code, 1.0, said, tmp_path)
    assert (fault in found) if fault else found == ""


def test_a_report_without_readable_results_is_a_fault(fuzz, tmp_path):
    (tmp_path / "results.json").write_text('{"value": NaN}')
    assert "results.json" in fuzz.fault_of(0, 1.0, "", tmp_path)
    assert "results.json" in fuzz.fault_of(0, 1.0, "", tmp_path / "nowhere")
    assert "language_cases" in sys.modules

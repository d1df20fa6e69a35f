"""The study of decisions without a better model: what is published, and its own small form."""

from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture
def study(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return import_module("null_decisions")


def test_the_page_says_what_was_counted(study):
    assert study.PAGE.read_text(encoding="utf-8") == study.write_page(study.RESULTS)


@pytest.mark.full
@pytest.mark.parametrize("name", ["lognormal", "ranking"])
def test_no_better_model_is_seldom_called_better(study, name):
    """At 2.5%, more than 6 of 40 have a probability of 0.00006."""
    found = study.run_block(name, 0, 40)
    for cell, counts in found.items():
        if cell.startswith(("null", "margin")):
            assert counts["runs"] == 40
            assert counts.get("yes", 0) <= counts["better"] <= 6
        else:
            assert counts["runs"] == 10
            assert counts["several better"] >= 6

"""Whatever has a name can be listed and explained, from the place that defines it."""

import re
import subprocess
import sys
from typing import get_args

import pytest

from reportgen import errors
from reportgen.cli.explain import KINDS, explain_name
from reportgen.config.loading import RULES as MODELS
from reportgen.config.schema import report
from reportgen.errors import UsageError
from reportgen.governance import decision
from reportgen.inference.method_names import ADJUSTMENT_NAMES, INTERVAL_NAMES, TEST_NAMES
from reportgen.report.layout import SECTIONS
from reportgen.terms import KIND_TEXTS

ALL = [
    pytest.param(kind, name, id=f"{kind.one} {name}")
    for kind in KINDS.values()
    for name in kind.entries()
]


@pytest.mark.parametrize(("kind", "name"), ALL)
def test_everything_that_has_a_name_has_a_text(kind, name):
    entry = kind.entries()[name]
    assert all(entry.row)
    assert entry.row[-1] != name
    [head, text, *_] = entry.tell().split("\n\n")
    assert head.startswith(name)
    assert text.strip().endswith(".")
    assert entry.tell() in explain_name(name)


def test_every_method_rule_and_section_is_there():
    assert list(KINDS["intervals"].entries()) == list(INTERVAL_NAMES)
    assert list(KINDS["tests"].entries()) == list(TEST_NAMES)
    assert list(KINDS["adjustments"].entries()) == list(ADJUSTMENT_NAMES)
    assert set(KINDS["rules"].entries()) == set(MODELS) == set(get_args(decision.GateRule))
    assert len(KINDS["sections"].entries()) == len(SECTIONS)


def test_every_exit_code_of_an_error_has_a_text():
    kinds = (errors.ConfigError, errors.UsageError, errors.DataError, errors.OutputError)
    assert {kind.exit_code for kind in kinds} < set(errors.EXIT_CODES)


def test_a_rule_is_told_where_it_is_written_and_where_it_is_explained():
    told = report.NonInferior.model_fields["rule"].description
    assert KINDS["rules"].entries()["non_inferior"].row[1] in told


def test_a_name_of_several_kinds_is_explained_as_each():
    assert re.findall(r"^(\w+) t$", explain_name("t"), re.MULTILINE) == ["interval", "test"]


@pytest.mark.parametrize("name", ["R2", "w103", "Kendall"])
def test_capitals_do_not_count(name):
    assert f" {name.lower()}:" in explain_name(name).lower()


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("delng", "'delong' (test)"),
        ("no_regresion", "'no_regression' (gate rule)"),
        ("robustnes", "'robustness' (section)"),
        ("W1011", "'W101' (warning)"),
    ],
)
def test_what_nothing_is_called_gets_the_nearest_names_of_any_kind(name, near):
    with pytest.raises(UsageError) as caught:
        explain_name(name)
    assert "\n" not in str(caught.value)
    assert near in str(caught.value)


def test_without_a_kind_the_kinds_are_listed():
    assert list(KIND_TEXTS) == list(KINDS)


@pytest.mark.parametrize(
    ("short", "written"),
    [
        ("nDCG@10", "{name: ndcg, k: 10, as: 'nDCG@10'}"),
        ("P(rel=2)@5", "{name: precision_at, relevant: 2.0, k: 5, as: 'P(rel=2)@5'}"),
        ("ndcg_cut_10", "{name: ndcg, k: 10, as: 'ndcg_cut_10'}"),
        ("ERR@20", "{name: err, top: 4.0, k: 20, as: 'ERR@20'}"),
    ],
)
def test_a_short_form_of_a_measure_is_written_out_and_explained(short, written):
    found = explain_name(short)
    assert found.startswith(f"{short}: a short form of {written}\n\nmetric ")
    assert "  parameters:" in found


def test_capitals_of_a_short_form_do_not_count_and_a_slip_in_one_is_named():
    assert explain_name("ndcg@10") == explain_name("nDCG@10")
    with pytest.raises(UsageError, match=r"did you mean 'nDCG@10' \(short form\)"):
        explain_name("ndgc@10")
    with pytest.raises(UsageError, match=r"did you mean 'ndcg' \(metric\)"):
        explain_name("ndgc")


def test_a_list_of_metrics_reads_nothing_of_configs_curves_or_results():
    code = """import sys
import reportgen.cli.commands as c; c.cli.main(['list', 'metrics'], 'x', None, False); """
    code += "print('LOADED', *sys.modules)"
    run = [sys.executable, "-c", code]
    loaded = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    listed, _, modules = loaded.partition("LOADED")
    assert "kendall" in listed
    own = {"reportgen.config", "reportgen.metrics.curves", "reportgen.results"}
    assert not {*own, "pydantic", "pandas", "scipy"} & set(modules.split())


def test_a_name_that_several_tasks_have_is_explained_for_each():
    told = explain_name("recall_at")
    assert "metric recall_at: Recall at k" in told
    assert "metric binary_recall_at: Recall at a false positive rate" in told
    assert "recall_at, with task: binary" in told
    assert "metric expected_cost_fitted" not in explain_name("expected_cost")

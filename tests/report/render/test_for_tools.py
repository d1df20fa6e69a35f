"""What other tools read: metrics.json and curves.csv for DVC, OpenMetrics text, the hook's file."""

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from reportgen.report.layout import build_document
from reportgen.report.render.outputs import render_output
from reportgen.report.render.theme import Theme
from reportgen.results import Results
from tests.worked import results_of

ROOT = Path(__file__).parents[3]
WALLET = results_of("wallet")


def made(output: str, results: Results = WALLET) -> str:
    [content] = render_output(output, build_document(results), results, Theme()).values()
    return content.decode()


def test_metrics_have_each_value_on_all_rows_with_its_interval() -> None:
    told = json.loads(made("metrics"))
    known = [e for e in WALLET.estimates if e.segment is None]
    assert sum(len(of) for models in told.values() for of in models.values()) == len(known)
    for e in known:
        assert told[e.dataset][e.model][e.key] == {"value": e.value, "low": e.low, "high": e.high}


def test_curves_have_a_line_a_point() -> None:
    lines = [*csv.DictReader(io.StringIO(made("curves")))]
    assert len(lines) == sum(len(curve.x) for curve in WALLET.curves)
    first = WALLET.curves[0]
    assert (lines[0]["curve"], lines[0]["model"]) == (first.curve, first.model)
    assert float(lines[0]["y"]) == first.y[0]


def test_a_strict_parser_reads_the_openmetrics_text() -> None:
    families = {each.name: each for each in text_string_to_metric_families(made("openmetrics"))}
    values = {tuple(sorted(s.labels.items())): s.value for s in families["reportgen_value"].samples}
    assert len(values) == sum(e.value is not None for e in WALLET.estimates)
    assert set(values.values()) == {e.value for e in WALLET.estimates if e.value is not None}
    assert [s.value for s in families["reportgen_gate"].samples] == [1.0] * len(WALLET.gates)


@pytest.mark.parametrize(
    "name", ['a"b', "a\\", "a\nb", "a%0A::error::b", "a} 1\n# EOF", "ä\u2028b"]
)
def test_no_name_leaves_its_label(name: str) -> None:
    gates = tuple(replace(gate, name=name) for gate in WALLET.gates)
    found = made("openmetrics", replace(WALLET, gates=gates))
    families = {each.name: each for each in text_string_to_metric_families(found)}
    assert len(families["reportgen_gate"].samples) == len(gates)
    assert found.count("# EOF\n") == 1 and found.endswith("# EOF\n")


def test_statuses_have_their_numbers() -> None:
    [first, *_] = WALLET.gates
    gates = tuple(replace(first, name=s, status=s) for s in ("met", "not met", "cannot tell"))
    found = made("openmetrics", replace(WALLET, gates=gates))
    assert re.findall(r"^reportgen_gate\{.*\} (\S+)$", found, re.MULTILINE) == ["1", "0", "-1"]


def test_the_hook_checks_configs_by_a_command_that_exists() -> None:
    [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert hook["entry"] == "reportgen validate"
    assert re.search(hook["files"], "configs/wallet.yaml")
    assert not re.search(hook["files"], "docs/wallet.yaml")

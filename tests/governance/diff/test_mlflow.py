"""A report as a run of MLflow: names that it takes, and the way out where it is not installed."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from reportgen.governance.mlflow_export import build_mlflow_tags, iter_mlflow_metrics
from tests.end_to_end.wallet import heard
from tests.governance.diff.runs import run
from tests.worked import results_of

WALLET = results_of("wallet")


def test_every_value_and_limit_has_a_name_that_mlflow_takes() -> None:
    told = dict(iter_mlflow_metrics(WALLET))
    known = [e for e in WALLET.estimates if e.segment is None and e.value is not None]
    assert len(told) == sum(1 + (e.low is not None) + (e.high is not None) for e in known)
    assert all(re.fullmatch(r"[A-Za-z0-9_\-. :/]{1,250}", name) for name in told)
    [first, *_] = known
    assert told[f"{first.dataset}/{first.model}/kendall"] == first.value


def test_tags_have_the_verdict_and_the_manifest(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_bytes(b"{}")
    tags = build_mlflow_tags(WALLET, tmp_path)
    assert tags["reportgen.gates_failed"] == "0" and tags["reportgen.verdict"]
    assert len(tags["reportgen.manifest_sha256"]) == 64


def test_without_mlflow_the_way_out_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", None)
    out = run(tmp_path, "first", gates=[])
    code, _, error = heard("log-mlflow", out, cwd=tmp_path)
    assert code == 2 and "pip install 'reportgen[mlflow]'" in error


@pytest.mark.skipif(importlib.util.find_spec("mlflow") is None, reason="MLflow is an extra")
def test_mlflow_keeps_what_was_logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import mlflow

    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "runs").as_uri())
    out = run(tmp_path, "first", gates=[])
    code, said, error = heard("log-mlflow", out, cwd=tmp_path)
    assert code == 0, error
    kept = mlflow.get_run(said.split()[-1])
    assert kept.data.metrics["holdout/boosted/mae.low"] < kept.data.metrics["holdout/boosted/mae"]
    assert "reportgen.manifest_sha256" in kept.data.tags

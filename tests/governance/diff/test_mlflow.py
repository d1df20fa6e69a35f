"""A report as a run of MLflow: names that it takes, and the way out where it is not installed."""

import importlib.util
import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace

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
    assert code == 2 and "pip install 'mlflow-skinny<4,>=3'" in error


class Recorder:
    """MLflow as far as a report is logged with it: it notes the files that it was given."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self.info = SimpleNamespace(run_id="one")

    def start_run(self, run_id: object) -> object:
        return self

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(self, *_: object) -> None:
        """Keep what was noted."""

    def log_metrics(self, told: object) -> None:
        """Note nothing."""

    def set_tags(self, told: object) -> None:
        """Note nothing."""

    def log_artifact(self, path: str, place: str) -> None:
        self.files[f"{place}/{Path(path).name}"] = path


def test_only_files_of_the_manifest_leave_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = run(tmp_path, "first", gates=[])
    secret = tmp_path / "id_rsa"
    secret.write_text("private")
    (out / ".git").mkdir()
    (out / ".git" / "config").write_text("token")
    (out / "notes.txt").symlink_to(secret)
    recorder = Recorder()
    monkeypatch.setitem(sys.modules, "mlflow", recorder)
    code, _, error = heard("log-mlflow", out, cwd=tmp_path)
    assert code == 0, error
    listed = {each["path"] for each in json.loads((out / "manifest.json").read_text())["outputs"]}
    assert set(recorder.files) == {
        f"report/{name}" for name in (*listed, "manifest.json", "SHA256SUMS")
    }
    (out / "SHA256SUMS").unlink()
    (out / "SHA256SUMS").symlink_to(secret)
    recorder.files.clear()
    code, _, error = heard("log-mlflow", out, cwd=tmp_path)
    assert code == 2 and "SHA256SUMS: is a link, or no file" in error
    assert not recorder.files


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

"""Files of somebody else, and values that nobody should see."""

import os

import pytest

from reportgen import output
from reportgen.errors import UsageError
from tests.end_to_end.wallet import call, dataset, put, results

REPORT = {"results.json": b'{\n "schema_version": 1\n}\n', "report.md": b"# ours\n"}


def test_a_report_that_somebody_else_wrote_is_not_replaced(tmp_path):
    (tmp_path / "report.html").write_text("mine")
    with pytest.raises(UsageError, match=r"report\.html that reportgen did not write"):
        output.check(tmp_path)
    assert (tmp_path / "report.html").read_text() == "mine"


def test_results_of_another_tool_are_not_replaced(tmp_path):
    (tmp_path / "results.json").write_text('{"auc": 0.7}')
    with pytest.raises(UsageError, match="choose another --out"):
        output.check(tmp_path)


def test_a_report_of_ours_is_replaced(tmp_path):
    output.write(REPORT, tmp_path / "out")
    output.check(tmp_path / "out")
    output.write({"results.json": REPORT["results.json"]}, tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["results.json"]


def test_a_data_file_whose_name_is_not_utf8_is_named_in_the_report(tmp_path):
    config = put(tmp_path, datasets=dataset(path="d/*.csv"), outputs=["json", "html", "pdf"])
    (tmp_path / "d").mkdir()
    (tmp_path / "wallet.csv").rename(tmp_path / "d" / os.fsdecode(b"caf\xe9.csv"))
    assert call("run", config, "--out", "out", "--quiet") == 0
    assert results(tmp_path / "out")["datasets"][0]["inputs"][0]["path"] == "d/caf\\xe9.csv"


def test_a_config_whose_name_is_not_utf8_has_a_report(tmp_path):
    config = put(tmp_path).rename(tmp_path / os.fsdecode(b"\xfe.yaml"))
    assert call("run", config, "--quiet") == 0
    told = results(tmp_path / "reports" / os.fsdecode(b"\xfe"))["provenance"]
    assert told["command"] == "reportgen run \\xfe.yaml"

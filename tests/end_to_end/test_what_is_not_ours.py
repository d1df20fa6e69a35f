"""Files of somebody else, and values that nobody should see."""

import pytest

from reportgen import output
from reportgen.errors import UsageError

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

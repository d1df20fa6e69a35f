"""Names of files that are no text."""

import os

from tests.end_to_end.wallet import call, dataset, put, results


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

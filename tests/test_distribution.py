"""The package under its own name: hints, the other package of that name, the source archive."""

import re
import sys
from importlib import metadata
from pathlib import Path

from reportgen.governance import provenance
from reportgen.version import DISTRIBUTION, describe_other_package, format_install_command
from tests.end_to_end.wallet import heard, put

ROOT = Path(__file__).parents[1]
READ = {".md", ".py", ".toml", ".yml", ".yaml", ".json", ".in", ""}
SKIPPED = {".hypothesis", ".git", ".venv", "build", "dist", "reports", "worked_results"}


def list_texts():
    for path in sorted(ROOT.rglob("*")):
        is_ours = not SKIPPED & set(path.relative_to(ROOT).parts) and path.suffix in READ
        if is_ours and path.is_file() and path != Path(__file__):
            yield path


def test_no_text_tells_a_reader_to_install_the_package_of_another_project():
    wrong = re.compile(r"pip install[^\n]*[ '\"]reportgen(?![-\w./])")
    found = [path for path in list_texts() if wrong.search(path.read_text("utf-8", "ignore"))]
    assert found == []
    assert wrong.search("pip install 'reportgen[dask]'") and wrong.search("pip install reportgen")
    assert not wrong.search("pip install reportgen-compare")


def test_a_hint_names_the_missing_package_as_the_extras_do():
    assert format_install_command("dask") == "pip install 'distributed>=2025.1'"
    assert format_install_command("mlflow") == "pip install 'mlflow-skinny<4,>=3'"
    assert format_install_command("unknown") == "pip install unknown"


def test_another_package_in_the_same_folder_is_named_and_an_older_one_of_ours_is_not(monkeypatch):
    known = {DISTRIBUTION: {"Summary": "ours", "Version": "0.2.0"}}

    def look_up(name):
        if name not in known:
            raise metadata.PackageNotFoundError(name)
        return known[name]

    monkeypatch.setattr(metadata, "metadata", look_up)
    assert describe_other_package() == ""
    known["reportgen"] = {"Summary": "ours", "Version": "0.1.0"}
    assert describe_other_package() == ""
    known["reportgen"] = {"Summary": "a PDF generator", "Version": "3.1"}
    assert describe_other_package().startswith("the package reportgen 3.1 is installed too")


def test_a_library_that_is_missing_is_listed_as_not_installed(monkeypatch):
    monkeypatch.setattr(provenance, "LIBRARIES", ("numpy", "no-such-library"))
    assert provenance.list_versions()["no-such-library"] == "not installed"


def test_without_typst_the_other_outputs_are_made_and_the_hint_is_printed(tmp_path, monkeypatch):
    put(tmp_path, outputs=["markdown", "pdf"])
    monkeypatch.setitem(sys.modules, "typst", None)
    code, _, error = heard("run", "wallet.yaml", "--out", "o", "--quiet", cwd=tmp_path)
    assert code == 4
    assert "report.pdf needs typst, which is not installed; run: pip install typst" in error
    assert (tmp_path / "o" / "report.md").exists() and not (tmp_path / "o" / "report.pdf").exists()

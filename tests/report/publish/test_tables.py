"""The folder of tables within a report: ours file by file, and never through a link."""

import os
import stat
from pathlib import Path

import pytest

from reportgen.errors import OutputError, UsageError
from reportgen.report import publish
from reportgen.report.publish.files import is_own_name
from tests.report.publish.torn import NEW, NEXT, OLD, held


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a report of ours in it, tables among it."""
    publish.publish_files(OLD, tmp_path / "report")
    return tmp_path / "report"


@pytest.mark.parametrize(
    "name",
    [
        "tables/../x.csv",
        "tables/X.csv",
        "tables/.csv",
        "tables/a/b.csv",
        "tables/a.py",
        "a.csv",
        "/tables/a.csv",
        "tables/-a.csv",
        "tables/a.csv\n",
        "other/a.csv",
    ],
)
def test_other_names_are_not_ours(name: str) -> None:
    assert is_own_name("tables/gain-curve-1.csv")
    assert not is_own_name(name)


def test_tables_of_the_last_report_go_with_it(folder: Path) -> None:
    publish.publish_files(NEW, folder)
    assert held(folder) == NEW
    publish.publish_files(NEXT, folder)
    assert held(folder) == NEXT
    assert not (folder / "tables").exists()


@pytest.mark.parametrize("beside", ["notes.txt", "tables/notes.txt", "tables/Mine.csv"])
def test_files_of_others_stay_beside_ours(folder: Path, beside: str) -> None:
    (folder / beside).write_text("mine")
    publish.publish_files(NEW, folder)
    assert held(folder) == NEW
    publish.publish_files(NEXT, folder)
    assert held(folder) == NEXT
    assert (folder / beside).read_text() == "mine"


def test_a_table_that_our_results_do_not_name_is_not_replaced(folder: Path) -> None:
    (folder / "tables" / "rec.csv").write_text("mine")
    with pytest.raises(UsageError, match=r"holds a tables/rec\.csv that reportgen did not write"):
        publish.check_folder(folder)
    with pytest.raises(OutputError, match="the last report is unchanged"):
        publish.publish_files(NEW, folder)
    assert held(folder) == {**OLD, "tables/rec.csv": b"mine"}


@pytest.mark.skipif(os.name == "nt", reason="links need a right of their own there")
def test_tables_behind_a_link_are_not_ours(tmp_path: Path) -> None:
    elsewhere, folder = tmp_path / "elsewhere", tmp_path / "report"
    publish.publish_files(OLD, folder)
    (folder / "tables").rename(elsewhere)
    (folder / "tables").symlink_to(elsewhere)
    before = {path.name: path.read_bytes() for path in elsewhere.iterdir()}
    with pytest.raises(UsageError, match="holds a tables that reportgen did not write"):
        publish.check_folder(folder)
    with pytest.raises(OutputError, match="the last report is unchanged"):
        publish.publish_files(NEXT, folder)
    assert {path.name: path.read_bytes() for path in elsewhere.iterdir()} == before


def test_a_file_in_the_place_of_the_folder_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "tables").write_text("mine")
    with pytest.raises(UsageError, match="holds a tables that reportgen did not write"):
        publish.check_folder(tmp_path)


@pytest.mark.parametrize("has_others", [False, True])
def test_tables_are_as_private_as_the_report(tmp_path: Path, has_others: bool) -> None:
    folder = tmp_path / "report"
    folder.mkdir(mode=0o700)
    if has_others:
        (folder / "notes.txt").write_text("mine")
    publish.publish_files(OLD, folder)
    assert stat.S_IMODE((folder / "tables").stat().st_mode) == 0o700
    publish.publish_files(NEW, folder)
    assert stat.S_IMODE((folder / "tables").stat().st_mode) == 0o700

"""Only our own files are replaced, and what is replaced keeps its mode and owner."""

import json
import os
import random
import stat
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree

import pytest

from reportgen.errors import OutputError, UsageError
from reportgen.report import publish
from reportgen.report.publish.files import new_staging_name
from tests.report.publish.torn import NEW, NEXT, OLD, held, others, put_others

ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a report of ours in it."""
    publish.publish_files(OLD, tmp_path / "report")
    return tmp_path / "report"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def known(folder: Path) -> dict[str, tuple[int, int, int]]:
    found = {path.name: path.lstat() for path in folder.iterdir()}
    return {name: (each.st_ino, each.st_mode, each.st_mtime_ns) for name, each in found.items()}


def a_file(path: Path) -> None:
    path.write_text("mine")


def a_folder(path: Path) -> None:
    path.mkdir()
    (path / "thesis.txt").write_text("mine")


def a_link(path: Path) -> None:
    path.symlink_to("notes.txt")


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize("put", [a_file, a_folder, a_link, a_pipe])
@pytest.mark.parametrize("name", ["report.pdf", "junit.xml", ".reportgen-incomplete"])
def test_what_our_results_do_not_name_is_not_replaced(
    folder: Path, put: Callable[[Path], None], name: str
) -> None:
    put(folder / name)
    before = known(folder)
    with pytest.raises(UsageError, match=f"^report: holds a {name} that reportgen did not write"):
        publish.check_folder(folder)
    with pytest.raises(OutputError, match=f"holds a {name} .*; the last report is unchanged$"):
        publish.publish_files(NEXT, folder)
    assert known(folder) == before


@pytest.mark.parametrize("put", [a_folder, a_link, a_pipe])
def test_what_is_no_file_is_not_ours_though_our_results_name_it(
    folder: Path, put: Callable[[Path], None]
) -> None:
    (folder / "report.html").unlink()
    put(folder / "report.html")
    with pytest.raises(UsageError, match=r"holds a report\.html that reportgen did not write"):
        publish.check_folder(folder)


@pytest.mark.parametrize(
    "text",
    [
        '{"auc": 0.7}',
        '{"schema_version": 1, "files": ["report.html"]}',
        '{"schema_version": 1, "provenance": {"versions": {"other": "2"}}}',
        '{"provenance": {"versions": {"reportgen": 3}}}',
        '[{"provenance": {"versions": {"reportgen": "0"}}}]',
        "[" * 100_000,
        "",
        "\x00",
    ],
)
def test_results_of_another_tool_are_not_replaced(tmp_path: Path, text: str) -> None:
    (tmp_path / "results.json").write_text(text)
    (tmp_path / "report.html").write_text("of that tool")
    with pytest.raises(UsageError, match=r"holds a results\.json that reportgen did not write"):
        publish.check_folder(tmp_path)


def test_a_report_without_its_results_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text("mine")
    with pytest.raises(UsageError, match=r"report\.html that reportgen did not write"):
        publish.check_folder(tmp_path)
    assert (tmp_path / "report.html").read_text() == "mine"


def test_results_cannot_claim_a_file_of_any_name(folder: Path) -> None:
    told = json.loads(OLD["results.json"]) | {"files": ["results.json", "notes.txt", "../x"]}
    (folder / "results.json").write_text(json.dumps(told))
    (folder / "report.html").unlink()
    (folder / "report.md").unlink()
    rmtree(folder / "tables")
    (folder / "notes.txt").write_text("mine")
    (folder.parent / "x").write_text("mine")
    publish.publish_files(NEXT, folder)
    assert (folder / "notes.txt").read_text() == (folder.parent / "x").read_text() == "mine"


def test_a_report_of_ours_is_replaced(folder: Path) -> None:
    publish.check_folder(folder)
    publish.publish_files({"results.json": OLD["results.json"]}, folder)
    assert [path.name for path in folder.iterdir()] == ["results.json"]


def test_results_of_a_version_that_did_not_list_its_files_name_them_by_output(
    folder: Path,
) -> None:
    told = json.loads(OLD["results.json"]) | {"config": {"outputs": ["html", "markdown", "json"]}}
    del told["files"]
    (folder / "results.json").write_text(json.dumps(told))
    rmtree(folder / "tables")
    publish.check_folder(folder)
    (folder / "report.pdf").write_text("mine")
    with pytest.raises(UsageError, match=r"holds a report\.pdf"):
        publish.check_folder(folder)


@pytest.mark.parametrize("has_others", [False, True])
def test_mode_and_owner_of_what_is_replaced_stay(folder: Path, has_others: bool) -> None:
    if has_others:
        put_others(folder)
    (folder / "results.json").chmod(0o600)
    (folder / "report.html").chmod(0o640)
    folder.chmod(0o2700)
    if ROOT:
        os.chown(folder / "report.html", 12, 34)
        os.chown(folder, 56, 78)
        folder.chmod(0o2700)
    before, other = folder.stat(), others(folder.parent)
    html = (folder / "report.html").stat()
    publish.publish_files(NEW, folder)
    after = (folder / "report.html").stat()
    assert others(folder.parent).items() >= other.items()
    assert (mode(folder), folder.stat().st_uid) == (0o2700, before.st_uid)
    assert (after.st_mode, after.st_uid, after.st_gid) == (html.st_mode, html.st_uid, html.st_gid)
    assert mode(folder / "results.json") == 0o600
    assert mode(folder / "junit.xml") == 0o600  # new, and as private as the report was
    assert folder.stat().st_gid == before.st_gid


def test_a_new_report_has_the_modes_that_the_user_asks_for(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        publish.publish_files(OLD, tmp_path / "deep" / "report")
    finally:
        os.umask(before)
    folder = tmp_path / "deep" / "report"
    assert (mode(folder), mode(folder / "report.md")) == (0o750, 0o640)


def test_the_other_name_of_a_replaced_file_keeps_what_it_held(folder: Path) -> None:
    (folder.parent / "kept.html").hardlink_to(folder / "report.html")
    publish.publish_files(NEW, folder)
    assert (folder.parent / "kept.html").read_bytes() == OLD["report.html"]
    assert held(folder) == NEW


@pytest.mark.parametrize("seed", range(20))
def test_nothing_but_our_files_changes_in_a_folder_of_a_users_own(
    tmp_path: Path, seed: int
) -> None:
    draw = random.Random(seed)
    folder = tmp_path / "report"
    publish.publish_files(OLD, folder)
    for place in (tmp_path, folder):
        for number in range(6):
            path = place / f"{draw.choice(['.', ''])}report{number}"
            kind = draw.choice([a_file, a_folder, a_link, a_pipe])
            kind(path)
            if kind in (a_file, a_folder):
                path.chmod(draw.choice([0o600, 0o644, 0o700, 0o755, 0o2770]))
            if ROOT:
                os.chown(path, draw.randrange(3), draw.randrange(3), follow_symlinks=False)
    put_others(folder)
    folder.chmod(draw.choice([0o700, 0o755, 0o2750]))
    before, own = others(tmp_path), folder.stat()
    publish.publish_files(NEW, folder)
    publish.publish_files(NEXT, folder)
    assert others(tmp_path) == before
    assert (folder.stat().st_mode, folder.stat().st_ino) == (own.st_mode, own.st_ino)
    assert held(folder) == NEXT


@pytest.mark.parametrize(
    "name",
    [
        ".report.new-thesis",
        ".report.old-1",
        ".reportgen-thesis",
        ".reportgen-0123456789abcdef-00000000",
    ],
)
@pytest.mark.parametrize("is_empty", [False, True])
def test_a_folder_that_looks_like_one_of_ours_is_not_touched(
    folder: Path, name: str, is_empty: bool
) -> None:
    for place in (folder, folder.parent):
        (place / name).mkdir()
        if not is_empty:
            (place / name / "results.json").write_text("mine")
    before = others(folder.parent)
    publish.publish_files(NEW, folder)
    assert others(folder.parent) == before


def test_what_a_user_put_into_a_folder_that_was_left_stays(folder: Path) -> None:
    left = folder.parent / new_staging_name()
    left.mkdir()
    (left / "report.html").write_text("of a run that was killed")
    (left / "thesis.txt").write_text("mine")
    publish.publish_files(NEW, folder)
    assert [path.name for path in left.iterdir()] == ["thesis.txt"]


def test_two_links_to_each_other_are_no_folder(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    for folder in (tmp_path / "one", tmp_path / "one" / "report"):
        with pytest.raises(UsageError, match=r"^(one|report): Too many levels of symbolic links; "):
            publish.check_folder(folder)


@pytest.mark.parametrize(
    "words", ["x" * 300, f"none/{'x' * 300}", "/".join(["deep"] * 1000), "a\0b"]
)
def test_a_name_that_no_folder_can_have_is_told_before_any_work(tmp_path: Path, words: str) -> None:
    with pytest.raises(UsageError, match=r"^[^\n]{3,200}; choose another --out$"):
        publish.check_folder(tmp_path / words)
    with pytest.raises(OutputError, match=r"^[^\n]{3,200}; no report was written$"):
        publish.publish_files(NEW, tmp_path / words)
    assert not (tmp_path / "none" / "report").exists()


def test_a_link_leads_to_the_folder_that_is_written(folder: Path) -> None:
    (folder.parent / "latest").symlink_to("report")
    publish.publish_files(NEW, folder.parent / "latest")
    assert (folder.parent / "latest").is_symlink()
    assert held(folder) == NEW

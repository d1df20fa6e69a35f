"""What is said of the repository a config stands in, and that nothing of it is run or written."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from reportgen.governance.provenance import collect_provenance, read_git_state

SAFE = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{
        f"GIT_{who}_{what}": "a@b.example"
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    },
}


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)


def git(folder: Path, *words: object) -> str:
    """What git says in a folder."""
    done = subprocess.run(
        ["git", "-C", str(folder), *map(str, words)],
        env={**os.environ, **SAFE},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def made(folder: Path, *options: str) -> Path:
    """A repository with one commit of one file."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main", *options)
    (folder / "wallet.yaml").write_text("version: 1\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "One")
    return folder


def hostile(folder: Path, trap: Path) -> None:
    """Have every setting that names a program name one that leaves a trace."""
    script = trap.parent / "trap.sh"
    script.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{trap}'\ncat\n")
    script.chmod(0o755)
    hooks = trap.parent / "hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-index-change", "reference-transaction", "fsmonitor-watchman"):
        shutil.copy(script, hooks / hook)
    for key in (
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "core.editor",
        "gpg.program",
        "diff.external",
        "diff.evil.textconv",
        "diff.evil.command",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "credential.helper",
        "core.alternateRefsCommand",
        "uploadpack.packObjectsHook",
    ):
        git(folder, "config", key, script)
    git(folder, "config", "filter.evil.required", "true")
    git(folder, "config", "core.hooksPath", hooks)
    git(folder, "config", "alias.status", f"!{script}")
    git(folder, "config", "alias.check-attr", f"!{script}")
    git(folder, "config", "pager.status", "true")
    git(folder, "config", "safe.directory", "*")
    included = trap.parent / "included"
    included.write_text(f'[core]\n\tfsmonitor = {script}\n[filter "evil"]\n\tclean = {script}\n')
    git(folder, "config", "include.path", included)
    git(folder, "config", "remote.origin.url", f"ext::{script}")
    git(folder, "config", "remote.origin.promisor", "true")
    git(folder, "config", "extensions.partialClone", "origin")


def touched(path: Path) -> None:
    """Make a file look as if it had changed, with the same content."""
    os.utime(path, ns=(1, 1))


def everything(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Each file below a folder, with its time and its bytes."""
    return {
        str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_commit_is_told_and_an_untouched_tree_is_clean(tmp_path: Path) -> None:
    work = made(tmp_path / "work")
    head = git(work, "rev-parse", "HEAD")
    assert read_git_state(work, None) == {"commit": head, "is_dirty": False}


@pytest.mark.parametrize("change", ["edited", "added", "removed", "staged"])
def test_a_file_that_was_edited_added_or_removed_makes_it_dirty(
    tmp_path: Path, change: str
) -> None:
    work = made(tmp_path / "work")
    file = work / "wallet.yaml"
    if change == "removed":
        file.unlink()
    else:
        (work / "new.csv" if change == "added" else file).write_text("version: 2\n")
    if change == "staged":
        git(work, "add", ".")
    assert read_git_state(work, None)["is_dirty"] is True


def test_a_file_touched_but_not_changed_is_clean(tmp_path: Path) -> None:
    work = made(tmp_path / "work")
    touched(work / "wallet.yaml")
    assert read_git_state(work, None)["is_dirty"] is False


def test_what_the_repository_ignores_and_the_output_folder_do_not_count(tmp_path: Path) -> None:
    work = made(tmp_path / "work")
    (work / ".git" / "info" / "exclude").write_text("*.tmp\n")
    (work / "a.tmp").write_text("")
    (work / "out [1]").mkdir()
    (work / "out [1]" / "report.html").write_text("")
    assert read_git_state(work, work / "out [1]")["is_dirty"] is False
    assert read_git_state(work, None)["is_dirty"] is True


def test_a_branch_is_found_loose_packed_and_in_a_second_working_tree(tmp_path: Path) -> None:
    work = made(tmp_path / "work")
    head = git(work, "rev-parse", "HEAD")
    git(work, "pack-refs", "--all")
    git(work, "worktree", "add", "-q", tmp_path / "second", "-b", "other")
    second = tmp_path / "second"
    assert read_git_state(work, None) == {"commit": head, "is_dirty": False}
    assert read_git_state(second, None) == {"commit": head, "is_dirty": False}
    (second / "new.csv").write_text("")
    assert read_git_state(second, None)["is_dirty"] is True
    assert read_git_state(work, None)["is_dirty"] is False


def test_a_repository_of_sha256_is_read_too(tmp_path: Path) -> None:
    work = made(tmp_path / "work", "--object-format=sha256")
    head = git(work, "rev-parse", "HEAD")
    assert read_git_state(work, None) == {"commit": head, "is_dirty": False}


def test_before_the_first_commit_there_is_none(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    assert read_git_state(tmp_path, None) == {"commit": None, "is_dirty": None}


def test_without_git_the_commit_is_known_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = made(tmp_path / "work")
    head = git(work, "rev-parse", "HEAD")
    monkeypatch.setenv("PATH", "")
    assert read_git_state(work, None) == {"commit": head, "is_dirty": None}


@pytest.mark.parametrize("state", ["clean", "touched", "edited"])
def test_no_program_that_the_settings_of_a_repository_name_is_run(
    tmp_path: Path, state: str
) -> None:
    trap = tmp_path / "trap"
    work = made(tmp_path / "a" / "work")
    (work / ".gitattributes").write_text("* filter=evil diff=evil\n")
    git(work, "add", ".")
    git(work, "commit", "-qm", "Two")
    hostile(work, trap)
    if state != "clean":
        touched(work / "wallet.yaml")
    if state == "edited":
        (work / "wallet.yaml").write_text("version: 2\n")
        (work / "new.csv").write_text("")
    said = read_git_state(work, None)
    assert not trap.exists()
    assert said["commit"]
    assert said["is_dirty"] is (state == "edited")


def test_the_trap_of_these_tests_does_spring_when_git_is_asked_as_usual(tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    work = made(tmp_path / "a" / "work")
    (work / ".gitattributes").write_text("* filter=evil\n")
    hostile(work, trap)
    touched(work / "wallet.yaml")
    subprocess.run(["git", "-C", str(work), "status"], capture_output=True)
    assert trap.exists()


def test_nothing_of_an_embedded_bare_repository_is_run(tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    work = made(tmp_path / "a" / "work")
    bare = work / "data"
    bare.mkdir()
    git(bare, "init", "-q", "--bare")
    hostile(bare, trap)
    git(bare, "config", "core.bare", "false")
    git(bare, "config", "core.worktree", work)
    said = read_git_state(bare, None)
    assert not trap.exists()
    assert said["commit"] == git(work, "rev-parse", "HEAD")


def test_nothing_of_a_submodule_is_run(tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    part = made(tmp_path / "a" / "part")
    work = made(tmp_path / "b" / "work")
    git(work, "-c", "protocol.file.allow=always", "submodule", "add", "-q", part, "part")
    git(work, "commit", "-qm", "Two")
    git(work, "config", "-f", ".gitmodules", "submodule.part.ignore", "none")
    git(work, "commit", "-qam", "Three")
    (work / "part" / ".gitattributes").write_text("* filter=evil\n")
    hostile(work / "part", trap)
    touched(work / "part" / "wallet.yaml")
    assert read_git_state(work, None)["is_dirty"] is False
    assert not trap.exists()
    trap.unlink(missing_ok=True)
    settings = work / ".git" / "modules" / "part" / "config"
    evil = settings.read_bytes()
    settings.write_text("[core]\n\trepositoryFormatVersion = 0\n")
    git(work / "part", "commit", "--allow-empty", "-qm", "Four")
    settings.write_bytes(evil)
    assert read_git_state(work, None)["is_dirty"] is True
    assert not trap.exists()


def test_what_only_a_filter_could_compare_is_neither_clean_nor_dirty(tmp_path: Path) -> None:
    work = made(tmp_path / "work")
    git(work, "config", "filter.case.clean", "tr a-z A-Z")
    (work / ".gitattributes").write_text("*.csv filter=case\n")
    (work / "wallet.csv").write_text("id,y\n")
    git(work, "add", ".")
    git(work, "commit", "-qm", "Two")
    touched(work / "wallet.csv")
    assert read_git_state(work, None)["is_dirty"] is None
    (work / "wallet.yaml").write_text("version: 2\n")
    assert read_git_state(work, None)["is_dirty"] is True


def test_nothing_is_written_in_the_repository(tmp_path: Path) -> None:
    work = made(tmp_path / "work")
    git(work, "config", "core.splitIndex", "true")
    git(work, "update-index", "--split-index")
    touched(work / "wallet.yaml")
    before = everything(work)
    read_git_state(work, None)
    assert everything(work) == before


def test_the_environment_names_no_other_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, other = made(tmp_path / "work"), made(tmp_path / "other")
    git(other, "commit", "--allow-empty", "-qm", "Two")
    trace = tmp_path / "trace"
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    monkeypatch.setenv("GIT_TRACE", str(trace))
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.setitem(SAFE, name, "")
    said = read_git_state(work, None)
    assert said["commit"] == (work / ".git/refs/heads/main").read_text().strip()
    assert said["is_dirty"] is False
    assert not trace.exists()


@pytest.mark.parametrize("name", ["HEAD", "index", "config", "packed-refs", "info/exclude"])
def test_a_pipe_in_place_of_a_file_of_the_repository_does_not_hang(
    tmp_path: Path, name: str
) -> None:
    work = made(tmp_path / "work")
    git(work, "pack-refs", "--all")
    (work / ".git" / name).unlink()
    os.mkfifo(work / ".git" / name)
    assert read_git_state(work, None)["is_dirty"] is None


def test_a_head_that_leads_out_of_the_repository_is_not_followed(tmp_path: Path) -> None:
    work = made(tmp_path / "work")
    (tmp_path / "hash").write_text("a" * 40)
    (work / ".git" / "HEAD").write_text("ref: refs/../../../hash\n")
    assert read_git_state(work, None)["commit"] is None


def test_names_that_are_not_utf8_are_no_bug(tmp_path: Path) -> None:
    work = made(Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")))
    (work / os.fsdecode(b"\xff.csv")).write_text("")
    told = collect_provenance(work / os.fsdecode(b"\xfe.yaml"), (), work / os.fsdecode(b"\xfd"))
    assert told["git"] == {"commit": git(work, "rev-parse", "HEAD"), "is_dirty": True}
    assert told["command"] == "reportgen run \\xfe.yaml"

"""Compiled templates are kept for the next run, and only as long as nothing has changed."""

import os
import sys

import pytest
from jinja2 import DictLoader, Environment

from reportgen.paths import find_templates_folder
from reportgen.report.prose import compiled, messages
from reportgen.report.prose.compiled import CompiledTemplates
from reportgen.report.prose.messages import Catalogue, Message


@pytest.fixture(autouse=True)
def file(tmp_path, monkeypatch):
    path = tmp_path / "made" / "templates-1.here"
    monkeypatch.setattr(compiled, "_find_file", lambda: path)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)  # whatever the environment
    return path


def fill(source, kept):
    """Fill a template, and tell whether it had to be compiled."""
    environment = Environment(loader=DictLoader({"a": source}), bytecode_cache=kept)
    made = []
    compile_source = environment.compile
    environment.compile = lambda *each: made.append(each) or compile_source(*each)
    text = environment.get_template("a").render(x=2)
    kept.save()
    return text, bool(made)


def test_the_next_run_compiles_only_what_has_changed():
    assert fill("{{ x }}!", CompiledTemplates()) == ("2!", True)
    assert fill("{{ x }}!", CompiledTemplates()) == ("2!", False)
    assert fill("{{ x }}?", CompiledTemplates()) == ("2?", True)


def test_what_another_version_kept_is_removed(file):
    file.parent.mkdir()
    (file.parent / "templates-0.here").write_bytes(b"")
    fill("{{ x }}", CompiledTemplates())
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize("is_own_first", [False, True])
def test_the_terms_of_a_team_stay_in_its_messages(is_own_first, monkeypatch):
    monkeypatch.setattr(messages, "COMPILED", CompiledTemplates())
    folder = find_templates_folder() / "prose"
    term = Message("intervals_about.procedure", "own.md", 1, ("our way",))
    built_in, own = Catalogue(folder), Catalogue(folder, {term.key: term})
    values = {"baseline": "old", "level": "95%"}
    found = {
        each is own: "our way" in each.fill("folds.questions", values)
        for each in ((own, built_in) if is_own_first else (built_in, own))
    }
    assert found == {True: True, False: False}


@pytest.mark.parametrize("held", [b"", b"nonsense", b"\xe9\x01\x00\x00\x00"])
def test_a_damaged_file_is_passed_over_and_written_anew(file, held):
    file.parent.mkdir()
    file.write_bytes(held)
    assert fill("{{ x }}", CompiledTemplates()) == ("2", True)
    assert fill("{{ x }}", CompiledTemplates()) == ("2", False)


def test_nothing_is_written_where_python_may_not_write_its_own(file, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert fill("{{ x }}", CompiledTemplates()) == ("2", True)
    assert not file.parent.exists()


def test_a_folder_that_cannot_be_made_is_no_fault(file):
    file.parent.write_text("a file", encoding="utf-8")
    assert fill("{{ x }}", CompiledTemplates()) == ("2", True)


def test_a_file_that_has_changed_is_seen(tmp_path):
    for name in ("a.py", "b.txt", "c.md"):
        (tmp_path / name).write_text("x", encoding="utf-8")
    before = list(compiled._iter_files(tmp_path, ".py"))
    os.utime(tmp_path / "a.py", ns=(1, 1))
    assert len(before) == 1 and list(compiled._iter_files(tmp_path, ".py")) != before

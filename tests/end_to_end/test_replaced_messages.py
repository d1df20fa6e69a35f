"""A team's folder replaces messages one by one; what would hide a result or fail is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reportgen.errors import UsageError
from reportgen.report import prose
from reportgen.report.prose.replacing import format_messages
from tests.end_to_end.wallet import call, put

OURS = """# Our own words

## forest.title
How sure are we?

## forest.caption
Change in {{ metric }} from {{ baseline }}.

## change.error_less
{{ its }} mean error falls by {{ size|size }}.
"""


def write_messages(folder: Path, text: str) -> Path:
    (folder / "mine" / "prose").mkdir(parents=True)
    (folder / "mine" / "prose" / "ours.md").write_text(text)
    return folder / "mine"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            "\n\n## forest.caption\nFrom {{ candidat }}.",
            "ours.md:3: message 'forest.caption': 'candidat' is undefined; "
            "it has baseline, is_lower, metric",
        ),
        (
            "## change.error_less\n{{ its }} {{ sise|size }}",
            "'sise' is undefined; it has its, size",
        ),
        ("## forest.title\nHow {{ sure", "message 'forest.title': "),
        ("## forest.title\n{{ 'a'|attr('b') }}", "No filter named 'attr'"),
        ("## forest.titel\nHow?", "replaces no message; did you mean 'forest.title'?"),
        ("## verdict.worse\nFine", "'verdict.worse': cannot be replaced"),
        ("## status.met\nFine", "'status.met': cannot be replaced"),
        ("## answer.yes\nFine", "'answer."),
        ("## forest.title\nA\n\n## forest.title\nB", "stands here twice"),
        ("## forest.title\n", "has no text"),
    ],
)
def test_a_message_that_would_fail_or_hide_a_result_is_refused(tmp_path, text, fault):
    with pytest.raises(UsageError) as raised:
        prose.load_messages(write_messages(tmp_path, text))
    assert any(fault in line for line in raised.value.lines), raised.value.lines


def test_no_answer_verdict_or_status_can_be_replaced(tmp_path):
    keys = prose.load_catalogue().messages
    locked = [key for key in keys if key.startswith(("answer.", "status.", "verdict."))]
    text = "\n\n".join(f"## {key}\nAll is well." for key in locked)
    with pytest.raises(UsageError) as raised:
        prose.load_messages(write_messages(tmp_path, text))
    assert len(locked) > 20
    assert sum("cannot be replaced" in line for line in raised.value.lines) == len(locked)


def test_messages_are_replaced_inside_the_block_alone(tmp_path):
    ours = prose.load_messages(write_messages(tmp_path, OURS))
    assert prose.line("forest.title") == "How certain is this?"
    with prose.use_messages(ours):
        assert prose.line("forest.title") == "How sure are we?"
        said = prose.line("forest.caption", baseline="CLV", metric="cost", is_lower=True)
        assert said == "Change in cost from CLV."
    assert prose.line("forest.title") == "How certain is this?"


def test_printed_messages_can_be_replaced_by_themselves(tmp_path):
    text = format_messages(prose.load_catalogue(), "forest.")
    ours = prose.load_messages(write_messages(tmp_path, text))
    built_in = prose.load_catalogue()
    assert ours.own and all(
        ours.messages[key].wordings == built_in.messages[key].wordings for key in ours.own
    )
    with pytest.raises(UsageError, match="no message begins with 'forrest'"):
        format_messages(built_in, "forrest")


def test_a_run_says_what_was_replaced_and_keeps_the_results(tmp_path, capfd):
    write_messages(tmp_path, OURS)
    config = put(tmp_path, outputs=["markdown", "json"])
    assert call("run", config, "--out", "plain", "--quiet") == 0
    assert call("run", config, "--out", "own", "--quiet", "--template-dir", "mine") == 0
    page = (tmp_path / "own" / "report.md").read_text()
    assert "How sure are we?" in page and "3 texts replaced" in page
    assert "How certain is this?" not in page
    assert "replaced" not in (tmp_path / "plain" / "report.md").read_text()
    report = json.loads((tmp_path / "own" / "manifest.json").read_text())["report"]
    assert report["messages_replaced"] == ["change.error_less", "forest.caption", "forest.title"]
    own, plain = (
        json.loads((tmp_path / folder / "results.json").read_text())["conclusion"]
        for folder in ("own", "plain")
    )
    assert own == plain
    assert call("render", "own/results.json", "--out", "again", "--template-dir", "mine") == 0
    again, own = ((tmp_path / folder / "report.md").read_bytes() for folder in ("again", "own"))
    assert again == own


def test_a_broken_message_ends_a_run_before_it_reads_data(tmp_path, capfd):
    write_messages(tmp_path, "## forest.caption\nFrom {{ candidat }}.")
    config = put(tmp_path)
    assert call("run", config, "--out", "out", "--quiet", "--template-dir", "mine") == 2
    error = capfd.readouterr().err
    assert "mine/prose/ours.md:1: message 'forest.caption': 'candidat' is undefined" in error
    assert not (tmp_path / "out").exists()


def test_the_words_command_prints_messages(tmp_path, capfd):
    assert call("words", "forest.caption") == 0
    shown = capfd.readouterr().out
    assert shown.startswith("# page_one.md: baseline, is_lower, metric\n\n## forest.caption\n")

"""What names may hold: signs that command a terminal, no end, nothing to see."""

import csv
import json
import re
import unicodedata
from pathlib import Path

import pytest
import yaml

from reportgen.progress import show_progress
from tests.end_to_end.wallet import call, contents

FORMATS = ("text", "json", "markdown", "html")
Said = pytest.CaptureFixture[str]
RUNNER = "::error::x;=1+1 ##[group]y www.x.example a_www.x.example/b @name"
COMMANDS = "a\x1b[31m\u202eb\x9b0m\u2028\r@c #1 Http://x.example //host"
NAMES = {
    "commands": COMMANDS,
    "ten thousand blanks": " " * 10_000,
    "blanks of other kinds": "\u00a0\u2003\u200b" * 30,
    "one long word": "x" * 8_000,
    "many words": "a b " * 2_000,
}


def put_named(folder: Path, name: str, outputs: list[str]) -> Path:
    """Write data and a config in which everything that can have a name has this one."""
    with (folder / "data.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "y", "s", "t", "part"])
        for k in range(40):
            writer.writerow([k, k % 7, k % 5 + k / 50, k % 3 - k / 40, (name, "other")[k % 2]])
    config = {
        "version": 1,
        "report": {"title": name, "question": name, "limitations": [name]},
        "datasets": {
            name: {
                "path": "data.csv",
                "id": "id",
                "target": "y",
                "unit": name,
                "segments": ["part"],
            },
        },
        "task": "regression",
        "models": {
            "s": {"label": f"{name}s", "column": "s", "role": "baseline"},
            "t": {"label": f"{name}t", "column": "t"},
        },
        "metrics": ["kendall", {"name": "mae", "as": f"{name}mae"}],
        "primary": {"metric": "kendall"},
        "curves": ["ranking"],
        "gates": [
            {
                "name": f"{name}gate",
                "rule": "better",
                "metric": "kendall",
                "model": "t",
                "inconclusive": "fail",
            }
        ],
        "bootstrap": {"replicates": 39},
        "outputs": outputs,
    }
    path = folder / "named.yaml"
    path.write_text(yaml.safe_dump(config, width=10**9), encoding="utf-8")
    return path


def unseen(text: str) -> set[str]:
    """The control, format and separator signs of a text, but for line breaks and joiners."""
    kinds = {"Cc", "Cf", "Zl", "Zp"}
    return {c for c in text if unicodedata.category(c) in kinds} - set("\n\u200c\u200d\u2060")


@pytest.mark.parametrize("kind", NAMES)
def test_every_output_is_made_whatever_names_are(kind: str, tmp_path: Path) -> None:
    outputs = ["html", "pdf", "json", "markdown", "junit"]
    assert call("run", put_named(tmp_path, NAMES[kind], outputs), "--out", "out", "--quiet") == 1
    made = contents(tmp_path / "out")
    assert made.keys() >= {"report.html", "report.pdf", "report.md", "junit.xml"}
    assert len(made["report.html"]) < 6_000_000


def test_no_name_brings_an_unseen_sign_into_an_output(tmp_path: Path) -> None:
    outputs = ["html", "json", "markdown", "junit"]
    call("run", put_named(tmp_path, COMMANDS, outputs), "--out", "out", "--quiet")
    for name, content in contents(tmp_path / "out").items():
        assert not unseen(content.decode()), name
    known = json.loads((tmp_path / "out" / "results.json").read_bytes())
    assert known["datasets"][0]["name"] == COMMANDS


def test_no_name_commands_the_terminal(tmp_path: Path, capfd: Said) -> None:
    call("run", put_named(tmp_path, COMMANDS, ["json"]), "--out", "out\x1b[2J")
    said = capfd.readouterr()
    assert "gate failed: a\\x1b[31m\\u202eb" in said.out
    assert "resampling a\\x1b[31m\\u202eb" in said.err
    assert "out\\x1b[2J" in said.out
    assert not unseen(said.out + said.err)


def test_no_line_on_the_terminal_is_endless(tmp_path: Path, capfd: Said) -> None:
    call("run", put_named(tmp_path, "x" * 8_000, ["json"]), "--out", "out")
    said = capfd.readouterr()
    assert max(map(len, (said.out + said.err).splitlines())) <= 1000
    (failed,) = (line for line in said.out.splitlines() if line.startswith("gate failed: "))
    name = failed.removeprefix("gate failed: ").partition(": ")[0]
    assert len(name) == 200 and "…" in name


@pytest.mark.parametrize(
    "words",
    [
        ["run", "\x1b[2J\u202e.yaml"],
        ["run", "a.yaml", "--\x1b[2J"],
        ["validate", "\x1b[2J\r\x9b" + "a" * 100_000],
        ["render", "\x1b[2J\r\nforged"],
        ["list", "\x1b[2J"],
        ["\x1b[2J\u202e"],
        ["explain", "\x1b[2J"],
        ["init", "\x1b[2J.csv"],
        ["run", "a.yaml", "--set", "\x1b[2J\u202e"],
        ["run", "a.yaml", "--template-dir", "\x1b[2J"],
    ],
)
def test_what_was_typed_comes_back_without_its_commands(words: list[str], capfd: Said) -> None:
    assert call(*words) in (2, 3)
    said = capfd.readouterr().err
    assert said and not unseen(said)
    assert max(map(len, said.splitlines())) <= 1000


def test_a_bar_takes_no_name_for_markup(monkeypatch: pytest.MonkeyPatch, capfd: Said) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with show_progress() as shown:
        shown.stage("resampling [/nothing] \x1b]0;title\x07")
    assert "\x1b]0" not in capfd.readouterr().err


def test_no_name_is_a_command_to_the_runner_of_a_build(
    tmp_path: Path, capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outputs = ["html", "json", "markdown", "junit", "tables", "curves"]
    config = put_named(tmp_path, RUNNER, outputs)
    named = tmp_path / "::error::named ##[group].yaml"
    named.write_bytes(config.read_bytes())
    call("run", named.name, "--out", "##[group]out")
    call("run", config, "--out", "old", "--ci", "github")
    annotated = capsys.readouterr().out
    (tmp_path / "broken.yaml").write_text(f"'{RUNNER}': 1\n")
    commands = [
        *(("diff", "old", "##[group]out", "--format", form) for form in FORMATS),
        ("verify", "##[group]out"),
        ("verify", "old", "--manifest-sha256", "0" * 64, "--json"),
        ("validate", named.name, "broken.yaml", "--data"),
        ("init", "data.csv", "--target", "y", "--models", "s,t"),
        ("init", RUNNER),
        ("trend", "."),
        ("explain", RUNNER),
        ("freeze", named.name),
        ("render", "old/results.json", "--out", "again"),
    ]
    for words in commands:
        call(*words)
        for said in capsys.readouterr():
            assert not is_command(said), words
    legitimate, *_ = [line for line in annotated.splitlines() if line.startswith("::")]
    assert legitimate.startswith("::error file=")
    assert not is_command(annotated.replace(legitimate, ""))
    for file in (tmp_path / "old").rglob("*.*"):
        content = file.read_text(encoding="utf-8")
        if file.suffix == ".csv":
            cells = re.split(r"[;,\n\"]", content)
            assert not [cell for cell in cells if cell.lstrip(" ").startswith("=")], file
        elif file.suffix not in (".xml", ".yaml"):
            assert "##[" not in content, file


def is_command(said: str) -> bool:
    """Whether GitHub's runner would obey some line of what a command printed."""
    return "##[" in said or any(line.lstrip().startswith("::") for line in said.splitlines())

"""Words and sentences that no text of the product has: never.md lists them."""

import ast
import importlib.util
import re
from pathlib import Path

import click
import pytest

from reportgen.cli.commands import cli

ROOT = Path(__file__).parents[3]
LIST = Path(__file__).with_name("never.md")
RULES = ROOT / "docs" / "style.md"  # which names some of them
ENTRY = re.compile(r"- (?:\d+ )?(?P<said>.+) → (?P<say>.+)")
GAP = r"(?:[^\s.!?|]+ ){0,8}?"

CONTINUED = re.compile(r"""["']\s+f?["']""")  # a string goes on in the next line


def read_patterns():
    """Read what is never said, and what is said in its place."""
    entries = map(ENTRY.fullmatch, LIST.read_text(encoding="utf-8").splitlines())
    return {each["said"]: each["say"] for each in entries if each}


def compile_pattern(said):
    parts = (re.escape(part.strip()).replace("\\ ", r"\s") for part in said.split("…"))
    start, end = (r"\b" * each.isalnum() for each in (said[0], said[-1]))
    return start + rf"\s{GAP}".join(parts) + end


PATTERNS = {
    (max(said.lower().split("…"), key=len).strip(), re.compile(compile_pattern(said), re.I)): say
    for said, say in read_patterns().items()
}
"""By the longest part of each, which a text must have, and the pattern."""


def find_never(text):
    """Find what a text says that no text may say."""
    plain = " ".join(text.split())
    lower = plain.lower()
    for (part, pattern), say in PATTERNS.items():
        for found in pattern.finditer(plain) if part in lower else ():
            place = max(found.start() - 40, 0)
            yield f"{plain[place : found.end() + 30]!r}: {found[0]!r} → {say}"


def iter_commands(command, name=""):
    yield name, command
    for key, each in getattr(command, "commands", {}).items():
        yield from iter_commands(each, f"{name} {key}".strip())


def iter_errors(tree):
    """Iterate over the texts of errors, an f-string as one with X for each value."""
    for node in ast.walk(tree):
        is_problem = isinstance(node, ast.Call) and ast.unparse(node.func).endswith("Problem")
        if not is_problem and not isinstance(node, ast.Raise):
            continue
        for part in ast.walk(node):
            if isinstance(part, ast.JoinedStr):
                each = (getattr(value, "value", "X") for value in part.values)
                yield "".join(text if isinstance(text, str) else "X" for text in each)
            elif isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part.value


@pytest.mark.parametrize(
    "path",
    [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))],
    ids=lambda path: path.name,
)
def test_no_page_says_it(path):
    if path != RULES:
        assert list(find_never(path.read_text(encoding="utf-8"))) == []


def test_no_made_page_says_it():
    spec = importlib.util.spec_from_file_location("build", ROOT / "docs" / "build.py")
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    for name, text in build.pages().items():
        assert list(find_never(text)) == [], name


def test_no_message_says_it():
    for path in sorted((ROOT / "templates" / "prose").glob("*.md")):
        assert list(find_never(path.read_text(encoding="utf-8"))) == [], path.name


def test_no_help_says_it():
    for name, command in iter_commands(cli):
        context = click.Context(command, info_name=name)
        assert list(find_never(command.get_help(context))) == [], name


def test_no_error_says_it():
    for path in sorted((ROOT / "reportgen").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if any(find_never(CONTINUED.sub("", text))):  # few do, and a tree takes time
            for said in iter_errors(ast.parse(text)):
                assert list(find_never(said)) == [], path


def test_what_is_never_said_is_found():
    [found] = find_never("At 0.3 there are 3 false alarms of 10.")
    assert found.endswith("'false alarms' → false positives")
    assert len(list(find_never("Keep CLV for now: GBM is better on customer order."))) == 2
    assert not list(find_never("It is called recall; the order of rows is kept."))
    assert len(PATTERNS) > 130

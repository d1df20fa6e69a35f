"""The book of sentences, and the English that is left in Python."""

import ast
import importlib.util
import re
from pathlib import Path

from reportgen.report.prose import load_catalogue

ROOT = Path(__file__).parents[3]
REPORT = ROOT / "reportgen" / "report"
ALLOWED = 2_105
"""Words in strings of `reportgen.report` that hold two words and more; they may only become fewer.

03003c11, which had no messages, had 16,137 by the same count (its archive, conclusion, document,
output, render, sections, selection and wording). What is left are mostly terms of two words.
"""

KEY = re.compile(r"[a-z_]+(\.[a-z_]+)+")  # the key of a message
CODE = re.compile(r"[<{\\(?=]|://")  # SVG, a template, a pattern, an address
WORD = re.compile(r"[A-Za-z’']{2,}")


def load_book():
    spec = importlib.util.spec_from_file_location("sentences", ROOT / "docs" / "sentences.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_book_has_every_message_and_can_be_read_in_an_afternoon():
    book = load_book().sentences_page()
    assert set(re.findall(r"^`(\S+)`$", book, re.MULTILINE)) == set(load_catalogue().messages)
    texts = re.findall(r"^- (.*)$", book, re.MULTILINE)
    assert sum(len(text.split()) for text in texts) <= 30_000


def iter_strings(tree):
    """Iterate over the strings of a module, without docstrings and what an error says."""
    skipped = set()
    for node in ast.walk(tree):  # a statement before what is in it
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))
        elif isinstance(node, ast.Raise):
            skipped.update(map(id, ast.walk(node)))
        elif isinstance(node, ast.Constant) and id(node) not in skipped:
            yield from [node.value] if isinstance(node.value, str) else ()


def count_words(*places):
    """Count the English words in the strings of modules and packages; code is none."""
    count = 0
    for place in places:
        for path in [place] if place.suffix else sorted(place.rglob("*.py")):
            for text in iter_strings(ast.parse(path.read_text(encoding="utf-8"))):
                words = WORD.findall(text)
                if len(words) > 1 and not KEY.fullmatch(text) and not CODE.search(text):
                    count += len(words)
    return count


def test_the_report_has_no_more_english_in_python_than_before():
    assert count_words(REPORT) <= ALLOWED, "write a message in templates/prose/, not a string"

"""The book of sentences, and the English that is left in Python."""

import ast
import importlib.util
import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
REPORT = ROOT / "reportgen" / "report"
ALLOWED = {"conclusion": 270, "prose": 192, "sections": 799, "wording": 417}
"""Words in strings of two words and more; they may only become fewer, as messages replace them."""

OF_ERRORS = {"checking.py", "replacing.py"}  # whose strings are errors that no report prints
KEY = re.compile(r"[a-z_]+(\.[a-z_]+)+")  # the key of a message


def load_book():
    spec = importlib.util.spec_from_file_location("sentences", ROOT / "docs" / "sentences.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_book_of_sentences_is_current():
    book = load_book()
    assert book.PAGE.read_text(encoding="utf-8") == book.sentences_page(), (
        "run: python docs/sentences.py"
    )


def count_words(folder):
    """Count the English words in strings of a package, docstrings left out."""
    count = 0
    for path in (REPORT / folder).rglob("*.py"):
        if path.name in OF_ERRORS:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docstrings = {
            id(node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }
        for node in ast.walk(tree):
            if not isinstance(node, ast.Constant) or id(node) in docstrings:
                continue
            if KEY.fullmatch(str(node.value)):
                continue
            words = re.findall(r"[A-Za-z’']{2,}", str(node.value))
            count += len(words) if isinstance(node.value, str) and len(words) > 1 else 0
    return count


def test_no_package_has_more_english_in_python_than_before():
    counts = {folder: count_words(folder) for folder in ALLOWED}
    assert {k: n for k, n in counts.items() if n > ALLOWED[k]} == {}, (
        "write a message in templates/prose/ in place of a string"
    )

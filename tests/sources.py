"""The package's files as syntax trees, each parsed once for all tests that read them."""

import ast
import gc
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1] / "reportgen"


@cache
def list_modules() -> Sequence[tuple[str, str, Sequence[ast.AST]]]:
    """List the files: the package of each, its path without suffix, and all nodes of its tree.

    Collecting garbage again and again among a million nodes would take longer than parsing.
    """
    gc.disable()
    try:
        return tuple(_iter_modules())
    finally:
        gc.freeze()
        gc.enable()


def _iter_modules() -> Iterator[tuple[str, str, Sequence[ast.AST]]]:
    for path in sorted(ROOT.rglob("*.py")):
        here = path.relative_to(ROOT).with_suffix("").as_posix()
        yield here.partition("/")[0], here, tuple(ast.walk(ast.parse(path.read_text("utf-8"))))

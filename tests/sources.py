"""The package's files as syntax trees, each parsed once for all tests that read them."""

import ast
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1] / "reportgen"


def iter_modules() -> Iterator[tuple[str, str, Sequence[ast.AST]]]:
    """Yield each file: its package, its path without suffix, and all nodes of its tree."""
    for path in sorted(ROOT.rglob("*.py")):
        here = path.relative_to(ROOT).with_suffix("").as_posix()
        yield here.partition("/")[0], here, list_nodes(path)


@cache
def list_nodes(path: Path) -> Sequence[ast.AST]:
    """List the nodes of a file's tree, itself first."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))

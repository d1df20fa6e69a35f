"""One home for each library, and what may stand where; `lint-imports` holds the layers."""

import ast
import tomllib

import pytest

from reportgen.metrics import METRICS
from reportgen.metrics.tasks import TASKS
from tests.sources import ROOT, list_modules

pytestmark = pytest.mark.guard
HOME = {
    "yaml": ("config",),
    "pydantic": ("config", "report/archive"),
    "pandas": ("data", "notebook"),
    "pyarrow": ("data",),
    "matplotlib": ("report/render/draw",),
    "jinja2": ("report/render/templates", "report/prose"),
    "typst": ("report/render/pdf",),
    "click": ("cli",),
    "rich": ("progress", "cli"),
    "narwhals": ("data/arrays", "notebook/comparison"),
    "sklearn": ("metrics/array_functions", "notebook/estimators"),
    "ctypes": ("kernels/native", "report/publish", "cli/process"),
    "threadpoolctl": ("inference/resampling",),
    "rfc8785": ("governance/digests",),
    "adbc_driver_postgresql": ("data/files/databases",),
    "adbc_driver_sqlite": ("data/files/databases",),
    "duckdb": ("data/files/databases",),
    "python_calamine": ("data/files/workbook",),
    "distributed": ("streaming/dask",),
}


def imported(nodes):
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "reportgen":
                yield from (f"reportgen.{alias.name}" for alias in node.names)
            else:
                yield node.module


def test_each_library_has_one_home():
    wrong = [
        f"{here} imports {name}, whose home is {HOME[top]}"
        for layer, here, nodes in list_modules()
        for name in imported(nodes)
        if (top := name.partition(".")[0]) in HOME
        and not any(here == home or here.startswith(f"{home}/") for home in HOME[top])
    ]
    assert not wrong, "\n".join(wrong)


def test_no_comment_keeps_the_formatter_out():
    files = [
        path
        for folder in ("reportgen", "tests", "benchmarks", "docs", "configs")
        for path in (ROOT.parent / folder).rglob("*.py")
    ]
    comment = "fmt: " + "skip"
    wrong = [
        str(path.relative_to(ROOT.parent)) for path in files if comment in path.read_text("utf-8")
    ]
    assert not wrong, f"remove the comment `{comment}` from {', '.join(wrong)} and run ruff format"


def test_no_file_is_called_what_nobody_would_look_up():
    vague = {"utils", "helpers", "common", "base", "manager", "misc"}
    assert not [p.name for p in ROOT.rglob("*.py") if p.stem.strip("_") in vague]


def test_a_class_name_stands_in_one_file():
    places = {}
    for _, here, nodes in list_modules():
        for node in nodes[0].body:
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(here)
    public = {"Comparison": ["notebook/comparison", "results/core"]}  # what users call both
    assert {name: found for name, found in places.items() if len(found) > 1} == public


def test_every_package_is_shipped_in_the_wheel():
    listed = tomllib.loads((ROOT.parent / "pyproject.toml").read_text())["tool"]["setuptools"]
    folders = {path.parent for path in ROOT.rglob("__init__.py")}
    names = {".".join(folder.relative_to(ROOT.parent).parts) for folder in folders}
    assert names | {"reportgen.templates"} == set(listed["packages"])


def test_no_string_of_inference_is_the_name_of_a_metric():
    metrics = set(METRICS)
    named = {
        f"{path}:{node.lineno} {node.value}"
        for layer, path, nodes in list_modules()
        if layer in ("inference", "analysis") and not path.startswith("analysis/costs")
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in metrics
    }
    assert not named


SHARED = "ranking"  # a task, and a topic of curves, a section and a key of the language too


def test_no_file_but_a_tasks_own_asks_for_it_by_name():
    """A statistic declares its task, and an example in the schema may name one."""
    wrong = []
    for _, here, nodes in list_modules():
        declared = {
            node.value
            for node in nodes
            if isinstance(node, ast.keyword) and node.arg in ("task", "example")
        }
        declared |= {
            value
            for node in nodes
            if isinstance(node, ast.Dict) and here.startswith("metrics/curves")
            for key, value in zip(node.keys, node.values, strict=True)
            if isinstance(key, ast.Constant) and key.value == "task"
        }
        wrong += [
            f"{here}:{node.lineno} {node.value}"
            for node in nodes
            if here != "metrics/tasks" and isinstance(node, ast.Constant) and node not in declared
            if isinstance(node.value, str) and node.value in TASKS.keys() - {SHARED}
        ]
    assert not wrong

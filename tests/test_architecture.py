"""Who may know whom, as a table; and one home for each library."""

import ast
import tomllib
from functools import cache
from pathlib import Path

from reportgen.metrics import METRICS
from reportgen.tasks import TASKS

ROOT = Path(__file__).parents[1] / "reportgen"
MAY_IMPORT = {
    "text": "",
    "errors": "text",
    "version": "",
    "terms": "",
    "outputs": "",
    "paths": "",
    "repository": "paths",
    "results": "results terms",
    "document": "",
    "kernels": "kernels",
    "rows": "rows kernels terms",
    "tasks": "kernels rows tasks terms",
    "losses": "losses kernels rows",
    "metrics": "metrics losses kernels rows tasks terms",
    "curves": "curves metrics losses kernels rows terms",
    "data": "data errors paths results text",
    "config": "config errors paths text outputs terms",
    "resampling": "resampling curves metrics kernels paths results",
    "inference": "inference metrics kernels results rows",
    "analysis": "analysis resampling inference curves metrics kernels results rows terms",
    "streaming": "streaming analysis resampling inference metrics kernels results rows",
    "streamable": "config data errors metrics plan streaming tasks text",
    "surveyed": "analysis data kernels metrics results rows streaming",
    "passes": "analysis config data errors kernels metrics plan rows streaming surveyed",
    "engines": "data passes",
    "dask_engine": "data errors passes resampling version",
    "query_search": "data passes streaming",
    "streamed": "dask_engine engines passes query_search streaming streamable surveyed analysis "
    "config data errors kernels plan progress resampling results",
    "costs": "costs analysis inference curves losses metrics kernels results rows terms",
    "wording": "wording results text",
    "selection": "results wording",
    "gates": "results wording",
    "conclusion": "conclusion results selection wording",
    "archive": "archive results errors output paths text",
    "sections": "sections conclusion document results selection wording",
    "render": "render document results errors outputs paths text",
    "progress": "text",
    "processors": "",
    "signals": "",
    "streams": "",
    "shortage": "errors",
    "output": "output errors signals text outputs",
    "provenance": "errors kernels paths repository version text",
    "caching": "errors resampling text",
    "plugins": "curves errors metrics text",
    "catalogue": "config curves inference losses metrics rows sections tasks wording",
    "reference": "config curves errors inference metrics reference sections wording",
    "reading": "catalogue config plugins",
    "fits": "config curves data errors kernels resampling results rows text",
    "pricing": "config costs data fits kernels losses metrics rows tasks",
    "queried": "config data errors kernels tasks",
    "classed": "analysis config data errors metrics tasks text",
    "ordered": "config data",
    "prevalence": "config data errors results text",
    "designed": "analysis config data kernels resampling",
    "folded": "analysis config data kernels rows",
    "conventions": "analysis config data metrics outputs rows",
    "variants": "analysis config data kernels metrics resampling rows",
    "judged_twice": "analysis config data kernels metrics operating tasks",
    "operating": "analysis config curves data errors kernels metrics resampling results rows tasks "
    "text unlabelled",
    "unlabelled": "config data errors kernels text",
    "first_rows": "config data errors metrics",
    "slices": "analysis config data errors",
    "demanded": "config errors gates repository",
    "beside_fresh": "analysis config data designed operating plan tasks",
    "plan": "analysis classed config conventions costs curves data designed errors fits folded "
    "judged_twice kernels losses metrics operating ordered prevalence pricing privacy queried "
    "resampling results rows slices tasks variants",
    "evidence": "results text",
    "digests": "data results",
    "diff": "archive conclusion diff digests errors inference outputs paths results",
    "previous": "config diff errors outputs results",
    "freezing": "config diff digests errors evidence provenance results",
    "trending": "diff errors outputs previous render results sections text wording",
    "privacy": "config data privacy results wording",
    "to_mlflow": "diff errors outputs results",
    "standing": "config errors freezing results wording",
    "turned": "results",
    "trained": "config data errors results wording",
    "github": "manifest outputs results text",
    "saying": "streams text",
    "telling_changes": "render results sections text wording",
    "comparing": "caching diff errors freezing previous reading saying shortage telling_changes "
    "to_mlflow trending",
    "manifest": "evidence outputs results",
    "verification": "errors manifest output outputs paths text",
    "rerendering": "errors output outputs pipeline provenance verification",
    "telling": "manifest outputs text wording",
    "attached": "archive config document evidence outputs render results",
    "looks": "config errors render results",
    "summary": "analysis config costs curves data metrics plan results wording",
    "pipeline": "analysis archive attached beside_fresh caching conclusion config data demanded "
    "diff digests document errors first_rows fits gates looks manifest outputs plan previous "
    "privacy progress provenance reading render results sections slices standing streamable "
    "streamed summary trained turned",
    "report": "config errors output pipeline processors progress render results sections",
    "notebook": "config data errors report tasks",
    "drafting": "catalogue config data drafting_lists drafting_tables errors",
    "drafting_lists": "config data drafting_tables errors paths text",
    "drafting_tables": "config data errors text",
    "cli": "archive cache_commands caching catalogue comparing config data drafting errors github "
    "output pipeline plan processors progress reading reference rerendering saying shortage "
    "signals slices streams telling text verification version",
    "cache_commands": "caching errors saying shortage",
    "__init__": "errors metrics notebook report version",
    "__main__": "cli signals",
}
HOME = {
    "yaml": ("config",),
    "pydantic": ("config", "archive"),
    "pandas": ("data", "report"),
    "pyarrow": ("data",),
    "matplotlib": ("render/draw",),
    "jinja2": ("render/templates",),
    "typst": ("render/pdf",),
    "click": ("cli", "cache_commands", "comparing", "saying"),
    "rich": ("progress", "cli"),
    "sklearn": ("metrics/public",),
    "ctypes": ("kernels/native", "output", "shortage"),
    "threadpoolctl": ("resampling",),
    "rfc8785": ("digests",),
    "distributed": ("dask_engine",),
}


def modules():
    """Each file as (its layer, its path without suffix, its syntax tree)."""
    for path in sorted(ROOT.rglob("*.py")):
        here = path.relative_to(ROOT).with_suffix("").as_posix()
        yield here.partition("/")[0], here, parsed(path)


@cache
def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "reportgen":
                yield from (f"reportgen.{alias.name}" for alias in node.names)
            else:
                yield node.module


def test_a_layer_imports_only_the_layers_it_may_know():
    wrong = [
        f"{here} imports {name}"
        for layer, here, tree in modules()
        for name in imported(tree)
        if name.startswith("reportgen.") and name.split(".")[1] not in MAY_IMPORT[layer].split()
    ]
    assert not wrong, "\n".join(wrong)


def test_each_library_has_one_home():
    wrong = [
        f"{here} imports {name}, whose home is {HOME[top]}"
        for layer, here, tree in modules()
        for name in imported(tree)
        if (top := name.partition(".")[0]) in HOME
        and not any(here == home or here.startswith(f"{home}/") for home in HOME[top])
    ]
    assert not wrong, "\n".join(wrong)


def test_no_file_has_grown_past_what_one_can_read():
    long = [p.name for p in ROOT.rglob("*.py") if len(p.read_text().splitlines()) > 400]
    assert not long


def test_no_file_is_called_what_nobody_would_look_up():
    vague = {"utils", "helpers", "common", "base", "manager", "misc"}
    assert not [p.name for p in ROOT.rglob("*.py") if p.stem.strip("_") in vague]


def test_a_class_name_stands_in_one_file():
    places = {}
    for _, here, tree in modules():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(here)
    assert not {name: found for name, found in places.items() if len(found) > 1}


def test_every_package_is_shipped_in_the_wheel():
    listed = tomllib.loads((ROOT.parent / "pyproject.toml").read_text())["tool"]["setuptools"]
    folders = {path.parent for path in ROOT.rglob("__init__.py")}
    names = {".".join(folder.relative_to(ROOT.parent).parts) for folder in folders}
    assert names <= set(listed["packages"])


def test_no_string_of_inference_is_the_name_of_a_metric():
    metrics = set(METRICS)
    named = {
        f"{path}:{node.lineno} {node.value}"
        for layer, path, tree in modules()
        if layer in ("resampling", "inference", "analysis")
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in metrics
    }
    assert not named


SHARED = "ranking"  # a task, and a topic of curves, a section and a key of the language too


def test_no_file_but_a_tasks_own_asks_for_it_by_name():
    """A statistic declares its task, and an example in the schema may name one."""
    wrong = []
    for layer, here, tree in modules():
        declared = {
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.keyword) and node.arg in ("task", "example")
        }
        declared |= {
            value
            for node in ast.walk(tree)
            if isinstance(node, ast.Dict) and layer == "curves"
            for key, value in zip(node.keys, node.values, strict=True)
            if isinstance(key, ast.Constant) and key.value == "task"
        }
        wrong += [
            f"{here}:{node.lineno} {node.value}"
            for node in ast.walk(tree)
            if layer != "tasks" and isinstance(node, ast.Constant) and node not in declared
            if isinstance(node.value, str) and node.value in TASKS.keys() - {SHARED}
        ]
    assert not wrong

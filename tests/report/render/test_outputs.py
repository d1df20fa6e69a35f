"""The one list of outputs is what the rest of the program goes by."""

from importlib import import_module
from inspect import signature
from typing import get_args

import pytest

from reportgen.planning.loading import build_vocabulary
from reportgen.report.document import FigureKind
from reportgen.report.publish.files import OWN_NAMES
from reportgen.report.render.draw import marks
from reportgen.terms import DRAWN, FILES, NAMES, VOUCHING

ARGUMENTS = ["document", "results", "theme", "attached"]


def lacking(output):
    """Return what an output still lacks, with the file to write it in; empty if nothing."""
    path = f"reportgen/report/render/{output}.py"
    said = f"output {output}: {path} has no render({', '.join(ARGUMENTS)})"
    try:
        module = import_module(f"reportgen.report.render.{output}")
    except ModuleNotFoundError:
        return said
    try:
        signature(module.render).bind(*ARGUMENTS)
    except (AttributeError, TypeError):
        return said
    return ""


@pytest.mark.guard
@pytest.mark.parametrize("output", DRAWN)
def test_each_output_has_a_module_that_renders_it(output):
    assert not lacking(output), lacking(output)


def test_a_forgotten_module_or_another_signature_is_named_with_its_file(monkeypatch):
    text = "has no render(document, results, theme, attached)"
    assert lacking("summary_csv") == (
        f"output summary_csv: reportgen/report/render/summary_csv.py {text}"
    )
    junit = import_module("reportgen.report.render.junit")
    monkeypatch.setattr(junit, "render", lambda document, results: b"")
    assert lacking("junit") == f"output junit: reportgen/report/render/junit.py {text}"


@pytest.mark.parametrize("kind", get_args(FigureKind))
def test_each_kind_of_figure_has_a_function_that_draws_it(kind):
    assert kind in marks._KINDS, (
        f"no function draws figures of kind {kind}: "
        "add it to _KINDS in reportgen/report/render/draw/marks.py"
    )


def test_each_output_can_be_named_and_its_file_is_ours():
    assert build_vocabulary().outputs == NAMES
    assert sorted(OWN_NAMES) == sorted((*FILES.values(), *VOUCHING))

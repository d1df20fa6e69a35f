"""The one list of outputs is what the rest of the program goes by."""

from importlib import import_module

import pytest

from reportgen.planning.loading import build_vocabulary
from reportgen.report.publish.files import OWN_NAMES
from reportgen.terms import DRAWN, FILES, NAMES, VOUCHING


@pytest.mark.parametrize("output", DRAWN)
def test_each_output_is_rendered_into_its_file(output):
    module = import_module(f"reportgen.report.render.{output}")
    assert FILES[output] == module.NAME
    assert callable(module.render)


def test_each_output_can_be_named_and_its_file_is_ours():
    assert build_vocabulary().outputs == NAMES
    assert sorted(OWN_NAMES) == sorted((*FILES.values(), *VOUCHING))

"""The one list of outputs is what the rest of the program goes by."""

from importlib import import_module

import pytest

from reportgen.catalogue import vocabulary
from reportgen.output.names import OURS
from reportgen.outputs import DRAWN, FILES, NAMES, VOUCHING


@pytest.mark.parametrize("output", DRAWN)
def test_each_output_is_rendered_into_its_file(output):
    module = import_module(f"reportgen.render.{output}")
    assert FILES[output] == module.NAME
    assert callable(module.render)


def test_each_output_can_be_named_and_its_file_is_ours():
    assert vocabulary().outputs == NAMES
    assert sorted(OURS) == sorted((*FILES.values(), *VOUCHING))

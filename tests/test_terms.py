"""The closed lists of terms name what the packages above them have."""

import pytest

from reportgen.report.layout import SECTIONS
from reportgen.terms import SECTION_NAMES


@pytest.mark.guard
def test_every_section_is_named_in_the_order_of_the_page():
    assert tuple(SECTIONS) == SECTION_NAMES, "write the sections into SECTION_NAMES of terms.py"

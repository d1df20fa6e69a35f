"""The closed lists of terms name what the packages above them have."""

from reportgen.report import wording
from reportgen.report.sections import SECTIONS
from reportgen.terms import SECTION_NAMES, WARNING_CODES


def test_every_section_is_named_in_the_order_of_the_page():
    assert tuple(SECTIONS) == SECTION_NAMES, "write the sections into SECTION_NAMES of terms.py"


def test_every_warning_has_words_and_a_code():
    lacking = sorted(set(WARNING_CODES) ^ set(wording.WARNING_TEXTS))
    assert not lacking, (
        f"{', '.join(lacking)}: a warning needs its code in WARNING_CODES of terms.py and its "
        "words in report/wording/warning_texts*.py"
    )
    assert list(WARNING_CODES) == sorted(WARNING_CODES)

"""What a report decides by default, and about which model."""

import pytest

from reportgen.results.recommendation import ReportQuestion, settle_question

RULES = [
    ((None, None, "b", ["c"]), ("replace", "c")),
    ((None, None, "b", ["c", "d"]), ("choose", None)),
    ((None, "d", "b", ["c", "d"]), ("replace", "d")),
    (("choose", None, "b", ["c"]), ("choose", None)),
    (("replace", None, "b", ["c", "d"]), ("replace", "c")),
    (("rank", None, "b", ["c", "d"]), ("rank", None)),
    ((None, None, None, ["c"]), ("meets", "c")),
    (("replace", None, None, ["c"]), ("meets", "c")),
    ((None, None, "b", []), ("meets", "b")),
]


@pytest.mark.parametrize(("given", "expected"), RULES)
def test_the_question_follows_from_what_is_declared(given, expected):
    assert settle_question(*given) == ReportQuestion(*expected)
    decision, about = expected
    assert settle_question(decision, about, *given[2:]) == ReportQuestion(*expected)

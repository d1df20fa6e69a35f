"""The registry of warnings lists every code once, with its words and its limits."""

import re
from pathlib import Path

import pytest

import reportgen
from reportgen.checks import check as registry
from reportgen.checks.check import CHECKS, UNSEEN, Read, Subject, check, run_checks
from reportgen.checks.rows import ColumnSubject
from reportgen.report.prose.warnings import is_known, list_codes
from reportgen.results.types import RaisedWarning
from reportgen.terms import LIMITS

RAISED = re.compile(r"""RaisedWarning\(\s*"(W\d{3})\"""")


class ShopSubject(Subject):
    """A shop with so many doors."""

    doors: Read[int] = UNSEEN


@pytest.fixture
def of_shops(monkeypatch):
    monkeypatch.setattr(registry, "CHECKS", {})

    @check("W999", ShopSubject)
    def find_open_shop(doors):
        return {"doors": doors} if doors else None


@pytest.mark.guard
@pytest.mark.parametrize("code", sorted(code for code in {*CHECKS, *list_codes()} if code < "W3"))
def test_a_code_has_a_check_and_words(code):
    assert code in CHECKS, f"{code} has words and no check: add one to a module of checks/"
    name = CHECKS[code].name
    assert is_known(code), (
        f"{code} is {name} and has no words: add warning.{code}.text and the other parts to "
        "templates/prose/warnings.md"
    )


def test_a_code_that_is_raised_is_registered():
    sources = Path(reportgen.__file__).parent.rglob("*.py")
    raised = {code for each in sources for code in RAISED.findall(each.read_text("utf-8"))}
    assert raised <= set(CHECKS), "register these codes in reportgen/checks/codes.py"


def test_limits_are_those_of_warnings():
    assert set(LIMITS) <= set(CHECKS) and list(LIMITS) == sorted(LIMITS)


def test_a_code_is_registered_once():
    free = 1 + max(int(code[1:]) for code in CHECKS if code < "W2")
    with pytest.raises(ValueError, match=f"W106 is few_clusters; the next free code is W{free}"):
        check("W106", ColumnSubject)(lambda values: None)


def test_a_rule_reads_fields_of_its_subject_and_limits_of_its_code():
    with pytest.raises(ValueError, match=r"W998 reads \['flags'\], which ColumnSubject lacks"):
        check("W998", ColumnSubject)(lambda flags: None)
    with pytest.raises(ValueError, match=r"limits \['most'\]: add them to LIMITS of terms.py"):
        check("W998", ColumnSubject)(lambda values, *, most: None)


@pytest.mark.parametrize(
    ("doors", "outcome"),
    [(2, "raised"), (0, "passed"), (None, "not applicable"), (UNSEEN, "not looked at")],
)
def test_a_subject_that_lacks_what_a_rule_reads_is_not_looked_at(of_shops, doors, outcome):
    (found,) = run_checks(ShopSubject(doors=doors, model="m"))
    assert (found.code, found.outcome) == ("W999", outcome)
    raised = RaisedWarning("W999", {"doors": 2}, model="m")
    assert found.warning == (raised if outcome == "raised" else None)

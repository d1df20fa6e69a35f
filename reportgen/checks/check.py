"""Checks: the code of each warning with its rule and what it reads, and their registry."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from enum import Enum
from functools import wraps
from inspect import Parameter, signature
from typing import Literal, TypeAlias, TypeVar, dataclass_transform

from reportgen.records import record
from reportgen.results.types import RaisedWarning, Scalar
from reportgen.terms import LIMITS

Numbers = Mapping[str, Scalar]
Rule = Callable[..., Numbers | None]
Outcome = Literal["raised", "passed", "not applicable", "not looked at"]


class Unseen(Enum):
    """The value of a field that is not available, such as the order of streamed rows."""

    UNSEEN = "unseen"


UNSEEN = Unseen.UNSEEN
Value = TypeVar("Value")
Read: TypeAlias = Value | Unseen | None
"""What a rule reads of a subject: None where there is none of it, UNSEEN where it is not held."""


@dataclass_transform(kw_only_default=True, frozen_default=True)
@record(eq=False, kw_only=True)
class Subject:
    """Base of what warnings are about: each kind is a record of the fields that rules read."""

    segment: str | None = None
    key: str | None = None
    model: str | None = None

    def __init_subclass__(cls) -> None:
        """Make a record of each kind of subject."""
        record(eq=False, kw_only=True)(cls)


@record
class Check:
    """A code with its rule.

    `reads` are the fields of the subject that the rule is given: a subject without one of them is
    not looked at. A code without a rule is raised where files are read or a run is planned.
    """

    code: str
    name: str
    about: type[Subject] | None = None
    reads: tuple[str, ...] = ()
    rule: Callable[..., RaisedWarning | None] = lambda: None


@record
class CheckResult:
    """The outcome of a check of one subject."""

    code: str
    outcome: Outcome
    warning: RaisedWarning | None = None


CHECKS: dict[str, Check] = {}


def check(code: str, about: type[Subject]) -> Callable[[Rule], Callable[..., RaisedWarning | None]]:
    """Register a rule under a code; its name is the check's, without `find_`.

    The positional arguments of a rule are fields of the subject, its keywords limits of the code.
    """

    def register(rule: Rule) -> Callable[..., RaisedWarning | None]:
        arguments = signature(rule).parameters.values()
        reads = tuple(each.name for each in arguments if each.kind is not Parameter.KEYWORD_ONLY)
        keywords = [each.name for each in arguments if each.kind is Parameter.KEYWORD_ONLY]
        if unknown := set(reads) - {each.name for each in fields(about)}:
            raise ValueError(f"{code} reads {sorted(unknown)}, which {about.__name__} lacks")
        if unknown := set(keywords) - set(LIMITS.get(code, {})):
            raise ValueError(f"{code} has limits {sorted(unknown)}: add them to LIMITS of terms.py")
        limits = {name: LIMITS[code][name] for name in keywords}

        @wraps(rule)
        def raise_warning(*read: object) -> RaisedWarning | None:
            numbers = rule(*read, **limits)
            return None if numbers is None else RaisedWarning(code, numbers)

        _register(Check(code, rule.__name__.removeprefix("find_"), about, reads, raise_warning))
        return raise_warning

    return register


def register_codes(names: str) -> None:
    """Register codes whose rules are elsewhere: a code and its name on each line."""
    for line in names.split(","):
        code, name = line.split()
        _register(Check(code, name))


def _register(new: Check) -> None:
    if new.code in CHECKS:
        free = 1 + max(int(code[1:]) for code in CHECKS if code[1] == new.code[1])
        known = CHECKS[new.code].name
        raise ValueError(f"{new.code} is {known}; the next free code is W{free}")
    CHECKS[new.code] = new


def run_checks(*subjects: Subject) -> Iterator[CheckResult]:
    """Run every check on the subjects of its kind, check by check."""
    for each in CHECKS.values():
        for subject in subjects:
            if type(subject) is each.about:
                read = [getattr(subject, name) for name in each.reads]
                if any(value is None for value in read):
                    yield CheckResult(each.code, "not applicable")
                elif any(value is UNSEEN for value in read):
                    yield CheckResult(each.code, "not looked at")
                elif (raised := each.rule(*read)) is None:
                    yield CheckResult(each.code, "passed")
                else:
                    about = {name: getattr(subject, name) for name in ("segment", "key", "model")}
                    yield CheckResult(each.code, "raised", replace(raised, **about))


def iter_raised(*subjects: Subject) -> Iterator[RaisedWarning]:
    """Yield the warnings that checks of these subjects raise."""
    for finding in run_checks(*subjects):
        if finding.warning is not None:
            yield finding.warning

"""Errors that a user can cause, and the exit code of each.

ReportgenError            never raised itself
├── ConfigError      2    the YAML, or a name in it, is wrong: every problem with its place
├── UsageError       2    the command line is wrong
├── DataError        3    a file's content is wrong
├── OutputError      4    the report was made, but an output could not be written
└── ClusterError     4    the cluster that was to read the rows could not

Anything else is our bug: exit code 101.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from traceback import format_tb
from unicodedata import normalize

from reportgen.records import record
from reportgen.text import HIDDEN, are_values_hidden, format_line, hide_values, shorten

MOST_LINES = 101  # a hundred problems, and how many more there are
LONGEST_NAME = 100  # of names that are compared: the cost of comparing grows with their product
ConfigPath = tuple[str | int, ...]
EXIT_CODES: Mapping[int, str] = {
    0: "All went well, and no gate failed.",
    1: "The report was made, and a gate failed or a warning that the config calls fatal was "
    "raised.",
    2: "The config or the command line is wrong; the message names the place and the way out.",
    3: "The data do not support a judgement: a data file is wrong, or the report was made and "
    "gives no verdict on a model.",
    4: "An output could not be made or written, there was too little memory, or a database, bucket "
    "or Dask cluster did not answer.",
    101: "A fault of reportgen itself: please report it with the text that was printed.",
    130: "Interrupted, as by Ctrl-C.",
    143: "Terminated by a signal.",
}
"""What a command ends with, and why."""


class ReportgenError(Exception):
    """An error that a user can act on: each argument is one clear line.

    `lines` are as they were given; printed they are safe for a terminal, and not endless.
    """

    exit_code: int

    def __init__(self, *lines: str) -> None:
        self.lines = lines
        super().__init__(*lines)

    def __str__(self) -> str:
        return "\n".join(map(format_line, self.lines[:MOST_LINES]))

    def _render_traceback_(self) -> list[str]:
        """Return what IPython prints: the lines, without a traceback."""
        return f"{type(self).__name__}: {self}".split("\n")


class UsageError(ReportgenError):
    """The command line asks for something that cannot be done."""

    exit_code = 2


class DataError(ReportgenError):
    """A file says something that cannot be: names the file, the fact and the way out."""

    exit_code = 3


class OutputError(ReportgenError):
    """A report was made, but an output could not be written."""

    exit_code = 4


class DatabaseError(ReportgenError):
    """A database or a bucket that a config names could not be reached: no report was made."""

    exit_code = 4


class ClusterError(ReportgenError):
    """The Dask cluster that a config names could not read the rows: no report was made."""

    exit_code = 4


def require_docstrings() -> None:
    """Refuse an interpreter without docstrings: reports and help print them."""
    if sys.flags.optimize > 1:
        raise UsageError(
            "Python runs without its docstrings (-OO or PYTHONOPTIMIZE=2), and reports print them; "
            "use -O or PYTHONOPTIMIZE=1 at most"
        )


class InternalError(Exception):
    """A fault of ours: its first argument is the traceback, without what may not be shown."""


@contextmanager
def hide_values_in_errors(are_hidden: bool) -> Iterator[None]:
    """Hide values of rows in messages and tracebacks of the block, if `are_hidden`."""
    try:
        with hide_values(are_hidden):
            yield
    except ReportgenError:
        raise
    except Exception as error:
        if not are_hidden or isinstance(error, InternalError):
            raise
        name = type(error).__name__
        frames = "".join(format_tb(error.__traceback__))
        raise InternalError(f"{frames}{name}: {HIDDEN}", name) from None


@record
class Problem:
    """One thing that is wrong: `at` is its path in the config, `place` its file:line:column."""

    message: str
    at: ConfigPath = ()
    place: str = ""

    def __str__(self) -> str:
        if not self.place:
            return self.message
        head, separator, rest = self.message.partition(": ")
        is_twice = bool(separator) and self.place.endswith(f" {head}")  # a map's place is its path
        return f"{self.place}: {rest if is_twice else self.message}"


class ConfigError(ReportgenError):
    """Everything that is wrong with a config, in the order of the file."""

    exit_code = 2

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(*map(str, self.problems))


def find_nearest(name: str, known: Iterable[str]) -> list[str]:
    """Find the known names spelled most like this one, the likeliest first: at most five.

    Capitals do not count, nor does which way a letter is raised. Of names with as many letters in
    common the fewest slips of the hand decide, where two neighbours changed about are one slip. A
    name that takes a slip for more than every second letter is none, unless one holds the other.

    >>> find_nearest("rmsee", ["mse", "rmse", "kendall"]), find_nearest("R²", ["r2"])
    (['rmse', 'mse'], ['r2'])
    >>> find_nearest("query", ["user"])
    []
    """
    if len(name) > LONGEST_NAME:
        return []
    spelt: dict[str, list[str]] = {}
    for each in sorted(known):
        if len(each) <= LONGEST_NAME:
            spelt.setdefault(normalize_spelling(each), []).append(each)
    wanted = normalize_spelling(name)
    close = get_close_matches(wanted, spelt, n=5)
    slips = {each: _slips(wanted, each) for each in close}
    near = [
        each
        for each in close
        if each in wanted or wanted in each or 2 * slips[each] <= max(len(wanted), len(each))
    ]
    ordered = sorted(near, key=lambda each: slips[each])
    return [each for form in ordered for each in spelt[form]][:5]


def normalize_spelling(name: str) -> str:
    """Return a name without what does not matter in spelling: capitals and raised letters."""
    return normalize("NFKC", name).casefold()


def _slips(one: str, other: str) -> int:
    """Letters left out, put in, replaced or changed about with their neighbour, at the least."""
    above, row = [0] * (len(other) + 1), list(range(len(other) + 1))
    for i, left in enumerate(one, start=1):
        before, above, row = above, row, [i]
        for j, right in enumerate(other, start=1):
            steps = [above[j] + 1, row[j - 1] + 1, above[j - 1] + (left != right)]
            if i > 1 and j > 1 and (left, right) == (other[j - 2], one[i - 2]):
                steps.append(before[j - 2] + 1)
            row.append(min(steps))
    return row[-1]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Say what was probably meant, or else what there is.

    >>> did_you_mean("kendal", ["mae", "kendall"])
    "did you mean 'kendall'?"
    >>> did_you_mean("xyz", ["mae", "kendall"])
    'known: kendall, mae'
    """
    names = sorted(known)
    near = find_nearest(name, names)
    if near:
        return f"did you mean {near[0]!r}?"
    listed = ", ".join(shorten(each, LONGEST_NAME) for each in names[:20])
    return "known: " + listed + (", …" if len(names) > 20 else "")


def suggest_value(name: str, known: Iterable[str]) -> str:
    """Suggest a value of the data, as `did_you_mean` does a name, or say where to look."""
    if are_values_hidden():
        return "compare it with the values of the column, which `privacy:` hides here"
    return did_you_mean(name, known)

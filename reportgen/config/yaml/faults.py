"""Problems of a config, collected and reported together in the order of the file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from reportgen.config.yaml.tree import ListNode, MappingNode, Mark, Node, Scalar
from reportgen.errors import ConfigError, ConfigPath, Problem, did_you_mean
from reportgen.text import LONGEST_VALUE, format_line, shorten

LONGEST_LINE = 400
MOST_REPORTED = 100


@dataclass
class ProblemList:
    """A list of problems, each with its place; `hide` takes out what may not be shown."""

    hide: Callable[[str], str] = str
    found: dict[tuple[Mark, str], ConfigPath] = field(default_factory=dict)
    settled: set[Mark] = field(default_factory=set)

    def add(self, mark: Mark, message: str, at: ConfigPath = ()) -> None:
        """Note a problem; the same one twice is one."""
        if mark not in self.settled:
            self.found.setdefault((mark, message), at)

    def settle(self, mark: Mark, message: str) -> None:
        """Note a problem that explains whatever else seems wrong at this place."""
        if mark not in self.settled:
            self.found = {key: at for key, at in self.found.items() if key[0] != mark}
        self.add(mark, message)
        self.settled.add(mark)

    def stop(self) -> None:
        """Raise what was found, if anything was."""
        if self.found:
            raise self.error()

    def error(self) -> ConfigError:
        """Everything found, in the order of the files."""
        ordered = sorted(self.found.items(), key=lambda item: item[0][0].order)
        problems = [
            Problem(format_line(self.hide(text), LONGEST_LINE), at, format_line(str(mark)))
            for (mark, text), at in ordered[:MOST_REPORTED]
        ]
        left = len(ordered) - len(problems)
        if left:
            place = problems[-1].place
            problems.append(Problem(f"and {left:,} more problems after this one", (), place))
        return ConfigError(problems)


def quote_node(node: Node | None) -> str:
    """Format what the user wrote as it may be shown: a secret shows only its variable."""
    if node is None:
        return "nothing"
    if isinstance(node, ListNode):
        return "a list" if node.items else "an empty list"
    if isinstance(node, MappingNode):
        return "a map" if node.entries else "an empty map"
    if node.value is None and node.secret is None:
        return "an empty value" if not node.written else repr(node.written)
    return repr(shorten(node.safe_text, LONGEST_VALUE))


def suggest_name(node: Node | None, known: Iterable[str]) -> str:
    """Say what a name probably meant; of a secret only say what there is."""
    names = list(known)
    if not names:
        return "there is none"
    if isinstance(node, Scalar) and node.secret is None:
        return did_you_mean(str(node.value), names)
    return did_you_mean("", names)

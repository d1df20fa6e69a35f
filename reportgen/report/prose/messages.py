"""The messages of `templates/prose/`: the English of the report, in files that an editor can read.

In a file, `## key` begins a message, which ends at the next heading. A message is a Jinja template
whose lines run together. A line `---` separates wordings of one message, the longest first. A
heading `# …`, and the text under it, is a note to editors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

from jinja2 import FunctionLoader, StrictUndefined, Template
from jinja2.exceptions import TemplateError, UndefinedError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from reportgen.errors import OutputError
from reportgen.records import record
from reportgen.report.prose.compiled import COMPILED
from reportgen.report.prose.filters import FILTERS, TESTS
from reportgen.report.prose.marks import Marked, escape_marks

_HEADING = re.compile(r"^#{1,2} +(?P<title>.*?) *$", re.MULTILINE)
_OR = re.compile(r"^--- *$", re.MULTILINE)
_SPACE = re.compile(r"[ \t\r\n]+")  # a no-break space of a number stays
_FAULTS = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError)
"""The errors of a template that uses a value as another type."""


@record
class Message:
    """A message as its file has it: its key, its place, its wordings."""

    key: str
    path: str
    line: int
    wordings: tuple[str, ...]

    @property
    def place(self) -> str:
        """The file, the line and the key, as errors name them."""
        return f"{self.path}:{self.line}: message {self.key!r}"


class Catalogue:
    """The messages of a folder, compiled when they are first used; `own` replace some of them."""

    def __init__(self, folder: Path, own: Mapping[str, Message] | None = None) -> None:
        self.folder, self.own = folder, own or {}
        built_in = {message.key: message for message in read_messages(folder)}
        self.messages = {**built_in, **self.own}
        self._templates: dict[str, tuple[Template | str, ...]] = {}

    @cached_property
    def environment(self) -> ImmutableSandboxedEnvironment:
        """The environment of all messages: every name must exist, and no value becomes a mark."""
        made = ImmutableSandboxedEnvironment(
            undefined=StrictUndefined,
            finalize=escape_marks,
            loader=FunctionLoader(self._find_wording),
            bytecode_cache=None if self.own else COMPILED,  # templates hold a team's terms
        )
        made.filters = {**FILTERS, "term": self.find_term}
        made.tests = {**made.tests, **TESTS}
        return made

    def fill(self, key: str, values: Mapping[str, object], most_words: int = 0) -> Marked:
        """Fill the first wording that has at most `most_words` words; else the last.

        Raises OutputError, with the file and the line, where the message is wrong.
        """
        text = ""
        for template in self._compile(key):
            text = self._render(key, template, values)
            if not most_words or len(text.split()) <= most_words:
                break
        return Marked(text)

    def find_term(self, word: object, group: str) -> str:
        """Find the name of a member of a closed list; a word of another version stays as it is."""
        key = f"{group}.{str(word).replace(' ', '_')}"
        return self.fill(key, {}) if key in self.messages else str(word)

    def _find_wording(self, name: str) -> str:
        *_, key, place = name.split("/")
        return self.messages[key].wordings[int(place)]

    def _render(self, key: str, template: Template | str, values: Mapping[str, object]) -> str:
        if isinstance(template, str):
            return template
        try:
            return _SPACE.sub(" ", template.render(values)).strip()
        except UndefinedError as error:
            known = f"; it has {', '.join(values)}" * bool(values)
            raise OutputError(f"{self.messages[key].place}: {error.message}{known}") from error
        except (TemplateError, *_FAULTS) as error:
            raise OutputError(f"{self.messages[key].place}: {error}") from error

    def _compile(self, key: str) -> tuple[Template | str, ...]:
        """Compile the wordings of a message; half of all have no value in them and stay texts."""
        if key not in self._templates:
            message = self.messages.get(key)
            if message is None:
                raise OutputError(f"{self.folder} has no message {key!r}")
            try:
                made = tuple(
                    self.environment.get_template(f"{self.folder}/{key}/{place}")
                    if "{" in each
                    else _SPACE.sub(" ", each)
                    for place, each in enumerate(message.wordings)
                )
            except TemplateError as error:
                raise OutputError(f"{message.place}: {error}") from error
            self._templates[key] = made
        return self._templates[key]


def read_messages(folder: Path) -> Iterator[Message]:
    """Read the messages of all files of a folder, by name of file and in their order."""
    for path in sorted(folder.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        headings = list(_HEADING.finditer(text))
        ends = [*(heading.start() for heading in headings[1:]), len(text)]
        yield from _read_file(str(path), text, zip(headings, ends, strict=True))


def _read_file(
    path: str, text: str, parts: Iterable[tuple[re.Match[str], int]]
) -> Iterator[Message]:
    for heading, end in parts:
        if heading[0].startswith("## "):
            wordings = _OR.split(text[heading.end() : end])
            line = text.count("\n", 0, heading.start()) + 1
            yield Message(heading["title"], path, line, tuple(each.strip() for each in wordings))

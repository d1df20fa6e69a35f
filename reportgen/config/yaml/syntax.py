"""What PyYAML says of text that is no YAML, in the words of the person who wrote it."""

from __future__ import annotations

from itertools import islice

import yaml
from yaml.reader import ReaderError

from reportgen.text import foreign

PLAIN = {
    "mapping values are not allowed here": "a ':' is not expected here: the line above may lack "
    "its own, or a text that holds ': ' needs quotes",
    "could not find expected ':'": "this is no 'key: value': a ':' is missing here or just above",
    "sequence entries are not allowed here": "a list item '- ' is not expected here: "
    "put it on a line of its own under its key",
    "found character '\\t' that cannot start any token": "a tab is used to indent: "
    "YAML indents by spaces; replace it",
    "did not find expected <document start>": "this does not belong to what stands above: "
    "check its indentation",
    "expected the node content": "a value is missing before this",
    "found unknown escape character": "in double quotes a backslash begins an escape: "
    "use single quotes, or write \\\\",
    "expected alphabetic or numeric character": "a text that begins with '*' or '&' needs quotes",
    "expected <block end>": "the indentation does not fit the lines above: "
    "align this with its neighbours",
    "expected <document start>": "this does not belong to what stands above: check its indentation",
}


def said_plainly(error: yaml.YAMLError, text: str) -> tuple[int, int, str]:
    """Line, column and one clear line for an error of PyYAML."""
    if isinstance(error, ReaderError):
        return _character(error, text)
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is None or not isinstance(error, yaml.MarkedYAMLError):
        return 1, 1, "this is not YAML; see https://yaml.org for the syntax"
    problem = (error.problem or "") + " " + (error.context or "")
    if "end of stream" in problem and "quoted" in problem and error.context_mark:
        opened = error.context_mark
        return opened.line + 1, opened.column + 1, "the quote that opens here is never closed"
    return mark.line + 1, mark.column + 1, _words(error, problem, mark, text)


def _words(error: yaml.MarkedYAMLError, problem: str, mark: yaml.Mark, text: str) -> str:
    line = next(islice(text.splitlines(), mark.line, None), "")
    if "'?'" in problem or "mapping keys are not allowed" in problem:
        return "a '?' that stands alone needs quotes"
    if "flow" in problem:
        if "${" in line:
            return 'inside [ ] and { } a variable needs quotes: "${VAR}"'
        opened = error.context_mark.line + 1 if error.context_mark else mark.line + 1
        return f"the bracket opened at line {opened} is not closed, or a comma is missing here"
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return PLAIN["found character '\\t' that cannot start any token"]
    if "cannot start any token" in problem and "\\t" not in problem:
        return f"a text that begins with {line[mark.column : mark.column + 1]!r} needs quotes"
    for theirs, ours in PLAIN.items():
        if theirs in problem:
            return ours
    return f"this is not YAML: {foreign(problem)}"


def _character(error: ReaderError, text: str) -> tuple[int, int, str]:
    before = text[: error.position]
    line, column = before.count("\n") + 1, error.position - before.rfind("\n")
    code = error.character if isinstance(error.character, int) else ord(error.character)
    return line, column, f"the character U+{code:04X} may not stand in YAML; remove it"

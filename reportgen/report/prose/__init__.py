"""From facts to sentences: each fact is said by its message."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from reportgen.paths import find_templates_folder
from reportgen.report.document import Phrase
from reportgen.report.facts.fact import Fact
from reportgen.report.prose.marks import Marked, parse_marks, remove_marks
from reportgen.report.prose.messages import Catalogue


@cache
def load_catalogue() -> Catalogue:
    """Load the messages that come with the package."""
    catalogue = Catalogue(find_templates_folder() / "prose")
    catalogue.environment.filters["each_as_text"] = _fill_each
    return catalogue


def say(fact: Fact, most_words: int = 0) -> Phrase:
    """Say a fact, with its marks."""
    return parse_marks(_fill(fact, most_words))


def say_plain(fact: Fact, most_words: int = 0) -> str:
    """Say a fact as plain text."""
    return remove_marks(_fill(fact, most_words))


def mark(fact: Fact, most_words: int = 0) -> Marked:
    """Say a fact as a value of another message."""
    return _fill(fact, most_words)


def line(key: str, **values: object) -> str:
    """Fill a message whose values are given here: a caption, a title, a cell.

    Use it where no test and no other sentence asks what was said; else make a fact.
    """
    return remove_marks(load_catalogue().fill(key, values))


def text(key: str, most_words: int = 0, **values: object) -> Marked:
    """Fill a message as `line` does, in at most `most_words` words, and keep its marks.

    The text may be a value of another message.
    """
    return load_catalogue().fill(key, values, most_words)


def phrase(key: str, **values: object) -> Phrase:
    """Fill a message as `line` does, with its marks."""
    return parse_marks(load_catalogue().fill(key, values))


def term(group: str, word: object) -> str:
    """Return what the report calls a member of a closed list, such as a verdict."""
    return remove_marks(load_catalogue().find_term(word, group))


def _fill(fact: Fact, most_words: int = 0) -> Marked:
    return load_catalogue().fill(fact.key, fact.values, most_words)


def _fill_each(facts: Iterable[Fact]) -> list[Marked]:
    return [_fill(fact) for fact in facts]

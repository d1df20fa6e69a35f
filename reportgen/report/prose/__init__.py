"""From facts to sentences: each fact is said by its message."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

from reportgen.paths import find_templates_folder
from reportgen.report.document import Phrase
from reportgen.report.facts import Fact
from reportgen.report.prose.marks import Marked, parse_marks, remove_marks
from reportgen.report.prose.messages import Catalogue


@cache
def load_catalogue() -> Catalogue:
    """Load the messages that come with the package."""
    catalogue = Catalogue(find_templates_folder() / "prose")
    catalogue.environment.filters["each_as_text"] = _fill_each
    return catalogue


def load_messages(template_dir: Path | None) -> Catalogue:
    """Load the messages with those of a team's `prose/` in place of the package's own."""
    own = None if template_dir is None else template_dir / "prose"
    if own is None or not own.is_dir():
        return load_catalogue()
    from reportgen.report.prose.replacing import replace_messages  # few runs need it

    return replace_messages(load_catalogue(), own)


_IN_USE: ContextVar[Catalogue | None] = ContextVar("messages in use", default=None)


@contextmanager
def use_messages(catalogue: Catalogue) -> Iterator[None]:
    """Fill these messages inside the block."""
    before = _IN_USE.set(catalogue)
    try:
        yield
    finally:
        _IN_USE.reset(before)


def get_messages() -> Catalogue:
    """Return the messages in use: those of the package, unless a team replaces some."""
    return _IN_USE.get() or load_catalogue()


def say_plain(fact: Fact) -> str:
    """Say a fact as plain text."""
    return remove_marks(_fill(fact))


def mark(fact: Fact, most_words: int = 0) -> Marked:
    """Say a fact as a value of another message."""
    return _fill(fact, most_words)


def line(key: str, **values: object) -> str:
    """Fill a message whose values are given here: a caption, a title, a cell.

    Use it where no test and no other sentence asks what was said; else make a fact.
    """
    return remove_marks(get_messages().fill(key, values))


def text(key: str, most_words: int = 0, **values: object) -> Marked:
    """Fill a message as `line` does, in at most `most_words` words, and keep its marks.

    The text may be a value of another message.
    """
    return get_messages().fill(key, values, most_words)


def phrase(key: str, **values: object) -> Phrase:
    """Fill a message as `line` does, with its marks."""
    return parse_marks(get_messages().fill(key, values))


def term(group: str, word: object) -> str:
    """Return what the report calls a member of a closed list, such as a verdict."""
    return remove_marks(get_messages().find_term(word, group))


def _fill(fact: Fact, most_words: int = 0) -> Marked:
    return get_messages().fill(fact.key, fact.values, most_words)


def _fill_each(facts: Iterable[Fact]) -> list[Marked]:
    return [_fill(fact) for fact in facts]

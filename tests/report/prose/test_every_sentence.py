"""Every sentence of the worked reports is a message, a definition, or a text of the config.

A message is recorded where it is filled. What is left between messages are numbers, names, and at
most `MOST_OWN` words at a time.
"""

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace

import pytest

from reportgen.report import prose
from reportgen.report.conclusion import conclude
from reportgen.report.document import Listing, Span
from reportgen.report.layout import build_document
from reportgen.report.prose.marks import remove_marks
from reportgen.report.prose.operating_points import describe_in_order
from reportgen.report.prose.warnings import write_warning_texts
from reportgen.report.wording.names import fill_case_nouns
from tests.report.prose.test_book import load_book
from tests.worked import CONFIGS, results_of

MOST_OWN = 3
UNPRINTED = {"id", "kind", "href", "tone", "role", "drawing", "scale", "language", "digest"}
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
END = re.compile(r"(?<=[.;:|])\s")
PLACE = re.compile(r"\{[^{}]*\}")  # of a name, in a definition


def iter_printed(part):
    """Iterate over the texts of a part of a document, a phrase as one text; no listing."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, tuple) and part and all(isinstance(each, Span) for each in part):
        yield "".join(each.text for each in part)
    elif isinstance(part, tuple):
        for each in part:
            yield from iter_printed(each)
    elif is_dataclass(part) and not isinstance(part, Listing):
        for field in fields(part):
            if field.name not in UNPRINTED:
                yield from iter_printed(getattr(part, field.name))


def iter_given(part):
    """Iterate over the texts of results: names, definitions, the config."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, Mapping):
        for key, value in part.items():
            yield from iter_given(key)
            yield from iter_given(value)
    elif isinstance(part, tuple | list):
        for each in part:
            yield from iter_given(each)
    elif is_dataclass(part):
        for field in fields(part):
            yield from iter_given(getattr(part, field.name))


def iter_definitions(results):
    """Iterate over the texts of metrics and curves, with the nouns of the dataset."""
    case = results.datasets[0].case
    orders = [model.order for model in results.models]
    of_metrics = (results.metrics, results.class_metrics, results.estimates, results.comparisons)
    for text in {*iter_given(of_metrics), *iter_given(results.curve_infos)}:
        yield fill_case_nouns(text, case)
        filled = describe_in_order(fill_case_nouns(text, case, is_template=True), orders)
        yield from PLACE.split(filled)


def find_words(text):
    return [word.lower() for word in WORD.findall(text)]


def build_trie(pieces):
    """Build the trie of the words of pieces, and of each of their sentences."""
    root = {}
    for piece in pieces:
        for text in (piece, *END.split(piece)):
            node = root
            for word in find_words(text):
                node = node.setdefault(word, {})
            node[""] = True
    return root


def find_own_words(text, trie):
    """Find the longest run of words that no piece covers; a piece that is cut off counts."""
    words = find_words(text)
    covered = 0  # words before this place are covered
    own, longest = [], []
    for start, word in enumerate(words):
        node = trie
        for place in range(start, len(words) + 1):
            if "" in node or (place == len(words) and node is not trie):
                covered = max(covered, place)
            if place == len(words) or words[place] not in node:
                break
            node = node[words[place]]
        own = [] if start < covered else [*own, word]
        longest = max(longest, own, key=len)
    return longest


def list_own_sentences(results):
    """List the texts of a report with more than `MOST_OWN` words in a row that nothing covers."""
    bare = replace(results, warnings=tuple(replace(w, text="") for w in results.warnings))
    with load_book().record_texts(prose.load_catalogue()) as texts:
        written = write_warning_texts(bare)
        conclude(written)
        document = build_document(written)
    messages = {remove_marks(text) for each in texts.values() for text in each}
    given = set(iter_given(replace(results, conclusion=None, warnings=())))
    trie = build_trie(messages | given | set(iter_definitions(results)))
    own = {text: find_own_words(text, trie) for text in set(iter_printed(document.sections))}
    return {text: words for text, words in own.items() if len(words) > MOST_OWN}


@pytest.mark.parametrize("name", CONFIGS)
def test_every_sentence_comes_from_a_message_a_definition_or_the_config(name):
    own = list_own_sentences(results_of(name))
    assert not own, "write messages in templates/prose/: " + "\n".join(
        f"{' '.join(words)!r} in {text!r}" for text, words in own.items()
    )


def test_words_of_its_own_are_found_between_pieces():
    trie = build_trie(["B is better than A.", "on 3 of 4 folds. Read it with care."])
    said = "B is better than A, which is not what anybody asked, on 3 of 4 folds."
    assert find_own_words(said, trie) == "which is not what anybody asked".split()
    assert find_own_words("Read it with", trie) == []

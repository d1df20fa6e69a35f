"""The tests that a config asks for: each is one there is, and suits its metric."""

from __future__ import annotations

from collections.abc import Iterable

from reportgen.config.checks.references import Names, check_word, entries
from reportgen.config.faults import Faults, quoted
from reportgen.config.vocabulary import Vocabulary
from reportgen.config.yaml.tree import MappingNode, Scalar, dotted, find, key_mark
from reportgen.errors import did_you_mean

TEST = ("comparisons", "test")


def check_tests(tree: MappingNode, words: Vocabulary, faults: Faults) -> None:
    """Each test is known, and suits the metrics it is asked for."""
    names, node = Names(tree, words, faults), find(tree, TEST)
    check_word(names, TEST, words.tests, _had_by(names, names.metrics))
    if isinstance(node, Scalar):
        _check_for_all(names, node)
    for key, below in entries(node).items():
        if key not in names.metrics:
            said = f"{dotted(TEST)}: there is no metric {key!r} in this config"
            mark = key_mark(tree, (*TEST, key))
            faults.add(mark, f"{said}; {did_you_mean(key, names.sound_metrics)}", TEST)
            continue
        check_word(names, (*TEST, key), words.tests, _had_by(names, [key]))
        if isinstance(below, Scalar) and not _suits(names, below, key):
            _refuse(names, below, [key], _tests_for(names, key))


def _had_by(names: Names, keys: Iterable[str]) -> list[str]:
    """The tests that all these metrics can have: of others it is not suggested to ask for them."""
    words = (names.words.metrics.get(names.metrics[key]) for key in keys)
    known = [word.tests for word in words if word is not None and word.tests is not None]
    return [test for test in names.words.tests if all(test in tests for tests in known)]


def _check_for_all(names: Names, test: Scalar) -> None:
    """One test for every metric."""
    unsuited = [key for key in names.metrics if not _suits(names, test, key)]
    suited = [key for key in names.metrics if key not in unsuited]
    if unsuited and suited:
        way = f"name the metrics that it is for: test: {{{suited[0]}: {test.printed}}}"
        _refuse(names, test, unsuited, way)
    elif unsuited:
        _refuse(names, test, unsuited, _tests_for(names, unsuited[0]))


def _suits(names: Names, test: Scalar, key: str) -> bool:
    """Whether a test can be had for a metric; what is unknown is told elsewhere."""
    word = names.words.metrics.get(names.metrics.get(key, ""))
    tests = word.tests if word is not None else None
    return tests is None or test.value in tests or test.value not in names.words.tests


def _refuse(names: Names, test: Scalar, keys: list[str], way: str) -> None:
    named = ", ".join(map(repr, keys[:3])) + (", …" if len(keys) > 3 else "")
    said = f"{dotted(TEST)}: {quoted(test)} does not suit {named}; {way}"
    names.faults.add(test.mark, said, TEST)


def _tests_for(names: Names, key: str) -> str:
    word = names.words.metrics[names.metrics[key]]
    return f"for {key!r} there are {', '.join(word.tests or ())}"

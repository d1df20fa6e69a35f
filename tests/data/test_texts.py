"""Ids that are read from Arrow when they are asked for."""

import pyarrow as pa

from reportgen.data import arrow
from reportgen.data.arrow import ArrowTexts
from reportgen.governance.digests import start_text_digest

NAMES = ("a", "Ä", "c 3", "", "e")


def test_texts_are_those_of_a_tuple(monkeypatch):
    monkeypatch.setattr(arrow, "AT_ONCE", 2)
    texts = ArrowTexts(pa.array(NAMES, pa.large_string()))
    assert tuple(texts) == NAMES and len(texts) == 5
    assert (texts[1], texts[-1], texts[1:3]) == ("Ä", "e", ("Ä", "c 3"))
    assert texts == NAMES and texts == ArrowTexts(pa.array(NAMES, pa.large_string()))
    assert texts != NAMES[:4] and texts != ArrowTexts(pa.array(NAMES[::-1], pa.large_string()))
    assert "c 3" in texts and not ArrowTexts(pa.array([], pa.large_string()))


def test_the_digest_of_texts_is_that_of_a_tuple(monkeypatch):
    monkeypatch.setattr(arrow, "AT_ONCE", 2)
    part = pa.array(("before", *NAMES, "after"), pa.large_string()).slice(1, len(NAMES))
    assert start_text_digest(ArrowTexts(part)).digest() == start_text_digest(NAMES).digest()
    assert start_text_digest(ArrowTexts(part[:3])).digest() != start_text_digest(NAMES).digest()
    assert start_text_digest(ArrowTexts(part[:0])).digest() == start_text_digest(()).digest()

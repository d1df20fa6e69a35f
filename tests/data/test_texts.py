"""Ids that are read from Arrow when they are asked for."""

import pyarrow as pa

from reportgen.data import arrow
from reportgen.data.arrow import Texts

NAMES = ("a", "Ä", "c 3", "", "e")


def test_texts_are_those_of_a_tuple(monkeypatch):
    monkeypatch.setattr(arrow, "AT_ONCE", 2)
    texts = Texts(pa.array(NAMES, pa.large_string()))
    assert tuple(texts) == NAMES and len(texts) == 5
    assert (texts[1], texts[-1], texts[1:3]) == ("Ä", "e", ("Ä", "c 3"))
    assert texts == NAMES and texts == Texts(pa.array(NAMES, pa.large_string()))
    assert texts != NAMES[:4] and texts != Texts(pa.array(NAMES[::-1], pa.large_string()))
    assert "c 3" in texts and not Texts(pa.array([], pa.large_string()))

"""Keys of texts: the bytes alone decide, and nothing else does."""

import numpy as np
import pyarrow as pa

from reportgen.data.arrow import TEXT, Texts
from reportgen.data.keys import keys_of, keys_of_array, keys_of_numbers

WORDS = ["", "a", "b", "ab", "ba", "a\0", "12345678", "123456789", "Zoë", "x" * 40, "x" * 41]


def test_different_texts_have_different_keys():
    many = [*WORDS, *(str(row) for row in range(200_000))]
    assert len(np.unique(keys_of(many))) == len(many)


def test_a_key_depends_on_no_other_text():
    alone = np.array([keys_of([word])[0] for word in WORDS])
    assert (keys_of(WORDS) == alone).all()
    assert (keys_of(WORDS[::-1]) == alone[::-1]).all()


def test_a_part_of_an_array_has_the_keys_of_its_texts():
    values = pa.array(WORDS, TEXT)
    assert (keys_of_array(values.slice(3, 5)) == keys_of(WORDS[3:8])).all()
    assert (keys_of(Texts(values)) == keys_of(WORDS)).all()


def test_numbers_have_the_keys_of_their_digits():
    written = [f"{row:05d}" for row in range(95, 1203)]
    assert (keys_of_numbers(95, len(written), 5) == keys_of(written)).all()

"""Keys of texts: the bytes alone decide, and nothing else does."""

import numpy as np
import pyarrow as pa

from reportgen.data.arrow import (
    TEXT,
    ArrowTexts,
    compute_array_keys,
    compute_keys,
    compute_row_number_keys,
)

WORDS = ["", "a", "b", "ab", "ba", "a\0", "12345678", "123456789", "Zoë", "x" * 40, "x" * 41]


def test_different_texts_have_different_keys():
    many = [*WORDS, *(str(row) for row in range(200_000))]
    assert len(np.unique(compute_keys(many))) == len(many)


def test_a_key_depends_on_no_other_text():
    alone = np.array([compute_keys([word])[0] for word in WORDS])
    assert (compute_keys(WORDS) == alone).all()
    assert (compute_keys(WORDS[::-1]) == alone[::-1]).all()


def test_a_part_of_an_array_has_the_keys_of_its_texts():
    values = pa.array(WORDS, TEXT)
    assert (compute_array_keys(values.slice(3, 5)) == compute_keys(WORDS[3:8])).all()
    assert (compute_keys(ArrowTexts(values)) == compute_keys(WORDS)).all()


def test_numbers_have_the_keys_of_their_digits():
    written = [f"{row:05d}" for row in range(95, 1203)]
    assert (compute_row_number_keys(95, len(written), 5) == compute_keys(written)).all()

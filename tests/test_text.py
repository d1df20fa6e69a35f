"""JSON holds the values that it had, and no sign that a page does not print."""

import json

import numpy as np
import pytest

from reportgen.text import escape_json, is_printable, shorten


def test_json_has_escapes_for_what_is_not_printed_and_the_same_values():
    codes = np.random.default_rng(1).integers(32, 0x110000, 20_000)
    signs = "".join(chr(code) for code in [*range(32), *range(0x2000, 0x2070), *codes])
    said = json.dumps({"said": signs}, ensure_ascii=False)
    safe = escape_json(said)
    assert json.loads(safe) == {"said": signs}
    assert all(sign == "\n" or is_printable(sign) for sign in safe)
    assert [s for s in safe if ord(s) > 127] == [
        s for s in said if ord(s) > 127 and is_printable(s)
    ]


@pytest.mark.parametrize("longest", range(20, 60))
def test_no_word_of_a_label_is_cut(longest):
    label = "mean cost of errors per customer of the last year, EUR; better ↑"
    left, right = shorten(label, longest).split("…")
    assert f"{label} "[len(left)] in " ," and label[: len(left)] == left
    assert f" {label}"[-len(right) - 1] == " " and label.endswith(right)
    assert len(left) + 1 + len(right) <= longest

"""Names that people typed, made safe to stand in a sentence, and lists of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from reportgen.text import clean

Case = tuple[str, str]
"""The nouns for one row and for several."""
ROWS: Case = ("row", "rows")
LONGEST = 60
_ADJUSTMENTS = {
    "holm": "Holm for p, Bonferroni for intervals",
    "maxt": "Romano and Wolf's step-down max-T",
    "bh": "Benjamini and Hochberg's false discovery rate",
    "none": "not adjusted for their number",
}
_OWN_WAY = re.compile(r"[a-z]+[A-Z0-9_]")  # nDCG, dense_v2
_ORDINARY = frozenset(
    """
    absolute accuracy area asymmetric average balanced bias binary calibration capture caught
    coefficient cost coverage cumulated cumulative cut-off deviance difference discrimination
    distance eleven-point error expected explained false first geometric graded interpolated
    interval judged label last lift log markedness mean median miscalibration missed negative
    net normalised observed odds one-error over-estimation partial pinball positive precision
    rank rank-biased ranked ranking recall reciprocal regression relative rest root score share
    slope smooth specificity squared subset success sum symmetric tied top top-k true
    under-estimation variance weighted
    """.split()  # noqa: SIM905 – a list of words reads best as words
)


def name(text: str, most: int = LONGEST) -> str:
    r"""A name without control and direction characters, cut to a length that a line can hold.

    Both ends are kept, of whole words where that leaves most of them: names in a series often
    differ only at the end.

    >>> name("new\u202emodel\n"), name("Boosting retrained in the quarter no. 3", most=25)
    ('newmodel', 'Boosting…no. 3')
    >>> name("a_very_long_name_of_a_model_2", most=20)
    'a_very_long_…model_2'
    """
    typed = _typed(text)
    if len(typed) <= most:
        return typed
    tail = (most - 1) * 2 // 5
    left, right = typed[: most - 1 - tail], typed[len(typed) - tail :]
    whole, after = left.rpartition(" ")[0], right.partition(" ")[2]
    left = whole if 2 * len(whole) >= len(left) else left
    right = after if 2 * len(after) >= len(right) else right
    return f"{left.rstrip(' ,')}…{right.lstrip()}"


def prose(text: str, most: int) -> str:
    """Sentences that people typed, made as safe as a name, cut at the end.

    >>> prose("It holds for this year, not for the next.", most=24)
    'It holds for this year,…'
    """
    typed = _typed(text)
    return typed if len(typed) <= most else typed[: most - 1].rstrip() + "…"


def lowered(label: str) -> str:
    """A metric's label inside a sentence: an ordinary first word loses its capital.

    >>> lowered("Mean absolute error"), lowered("Kendall τ-b"), lowered("RMSE")
    ('mean absolute error', 'Kendall τ-b', 'RMSE')
    """
    first = label.partition(" ")[0]
    is_ordinary = first[:1].isupper() and first.lower() in _ORDINARY
    return label[:1].lower() + label[1:] if is_ordinary else label


def adjustment(name: str) -> str:
    """How several comparisons are allowed for together.

    >>> adjustment("holm")
    'Holm for p, Bonferroni for intervals'
    """
    return _ADJUSTMENTS.get(name.lower().replace("-", "").replace("_", ""), name)


def allowed_for(level: float, base: float) -> int:
    """How many comparisons limits at `level` allow for, where those of one alone are at `base`.

    >>> allowed_for(0.99, 0.95), allowed_for(0.95, 0.95)
    (5, 1)
    """
    return round((1 - base) / (1 - level)) if level < 1 else 1


def capital(sentence: str) -> str:
    """A sentence with its first letter large.

    A name that is written in a way of its own stays as it is.

    >>> capital("mean absolute error is undefined."), capital("nDCG@10"), capital("dense_v2: none")
    ('Mean absolute error is undefined.', 'nDCG@10', 'dense_v2: none')
    """
    if _OWN_WAY.match(sentence):
        return sentence
    return sentence[:1].upper() + sentence[1:]


def begun(sentence: str, names: Iterable[str]) -> str:
    """A sentence with its first letter large, unless it begins with a name: that stays as written.

    >>> begun("a gain is shown", ["gbm"]), begun("gbm is better than rfm", ["gbm", "rfm"])
    ('A gain is shown', 'gbm is better than rfm')
    """
    is_named = any(each and re.match(rf"{re.escape(each)}(?!\w)", sentence) for each in names)
    return sentence if is_named else capital(sentence)


def listed(items: Iterable[str], most: int = 4) -> str:
    """Items in a sentence, the rest as a number.

    >>> listed("a"), listed("ab"), listed("abc"), listed("abcdef")
    ('a', 'a and b', 'a, b and c', 'a, b, c and 3 others')
    """
    every: Sequence[str] = tuple(items)
    if len(every) > most:
        every = (*every[: most - 1], f"{len(every) - most + 1} others")
    return " and ".join(filter(None, (", ".join(every[:-1]), *every[-1:])))


def of_cases(text: str, case: Case, *, is_template: bool = False) -> str:
    """A fixed sentence with the nouns that rows go by; names that people typed are not in it yet.

    Of a template, whose names are filled in later, those names stay and braces of a noun are
    doubled.

    >>> of_cases("Rows left: each row that has {n} rows.", ("query", "queries"))
    'Queries left: each query that has {n} queries.'
    >>> of_cases("{n} rows", ("{a}", "{b}"), is_template=True).format(n=3)
    '3 {b}'
    >>> of_cases("{rows} rows", ("image", "images"), is_template=True)
    '{rows} images'
    """
    if case == ROWS:
        return text

    def noun(found: re.Match[str]) -> str:
        said = name(case[bool(found[2])])
        said = capital(said) if found[1] == "R" else said
        return said.replace("{", "{{").replace("}", "}}") if is_template else said

    return re.sub(r"(?<!\{)\b([Rr])ow(s?)\b", noun, text)


def _typed(text: str) -> str:
    """The words of a text; one in which nothing can be seen is said to be blank."""
    return clean(" ".join(text.split())).strip() or ("(blank)" if text else "")

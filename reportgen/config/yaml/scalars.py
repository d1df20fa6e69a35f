"""What an unquoted word of YAML means: the core schema of YAML 1.2, and nothing more.

`no`, `on` and dates are text; `012` is twelve; `0o14` is twelve as well; `1e-3` is a number.
"""

from __future__ import annotations

import re

from reportgen.config.yaml.tree import Value

WORDS: dict[str, Value] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
INTEGER = re.compile(r"[-+]?[0-9]+")
OCTAL = re.compile(r"0o[0-7]+")
HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
INFINITE = re.compile(r"([-+]?)\.(inf|Inf|INF)")
MOST_DIGITS = 300  # beyond it a whole number is no longer finite as a number


def resolve(text: str) -> Value:
    """The value of an unquoted word.

    >>> [resolve(word) for word in ("012", "1e-3", "no", "~", "0x1F", "2026-11-21")]
    [12, 0.001, 'no', None, 31, '2026-11-21']
    """
    if text in WORDS:
        return WORDS[text]
    if INTEGER.fullmatch(text):
        return int(text) if len(text) <= MOST_DIGITS else float(text)
    if OCTAL.fullmatch(text):
        return _finite(int(text[2:], 8))
    if HEXADECIMAL.fullmatch(text):
        return _finite(int(text[2:], 16))
    if NUMBER.fullmatch(text):
        return float(text)
    if infinite := INFINITE.fullmatch(text):
        return float(infinite[1] + "inf")
    return text


def _finite(number: int) -> Value:
    """A whole number, or infinity where no number of the usual kind is so large."""
    try:
        float(number)
    except OverflowError:
        return float("inf")
    return number

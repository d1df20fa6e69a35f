"""Characters that a config may not hold, because no file and no page can hold them.

Half a character (a lone surrogate) is no Unicode text, and NUL ends a file's name. YAML keeps both
out of its text, but its escapes, an environment variable and a command line can bring them in.
"""

from __future__ import annotations

import re

_UNFIT = re.compile("[\x00\ud800-\udfff]")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def whole(text: str) -> str:
    r"""The text with pairs of halves joined, as JSON writes what is beyond U+FFFF.

    >>> whole("\ud83d\ude00") == "\U0001f600"
    True
    """
    return _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)


def unfit(text: str) -> str:
    r"""Which character of a text may not stand in a config; empty if all may.

    >>> unfit("a\0")
    'U+0000'
    """
    found = _UNFIT.search(text)
    return f"U+{ord(found[0]):04X}" if found else ""

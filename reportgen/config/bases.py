"""Files that `extends` names: configs, of which an error may quote the text, and no others.

A config may come from somebody else and name any file that its reader can open. Of a file that is
no config an error tells where it is wrong, and none of its words.
"""

from __future__ import annotations

import re

from reportgen.config.faults import Faults
from reportgen.config.schema import Config
from reportgen.config.yaml.opening import Unreadable
from reportgen.config.yaml.parsing import decode, parse
from reportgen.config.yaml.tree import ConfigSource, MappingNode
from reportgen.errors import ConfigError

KEYS = frozenset((*Config.model_fields, "extends"))
_KEY = re.compile(r"""^["']?([^\s"':#][^"':]*)["']?\s*:(?:\s|$)""", re.MULTILINE)
_NO_CONFIG = "the file is no config: most of its keys are none of this language"


def base_table(data: bytes, source: ConfigSource, faults: Faults, before: int) -> MappingNode:
    """The keys of a base; Unreadable if it is no config, its problems told if it is a broken one.

    `before` is how many values the files read so far have.
    """
    own = Faults()
    try:
        text = decode(data, source, own)
        tree = parse(text, source, own, before)
    except ConfigError:
        found = _KEY.findall(data.decode("utf-8", "replace"))
        if not found or not _are_ours(found):
            raise Unreadable(f"the file is no config: {_place(own)} it is no YAML") from None
        faults.found |= own.found
        raise faults.error() from None
    if not isinstance(tree, MappingNode):
        raise Unreadable("the file is no config: it holds no map of keys")
    if not _are_ours([key for key in tree.entries if not key.startswith("x-")]):
        raise Unreadable(_NO_CONFIG)
    faults.found |= own.found
    return tree


def _are_ours(keys: list[str]) -> bool:
    """Whether most keys are those of a config; a file of none, or of `x-` keys alone, is one."""
    return 2 * len(KEYS.intersection(keys)) > len(keys) or not keys


def _place(own: Faults) -> str:
    mark = min((mark for mark, _ in own.found), key=lambda each: each.order)
    return f"at line {mark.line}" if mark.line else "there"

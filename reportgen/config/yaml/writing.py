"""Plain values as YAML, for a reader and for the next run."""

from __future__ import annotations

from collections.abc import Mapping

import yaml


class _Dumper(yaml.SafeDumper):
    """As the safe one, without anchors for what occurs twice."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def as_yaml(value: Mapping[str, object]) -> str:
    r"""A map as YAML, its keys in their order.

    >>> as_yaml({"task": "regression", "curves": []})
    'task: regression\ncurves: []\n'
    """
    return yaml.dump(dict(value), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)

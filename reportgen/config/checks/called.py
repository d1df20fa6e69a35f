"""Rows whose class is known where a model calls them: what can be found of them, and how."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.config.faults import Faults
from reportgen.config.schema import Config
from reportgen.config.vocabulary import Vocabulary
from reportgen.config.yaml.tree import MappingNode, key_mark
from reportgen.errors import Path as At

FOUND = ("precision", "fdr", "called", "caught", "false_alarms")


def check_called(config: Config, tree: MappingNode, words: Vocabulary, faults: Faults) -> None:
    """Only what the classes of called rows tell is asked for, at thresholds that stay."""
    named = [name for name, each in config.datasets.items() if each.labelled == "called"]
    task = words.tasks.get(config.task)
    if not named or task is None:
        return
    at: At = ("datasets", named[0], "labelled")
    if not task.is_of_flags:
        fits = ", ".join(name for name, each in words.tasks.items() if each.is_of_flags)
        faults.add(key_mark(tree, at), f"labelled: called is for task: {fits}; remove it")
        return
    for place, said in (*_unknown(config), *_unsteady(config), *_drawn(config)):
        faults.add(key_mark(tree, place), f"{said} (datasets.{named[0]} has labelled: called)")
    for name in named:
        if config.datasets[name].role == "fit":
            said = "rows that teach a threshold need a class each; labelled: called leaves some out"
            faults.add(key_mark(tree, ("datasets", name, "labelled")), said)


def _unknown(config: Config) -> Iterator[tuple[At, str]]:
    known = ", ".join(FOUND[:-1]) + f" and {FOUND[-1]}"
    for index, use in enumerate(config.metrics):
        if use.name not in FOUND:
            said = f"{use.name} needs the class of every row; called rows tell {known}"
            yield ("metrics", index), said


def _unsteady(config: Config) -> Iterator[tuple[At, str]]:
    """Calls that move with the resamples reach rows whose class nobody looked at."""
    for name, point in config.thresholds.items():
        is_counted = any(x is not None for x in (point.share, point.k, point.budget))
        if is_counted or (point.is_learnt and point.on == "test"):
            said = "calls other rows in each resample, and their class is not known; take fixed"
            yield ("thresholds", name), f"thresholds.{name} {said}"


def _drawn(config: Config) -> Iterator[tuple[At, str]]:
    for index, curve in enumerate(config.curves):
        said = f"the curve {curve.name} needs the class of every row; write curves: []"
        yield ("curves", index), said

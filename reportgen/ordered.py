"""Scores of which a low one says more: turned, so that everywhere a higher one does."""

from __future__ import annotations

from dataclasses import replace

from reportgen.config import Config
from reportgen.data.dataset import LoadedDataset


def turned(config: Config, data: tuple[LoadedDataset, ...]) -> tuple[LoadedDataset, ...]:
    """Every dataset with the scores of such models turned; documents are put in order elsewhere."""
    falling = [name for name, model in config.models.items() if model.order != "descending"]
    return tuple(_turned(each, falling) for each in data) if falling else data


def _turned(data: LoadedDataset, falling: list[str]) -> LoadedDataset:
    sample = data.sample
    if sample.judged is not None:
        return data
    scores = {name: -score if name in falling else score for name, score in sample.scores.items()}
    return replace(data, sample=replace(sample, scores=scores))

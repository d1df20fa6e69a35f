"""Closed lists of words that configs, data, statistics and results share; each stands only here."""

from __future__ import annotations

from typing import Literal

# What the score of a model is, and what a statistic may need of one.
Scale = Literal["amount", "probability", "score", "rank", "label"]
Needs = Literal["order", "amount", "density", "probability", "label", "call"]

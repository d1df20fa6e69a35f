"""Digests (SHA-256, lower hexadecimal digits) of what a report rests on: equal, or not the same."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class DatasetDigests:
    """Of one dataset, as it is used: after joins, filters and sampling, sorted by id.

    `ids` says which rows there are; `rows` also what is known of them but the scores: y, weight,
    cluster, stratum, fold, time. `scores` are those of each model by its name. `design` says which
    resamples were drawn, so that replicate r of two runs is the same draw where it is the same.
    `replicates` names what is kept of the resamples of all rows, by model and metric.
    """

    dataset: str
    ids: str
    rows: str
    scores: dict[str, str]
    design: str = ""
    replicates: dict[str, dict[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Digests:
    """Of the whole run. `decision` is of the config's part that can change an answer, as `rule`.

    `config` is of the whole config with its defaults, `metrics` of the definition of each metric
    by its key, `code` of the sources of what computes, plug-ins among them. A part of the config is
    hashed in its canonical form (RFC 8785).
    """

    decision: str
    config: str
    code: str
    metrics: dict[str, str]
    datasets: tuple[DatasetDigests, ...]

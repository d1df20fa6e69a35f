"""Across datasets: the primary one beside the others, then every metric on each of these."""

from __future__ import annotations

from reportgen.document import Block, Section
from reportgen.results import Results
from reportgen.sections.datasets import overview
from reportgen.sections.index import Index
from reportgen.sections.scores import over_datasets
from reportgen.sections.scores.scores import tables


def section(results: Results) -> Section | None:
    """None where models are judged on one dataset only, whose rows are no datasets."""
    index = Index(results)
    table = overview(index)
    blocks: list[Block] = over_datasets.blocks(index)
    if table is not None:
        blocks.append(table)
    if not blocks:
        return None
    for dataset in index.tests[1:]:
        blocks += tables(index, dataset)
    return Section("across", "Across datasets", tuple(blocks))

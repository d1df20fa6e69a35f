"""Which models these are: versions, owners, artifacts, and what they were trained on."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen import wording
from reportgen.document import Cell, Phrase, Table, TableColumn, phrase
from reportgen.results import DatasetInfo, ModelInfo, Results

_NOT_SAID = "not stated"
_UNTOLD = "how many of the rows judged here are among them is not told, as few are or few are not"


def table(results: Results) -> list[Table]:
    """A row for each model; nothing where the config says no more of any than its scores."""
    if not any(each.version or each.owner or each.artifact for each in results.models):
        return []
    columns = ("Model", "Version", "Owner", "Artifact", "SHA-256 of the artifact")
    return [Table(
        "provenance-models",
        "The models, as the config states them; artifacts were not opened.",
        tuple(TableColumn(title, is_numeric=False) for title in columns),
        tuple(_row(each) for each in results.models),
    )]  # fmt: skip


def _row(model: ModelInfo) -> tuple[Cell, ...]:
    made = model.artifact
    told = (
        model.version,
        model.owner,
        None if made is None else made.uri,
        None if made is None else made.sha256,
    )
    return (
        Cell(wording.name(model.label, 40), note=model.role),
        *(Cell(wording.name(each, 200) if each else _NOT_SAID) for each in told),
    )


def training(results: Results, dataset: DatasetInfo) -> Iterator[Phrase]:
    """How many rows of a dataset each model was trained on, where that can be told."""
    for model in results.models:
        known = model.trained_on
        if known is None or dataset.role != "test":
            continue
        files = wording.listed([wording.name(each.path, 60) for each in known.files], 3)
        head = f"{wording.name(model.label, 40)} was trained on {wording.count(known.ids, 'id')}"
        shared = known.shared.get(dataset.name)
        said = _UNTOLD if dataset.name in known.hidden else _said(shared, dataset)
        yield phrase(f"{head} ({files}); {said}.")


def _said(shared: int | None, dataset: DatasetInfo) -> str:
    if shared is None:
        rows = wording.name(dataset.case[1])
        return f"whether any of these {rows} are among them cannot be told, as they have no ids"
    of = wording.count(dataset.n, *dataset.case)
    if not shared:
        return f"none of these {of} is among them"
    verb = "is" if shared == 1 else "are"
    return f"{wording.count(shared)} of these {of} {verb} among them"

"""The first config of tables whose rows are documents of queries, with scores or without.

Columns are known by their names: the query, the document, its grade, the scores.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from reportgen.config import Named, is_score, model_names
from reportgen.config.starter_lists import RankedDraft, named_runs
from reportgen.data.files.opening import COMPRESSIONS, FORMATS
from reportgen.data.peek import Seen, peek
from reportgen.errors import ConfigError, DataError, UsageError
from reportgen.text import quoted

_OF = r"(_?(id|nr|no|number))?$"
QUERY = re.compile(rf"^(query|topic|search){_OF}|^qid$", re.IGNORECASE)
DOCUMENT = re.compile(
    rf"^(doc|document|item|product|passage|result){_OF}|^(docid|docno|pid)$", re.IGNORECASE
)
GRADE = re.compile(r"^(rel|relevance|relevant|grade|label|judge?ment|gain)s?$", re.IGNORECASE)
SCORE = re.compile(r"^(score|sim|similarity)s?$", re.IGNORECASE)
MOST_GRADES = 10


def is_table(path: Path) -> bool:
    """Whether a name is that of a table."""
    suffixes = [each for each in path.suffixes[-2:] if each not in COMPRESSIONS]
    return bool(suffixes) and suffixes[-1] in FORMATS


def table_of_documents(path: Path, named: Named) -> tuple[Seen, ...]:
    """The columns of a table of graded documents; nothing of another file."""
    columns = _columns(path)
    found = _names(columns, named.target)
    query = next((each for each in columns if each.name == found.get("query")), None)
    is_one = query is not None and "target" in found and not query.is_key
    return columns if is_one else ()


def drafted_table(file: Path, columns: Sequence[Seen], named: Named) -> RankedDraft:
    """What a first config says of a table: its columns are models, or other tables are runs."""
    names = _names(columns, named.target)
    numbers = [c.name for c in columns if c.kind == "number" and c.name not in names.values()]
    scores = [name for name in numbers if (name in named.models if named.models
                                           else is_score(name) or SCORE.match(name))]  # fmt: skip
    missing = [name for name in named.models if name not in scores]
    if scores and missing:
        raise UsageError(f"--models: {file.name} has no column of numbers {quoted(missing[0])}")
    labels = _labels(file, columns, names["target"])
    guessed = [f"{key} {quoted(name)}" for key, name in names.items() if name != named.target]
    said = [f"guessed by their names: {', '.join(guessed)}"]
    if labels:
        said.append("guessed: labels are grades in this order; look at `grades`")
    if scores:
        return RankedDraft({"path": str(file)}, model_names(scores), "", tuple(said), names, labels)
    runs = _runs(file, names, named.models)
    if not named.models:
        said.append(found_beside(len(runs), "run"))
    score = next(name for name in map(_score, map(Path, runs.values())) if name is not None)
    return RankedDraft({"qrels": str(file)}, runs, "", tuple(said), {**names, "column": score},
                       labels)  # fmt: skip


def found_beside(number: int, what: str, more: str = "") -> str:
    """What is said of files that nobody named."""
    return f"found beside it: {number} {what}{'s' * (number != 1)}{more}"


def _runs(file: Path, names: Mapping[str, str], named: Sequence[str]) -> dict[str, str]:
    """Tables with the same query and document, and a score, by the names of models."""
    wanted = {names["query"], names.get("id", "")}
    beside = sorted(each for each in file.parent.iterdir() if each != file and is_table(each))
    paths = [Path(each) for each in named] or beside
    found = [str(path) for path in paths if wanted <= {c.name for c in _columns(path)}
             and _score(path) is not None]  # fmt: skip
    if not found or len(found) < len(named):
        raise UsageError(
            f"{file}: no column is called a score, and there is no table beside it with "
            f"{' and '.join(sorted(map(quoted, wanted - {''})))} and a column 'score'; name the "
            "columns of scores, or the runs, by --models"
        )
    return named_runs(found)


def _score(path: Path) -> str | None:
    """The column of scores in a run that is a table."""
    return _named([c for c in _columns(path) if c.kind == "number"], SCORE)


def _columns(path: Path) -> tuple[Seen, ...]:
    """What each column of a table holds; nothing of what is no table."""
    try:
        return peek(str(path)) if is_table(path) else ()
    except (ConfigError, DataError):
        return ()


def _names(columns: Sequence[Seen], target: str | None) -> dict[str, str]:
    """The columns of the query, the document and the grade, as far as their names tell."""
    known = {c.name for c in columns}
    found = {
        "query": _named(columns, QUERY),
        "id": _named(columns, DOCUMENT),
        "target": target if target in known else _named(columns, GRADE),
    }
    return {key: name for key, name in found.items() if name is not None}


def _labels(file: Path, columns: Sequence[Seen], target: str) -> tuple[str, ...]:
    """The labels that grades are written as; nothing where they are numbers."""
    column = next(c for c in columns if c.name == target)
    if column.kind == "number":
        return ()
    if not 0 < len(column.values) <= MOST_GRADES:
        raise UsageError(f"{file}: column {quoted(target)} holds texts that are no grades; name "
                         "the column of grades by --target")  # fmt: skip
    return column.values


def _named(columns: Sequence[Seen], pattern: re.Pattern[str]) -> str | None:
    return next((column.name for column in columns if pattern.match(column.name)), None)

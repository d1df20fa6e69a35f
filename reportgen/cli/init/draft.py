"""Draft a first config from a data file, judgements or tables of documents."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, replace
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Literal

import numpy as np
from scipy import stats

from reportgen.cli.init.answers import draft_answers_config, find_answers
from reportgen.cli.init.guess_classes import EACH
from reportgen.cli.init.guess_columns import (
    LEARNERS,
    MOST_SEGMENTS,
    OUTCOMES,
    SEGMENT_VALUES,
    UNITS,
    ColumnGuess,
    GuessedColumn,
    UserChoices,
    guess_columns,
    is_score_name,
    join_names,
    mark_unnormalized,
    shorten_model_names,
)
from reportgen.cli.init.template import (
    SCHEMA_LINE,
    SCHEMA_NAME,
    RankedDraft,
    format_lists_config,
    format_table_config,
    guess_baseline_run,
    name_runs,
)
from reportgen.cli.messages import iter_check_messages
from reportgen.data.arrow import encode_texts
from reportgen.data.codes import is_iso_time
from reportgen.data.files.list_files import LETOR, QRELS, RUN, SCORES, SIZES
from reportgen.data.files.source import COMPRESSIONS, FORMATS, open_source
from reportgen.data.number_styles import MISSING_WORDS
from reportgen.data.requests import TableRequest
from reportgen.data.table import FileTable, has_decimal_comma, parse_flag
from reportgen.data.targets import sort_class_values
from reportgen.errors import ConfigError, DataError, ReportgenError, UsageError
from reportgen.kernels.batch import Vector
from reportgen.paths import open_regular
from reportgen.planning.files import varies_within_items
from reportgen.planning.input_checks import run_input_checks
from reportgen.planning.loading import build_vocabulary, dump_config_schema, load_config
from reportgen.planning.requests import read_data
from reportgen.records import record
from reportgen.report.publish import build_write_error
from reportgen.text import quote

_OF = r"(_?(id|nr|no|number))?$"
QUERY = re.compile(rf"^(query|topic|search){_OF}|^qid$", re.IGNORECASE)
DOCUMENT = re.compile(
    rf"^(doc|document|item|product|passage|result){_OF}|^(docid|docno|pid)$", re.IGNORECASE
)
NAMED = re.compile(r".+_id$", re.IGNORECASE)
GRADES = range(2, 9)
"""How many whole numbers may be grades of documents."""
GRADE = re.compile(r"^(rel|relevance|relevant|grade|label|judge?ment|gain)s?$", re.IGNORECASE)
SCORE = re.compile(r"^(score|sim|similarity)s?$", re.IGNORECASE)
RANK = re.compile(r"^(rank|position)$", re.IGNORECASE)
MOST_GRADES = 10
MOST_VALUES = 100
Kind = Literal["number", "text", "decimal comma", "list"]


@record
class ColumnPreview:
    """Summary of what a column holds: how many distinct values, how many missing ones.

    `is_key` says that each row has a value of its own, and none that is half a number; `is_flag`
    that it holds 1 and 0, or true and false, and nothing else; `is_share` numbers from 0 to 1.
    `values` are the different ones, numbers by their size and texts by letters, if they are few.
    `is_time` says that all texts are dates or times of ISO 8601.
    """

    name: str
    kind: Kind
    distinct: int
    missing: int
    is_key: bool
    is_flag: bool = False
    is_share: bool = False
    values: tuple[str, ...] = ()
    is_time: bool = False


def preview_columns(path: str) -> tuple[ColumnPreview, ...]:
    """Preview each column of a file, in the order of the file."""
    source = open_source(TableRequest(path, path))
    names = list(source.single)
    if not names:
        raise DataError(f"{Path(path).name}: line 1 names no columns; write their names there")
    table = source.read(set(names), set())
    return tuple(_inspect_column(table, name) for name in names)


@record
class TableNumbers:
    """Measures of the columns of a file, read when they are needed."""

    path: str

    def read(self, *names: str) -> list[Vector]:
        """Read columns of numbers; two values of a column of texts are 0 and 1."""
        table = open_source(TableRequest(self.path, self.path)).read(set(names), set())
        return [
            table.numbers(name)
            if table.holds_numbers(name)
            else encode_texts(table.texts(name))[1].astype(np.float64)
            for name in names
        ]

    def correlate(self, one: str, other: str) -> float:
        """Return the size of the rank correlation of two columns; 0 where it is undefined."""
        a, b = self.read(one, other)
        known = np.isfinite(a) & np.isfinite(b)
        if known.sum() < 3 or np.ptp(a[known]) == 0 or np.ptp(b[known]) == 0:
            return 0.0
        return abs(float(stats.spearmanr(a[known], b[known]).statistic))

    def are_logarithms(self, target: str, score: str) -> bool:
        """Return whether scores are near to the logarithms of a target, and far from itself."""
        y, given = self.read(target, score)
        known = np.isfinite(y) & np.isfinite(given)
        y, given = y[known], given[known]
        if not len(y) or (y <= 0).any():
            return False
        apart = float(np.median(np.abs(np.log(y) - given)))
        return 10 * apart < min(float(np.median(np.abs(y - given))), 10.0)

    def measure_sum(self, columns: Sequence[str]) -> float:
        """Return how far the sum of columns is from 1 at most, over all rows."""
        return farthest_sum_from_one(self.path, {"": columns}).get("", np.inf)

    def measure_target(self, target: str) -> float:
        """Return the median size of a target."""
        (y,) = self.read(target)
        return float(np.nanmedian(np.abs(y)))


def farthest_sum_from_one(path: str, groups: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Return how far the sum of some columns is from 1 at most, over all rows.

    Rows that lack a value are left out, and so are groups with a column that holds no numbers.
    """
    names = {column for columns in groups.values() for column in columns}
    table = open_source(TableRequest(path, path)).read(names, set())
    found = {}
    for name, columns in groups.items():
        if all(table.holds_numbers(column) for column in columns):
            total = np.sum([table.probabilities(column) for column in columns], axis=0)
            found[name] = float(np.nanmax(np.abs(total - 1), initial=0.0))
    return found


def _inspect_column(table: FileTable, name: str) -> ColumnPreview:
    if table.is_nested(name):
        return ColumnPreview(name, "list", 0, 0, False)
    labels, code = encode_texts(table.texts(name))
    kind: Kind = "number" if table.holds_numbers(name) else "text"
    if kind == "text" and labels and all(map(has_decimal_comma, labels)):
        kind = "decimal comma"
    absent = {k for k, label in enumerate(labels) if kind == "number" and label in MISSING_WORDS}
    missing = int(sum(place < 0 or place in absent for place in code.tolist()))
    distinct = len(labels) - len(absent)
    numbers = table.numbers(name) if kind == "number" else np.zeros(0)
    numbers = numbers[~np.isnan(numbers)]
    # An amount may differ in every row, and names none.
    is_key = distinct == table.rows and not table.is_of_floats(name)
    is_key = is_key and bool((numbers % 1 == 0).all())
    held = {parse_flag(label) for label in labels if label not in MISSING_WORDS}
    is_share = kind == "number" and bool(((numbers >= 0) & (numbers <= 1)).all())
    texts = tuple(label for label in labels if kind != "number" or label not in MISSING_WORDS)
    values = tuple(sort_class_values(texts)) if len(texts) <= MOST_VALUES else ()
    is_time = kind == "text" and bool(labels) and all(map(is_iso_time, labels))
    return ColumnPreview(
        name, kind, distinct, missing, is_key, held == {0.0, 1.0}, is_share, values, is_time
    )


def is_table_name(path: Path) -> bool:
    """Return whether a name is that of a table."""
    suffixes = [each for each in path.suffixes[-2:] if each not in COMPRESSIONS]
    return bool(suffixes) and suffixes[-1] in FORMATS


def preview_document_table(path: Path, named: UserChoices) -> tuple[ColumnPreview, ...]:
    """Return the columns of a table of graded documents; empty for any other file."""
    columns = _list_columns(path)
    found = _find_ranking_columns(columns, named.target)
    query = next((each for each in columns if each.name == found.get("query")), None)
    is_one = query is not None and "target" in found and not query.is_key
    if is_one and UNITS.search(found["query"]) and not _has_distinct_pairs(path, found):
        return ()
    return columns if is_one else ()


def _has_distinct_pairs(path: Path, names: Mapping[str, str]) -> bool:
    """Return whether no unit has a document twice, and each has several."""
    columns = {names["query"], names["id"]}
    table = open_source(TableRequest(str(path), str(path))).read(columns, set())
    (_, unit), (labels, document) = (
        encode_texts(table.texts(names[key])) for key in ("query", "id")
    )
    pairs = unit.astype(np.int64) * len(labels) + document
    return len(np.unique(pairs)) == table.rows and int(np.bincount(unit).min()) > 1


def draft_table(file: Path, columns: Sequence[ColumnPreview], named: UserChoices) -> RankedDraft:
    """Draft a first config for a table: its columns are models, or other tables are runs."""
    names = _find_ranking_columns(columns, named.target)
    numbers = [c.name for c in columns if c.kind == "number" and c.name not in names.values()]
    scores = [
        name
        for name in numbers
        if (
            name in named.models
            if named.models
            else is_score_name(name) or SCORE.match(name) or LEARNERS.match(name)
        )
    ]
    missing = [name for name in named.models if name not in scores]
    if scores and missing:
        raise UsageError(f"--models: {file.name} has no column of numbers {quote(missing[0])}")
    labels = _list_labels(file, columns, names["target"])
    guessed = [f"{key} {quote(name)}" for key, name in names.items() if name != named.target]
    said = [f"guessed by their names: {', '.join(guessed)}"]
    if UNITS.search(names["query"]):
        said.append(
            f"each {quote(names['query'])} has rows for several {quote(names['id'])}: task "
            "ranking, since its rows are not independent"
        )
    if labels:
        said.append("guessed: labels are grades in this order; look at `grades`")
    free = [c for c in columns if c.name not in (*names.values(), *scores)]
    segments = _find_query_segments(file, names["query"], free) if scores else ()
    if segments:
        said.append(
            f"guessed for their few values, one for each query: segments by {join_names(segments)}"
        )
    if unused := [c.name for c in free if c.name not in segments]:
        said.append(f"left out: {join_names(unused)} (neither query, document, grade nor score)")
    if scores:
        models = shorten_model_names(scores)
        return RankedDraft(
            {"path": str(file)}, models, "", tuple(said), names, labels, segments=segments
        )
    runs = _collect_runs(file, names, named.models)
    if not named.models:
        said.append(describe_neighbors(len(runs), "run"))
    score = next(
        name for name in map(_find_score_column, map(Path, runs.values())) if name is not None
    )
    if is_ranked := bool(RANK.match(score)):
        said.append(f"guessed: {quote(score)} is 1 for the first document (order: ascending)")
    names = {**names, "column": score}
    return RankedDraft({"qrels": str(file)}, runs, "", tuple(said), names, labels, is_ranked)


def _find_query_segments(
    file: Path, query: str, columns: Sequence[ColumnPreview]
) -> tuple[str, ...]:
    """Find columns of texts with few values, each query having one."""
    few = [c.name for c in columns if c.kind == "text" and c.distinct in SEGMENT_VALUES]
    table = open_source(TableRequest(str(file), str(file))).read({query, *few}, set())
    codes = {name: encode_texts(table.texts(name))[1].astype(np.int64) for name in (query, *few)}
    return tuple(
        name
        for name in few
        if not varies_within_items(codes[name].astype(np.float64), codes[query])
    )[:MOST_SEGMENTS]


def describe_neighbors(number: int, what: str, more: str = "") -> str:
    """Describe the files that were found without being named."""
    return f"found next to it: {number} {what}{'s' * (number != 1)}{more}"


def _collect_runs(file: Path, names: Mapping[str, str], named: Sequence[str]) -> dict[str, str]:
    """Tables with the same query and document, and a score, by the names of models."""
    wanted = {names["query"], names.get("id", "")}
    neighbours = sorted(
        each for each in file.parent.iterdir() if each != file and is_table_name(each)
    )
    paths = [Path(each) for each in named] or neighbours
    found = [
        str(path)
        for path in paths
        if wanted <= {c.name for c in _list_columns(path)} and _find_score_column(path) is not None
    ]
    if not found or len(found) < len(named):
        raise UsageError(
            f"{file}: no column is called a score, and there is no table next to it with "
            f"{' and '.join(sorted(map(quote, wanted - {''})))} and a column 'score' or 'rank'; "
            "name the columns of scores, or the runs, by --models"
        )
    return name_runs(found)


def _find_score_column(path: Path) -> str | None:
    """Find the column of scores in a run that is a table, or else that of ranks."""
    numbers = [c for c in _list_columns(path) if c.kind == "number"]
    return _find_column_like(numbers, SCORE) or _find_column_like(numbers, RANK)


def _list_columns(path: Path) -> tuple[ColumnPreview, ...]:
    """List what each column of a table holds; empty for a file that is no table."""
    try:
        every = preview_columns(str(path)) if is_table_name(path) else ()
        return tuple(each for each in every if each.kind != "list")
    except (ConfigError, DataError):
        return ()


def _find_ranking_columns(columns: Sequence[ColumnPreview], target: str | None) -> dict[str, str]:
    """Find the columns of the query, the document and the grade, as far as their names say."""
    known = {c.name for c in columns}
    query, document = (_find_column_like(columns, each) for each in (QUERY, DOCUMENT))
    graded = [c for c in columns if c.kind == "number" and len(c.values) in GRADES]
    grade = _find_column_like(columns, GRADE)
    if query is not None or document is not None:
        grade = grade or _find_column_like(graded, OUTCOMES)
    if query is None and document is not None:
        query = _find_column_like(columns, UNITS)
    if query is not None and document is None:
        free = [c for c in columns if c.name not in (query, grade, target)]
        document = _find_column_like(free, NAMED)
    found = {
        "query": query,
        "id": document,
        "target": target if target in known else grade,
    }
    return {key: name for key, name in found.items() if name is not None}


def _list_labels(file: Path, columns: Sequence[ColumnPreview], target: str) -> tuple[str, ...]:
    """List the labels that grades are written as; empty where grades are numbers."""
    column = next(c for c in columns if c.name == target)
    if column.kind == "number":
        return ()
    if not 0 < len(column.values) <= MOST_GRADES:
        raise UsageError(
            f"{file}: column {quote(target)} holds texts that are no grades; name "
            "the column of grades by --target"
        )
    return column.values


def _find_column_like(columns: Sequence[ColumnPreview], pattern: re.Pattern[str]) -> str | None:
    return next((column.name for column in columns if pattern.match(column.name)), None)


JUDGED = ".qrels"
PREVIEWED_LINES = 1 << 16  # bytes in which the first line is looked for
RUNS = ("*.run", "*.run.gz", "*.run.zst")
PREDICTED = ("*.pred", "*.preds", "*.prediction", "*.predictions", "*.score", "*.scores")
QRELS_LINE = re.compile(rb"\s*\S+\s+\S+\s+\S+\s+-?\d+(\.\d+)?\s*$")
RUN_LINE = re.compile(rb"\s*(\S+\s+){4}[-+]?[\d.]+([eE][-+]?\d+)?\s+\S+\s*$")
LETOR_LINE = re.compile(rb"\s*\S+\s+(qid:\S+|\d+:\S+)(\s+\d+:|\s*#|\s*$)")
DraftedFiles = tuple[
    dict[str, str], dict[str, str], list[str]
]  # files by key, models, what is said
SIZES_OF = (".query", ".group", ".groups")
FOLDERS = (".", "runs")


def is_judgement_file(path: Path) -> bool:
    """Return whether a file is one of judgements by its name, or of documents by its first line."""
    return _is_judgements(path) or _is_letor(path)


def _is_judgements(path: Path) -> bool:
    """Tell judgements by a file's name, or by the four fields of its first line."""
    name = PurePath(path.name)
    suffix = (name if name.suffix not in COMPRESSIONS else PurePath(name.stem)).suffix
    return suffix == JUDGED or _has_first_line_like(path, QRELS_LINE)


def _has_first_line_like(path: Path, pattern: re.Pattern[bytes]) -> bool:
    """Return whether the first line of what is no table by its name is as TREC writes it."""
    return not is_table_name(path) and pattern.match(_first_line(path)) is not None


def _first_line(path: Path) -> bytes:
    try:
        with open_regular(path) as file:
            lines = file.read(PREVIEWED_LINES).splitlines()
    except OSError:
        return b""
    return next((line for line in lines if line.strip() and line[:1] != b"#"), b"")


def _is_letor(path: Path) -> bool:
    """Return whether the first line is a grade, and then a query or a feature with its number."""
    return LETOR_LINE.match(_first_line(path)) is not None


def draft_lists_config(
    file: Path, named: UserChoices, out: Path | None
) -> tuple[str, tuple[str, ...]]:
    """Return the text of a config, to be written to `out`, and the messages about it."""
    if named.target is not None:
        raise UsageError("--target: the grade stands on each line of the file; leave it out")
    look = _draft_trec_files if _is_judgements(file) else _draft_letor_files
    files, models, said = look(file, [*dict.fromkeys(named.models)])
    baseline = guess_baseline_run(models, named.baseline)
    if named.baseline is None and len(models) > 1:
        said.append(f"guessed: baseline {quote(baseline)}")
    return _format_ranked_draft(RankedDraft(files, models, baseline, tuple(said)), out)


def draft_documents_config(
    file: Path, columns: Sequence[ColumnPreview], named: UserChoices, out: Path | None
) -> tuple[str, tuple[str, ...]]:
    """Return the config text for a table of graded documents, and the messages about it."""
    found = draft_table(file, columns, named)
    baseline, said = guess_baseline_run(found.runs, named.baseline), found.said
    if named.baseline is None and len(found.runs) > 1:
        said = (*said, f"guessed: baseline {quote(baseline)}")
    return _format_ranked_draft(replace(found, baseline=baseline, said=said), out)


def _format_ranked_draft(found: RankedDraft, out: Path | None) -> tuple[str, tuple[str, ...]]:
    """Return the config text, with paths relative to the folder of `out`, and its messages."""
    base = out.parent if out else None
    files = {key: os.path.relpath(path, base) for key, path in found.judgements.items()}
    runs = dict(found.runs)
    if "path" not in files:
        runs = {name: os.path.relpath(path, base) for name, path in runs.items()}
    return format_lists_config(replace(found, judgements=files, runs=runs)), found.said


def _draft_trec_files(file: Path, named: list[str]) -> DraftedFiles:
    """Find judgements and their runs."""
    paths = (
        named
        or _list_files_beside(file, RUNS)
        or [
            str(path)
            for path in sorted(file.parent.iterdir())
            if path != file and path.is_file() and _has_first_line_like(path, RUN_LINE)
        ]
    )
    if not paths:
        raise UsageError(
            f"{file}: found no run next to it or in a folder `runs`; name them, such as "
            "--models runs/bm25.run,runs/dense.run"
        )
    judged = _read_list_file(str(file), QRELS)
    queries = set(encode_texts(judged.texts("query"))[0])
    read = {path: _read_list_file(path, RUN) for path in paths}
    fitting = [
        path for path in paths if named or queries & set(encode_texts(read[path].texts("query"))[0])
    ]
    runs = name_runs(fitting or paths)
    said = [_describe_judgements(judged, len(queries))]
    said += [_describe_run(name, read[path], queries) for name, path in runs.items()]
    said += _describe_repeats([judged, *(read[path] for path in runs.values())])
    said += [] if named else [describe_neighbors(len(runs), "run")]
    return {"qrels": str(file)}, runs, said


def _draft_letor_files(file: Path, named: list[str]) -> DraftedFiles:
    """Find documents with their grades, and files with a score for each."""
    source = open_source(TableRequest(str(file), str(file), fields=LETOR))
    table = source.read(set(source.names), set())
    files = {"letor": str(file)}
    if "query" in source.names:
        queries = len(encode_texts(table.texts("query"))[0])
    else:
        files["groups"] = str(_find_sizes_file(file))
        queries = _read_list_file(files["groups"], SIZES).rows
    rows = {
        path: _read_list_file(path, SCORES).rows
        for path in named or _list_files_beside(file, PREDICTED)
    }
    fitting = [path for path in rows if named or rows[path] == table.rows]
    if not fitting:
        raise UsageError(
            f"{file}: there is no file with a score for each of its {table.rows:,} documents "
            "beside it; name them, such as --models old.pred,new.pred"
        )
    models = name_runs(fitting)
    said = [_describe_judgements(table, queries)]
    said += [f"scores {quote(name)}: {rows[path]:,} lines" for name, path in models.items()]
    said += [] if named else [describe_neighbors(len(fitting), "file", " of as many scores")]
    return files, models, said


def _find_sizes_file(file: Path) -> Path:
    """Find the file next to this one that says how many documents each query has."""
    neighbours = [
        p for end in SIZES_OF for p in (file.with_name(file.name + end), file.with_suffix(end))
    ]
    for path in neighbours:
        if path.exists():
            return path
    raise UsageError(
        f"{file}: its lines name no query (qid:…), and there is no {neighbours[0].name} beside it "
        "with how many documents each query has"
    )


def _read_list_file(path: str, fields: tuple[str, ...]) -> FileTable:
    columns = {*fields} & {"query", "document", "grade", "score", "documents"}
    return open_source(TableRequest(path, path, fields=fields)).read(columns, set())


def _list_files_beside(file: Path, patterns: tuple[str, ...]) -> list[str]:
    found = (
        path
        for folder in FOLDERS
        for pattern in patterns
        for path in (file.parent / folder).glob(pattern)
    )
    return sorted(map(str, found))


def _describe_repeats(tables: Sequence[FileTable]) -> list[str]:
    """Describe the files that name a document of a query again, which a run refuses."""
    said = []
    for table in tables:
        (_, query), (labels, document) = (
            encode_texts(table.texts(n)) for n in ("query", "document")
        )
        named = (query >= 0) & (document >= 0)
        key = query[named].astype(np.int64) * len(labels) + document[named]
        again = len(key) - len(np.unique(key))
        if again:
            what = "line names" if again == 1 else "lines name"
            said.append(
                f"{table.shown}: {again:,} {what} a document that its query has already; keep one "
                "line of each before `run`"
            )
    return said


def _describe_judgements(table: FileTable, queries: int) -> str:
    labels = sort_class_values(encode_texts(table.texts("grade"))[0])
    shown = ", ".join(map(quote, labels[:6])) + (" …" if len(labels) > 6 else "")
    return f"judgements: {table.rows:,} documents of {queries:,} queries; grades {shown}"


def _describe_run(name: str, table: FileTable, judged: set[str]) -> str:
    labels, code = encode_texts(table.texts("query"))
    deep = int(np.bincount(code[code >= 0]).max(initial=0))
    known = len(judged & set(labels))
    return f"run {quote(name)}: answers {known:,} of {len(judged):,} judged queries, {deep:,} deep"


def draft_config(scores: Path, named: UserChoices, out: Path | None) -> tuple[str, tuple[str, ...]]:
    """Return the text of a config, to be written to `out`, and the messages about it."""
    if answers := find_answers(scores):
        return draft_answers_config(scores, answers, named, out)
    if is_judgement_file(scores):
        return draft_lists_config(scores, named, out)
    if documents := preview_document_table(scores, named):
        return draft_documents_config(scores, documents, named, out)
    columns = [GuessedColumn(**asdict(seen)) for seen in preview_columns(str(scores))]
    found = guess_columns(columns, named, TableNumbers(str(scores)))
    if found.has_classes:
        found = mark_unnormalized(
            found, farthest_sum_from_one(str(scores), _list_class_columns(found, columns))
        )
    shown = os.path.relpath(scores, out.parent if out else None)
    return format_table_config(found, shown, build_vocabulary()), found.said


def check_draft(scores: Path, named: UserChoices) -> list[str]:
    """Check the input as a run of the drafted config would; nothing where it cannot be read yet."""
    with TemporaryDirectory() as folder, ExitStack() as stack, suppress(ReportgenError):
        config = Path(folder, "draft.yaml")
        config.write_text(draft_config(scores.absolute(), named, config)[0], encoding="utf-8")
        loaded = load_config(config, (), False, stack)
        data = read_data(loaded)
        checks = run_input_checks(loaded.config, data)
        return list(iter_check_messages(loaded.config, data, checks))
    return []


def _list_class_columns(
    found: ColumnGuess, columns: Sequence[GuessedColumn]
) -> dict[str, list[str]]:
    """Return the columns of each model that has one for each class."""
    if found.positions:
        return {name: [*each.values()] for name, each in found.positions.items()}
    values = next(each.values for each in columns if each.name == found.target)
    return {
        name: [pattern.replace(EACH, value) for value in values]
        for name, pattern in found.models.items()
        if EACH in pattern
    }


def write_draft(text: str, out: Path, *, has_schema: bool) -> tuple[Path, ...]:
    """Write a config, with the schema that it points an editor to if asked; the files made.

    A schema that is there already stays: it may be of another version, for other configs.
    """
    schema = out.with_name(SCHEMA_NAME)
    _write(SCHEMA_LINE + text if has_schema or schema.exists() else text, out)
    if not has_schema or schema.exists():
        return (out,)
    _write(dump_config_schema(), schema)
    return out, schema


def _write(text: str, path: Path) -> None:
    try:
        with path.open("xb") as file:
            try:
                file.write(text.encode())
                file.flush()
            except BaseException:
                path.unlink()  # leave no part of a config
                raise
    except FileExistsError:
        raise UsageError(f"{path}: exists already; choose another --out") from None
    except (OSError, ValueError) as error:
        raise build_write_error(path, error) from None

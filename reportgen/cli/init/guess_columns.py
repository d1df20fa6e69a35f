"""Guess what each column of a data file is for, from its name and values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Literal, Protocol

from reportgen.cli.init.guess_classes import (
    EACH,
    find_class_positions,
    find_class_target,
    find_equal_classes,
    find_label_target,
    find_score_tables,
)
from reportgen.errors import UsageError, did_you_mean
from reportgen.planning.guesses import guess_baseline, guess_positive_class
from reportgen.records import record
from reportgen.text import quote

LEARNERS = re.compile(
    r"^(linear|ols|ridge|lasso|elastic_?net|glm|logreg|logistic|lr|rf|(random_?)?forest|tree|gbm|"
    r"gbdt|hgb|boost(ed|ing)?|xgb(oost)?|lgbm|lightgbm|catboost|svm|svr|svc|knn|g?nb|mlp|nn|als|"
    r"bpr|lda|qda|m\d+|"
    r"two_tower|popularity|bm25|tf_?idf|splade|colbert|dense|hybrid|embeddings?|semantic|vector|"
    r"(re_?)?rank(er|ing)?|cross_?encoder|bert|gpt.*|llm.*|arima|ets|theta|prophet|naive|dummy|baseline|"
    r"candidate|old|new|champion|challenger)(_?v?\d+)?$",
    re.IGNORECASE,
)
"""Columns of numbers with these names hold the scores of models."""
OUTCOMES = re.compile(
    r"^(price|cost|sales|revenue|demand|profit|income|consumption|rating|duration|"
    r"(is_)?(fraud|churn(ed)?|default(ed)?|click(ed)?|bought|converted|spam|survived|readmitted))$",
    re.IGNORECASE,
)
"""Names of outcomes, which are asked for where several columns have one."""
UNITS = re.compile(
    r"^(user|customer|client|member|account|patient|person|session|visitor|device|household)"
    r"(_?(id|nr|no|number))?$",
    re.IGNORECASE,
)
TIMES = re.compile(r"^(date|day|time|timestamp|datetime|week|month)$|_(at|date|time|day)$", re.I)
FOLLOWED, AHEAD = 0.4, 1.5
"""The least rank correlation of a target with every score, and how far ahead of the next it is."""
ID_NAMES = re.compile(r"(^|_)(id|uuid|key|number|nr)$|^id_|^row(_?names?)?$", re.IGNORECASE)
FOLD_NAMES = re.compile(r"^((cv|test|outer)_?)?folds?(_?(id|nr|number))?$", re.IGNORECASE)
REPEAT_NAMES = re.compile(r"^(round|repeat|repetition|rep)s?$", re.IGNORECASE)
TARGET_NAMES = re.compile(
    r"^(y|y_.*|(target|actual|observed)s?(_.*)?|.*_(target|actual|observed|true)|label|truth|"
    r"outcome|spend)$",
    re.IGNORECASE,
)
SCORE_FIRST = re.compile(
    r"^(y_)?(score|pred|prediction|predicted|yhat|y_hat|y_pred|model|forecast|estimate|prognose|"
    r"vorhersage)s?([_ .-]|$)",
    re.I,
)
SCORE_LAST = re.compile(
    r"[_ .-](score|pred|prediction|predicted|yhat|y_hat|y_pred|forecast|estimate|proba?|"
    r"probability|prognose|vorhersage)s?$",
    re.IGNORECASE,
)
LETTER = re.compile(r"^[a-z]_(?=[a-z])", re.IGNORECASE)
"""A letter before the name of a model, as in s_bm25; left out where every model has the same."""
PROBABILITY = re.compile(r"^(p|prob|proba|probability)_", re.IGNORECASE)
WEIGHT_NAMES = re.compile(r"^(sample_)?weights?$", re.IGNORECASE)
SEGMENT_VALUES = range(2, 21)
MOST_SEGMENTS = 5
MOST_NAMED = 10
# By how much sums of probabilities are right, are rounded, and are those of no probabilities.
SUMMED, ROUNDED, APART = 1e-6, 0.02, 0.5
MOST_TEXTS = 20  # values of a column of texts that may be what happened


@record
class GuessedColumn:
    """A column of a file: what its values are, how many differ, and how many are missing.

    `is_key` says that each row has a value of its own which may name it, `is_flag` that the values
    are 1 and 0, or true and false; `is_share` that they are numbers from 0 to 1, `is_time` that
    they are dates or times of ISO 8601. `values` are the different ones, if they are few.
    """

    name: str
    kind: Literal["number", "text", "decimal comma", "list"]
    distinct: int = 0
    missing: int = 0
    is_key: bool = False
    is_flag: bool = False
    is_share: bool = False
    values: tuple[str, ...] = ()
    is_time: bool = False


class Numbers(Protocol):
    """What is measured of columns only where their names do not say enough."""

    def correlate(self, one: str, other: str) -> float:
        """Return the size of the rank correlation of two columns; 0 where it is undefined."""

    def are_logarithms(self, target: str, score: str) -> bool:
        """Return whether scores are near to the logarithms of a target, and far from itself."""

    def measure_sum(self, columns: Sequence[str]) -> float:
        """Return how far the sum of columns is from 1 at most, over all rows."""

    def measure_target(self, target: str) -> float:
        """Return the median size of a target."""


@record
class UserChoices:
    """Statements of the user about the columns; empty ones are to be guessed."""

    target: str | None = None
    models: tuple[str, ...] = ()
    baseline: str | None = None


@record
class ColumnGuess:
    """Purpose of each column; `models` are columns by name. `said` tells how it is known.

    `has_classes` says that the target names one of several classes, and models may be patterns of
    columns. `labels` are those that a row may have, where the target is a pattern of columns.
    `is_flag` says that the target is one of two classes, of which `positive` is looked for, None
    where they are 1 and 0; `unsure` are the models whose scores are then no probabilities.
    `unsummed` are models whose probabilities of a row do not sum to 1. Where the columns
    are scores that were computed elsewhere, `is_of_values`, there is no target. `is_unit` says that
    the cluster is a unit such as a user, whose rows are not independent. `logarithms` are models
    whose scores are those of the target, `size` is the median size of that. `positions` are the
    columns of models by class, where their names have the places of the classes.
    """

    target: str
    models: Mapping[str, str]
    baseline: str
    id: str | None
    segments: tuple[str, ...]
    weight: str | None
    cluster: str | None
    lacking: tuple[str, ...]
    left_out: tuple[str, ...]
    is_flag: bool = False
    unsure: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    has_classes: bool = False
    labels: tuple[str, ...] = ()
    positive: str | None = None
    is_positive_said: bool = True
    fold: str | None = None
    repeat: str | None = None
    unsummed: tuple[str, ...] = ()
    is_of_values: bool = False
    time: str | None = None
    is_unit: bool = False
    logarithms: tuple[str, ...] = ()
    size: float | None = None
    positions: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def guess_columns(
    columns: Sequence[GuessedColumn], named: UserChoices, numbers: Numbers | None = None
) -> ColumnGuess:
    """Guess what each column is for; raise UsageError to ask for what the file does not show.

    >>> columns = [GuessedColumn(name, "number") for name in ("y", "score_a", "score_b", "age")]
    >>> found = guess_columns(columns, UserChoices())
    >>> found.target, found.models, found.baseline, found.left_out
    ('y', {'a': 'score_a', 'b': 'score_b'}, 'a', ('age',))
    """
    if (values := find_score_tables(columns, named.models)) and named.target is None:
        return _guess_values(columns, named, *values)
    of_classes = find_class_target(columns, named.target, named.models)
    if of_classes is not None:
        return _guess_classes(columns, named, *of_classes)
    if numbers is not None and not named.models:
        by_place = find_class_positions(columns, named.target)
        every = [list(each.values()) for each in by_place[1].values()] if by_place else []
        if by_place is not None and all(numbers.measure_sum(each) <= ROUNDED for each in every):
            return _guess_classes(columns, named, by_place[0], {}, by_place[1])
    labelled = None if named.models or named.target else find_label_target(columns)
    if labelled is not None:
        return _guess_labels(columns, named, *labelled)
    faults: list[str] = []
    named = replace(named, models=_find_named_models(columns, named.models))
    scores = _list_scores(columns, named, faults)
    target = _pick_target(columns, named, scores, faults, numbers)
    if not scores:
        faults.append(_explain_no_scores(columns, target, named.target is not None))
    if target is None or faults:
        raise UsageError(*faults)
    found = _guess_other_columns(
        columns, target, shorten_model_names(scores), {target, *scores}, named
    )
    of_target = next(c for c in columns if c.name == target)
    is_flag = of_target.is_flag or _is_of_two(of_target)
    if _is_of_two(of_target):
        is_text = of_target.kind == "text"
        positive, is_said = (
            guess_positive_class(of_target.values) if is_text else (of_target.values[-1], False)
        )
        found = replace(found, positive=positive, is_positive_said=is_said)
    shares = {c.name for c in columns if c.is_share}
    unsure = tuple(name for name, column in found.models.items() if column not in shares)
    found = replace(found, is_flag=is_flag, unsure=unsure)
    if numbers is not None and not is_flag:
        logarithms = (n for n, c in found.models.items() if numbers.are_logarithms(target, c))
        found = replace(found, logarithms=tuple(logarithms), size=numbers.measure_target(target))
    notes = (*_iter_guess_notes(found, named), *_iter_score_notes(columns, found))
    return replace(found, said=(*notes, *_iter_unused_notes(found, columns, named)))


def _guess_classes(
    columns: Sequence[GuessedColumn],
    named: UserChoices,
    target: str,
    models: Mapping[str, str],
    positions: Mapping[str, Mapping[str, str]] | None = None,
) -> ColumnGuess:
    """Guess what each column is for where the target names one of several classes."""
    values = next(each.values for each in columns if each.name == target)
    scores = {pattern.replace(EACH, value) for pattern in models.values() for value in values}
    if positions:
        models = {name: f"{name}_0…{len(values) - 1}" for name in positions}
        scores = {column for each in positions.values() for column in each.values()}
    found = replace(
        _guess_other_columns(columns, target, models, {target, *scores}, named),
        has_classes=True,
        positions=positions or {},
    )
    notes = (*_iter_guess_notes(found, named), *_iter_unused_notes(found, columns, named))
    return replace(found, said=notes)


def _guess_values(
    columns: Sequence[GuessedColumn], named: UserChoices, table: str, scores: Sequence[str]
) -> ColumnGuess:
    """Guess what each column is for where a row is a data set with a score of each model."""
    models = shorten_model_names(scores)
    out = tuple(c.name for c in columns if c.name not in (table, *scores))
    lacking = tuple(c.name for c in columns if c.name in scores and c.missing)
    found = ColumnGuess(
        "",
        models,
        _pick_baseline(models, named),
        table,
        (),
        None,
        None,
        lacking,
        out,
        is_of_values=True,
    )
    said = [each for each in _iter_guess_notes(found, named) if "names each row" not in each]
    more = (
        f"guessed: a row is a dataset, named by {quote(table)}, with the score of each model; if "
        "a row is a case, name the target with --target"
    )
    return replace(found, said=(more, *said, *_iter_unused_notes(found, columns, named)))


def mark_unnormalized(found: ColumnGuess, farthest: Mapping[str, float]) -> ColumnGuess:
    """Note in the guess the models whose probabilities of a row do not sum to 1."""
    off = tuple(name for name, by in farthest.items() if SUMMED < by <= APART)
    if not off:
        return found
    far = [by for name, by in farthest.items() if name in off and by > ROUNDED]
    why = (
        f"a sum of 1, by up to {max(far):.2g}: a class may be missing, check why"
        if far
        else ("a sum of 1 by their rounding")
    )
    note = f"probabilities of {join_names(off)} miss {why} (sums: normalise)"
    return replace(found, unsummed=off, said=(*found.said, note))


def _guess_labels(
    columns: Sequence[GuessedColumn],
    named: UserChoices,
    target: str,
    labels: tuple[str, ...],
    models: Mapping[str, str],
) -> ColumnGuess:
    """Guess what each column is for where a row may have several labels."""
    patterns = (target, *models.values())
    used = {pattern.replace(EACH, label) for pattern in patterns for label in labels}
    found = replace(_guess_other_columns(columns, target, models, used, named), labels=labels)
    notes = (*_iter_guess_notes(found, named), *_iter_unused_notes(found, columns, named))
    return replace(found, said=notes)


def _is_of_two(column: GuessedColumn) -> bool:
    """Tell whether it holds one of two texts or numbers, but not 1 and 0, or true and false."""
    is_usual = column.is_flag or column.kind == "decimal comma"
    return len(column.values) == 2 and not is_usual


def _guess_other_columns(
    columns: Sequence[GuessedColumn],
    target: str,
    models: Mapping[str, str],
    used: set[str],
    named: UserChoices,
) -> ColumnGuess:
    """Guess what the columns other than the target and those of models are for."""
    baseline = _pick_baseline(models, named)
    free = [each for each in columns if each.name not in used]
    id_ = _find_id_column(free, columns[0])
    free = [each for each in free if each.name != id_]
    segments = tuple(c.name for c in free if c.kind == "text" and c.distinct in SEGMENT_VALUES)
    weight = next(
        (c.name for c in free if c.kind == "number" and WEIGHT_NAMES.search(c.name)), None
    )
    time = next((c.name for c in free if c.is_time and TIMES.search(c.name)), None)
    parted = [c.name for c in free if c.distinct > 1 and not c.is_key and c.name != time]
    fold = next(filter(FOLD_NAMES.search, parted), None)
    repeat = next(filter(REPEAT_NAMES.search, parted), None) if fold is not None else None
    unit = next(filter(UNITS.search, parted), None)
    cluster = next((name for name in parted if ID_NAMES.search(name) and name != fold), None)
    cluster = unit if unit is not None else cluster
    time = time if unit is None else None
    of_models = {fold, repeat, unit, *models}
    segments = tuple(name for name in segments if name not in of_models)[:MOST_SEGMENTS]
    offered = (*segments, weight, cluster, fold, repeat, time)
    out = tuple(c.name for c in free if c.name not in offered)
    lacking = tuple(c.name for c in columns if c.name in used and c.missing)
    return ColumnGuess(
        target,
        models,
        baseline,
        id_,
        segments,
        weight,
        cluster,
        lacking,
        out,
        fold=fold,
        repeat=repeat,
        time=time,
        is_unit=unit is not None,
    )


def shorten_model_names(columns: Sequence[str]) -> dict[str, str]:
    """Return short names of models with their columns, without what they share, such as score_."""
    bare = [PROBABILITY.sub("", name) for name in columns]
    short = [SCORE_LAST.sub("", SCORE_FIRST.sub("", name)) or name for name in bare]
    if len(short) > 1 and all(map(LETTER.match, short)) and len({name[0] for name in short}) == 1:
        short = [name[2:] for name in short]
    is_good = len(set(short)) == len(short) and not any(
        name.startswith("x-") or name == "<<" or "${" in name for name in short
    )
    names = short if is_good else [f"model_{k}" for k in range(1, len(columns) + 1)]
    return dict(zip(names, columns, strict=True))


def is_score_name(name: str) -> bool:
    """Tell whether the name of a column says that it holds a model's scores.

    >>> [is_score_name(name) for name in ("score_a", "a_pred", "y_hat", "y", "age")]
    [True, True, True, False, False]
    """
    return bool(SCORE_FIRST.search(name) or SCORE_LAST.search(name))


def _find_named_models(columns: Sequence[GuessedColumn], models: Sequence[str]) -> tuple[str, ...]:
    """Find the columns of named models, which may lack what the names of columns share."""
    known = {each.name for each in columns}
    short = {
        SCORE_LAST.sub("", SCORE_FIRST.sub("", PROBABILITY.sub("", c.name))): c.name
        for c in columns
        if c.kind == "number"
    }
    return tuple(name if name in known else short.get(name, name) for name in models)


def _list_scores(
    columns: Sequence[GuessedColumn], named: UserChoices, faults: list[str]
) -> list[str]:
    if named.models:
        for name in named.models:
            faults += _iter_unfit_reasons(columns, name, "--models")
        return list(dict.fromkeys(named.models))
    found = [
        c.name
        for c in columns
        if c.kind == "number"
        and c.name != named.target
        and (is_score_name(c.name) or (c.is_share and not c.is_flag and PROBABILITY.search(c.name)))
    ]
    if not found:
        found = [
            c.name
            for c in columns
            if c.kind == "number" and c.name != named.target and LEARNERS.search(c.name)
            if not c.is_flag
        ]
    return found


def _pick_target(
    columns: Sequence[GuessedColumn],
    named: UserChoices,
    scores: Sequence[str],
    faults: list[str],
    measured: Numbers | None,
) -> str | None:
    if named.target is not None:
        faults += _iter_unfit_reasons(columns, named.target, "--target")
        if named.target in scores:
            faults.append(
                f"--target: {quote(named.target)} is also among --models; remove it from one"
            )
        return named.target
    numbers = [
        c.name
        for c in columns
        if (c.kind == "number" or c.is_flag or _is_of_two(c)) and c.name not in scores
    ]
    candidates = [name for name in numbers if TARGET_NAMES.search(name) and not is_score_name(name)]
    plain = [name for name in candidates if name.lower() in ("y", "target", "y_true")]
    if len(candidates) == 1 or len(plain) == 1:
        return (plain or candidates)[0]
    if not candidates and scores and measured is not None:
        candidates, target = _find_outcome(columns, scores, measured)
        if target is not None:
            return target
    which = (
        f"; it may be {join_names(candidates)}"
        if candidates
        else _format_numbers(columns) + _format_texts(columns)
    )
    if scores:
        faults.append(f"cannot tell which column is the target; name it with --target{which}")
    return None


def _explain_no_scores(columns: Sequence[GuessedColumn], target: str | None, named: bool) -> str:
    """Say that no column is called as scores are, and which to name."""
    what, options = "hold the scores of models", "--models A,B"
    if target is None:
        what, options = f"hold the target and {what[5:]}", f"--target Y {options}"
    also = "" if target is None or named else f"; {quote(target)} may be the target"
    alike = find_equal_classes(columns)
    if target is None and len(alike) > 1:
        first, *others = alike
        options = f"--target {first} --models {','.join(others)}"
        also = f"; {join_names(alike)} have the same classes, of which the target is one"
        return f"cannot tell which columns {what}; name them, such as {options}{also}"
    listed = _format_numbers(columns) + (_format_texts(columns) if target is None else "")
    return f"cannot tell which columns {what}; name them, such as {options}{also}{listed}"


def _find_outcome(
    columns: Sequence[GuessedColumn], scores: Sequence[str], measured: Numbers
) -> tuple[list[str], str | None]:
    """Find what the scores follow: the columns that may be the target, and the one that is.

    Scores from 0 to 1 follow one of two values, others an amount. Of several columns the target is
    the one that is called as outcomes are, or that follows every score far more than the next.
    """
    by_name = {c.name: c for c in columns}
    are_shares = all(by_name[name].is_share for name in scores if name in by_name)
    free = [
        c
        for c in columns
        if c.name not in scores and not c.is_time and not ID_NAMES.search(c.name) and not c.is_key
        if not (UNITS.search(c.name) or WEIGHT_NAMES.search(c.name) or LEARNERS.search(c.name))
    ]
    two = [c for c in free if c.is_flag or (c.kind == "text" and _is_of_two(c))]
    two = [c for c in two if c.is_flag or guess_positive_class(c.values)[1]] or two
    amounts = [c for c in free if c.kind == "number" and not c.is_flag and c.distinct > 1]
    keys = [c for c in columns if c.is_key and c.kind == "number" and OUTCOMES.search(c.name)]
    names = [c.name for c in (two if two and (are_shares or not amounts) else [*amounts, *keys])]
    every = dict.fromkeys([*names, *(c.name for c in two)])  # scores may order a flag, too
    called = [name for name in every if OUTCOMES.search(name)]
    if len(called) == 1 or (len(names) == 1 and not called):
        return names, (called or names)[0]
    follows = {
        name: min(measured.correlate(name, score) for score in scores) for name in called or names
    }
    first, *others = sorted(follows, key=lambda name: -follows[name]) or [""]
    if not others:
        return [], None
    is_ahead = follows[first] > max(FOLLOWED, AHEAD * follows[others[0]])
    return called or [], first if is_ahead else None


def _pick_baseline(models: Mapping[str, str], named: UserChoices) -> str:
    if named.baseline is None:
        return guess_baseline(models)[0]
    for name, column in models.items():
        if named.baseline in (name, column):
            return name
    raise UsageError(
        f"--baseline: {quote(named.baseline)} is none of the models; "
        f"{did_you_mean(named.baseline, [*models.values()])}"
    )


def _find_id_column(free: Sequence[GuessedColumn], first_of_file: GuessedColumn) -> str | None:
    """Find a column that identifies each row: by its name, else a text, else the file's first."""
    keys = [c for c in free if c.is_key and c.name and not c.is_time]
    by_name = [c.name for c in keys if ID_NAMES.search(c.name) or UNITS.search(c.name)]
    texts = [c.name for c in keys if c.kind == "text"]
    first = [c.name for c in keys[:1] if c == first_of_file]
    return next(iter([*by_name, *texts, *first]), None)


def _iter_unfit_reasons(columns: Sequence[GuessedColumn], name: str, option: str) -> Iterator[str]:
    """Yield why a column that was named cannot be a target or a score."""
    found = next((each for each in columns if each.name == name), None)
    if found is None:
        hint = did_you_mean(name, filter(None, (each.name for each in columns)))
        yield f"{option}: the file has no column {quote(name)}; {hint}"
    elif found.kind == "decimal comma":
        yield f"{option}: column {quote(name)} has decimal commas; write 1.5, not 1,5"
    elif found.kind == "list":
        yield f"{option}: column {quote(name)} holds lists, not numbers; name a column of numbers"
    elif found.kind == "text" and not (
        (found.is_flag or _is_of_two(found)) and option == "--target"
    ):
        yield f"{option}: column {quote(name)} holds text, not numbers"


def _format_numbers(columns: Sequence[GuessedColumn]) -> str:
    """List the columns that could be meant."""
    numbers = [c.name for c in columns if c.kind == "number"]
    commas = [c.name for c in columns if c.kind == "decimal comma"]
    said = f"; numbers are in {join_names(numbers)}" if numbers else "; no column holds numbers"
    return said + (
        f"; decimal commas, which are no numbers, in {join_names(commas)}" if commas else ""
    )


def _format_texts(columns: Sequence[GuessedColumn]) -> str:
    """List the columns that hold a few texts, any of which may name the class of a row."""
    texts = [c.name for c in columns if c.kind == "text" and 2 <= len(c.values) <= MOST_TEXTS]
    return f"; a few different texts in {join_names(texts)}" if texts else ""


def _iter_guess_notes(found: ColumnGuess, named: UserChoices) -> Iterator[str]:
    if named.target is None and found.target:
        is_named = TARGET_NAMES.search(found.target) or OUTCOMES.search(found.target)
        how = "by its name" if is_named or found.has_classes or found.labels else "by its values"
        yield f"guessed {how}: target {quote(found.target)}"
    if found.time is not None:
        yield f"guessed: {quote(found.time)} is the time of each row"
    if found.has_classes:
        yield f"guessed: {quote(found.target)} names one of several classes"
    if found.labels:
        yield (
            f"guessed: each row has any of {len(found.labels)} labels, {join_names(found.labels)}"
        )
    if found.positive is not None:
        how = "by its name" if found.is_positive_said else "as the last of the two, so check it"
        yield f"guessed {how}: {quote(found.positive)} is the positive class"
    elif found.is_flag:
        yield f"guessed: {quote(found.target)} has two classes, 1 and 0"
    if not named.models:
        how = "as numbers from 0 to 1" if found.is_of_values else "by their names"
        if found.positions:
            how = "by position, in the order of the sorted classes, as predict_proba gives them"
        yield f"guessed {how}: scores in {join_names(found.models.values())}"
    if named.baseline is None and len(found.models) > 1:
        by = "by its name" if guess_baseline([found.baseline])[1] else "as the first"
        yield f"guessed {by}: baseline {quote(found.baseline)}"
    if found.id is not None:
        yield f"guessed: {quote(found.id)} names each row"
    else:
        yield "no column was found to name each row, so rows are identified by their row numbers"
    if found.segments:
        yield f"guessed for their few values: segments by {join_names(found.segments)}"
    if found.lacking:
        yield f"rows without a value in {join_names(found.lacking)} are dropped (missing: drop)"


def _iter_score_notes(columns: Sequence[GuessedColumn], found: ColumnGuess) -> Iterator[str]:
    """Say what is odd about the scores: logarithms, a constant, classes of the same model."""
    if found.logarithms:
        names = join_names(found.logarithms)
        yield (
            f"guessed: scores of {names} are logarithms of {quote(found.target)} (transform: exp); "
            "look at it"
        )
    by_name = {each.name: each for each in columns}
    for name, column in found.models.items():
        if column in by_name and by_name[column].distinct == 1:
            yield f"{quote(name)} gives every row the same score"
        other = by_name.get(name)
        if other is not None and name != column and len(other.values) == 2:
            yield (
                f"not used: {quote(name)} has the classes of the model whose probabilities are in "
                f"{quote(column)}, which say more"
            )


def _iter_unused_notes(
    found: ColumnGuess, columns: Sequence[GuessedColumn], named: UserChoices
) -> Iterator[str]:
    if found.weight is not None:
        yield f"not used: {quote(found.weight)} may be weights; if so, uncomment weight:"
    if found.is_unit:
        yield (f"guessed: rows of one {quote(found.cluster or '')} are not independent (cluster:)")
    elif found.cluster is not None:
        yield f"not used: {quote(found.cluster)} may group rows; if so, uncomment cluster:"
    if found.fold is not None:
        yield (
            f"not used: {quote(found.fold)} may be folds that models were fitted without; "
            "if so, uncomment fold:"
        )
    if found.repeat is not None:
        yield f"not used: {quote(found.repeat)} may be rounds of folds; if so, uncomment repeat:"
    reasons: dict[str, list[str]] = {}
    for column in columns:
        if column.name in found.left_out:
            reasons.setdefault(_explain_left_out(column, found, named), []).append(column.name)
    for reason, names in reasons.items():
        yield f"left out: {join_names(names)} ({reason})"


def _explain_left_out(column: GuessedColumn, guess: ColumnGuess, named: UserChoices) -> str:
    """Explain why a first config has no use for a column."""
    if column.kind == "list":
        return "lists or records"
    if column.distinct < 2:
        return "one value or none"
    if column.kind == "decimal comma":
        return "decimal commas"
    if column.is_time:
        return f"times; rows of one {guess.cluster} belong together" if guess.is_unit else "times"
    if column.is_key:
        return "a value of its own in each row"
    if column.kind == "number":
        return "not in --models" if named.models else "numbers, by name neither target nor score"
    if column.distinct not in SEGMENT_VALUES:
        return f"more than {SEGMENT_VALUES[-1]} texts, too many for segments"
    return (
        "named as a model" if column.name in guess.models else f"{MOST_SEGMENTS} segments are used"
    )


def join_names(names: Iterable[str]) -> str:
    """Join names of columns; many end with their number."""
    every = [*names]
    shown = ", ".join(map(quote, every[:MOST_NAMED]))
    return shown + (f" and {len(every) - MOST_NAMED:,} more" if len(every) > MOST_NAMED else "")

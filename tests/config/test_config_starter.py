"""The config that `init` writes reads back; of a name that says nothing, nothing is guessed."""

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from reportgen.cli.init.guess_columns import GuessedColumn, UserChoices, guess_columns
from reportgen.cli.init.template import SCHEMA_LINE, format_table_config
from reportgen.errors import UsageError
from reportgen.planning.loading import build_vocabulary
from tests.config.test_config_schema import complaints
from tests.config.wallet_words import Reader

CDNOW = [
    GuessedColumn("customer_id", "text", 23570, 0, True),
    GuessedColumn("segment", "text", 2),
    GuessedColumn("cohort", "text", 3),
    GuessedColumn("comment", "text", 900),
    GuessedColumn("weight", "number"),
    GuessedColumn("y_spend_hold", "number"),
    GuessedColumn("score_clv", "number"),
    GuessedColumn("score_gbm", "number"),
    GuessedColumn("n_orders", "number", 12),
]
MUTE = [GuessedColumn(name, "number") for name in ("a", "b", "c", "age")]


def refused(columns: list[GuessedColumn], named: UserChoices) -> str:
    with pytest.raises(UsageError) as error:
        guess_columns(columns, named)
    return str(error.value)


def test_the_columns_are_guessed_by_name_and_kind(read: Reader) -> None:
    config = read(
        format_table_config(guess_columns(CDNOW, UserChoices()), "scores.csv", build_vocabulary())
    ).config
    dataset = config.datasets["holdout"]
    assert (dataset.path, dataset.id, dataset.target) == (
        "scores.csv",
        "customer_id",
        "y_spend_hold",
    )
    assert [segment.column for segment in dataset.segments] == ["segment", "cohort"]
    assert {name: model.column for name, model in config.models.items()} == {
        "clv": "score_clv",
        "gbm": "score_gbm",
    }
    assert config.baseline == "clv"


def test_what_was_guessed_and_left_out_is_said_and_stands_in_the_config() -> None:
    found = guess_columns(CDNOW, UserChoices())
    assert found.said == (
        "guessed by its name: target 'y_spend_hold'",
        "guessed by their names: scores in 'score_clv', 'score_gbm'",
        "guessed as the first: baseline 'clv'",
        "guessed: 'customer_id' names each row",
        "guessed for their few values: segments by 'segment', 'cohort'",
        "not used: 'weight' may be weights; if so, uncomment weight:",
        "left out: 'comment' (more than 20 texts, too many for segments)",
        "left out: 'n_orders' (numbers, by name neither target nor score)",
    )
    assert all(
        f"#   {said}\n" in format_table_config(found, "scores.csv", build_vocabulary())
        for said in found.said
    )


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        (GuessedColumn("age", "number", 60), "not in --models"),
        (GuessedColumn("tags", "list"), "lists or records"),
        (GuessedColumn("empty", "text", 0, 90), "one value or none"),
        (GuessedColumn("site", "text", 1), "one value or none"),
        (GuessedColumn("cost", "decimal comma", 30), "decimal commas"),
        (GuessedColumn("born", "text", 30, is_time=True), "times"),
        (
            GuessedColumn("date", "text", 30, is_time=True),
            "times; rows of one user belong together",
        ),
        (GuessedColumn("hash", "text", 90, is_key=True), "a value of its own in each row"),
        (GuessedColumn("s5", "text", 3), "5 segments are used"),
    ],
)
def test_each_column_that_is_left_out_has_its_reason(column: GuessedColumn, reason: str) -> None:
    unit = [GuessedColumn("user", "text", 30)] * (column.name == "date")
    segments = [GuessedColumn(f"s{k}", "text", 3) for k in range(5)]
    columns = [GuessedColumn("id", "text", 90, is_key=True), *MUTE[:3], *segments, *unit, column]
    found = guess_columns(columns, UserChoices("b", ("c", "a"), "a"))
    assert found.said[-1] == f"left out: '{column.name}' ({reason})"


def test_what_the_user_names_is_not_guessed(read: Reader) -> None:
    found = guess_columns(MUTE, UserChoices("b", ("c", "a"), "a"))
    config = read(format_table_config(found, "scores.csv", build_vocabulary())).config
    assert config.datasets["holdout"].target == "b" and config.baseline == "a"
    assert [model.column for model in config.models.values()] == ["c", "a"]
    assert found.left_out == ("age",) and config.datasets["holdout"].id is None


def test_a_feature_is_no_model_and_a_target_no_id() -> None:
    keys = [GuessedColumn("y", "number", 9, 0, True), *MUTE]
    found = guess_columns(keys, UserChoices(models=("a",)))
    assert (found.target, found.id, dict(found.models)) == ("y", None, {"a": "a"})


def test_a_baseline_is_known_by_its_name_or_its_column() -> None:
    columns = [GuessedColumn(n, "number") for n in ("y", "new_pred", "current_pred")]
    assert guess_columns(columns, UserChoices()).baseline == "current"
    assert guess_columns(columns, UserChoices(baseline="new_pred")).baseline == "new"
    assert guess_columns(columns, UserChoices(baseline="new")).baseline == "new"


def test_missing_values_are_dropped_and_that_is_said(read: Reader) -> None:
    found = guess_columns(
        [GuessedColumn("y", "number", 5, 2), GuessedColumn("score", "number")], UserChoices()
    )
    assert (
        read(format_table_config(found, "s.csv", build_vocabulary()))
        .config.datasets["holdout"]
        .missing
        == "drop"
    )
    assert "rows without a value in 'y' are dropped (missing: drop)" in found.said


def test_an_id_that_repeats_may_group_rows() -> None:
    found = guess_columns([GuessedColumn("user_id", "text", 9), *CDNOW[5:7]], UserChoices())
    assert found.id is None and found.cluster == "user_id"


@pytest.mark.parametrize(
    ("columns", "named", "says"),
    [
        (
            MUTE,
            UserChoices(),
            "cannot tell which columns hold the target and the scores of models; name them, such "
            "as --target Y --models A,B; numbers are in 'a', 'b', 'c', 'age'",
        ),
        (
            [*CDNOW, GuessedColumn("y_orders", "number")],
            UserChoices(),
            "cannot tell which column is the target; name it with --target; it may be "
            "'y_spend_hold', 'y_orders'",
        ),
        (
            [GuessedColumn("y", "list"), GuessedColumn("score", "number")],
            UserChoices("y", ("score",)),
            "--target: column 'y' holds lists, not numbers; name a column of numbers",
        ),
        (
            [GuessedColumn("y", "text"), GuessedColumn("score", "decimal comma")],
            UserChoices("y", ("score",)),
            "--models: column 'score' has decimal commas; write 1.5, not 1,5\n"
            "--target: column 'y' holds text, not numbers",
        ),
        (
            MUTE,
            UserChoices("d", ("a",)),
            "--target: the file has no column 'd'; known: a, age, b, c",
        ),
        (
            MUTE,
            UserChoices("a", ("a", "b")),
            "--target: 'a' is also among --models; remove it from one",
        ),
        (
            MUTE,
            UserChoices("a", ("b", "c"), "d"),
            "--baseline: 'd' is none of the models; known: b, c",
        ),
    ],
)
def test_what_cannot_be_known_is_asked_for(
    columns: list[GuessedColumn], named: UserChoices, says: str
) -> None:
    assert refused(columns, named) == says


def test_the_editor_is_told_of_the_schema_and_agrees() -> None:
    text = SCHEMA_LINE + format_table_config(
        guess_columns(CDNOW, UserChoices()), "scores.csv", build_vocabulary()
    )
    assert text.startswith("# yaml-language-server: $schema=")
    assert complaints(text) == []


KINDS = st.sampled_from(["number", "text"])
NAMES = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12
)
COLUMNS = st.lists(
    st.builds(
        GuessedColumn,
        NAMES | st.sampled_from(["score_1", "pred", "y", "no", "012", "x-a", "<<", "${A}"]),
        KINDS,
        st.integers(0, 30),
        st.integers(0, 2),
        st.booleans(),
    ),
    min_size=2,
    max_size=8,
    unique_by=lambda column: column.name,
)


@pytest.mark.full
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(COLUMNS, NAMES)
def test_hostile_names_are_quoted_and_survive(
    read: Reader, columns: list[GuessedColumn], path: str
) -> None:
    numbers = [column.name for column in columns if column.kind == "number"]
    assume(len(numbers) > 1)
    found = guess_columns(columns, UserChoices(numbers[0], tuple(numbers[1:])))
    config = read(format_table_config(found, path, build_vocabulary())).config
    dataset = config.datasets["holdout"]
    assert (dataset.path, dataset.target, dataset.id) == (path, numbers[0], found.id)
    assert [model.column for model in config.models.values()] == numbers[1:]


@pytest.mark.parametrize(
    ("models", "question", "decision"),
    [
        (("a", "b"), "Should a replace b?", "replace"),
        (("a", "b", "c"), "Which model is best?", "choose"),
        (("b",), None, None),
    ],
)
def test_the_first_config_asks_the_question_that_page_one_answers(
    read: Reader, models: tuple[str, ...], question: str | None, decision: str | None
) -> None:
    columns = [*MUTE, GuessedColumn("y", "number")]
    text = format_table_config(
        guess_columns(columns, UserChoices("y", models, "b")), "scores.csv", build_vocabulary()
    )
    report = read(text).config.report
    assert (report.question, report.decision) == (question, decision)
    assert "case: customer" in text

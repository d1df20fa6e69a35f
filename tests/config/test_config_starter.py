"""The config that `init` writes reads back, whatever the columns are called."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reportgen.config import ColumnGuess, init_config
from tests.config.test_config_schema import complaints
from tests.config.wallet_words import Reader

CDNOW = [
    ColumnGuess("customer_id", "id"),
    ColumnGuess("segment", "text", 2),
    ColumnGuess("cohort", "text", 3),
    ColumnGuess("comment", "text", 900),
    ColumnGuess("weight", "number"),
    ColumnGuess("y_spend_hold", "number"),
    ColumnGuess("score_clv", "number"),
    ColumnGuess("score_gbm", "number"),
    ColumnGuess("n_orders", "number"),
]


def test_the_columns_are_guessed_by_name_and_kind(read: Reader) -> None:
    config = read(init_config(CDNOW, "scores.csv")).config
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


def test_the_editor_is_told_of_the_schema_and_agrees() -> None:
    text = init_config(CDNOW, "scores.csv")
    assert text.startswith("# yaml-language-server: $schema=")
    assert complaints(text) == []


def test_where_nothing_can_be_guessed_the_gap_is_named(read: Reader) -> None:
    dataset = read(init_config([], "scores.csv")).config.datasets["holdout"]
    assert (dataset.id, dataset.target) == ("ID_COLUMN", "TARGET_COLUMN")


KINDS = st.sampled_from(["id", "number", "text"])
NAMES = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12
)
COLUMNS = st.lists(
    st.builds(ColumnGuess, NAMES | st.sampled_from(["score_1", "pred", "y", "no", "012"]), KINDS),
    max_size=8,
    unique_by=lambda column: column.name,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(COLUMNS, NAMES)
def test_hostile_names_are_quoted_and_survive(
    read: Reader, columns: list[ColumnGuess], path: str
) -> None:
    config = read(init_config(columns, path)).config
    dataset = config.datasets["holdout"]
    known = {column.name for column in columns} | {"ID_COLUMN", "TARGET_COLUMN", "SCORE_COLUMN"}
    used = {dataset.id, dataset.target, *(model.column for model in config.models.values())}
    assert dataset.path == path
    assert used <= known

"""What a message suggests: the name that was probably meant, and none that would be refused."""

import pytest

from reportgen.errors import did_you_mean, find_nearest
from tests.config.test_config_reading import refused
from tests.config.wallet_words import EXAMPLE, Reader


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("R2", "r2"),
        ("R²", "r2"),
        ("MAE", "mae"),
        ("Kendal", "kendall"),
        ("mea", "mae"),
        ("msa", "mse"),
        ("rsme", "rmse"),
        ("ranking-last", "ranking_last"),
    ],
)
def test_the_name_that_was_meant_is_suggested(typed: str, meant: str) -> None:
    known = ["mae", "mse", "rmse", "r2", "kendall", "kendall_a", "ranking_last", "ranking_first"]
    assert did_you_mean(typed, known) == f"did you mean {meant!r}?"


def test_names_that_differ_in_capitals_alone_are_all_near() -> None:
    assert find_nearest("SCORE", ["Score", "score", "other"]) == ["Score", "score"]


def test_what_is_far_from_every_name_has_none_near() -> None:
    assert find_nearest("xyz", ["mae", "kendall"]) == []
    assert find_nearest("m" * 101, ["m" * 101]) == []


def test_a_name_with_as_many_letters_to_change_as_to_keep_is_not_near() -> None:
    assert did_you_mean("query", ["topic", "user", "intent"]) == "known: intent, topic, user"
    assert find_nearest("spend", ["spend_total", "price"]) == ["spend_total"]


def test_a_metric_that_is_refused_where_it_is_listed_is_not_suggested(read: Reader) -> None:
    text = EXAMPLE.replace("- spearman", "- Rmsee").replace("metric: mae", "metric: rmsee")
    messages = refused(read, text)
    assert messages[0].endswith("unknown metric 'Rmsee'; did you mean 'rmse'?")
    assert "Rmsee" not in messages[1]


def test_a_metric_of_another_task_is_not_suggested(read: Reader) -> None:
    [message] = refused(read, EXAMPLE.replace("- spearman", "- roc_aucs"))
    assert "'roc_auc'" not in message


def test_a_task_that_is_not_built_is_not_suggested(read: Reader) -> None:
    [message] = refused(read, EXAMPLE.replace("task: regression", "task: binari"))
    assert message.endswith("known: regression")


def test_a_test_that_does_not_suit_the_metric_is_not_suggested(read: Reader) -> None:
    text = EXAMPLE.replace("adjust: holm}", "adjust: holm, test: {kendall: signflip}}")
    [message] = refused(read, text)
    assert "sign-flip" not in message


def test_a_model_is_not_told_to_be_compared_with_itself(read: Reader) -> None:
    text = EXAMPLE.replace(
        "metric: kendall, model: boosted,", "metric: kendall, model: boosted, against: bosted,"
    )
    [message] = refused(read, text)
    assert "mean 'boosted'" not in message

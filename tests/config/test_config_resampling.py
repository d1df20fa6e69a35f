"""How a config says what is resampled."""

import pytest

from reportgen.errors import ConfigError
from tests.config.wallet_words import EXAMPLE, Reader


def changed(dataset: str = "", bootstrap: str = "") -> str:
    """The example with keys added to its dataset and to `bootstrap`."""
    text = EXAMPLE.replace("level: 0.95}", f"level: 0.95{bootstrap}}}")
    return text.replace("    segments: [", f"{dataset}    segments: [", 1)


def test_rows_are_drawn_with_replacement_unless_said_otherwise(read: Reader) -> None:
    config = read(EXAMPLE).config
    assert (config.bootstrap.weights, config.bootstrap.block) == ("multinomial", None)
    assert not config.datasets["holdout"].used_to_choose


@pytest.mark.parametrize("weights", ["multinomial", "poisson", "bayesian"])
def test_weights_are_one_of_three(read: Reader, weights: str) -> None:
    text = changed(bootstrap=f", weights: {weights}")
    assert read(text).config.bootstrap.weights == weights


def test_a_block_of_time_has_a_length(read: Reader) -> None:
    assert read(changed("    time: week\n", ", block: 12")).config.bootstrap.block == 12


def test_a_block_is_at_least_one_time_long(read: Reader) -> None:
    with pytest.raises(ConfigError) as caught:
        read(changed("    time: week\n", ", block: 0.5"))
    assert str(caught.value) == (
        "wallet.yaml:29:83: bootstrap.block needs a number from 1 up, not '0.5'; "
        "for example block: 12"
    )


def test_blocks_of_time_are_drawn_with_replacement_only(read: Reader) -> None:
    with pytest.raises(ConfigError) as caught:
        read(changed("    time: week\n", ", weights: bayesian"))
    assert str(caught.value) == (
        "wallet.yaml:29:85: bootstrap.weights cannot be 'bayesian' with blocks of time, which "
        "datasets.holdout has by its `time:`; use multinomial, or declare a cluster"
    )


@pytest.mark.parametrize("unit", ["cluster", "query"])
def test_clusters_and_queries_come_before_time(read: Reader, unit: str) -> None:
    units = f"    time: week\n    {unit}: shop\n    strata: region\n"
    assert read(changed(units, ", weights: poisson")).config.bootstrap.weights == "poisson"
    with pytest.raises(ConfigError, match="no dataset is resampled in time"):
        read(changed(units, ", block: 12"))


def test_a_test_set_may_have_been_used_to_choose(read: Reader) -> None:
    config = read(changed("    used_to_choose: true\n")).config
    assert config.datasets["holdout"].used_to_choose

"""A table of broken configs: what is changed in the example, and what must be said of it."""

from pathlib import Path

import pytest
import yaml

from reportgen.errors import ConfigError
from tests.config.wallet_words import EXAMPLE, Reader

BROKEN = yaml.safe_load((Path(__file__).parent / "broken.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_config_says_place_fact_and_way_out(name: str, read: Reader) -> None:
    case = BROKEN[name]
    assert case["was"] in EXAMPLE
    with pytest.raises(ConfigError) as caught:
        read(EXAMPLE.replace(case["was"], case["now"], 1))
    assert str(caught.value).splitlines() == case["says"]


def test_of_very_many_problems_a_hundred_are_told_and_the_rest_counted(read: Reader) -> None:
    with pytest.raises(ConfigError) as caught:
        read(EXAMPLE + "".join(f"key{n}: 1\n" for n in range(5000)))
    lines = str(caught.value).splitlines()
    assert len(lines) == 101
    assert lines[-1] == "wallet.yaml:133:1: and 4,900 more problems after this one"


def test_all_problems_are_told_at_once_in_the_order_of_the_file(read: Reader) -> None:
    text = EXAMPLE.replace("replicates:", "replicats:").replace("metric: mae", "metric: mea")
    with pytest.raises(ConfigError) as caught:
        read(text.replace("- spearman", "- spearmen").replace("id: WALLET-2026-11", "id: 7"))
    assert str(caught.value).splitlines() == [
        "wallet.yaml:4:7: report.id needs text, not '7'; put it in quotes: \"7\"",
        "wallet.yaml:20:5: unknown metric 'spearmen'; did you mean 'spearman'?",
        "wallet.yaml:28:13: unknown key 'replicats' in bootstrap; did you mean 'replicates'?",
        "wallet.yaml:32:50: gates[1].metric: there is no metric 'mea' in this config; "
        "did you mean 'mae'?",
    ]

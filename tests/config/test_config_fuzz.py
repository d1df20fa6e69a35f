"""Whatever is done to the example's text, what comes out is a config or a ConfigError."""

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reportgen.config.loading import read_config
from reportgen.errors import ConfigError
from tests.config.wallet_words import EXAMPLE, WORDS

TOKEN = re.compile(r"[\w.]+|\n *|[^\w\s]")
TOKENS = TOKEN.findall(EXAMPLE)
STRANGE = [
    "[]",
    "{}",
    "[[]]",
    "{a:",
    "b}",
    "null",
    "~",
    "true",
    "no",
    "012",
    "-1",
    "1e400",
    ".nan",
    "9e999999999",
    "''",
    '""',
    "'x'",
    "!!int",
    "!x",
    "&a",
    "*a",
    "<<:",
    "*a",
    "|",
    ">",
    "-",
    "?",
    ":",
    ",",
    "#",
    "%",
    "@",
    "`",
    "${X}",
    "${X:-1}",
    "${",
    "$${",
    "2%",
    "-3%",
    "\t",
    "---",
    "...",
    "segment=repeat",
    "fit",
    "rank",
    "extends",
    "labels",
    "scores",
    "columns",
    "params",
    "as",
    "bins",
    "filter",
    "values",
]
PLACE = re.compile(r"(wallet\.yaml(:\d+:\d+)?|--set .*?): \S")
THEIRS = re.compile(
    r"pydantic|Input should|Traceback|line \d+, column|tag:yaml|<class|another value|None\b"
)


@pytest.fixture(scope="module")
def wallet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz") / "wallet.yaml"


def outcome(wallet: Path, data: bytes, *overrides: str) -> None:
    wallet.write_bytes(data)
    try:
        read_config(wallet, WORDS, overrides=overrides, environ={"X": "hunter2"})
    except ConfigError as error:
        for problem in error.problems:
            line = str(problem).replace(f"{wallet.parent}/", "")
            assert PLACE.match(line), line
            ours = THEIRS.search(line)
            written = data + "".join(overrides).encode()
            assert not ours or ours.group().encode() in written, line
            assert "\n" not in line


ANYTHING = settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
CHANGES = st.lists(
    st.tuples(
        st.integers(0, len(TOKENS) - 1),
        st.one_of(st.sampled_from(STRANGE), st.sampled_from(TOKENS), st.just(""), st.text()),
    ),
    min_size=1,
    max_size=4,
)


@ANYTHING
@given(CHANGES)
def test_tokens_replaced_by_others(wallet: Path, changes: list[tuple[int, str]]) -> None:
    replaced = dict(changes)
    spaced = iter(TOKEN.split(EXAMPLE))
    text = next(spaced)
    for index, (token, gap) in enumerate(zip(TOKENS, spaced, strict=True)):
        text += replaced.get(index, token) + gap
    outcome(wallet, text.encode("utf-8", "surrogatepass"))


@ANYTHING
@given(st.lists(st.tuples(st.integers(0, len(EXAMPLE) - 1), st.binary(max_size=3)), max_size=5))
def test_bytes_replaced_by_others(wallet: Path, changes: list[tuple[int, bytes]]) -> None:
    data = EXAMPLE.encode()
    for position, other in changes:
        data = data[:position] + other + data[position + 1 :]
    outcome(wallet, data)


@ANYTHING
@given(st.permutations(EXAMPLE.splitlines()), st.integers(1, 40))
def test_lines_in_another_order(wallet: Path, lines: list[str], kept: int) -> None:
    outcome(wallet, "\n".join(lines[:kept]).encode())


NAMES = st.sampled_from(["gates", "metrics", "0", "1", "models", "clv", "datasets", "holdout", "x"])
KEYS = st.lists(
    NAMES | st.sampled_from(["segments", "scores", "labels", "as", "primary", "margin"])
)


@ANYTHING
@given(KEYS, st.sampled_from(STRANGE) | st.text(max_size=5))
def test_any_setting_on_the_command_line(wallet: Path, keys: list[str], value: str) -> None:
    outcome(wallet, EXAMPLE.encode(), f"{'.'.join(keys)}={value}")

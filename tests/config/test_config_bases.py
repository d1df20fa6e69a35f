"""Files that `extends` names: what is read of them, how much, and what an error tells of them."""

import os
from pathlib import Path

import pytest

from reportgen.errors import ConfigError
from tests.config.wallet_words import EXAMPLE, Reader


def refused(read: Reader, text: str, **beside: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        read(text, beside={f"{name}.yaml": content for name, content in beside.items()})
    return str(caught.value).splitlines()


@pytest.mark.parametrize("kind", ["device", "pipe"])
def test_what_is_no_regular_file_is_refused_and_never_read(kind: str, read: Reader) -> None:
    read(EXAMPLE)
    if kind == "pipe":
        os.mkfifo("pipe")
    name = {"device": "/dev/zero", "pipe": "pipe"}[kind]
    assert refused(read, f"extends: {name}\n") == [
        f"wallet.yaml:1:10: extends: {name}: this is not a regular file but a device, a pipe or a "
        "socket; name a file"
    ]


def test_a_config_itself_is_a_regular_file(read: Reader) -> None:
    from reportgen.config.loading import read_config
    from tests.config.wallet_words import WORDS

    with pytest.raises(ConfigError, match=r"^/dev/zero: this is not a regular file"):
        read_config("/dev/zero", WORDS, environ={})


def test_levels_of_two_bases_each_read_every_file_once(read: Reader) -> None:
    files = {f"l{n}.yaml": f"extends: [m{n}.yaml, n{n}.yaml]\n" for n in range(6)}
    files |= {f"{side}{n}.yaml": f"extends: l{n + 1}.yaml\n" for side in "mn" for n in range(6)}
    loaded = read("extends: l0.yaml\n", beside={**files, "l6.yaml": EXAMPLE})
    assert len(loaded.sources) == len(files) + 2


def test_a_base_of_two_bases_is_read_once(read: Reader) -> None:
    bases = {
        "a.yaml": "extends: c.yaml\nbuckets: 5\n",
        "b.yaml": "extends: ./c.yaml\n",
        "c.yaml": EXAMPLE,
    }
    loaded = read("extends: [a.yaml, b.yaml]\n", beside=bases)
    names = [source.name for source in loaded.sources]
    assert names == ["wallet.yaml", "a.yaml", "c.yaml", "b.yaml"]


def test_a_chain_of_thousands_is_refused_at_its_limit(read: Reader) -> None:
    chain = {f"b{n}": f"extends: b{n + 1}.yaml\n" for n in range(40)}
    assert refused(read, "extends: b0.yaml\n", **chain) == [
        "b15.yaml:1:10: extends: b16.yaml is one base too many; at most 32 are read, 16 deep"
    ]


def test_files_of_one_config_have_their_values_counted_together(read: Reader) -> None:
    large = "meta: [" + "1, " * 15_000 + "1]\nbuckets: 3\nversion: 1\n"
    said = refused(read, "extends: [a.yaml, b.yaml]\n", a=large, b=large)
    assert said[0].endswith("the config grows past 20,000 values here, aliases written out")


FOREIGN = {
    "keys": "password: hunter2\nuser: hunter2\nversion: 3\n",
    "text": "root:hunter2:19000:0\nhunter2\n",
    "an unknown tag": "password: !hunter2 x\n",
    "an alias": "password: *hunter2\n",
    "a broken bracket": "password: [hunter2\n",
    "a key twice": "hunter2: 1\nhunter2: 2\n",
    "a list": "- hunter2\n",
    "bytes": "hunter2: caf\udce9\n",
}


@pytest.mark.parametrize("name", FOREIGN)
def test_no_word_of_a_file_that_is_no_config_is_told(name: str, read: Reader) -> None:
    read(EXAMPLE)
    Path("other").write_bytes(FOREIGN[name].encode("utf-8", "surrogateescape"))
    [line] = refused(read, "extends: other\n")
    assert line.startswith("wallet.yaml:1:10: extends: other: the file is no config: ")
    assert not {"hunter2", "password", "root", "user"} & set(line.replace("'", " ").split())


def test_a_broken_base_is_told_in_its_own_words(read: Reader) -> None:
    assert refused(read, "extends: a.yaml\n", a="version: 1\nbuckets: *ten\n") == [
        "a.yaml:2:10: the alias *ten points to nothing before it; "
        "write &ten at the value that it repeats"
    ]


@pytest.mark.parametrize("name", ["a" * 300, "x/" * 2500, "loop", "shut/a.yaml"])
def test_a_name_that_leads_nowhere_is_one_short_line(name: str, read: Reader) -> None:
    read(EXAMPLE)
    Path("loop").symlink_to("loop")
    Path("shut").mkdir(mode=0)
    [line] = refused(read, f"extends: {name}\n")
    assert line.startswith("wallet.yaml:1:10: extends: ")
    assert len(line) < 500

"""Rows that the workers of a Dask cluster read: the bytes of one machine, whatever happens."""

import json
import os
import pickle
import pickletools
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager, suppress
from itertools import product
from pathlib import Path
from threading import Thread

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from reportgen.config.loading import read_config
from reportgen.data.row_groups import open_row_groups
from reportgen.errors import ClusterError, ConfigError, DataError
from reportgen.planning.loading import build_vocabulary
from reportgen.planning.requests import build_dataset_requests
from reportgen.report import archive
from reportgen.streaming import dask, passes, run
from reportgen.streaming.states import RunningState
from reportgen.streaming.sums import column_grains
from tests.end_to_end.wallet import call
from tests.streaming import test_engines
from tests.streaming.configs import results_of, written
from tests.streaming.many_rows import N, many_rows, told
from tests.streaming.test_engines import SEGMENTS, SLICED

pytest.importorskip("distributed")
ROOT = Path(__file__).parents[2]
CONFIG = """
version: 1
report: {title: Streamed}
task: binary
datasets: {test: {path: rows.parquet, id: id, target: y, MORE}}
models: {old: {column: old, scale: score, role: baseline}, new: {column: new, scale: score}}
metrics: [roc_auc, gini]
primary: {metric: roc_auc}
bootstrap: {replicates: 99, weights: poisson}
sensitivity: none
curves: []
compute: {engine: ENGINE}
outputs: [json]
"""
NOWHERE = "{dask: 'tcp://127.0.0.1:1'}"
# The run itself, which keeps each state; the cluster's process ends once the first sums are in.
RUN = """
import os, signal, sys
from reportgen.streaming import run
from reportgen.__main__ import main
from reportgen.streaming import states
states.GROUPS_BETWEEN_STATES = 0.0
cluster, adding = int(sys.argv.pop()), run.RunningState.add
def add(running, state):
    if cluster and ("sum", "drawn") in state:
        os.kill(cluster, signal.SIGKILL)
    adding(running, state)
run.RunningState.add = add
sys.exit(main())
"""


# The same cluster, which gives up a row group at the first end of its worker.
IMPATIENT = """
import runpy, sys
import dask
if __name__ == "__main__":
    put = dask.config.set
    dask.config.set = lambda given: put(dict.fromkeys(given, 0))
    runpy.run_path(sys.argv.pop(1), run_name="__main__")
"""


@contextmanager
def running(*before):
    """A cluster of two workers on this machine, in a process of its own, and its address."""
    script = str(ROOT / "configs" / "local_cluster.py")
    # A script that runs it in the background has it ignore Ctrl-C.
    ignoring = ["sh", "-c", "trap '' INT; exec \"$@\"", "sh"]
    command = [*ignoring, sys.executable, *before, script, "0"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environ) as process:
        try:
            line = process.stdout.readline()
            assert "two workers at tcp://127.0.0.1:" in line
            yield process.pid, line.split("at ")[1].split(";")[0]
        finally:
            process.send_signal(signal.SIGINT)


TO_AMOUNTS = (
    ("task: binary", "task: regression"),
    ("scale: score, role", "role"),
    ("{column: new, scale: score}", "{column: new}"),
    ("[roc_auc, gini]", "[kendall, spearman]"),
    ("metric: roc_auc", "metric: kendall"),
)


@pytest.fixture(scope="module")
def cluster():
    with running() as (_, address):
        yield address


@pytest.fixture(scope="module")
def table():
    return many_rows()


def workers(address):
    """The process of each worker."""
    from distributed import Client

    with Client(address, set_as_default=False) as client:
        return list(client.run(os.getpid).values())


def by_dask(address):
    return f"{{dask: '{address}'}}"


@pytest.mark.full
def test_a_cluster_and_the_end_of_a_worker_move_no_byte(tmp_path, table, cluster, monkeypatch):
    first = told(tmp_path / "0", table, [50_000], threads=1)
    assert told(tmp_path / "1", table, [N], threads=2) == first
    for groups in ([50_000], [77_777], [N]):
        assert told(tmp_path / f"by {groups[0]}", table, groups, by_dask(cluster)) == first
    was, adding, killed = workers(cluster), RunningState.add, []

    def add(running, state):
        """When the first sums are in, one of the workers ends."""
        if not killed and ("sum", "drawn") in state:
            killed.append(was[0])
            os.kill(was[0], signal.SIGKILL)
        adding(running, state)

    monkeypatch.setattr(RunningState, "add", add)
    assert told(tmp_path / "killed", table, [6_000], by_dask(cluster)) == first
    assert killed and was[0] not in workers(cluster)


@pytest.mark.full
def test_row_groups_that_dask_gives_up_are_sent_again(tmp_path, table, monkeypatch):
    first, again = told(tmp_path / "0", table, [20_000]), []
    adding, anew = RunningState.add, dask.Cluster._send_pass

    def add(running, state):
        """When the first sums are in, both workers end."""
        if not again and ("sum", "drawn") in state:
            again.append("ended")
            for process in processes:
                os.kill(process, signal.SIGKILL)
        adding(running, state)

    def sent(work):
        again.extend(["sent"] if again else [])
        return anew(work)

    monkeypatch.setattr(RunningState, "add", add)
    monkeypatch.setattr(dask.Cluster, "_send_pass", sent)
    with running("-c", IMPATIENT) as (_, address):
        processes = workers(address)
        assert told(tmp_path / "1", table, [20_000], by_dask(address)) == first
    assert again[:2] == ["ended", "sent"]


def refuse_other_bytes(tmp_path, cluster, monkeypatch, kind, more):
    """Refuse that two workers, one of which ends in the midst, find anything else than a stream."""
    config = test_engines.write_rows(tmp_path, kind, more)
    stream = archived(results_of(written(tmp_path, config, "stream", more)))
    was, adding, killed = workers(cluster), RunningState.add, []

    def add(running, state):
        """When the first sums are in, one of the workers ends."""
        if not killed and ("sum", "drawn") in state:
            killed.append(was[0])
            os.kill(was[0], signal.SIGKILL)
        adding(running, state)

    monkeypatch.setattr(RunningState, "add", add)
    assert archived(results_of(written(tmp_path, config, by_dask(cluster), more))) == stream
    assert killed and was[0] not in workers(cluster)


@pytest.mark.full
@pytest.mark.parametrize(
    ("kind", "more"),
    [*product(test_engines.CASES, SEGMENTS[1:])],
)
def test_a_worker_that_ends_moves_no_byte_of_any_task(tmp_path, cluster, monkeypatch, kind, more):
    refuse_other_bytes(tmp_path, cluster, monkeypatch, kind, more)


@pytest.mark.parametrize("changes", [(), TO_AMOUNTS])
def test_ranks_and_filters_are_those_of_one_machine(tmp_path, cluster, monkeypatch, changes):
    monkeypatch.setenv("CLUSTER", cluster)
    draw = many_rows().slice(0, 9_000)
    y = [int(value > 3) for value in draw["y"].to_pylist()]
    rows = draw.set_column(1, "y", pa.array(y)).set_column(2, "old", draw["w"])
    parquet.write_table(rows, tmp_path / "rows.parquet", row_group_size=2_000)
    found = [
        results_of(written(tmp_path, CONFIG, engine, 'filter: "id > 100 and w < 9"', *changes))
        for engine in ("stream", by_dask("${CLUSTER}"))
    ]
    assert found[0].estimates == found[1].estimates
    assert found[0].comparisons == found[1].comparisons
    assert found[1].datasets[0].is_streamed
    assert cluster not in repr(found[1])


def archived(results):
    """All that a file of results holds but its config and the moment."""
    written = json.loads(archive.dump_results(results))
    return {**written, "provenance": None, "config": None, "digests": None}


@pytest.mark.parametrize("fault", test_engines.FAULTS)
def test_a_fault_that_a_worker_found_reads_as_in_memory(tmp_path, cluster, fault):
    engines = ("memory", by_dask(cluster))
    told = [test_engines.say_fault(tmp_path, fault, engine) for engine in engines]
    assert told[0] == told[1]


def test_a_fault_that_memory_does_not_see_says_which_worker_found_it(
    tmp_path, cluster, monkeypatch
):
    monkeypatch.setattr(run, "MEMORY", 1.0)  # bytes: rows are not held
    _, said = test_engines.say_fault(tmp_path, "infinite", by_dask(cluster))
    assert "infinite" in said and "so the Dask worker tcp://127.0.0.1:" in said.splitlines()[-1]


def test_a_worker_with_other_code_is_refused(tmp_path, table, cluster, monkeypatch):
    monkeypatch.setattr(dask, "_code", lambda: "another")
    with pytest.raises(ClusterError, match="has other code than this run"):
        told(tmp_path / "rows", table, [N], by_dask(cluster))


def test_a_file_that_is_another_one_is_refused(tmp_path):
    rows = many_rows().slice(0, 500)
    path = written(tmp_path, CONFIG, "stream", "role: test")
    parquet.write_table(rows, tmp_path / "rows.parquet")
    (request,) = build_dataset_requests(read_config(path, build_vocabulary(), environ={}))
    opened = open_row_groups(request)
    opened.refuse_other(opened.groups[0])
    parquet.write_table(rows.slice(1), tmp_path / "rows.parquet")
    with pytest.raises(DataError, match=r"rows.parquet: is not the file that the run began with"):
        opened.refuse_other(opened.groups[0])


@pytest.mark.full
def test_a_lost_scheduler_ends_with_4_and_leaves_the_last_report(tmp_path, table):
    told(tmp_path, table, [6_000])  # writes the rows and a config
    command = [sys.executable, "-c", RUN, "run", "config.yaml", "--out", "out"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path / "kept")}

    def run(*more):
        return subprocess.run(
            [*command, *more], cwd=tmp_path, env=environ, capture_output=True, text=True
        )

    assert run("--no-cache", "0").returncode == 0
    before = (tmp_path / "out" / "results.json").read_bytes()
    with running() as (process, address):
        engine = f"compute.engine={{dask: '{address}'}}"
        lost = run("--allow-remote", "--set", engine, str(process))
    assert lost.returncode == 4, lost.stderr
    assert lost.stderr.splitlines()[-1].startswith(f"{address}: the Dask scheduler was lost")
    assert "Traceback" not in lost.stderr and "distributed" not in lost.stderr
    assert (tmp_path / "out" / "results.json").read_bytes() == before
    again = run("0")
    assert again.returncode == 0 and "adding up and resampling, from row" in again.stderr
    mine, other = json.loads(before), json.loads((tmp_path / "out" / "results.json").read_text())
    assert mine["estimates"] == other["estimates"]


def test_a_scheduler_that_does_not_answer_is_told_of(tmp_path, table, monkeypatch):
    monkeypatch.setattr(dask, "ANSWER", 0.5)
    with pytest.raises(ClusterError, match=r"127\.0\.0\.1:1: no Dask scheduler answers there"):
        told(tmp_path / "rows", table, [N], NOWHERE)


class Listener:
    """A socket that counts who connects, and answers what a web server would."""

    def __enter__(self):
        self.visitors, self._socket = 0, socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self._socket.getsockname()[1]}"
        Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._socket.close()

    def _serve(self):
        with suppress(OSError):
            while True:
                visitor, _ = self._socket.accept()
                self.visitors += 1
                with visitor:
                    visitor.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 9)


@pytest.mark.parametrize("command", ["run", "validate", "validate --data"])
def test_a_config_alone_connects_to_nothing(tmp_path, table, command, capfd):
    told(tmp_path, table, [N])  # writes the rows and a config
    with Listener() as listener:
        words = [*command.split(), str(tmp_path / "config.yaml")]
        code = call(*words, "--set", f"compute.engine={{dask: '{listener.address}'}}")
        assert listener.visitors == 0
    said = capfd.readouterr().err
    if command == "run":
        assert code == 2 and said.endswith(f"if you trust {listener.address}, add --allow-remote\n")


def test_what_is_no_scheduler_ends_with_one_line(tmp_path, table, monkeypatch):
    monkeypatch.setattr(dask, "ANSWER", 2)
    with Listener() as listener, pytest.raises(ClusterError) as refused:
        told(tmp_path, table, [N], by_dask(listener.address))
    assert listener.visitors
    assert str(refused.value).startswith(f"{listener.address}: no Dask scheduler answers there")


@pytest.mark.parametrize(
    ("engine", "said"),
    [
        ("{dask: here}", "'here' is not the address of a Dask scheduler such as tcp://host:8786"),
        (
            NOWHERE,
            "engine: dask needs distributed, which is not installed; run: pip install "
            "'distributed>=2025.1'",
        ),
    ],
)
def test_no_address_and_no_dask_are_told_with_their_place(tmp_path, monkeypatch, engine, said):
    monkeypatch.setitem(sys.modules, "distributed", None)
    path = written(tmp_path, CONFIG, engine, "role: test")
    with pytest.raises(ConfigError) as refused:
        results_of(path)
    assert str(refused.value) == f"config.yaml:12:26: {said}".replace("config.yaml", str(path))


@pytest.mark.parametrize("kind", test_engines.CASES)
def test_what_is_sent_finds_what_a_stream_finds(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(dask, "_get_worker_address", lambda: "here")
    config = test_engines.write_rows(tmp_path, kind, SLICED, few=True)
    loaded = read_config(
        written(tmp_path, config, "stream", SLICED), build_vocabulary(), environ={}
    )
    (request,) = build_dataset_requests(loaded)
    table = open_row_groups(request)
    reader = passes.build_reader(loaded.config, request, table, 1_000)
    for work in (passes.SurveyPass(reader), passes.SumPass(reader, {}, grain_of(reader.layout))):
        sent = pickle.loads(pickle.dumps(work))
        for group in table.groups:
            own, other = work(group), dask._compute_state(sent, group, dask._code(), False)
            assert own.keys() == other.keys()
            assert all(own[name].tobytes() == other[name].tobytes() for name in own)


def grain_of(layout):
    """Grains of all sums of small numbers."""
    return column_grains(layout.bounds(np.full(layout.columns, 1e6), 10.0))


@pytest.mark.full
def test_what_is_sent_holds_no_code(tmp_path, table):
    told(tmp_path, table, [50_000])
    loaded = read_config(tmp_path / "config.yaml", build_vocabulary(), environ={})
    (request,) = build_dataset_requests(loaded)
    reader = passes.build_reader(loaded.config, request, open_row_groups(request), 1_000)
    assert reader.layout.columns
    content = pickle.dumps((dask._compute_state, passes.SurveyPass(reader)), 2)
    named = {
        argument.split(" ")[0]
        for opcode, argument, _ in pickletools.genops(content)
        if opcode.name == "GLOBAL"
    }
    known = {"reportgen", "numpy", "pathlib", "pyarrow", "copyreg", "__builtin__", "_codecs"}
    assert {name.partition(".")[0] for name in named} <= known, named
    assert "reportgen.streaming.passes" in named

"""A scheduler that speaks Dask's protocol and means no good: one line, an end, and what it can do.

`--allow-remote` trusts the scheduler: what it sends is unpickled, and so may run code. That is the
reason why a config alone connects to nothing. These tests ask that nothing else happens.
"""

import asyncio
import time
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

import pyarrow as pa
import pytest
from pyarrow import parquet

from reportgen.streaming import dask
from tests.end_to_end.wallet import call
from tests.streaming.configs import written
from tests.streaming.test_dask import CONFIG

pytest.importorskip("distributed")
from distributed.core import Server
from distributed.protocol.serialize import ToPickle

GARBAGE = b"\x02\x00\x00\x00\x00\x00\x00\x00" + b"\xff" * 200
PROMISED = 1.0  # seconds that a run may wait for an answer here
IDENTITY = {"type": "Scheduler", "id": "S", "address": "", "services": {}, "workers": {}}


class Payload:
    """What touches a file once it is unpickled."""

    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return Path.touch, (Path(self.marker),)


async def say_garbage(comm, marker):
    comm.stream.write(GARBAGE)
    await asyncio.sleep(0.2)


async def promise_too_much(comm, marker):
    comm.stream.write((1 << 62).to_bytes(8, "little") + b"\x01" * 64)
    await asyncio.sleep(0.2)


async def say_nothing(comm, marker):
    await asyncio.sleep(60)


async def hang_up(comm, marker):
    comm.abort()


async def say_a_number(comm, marker):
    await comm.write(7)


async def raise_an_error(comm, marker):
    raise ValueError("\x1b[31mTraceback (most recent call last):\n::error::no")


async def send_a_payload(comm, marker):
    await comm.write({**IDENTITY, "id": ToPickle(Payload(marker))})


async def send_a_payload_in_a_stream(comm, marker):
    await comm.write([{"op": "key-in-memory", "key": ToPickle(Payload(marker))}])


async def send_odd_operations(comm, marker):
    await comm.write([{"op": "no such"}, {"op": 7}, 7, {}, {"op": "lost-data", "key": None}])
    await asyncio.sleep(60)


FIRST = {
    "garbage": say_garbage,
    "a length of 2^62": promise_too_much,
    "nothing": say_nothing,
    "no more": hang_up,
    "a number": say_a_number,
    "an error": raise_an_error,
    "a payload": send_a_payload,
}
LATER = {**FIRST, "a payload": send_a_payload_in_a_stream, "odd operations": send_odd_operations}
"""What it does when it is asked who it is, or once it has taken the client in."""
QUICK = ("garbage", "a payload")


class FalseScheduler:
    """A server of Dask's own, in a thread, which does one thing at the first chance or later."""

    def __init__(self, first, later, marker):
        self.first, self.later, self.marker, self.asked = first, later, marker, 0
        self._ready, self._stop = Event(), None

    def __enter__(self):
        self._thread = Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        assert self._ready.wait(20)
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(5)

    async def _serve(self):
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()

        async def tell(comm, **_):
            self.asked += 1
            if self.first is None:
                return {**IDENTITY, "address": self.address}
            await self.first(comm, self.marker)
            return "dont-reply"

        async def take_in(comm, **_):
            await comm.write([{"op": "stream-start"}])
            await self.later(comm, self.marker)
            return "dont-reply"

        server = Server({"identity": tell, "register-client": take_in})
        await server.listen("tcp://127.0.0.1:0")
        self.address = server.address
        self._ready.set()
        await self._stop.wait()
        with suppress(Exception):
            await asyncio.wait_for(server.close(), 1)


@pytest.fixture
def config(tmp_path):
    rows = {"id": range(300), "y": [k % 2 for k in range(300)], "old": [0.5] * 300}
    columns = {**rows, "new": [k / 300 for k in range(300)]}
    parquet.write_table(pa.table(columns), tmp_path / "rows.parquet", row_group_size=100)
    return written(tmp_path, CONFIG, "stream", "role: test")


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # of sockets that Dask leaves open
@pytest.mark.parametrize(
    ("moment", "way"),
    [
        pytest.param(moment, way, marks=() if way in QUICK else pytest.mark.full)
        for moment, ways in (("first", FIRST), ("later", LATER))
        for way in ways
    ],
)
def test_a_false_scheduler_ends_a_run_with_one_line(
    config, tmp_path, monkeypatch, capfd, moment, way
):
    monkeypatch.setattr(dask, "ANSWER", PROMISED)
    monkeypatch.setattr(dask, "WORKERS", PROMISED)
    out, marker = tmp_path / "out", tmp_path / "marker"
    ways = (FIRST[way], None) if moment == "first" else (None, LATER[way])
    with FalseScheduler(*ways, marker) as scheduler:
        engine = f"compute.engine={{dask: '{scheduler.address}'}}"
        words = ("run", config, "--out", out, "--quiet", "--set", engine)
        assert call(*words) == 2  # a config alone connects to nothing
        assert scheduler.asked == 0 and "add --allow-remote" in capfd.readouterr().err
        begun = time.monotonic()
        assert call(*words, "--allow-remote") == 4
        taken = time.monotonic() - begun
        assert scheduler.asked
    error = capfd.readouterr().err
    assert error.startswith(f"{scheduler.address}: ") and error.count("\n") == 1, error
    assert taken < 10 * PROMISED
    assert not out.exists()
    assert marker.exists() == (way == "a payload")  # the docs say so: it is to be trusted

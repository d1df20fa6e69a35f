"""Passes over row groups by a Dask cluster."""

from __future__ import annotations

import logging
import pickle
import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any
from uuid import uuid4
from warnings import catch_warnings, simplefilter

from reportgen.data.row_groups import RowGroup
from reportgen.errors import ClusterError, ConfigError, DataError, Problem, ReportgenError
from reportgen.inference.resampling.cache import digest_code
from reportgen.records import record
from reportgen.streaming.passes import Pass
from reportgen.streaming.states import State
from reportgen.text import are_values_hidden, hide_values
from reportgen.version import __version__, describe_missing_package

if TYPE_CHECKING:
    from distributed import Client, Future

ADDRESS = re.compile(r"tcp://[^/\s@]+:[0-9]{1,5}")
ANSWER = 10  # seconds within which a scheduler answers
WORKERS = 60  # seconds within which there is a worker
MOST_WAITING = 2  # row groups that wait by thread of the cluster
MOST_RETRIES = 2  # times a row group is sent again: by default Dask gives it up after four workers


@record
class WorkerFailure:
    """An error that a user can act on, as a worker found it.

    It is of the `problems` of the config, or else of a file if it `is_of_data`.
    """

    lines: tuple[str, ...]
    is_of_data: bool = False
    problems: tuple[Problem, ...] = ()


class Cluster:
    """The workers of a cluster as what makes a pass over row groups."""

    def __init__(self, client: Client, shown: str) -> None:
        self._client, self._shown = client, shown
        self._wait_for_workers()

    @property
    def threads(self) -> int:
        """How many row groups a worker process holds at a time, at most."""
        return max(self._threads().values(), default=1)

    @property
    def holding(self) -> str:
        """The same in words."""
        return f"{self.threads} threads a worker"

    def states(self, work: Pass, groups: Sequence[RowGroup]) -> Iterator[State]:
        """Yield the state of each row group, in their order."""
        self._content = pickle.dumps(work)
        self._send_pass()
        most = MOST_WAITING * max(1, sum(self._threads().values()))
        waiting: deque[tuple[RowGroup, Future]] = deque()
        for group in groups:
            waiting.append((group, self._ask_for(group)))
            if len(waiting) >= most:
                yield self._state(*waiting.popleft())
        while waiting:
            yield self._state(*waiting.popleft())

    def _send_pass(self) -> None:
        """Send the pass, which workers fetch once each, or send it again.

        With the workers that ended Dask may have given it up, too.
        """
        with catch_warnings():
            simplefilter("ignore")  # of its size: some megabytes, once a pass
            self._work = self._submit(_unpickle_pass, self._content)

    def _ask_for(self, group: RowGroup) -> Future:
        """Ask for the state of a row group."""
        return self._submit(_compute_state, self._work, group, _code(), are_values_hidden())

    def _submit(self, function: Callable[..., Any], *given: Any) -> Future:
        key = f"reportgen-{function.__name__.strip('_')}-{uuid4().hex}"
        return self._client.submit(function, *given, key=key, pure=False)

    def _state(self, group: RowGroup, future: Future) -> State:
        """Wait for the state of a row group; if its workers ended it is sent again, some times."""
        from distributed import KilledWorker

        for _ in range(MOST_RETRIES + 1):
            try:
                found = self._result(future)
            except KilledWorker:
                self._send_pass()
                future = self._ask_for(group)
                continue
            if not isinstance(found, WorkerFailure):
                return found
            if found.problems:
                raise ConfigError(found.problems)
            raise (DataError if found.is_of_data else ClusterError)(*found.lines)
        raise ClusterError(
            f"{self._shown}: workers ended whenever they read rows {group.before + 1:,} to "
            f"{group.before + group.rows:,}, perhaps for lack of memory; give each more, or write "
            "the files with smaller row groups"
        )

    def _result(self, future: Future) -> State | WorkerFailure:
        """What a worker found, once it has; where there is no worker none is waited for."""
        while True:
            try:
                found: State | WorkerFailure = future.result(timeout=ANSWER)
                return found
            except TimeoutError:
                if not self._threads():
                    self._wait_for_workers()
            except BaseException as fault:
                raise self._classify_fault(fault) from None

    def _wait_for_workers(self) -> None:
        try:
            self._client.wait_for_workers(1, timeout=WORKERS)
        except TimeoutError:
            raise ClusterError(
                f"{self._shown}: the Dask scheduler has had no worker for {WORKERS} seconds; start "
                "some with `dask worker`"
            ) from None
        except Exception:  # whatever a scheduler answers that is none, or is lost
            raise self._build_lost_error() from None

    def _threads(self) -> dict[str, int]:
        """The threads of each worker."""
        try:
            return dict(self._client.nthreads())
        except Exception:
            raise self._build_lost_error() from None

    def _classify_fault(self, fault: BaseException) -> BaseException:
        """What a fault is to be told as: one of the connection is no fault of a worker's."""
        is_lost = isinstance(fault, OSError | CancelledError) or self._client.status != "running"
        return self._build_lost_error() if is_lost and isinstance(fault, Exception) else fault

    def _build_lost_error(self) -> ClusterError:
        return ClusterError(
            f"{self._shown}: the Dask scheduler was lost while rows were read; start it and this "
            "run again: it goes on from the rows that it has, unless it ran with --no-cache"
        )


@contextmanager
def connect_cluster(address: str, shown: str) -> Iterator[Cluster]:
    """The cluster whose scheduler is at an address; `shown` is what is printed in its place."""
    if not ADDRESS.fullmatch(address):
        said = f"{shown!r} is not the address of a Dask scheduler such as tcp://host:8786"
        raise ConfigError([Problem(said)])
    try:
        from distributed import Client
    except ImportError:
        said = describe_missing_package("engine: dask", "distributed", "dask")
        raise ConfigError([Problem(said)]) from None
    with _quiet("distributed"), catch_warnings():
        simplefilter("ignore")  # of other versions: code that differs is refused with its place
        try:
            client = Client(address, timeout=ANSWER, set_as_default=False)
        except Exception:  # whatever answers there, and the library of what it says
            raise ClusterError(
                f"{shown}: no Dask scheduler answers there; start one with `dask scheduler`"
            ) from None
        try:
            yield Cluster(client, shown)
        finally:
            _close(client)


def _close(client: Client) -> None:
    """Close a client, even if it cannot read what the scheduler sent."""
    try:
        client.close(timeout=ANSWER)
    except Exception:
        client.status = "closed"  # or it is closed again when it is thrown away


@contextmanager
def _quiet(name: str) -> Iterator[None]:
    """Within the block a library logs nothing: what goes wrong is told once, as an error."""
    known = logging.root.manager.loggerDict
    loggers = [logging.getLogger(each) for each in list(known) if each.partition(".")[0] == name]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger, was in zip(loggers, before, strict=True):
            logger.disabled = was


@cache
def _code() -> str:
    """A name for the code of this package, and of what it computes with."""
    return digest_code("data", "streaming", "planning")


def _unpickle_pass(content: bytes) -> Pass:
    """On a worker: the pass that was sent."""
    work: Pass = pickle.loads(content)
    return work


def _compute_state(
    work: Pass, group: RowGroup, code: str, are_hidden: bool
) -> State | WorkerFailure:
    """Compute the state of a row group on a worker; return its error if it fails."""
    where = _get_worker_address()
    if code != _code():
        return WorkerFailure(
            (
                f"the Dask worker {where} has other code than this run, which is of reportgen "
                f"{__version__}; install the same versions of reportgen, NumPy and SciPy on both",
            )
        )
    try:
        with hide_values(are_hidden):
            work.table.refuse_other(group)
            return work(group)
    except ConfigError as error:
        return WorkerFailure((), problems=error.problems)
    except ReportgenError as error:
        seen = f"so the Dask worker {where}, which must see the files under the same path"
        return WorkerFailure((*error.lines, seen), isinstance(error, DataError))
    except OSError as error:
        return WorkerFailure((f"the Dask worker {where} could not read: {error.strerror}",))


def _get_worker_address() -> str:
    from distributed import get_worker

    return str(get_worker().address)

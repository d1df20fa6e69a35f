"""Prepare the process: streams that cannot end a run, memory, open files, threads."""

from __future__ import annotations

import ctypes
import errno
import io
import logging
import mmap
import os
import select
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import TextIO

from reportgen.errors import OutputError
from reportgen.records import record

_UNHEARD = (errno.EPIPE, errno.ECONNRESET)


class FaultTolerantStream(io.RawIOBase):
    """A file handle that takes all that is written; `failure` is why something was dropped."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self.failure: OSError | None = None

    def writable(self) -> bool:
        """Return True, always."""
        return True

    def fileno(self) -> int:
        """Return the handle itself."""
        return self._handle

    def isatty(self) -> bool:
        """Return whether a terminal is behind it."""
        return os.isatty(self._handle)

    def write(self, data: object) -> int:
        """Write all of it, or note why not."""
        view = memoryview(data).cast("B")  # type: ignore[arg-type]
        left = view
        while left and self.failure is None:
            try:
                left = left[os.write(self._handle, left) :]
            except BlockingIOError:  # whoever started us shares a pipe that does not wait
                select.select([], [self._handle], [])
            except OSError as error:
                self.failure = error
        return len(view)


def secure_streams() -> None:
    """Put both streams on sinks; a closed handle is opened on nothing.

    Otherwise the next file that is opened would take its number, and what a library says on
    standard error would be written into that file.
    """
    for handle in (0, 1, 2):
        try:
            os.fstat(handle)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one
    sys.stdout = _wrap_stream(sys.stdout, 1)
    sys.stderr = _wrap_stream(sys.stderr, 2)


def get_stream_failure() -> OSError | None:
    """Why standard output is not whole, if somebody listens and it is not."""
    flush_stream(sys.stdout)
    sink = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    failure = sink.failure if isinstance(sink, FaultTolerantStream) else None
    return None if failure is None or failure.errno in _UNHEARD else failure


def flush_stream(stream: TextIO | None) -> None:
    """Hand on what a stream still keeps."""
    if stream is not None and not stream.closed:
        stream.flush()


def _wrap_stream(stream: TextIO | None, handle: int) -> TextIO:
    """Return a stream that never fails and writes what its encoding lacks as character codes."""
    if os.name == "nt" and isinstance(stream, io.TextIOWrapper):  # a console is no plain handle
        stream.reconfigure(errors="backslashreplace")
        return stream
    flush_stream(stream)
    sink = FaultTolerantStream(handle)
    return io.TextIOWrapper(
        io.BufferedWriter(sink),
        encoding=stream.encoding if stream is not None else "utf-8",
        errors="backslashreplace",
        line_buffering=handle == 2 or sink.isatty(),
    )


MEGABYTE = 1 << 20


@record
class ResourceNeed:
    """The least that a command still takes: megabytes, handles, threads."""

    space: int
    data: int
    files: int
    threads: int


PRINTING_NEED = ResourceNeed(space=400, data=150, files=8, threads=0)
"""Of a command that knows the metrics: the numeric libraries."""
REPORTING_NEED = ResourceNeed(space=1200, data=700, files=24, threads=12)
"""Of one that reads data or draws outputs, measured on small data with one thread of its own."""
_MOST_STORES = -8  # M_ARENA_MAX of glibc's malloc.h; other libraries pass over it
_OF_A_TRIAL = 1 << 18  # bytes of the stack of a thread that only waits
_OF_A_THREAD = 100  # megabytes of address space: its stack and its share of the heap


_FIGURES = "MPLCONFIGDIR"
_given_figure_folder = os.environ.get(_FIGURES)


def remove_figure_folder() -> None:
    """Remove the folder that Matplotlib makes for this process where it can write to no other."""
    made = os.environ.get(_FIGURES)
    if made and made != _given_figure_folder:
        shutil.rmtree(made, ignore_errors=True)


def prepare_libraries() -> None:
    """Keep libraries that load later from taking more than they use, and from printing.

    Linear algebra runs on one thread here, so further ones would only hold memory; and Arrow's own
    allocator reserves a gigabyte at once. Where the C library (glibc) gives each thread a store of
    its own, which grows to the most that the thread ever held, all share one.
    """
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # it warns about read-only folders
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    if os.name == "posix":
        tune = getattr(ctypes.CDLL(None), "mallopt", None)
        if tune is not None:
            tune(_MOST_STORES, 1)


def check_resources(need: ResourceNeed, threads: int = 1) -> None:
    """Stop before any work is done if the system gives less than is needed."""
    space = need.space + _OF_A_THREAD * (threads - 1)
    tries: tuple[tuple[Callable[[], None], str], ...] = (
        (partial(_reserve, space), f"{space} MB of address space (see ulimit -v)"),
        (partial(_commit_memory, need.data), f"{need.data} MB of memory (see ulimit -d)"),
        (partial(_open, need.files), f"{need.files} more open files (see ulimit -n)"),
        (
            partial(_start_threads, need.threads and need.threads + threads),
            f"{need.threads + threads} more threads (see ulimit -u; --threads 1 takes fewest)",
        ),
    )
    for attempt, what in tries:
        try:
            attempt()
        except (OSError, RuntimeError, MemoryError):
            raise OutputError(f"this needs about {what}, and the system gives less") from None


def explain_shortage(error: BaseException) -> str | None:
    """Explain which resource ran short, if an error comes from that; None if it does not."""
    for each in _iter_causes(error):
        number, text = getattr(each, "errno", None), str(each)
        if isinstance(each, MemoryError) or number == errno.ENOMEM or _is_of_memory(text):
            return _format_memory(text)
        if number in (errno.EMFILE, errno.ENFILE) or "Too many open files" in text:
            return "too few open files are allowed; see ulimit -n"
        if any(words in text for words in _NO_FOLDER):
            return "no folder for temporary files is writable; set TMPDIR to one that is"
        if _is_of_threads(each) or "can't start new thread" in text:
            return "too few threads or processes are allowed; see ulimit -u, or use --threads 1"
    return None


_NO_FOLDER = (  # the words of tempfile and of Matplotlib
    "No usable temporary directory found",
    "Matplotlib requires access to a writable cache directory",
)


def _is_of_threads(error: BaseException) -> bool:
    """Tell whether no thread could be started; a pipe that is not ready says EAGAIN as well."""
    is_of_file = getattr(error, "filename", None) or hasattr(error, "characters_written")
    return getattr(error, "errno", None) == errno.EAGAIN and not is_of_file


def _iter_causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the error and the errors that led to it."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = found.__cause__ or found.__context__


def _is_of_memory(text: str) -> bool:
    return "annot allocate memory" in text or "failed to map segment" in text


def _format_memory(text: str) -> str:
    """Describe how much memory was asked for, if the error says so, and the peak in use."""
    wanted = f": {text}" if text.startswith("Unable to allocate") else ""
    return (
        f"not enough memory{wanted}{_format_peak()}; allow more, or give fewer rows or replicates"
    )


def _format_peak() -> str:
    if sys.platform == "win32":
        return ""
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    used //= MEGABYTE if sys.platform == "darwin" else 1024
    return f" beside the {used} MB in use"


def _reserve(megabytes: int) -> None:
    """Reserve addresses that nothing stands behind."""
    _map(megabytes, 0)


def _commit_memory(megabytes: int) -> None:
    """Have memory promised that is not touched."""
    if sys.platform != "win32":
        _map(megabytes, mmap.PROT_READ | mmap.PROT_WRITE)


def _map(megabytes: int, access: int) -> None:
    if sys.platform != "win32":
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        mmap.mmap(-1, megabytes * MEGABYTE, flags=flags, prot=access).close()


def _open(count: int) -> None:
    with ExitStack() as stack:
        for _ in range(count):
            stack.callback(os.close, os.open(os.devnull, os.O_RDONLY))


def _start_threads(count: int) -> None:
    """Start so many threads that all wait for the last."""
    go = threading.Event()
    started = []
    usual = threading.stack_size(_OF_A_TRIAL)  # the C library keeps stacks of threads that are over
    try:
        for _ in range(count):
            thread = threading.Thread(target=go.wait)
            thread.start()
            started.append(thread)
    finally:
        threading.stack_size(usual)
        go.set()
        for thread in started:
            thread.join()

"""Print lines, and standard streams that cannot end a run."""

from __future__ import annotations

import errno
import io
import os
import select
import sys
from typing import TextIO

import click

from reportgen.text import format_line

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


def print_result(text: str) -> int:
    """Print what a command is asked for; the exit code: 4 where it could not be printed."""
    click.echo(text, nl=not text.endswith("\n"))
    return 4 if get_stream_failure() else 0


def print_line(text: str) -> None:
    """One line on standard output, whatever names and values are in it."""
    click.echo(format_line(text))


def print_error(text: str) -> None:
    """Lines on standard error, whatever names and values are in them."""
    for each in text.rstrip("\n").split("\n"):
        click.echo(format_line(each), err=True)

"""What a signal that asks the program to end does, and when.

The first one ends the work by an exception, as Python does it, and later ones change nothing, so
that what has to be tidied is tidied; whoever asks a third time is let go at once. The exception
can be lost where Python has nobody to raise it to (a finalizer, a library's callback): then it is
raised again a moment later, and what was asked decides the exit code in any case.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import ClassVar

ENDING = (signal.SIGINT, signal.SIGTERM)
_AGAIN = 0.05  # seconds until an exception that was lost is raised anew


class _Asked:
    """The signals that came so far, and whether it is too late to raise anything."""

    numbers: ClassVar[list[int]] = []
    is_over = False


class Terminated(BaseException):
    """The system asked the program to end."""


def install_handlers() -> None:
    """Take over the signals that end a program, but for those that its starter has it ignore."""
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _ask)
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, _again)
    sys.unraisablehook = _unraisable


def first_signal() -> int | None:
    """Return the signal that asked first; None if none did."""
    return _Asked.numbers[0] if _Asked.numbers else None


def stop_raising() -> None:
    """Raise nothing any more: the program has ended its work, and is about to leave."""
    _Asked.is_over = True


@contextmanager
def defer_signals() -> Iterator[None]:
    """Do a few steps as one: a signal that comes meanwhile is heard when they are done."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are heard in the main thread only
        return
    came: list[int] = []
    before = {number: signal.getsignal(number) for number in ENDING}
    kept = {n: handler for n, handler in before.items() if handler not in (None, signal.SIG_IGN)}
    for number in kept:
        signal.signal(number, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


def _ask(number: int, _: FrameType | None) -> None:
    _Asked.numbers.append(number)
    if len(_Asked.numbers) > 2:
        os._exit(128 + _Asked.numbers[0])
    if len(_Asked.numbers) == 1:
        _stop()


def _again(*_: object) -> None:
    if _Asked.numbers:
        _stop()


def _stop() -> None:
    if not _Asked.is_over:
        raise KeyboardInterrupt if _Asked.numbers[0] == signal.SIGINT else Terminated


def _unraisable(lost: sys.UnraisableHookArgs) -> None:
    """Raise anew, a moment later, what ends the program; tell the rest as Python does."""
    if lost.exc_type not in (KeyboardInterrupt, Terminated):
        sys.__unraisablehook__(lost)
    elif hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, _AGAIN)

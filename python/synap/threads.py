"""Number of threads that networks run on. All networks of a process share them; results don't depend on it."""

from __future__ import annotations

from synap import _synap, checks


def set_thread_count(count: int) -> None:
    """Sets the number for networks that are loaded from now on, with the caller's thread: 1 to 1024, or 0 for the default.

    The default is that of the variable SYNAP_NUM_THREADS, or the number of processors that the process may use.
    """
    _synap.set_thread_count(checks.integer(count, "count", 0, 1024))


def thread_count() -> int:
    """The number for a network that is loaded now."""
    return _synap.thread_count()

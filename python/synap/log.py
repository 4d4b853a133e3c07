"""Messages of the framework, which go to Python's logger "synap"."""

from __future__ import annotations

import atexit
import enum
import logging
from typing import Union

from synap import _synap

logger = logging.getLogger("synap")


class LogLevel(enum.IntEnum):
    """Lowest level of the messages that are made."""

    VERBOSE = 0  # each run of a network
    INFO = 1  # loaded networks, the NPU's lock
    WARNING = 2  # what works, but probably not as intended
    ERROR = 3
    NONE = 4


# Errors are exceptions; as messages they are of interest to who looks for details only.
_LOGGING_LEVELS = {0: logging.DEBUG, 1: logging.INFO, 2: logging.WARNING, 3: logging.DEBUG}


def set_log_level(level: Union[LogLevel, int]) -> None:
    """Sets the lowest level, instead of the environment variable SYNAP_NB_LOG_LEVEL (0 to 4), by default WARNING."""
    _synap.set_log_level(int(LogLevel(level)))


def _forward(level: int, message: str) -> None:
    logger.log(_LOGGING_LEVELS[level], message)


_synap.set_log_callback(_forward)
atexit.register(_synap.set_log_callback, None)

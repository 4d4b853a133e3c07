"""Names of files, as Python code gives them."""

from __future__ import annotations

import os
from typing import Union

PathLike = Union[str, "os.PathLike[str]"]


def readable(path: PathLike) -> bytes:
    """The name of a file that can be opened, for the extension. An OSError, such as FileNotFoundError, for others."""
    with open(path, "rb"):
        return os.fsencode(path)

"""Running of the commands `python -m synap.classify` and `python -m synap.detect`."""

from __future__ import annotations

import argparse
import sys
from typing import Callable, List, Optional

from synap._synap import Error


def run_command(run: Callable[[argparse.Namespace], None], parse: Callable[[Optional[List[str]]], argparse.Namespace],
                arguments: Optional[List[str]]) -> int:
    """Runs a command, prints its failure as one line, and returns the exit code."""
    try:
        run(parse(arguments))
    except (Error, OSError, ValueError) as error:
        print("Error: %s" % error, file=sys.stderr)
        return 1
    return 0

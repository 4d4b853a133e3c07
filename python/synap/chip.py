"""The chip that the emulated NPU stands for."""

from __future__ import annotations

from synap import _synap


def set_target(name: str) -> None:
    """Sets the chip, by its name or an alias in any case: networks that are loaded from now on have to be compiled for it.

    "" for the default, which is that of the variable SYNAP_TARGET, or any chip.
    """
    if not isinstance(name, str):
        raise TypeError("name is %r, expected a string" % (name,))
    _synap.set_target(name)


def target() -> str:
    """The chip for a network that is loaded now, in capitals; "" for any."""
    return _synap.target()

"""The targets: every fact about a chip, for the rules, the compiler, its help and its docs.

Adding a target is one entry here.
"""

# Published peaks of the NPUs, for a network of 5x5 convolutions, in 10^9 operations per second with operands of 8 and of 16 bits, and
# of their boards' LPDDR4x-3733 memory, of 32 and of 64 bits, in 10^6 bytes per second. The SL16xx chips have the NPUs of VS6x0.
_SMALL_NPU = struct(int16_gops = 450, int8_gops = 1620, memory_megabytes_per_second = 14900)
_LARGE_NPU = struct(int16_gops = 1700, int8_gops = 7650, memory_megabytes_per_second = 29900)

def _target(name, aliases = [], npu = None):
    """A row of TARGETS.

    Args:
      name: in capitals, as artifacts and reports spell it.
      aliases: other names that users may write, in capitals.
      npu: the peaks; None for a chip without an NPU, which nothing is compiled for.

    Returns:
      A struct of these fields.
    """
    return struct(aliases = aliases, name = name, npu = npu)

# In the order in which users read them.
TARGETS = [
    _target("GENERIC"),
    _target("DVF120"),
    _target("VS640", ["VS640A0", "PLATYPUS"], _SMALL_NPU),
    _target("VS680", ["VS680A0", "DOLPHIN"], _LARGE_NPU),
    _target("SL1620"),
    _target("SL1640", npu = _SMALL_NPU),
    _target("SL1680", npu = _LARGE_NPU),
]

# Where a user names none and none is required.
DEFAULT_TARGET = "VS680"

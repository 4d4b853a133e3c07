"""The attributes of a synap_model that limit its time, memory, work on the CPU and quantization error."""

load(":metafile.bzl", "complain")

# Checked against the float network, for which samples are run.
LIMIT_OF_ERROR = "min_sqnr_db"

# Each attribute's largest number, as `synap check` has it.
_LARGEST = {
    "max_arena_kb": 1000000000,
    "max_cpu_macs_percent": 100,
    "max_latency_ms": 1000000000,
    LIMIT_OF_ERROR: 200,
}

# Not numbers: Bazel has no attribute of decimals.
BUDGET_ATTRS = {name: attr.string() for name in _LARGEST}

def budget_attributes(max_latency_ms, max_arena_kb, max_cpu_macs_percent, min_sqnr_db):
    """What a user writes as a budget, as attributes.

    Args:
      max_latency_ms: a number or a string, or None; so are the others.
      max_arena_kb: likewise.
      max_cpu_macs_percent: likewise.
      min_sqnr_db: likewise.

    Returns:
      A dict of BUDGET_ATTRS.
    """
    limits = {
        "max_arena_kb": max_arena_kb,
        "max_cpu_macs_percent": max_cpu_macs_percent,
        "max_latency_ms": max_latency_ms,
        LIMIT_OF_ERROR: min_sqnr_db,
    }
    return {name: limit if type(limit) == "select" else str(limit) for name, limit in limits.items() if limit != None}

def _in_range(text, largest):
    """Whether a text is a decimal from 0 to `largest`: 2, 0.05 or, as Starlark writes a large or small number, 1e-05."""
    mantissa, e, exponent = text.lower().partition("e")
    if e and not (exponent[1:] if exponent[:1] in ["+", "-"] else exponent).isdigit():
        return False
    whole, _, fraction = mantissa.partition(".")
    return (whole + fraction).isdigit() and float(text) <= largest

def budget_limits(ctx):
    """The budget of BUDGET_ATTRS.

    Args:
      ctx: the rule's context.

    Returns:
      A dict of string to string: attributes to decimals; empty without a budget.
    """
    limits = {name: getattr(ctx.attr, name) for name in _LARGEST if getattr(ctx.attr, name)}
    for name, limit in limits.items():
        if not _in_range(limit, _LARGEST[name]):
            complain(ctx, "%s = \"%s\"; write a number from 0 to %d" % (name, limit, _LARGEST[name]))
    if limits and ctx.files.security:
        complain(ctx, "a secure model can't be read, so it has no budget; write it at a synap_model of the same graph without security")
    return limits

"""The chips that models are compiled for, and the build setting that picks one."""

# Names and aliases as in //compiler/target; target_names_test holds the two against each other.
TARGETS = {
    "SL1640": [],
    "SL1680": [],
    "VS640": ["VS640A0", "PLATYPUS"],
    "VS680": ["VS680A0", "DOLPHIN"],
}

SynapTargetInfo = provider(
    doc = "The value of a target build setting.",
    fields = {"name": "string: the target's name, never an alias."},
)

def resolve_target(name):
    """The target that a name or an alias stands for.

    Args:
      name: as a user wrote it; case doesn't matter.

    Returns:
      The name, a key of TARGETS, or None if there is no such target.
    """
    wanted = name.upper()
    for target, aliases in TARGETS.items():
        if wanted == target or wanted in aliases:
            return target
    return None

def unknown_target(name):
    """The sentence that tells a user which targets there are.

    Args:
      name: what isn't one.

    Returns:
      A string to put after the place where it was written.
    """
    names = [target + (" (or %s)" % ", ".join(aliases) if aliases else "") for target, aliases in TARGETS.items()]
    return "no target is called '%s'; write one of %s" % (name, ", ".join(names))

def _target_setting_impl(ctx):
    target = resolve_target(ctx.build_setting_value)
    if not target:
        # As the user writes it: --//rules:target here, --@synap//rules:target in another workspace.
        repository = "@" + ctx.label.workspace_name if ctx.label.workspace_name else ""
        option = "--%s//%s:%s" % (repository, ctx.label.package, ctx.label.name)
        fail("%s: %s" % (option, unknown_target(ctx.build_setting_value)))
    return SynapTargetInfo(name = target)

target_setting = rule(
    implementation = _target_setting_impl,
    doc = "A command line option that names a target.",
    build_setting = config.string(flag = True),
)

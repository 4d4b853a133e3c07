"""The chips that models are compiled for, and the build setting that picks one."""

load("//compiler/target:targets.bzl", "TARGETS")

_TARGETS_WITH_NPU = [target for target in TARGETS if target.npu]

SynapTargetInfo = provider(
    doc = "The value of a target build setting.",
    fields = {"name": "string: the target's name, never an alias."},
)

def resolve_target(name):
    """The target that a name or an alias stands for.

    Args:
      name: as a user wrote it; case doesn't matter.

    Returns:
      The target's name, or None if there is no such target.
    """
    wanted = name.upper()
    for target in _TARGETS_WITH_NPU:
        if wanted == target.name or wanted in target.aliases:
            return target.name
    return None

def unknown_target(name):
    """The sentence that tells a user which targets there are.

    Args:
      name: the unknown name.

    Returns:
      A string that follows the place where the name was written.
    """
    names = [target.name + (" (or %s)" % ", ".join(target.aliases) if target.aliases else "") for target in _TARGETS_WITH_NPU]
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

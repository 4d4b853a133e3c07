"""The chips that models are compiled for, and the build setting that picks one."""

SynapTargetNamesInfo = provider(
    doc = "The names and files of all targets.",
    fields = {
        "files": "dict of string to File: each target's name to its file.",
        "names": "dict of string to string: each name and alias, in capitals, to the target's name.",
    },
)

SynapTargetInfo = provider(
    doc = "The value of a target build setting.",
    fields = {
        "is_default": "bool: whether the target is that of a user who names none.",
        "name": "string: the target's name, never an alias.",
    },
)

# Of rules that resolve the name of a target.
TARGET_NAMES_ATTRS = {
    "_target_names": attr.label(default = "//compiler/target:names", providers = [SynapTargetNamesInfo]),
}

# Among the words of one file's name: the target where a user names none.
_DEFAULT = "DEFAULT"

def _target_names_impl(ctx):
    names = {}
    files = {}
    for file in ctx.files.files:
        words = file.basename.upper().split(".")[:-1]
        for word in words:
            if word in names:
                fail("%s: the name %s is taken by target %s, expected another one; rename the file" % (file.short_path, word, names[word]))
            names[word] = words[0]
        files[words[0]] = file
    return [SynapTargetNamesInfo(files = files, names = names)]

target_names = rule(
    implementation = _target_names_impl,
    doc = "The names of targets, from those of their files: vs680.vs680a0.yaml is VS680, or VS680A0.",
    attrs = {"files": attr.label_list(allow_files = [".yaml"])},
)

def target_files(ctx, name):
    """The file of a target, and those that it may inherit from.

    Args:
      ctx: the context of a rule with TARGET_NAMES_ATTRS.
      name: a target's name, as resolve_target gives it.

    Returns:
      A struct of name, file (File) and all (list of File).
    """
    files = ctx.attr._target_names[SynapTargetNamesInfo].files
    return struct(all = files.values(), file = files[name], name = name)

def _edit_distance(a, b):
    row = range(len(b) + 1)
    for i in range(len(a)):
        above, row = row, [i + 1]
        for j in range(len(b)):
            row.append(min(above[j] + (0 if a[i] == b[j] else 1), above[j + 1] + 1, row[j] + 1))
    return row[-1]

def resolve_target(ctx, name):
    """The target that a name or an alias stands for.

    Args:
      ctx: the context of a rule with TARGET_NAMES_ATTRS.
      name: as a user wrote it; case doesn't matter.

    Returns:
      The target's name, or None if there is no such target.
    """
    return ctx.attr._target_names[SynapTargetNamesInfo].names.get(name.upper())

def unknown_target(ctx, name):
    """The sentence that tells a user which targets there are, the nearest first.

    Args:
      ctx: the context of a rule with TARGET_NAMES_ATTRS.
      name: the unknown name.

    Returns:
      A string that follows the place where the name was written.
    """
    names = ctx.attr._target_names[SynapTargetNamesInfo].names
    words = {}
    for word, target in names.items():
        words[target] = words.get(target, []) + [word]
    distances = {target: min([_edit_distance(name.upper(), word) for word in words[target]]) for target in words}
    described = []
    for target in sorted(sorted(words), key = distances.get):
        aliases = [word for word in words[target] if word not in [target, _DEFAULT]]
        described.append(target + (" (or %s)" % ", ".join(aliases) if aliases else ""))
    return "no target is called '%s'; write one of %s" % (name, ", ".join(described))

def _target_setting_impl(ctx):
    target = resolve_target(ctx, ctx.build_setting_value)
    if not target:
        # As the user writes it: --//rules:target here, --@synap//rules:target in another workspace.
        # Newer versions of Bazel mark the names of modules: synap~, synap+.
        name = ctx.label.workspace_name.split("~")[0].split("+")[0]
        repository = "@" + name if name else ""
        option = "--%s//%s:%s" % (repository, ctx.label.package, ctx.label.name)
        fail("%s: %s" % (option, unknown_target(ctx, ctx.build_setting_value)))
    return SynapTargetInfo(is_default = target == resolve_target(ctx, _DEFAULT), name = target)

target_setting = rule(
    implementation = _target_setting_impl,
    doc = "A command line option that names a target.",
    attrs = TARGET_NAMES_ATTRS,
    build_setting = config.string(flag = True),
)

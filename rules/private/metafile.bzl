"""The attributes that say which model is converted, and how they are checked."""

load("//compiler/import:frameworks.bzl", "FRAMEWORKS", "MODEL_SUFFIXES", "framework_of")
load(":providers.bzl", "SynapMetafileInfo")

_META_SUFFIXES = ["yaml", "yml"]

METAFILE_ATTRS = {
    "data": attr.label_list(
        allow_files = True,
        doc = "What the metafile refers to with ${FILE:}, and the files of external data of the model.",
    ),
    "env": attr.string_dict(doc = "The variables that ${ENV:} in the metafile sees; those of the machine aren't seen."),
    "meta": attr.label(allow_single_file = True, doc = "The conversion metafile, a .yaml file; without it all is as the model says."),
    "missing_files": attr.string_list(doc = "Names of this package that no file in its folder has; see the function missing_files."),
}

def missing_files(labels):
    """Which of some labels are no files in the source tree: Bazel itself finds out when an action wants them.

    Args:
      labels: of files, or None. Only those without a package are looked for.

    Returns:
      Names, for the attribute missing_files; targets that make files are among them.
    """
    names = [label.lstrip(":") for label in labels if type(label) == type("") and label[:1] not in ["/", "@"]]
    found = native.glob(names, allow_empty = True) if names else []
    return [name for name in names if name not in found]

def complain(ctx, sentence):
    """Fails the analysis, naming rule and target.

    Args:
      ctx: the rule's context; its attribute _rule names the rule.
      sentence: what is wrong; what to write.
    """
    fail("%s %s: %s" % (ctx.attr._rule, ctx.label, sentence))

def _check_found(ctx, attribute, file):
    """Refuses a file of this package's folder that isn't there. Those of other packages and those that rules make are taken as they are."""
    label = file.owner
    if not file.is_source or (label.workspace_name, label.package) != (ctx.label.workspace_name, ctx.label.package):
        return
    if label.name in ctx.attr.missing_files:
        complain(ctx, "%s = %s: no such file in folder '%s'; write the label of a file" % (attribute, label.name, label.package))

def _check_suffix(ctx, attribute, file, suffixes):
    if file.extension.lower() not in suffixes:
        complain(ctx, "%s = %s; write the label of a %s file" % (attribute, file.basename, " or ".join(["." + s for s in suffixes])))

def model_file(ctx):
    """The file of attribute `model`.

    Args:
      ctx: the rule's context.

    Returns:
      A File of a known format.
    """
    _check_suffix(ctx, "model", ctx.file.model, MODEL_SUFFIXES)
    _check_found(ctx, "model", ctx.file.model)
    return ctx.file.model

def weights_file(ctx):
    """The file of attribute `weights`.

    Args:
      ctx: the rule's context.

    Returns:
      A File, or None for a model that has its weights in itself.
    """
    suffix = framework_of(ctx.file.model).weights if ctx.file.model else ""
    if suffix and not ctx.file.weights:
        complain(ctx, "model = %s has its weights in a second file; write weights = \"<file>.%s\"" % (ctx.file.model.basename, suffix))
    if ctx.file.weights and not suffix:
        known = ["%s networks; leave it out, or write model = \"<file>.%s\"" % (f.name, f.suffixes[0]) for f in FRAMEWORKS if f.weights]
        complain(ctx, "weights is for " + " or ".join(known))
    if ctx.file.weights:
        _check_found(ctx, "weights", ctx.file.weights)
    return ctx.file.weights

def metafile_info(ctx):
    """What METAFILE_ATTRS say.

    Args:
      ctx: the rule's context.

    Returns:
      SynapMetafileInfo.
    """
    if ctx.file.meta:
        _check_suffix(ctx, "meta", ctx.file.meta, _META_SUFFIXES)
        _check_found(ctx, "meta", ctx.file.meta)
    elif ctx.attr.env:
        complain(ctx, "env is for ${ENV:} in a metafile; write meta = \"<file>.yaml\" too, or leave env out")
    return SynapMetafileInfo(data = depset(ctx.files.data), env = ctx.attr.env, file = ctx.file.meta)

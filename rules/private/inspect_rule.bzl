"""The rule behind the macro of inspect.bzl. It has the name that users write: `bazel query 'kind(synap_inspect, //...)'`."""

load(":bazel_version.bzl", "TOOLCHAIN_TRANSITION")
load(":metafile.bzl", "METAFILE_ATTRS", "complain", "metafile_info", "model_file", "weights_file")
load(":stages.bzl", "inspect_model")
load(":target.bzl", "SynapTargetInfo", "TARGET_NAMES_ATTRS", "resolve_target", "unknown_target")
load(":toolchain.bzl", "TOOLCHAIN_TYPE")

def _target_and_stem(ctx):
    """The target's name, and the outputs' path in the package, without suffix: that of a synap_model."""
    name = ctx.label.name
    if not ctx.attr.target:
        wanted = ctx.attr._target[SynapTargetInfo]
        return wanted.name, name if wanted.is_default else "%s/%s" % (wanted.name, name)
    target = resolve_target(ctx, ctx.attr.target)
    if not target:
        complain(ctx, unknown_target(ctx, ctx.attr.target))
    return target, name

def _synap_inspect_impl(ctx):
    target, stem = _target_and_stem(ctx)
    text, json = inspect_model(ctx, model_file(ctx), weights_file(ctx), metafile_info(ctx), target, stem)
    return [
        DefaultInfo(files = depset([text]), runfiles = ctx.runfiles([text])),
        OutputGroupInfo(json = depset([json])),
    ]

synap_inspect = rule(
    implementation = _synap_inspect_impl,
    doc = "Tells what a network holds; see the macro synap_inspect.",
    attrs = dict(
        dict(METAFILE_ATTRS, **TARGET_NAMES_ATTRS),
        _rule = attr.string(default = "synap_inspect"),
        _target = attr.label(default = "//rules:target", providers = [SynapTargetInfo]),
        model = attr.label(mandatory = True, allow_single_file = True),
        target = attr.string(),
        weights = attr.label(allow_single_file = True),
    ),
    toolchains = [TOOLCHAIN_TYPE],
    **TOOLCHAIN_TRANSITION
)

"""synap_report: an HTML page about a model, or about what differs between two."""

load(":bazel_version.bzl", "TOOLCHAIN_TRANSITION")
load(":metafile.bzl", "complain")
load(":providers.bzl", "SynapModelInfo")
load(":stages.bzl", "write_comparison", "write_report")
load(":toolchain.bzl", "TOOLCHAIN_TYPE")

def _synap_report_impl(ctx):
    if ctx.attr.before and ctx.file.analysis:
        complain(ctx, "a comparison shows no quantization errors; leave analysis out, or before")
    model = ctx.attr.model[SynapModelInfo]
    page = ctx.actions.declare_file(ctx.label.name + ".html")
    tables = []
    if ctx.attr.before:
        tables = [ctx.actions.declare_file(ctx.label.name + ".txt")]
        write_comparison(ctx, ctx.attr.before[SynapModelInfo].synap, model.synap, page, tables[0])
    else:
        write_report(ctx, model.synap, model.target, page, ctx.file.analysis)
    return [
        DefaultInfo(files = depset([page]), runfiles = ctx.runfiles([page])),
        OutputGroupInfo(text = depset(tables)),
    ]

synap_report = rule(
    implementation = _synap_report_impl,
    doc = """An HTML page about a model, <name>.html: graph, times, memory and types, or with `before` what differs from another model.

A comparison is also <name>.txt, the table of `synap diff`: output group text.

```
synap_report(
    name = "faces_changes",
    before = ":faces",
    model = ":faces_int16",
)
```""",
    attrs = {
        "analysis": attr.label(allow_single_file = [".json"], doc = "The figures of `synap analyze --json`, for the errors of the layers."),
        "before": attr.label(providers = [SynapModelInfo], doc = "A synap_model for one target, whose differences from `model` are shown."),
        "model": attr.label(mandatory = True, providers = [SynapModelInfo], doc = "A synap_model for one target."),
        "_rule": attr.string(default = "synap_report"),
    },
    toolchains = [TOOLCHAIN_TYPE],
    **TOOLCHAIN_TRANSITION
)

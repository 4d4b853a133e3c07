"""synap_preprocess_model: a model that only converts pictures, for an input of another model."""

load(":bazel_version.bzl", "TOOLCHAIN_TRANSITION", "enforced")
load(":metafile.bzl", "complain")
load(":providers.bzl", "SynapModelInfo")
load(":stages.bzl", "preprocess_model")
load(":toolchain.bzl", "TOOLCHAIN_TYPE")

def _synap_preprocess_model_impl(ctx):
    if len(ctx.attr.size) not in [0, 2]:
        complain(ctx, "size = %s; write [<width>, <height>] of the pictures in pixels, or leave it out" % ctx.attr.size)
    network = ctx.attr.model[SynapModelInfo]
    made = preprocess_model(ctx, network.synap, network.target, ctx.attr.picture_type, ctx.attr.size, ctx.attr.crop, ctx.attr.input)
    checks = network.checks + [made.check]
    return [
        DefaultInfo(files = depset([made.synap]), runfiles = ctx.runfiles([made.synap] + enforced(checks))),
        SynapModelInfo(
            budget = None,
            checks = checks,
            graph = None,
            info = made.info,
            metafile = None,
            nb = [],
            quantization_info = None,
            report = made.report,
            self_test = 0,
            synap = made.synap,
            target = network.target,
        ),
        OutputGroupInfo(
            _hidden_top_level_INTERNAL_ = depset(enforced(checks)),
            _validation = depset(checks),
            model_info = depset([made.info]),
            report = depset([made.report]),
        ),
    ]

synap_preprocess_model = rule(
    implementation = _synap_preprocess_model_impl,
    doc = """A model that only converts pictures, <name>.synap: its output is the input of another model, which stays as it is.

Several networks may share one conversion, and one network may take pictures of several types. The model's output has the name, type, shape,
layout and quantizer of the network's input, so that both share a buffer, and holds the bytes that the network would make with `preprocess` in its metafile
([preprocessing.md](preprocessing.md)). Provides SynapModelInfo, for the target of `model`; output groups model_info and report.

```
synap_preprocess_model(
    name = "nv12_to_faces",
    model = ":faces",
    picture_type = "nv12",
    size = [1920, 1080],
)

# synap_cli_od2 -m nv12_to_faces.synap -m2 faces.synap frame_1920x1080.nv12
```""",
    attrs = {
        "crop": attr.bool(doc = "Whether a region of the pictures can be chosen for each run: four further inputs."),
        "input": attr.string(doc = "The name of the network's input, if it has several."),
        "model": attr.label(mandatory = True, providers = [SynapModelInfo], doc = "The network: a synap_model for one target, without `preprocess` for this input."),
        "picture_type": attr.string(mandatory = True, doc = "What the pictures are: a `type` of [preprocessing.md](preprocessing.md#types), such as nv12."),
        "size": attr.int_list(doc = "Width and height of the pictures in pixels; without it those of the network's input."),
        "_rule": attr.string(default = "synap_preprocess_model"),
    },
    toolchains = [TOOLCHAIN_TYPE],
    **TOOLCHAIN_TRANSITION
)

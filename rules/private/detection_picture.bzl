"""detection_picture: a picture with what a detector finds on it."""

load(":bazel_version.bzl", "TOOLCHAIN_TRANSITION")
load(":providers.bzl", "SynapModelInfo")
load(":toolchain.bzl", "TOOLCHAIN_TYPE")

def _detection_picture_impl(ctx):
    synap = ctx.toolchains[TOOLCHAIN_TYPE].synap
    model = ctx.attr.model[SynapModelInfo].synap
    picture = ctx.actions.declare_file(ctx.label.name + ".png")
    ctx.actions.run_shell(
        # The detections, a JSON text, go from the one to the other.
        command = "set -o pipefail; \"$1\" -m \"$2\" \"$3\" | \"$4\" image_od --src \"$3\" --dst \"$5\" >/dev/null",
        arguments = [ctx.executable._detector.path, model.path, ctx.file.picture.path, synap.compiler.path, picture.path],
        inputs = [model, ctx.file.picture],
        outputs = [picture],
        tools = [ctx.attr._detector[DefaultInfo].files_to_run, synap.compiler] + synap.compiler_files,
        mnemonic = "SynapPicture",
        progress_message = "Drawing what %s finds on %s" % (model.short_path, ctx.file.picture.short_path),
    )
    return [DefaultInfo(files = depset([picture]))]

detection_picture = rule(
    implementation = _detection_picture_impl,
    doc = "<name>.png: a picture with the boxes and landmarks that a model finds on it, on the emulated NPU.",
    attrs = {
        "model": attr.label(mandatory = True, providers = [SynapModelInfo], doc = "A detector: a synap_model."),
        "picture": attr.label(mandatory = True, allow_single_file = True, doc = "A .jpg, .png or .bmp file."),
        "_detector": attr.label(default = "//runtime/cli:synap_cli_od", executable = True, cfg = "target"),
    },
    toolchains = [TOOLCHAIN_TYPE],
    **TOOLCHAIN_TRANSITION
)

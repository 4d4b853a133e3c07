"""The rules of tests that run a model; those with goldens stand behind the macros of golden_test.bzl.

Each has the name that users write: `bazel query 'kind(synap_golden_test, //...)'`.
"""

load(":bazel_version.bzl", "TOOLCHAIN_TRANSITION")
load(":metafile.bzl", "complain")
load(":providers.bzl", "SynapModelInfo")
load(":toolchain.bzl", "TOOLCHAIN_TYPE")

_LAUNCHER = """#!/bin/sh
exec {arguments} "$@"
"""

def _quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"

def _program(path):
    """A path that the shell doesn't look up in PATH: that of a program in the root package has no slash."""
    return path if "/" in path else "./" + path

def _launcher(ctx, command, model, arguments, files, models):
    """Writes a script that runs the checker, with paths below the runfiles: tests and `bazel run` start there.

    Args:
      ctx: the rule's context.
      command: the checker's subcommand.
      model: File: the .synap.
      arguments: list of string: further ones.
      files: list of File: what they name.
      models: list of Target: whose runfiles the script needs.

    Returns:
      DefaultInfo.
    """
    checker = ctx.toolchains[TOOLCHAIN_TYPE].synap
    words = [_program(checker.checker.executable.short_path), command, "--model", model.short_path]
    words += ["--name", str(ctx.label).lstrip("@")] + arguments
    launcher = ctx.actions.declare_file(ctx.label.name)
    content = _LAUNCHER.format(arguments = " ".join([_quoted(word) for word in words]))
    ctx.actions.write(launcher, content, is_executable = True)
    runfiles = ctx.runfiles([checker.checker.executable] + files).merge(checker.checker_runfiles)
    for target in models:
        runfiles = runfiles.merge(target[DefaultInfo].default_runfiles)
    return DefaultInfo(executable = launcher, runfiles = runfiles)

def _checker_impl(ctx):
    arguments = []
    for option, value in ctx.attr.options.items():
        arguments += ["--" + option, value]
    if ctx.file.golden:
        arguments += ["--golden", ctx.file.golden.short_path]
    if ctx.file.truth:
        arguments += ["--truth", ctx.file.truth.short_path]
    references = [ctx.attr.reference[SynapModelInfo].synap] if ctx.attr.reference else []
    models = [ctx.attr.model] + ([ctx.attr.reference] if ctx.attr.reference else [])
    for file in references:
        arguments += ["--reference", file.short_path]
    for file in ctx.files.inputs:
        arguments += ["--input", file.short_path]
    model = ctx.attr.model[SynapModelInfo].synap
    return [_launcher(ctx, ctx.attr.command, model, arguments, ctx.files.inputs + ctx.files.golden + ctx.files.truth, models)]

def _checker_rule(doc, test):
    return rule(
        implementation = _checker_impl,
        doc = doc,
        attrs = {
            "command": attr.string(mandatory = True, doc = "The checker's subcommand."),
            "golden": attr.label(allow_single_file = True),
            "inputs": attr.label_list(allow_files = True),
            "model": attr.label(mandatory = True, providers = [SynapModelInfo]),
            "options": attr.string_dict(doc = "Further options of the checker, without --."),
            "reference": attr.label(providers = [SynapModelInfo], doc = "The float model."),
            "truth": attr.label(allow_single_file = [".json"], doc = "What the inputs show."),
        },
        executable = not test,
        test = test,
        toolchains = [TOOLCHAIN_TYPE],
        **TOOLCHAIN_TRANSITION
    )

synap_accuracy_test = _checker_rule("Measures a model on pictures whose content is known; see the macro.", True)
synap_float_test = _checker_rule("Compares a float model with a reference runtime; see the macro.", True)
synap_golden_test = _checker_rule("Compares a model's outputs with a golden; see the macro.", True)
synap_golden_update = _checker_rule("`bazel run` writes the golden of a synap_golden_test or a synap_accuracy_test.", False)

def _synap_verify_test_impl(ctx):
    if SynapModelInfo in ctx.attr.model:
        info = ctx.attr.model[SynapModelInfo]
        if not info.self_test:
            # A synap_preprocess_model is made of no graph, and has no self-test.
            advice = "write self_test = 2 there" if info.graph else "test it with a synap_golden_test"
            complain(ctx, "model = %s has no self-test; %s" % (ctx.attr.model.label, advice))
        return [_launcher(ctx, "verify", info.synap, [], [], [ctx.attr.model])]
    if len(ctx.files.model) != 1 or ctx.files.model[0].extension != "synap":
        complain(ctx, "model = %s is no model; write the label of a synap_model for one target, or of a .synap file" % ctx.attr.model.label)
    return [_launcher(ctx, "verify", ctx.files.model[0], [], ctx.files.model, [])]

synap_verify_test = rule(
    implementation = _synap_verify_test_impl,
    doc = """Runs a model's self-test, as `synap verify` does: on this machine it gives what it gave where it was compiled, bit for bit.

The self-test is a part of the model: samples, and the digests of what the model made of them. A failure names the first layer that gives
something else, by how much, and whether a kernel or the model itself differs. No golden in the source tree is needed, so the test fits a
model that comes from elsewhere, such as a release's .synap file.

```
synap_model(
    name = "faces",
    dataset = glob(["samples/*.jpg"]),
    meta = "faces.yaml",
    model = "faces.onnx",
    self_test = 2,
)

synap_verify_test(
    name = "faces_verify_test",
    model = ":faces",
)
```""",
    attrs = {
        "model": attr.label(
            mandatory = True,
            allow_files = True,
            doc = "A synap_model for one target, with `self_test`, or a .synap file that was converted with --self-test.",
        ),
        "_rule": attr.string(default = "synap_verify_test"),
    },
    test = True,
    toolchains = [TOOLCHAIN_TYPE],
    **TOOLCHAIN_TRANSITION
)

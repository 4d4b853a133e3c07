"""The rules behind the macros of golden_test.bzl. Each has the name that users write: `bazel query 'kind(synap_golden_test, //...)'`."""

load(":bazel_version.bzl", "TOOLCHAIN_TRANSITION")
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

def _checker_impl(ctx):
    """Writes a script that runs the checker, with paths below the runfiles: tests and `bazel run` start there."""
    checker = ctx.toolchains[TOOLCHAIN_TYPE].synap
    model = ctx.attr.model[SynapModelInfo].synap
    arguments = [_program(checker.checker.executable.short_path), ctx.attr.command, "--model", model.short_path]
    arguments += ["--name", str(ctx.label).lstrip("@")]
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
    launcher = ctx.actions.declare_file(ctx.label.name)
    content = _LAUNCHER.format(arguments = " ".join([_quoted(argument) for argument in arguments]))
    ctx.actions.write(launcher, content, is_executable = True)
    files = [checker.checker.executable] + ctx.files.inputs + ctx.files.golden + ctx.files.truth
    runfiles = ctx.runfiles(files).merge(checker.checker_runfiles)
    for target in models:
        runfiles = runfiles.merge(target[DefaultInfo].default_runfiles)
    return [DefaultInfo(executable = launcher, runfiles = runfiles)]

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

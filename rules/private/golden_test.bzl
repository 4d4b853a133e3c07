"""synap_golden_test and synap_float_test: a model's outputs against goldens, on the emulated NPU."""

load(":model.bzl", "synap_model")
load(":providers.bzl", "SynapModelInfo")
load(":toolchain.bzl", "TOOLCHAIN_TYPE")

_LAUNCHER = """#!/bin/sh
exec {arguments} "$@"
"""

def _quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"

def _checker_impl(ctx):
    """Writes a script that runs the checker, with paths below the runfiles: tests and `bazel run` start there."""
    checker = ctx.toolchains[TOOLCHAIN_TYPE].synap
    model = ctx.attr.model[SynapModelInfo].synap
    arguments = [checker.checker.executable.short_path, ctx.attr.command, "--model", model.short_path]
    arguments += ["--name", str(ctx.label).lstrip("@")]
    for option, value in ctx.attr.options.items():
        arguments += ["--" + option, value]
    if ctx.file.golden:
        arguments += ["--golden", ctx.file.golden.short_path]
    for file in ctx.files.inputs:
        arguments += ["--input", file.short_path]
    launcher = ctx.actions.declare_file(ctx.label.name)
    content = _LAUNCHER.format(arguments = " ".join([_quoted(argument) for argument in arguments]))
    ctx.actions.write(launcher, content, is_executable = True)
    files = [model, checker.checker.executable] + ctx.files.inputs + ctx.files.golden
    return [DefaultInfo(executable = launcher, runfiles = ctx.runfiles(files).merge(checker.checker_runfiles))]

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
        },
        executable = not test,
        test = test,
        toolchains = [TOOLCHAIN_TYPE],
        incompatible_use_toolchain_transition = True,
    )

_checker_test = _checker_rule("A test that runs the checker of the toolchain.", True)
_checker_run = _checker_rule("`bazel run`s the checker of the toolchain.", False)

def synap_golden_test(name, model, golden, inputs, size = "medium", tags = [], visibility = None):
    """Runs a model on the emulated NPU and compares its outputs, bit for bit, with a golden file.

    The golden is a JSON text in the source tree: for each input and output the shape, the type, the SHA-256 of the bytes and some of
    the values; for a detector its detections too. A failure says which output differs, in how many of those values, where first and by
    how much. `bazel run <name>.update` writes the golden anew (or at first).

    Args:
      name: the test's name; <name>.update is the target that writes the golden.
      model: a synap_model.
      golden: the golden's file name, in this package.
      inputs: pictures; each is one run.
      size: the test's size.
      tags: tags of both targets.
      visibility: of both targets.
    """
    if not inputs:
        fail("synap_golden_test %s: inputs is empty; write inputs = [\"picture.jpg\"]" % name)
    _checker_run(
        name = name + ".update",
        testonly = True,
        command = "update",
        inputs = inputs,
        model = model,
        options = {"golden": (native.package_name() + "/" if native.package_name() else "") + golden},
        tags = tags,
        visibility = visibility,
    )
    _checker_test(
        name = name,
        command = "check",
        golden = golden,
        inputs = inputs,
        model = model,
        options = {"update-with": "bazel run //%s:%s.update" % (native.package_name(), name)},
        size = size,
        tags = tags,
        visibility = visibility,
    )

def synap_float_test(
        name,
        model,
        golden,
        meta = None,
        tolerance = "1e-4",
        data = [],
        size = "medium",
        tags = [],
        visibility = None):
    """Compiles a network without quantization and compares its outputs with those of a reference runtime.

    The golden is an .npz file with arrays input__<tensor> and output__<tensor>; or, to be small, pattern__<tensor> (the input is
    a drawn pattern) and sampled__<tensor> (some of the output's values). models/zoo/make_goldens.py writes such files with ONNX Runtime.

    Args:
      name: the test's name; <name>_model is the float model.
      model: the trained network.
      golden: the .npz file.
      meta: the conversion metafile; its quantization is not used.
      tolerance: the largest difference allowed, as a part of the output's range.
      data: what the metafile and the model refer to.
      size: the test's size.
      tags: tags of both targets.
      visibility: of both targets.
    """
    synap_model(
        name = name + "_model",
        testonly = True,
        data = data,
        meta = meta,
        model = model,
        tags = tags,
        visibility = visibility,
    )
    _checker_test(
        name = name,
        command = "compare",
        golden = golden,
        model = ":%s_model" % name,
        options = {"tolerance": tolerance},
        size = size,
        tags = tags,
        visibility = visibility,
    )

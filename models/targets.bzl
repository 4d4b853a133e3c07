"""model: a synap_model of this folder with the test that holds for each of them, on every target."""

load("//rules:synap.bzl", "SynapModelInfo", "synap_model")
load("//rules/private:stages.bzl", "compile_models")
load("//rules/private:toolchain.bzl", "TOOLCHAIN_TYPE")

# Each <name>_targets_test fails if a target is missing.
NPU_TARGETS = [
    "SL1640",
    "SL1680",
    "VS640",
    "VS680",
]
TARGETS = NPU_TARGETS + [
    "DVF120",
    "GENERIC",
    "SL1620",
]

_ForTargetsInfo = provider(
    doc = "A model, compiled for each target.",
    fields = {"models": "dict of string to File: a target's name to the .synap."},
)

def _for_targets_impl(ctx):
    model = ctx.attr.model[SynapModelInfo]
    names = {"%s_%s" % (ctx.label.name, target.lower()): target for target in ctx.attr.targets}
    compiled = compile_models(ctx, model.graph, model.metafile, names)
    models = {names[name]: synap for name, (synap, _) in compiled.items()}
    return [DefaultInfo(files = depset(models.values())), _ForTargetsInfo(models = models)]

_for_targets = rule(
    implementation = _for_targets_impl,
    doc = "Compiles the graph of a synap_model for each target: everything before that is shared.",
    attrs = {
        "model": attr.label(mandatory = True, providers = [SynapModelInfo]),
        "targets": attr.string_list(mandatory = True),
    },
    toolchains = [TOOLCHAIN_TYPE],
    incompatible_use_toolchain_transition = True,
)

def _target_check_impl(ctx):
    """Writes a script that runs //models:target_check, with paths below the runfiles: tests and `bazel run` start there."""
    models = ctx.attr.models[_ForTargetsInfo].models
    arguments = [ctx.executable._program.short_path] + ctx.attr.options
    for file in ctx.files.inputs:
        arguments += ["--input", file.short_path]
    arguments += ["%s=%s" % (target, models[target].short_path) for target in models]
    launcher = ctx.actions.declare_file(ctx.label.name)
    content = "#!/bin/sh\nexec %s\n" % " ".join(["'%s'" % argument for argument in arguments])
    ctx.actions.write(launcher, content, is_executable = True)
    files = [ctx.executable._program] + models.values() + ctx.files.inputs + ctx.files.golden
    return [DefaultInfo(executable = launcher, runfiles = ctx.runfiles(files).merge(ctx.attr._program[DefaultInfo].default_runfiles))]

def _target_check_rule(test):
    return rule(
        implementation = _target_check_impl,
        doc = "Runs //models:target_check.",
        attrs = {
            "golden": attr.label(allow_single_file = [".json"]),
            "inputs": attr.label_list(allow_files = True),
            "models": attr.label(mandatory = True, providers = [_ForTargetsInfo]),
            "options": attr.string_list(),
            "_program": attr.label(default = "//models:target_check", executable = True, cfg = "target"),
        },
        executable = not test,
        test = test,
    )

_target_check_test = _target_check_rule(True)
_target_check_run = _target_check_rule(False)

def model(name, inputs = [], needs_npu = False, tags = [], testonly = False, **kwargs):
    """A synap_model and its <name>_targets_test: compiled for each target it gives the bits of targets/<name>.json, in a small arena.

    Digests that two targets agree on stand in the golden for both: a change of either is seen. `bazel run <name>_targets_test.update`
    writes it anew (or at first).

    Args:
      name: the model's name.
      inputs: files that its inputs take, each of which is one run; without them, random values that are always the same.
      needs_npu: whether its metafile gives layers to the NPU, so that it can't be compiled for targets without one.
      tags: tags of all targets.
      testonly: of the model.
      **kwargs: of the synap_model.
    """
    synap_model(
        name = name,
        tags = tags,
        testonly = testonly,
        **kwargs
    )
    _for_targets(
        name = name + "_for",
        testonly = True,
        model = name,
        tags = tags,
        targets = NPU_TARGETS if needs_npu else TARGETS,
    )
    test, golden = name + "_targets_test", "targets/%s.json" % name
    package = native.package_name()
    options = ["--golden", "%s/%s" % (package, golden)] + (["--needs-npu"] if needs_npu else [])
    _target_check_run(
        name = test + ".update",
        testonly = True,
        inputs = inputs,
        models = name + "_for",
        options = options + ["--update"],
        tags = tags,
    )
    _target_check_test(
        name = test,
        size = "medium",
        golden = golden,
        inputs = inputs,
        models = name + "_for",
        options = options + ["--update-with", "bazel run //%s:%s.update" % (package, test)],
        tags = tags,
    )

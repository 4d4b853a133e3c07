"""model: a synap_model of this folder with the test that holds for each of them, on every target."""

load("//platforms:chips.bzl", "CHIPS")
load("//rules:synap.bzl", "SynapModelsInfo", "synap_model")

NPU_TARGETS = [
    "SL1640",
    "SL1680",
    "VS640",
    "VS680",
]
TARGETS = NPU_TARGETS + [chip.upper() for chip in CHIPS if chip.upper() not in NPU_TARGETS]

def _target_check_impl(ctx):
    """Writes a script that runs //models:target_check, with paths below the runfiles: tests and `bazel run` start there."""
    models = ctx.attr.models[SynapModelsInfo].models
    arguments = [ctx.executable._program.short_path] + ctx.attr.options
    for file in ctx.files.inputs:
        arguments += ["--input", file.short_path]
    arguments += ["%s=%s" % (target, models[target].synap.short_path) for target in models]
    launcher = ctx.actions.declare_file(ctx.label.name)
    content = "#!/bin/sh\nexec %s\n" % " ".join(["'%s'" % argument for argument in arguments])
    ctx.actions.write(launcher, content, is_executable = True)
    runfiles = ctx.runfiles([ctx.executable._program] + ctx.files.inputs + ctx.files.golden)
    for target in [ctx.attr.models, ctx.attr._program]:
        runfiles = runfiles.merge(target[DefaultInfo].default_runfiles)
    return [DefaultInfo(executable = launcher, runfiles = runfiles)]

def _target_check_rule(test):
    return rule(
        implementation = _target_check_impl,
        doc = "Runs //models:target_check.",
        attrs = {
            "golden": attr.label(allow_single_file = [".json"]),
            "inputs": attr.label_list(allow_files = True),
            "models": attr.label(mandatory = True, providers = [SynapModelsInfo]),
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
    synap_model(
        name = name + "_for",
        testonly = True,
        graph_of = name,
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

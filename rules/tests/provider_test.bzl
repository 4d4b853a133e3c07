"""What the rules provide and how their actions look."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("//platforms:chips.bzl", "CHIPS")
load("//rules:synap.bzl", "SynapCalibrationInfo", "SynapGraphInfo", "SynapModelInfo", "SynapModelsInfo", "SynapQuantInfo")
load("//rules/private:bazel_version.bzl", "IS_BAZEL_4")
load("//rules/private:target.bzl", "SynapTargetNamesInfo")
load("//third_party:libtorch.bzl", "LIBTORCH_FOUND", "LIBTORCH_UNUSED")

def _names(files):
    return sorted([file.basename for file in files])

def _mnemonics(env):
    counts = {}
    for action in analysistest.target_actions(env):
        if action.mnemonic.startswith("Synap"):
            counts[action.mnemonic] = counts.get(action.mnemonic, 0) + 1
    return counts

def _assert_hermetic(env):
    """No absolute path on any command line, and no variable of the machine."""
    for action in analysistest.target_actions(env):
        if not action.mnemonic.startswith("Synap"):
            continue
        for argument in action.argv:
            asserts.false(env, argument.startswith("/"), "%s has the argument %s" % (action.mnemonic, argument))
        asserts.false(env, "PATH" in action.env, "%s sees PATH" % action.mnemonic)
        if action.mnemonic in ["SynapCalibrate", "SynapQuantize", "SynapAnalyze", "SynapTune"]:
            # As many as Bazel counts.
            asserts.equals(env, "1", action.argv[action.argv.index("--threads") + 1])

# What the command line of a check names, beside the result: all that decides about the stage's result.
_COMPARED = {
    "calibrate": ["--graph", "--meta", "--samples"],
    "import": ["--meta", "--model"],
    "quantize": ["--graph", "--info", "--meta", "--stats"],
}

def _assert_compares(env, action):
    argv = action.argv
    stage = argv[argv.index("--stage") + 1]
    options = [word for word in argv if word.startswith("--")]
    asserts.equals(env, sorted(_COMPARED[stage] + ["--stage", "--provenance", "--out"]), sorted(options), stage)

def _quantize_test_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    asserts.equals(env, "model.sir", target[SynapGraphInfo].sir.basename)
    asserts.equals(env, "model.qsir", target[SynapQuantInfo].qsir.basename)
    info = target.label.name + ".quantization_info.yaml"
    asserts.equals(env, [info], _names(target[DefaultInfo].files.to_list()))

    calibration = target[SynapCalibrationInfo]
    asserts.equals(env, len(calibration.shards), len(calibration.stats))
    dealt = [sample for samples in calibration.shards.values() for sample in samples]
    asserts.equals(env, ctx.attr.samples, _names(dealt))
    asserts.equals(env, {
        "SynapCalibrate": len(calibration.shards),
        "SynapExport": 2,
        "SynapImport": 1,
        "SynapMetafile": 3,
        "SynapMetafileCheck": 3,
        "SynapProvenance": 3,
        "SynapQuantize": 1,
    }, _mnemonics(env))
    # Each stage's result is compared with what it has to be made of, without a flag.
    checks = ["calibrate.checked.txt", "import.checked.txt", "quantize.checked.txt"]
    asserts.equals(env, checks, _names(target[OutputGroupInfo]._validation.to_list()))
    if IS_BAZEL_4:
        asserts.equals(env, checks, _names(target[OutputGroupInfo]._hidden_top_level_INTERNAL_.to_list()))
    for action in analysistest.target_actions(env):
        if action.mnemonic == "SynapProvenance":
            _assert_compares(env, action)
    for group in ["sir", "stats", "qsir", "quantization_info"]:
        asserts.true(env, len(getattr(target[OutputGroupInfo], group).to_list()) > 0, group + " is empty")
    asserts.equals(env, ["model.onnx", "model.qsir", "model.sir", "model_quantized.onnx"], _names(target[OutputGroupInfo].preserved.to_list()))
    _assert_hermetic(env)
    return analysistest.end(env)

quantize_test = analysistest.make(_quantize_test_impl, attrs = {"samples": attr.string_list()})

def _below_bin(ctx, text):
    return text.replace(ctx.bin_dir.path + "/rules/tests/", "")

def _samples_test_impl(ctx):
    env = analysistest.begin(ctx)
    found = []
    for action in analysistest.target_actions(env):
        if action.mnemonic == "SynapCalibrate":
            argv = action.argv
            found.append(" ".join([argument for argument in argv[argv.index("--samples"):argv.index("--out")]]))
    found = [_below_bin(ctx, text) for text in found]
    asserts.equals(env, ctx.attr.command_lines, found)
    return analysistest.end(env)

def _self_test_test_impl(ctx):
    env = analysistest.begin(ctx)
    compiling = [action for action in analysistest.target_actions(env) if action.mnemonic == "SynapCompile"]
    for action in compiling:
        argv = action.argv
        found = _below_bin(ctx, " ".join(argv[argv.index("--self-test"):argv.index("--out")]))
        asserts.equals(env, ctx.attr.arguments, found)
        read = [word.split("/")[-1] for word in ctx.attr.arguments.split(" ") if "." in word]
        asserts.equals(env, [], [name for name in read if name not in _names(action.inputs.to_list())])
        asserts.equals(env, len([name for name in read if name.startswith("sample_")]), len([
            name
            for name in _names(action.inputs.to_list())
            if name.startswith("sample_")
        ]))
    asserts.equals(env, 1, len(compiling))
    return analysistest.end(env)

# What a compilation reads for the self-test.
self_test_test = analysistest.make(_self_test_test_impl, attrs = {"arguments": attr.string()})

def _tune_test_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    tuning = [action for action in analysistest.target_actions(env) if action.mnemonic == "SynapTune"]
    found = [_below_bin(ctx, " ".join(action.argv[action.argv.index("--target"):])) for action in tuning]
    asserts.equals(env, [ctx.attr.arguments] if ctx.attr.arguments else [], found)
    for action in tuning:
        argv = action.argv
        asserts.equals(env, "1", argv[argv.index("--threads") + 1])
        # The metafile itself, which the ways are variants of, not a stage's part.
        asserts.equals(env, ["model.onnx", "meta.yaml"], [argv[argv.index(option) + 1].split("/")[-1] for option in ["--model", "--meta"]])
        asserts.equals(env, [], [name for name in ["model.onnx", "meta.yaml"] if name not in _names(action.inputs.to_list())])
    made = [file.path for action in tuning for file in action.outputs.to_list()]
    asserts.equals(env, made, [file.path for file in target[OutputGroupInfo].tune.to_list()])
    asserts.equals(env, [], [file for file in target[DefaultInfo].files.to_list() if file.path in made])
    _assert_hermetic(env)
    return analysistest.end(env)

# How `synap tune` is run: as on any machine, and only for output group tune.
tune_test = analysistest.make(_tune_test_impl, attrs = {
    "arguments": attr.string(doc = "What the command line ends with, from --target on; \"\": it isn't run."),
})

# The samples on the command line of each shard.
samples_test = analysistest.make(_samples_test_impl, attrs = {"command_lines": attr.string_list()})

def _dataset_names_test_impl(ctx):
    env = analysistest.begin(ctx)
    written = [action for action in analysistest.target_actions(env) if action.mnemonic == "FileWrite"]
    asserts.equals(env, [ctx.attr.content], [action.content for action in written])
    compared = [action for action in analysistest.target_actions(env) if action.mnemonic == "SynapMetafile" and "--dataset" in action.argv]
    asserts.equals(env, ["calibrate.yaml"], [action.outputs.to_list()[0].basename for action in compared])
    return analysistest.end(env)

# What the metafile's patterns are compared with: a file of one action.
dataset_names_test = analysistest.make(_dataset_names_test_impl, attrs = {"content": attr.string()})

def _model_test_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    info = target[SynapModelInfo]
    asserts.equals(env, ctx.attr.target, info.target)
    asserts.equals(env, [ctx.attr.file], _names(target[DefaultInfo].files.to_list()))
    asserts.equals(env, ctx.attr.quantized, info.quantization_info != None)
    actions = _mnemonics(env)
    asserts.equals(env, 1, actions["SynapCompile"])
    asserts.equals(env, 1, actions["SynapReport"])
    asserts.equals(env, not ctx.attr.quantized, "SynapImport" in actions)
    for action in analysistest.target_actions(env):
        if action.mnemonic == "SynapCompile":
            argv = action.argv
            asserts.equals(env, ctx.attr.target, argv[argv.index("--target") + 1])
    _assert_hermetic(env)
    return analysistest.end(env)

def _nb_test_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    asserts.equals(env, ctx.attr.files, sorted([file.short_path for file in target[OutputGroupInfo].nb.to_list()]))
    asserts.equals(env, ctx.attr.preserved, _names(target[OutputGroupInfo].preserved.to_list()))
    compiling = [action for action in analysistest.target_actions(env) if action.mnemonic == "SynapCompile"]
    made = [file.short_path for action in compiling for file in action.outputs.to_list()]
    asserts.equals(env, ctx.attr.files, sorted([path for path in made if path.endswith(".nb") or path.endswith(".json")]))
    return analysistest.end(env)

# The files of model.nb, and those that `synap convert --preserve` keeps.
nb_test = analysistest.make(_nb_test_impl, attrs = {
    "files": attr.string_list(),
    "preserved": attr.string_list(),
})

def _preprocess_test_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    info = target[SynapModelInfo]
    asserts.equals(env, [ctx.attr.file], _names(target[DefaultInfo].files.to_list()))
    asserts.equals(env, {"SynapPreprocess": 1, "SynapProvenance": 1, "SynapReport": 1}, _mnemonics(env))
    for action in analysistest.target_actions(env):
        if action.mnemonic in ["SynapPreprocess", "SynapProvenance"]:
            argv = action.argv
            asserts.equals(env, ctx.attr.arguments, _below_bin(ctx, " ".join(argv[argv.index("--type"):])))

    # With those of the network.
    asserts.equals(env, ["calibrate", "compile", "import", "preprocess", "quantize"], [name.split(".")[0] for name in _names(info.checks)])
    _assert_hermetic(env)
    return analysistest.end(env)

preprocess_test = analysistest.make(_preprocess_test_impl, attrs = {
    "arguments": attr.string(doc = "What the command lines of the action and of its check end with."),
    "file": attr.string(),
})

_MODEL_ATTRS = {
    "file": attr.string(),
    "quantized": attr.bool(),
    "target": attr.string(),
}

model_test = analysistest.make(_model_test_impl, attrs = _MODEL_ATTRS)

# The same under --//rules:target=platypus, an alias in small letters.
model_for_alias_test = analysistest.make(
    _model_test_impl,
    attrs = _MODEL_ATTRS,
    config_settings = {"//rules:target": "platypus"},
)

# The same for a platform with a chip.
model_on_board_test = analysistest.make(
    _model_test_impl,
    attrs = _MODEL_ATTRS,
    config_settings = {"//command_line_option:platforms": "//rules/tests:board"},
)

def _chips_test_impl(ctx):
    env = analysistest.begin(ctx)
    targets = analysistest.target_under_test(env)[SynapTargetNamesInfo].names.values()
    asserts.equals(env, sorted({target.lower(): None for target in targets}), sorted(CHIPS))
    return analysistest.end(env)

# //platforms has a constraint for each target.
chips_test = analysistest.make(_chips_test_impl)

def _models_test_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    models = target[SynapModelsInfo].models
    files = {name: model.synap.short_path for name, model in models.items()}
    asserts.equals(env, ctx.attr.files, files)
    asserts.equals(env, sorted(files.values()), sorted([file.short_path for file in target[DefaultInfo].files.to_list()]))
    asserts.equals(env, len(models) == 1, SynapModelInfo in target, "SynapModelInfo")
    for name, model in models.items():
        asserts.equals(env, name, model.target)

    # One folder for all that depends on the target.
    folders = {file.dirname: None for model in models.values() for file in [model.synap, model.info, model.report]}
    asserts.equals(env, len(models), len(folders))
    asserts.equals(env, ctx.attr.mnemonics, {name: str(count) for name, count in _mnemonics(env).items()})
    return analysistest.end(env)

def _budget_test_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    found = {action.outputs.to_list()[0].short_path: action.argv for action in analysistest.target_actions(env) if action.mnemonic == "SynapBudget"}
    asserts.equals(env, sorted(ctx.attr.tables), sorted(found))
    for table, argv in found.items():
        words = [_below_bin(ctx, word) for word in argv[argv.index("check") + 2:]]
        provenance = "_synap/%s/%s/check.provenance.txt" % (target.label.name, table.split("/")[-2])
        outputs = "--out %s --provenance %s" % (table.replace("rules/tests/", ""), provenance)
        asserts.equals(env, "%s %s" % (outputs, ctx.attr.limits), " ".join(words))
    asserts.equals(env, sorted(found), sorted([file.short_path for file in target[OutputGroupInfo].budget.to_list()]))

    # The checks of all models, with and without Bazel's own validation.
    checks = [check for model in target[SynapModelsInfo].models.values() for check in model.checks]
    # Of each the model, the budget and what checked it; of the three stages before and of the analysis, which are the same for all.
    asserts.equals(env, 7 * len(found), len(checks))
    asserts.equals(env, 3 * len(found) + 4, len(depset(checks).to_list()))
    _assert_hermetic(env)
    needed_by = [target[OutputGroupInfo]._validation]
    if IS_BAZEL_4:
        needed_by += [target[OutputGroupInfo]._hidden_top_level_INTERNAL_, target[DefaultInfo].default_runfiles.files]
    for files in needed_by:
        asserts.equals(env, [], [check for check in checks if check not in files.to_list()])
    return analysistest.end(env)

budget_test = analysistest.make(_budget_test_impl, attrs = {
    "limits": attr.string(doc = "The limits, as the command line has them."),
    "tables": attr.string_list(doc = "The path of each model's table."),
})

_MODELS_ATTRS = {
    "files": attr.string_dict(doc = "Each target's name to the path of its model."),
    "mnemonics": attr.string_dict(doc = "How many actions of each kind there are."),
}

models_test = analysistest.make(_models_test_impl, attrs = _MODELS_ATTRS)

# The same under --//rules:target=platypus.
models_for_alias_test = analysistest.make(
    _models_test_impl,
    attrs = _MODELS_ATTRS,
    config_settings = {"//rules:target": "platypus"},
)

def _inspect_test_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    asserts.equals(env, [ctx.attr.file], [file.short_path for file in target[DefaultInfo].files.to_list()])
    asserts.equals(env, [ctx.attr.file[:-len("txt")] + "json"], [file.short_path for file in target[OutputGroupInfo].json.to_list()])
    inspecting = [action for action in analysistest.target_actions(env) if action.mnemonic == "SynapInspect"]
    asserts.equals(env, [ctx.attr.target], [action.argv[action.argv.index("--target") + 1] for action in inspecting])

    # The model and its own program: no graph, no other model and no other command.
    programs = [name for name in _names(inspecting[0].inputs.to_list()) if name.startswith("synap")]
    asserts.equals(env, ["synap_inspect"], programs)
    _assert_hermetic(env)
    return analysistest.end(env)

_INSPECT_ATTRS = {
    "file": attr.string(doc = "The path of the text."),
    "target": attr.string(),
}

inspect_test = analysistest.make(_inspect_test_impl, attrs = _INSPECT_ATTRS)

# The same under --//rules:target=platypus.
inspect_for_alias_test = analysistest.make(
    _inspect_test_impl,
    attrs = _INSPECT_ATTRS,
    config_settings = {"//rules:target": "platypus"},
)

def _target_names_test_impl(ctx):
    env = analysistest.begin(ctx)
    names = analysistest.target_under_test(env)[SynapTargetNamesInfo].names
    for name, target in ctx.attr.names.items():
        asserts.equals(env, target, names.get(name))
    return analysistest.end(env)

target_names_test = analysistest.make(_target_names_test_impl, attrs = {"names": attr.string_dict()})

def _target_files_test_impl(ctx):
    env = analysistest.begin(ctx)
    found = {
        action.mnemonic: [file.basename for file in action.inputs.to_list() if file.dirname.endswith("compiler/target/data")]
        for action in analysistest.target_actions(env)
        if action.mnemonic in ["SynapImport", "SynapCalibrate", "SynapQuantize"]
    }
    asserts.equals(env, 3, len(found))
    reads = found.pop("SynapQuantize")
    asserts.equals(env, ctx.attr.read_by_quantize, "sl1680.yaml" in reads, "quantize reads %s" % reads)
    for mnemonic, files in found.items():
        asserts.equals(env, [], files, mnemonic)
    return analysistest.end(env)

# A new target re-runs no stage before compilation, unless its times may decide.
target_files_test = analysistest.make(_target_files_test_impl, attrs = {"read_by_quantize": attr.bool()})

_PROGRAMS = {
    "SynapCalibrate": "synap_calibrate",
    "SynapCompile": "synap_compile",
    "SynapExport": "synap_export",
    "SynapImport": "synap_import_onnx",
    "SynapMetafile": "synap_metapart",
    "SynapMetafileCheck": "synap_metapart",
    "SynapProvenance": "synap_provenance",
    "SynapQuantize": "synap_quantize",
    "SynapReport": "synap_report",
}

def _torchscript_inputs_test_impl(ctx):
    env = analysistest.begin(ctx)
    stages = 0
    for action in analysistest.target_actions(env):
        # A search, on request alone, runs all stages in one program.
        if not action.mnemonic.startswith("Synap") or action.mnemonic == "SynapTune":
            continue
        stages += 1
        expected = ["synap_torchscript_reader"] + (["libtorch_cpu.so"] if LIBTORCH_FOUND else [])
        if not ctx.attr.read_by_import or action.mnemonic != "SynapImport":
            expected = []
        inputs = _names(action.inputs.to_list())
        expected = expected + (LIBTORCH_UNUSED if expected else [])
        found = [name for name in inputs if "torchscript_reader" in name or "libtorch" in name or name in LIBTORCH_UNUSED]
        for name in expected:
            asserts.true(env, [f for f in found if f.startswith(name)], "%s doesn't read %s" % (action.mnemonic, name))
        if not expected:
            asserts.equals(env, [], found, "%s reads what only TorchScript needs" % action.mnemonic)

        # The stage's own program and its libraries are there: it is no empty list that has no libtorch. The program `synap`, which has all
        # stages, isn't: a change of a command line would re-run every stage of every model.
        # Nor are there importers of other frameworks.
        program = _PROGRAMS[action.mnemonic]
        if ctx.attr.read_by_import and action.mnemonic == "SynapImport":
            program = "synap_import_torchscript"
        programs = [name for name in inputs if name in _PROGRAMS.values() or name.startswith("synap_import")]
        asserts.equals(env, [program], programs, action.mnemonic)
        asserts.true(env, [f for f in inputs if f.startswith("libyaml-cpp.so")], "%s has no libyaml-cpp" % action.mnemonic)
    asserts.true(env, stages > 1, "found %d actions" % stages)
    return analysistest.end(env)

# Whether a machine has the optional libtorch decides about the key of no action but those that import TorchScript.
torchscript_inputs_test = analysistest.make(
    _torchscript_inputs_test_impl,
    attrs = {"read_by_import": attr.bool()},
)

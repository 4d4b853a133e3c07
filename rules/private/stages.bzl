"""The actions: one for each stage of a conversion, and within calibration one for each shard.

Each stage reads only its own part of the metafile, which an action of its own cuts out. So an edit re-runs the stages that can see
it: after the others' parts come out unchanged, Bazel finds their results in its cache.
"""

load("//compiler/import:frameworks.bzl", "framework_of")
load(":dataset.bzl", "add_samples", "by_path", "first_samples", "has_directories", "sample_files", "sample_names", "shard_samples")
load(":providers.bzl", "SynapGraphInfo")
load(":toolchain.bzl", "TOOLCHAIN_TYPE", "import_stage_of")

MAX_SHARDS = 1024

# Of the commands that can use several. Bazel counts an action of a rule as one processor and, before version 6, takes no other number; work
# is spread over processors by shards, targets and models, each an action. Results are the same bits for any number.
_ONE_THREAD = ["--threads", "1"]

def declare(ctx, name):
    """An output of a stage, in a folder of the target's own.

    Args:
      ctx: the rule's context.
      name: the file's name.

    Returns:
      A File.
    """
    return ctx.actions.declare_file("_synap/%s/%s" % (ctx.label.name, name))

def _args(ctx):
    """Arguments that go into a file where they are many, as the samples of a large dataset are: a command line holds 2 MB."""
    arguments = ctx.actions.args()
    arguments.use_param_file("@%s", use_always = False)
    arguments.set_param_file_format("multiline")
    return arguments

def _run(ctx, stage, mnemonic, message, arguments, inputs, outputs, env = {}, tools = []):
    synap = ctx.toolchains[TOOLCHAIN_TYPE].synap
    program = synap.programs.get(stage) or struct(executable = synap.compiler, files = synap.compiler_files)
    ctx.actions.run(
        executable = program.executable,
        tools = program.files + tools,
        arguments = arguments if type(arguments) == type([]) else [arguments],
        inputs = inputs,
        outputs = outputs,
        env = env,
        mnemonic = mnemonic,
        progress_message = message,
        use_default_shell_env = False,
    )

_NO_PART = struct(check = None, file = None)

def metafile_part(ctx, stage, metafile, samples = []):
    """The part of a metafile that one stage reads. Its paths lead from its own folder to the files that the metafile names.

    Args:
      ctx: the rule's context.
      stage: import, calibrate, quantize, compile, analyze, inspect or self-test (which compiles, too).
      metafile: SynapMetafileInfo.
      samples: as dataset_samples gives them; the metafile's patterns have to match them. What is in directories isn't compared.

    Returns:
      A struct of file (the part) and check (what is there once it is known to be of this metafile): File, or None without a metafile.
    """
    if not metafile.file:
        return _NO_PART
    part = declare(ctx, stage + ".yaml")
    names = []
    if samples:
        names = [declare(ctx, "dataset.txt")]
        ctx.actions.write(names[0], sample_names(samples))
    read = depset([metafile.file] + names, transitive = [metafile.data])
    what = "%s: reading what stage %s needs of %s" % (ctx.label, stage, metafile.file.short_path)
    arguments = _metapart_arguments(ctx, stage, metafile, names)
    arguments.add("--out", part)
    _run(ctx, "metapart", "SynapMetafile", what, arguments, read, [part], metafile.env)

    # A cache may hold a part of another metafile under this one's name. The check's text is that of the part: what depends on it doesn't run
    # again when the rest of the metafile changes.
    check = declare(ctx, stage + ".part_checked.txt")
    what = "%s: comparing what stage %s needs of %s" % (ctx.label, stage, metafile.file.short_path)
    arguments = _metapart_arguments(ctx, stage, metafile, names)
    arguments.add("--check", part)
    arguments.add("--out", check)
    _run(ctx, "metapart", "SynapMetafileCheck", what, arguments, depset([part], transitive = [read]), [check], metafile.env)
    return struct(check = check, file = part)

def _metapart_arguments(ctx, stage, metafile, names):
    arguments = _args(ctx)
    arguments.add_all(["metapart", "--stage", stage])
    arguments.add("--meta", metafile.file)
    arguments.add_all(names, before_each = "--dataset")
    return arguments

def _stage(ctx, subcommand, part):
    """The arguments that every stage begins with, and the inputs that go with them."""
    arguments = _args(ctx)
    arguments.add(subcommand)
    if part.file:
        arguments.add("--meta", part.file)
    return arguments, [part.file] if part.file else []

def _add_model(ctx, arguments, model, weights, metafile):
    """Names a model file on a command line. Returns a depset of the Files that go with it, and the list of tools that read it."""
    arguments.add("--model", model)
    if weights:
        arguments.add("--weights", weights)
    tools = []
    synap = ctx.toolchains[TOOLCHAIN_TYPE].synap
    if synap.torchscript_reader and framework_of(model).reader:
        tools = [synap.torchscript_reader] + synap.torchscript_reader_files
        arguments.add("--torchscript-reader", synap.torchscript_reader)
    return depset([model] + ([weights] if weights else []), transitive = [metafile.data]), tools

def import_model(ctx, model, weights, metafile):
    """Model file to float graph.

    Args:
      ctx: the rule's context.
      model: File.
      weights: File, or None for a model that has its weights in itself.
      metafile: SynapMetafileInfo.

    Returns:
      A SynapGraphInfo.
    """
    sir = declare(ctx, "model.sir")
    part = metafile_part(ctx, "import", metafile)
    arguments, inputs = _stage(ctx, "import", part)
    files, tools = _add_model(ctx, arguments, model, weights, metafile)
    provenance = declare(ctx, "import.provenance.txt")
    arguments.add_all("--data", metafile.data)
    arguments.add("--provenance", provenance)
    arguments.add("--out", sir)
    _run(
        ctx,
        import_stage_of(framework_of(model)),
        "SynapImport",
        "%s: importing %s" % (ctx.label, model.short_path),
        arguments,
        depset(inputs, transitive = [files]),
        [sir, provenance],
        tools = tools,
    )
    arguments = _args(ctx)
    arguments.add("--model", model)
    if weights:
        arguments.add("--weights", weights)
    arguments.add_all("--data", metafile.data)
    return SynapGraphInfo(
        check = _check_provenance(ctx, "import", [sir], [provenance], part, arguments, files),
        metafile = metafile,
        model = model,
        onnx = export_graph(ctx, sir, "model"),
        sir = sir,
        weights = weights,
    )

def inspect_model(ctx, model, weights, metafile, target, stem):
    """Model file to what `synap inspect` says of it.

    Args:
      ctx: the rule's context.
      model: File.
      weights: File, or None for a model that has its weights in itself.
      metafile: SynapMetafileInfo.
      target: the target's name.
      stem: the outputs' path in the package, without suffix.

    Returns:
      Two Files: the text, and the same as JSON.
    """
    text, json = [ctx.actions.declare_file(stem + suffix) for suffix in [".txt", ".json"]]
    arguments, inputs = _stage(ctx, "inspect", metafile_part(ctx, "inspect", metafile))
    files, tools = _add_model(ctx, arguments, model, weights, metafile)
    arguments.add("--target", target)
    arguments.add("--json", json)
    arguments.add("--out", text)
    _run(
        ctx,
        "inspect",
        "SynapInspect",
        "%s: inspecting %s" % (ctx.label, model.short_path),
        arguments,
        depset(inputs, transitive = [files]),
        [text, json],
        tools = tools,
    )
    return text, json

def calibrate(ctx, sir, metafile, samples, shards):
    """Float graph and samples to statistics.

    Args:
      ctx: the rule's context.
      sir: File: the float graph.
      metafile: SynapMetafileInfo.
      samples: as dataset_samples gives them.
      shards: how many shards there are; a random sample has one.

    Returns:
      The samples by shard, a dict of int to list, a list of File: the .stats, one for each, and a File that is there once they are known to
      be made of this graph and these samples.
    """
    part = metafile_part(ctx, "calibrate", metafile, samples)

    # The program deals out what is in directories, by the names of the files that it finds there.
    dealt_by_program = has_directories(samples)
    if not samples:
        # The random sample, which the metafile names.
        dealt = {0: []}
    elif dealt_by_program:
        dealt = {shard: sorted(samples, key = by_path) for shard in range(shards)}
    else:
        dealt = shard_samples(samples, shards)
    made = [_calibrate_shard(ctx, sir, part, some, shard, shards if samples else 1, dealt_by_program) for shard, some in dealt.items()]
    stats = [one.stats for one in made]
    arguments = _args(ctx)
    arguments.add("--graph", sir)
    add_samples(arguments, sorted(samples, key = by_path))
    check = _check_provenance(
        ctx,
        "calibrate",
        stats,
        [one.provenance for one in made],
        part,
        arguments,
        depset([sir] + sample_files(samples)),
    )
    return dealt, stats, check

def _calibrate_shard(ctx, sir, part, samples, shard, shards, dealt_by_program):
    stats = declare(ctx, "shard_%d_of_%d.stats" % (shard, shards))
    provenance = declare(ctx, "shard_%d_of_%d.provenance.txt" % (shard, shards))
    arguments, inputs = _stage(ctx, "calibrate", part)
    arguments.add_all(_ONE_THREAD)
    arguments.add("--graph", sir)
    add_samples(arguments, samples)
    if dealt_by_program:
        arguments.add("--shard", str(shard))
        arguments.add("--shards", str(shards))
    arguments.add("--out", stats)
    arguments.add("--provenance", provenance)
    _run(
        ctx,
        "calibrate",
        "SynapCalibrate",
        "%s: calibrating, shard %d of %d%s" % (ctx.label, shard + 1, shards, "" if dealt_by_program else ", %d samples" % max(len(samples), 1)),
        arguments,
        depset([sir] + inputs + sample_files(samples)),
        [stats, provenance],
    )
    return struct(provenance = provenance, stats = stats)

def quantize(ctx, sir, metafile, stats, samples, precision_target, entropy):
    """Float graph and statistics to quantized graph.

    Args:
      ctx: the rule's context.
      sir: File: the float graph.
      metafile: SynapMetafileInfo.
      stats: list of File.
      samples: what data_type auto, bias_correction and rounding by samples (both in effort best) run once more, as dataset_samples gives them; empty if the
        metafile asks for none of them.
      precision_target: the target whose estimates decide about data_type auto, as target_files gives it; None without that. No other action
        before compilation reads the files of targets, and its program doesn't hold them: a new chip's price quantizes nothing else again.
      entropy: bool: whether quantization_entropy.txt is wanted.

    Returns:
      struct of File: qsir, info (quantization_info.yaml), explicit (with a precision_target the explicit metafile, else None),
      entropy (None unless it is wanted) and check (what is there once qsir and info are known to be made of these files).
    """
    qsir = declare(ctx, "model.qsir")
    info = ctx.actions.declare_file(ctx.label.name + ".quantization_info.yaml")
    provenance = declare(ctx, "quantize.provenance.txt")
    outputs = [qsir, info, provenance]
    part = metafile_part(ctx, "quantize", metafile)
    arguments, inputs = _stage(ctx, "quantize", part)
    arguments.add_all(_ONE_THREAD)
    arguments.add("--graph", sir)
    arguments.add_all(stats, before_each = "--stats")
    add_samples(arguments, sorted(samples, key = by_path))
    explicit, entropy_file = None, None
    target_inputs = precision_target.all if precision_target else []
    if precision_target:
        explicit = ctx.actions.declare_file(ctx.label.name + ".explicit_metafile.yaml")
        arguments.add("--target", precision_target.file)
        arguments.add("--explicit", explicit)
        outputs.append(explicit)
    if entropy:
        entropy_file = ctx.actions.declare_file(ctx.label.name + ".quantization_entropy.txt")
        arguments.add("--entropy", entropy_file)
        outputs.append(entropy_file)
    arguments.add("--out", qsir)
    arguments.add("--info", info)
    arguments.add("--provenance", provenance)
    files = depset([sir] + inputs + stats + sample_files(samples) + target_inputs)
    _run(ctx, "quantize", "SynapQuantize", "%s: quantizing" % ctx.label, arguments, files, outputs)
    arguments = _args(ctx)
    arguments.add("--graph", sir)
    arguments.add_all("--stats", stats)
    add_samples(arguments, sorted(samples, key = by_path))
    if precision_target:
        arguments.add("--target", precision_target.name)
    arguments.add("--info", info)
    check = _check_provenance(ctx, "quantize", [qsir], [provenance], part, arguments, depset([sir, info] + stats + sample_files(samples)))
    return struct(check = check, entropy = entropy_file, explicit = explicit, info = info, qsir = qsir)

def export_graph(ctx, graph, stem):
    """Graph to ONNX, for Netron and other runtimes. Nothing depends on it, so it is only made if somebody asks for it.

    Args:
      ctx: the rule's context.
      graph: File: .sir or .qsir.
      stem: the file's name without suffix.

    Returns:
      File: the .onnx.
    """
    model = declare(ctx, stem + ".onnx")
    arguments = _args(ctx)
    arguments.add("export")
    arguments.add("--graph", graph)
    arguments.add("--out", model)
    _run(ctx, "export", "SynapExport", "%s: writing %s.onnx" % (ctx.label, stem), arguments, depset([graph]), [model])
    return model

def compile_model(ctx, graph, part, target, stem, security = [], profiling = False, self_test = None, nb = False):
    """Graph, float or quantized, to a model for one target.

    Args:
      ctx: the rule's context.
      graph: File: .sir or .qsir.
      part: what the stage compile reads of the metafile, as metafile_part gives it.
      target: the target's name.
      stem: the outputs' path in the package, without suffix.
      security: list of File: the keys and certificates of a secure model, and the file that lists them.
      profiling: whether the model measures its layers.
      self_test: None, or a struct of count (int: of samples), imported (File: the .sir that the graph is made of) and samples (as
        dataset_samples gives them, in order; random ones if there are none).
      nb: whether to make model.nb and its model.json, too.

    Returns:
      A struct of synap, info (model_info.txt), report (an HTML page), check (what is there once the model is known to be made of this graph
      and this part for this target), all File, and nb: list of File, the program and its metadata.
    """
    suffixes = [".synap", ".model_info.txt", ".report.html", ".provenance.txt"]
    synap, info, report, provenance = [ctx.actions.declare_file(stem + suffix) for suffix in suffixes]
    nb_files = [ctx.actions.declare_file(stem + suffix) for suffix in [".nb", ".json"]] if nb else []
    arguments, inputs = _stage(ctx, "compile", part)
    arguments.add("--graph", graph)
    arguments.add("--target", target)
    if profiling:
        arguments.add("--profiling")
    if self_test:
        _add_self_test(arguments, self_test)
        inputs = inputs + _self_test_files(self_test)
    if nb:
        arguments.add("--nb", nb_files[0])
        arguments.add("--nb-metadata", nb_files[1])
    arguments.add("--out", synap)
    arguments.add("--info", info)
    arguments.add("--provenance", provenance)
    _run(
        ctx,
        "compile",
        "SynapCompile",
        "%s: compiling for %s" % (ctx.label, target),
        arguments,
        depset([graph] + inputs + security),
        [synap, info, provenance] + nb_files,
    )
    write_report(ctx, synap, target, report)
    arguments = _args(ctx)
    arguments.add("--graph", graph)
    arguments.add("--target", target)
    if profiling:
        arguments.add("--profiling")
    arguments.add("--info", info)
    read = [graph, info]
    if self_test:
        _add_self_test(arguments, self_test)
        read += _self_test_files(self_test)
    check = _check_provenance(ctx, "compile", [synap], [provenance], part, arguments, depset(read), folder = target + "/")
    return struct(check = check, info = info, nb = nb_files, report = report, synap = synap)

def preprocess_model(ctx, network, target, picture_type, size, crop, input):
    """Model to one that only converts pictures for it.

    Args:
      ctx: the rule's context.
      network: File: the model, a .synap.
      target: the target's name.
      picture_type: what the pictures are, as the metafile's `preprocess.type`.
      size: list of int: their width and height; empty for those of the network's input.
      crop: whether a region of them can be chosen.
      input: the name of the network's input; "" for its only one.

    Returns:
      A struct as compile_model's, without nb.
    """
    name = ctx.label.name
    suffixes = [".synap", ".model_info.txt", ".report.html", ".provenance.txt"]
    synap, info, report, provenance = [ctx.actions.declare_file(name + suffix) for suffix in suffixes]

    # For both: what makes the model and what compares its provenance.
    options = _args(ctx)
    options.add("--type", picture_type)
    if size:
        options.add("--size")
        options.add_all([str(side) for side in size])
    if crop:
        options.add("--crop")
    if input:
        options.add("--input", input)
    options.add("--target", target)
    options.add("--info", info)
    arguments = _args(ctx)
    arguments.add("preprocess")
    arguments.add(network)
    arguments.add("--provenance", provenance)
    arguments.add("--out", synap)
    _run(
        ctx,
        "preprocess",
        "SynapPreprocess",
        "%s: making the conversion of pictures for %s" % (ctx.label, network.short_path),
        [arguments, options],
        depset([network]),
        [synap, info, provenance],
    )
    write_report(ctx, synap, target, report)
    compared = _args(ctx)
    compared.add("--model", network)
    check = _check_provenance(ctx, "preprocess", [synap], [provenance], _NO_PART, [compared, options], depset([network, info]))
    return struct(check = check, info = info, report = report, synap = synap)

def _add_self_test(arguments, self_test):
    arguments.add("--self-test", str(self_test.count))
    arguments.add("--imported", self_test.imported)
    add_samples(arguments, self_test.samples)

def _self_test_files(self_test):
    return [self_test.imported] + sample_files(self_test.samples)

def _check_provenance(ctx, stage, results, provenances, part, arguments, files, folder = ""):
    """An exchanged entry of a cache brings another action's result and provenance, for which no entry of this action can be there.

    Args:
      ctx: the rule's context.
      stage: import, calibrate, quantize, compile, preprocess, analyze or check.
      results: list of File: what the stage wrote; of a calibration that of all shards.
      provenances: list of File: what it says that they are made of.
      part: what the stage reads of the metafile, as metafile_part gives it.
      arguments: Args, or a list of them: what they have to be made of.
      files: depset of File: those that `arguments` name.
      folder: where the check's file lies, if one rule has several of the stage.

    Returns:
      File: there once the provenances are right.
    """
    kept = declare(ctx, "%s%s.checked.txt" % (folder, stage))
    command = _args(ctx)
    command.add("provenance")
    command.add_all(results)
    command.add("--stage", stage)
    command.add_all("--provenance", provenances)
    if part.file:
        command.add("--meta", part.file)
    command.add("--out", kept)
    _run(
        ctx,
        "provenance",
        "SynapProvenance",
        "%s: comparing what stage %s read" % (ctx.label, stage),
        [command] + (arguments if type(arguments) == type([]) else [arguments]),
        depset(results + provenances + ([part.file, part.check] if part.file else []), transitive = [files]),
        [kept],
    )
    return kept

_ANALYZED_SAMPLES = 16

def analyze(ctx, sir, qsir, metafile, samples):
    """Float and quantized graph to the errors of the quantized one.

    Args:
      ctx: the rule's context.
      sir: File: the float graph.
      qsir: File: the quantized one.
      metafile: SynapMetafileInfo: what the graph was quantized with.
      samples: as dataset_samples gives them; the first 16 are run.

    Returns:
      Two Files: a JSON text, and what is there once it is known to be made of these files.
    """
    samples = first_samples(samples, _ANALYZED_SAMPLES)
    analysis = declare(ctx, "analysis.json")
    provenance = declare(ctx, "analyze.provenance.txt")
    part = metafile_part(ctx, "analyze", metafile)
    arguments, inputs = _stage(ctx, "analyze", part)
    read = _args(ctx)
    read.add("--graph", sir)
    read.add("--quantized", qsir)
    add_samples(read, samples)
    read.add("--max-samples", str(_ANALYZED_SAMPLES))
    arguments.add_all(_ONE_THREAD)
    arguments.add("--silent")
    arguments.add("--json", analysis)
    arguments.add("--provenance", provenance)
    files = depset([sir, qsir] + sample_files(samples))
    what = "%s: measuring the quantization error" % ctx.label
    _run(ctx, "analyze", "SynapAnalyze", what, [arguments, read], depset(inputs, transitive = [files]), [analysis, provenance])
    return analysis, _check_provenance(ctx, "analyze", [analysis], [provenance], part, read, files)

# Of the ways that `synap tune` tries, those that win most often. A number, since a time would be another number on each machine.
_TUNED_WAYS = 12

def tune_model(ctx, graph, metafile, samples, targets, stem):
    """Model file and samples to ways to quantize it.

    Args:
      ctx: the rule's context.
      graph: SynapGraphInfo.
      metafile: SynapMetafileInfo: the first way.
      samples: as dataset_samples gives them; half of them calibrate.
      targets: list of string: the targets' names.
      stem: the output's path in the package, without suffix.

    Returns:
      File: a directory of tune.html, tune.txt and metafiles.
    """
    folder = ctx.actions.declare_directory(stem + ".tune")
    arguments, inputs = _stage(ctx, "tune", metafile)
    files, tools = _add_model(ctx, arguments, graph.model, graph.weights, graph.metafile)
    arguments.add_all(_ONE_THREAD)
    arguments.add("--target", ",".join(targets))
    arguments.add("--ways", str(_TUNED_WAYS))

    # For metafiles in the place of the one that the build file names.
    arguments.add("--keep-paths")
    arguments.add("--silent")
    arguments.add("--out-dir", folder.path)
    for input in samples[0].files:
        arguments.add_all([sample.files[input] for sample in sorted(samples, key = by_path)], format_each = input + "=%s" if input else "%s")
    _run(
        ctx,
        "tune",
        "SynapTune",
        "%s: trying ways to quantize %s" % (ctx.label, graph.model.short_path),
        arguments,
        depset(inputs + sample_files(samples), transitive = [files, metafile.data]),
        [folder],
        metafile.env,
        tools,
    )
    return folder

def check_budget(ctx, synap, target, stem, limits, analysis):
    """Fails with a table if a model exceeds its budget.

    Args:
      ctx: the rule's context.
      synap: File: the model.
      target: the target's name.
      stem: the outputs' path in the package, without suffix.
      limits: dict of string to string: attributes to numbers.
      analysis: File: what analyze gives; None without min_sqnr_db.

    Returns:
      Two Files: the table of a kept budget, and what is there once it is known to be of this model and these limits.
    """
    table = ctx.actions.declare_file(stem + ".budget.txt")
    provenance = declare(ctx, "%s/check.provenance.txt" % target)
    read = _args(ctx)
    for name, limit in limits.items():
        read.add("--" + name.replace("_", "-"), limit)
    if analysis:
        read.add("--analysis", analysis)
    arguments = _args(ctx)
    arguments.add("check")
    arguments.add(synap)
    arguments.add("--out", table)
    arguments.add("--provenance", provenance)
    files = depset([synap] + ([analysis] if analysis else []))
    what = "%s: checking the budget for %s" % (ctx.label, target)
    _run(ctx, "check", "SynapBudget", what, [arguments, read], files, [table, provenance])
    compared = _args(ctx)
    compared.add("--model", synap)
    check = _check_provenance(ctx, "check", [table], [provenance], _NO_PART, [compared, read], files, folder = target + "/")
    return table, check

def write_report(ctx, synap, target, report, analysis = None):
    """Model to the HTML page about it.

    Args:
      ctx: the rule's context.
      synap: File: the model.
      target: the target's name, for the message.
      report: File: the page to write.
      analysis: File: the figures of `synap analyze --json`, or None.
    """
    arguments = _args(ctx)
    arguments.add("report")
    arguments.add(synap)
    if analysis:
        arguments.add("--analysis", analysis)
    arguments.add("--out", report)
    files = depset([synap] + ([analysis] if analysis else []))
    _run(ctx, "report", "SynapReport", "%s: writing the report for %s" % (ctx.label, target), arguments, files, [report])

def write_comparison(ctx, before, after, page, table):
    """Two models to the HTML page and the table about their differences.

    Args:
      ctx: the rule's context.
      before: File: a model.
      after: File: another.
      page: File: the page to write.
      table: File: the same as text.
    """
    arguments = _args(ctx)
    arguments.add("diff")
    arguments.add(before)
    arguments.add(after)
    arguments.add("--html", page)
    arguments.add("--out", table)
    _run(ctx, "report", "SynapDiff", "%s: comparing two models" % ctx.label, arguments, depset([before, after]), [page, table])

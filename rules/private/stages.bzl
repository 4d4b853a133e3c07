"""The actions: one for each stage of a conversion, and within calibration one for each shard.

Each stage reads only its own part of the metafile, which an action of its own cuts out. So an edit re-runs the stages that can see
it: after the others' parts come out unchanged, Bazel finds their results in its cache.
"""

load("//compiler/import:frameworks.bzl", "framework_of")
load(":toolchain.bzl", "TOOLCHAIN_TYPE")

MAX_SHARDS = 64

def declare(ctx, name):
    """An output of a stage, in a folder of the target's own.

    Args:
      ctx: the rule's context.
      name: the file's name.

    Returns:
      A File.
    """
    return ctx.actions.declare_file("_synap/%s/%s" % (ctx.label.name, name))

def _run(ctx, stage, mnemonic, message, arguments, inputs, outputs, env = {}, tools = []):
    synap = ctx.toolchains[TOOLCHAIN_TYPE].synap
    program = synap.programs.get(stage)
    ctx.actions.run(
        executable = program.executable if program else synap.compiler,
        tools = (program.files if program else synap.compiler_files) + tools,
        arguments = [arguments],
        inputs = inputs,
        outputs = outputs,
        env = env,
        mnemonic = mnemonic,
        progress_message = message,
        use_default_shell_env = False,
    )

def metafile_part(ctx, stage, metafile):
    """The part of a metafile that one stage reads. Its paths lead from its own folder to the files that the metafile names.

    Args:
      ctx: the rule's context.
      stage: import, calibrate, quantize or compile.
      metafile: SynapMetafileInfo.

    Returns:
      A File, or None if there is no metafile.
    """
    if not metafile.file:
        return None
    part = declare(ctx, stage + ".yaml")
    arguments = ctx.actions.args()
    arguments.add_all(["metapart", "--stage", stage])
    arguments.add("--meta", metafile.file)
    arguments.add("--out", part)
    _run(
        ctx,
        "metapart",
        "SynapMetafile",
        "Reading what %s needs of %s" % (stage, metafile.file.short_path),
        arguments,
        depset([metafile.file], transitive = [metafile.data]),
        [part],
        metafile.env,
    )
    return part

def _stage(ctx, subcommand, part):
    """The arguments that every stage begins with, and the inputs that go with them."""
    arguments = ctx.actions.args()
    arguments.add(subcommand)
    if part:
        arguments.add("--meta", part)
    return arguments, [part] if part else []

def import_model(ctx, model, weights, metafile):
    """Model file to float graph.

    Args:
      ctx: the rule's context.
      model: File.
      weights: File, or None for a model that has its weights in itself.
      metafile: SynapMetafileInfo.

    Returns:
      File: the .sir.
    """
    sir = declare(ctx, "model.sir")
    arguments, inputs = _stage(ctx, "import", metafile_part(ctx, "import", metafile))
    arguments.add("--model", model)
    if weights:
        arguments.add("--weights", weights)
        inputs = inputs + [weights]
    tools = []
    synap = ctx.toolchains[TOOLCHAIN_TYPE].synap
    if synap.torchscript_reader and framework_of(model).reader:
        tools = [synap.torchscript_reader] + synap.torchscript_reader_files
        arguments.add("--torchscript-reader", synap.torchscript_reader)
    arguments.add("--out", sir)
    _run(
        ctx,
        "import",
        "SynapImport",
        "Importing %s" % model.short_path,
        arguments,
        depset([model] + inputs, transitive = [metafile.data]),
        [sir],
        tools = tools,
    )
    return sir

def _short_path(file):
    return file.short_path

def shard_samples(samples, shards):
    """Deals samples out. A sample's shard follows from its file name alone, so that adding one touches one shard.

    Args:
      samples: list of File.
      shards: how many shards.

    Returns:
      dict of int to list of File, by shard; shards without samples are left out. Both in order.
    """
    dealt = {}
    for sample in samples:
        shard = hash(sample.basename) % shards
        dealt[shard] = dealt.get(shard, []) + [sample]
    return {shard: sorted(dealt[shard], key = _short_path) for shard in sorted(dealt)}

def calibrate(ctx, sir, metafile, samples, shards):
    """Float graph and samples to statistics.

    Args:
      ctx: the rule's context.
      sir: File: the float graph.
      metafile: SynapMetafileInfo.
      samples: dict of int to list of File, as shard_samples gives it.
      shards: how many shards there are, for the messages.

    Returns:
      list of File: the .stats, one for each shard that has samples.
    """
    part = metafile_part(ctx, "calibrate", metafile)
    stats = []
    for shard, files in samples.items():
        out = declare(ctx, "shard_%d_of_%d.stats" % (shard, shards))
        arguments, inputs = _stage(ctx, "calibrate", part)
        arguments.add("--graph", sir)
        arguments.add_all("--samples", files)
        arguments.add("--out", out)
        _run(
            ctx,
            "calibrate",
            "SynapCalibrate",
            "Calibrating %s, %d samples of shard %d of %d" % (ctx.label, len(files), shard, shards),
            arguments,
            depset([sir] + inputs + files),
            [out],
        )
        stats.append(out)
    return stats

def quantize(ctx, sir, metafile, stats, samples, precision_target):
    """Float graph and statistics to quantized graph.

    Args:
      ctx: the rule's context.
      sir: File: the float graph.
      metafile: SynapMetafileInfo.
      stats: list of File.
      samples: list of File: what data_type auto, bias_correction and adaptive rounding run once more; empty if the metafile asks for none of them.
      precision_target: the target whose estimates decide about data_type auto; "" without that.

    Returns:
      Three Files: the .qsir, quantization_info.yaml and, with a precision_target, the explicit metafile, else None.
    """
    qsir = declare(ctx, "model.qsir")
    info = ctx.actions.declare_file(ctx.label.name + ".quantization_info.yaml")
    arguments, inputs = _stage(ctx, "quantize", metafile_part(ctx, "quantize", metafile))
    arguments.add("--graph", sir)
    arguments.add_all(stats, before_each = "--stats")
    arguments.add_all("--samples", sorted(samples, key = _short_path))
    explicit = None
    if precision_target:
        explicit = ctx.actions.declare_file(ctx.label.name + ".explicit_metafile.yaml")
        arguments.add("--target", precision_target)
        arguments.add("--explicit", explicit)
    arguments.add("--out", qsir)
    arguments.add("--info", info)
    _run(
        ctx,
        "quantize",
        "SynapQuantize",
        "Quantizing %s" % ctx.label,
        arguments,
        depset([sir] + inputs + stats + samples),
        [qsir, info] + ([explicit] if explicit else []),
    )
    return qsir, info, explicit

def compile_models(ctx, graph, metafile, target_of_name, security = []):
    """Graph, float or quantized, to one model or several.

    Args:
      ctx: the rule's context.
      graph: File: .sir or .qsir.
      metafile: SynapMetafileInfo.
      target_of_name: dict of string to string: the name of a model's files, without suffixes, to its target's name.
      security: list of File: the keys and certificates of a secure model, and the file that lists them.

    Returns:
      dict by these names of two Files: the .synap and model_info.txt.
    """
    part = metafile_part(ctx, "compile", metafile)
    models = {}
    for name, target in target_of_name.items():
        synap = ctx.actions.declare_file(name + ".synap")
        info = ctx.actions.declare_file(name + ".model_info.txt")
        arguments, inputs = _stage(ctx, "compile", part)
        arguments.add("--graph", graph)
        arguments.add("--target", target)
        arguments.add("--out", synap)
        arguments.add("--info", info)
        _run(
            ctx,
            "compile",
            "SynapCompile",
            "Compiling %s for %s" % (ctx.label, target),
            arguments,
            depset([graph] + inputs + security),
            [synap, info],
        )
        models[name] = (synap, info)
    return models

def report_model(ctx, synap):
    """A model to its report, for the output group `report`.

    Args:
      ctx: the rule's context.
      synap: File: the .synap.

    Returns:
      A File: one HTML page.
    """
    report = ctx.actions.declare_file(ctx.label.name + ".report.html")
    arguments = ctx.actions.args()
    arguments.add("report")
    arguments.add(synap)
    arguments.add("--out", report)
    _run(ctx, "report", "SynapReport", "Reporting %s" % ctx.label, arguments, depset([synap]), [report])
    return report

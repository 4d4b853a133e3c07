"""The rules behind the macro of model.bzl. The first has the name that users write: `bazel query 'kind(synap_model, //...)'`."""

load(":bazel_version.bzl", "TOOLCHAIN_TRANSITION", "enforced")
load(":budget.bzl", "BUDGET_ATTRS", "LIMIT_OF_ERROR", "budget_limits")
load(":dataset.bzl", "first_samples")
load(":metafile.bzl", "METAFILE_ATTRS", "complain", "metafile_info", "model_file", "weights_file")
load(":providers.bzl", "SynapCalibrationInfo", "SynapGraphInfo", "SynapModelInfo", "SynapModelsInfo", "SynapQuantInfo", "preserved_files")
load(":stages.bzl", "analyze", "check_budget", "compile_model", "import_model", "metafile_part", "tune_model")
load(":target.bzl", "SynapTargetInfo", "TARGET_NAMES_ATTRS", "resolve_target", "unknown_target")
load(":toolchain.bzl", "TOOLCHAIN_TYPE")

def _resolved(ctx, name):
    target = resolve_target(ctx, name)
    if not target:
        complain(ctx, unknown_target(ctx, name))
    return target

def _stem_of_target(ctx):
    """A dict: each target's name to the path of its outputs in the package, without suffix.

    No command line writes one target's model over another's: what a user doesn't find in the build file stands in the path.
    """
    name = ctx.label.name
    folder = name.split("/")[-2] if "/" in name else ""
    if resolve_target(ctx, folder) == folder:
        complain(ctx, "its folder %s is where models for that target are written; write another name, or targets = [\"%s\"]" % (folder, folder))
    if ctx.attr.target and ctx.attr.targets:
        complain(ctx, "write either target = \"%s\" or targets = [...]" % ctx.attr.target)
    if ctx.attr.target:
        return {_resolved(ctx, ctx.attr.target): name}
    if not ctx.attr.targets:
        wanted = ctx.attr._target[SynapTargetInfo]
        return {wanted.name: name if wanted.is_default else "%s/%s" % (wanted.name, name)}
    stems = {}
    for word in ctx.attr.targets:
        target = _resolved(ctx, word)
        if target in stems:
            complain(ctx, "targets names %s twice, the second time as '%s'; leave one out" % (target, word))
        stems[target] = "%s/%s" % (target, name)
    return stems

def _stages_of(target):
    return [target[info] for info in [SynapGraphInfo, SynapCalibrationInfo, SynapQuantInfo] if info in target]

def _float_source(ctx):
    metafile = metafile_info(ctx)
    imported = import_model(ctx, model_file(ctx), weights_file(ctx), metafile)
    return struct(
        graph = imported.sir,
        imported = imported,
        metafile = metafile,
        quantization_info = None,
        samples = [],
        stages = [imported],
    )

def _samples_of(target):
    return target[SynapCalibrationInfo].samples if SynapCalibrationInfo in target else []

def _quantized_source(ctx):
    """The metafile is that of `quantized` unless this target names another."""
    quantized = ctx.attr.quantized
    if SynapModelsInfo in quantized:
        sentence = "quantized = %s is a model, expected a synap_quantize; write graph_of = \"%s\" to compile its graph"
        complain(ctx, sentence % (quantized.label, quantized.label))
    if SynapQuantInfo not in quantized:
        complain(ctx, "quantized = %s has no quantized graph; write the label of a synap_quantize" % quantized.label)
    return struct(
        graph = quantized[SynapQuantInfo].qsir,
        imported = quantized[SynapGraphInfo],
        metafile = metafile_info(ctx) if ctx.file.meta else quantized[SynapGraphInfo].metafile,
        quantization_info = quantized[SynapQuantInfo].info,
        samples = _samples_of(quantized),
        stages = _stages_of(quantized),
    )

def _source_of_model(ctx):
    """The graph of `graph_of`; the metafile is its own unless this target names another."""
    model = ctx.attr.graph_of[SynapModelsInfo].models.values()[0]
    return struct(
        graph = model.graph,
        imported = ctx.attr.graph_of[SynapGraphInfo],
        metafile = metafile_info(ctx) if ctx.file.meta else model.metafile,
        quantization_info = model.quantization_info,
        samples = _samples_of(ctx.attr.graph_of),
        stages = _stages_of(ctx.attr.graph_of),
    )

def _source(ctx):
    """What is compiled: a struct of the graph, its metafile, quantization_info.yaml or None, and the providers of the stages before.

    `imported` is the SynapGraphInfo that it is made of, `samples` those of its calibration; empty if there was none, or with a random one.
    """
    if len([source for source in [ctx.file.model, ctx.attr.quantized, ctx.attr.graph_of] if source]) != 1:
        complain(ctx, "write either model = \"<file>.onnx\" or quantized = \":<a synap_quantize>\" or graph_of = \":<a synap_model>\"")
    if ctx.file.model:
        return _float_source(ctx)
    return _quantized_source(ctx) if ctx.attr.quantized else _source_of_model(ctx)

def _analysis(ctx, limits):
    """The errors of the quantized graph, for a budget that limits them, and the check of their origin; else two None."""
    if LIMIT_OF_ERROR not in limits:
        return None, None
    source = ctx.attr.quantized or ctx.attr.graph_of
    if not source or SynapCalibrationInfo not in source or not source[SynapCalibrationInfo].samples:
        complain(ctx, "%s compares a quantized network with the float one, on samples of files; write a dataset, or leave it out" % LIMIT_OF_ERROR)
    graph = source[SynapGraphInfo]
    return analyze(ctx, graph.sir, source[SynapQuantInfo].qsir, graph.metafile, source[SynapCalibrationInfo].samples)

_MAX_SELF_TEST = 1024

def _self_test(ctx, source):
    """What compile_model takes as `self_test`."""
    count = ctx.attr.self_test
    if count < 0 or count > _MAX_SELF_TEST:
        complain(ctx, "self_test = %d; write a number of samples from 0 to %d" % (count, _MAX_SELF_TEST))
    return struct(count = count, imported = source.imported.sir, samples = first_samples(source.samples, count)) if count else None

def _tuned(ctx, source, stem_of_target):
    """Ways to quantize the model for its targets, a list of one directory; empty without samples. Nothing depends on it."""
    if not source.samples:
        return []
    stem = stem_of_target.values()[0] if len(stem_of_target) == 1 else ctx.label.name
    return [tune_model(ctx, source.imported, source.metafile, source.samples, stem_of_target.keys(), stem)]

def _outputs(ctx, models, stages, tuned):
    """The providers of a target with these models, a dict by the targets' names; `tuned`: list of File."""
    files = [model.synap for model in models.values()]
    checks = depset([check for model in models.values() for check in model.checks]).to_list()
    quantization_infos = [model.quantization_info for model in models.values() if model.quantization_info]
    return stages + [
        DefaultInfo(files = depset(files), runfiles = ctx.runfiles(files + enforced(checks))),
        SynapModelsInfo(models = models),
        OutputGroupInfo(
            # Bazel makes this group of all targets that it is told to build, beside their files.
            _hidden_top_level_INTERNAL_ = depset(enforced(checks)),
            _validation = depset(checks),
            budget = depset([model.budget for model in models.values() if model.budget]),
            graph = depset([model.graph for model in models.values()]),
            model_info = depset([model.info for model in models.values()]),
            nb = depset([file for model in models.values() for file in model.nb]),
            preserved = depset(preserved_files(stages)),
            quantization_info = depset(quantization_infos),
            report = depset([model.report for model in models.values()]),
            tune = depset(tuned),
        ),
    ] + (models.values() if len(models) == 1 else [])

def _synap_model_impl(ctx):
    source = _source(ctx)

    # How samples are read is in another part.
    part = metafile_part(ctx, "self-test" if ctx.attr.self_test else "compile", source.metafile)
    limits = budget_limits(ctx)
    analysis, analysis_check = _analysis(ctx, limits)
    self_test = _self_test(ctx, source)
    models = {}
    stem_of_target = _stem_of_target(ctx)
    for target, stem in stem_of_target.items():
        made = compile_model(
            ctx,
            source.graph,
            part,
            target,
            stem,
            security = ctx.files.security,
            profiling = ctx.attr.profiling,
            self_test = self_test,
            nb = ctx.attr.nb,
        )
        budget, budget_check = check_budget(ctx, made.synap, target, stem, limits, analysis) if limits else (None, None)
        models[target] = SynapModelInfo(
            budget = budget,
            checks = [stage.check for stage in source.stages] + [made.check] +
                     [check for check in [analysis_check, budget, budget_check] if check],
            graph = source.graph,
            info = made.info,
            metafile = source.metafile,
            nb = made.nb,
            quantization_info = source.quantization_info,
            report = made.report,
            self_test = ctx.attr.self_test,
            synap = made.synap,
            target = target,
        )
    return _outputs(ctx, models, source.stages, _tuned(ctx, source, stem_of_target))

synap_model = rule(
    implementation = _synap_model_impl,
    doc = "Compiles a graph for one target or several; see the macro synap_model.",
    attrs = dict(
        dict(dict(METAFILE_ATTRS, **TARGET_NAMES_ATTRS), **BUDGET_ATTRS),
        _rule = attr.string(default = "synap_model"),
        _target = attr.label(default = "//rules:target", providers = [SynapTargetInfo]),
        graph_of = attr.label(providers = [SynapModelsInfo]),
        model = attr.label(allow_single_file = True),
        nb = attr.bool(),
        profiling = attr.bool(),
        quantized = attr.label(allow_files = True),
        security = attr.label_list(allow_files = True),
        self_test = attr.int(),
        target = attr.string(),
        targets = attr.string_list(),
        weights = attr.label(allow_single_file = True),
    ),
    toolchains = [TOOLCHAIN_TYPE],
    **TOOLCHAIN_TRANSITION
)

def _synap_model_for_target_impl(ctx):
    # The model refuses a name that is unknown.
    target = resolve_target(ctx, ctx.attr.target)
    model = ctx.attr.model
    return _outputs(ctx, {target: model[SynapModelsInfo].models[target]}, _stages_of(model), model[OutputGroupInfo].tune.to_list())

synap_model_for_target = rule(
    implementation = _synap_model_for_target_impl,
    doc = "One of the models of a synap_model with `targets`: a build of it compiles for no other target.",
    attrs = dict(
        TARGET_NAMES_ATTRS,
        model = attr.label(mandatory = True, providers = [SynapModelsInfo]),
        target = attr.string(mandatory = True),
    ),
)

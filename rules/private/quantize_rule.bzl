"""The rule behind the macro of quantize.bzl. It has the name that users write: `bazel query 'kind(synap_quantize, //...)'`."""

load(":bazel_version.bzl", "TOOLCHAIN_TRANSITION", "enforced")
load(":dataset.bzl", "DATASET_ATTRS", "dataset_samples", "sample_files")
load(":metafile.bzl", "METAFILE_ATTRS", "complain", "metafile_info", "model_file", "weights_file")
load(":providers.bzl", "SynapCalibrationInfo", "SynapQuantInfo", "preserved_files")
load(":stages.bzl", "MAX_SHARDS", "calibrate", "export_graph", "import_model", "quantize")
load(":target.bzl", "TARGET_NAMES_ATTRS", "resolve_target", "target_files", "unknown_target")
load(":toolchain.bzl", "TOOLCHAIN_TYPE")

def _check(ctx):
    if ctx.attr.random_dataset and not ctx.file.meta:
        complain(ctx, "dataset = \"random\" is what a metafile says; write meta = \"<file>.yaml\", with dataset: random in its quantization")
    if ctx.attr.random_dataset and (ctx.attr.precision_target or ctx.attr.quantize_runs_samples):
        complain(ctx, "precision_target and quantize_runs_samples run samples of files; write dataset = glob([\"samples/*.jpg\"])")
    if ctx.attr.shards < 1 or ctx.attr.shards > MAX_SHARDS:
        complain(ctx, "shards = %d, write a number from 1 to %d" % (ctx.attr.shards, MAX_SHARDS))
    if ctx.attr.precision_target and not resolve_target(ctx, ctx.attr.precision_target):
        complain(ctx, unknown_target(ctx, ctx.attr.precision_target))

def _synap_quantize_impl(ctx):
    samples = dataset_samples(ctx)
    _check(ctx)
    metafile = metafile_info(ctx)
    imported = import_model(ctx, model_file(ctx), weights_file(ctx), metafile)
    shards, stats, calibrated = calibrate(ctx, imported.sir, metafile, samples, ctx.attr.shards)

    # Without need, a new sample would change this action too.
    runs_samples = ctx.attr.quantize_runs_samples or ctx.attr.precision_target
    target = target_files(ctx, resolve_target(ctx, ctx.attr.precision_target)) if ctx.attr.precision_target else None
    quantized = quantize(ctx, imported.sir, metafile, stats, samples if runs_samples else [], target, ctx.attr.entropy)
    quant_info = SynapQuantInfo(
        check = quantized.check,
        info = quantized.info,
        onnx = export_graph(ctx, quantized.qsir, "model_quantized"),
        qsir = quantized.qsir,
    )
    checks = [imported.check, calibrated, quantized.check]
    return [
        DefaultInfo(files = depset([quantized.info])),
        imported,
        SynapCalibrationInfo(
            check = calibrated,
            samples = samples,
            shards = {shard: sample_files(dealt) for shard, dealt in shards.items()},
            stats = stats,
        ),
        quant_info,
        OutputGroupInfo(
            _hidden_top_level_INTERNAL_ = depset(enforced(checks)),
            _validation = depset(checks),
            entropy = depset([quantized.entropy] if quantized.entropy else []),
            explicit_metafile = depset([quantized.explicit] if quantized.explicit else []),
            preserved = depset(preserved_files([imported, quant_info])),
            qsir = depset([quantized.qsir]),
            quantization_info = depset([quantized.info]),
            sir = depset([imported.sir]),
            stats = depset(stats),
        ),
    ]

synap_quantize = rule(
    implementation = _synap_quantize_impl,
    doc = "Imports a model, calibrates it with samples and quantizes it; see the macro synap_quantize.",
    attrs = dict(
        dict(dict(METAFILE_ATTRS, **TARGET_NAMES_ATTRS), **DATASET_ATTRS),
        _rule = attr.string(default = "synap_quantize"),
        entropy = attr.bool(),
        model = attr.label(mandatory = True, allow_single_file = True),
        precision_target = attr.string(),
        quantize_runs_samples = attr.bool(),
        shards = attr.int(default = 4),
        weights = attr.label(allow_single_file = True),
    ),
    toolchains = [TOOLCHAIN_TYPE],
    **TOOLCHAIN_TRANSITION
)

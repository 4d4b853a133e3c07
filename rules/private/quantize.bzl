"""synap_quantize: a model file and samples to a quantized graph."""

load(":metafile.bzl", "METAFILE_ATTRS", "complain", "metafile_info", "model_file", "weights_file")
load(":providers.bzl", "SynapCalibrationInfo", "SynapGraphInfo", "SynapQuantInfo")
load(":stages.bzl", "MAX_SHARDS", "calibrate", "import_model", "quantize", "shard_samples")
load(":target.bzl", "TARGET_NAMES_ATTRS", "resolve_target", "unknown_target")
load(":toolchain.bzl", "TOOLCHAIN_TYPE")

_SAMPLE_SUFFIXES = ["jpg", "jpeg", "png", "bmp", "npy"]

def _check(ctx):
    if not ctx.files.dataset:
        complain(ctx, "dataset is empty; write dataset = glob([\"samples/*.jpg\"]), or the labels of the samples")
    if ctx.attr.shards < 1 or ctx.attr.shards > MAX_SHARDS:
        complain(ctx, "shards = %d, write a number from 1 to %d" % (ctx.attr.shards, MAX_SHARDS))
    if ctx.attr.precision_target and not resolve_target(ctx, ctx.attr.precision_target):
        complain(ctx, unknown_target(ctx, ctx.attr.precision_target))
    seen = {}
    for sample in ctx.files.dataset:
        if sample.extension.lower() not in _SAMPLE_SUFFIXES:
            complain(ctx, "dataset has %s; a sample is one of .%s" % (sample.short_path, ", .".join(_SAMPLE_SUFFIXES)))
        other = seen.get(sample.basename)
        if other:
            complain(ctx, ("dataset has %s and %s; a sample is known by its file name, so rename one of them" %
                           (other.short_path, sample.short_path)))
        seen[sample.basename] = sample

def _synap_quantize_impl(ctx):
    _check(ctx)
    metafile = metafile_info(ctx)
    sir = import_model(ctx, model_file(ctx), weights_file(ctx), metafile)
    shards = shard_samples(ctx.files.dataset, ctx.attr.shards)
    stats = calibrate(ctx, sir, metafile, shards, ctx.attr.shards)

    # Without need, a new sample would change this action too.
    runs_samples = ctx.attr.quantize_runs_samples or ctx.attr.precision_target
    samples = ctx.files.dataset if runs_samples else []
    qsir, info, explicit = quantize(ctx, sir, metafile, stats, samples, ctx.attr.precision_target)
    return [
        DefaultInfo(files = depset([info])),
        SynapGraphInfo(metafile = metafile, sir = sir),
        SynapCalibrationInfo(shards = shards, stats = stats),
        SynapQuantInfo(info = info, qsir = qsir),
        OutputGroupInfo(
            explicit_metafile = depset([explicit] if explicit else []),
            qsir = depset([qsir]),
            quantization_info = depset([info]),
            sir = depset([sir]),
            stats = depset(stats),
        ),
    ]

synap_quantize = rule(
    implementation = _synap_quantize_impl,
    doc = """Imports a model, calibrates it with samples and quantizes it.

Everything here is the same for every target, unless the metafile chooses its data types by a budget (`data_type: auto`): then
precision_target tells whose times count. A synap_model compiles the result. The samples are dealt out to shards that are
calibrated by actions of their own, at the same time and on other machines if they are set up; how many there are has no influence on
the result. What the metafile says under `quantization` holds, except for its `dataset`: what an action reads has to be declared here.

Provides SynapGraphInfo, SynapCalibrationInfo and SynapQuantInfo; output groups sir, stats, qsir, quantization_info and, with a
precision_target, explicit_metafile: the metafile's part about quantization with the data types that were chosen.

```
synap_quantize(
    name = "faces_quantized",
    dataset = glob(["samples/*.jpg"]),
    meta = "faces.yaml",
    model = "faces.onnx",
)
```""",
    attrs = dict(
        dict(METAFILE_ATTRS, **TARGET_NAMES_ATTRS),
        _rule = attr.string(default = "synap_quantize"),
        dataset = attr.label_list(
            allow_files = True,
            doc = "The samples of the network's input: pictures (.jpg, .png, .bmp) or .npy files.",
        ),
        model = attr.label(mandatory = True, allow_single_file = True, doc = "The trained network: an .onnx, .tflite, .torchscript (.pt, .pth), .pb or .prototxt file, not quantized yet."),
        precision_target = attr.string(doc = "With `data_type: auto` in the metafile: the target whose estimated times decide."),
        quantize_runs_samples = attr.bool(doc = "The metafile asks for `bias_correction` or `rounding: adaptive`, which run samples once more."),
        shards = attr.int(default = 4, doc = "Into how many calibration actions the samples are dealt out, 1 to 64."),
        weights = attr.label(allow_single_file = True, doc = "The weights of a Caffe network: a .caffemodel file."),
    ),
    toolchains = [TOOLCHAIN_TYPE],
    incompatible_use_toolchain_transition = True,
)

"""synap_model: a model file or a quantized graph to a .synap file."""

load(":metafile.bzl", "METAFILE_ATTRS", "complain", "metafile_info", "model_file", "weights_file")
load(":providers.bzl", "SynapGraphInfo", "SynapModelInfo", "SynapQuantInfo")
load(":quantize.bzl", "synap_quantize")
load(":stages.bzl", "compile_models", "import_model", "report_model")
load(":target.bzl", "SynapTargetInfo", "TARGET_NAMES_ATTRS", "resolve_target", "unknown_target")
load(":toolchain.bzl", "TOOLCHAIN_TYPE")

def _target(ctx):
    if not ctx.attr.target:
        return ctx.attr._target[SynapTargetInfo].name
    target = resolve_target(ctx, ctx.attr.target)
    if not target:
        complain(ctx, unknown_target(ctx, ctx.attr.target))
    return target

def _float_graph(ctx):
    metafile = metafile_info(ctx)
    sir = import_model(ctx, model_file(ctx), weights_file(ctx), metafile)
    return sir, metafile, [SynapGraphInfo(metafile = metafile, sir = sir)]

def _quantized_graph(ctx):
    """The graph of `quantized`; the metafile is its own unless this target names another."""
    quantized = ctx.attr.quantized
    metafile = metafile_info(ctx) if ctx.file.meta else quantized[SynapGraphInfo].metafile
    return quantized[SynapQuantInfo].qsir, metafile, [quantized[SynapGraphInfo], quantized[SynapQuantInfo]]

def _synap_model_impl(ctx):
    if bool(ctx.file.model) == bool(ctx.attr.quantized):
        complain(ctx, "write either model = \"<file>.onnx\" or quantized = \":<a synap_quantize>\"")
    target = _target(ctx)
    graph, metafile, stages = _float_graph(ctx) if ctx.file.model else _quantized_graph(ctx)
    synap, info = compile_models(ctx, graph, metafile, {ctx.label.name: target}, ctx.files.security)[ctx.label.name]
    quantization_info = ctx.attr.quantized[SynapQuantInfo].info if ctx.attr.quantized else None
    return stages + [
        DefaultInfo(files = depset([synap]), runfiles = ctx.runfiles([synap])),
        SynapModelInfo(
            graph = graph,
            info = info,
            metafile = metafile,
            quantization_info = quantization_info,
            synap = synap,
            target = target,
        ),
        OutputGroupInfo(
            graph = depset([graph]),
            model_info = depset([info]),
            quantization_info = depset([quantization_info] if quantization_info else []),
            report = depset([report_model(ctx, synap)]),
        ),
    ]

_synap_model = rule(
    implementation = _synap_model_impl,
    doc = "Compiles a graph for one target; see the macro synap_model.",
    attrs = dict(
        dict(METAFILE_ATTRS, **TARGET_NAMES_ATTRS),
        _rule = attr.string(default = "synap_model"),
        _target = attr.label(default = "//rules:target", providers = [SynapTargetInfo]),
        model = attr.label(allow_single_file = True),
        quantized = attr.label(providers = [SynapGraphInfo, SynapQuantInfo]),
        security = attr.label_list(allow_files = True),
        target = attr.string(),
        weights = attr.label(allow_single_file = True),
    ),
    toolchains = [TOOLCHAIN_TYPE],
    incompatible_use_toolchain_transition = True,
)

def synap_model(
        name,
        model = None,
        weights = None,
        quantized = None,
        meta = None,
        target = None,
        dataset = None,
        shards = 4,
        precision_target = None,
        quantize_runs_samples = False,
        security = [],
        data = [],
        env = {},
        tags = [],
        testonly = False,
        visibility = None):
    """A model, compiled for a target: <name>.synap and <name>.model_info.txt.

    Provides SynapModelInfo (and SynapGraphInfo, SynapQuantInfo); output groups graph, model_info, quantization_info and
    report, an HTML page. Only the last actions, SynapCompile and SynapReport, depend on the target.

    ```
    synap_model(
        name = "faces",
        dataset = glob(["samples/*.jpg"]),
        meta = "faces.yaml",
        model = "faces.onnx",
    )
    ```

    Args:
      name: the target's name.
      model: the trained network, an .onnx, .tflite, .torchscript (.pt, .pth), .pb or .prototxt file. Without `dataset` it stays as it is: float, or quantized if the file is.
      weights: the weights of a Caffe network (.prototxt), a .caffemodel file.
      quantized: a synap_quantize, instead of `model`.
      meta: the conversion metafile; with `quantized` only if it is another one than there.
      target: a target's name or alias; without it --//rules:target decides.
      dataset: samples; a synap_quantize <name>_quantized is made of `model` with them.
      shards: of that synap_quantize.
      precision_target: of that synap_quantize; for a metafile with `data_type: auto`.
      quantize_runs_samples: of that synap_quantize; for a metafile with `bias_correction` or `rounding: adaptive`.
      security: for a metafile with `security`: the file that it names, and the keys and certificates. Only the last action reads them.
      data: what the metafile and the model refer to.
      env: variables that the metafile sees.
      tags: tags of all targets.
      testonly: of all targets.
      visibility: of all targets.
    """
    if dataset == None and (precision_target or quantize_runs_samples):
        fail("synap_model %s: precision_target and quantize_runs_samples are for a model that is quantized here; add dataset, or write them at the synap_quantize" % name)
    if dataset != None:
        if quantized:
            fail("synap_model %s: dataset is for a model that is quantized here; leave quantized or dataset out" % name)
        synap_quantize(
            name = name + "_quantized",
            data = data,
            dataset = dataset,
            env = env,
            meta = meta,
            model = model,
            precision_target = precision_target,
            quantize_runs_samples = quantize_runs_samples,
            shards = shards,
            tags = tags,
            testonly = testonly,
            visibility = visibility,
            weights = weights,
        )
        quantized, model, weights, meta, data, env = ":%s_quantized" % name, None, None, None, [], {}
    _synap_model(
        name = name,
        data = data,
        env = env,
        meta = meta,
        model = model,
        quantized = quantized,
        security = security,
        tags = tags,
        target = target,
        testonly = testonly,
        visibility = visibility,
        weights = weights,
    )

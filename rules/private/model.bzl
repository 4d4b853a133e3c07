"""synap_model: a model file or a quantized graph to a .synap file."""

load(":budget.bzl", "budget_attributes")
load(":metafile.bzl", "missing_files")
load(":model_rule.bzl", "synap_model_for_target", model_rule = "synap_model")
load(":quantize.bzl", "synap_quantize")

def synap_model(
        name,
        model = None,
        weights = None,
        quantized = None,
        graph_of = None,
        meta = None,
        target = None,
        targets = [],
        dataset = None,
        shards = 4,
        precision_target = None,
        quantize_runs_samples = False,
        entropy = False,
        security = [],
        profiling = False,
        nb = False,
        self_test = 0,
        max_latency_ms = None,
        max_arena_kb = None,
        max_cpu_macs_percent = None,
        min_sqnr_db = None,
        data = [],
        env = {},
        tags = [],
        target_compatible_with = [],
        testonly = False,
        visibility = None):
    """A model, compiled for a target: <name>.synap and <name>.model_info.txt.

    With `targets` it is a model for each of them, <TARGET>/<name>.synap, and <name>_<target> is the label of one alone; so is the
    path where --//rules:target picks another target than the default. Import, calibration and quantization run once for all targets:
    only the last actions, from SynapCompile on, depend on the target.

    With a budget (max_latency_ms, max_arena_kb, max_cpu_macs_percent, min_sqnr_db) the build fails if a model exceeds it, with a table and
    the layers that cost or lose most; the .synap and the report are there nevertheless.

    Provides SynapModelsInfo, for one target SynapModelInfo too (and SynapGraphInfo, SynapCalibrationInfo, SynapQuantInfo); output groups
    graph, model_info, quantization_info, budget, report, an HTML page, preserved: what `synap convert --preserve` keeps, the graphs and model.onnx,
    model_quantized.onnx for Netron and ONNX Runtime, and of a model with a dataset tune: <name>.tune/, what `synap tune` finds for its targets in 12 ways.

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
      model: the trained network, an .onnx, .tflite, .torchscript (.pt, .pth, .ptl), .pt2, .pb or .prototxt file. Without `dataset` it stays as it is: float, or quantized if the file is.
      weights: the weights of a Caffe network (.prototxt), a .caffemodel file.
      quantized: a synap_quantize, instead of `model`.
      graph_of: a synap_model, instead of `model`: its graph is compiled, for other targets or with another metafile.
      meta: the conversion metafile; with `quantized` or `graph_of` only if it is another one than there.
      target: a target's name or alias; without it, and without `targets`, --//rules:target decides.
      targets: names or aliases of targets, such as ["VS640", "SL1680"]; the labels of the single models are <name>_vs640 and <name>_sl1680.
      dataset: samples, for several inputs a dict; a synap_quantize <name>_quantized is made of `model` with them.
      shards: of that synap_quantize.
      precision_target: of that synap_quantize; for a metafile with `data_type: auto`.
      quantize_runs_samples: of that synap_quantize; for a metafile with `effort: best`, `bias_correction` or a `rounding` by samples.
      entropy: of that synap_quantize; for a metafile with `algorithm: kl_divergence`.
      security: for a metafile with `security`: the file that it names, and the keys and certificates. Only the last action reads them.
      profiling: whether the model measures its layers in each run, for network_profile.
      nb: whether output group nb has <name>.nb and <name>.json, the program and its metadata beside each other, as `synap convert --out-format nb`; for models of one subgraph.
      self_test: so many samples, 0 to 1024, and the digests of what the model makes of them are a part of it, for synap_verify_test: the first ones of the dataset by their paths, random ones without a dataset. With `profiling` the digests of all layers, too.
      max_latency_ms: longest estimated time of one inference, in milliseconds: a number, 2 or "2.5".
      max_arena_kb: most memory for tensors between layers, in units of 1024 bytes.
      max_cpu_macs_percent: most multiply-accumulates on the CPU, in percent of all.
      min_sqnr_db: smallest signal to quantization noise ratio of an output against the float network, in dB, on the first 16 samples of the dataset.
      data: what the metafile and the model refer to.
      env: variables that the metafile sees.
      tags: tags of all targets.
      target_compatible_with: constraints of all targets, as ["@synap//platforms:sl1680"]; on other platforms `//...` skips them and what depends on them.
      testonly: of all targets.
      visibility: of all targets.
    """
    if dataset == None and (precision_target or quantize_runs_samples or entropy):
        attributes = "precision_target, quantize_runs_samples and entropy"
        fail("synap_model %s: %s are for a model that is quantized here; add dataset, or write them at the synap_quantize" % (name, attributes))
    if dataset != None:
        if quantized or graph_of:
            fail("synap_model %s: dataset is for a model that is quantized here; leave it out, or quantized and graph_of" % name)
        synap_quantize(
            name = name + "_quantized",
            data = data,
            dataset = dataset,
            entropy = entropy,
            env = env,
            meta = meta,
            model = model,
            precision_target = precision_target,
            quantize_runs_samples = quantize_runs_samples,
            shards = shards,
            tags = tags,
            target_compatible_with = target_compatible_with,
            testonly = testonly,
            visibility = visibility,
            weights = weights,
        )
        quantized, model, weights, meta, data, env = ":%s_quantized" % name, None, None, None, [], {}
    model_rule(
        name = name,
        data = data,
        env = env,
        graph_of = graph_of,
        meta = meta,
        model = model,
        nb = nb,
        profiling = profiling,
        quantized = quantized,
        security = security,
        self_test = self_test,
        missing_files = missing_files([meta, model, weights]),
        tags = tags,
        target = target,
        target_compatible_with = target_compatible_with,
        targets = targets,
        testonly = testonly,
        visibility = visibility,
        weights = weights,
        **budget_attributes(max_latency_ms, max_arena_kb, max_cpu_macs_percent, min_sqnr_db)
    )
    for word in targets:
        synap_model_for_target(
            name = "%s_%s" % (name, word.lower()),
            model = name,
            tags = tags,
            target = word,
            target_compatible_with = target_compatible_with,
            testonly = testonly,
            visibility = visibility,
        )

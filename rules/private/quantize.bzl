"""synap_quantize: a model file and samples to a quantized graph."""

load(":dataset.bzl", "dataset_attributes")
load(":metafile.bzl", "missing_files")
load(":quantize_rule.bzl", quantize_rule = "synap_quantize")

def synap_quantize(
        name,
        model,
        dataset,
        weights = None,
        meta = None,
        shards = 4,
        precision_target = None,
        quantize_runs_samples = False,
        entropy = False,
        data = [],
        env = {},
        tags = [],
        target_compatible_with = [],
        testonly = False,
        visibility = None):
    """Imports a model, calibrates it with samples and quantizes it.

    Everything here is the same for every target, unless the metafile chooses its data types by a budget (`data_type: auto`): then
    precision_target tells whose times count. A synap_model compiles the result. The samples are dealt out to shards that are
    calibrated by actions of their own, at the same time and on other machines if they are set up; how many there are has no influence on
    the result. The files of a directory, which a rule makes, aren't known before: each shard's action reads all of it and takes its part. What the metafile says under `quantization` holds, except for its `dataset`: what an action reads has to be declared here. If there is one, its patterns
    have to match the samples, from whichever folder: of `../samples/*.jpg` the last two components, `samples/*.jpg`, are compared with each path.

    Provides SynapGraphInfo, SynapCalibrationInfo and SynapQuantInfo; output groups sir, stats, qsir, quantization_info,
    preserved (both graphs, also as ONNX), entropy and, with a precision_target, explicit_metafile: the metafile's part about quantization with the data types that were chosen.

    ```
    synap_quantize(
        name = "faces_quantized",
        dataset = glob(["samples/*.jpg"]),
        meta = "faces.yaml",
        model = "faces.onnx",
    )
    ```

    Args:
      name: the target's name.
      model: the trained network: an .onnx, .tflite, .torchscript (.pt, .pth, .ptl), .pt2, .pb or .prototxt file. Layers that come quantized keep
        their quantizers unless the metafile says `mode: full`; if all do, there is nothing to calibrate, an error.
      dataset: the samples of the network's input: pictures (.jpg, .png, .bmp), .npy files, or directories of them that rules make. For
        several inputs a dict by their positions, {0: glob(["images/*.jpg"]), 1: glob(["masks/*.npy"])}: files of one name, but for the
        suffix, are a sample. "random" for a metafile that says so: one sample of random values.
      weights: the weights of a Caffe network: a .caffemodel file.
      meta: the conversion metafile, a .yaml file; without it all is as the model says.
      shards: into how many calibration actions the samples are dealt out, 1 to 1024.
      precision_target: with `data_type: auto` in the metafile: the target whose estimated times decide.
      quantize_runs_samples: the metafile asks for `effort: best`, `bias_correction` or a `rounding` by samples, which run samples once more.
      entropy: for a metafile with `algorithm: kl_divergence`: also make <name>.quantization_entropy.txt, the output group entropy.
      data: what the metafile refers to with ${FILE:}, and the files of external data of the model.
      env: the variables that ${ENV:} in the metafile sees; those of the machine aren't seen, and one that isn't here is an error.
      tags: the target's tags.
      target_compatible_with: constraints of platforms, as ["@synap//platforms:sl1680"]; on others `//...` skips the target and what depends on it.
      testonly: whether only tests may use it.
      visibility: the target's visibility.
    """
    quantize_rule(
        name = name,
        data = data,
        entropy = entropy,
        env = env,
        meta = meta,
        model = model,
        precision_target = precision_target,
        quantize_runs_samples = quantize_runs_samples,
        shards = shards,
        missing_files = missing_files([meta, model, weights]),
        tags = tags,
        target_compatible_with = target_compatible_with,
        testonly = testonly,
        visibility = visibility,
        weights = weights,
        **dataset_attributes(dataset)
    )

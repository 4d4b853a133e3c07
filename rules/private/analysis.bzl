"""The errors of quantized models, for tools: no model measures them unless its budget says so."""

load(":bazel_version.bzl", "TOOLCHAIN_TRANSITION")
load(":providers.bzl", "SynapCalibrationInfo", "SynapGraphInfo", "SynapQuantInfo")
load(":stages.bzl", "analyze")
load(":toolchain.bzl", "TOOLCHAIN_TYPE")

def _synap_analysis_impl(target, ctx):
    quantized = SynapQuantInfo in target and SynapCalibrationInfo in target and target[SynapCalibrationInfo].samples
    if not quantized:
        return [OutputGroupInfo(analysis = depset())]
    graph = target[SynapGraphInfo]
    analysis, check = analyze(ctx, graph.sir, target[SynapQuantInfo].qsir, graph.metafile, target[SynapCalibrationInfo].samples)
    return [OutputGroupInfo(analysis = depset([analysis, check]))]

synap_analysis = aspect(
    implementation = _synap_analysis_impl,
    doc = """What `synap analyze --json` says of a quantized model, over the first 16 samples of its dataset:

    bazel build --aspects=//rules/private:analysis.bzl%synap_analysis --output_groups=+analysis //models:yolov5_face

    The file is _synap/<name>/analysis.json in the model's package. Without a dataset of files there is none.""",
    toolchains = [TOOLCHAIN_TYPE],
    **TOOLCHAIN_TRANSITION
)

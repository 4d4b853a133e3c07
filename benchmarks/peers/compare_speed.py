#!/usr/bin/env python3
"""Times models on the emulated NPU against ONNX Runtime, TensorFlow Lite with XNNPACK and ncnn, in turns.

    python3 -m venv .cache/peers && .cache/peers/bin/pip install -r benchmarks/peers/speed_requirements.txt
    ./bazelw build //compiler/cli:synap //runtime/cli:synap_cli
    .cache/peers/bin/python benchmarks/peers/compare_speed.py --bin bazel-bin --threads 1 mobilenet_v2 model.onnx ...

A model is an ONNX or TensorFlow Lite file, or the name of a network in architectures.py, which is made on the spot with
random weights. Every peer and we run the same file: float32, and 8 bits as the peer's own quantizer wrote them (ONNX
Runtime: QDQ, uint8 activations, int8 weights per channel; TensorFlow Lite: int8). In each round all run one after the
other, so that a machine whose speed drifts is unfair to none, with a pause, so that none runs beside another's idle
threads; a figure is the median of the rounds' medians, in milliseconds. Ratios below 1 are ours being faster.
"""

import argparse
import os
import re
import statistics
import subprocess
import tempfile
import time

import numpy
import onnx
import onnxruntime
from onnxruntime import quantization
from onnxruntime.quantization.shape_inference import quant_pre_process

import architectures
import onnxruntime_quantizer


def median_ms(run, runs):
    times = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        run()
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times[1:])


def noise(shape, dtype=numpy.float32):
    values = numpy.random.default_rng(1).random([size if isinstance(size, int) and size > 0 else 1 for size in shape])
    return values.astype(numpy.float32) if dtype == numpy.float32 else (values * 255 + numpy.iinfo(dtype).min).astype(dtype)


def ours(options, model, folder):
    """A function that times the model compiled for the emulated NPU."""
    subprocess.run([f"{options.bin}/compiler/cli/synap", "convert", "--silent", "--model", model, "--target", "VS680",
                    "--out-dir", folder], check=True)
    command = [f"{options.bin}/runtime/cli/synap_cli", "-m", f"{folder}/model.synap", "-r", str(options.runs), "random"]
    environment = {**os.environ, "SYNAP_NUM_THREADS": str(options.threads)}

    def measure():
        output = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
        return float(re.search(r"median: ([0-9.]+)", output).group(1))

    return measure


# Before each measurement, in seconds: threads of the one before look for work for up to 0.2 s (OpenMP's of ncnn), on a
# processor that the next one needs.
PAUSE = 0.5


def onnx_runtime(options, model):
    session_options = onnxruntime.SessionOptions()
    session_options.intra_op_num_threads = options.threads
    session_options.inter_op_num_threads = 1
    session_options.log_severity_level = 3  # its advice on how models were exported
    session = onnxruntime.InferenceSession(model, session_options, providers=["CPUExecutionProvider"])
    feeds = {tensor.name: noise(tensor.shape) for tensor in session.get_inputs()}
    return lambda: median_ms(lambda: session.run(None, feeds), options.runs)


def quantize_onnx(model, folder):
    upgraded, prepared, quantized = (f"{folder}/{name}.onnx" for name in ("upgraded", "prepared", "qdq"))
    onnxruntime_quantizer.prepare(model, upgraded)
    quant_pre_process(upgraded, prepared, skip_symbolic_shape=True)
    inputs = onnxruntime.InferenceSession(prepared).get_inputs()
    samples = onnxruntime_quantizer.Samples([{tensor.name: noise(tensor.shape) for tensor in inputs}])
    quantization.quantize_static(prepared, quantized, samples, quant_format=quantization.QuantFormat.QDQ, per_channel=True,
                                 activation_type=quantization.QuantType.QUInt8, weight_type=quantization.QuantType.QInt8)
    return quantized


def tensorflow_lite(options, model):
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(model, num_threads=options.threads)
    interpreter.allocate_tensors()
    for tensor in interpreter.get_input_details():
        interpreter.set_tensor(tensor["index"], noise(tensor["shape"].tolist(), tensor["dtype"]))
    return lambda: median_ms(interpreter.invoke, options.runs)


def ncnn_net(options, model, folder):
    import ncnn

    shape = [tensor.shape for tensor in onnxruntime.InferenceSession(model).get_inputs()][0]
    subprocess.run(["pnnx", model, f"ncnnparam={folder}/net.param", f"ncnnbin={folder}/net.bin", "fp16=0"], check=True,
                   capture_output=True, cwd=folder)
    net = ncnn.Net()
    net.opt.num_threads = options.threads
    net.load_param(f"{folder}/net.param")
    net.load_model(f"{folder}/net.bin")
    if not net.input_names():
        print(f"{os.path.basename(model)}: pnnx makes no network of it for ncnn")
        return None
    image = ncnn.Mat(noise(shape[1:]))

    def run():
        extractor = net.create_extractor()
        extractor.input(net.input_names()[0], image)
        for name in net.output_names():
            extractor.extract(name)

    return lambda: median_ms(run, options.runs)


def runners(options, model, folder):
    """What to time: {column: function}; columns come in pairs, a peer's and ours on the same file."""

    def path(name):
        os.makedirs(f"{folder}/{name}", exist_ok=True)
        return f"{folder}/{name}"

    found = {}
    lite = {"lite": model} if model.endswith(".tflite") else {}
    if model in architectures.ARCHITECTURES:
        file = f"{folder}/{model}.onnx"
        onnx.save(architectures.to_onnx(model), file)
        lite = architectures.to_tensorflow_lite(model, folder)
        model = file
    if model.endswith(".onnx"):
        quantized = quantize_onnx(model, folder)
        found["ORT f32"] = onnx_runtime(options, model)
        found["ours f32"] = ours(options, model, path("float"))
        found["ncnn f32"] = ncnn_net(options, model, path("ncnn"))
        found["ORT QDQ"] = onnx_runtime(options, quantized)
        found["ours QDQ"] = ours(options, quantized, path("qdq"))
    for kind, file in lite.items():
        found[f"LiteRT {kind}"] = tensorflow_lite(options, file)
        found[f"ours {kind}"] = ours(options, file, path(kind))
    return {name: measure for name, measure in found.items() if measure}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="+", help="ONNX or TensorFlow Lite files, or names in architectures.py")
    parser.add_argument("--bin", default="bazel-bin", help="where the programs were built")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=9, help="inferences in a round")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    pairs = {"f32/ORT": ("ours f32", "ORT f32"), "f32/ncnn": ("ours f32", "ncnn f32"), "QDQ/ORT": ("ours QDQ", "ORT QDQ"),
             "f32/LiteRT": ("ours f32 lite", "LiteRT f32 lite"), "int8/LiteRT": ("ours int8", "LiteRT int8"),
             "lite/LiteRT": ("ours lite", "LiteRT lite")}
    for model in options.models:
        with tempfile.TemporaryDirectory() as folder:
            measures = runners(options, model, folder)
            times = {name: [] for name in measures}
            for _ in range(options.rounds):
                for name, measure in measures.items():
                    time.sleep(PAUSE)
                    times[name].append(measure())
        figures = {name: statistics.median(values) for name, values in times.items()}
        print(f"{os.path.basename(model)}, threads: {options.threads}")
        print("  " + "  ".join(f"{name} {figure:.2f}" for name, figure in figures.items()))
        print("  " + "  ".join(f"{name} {figures[a] / figures[b]:.2f}" for name, (a, b) in pairs.items() if a in figures and b in figures),
              flush=True)


if __name__ == "__main__":
    main()

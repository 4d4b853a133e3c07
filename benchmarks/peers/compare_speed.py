#!/usr/bin/env python3
"""Times models on the emulated NPU against ONNX Runtime, TensorFlow Lite with XNNPACK and ncnn, in turns.

    python3 -m venv .cache/peers && .cache/peers/bin/pip install -r benchmarks/peers/speed_requirements.txt
    ./bazelw build //compiler/convert/cli:synap //runtime/cli:synap_cli
    .cache/peers/bin/python benchmarks/peers/compare_speed.py --bin bazel-bin --threads 1 mobilenet_v2 model.onnx ...

A model is an ONNX or TensorFlow Lite file, or the name of a network in architectures.py, which is made with random weights;
without one, all of architectures.py. Every peer and we run the same file: float32, and what the peer's own quantizer wrote
(ONNX Runtime: QDQ, uint8 or int16 activations, int8 weights per channel; TensorFlow Lite: int8, and int16 activations with int8
weights).
All get the same inputs, uniform numbers.

In each round all run one after the other, so that a machine whose speed drifts is unfair to none, with a pause, so that none
runs beside another's idle threads. A round's figure is the median of its inferences, in milliseconds. Of the rounds it prints
the least, the median and the largest, and of each ratio of a round, ours by the peer's, the median and the range. Below 1 we
are faster.

--folder keeps the files that are made, and uses those that are there, ours too unless the compiler is newer: made where all peers can
be installed (--prepare, which measures nothing), they are measured elsewhere without TensorFlow or pnnx. With one thread --pause may be short.
"""

import argparse
import contextlib
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time

import numpy

import architectures

# Default of --pause, before each measurement, in seconds: threads of the one before look for work for up to 0.2 s (OpenMP's of ncnn), on a
# processor that the next one needs.
PAUSE = 0.5

# {a peer's column: (its file in a network's folder, ours)}
COLUMNS = {"ORT f32": ("f32.onnx", "ours f32"), "ncnn f32": ("net.param", "ours f32"), "ORT QDQ": ("qdq.onnx", "ours QDQ"),
           "ORT 16-bit QDQ": ("qdq16.onnx", "ours 16-bit QDQ"),
           "LiteRT f32": ("f32.tflite", "ours f32 lite"), "LiteRT int8": ("int8.tflite", "ours int8"),
           "LiteRT int16": ("int16.tflite", "ours int16"), "LiteRT": ("model.tflite", "ours lite")}


def median_ms(run, runs):
    times = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        run()
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times[1:])


def noise(shape, dtype=numpy.float32):
    values = numpy.random.default_rng(1).random([size if isinstance(size, int) and size > 0 else 1 for size in shape])
    if dtype == numpy.float32:
        return values.astype(numpy.float32)
    limits = numpy.iinfo(dtype)
    return (values * (limits.max - limits.min) + limits.min).astype(dtype)


def quantize_onnx(model, quantized, activations):
    """activations: a name in QuantType."""
    import onnxruntime
    from onnxruntime import quantization
    from onnxruntime.quantization.shape_inference import quant_pre_process

    import onnxruntime_quantizer

    with tempfile.TemporaryDirectory() as folder:
        upgraded, prepared = (f"{folder}/{name}.onnx" for name in ("upgraded", "prepared"))
        onnxruntime_quantizer.prepare(model, upgraded)
        quant_pre_process(upgraded, prepared, skip_symbolic_shape=True)
        inputs = onnxruntime.InferenceSession(prepared).get_inputs()
        samples = onnxruntime_quantizer.Samples([{tensor.name: noise(tensor.shape) for tensor in inputs}])
        quantization.quantize_static(prepared, quantized, samples, quant_format=quantization.QuantFormat.QDQ, per_channel=True,
                                     activation_type=quantization.QuantType[activations],
                                     weight_type=quantization.QuantType.QInt8)


def make_ncnn(model, folder):
    """Writes net.param and net.bin, or says why not."""
    if shutil.which("pnnx"):
        with contextlib.suppress(subprocess.CalledProcessError):
            subprocess.run(["pnnx", os.path.abspath(model), "ncnnparam=net.param", "ncnnbin=net.bin", "fp16=0"], check=True,
                           capture_output=True, cwd=folder)
            with open(f"{folder}/net.param") as file:
                if "Input" in file.read():
                    return
        print(f"{os.path.basename(folder)}: pnnx makes no network of it for ncnn")
        with contextlib.suppress(FileNotFoundError):
            os.remove(f"{folder}/net.param")


def is_newer(file, than):
    return not os.path.exists(than) or os.path.getmtime(file) > os.path.getmtime(than)


def prepare(options, model, folder):
    """Makes what isn't there of the files in COLUMNS that are asked for."""

    def asked(name):
        return any(file == name and re.search(options.columns, column) for column, (file, _) in COLUMNS.items())

    def exists(name):
        return os.path.exists(f"{folder}/{name}")

    os.makedirs(folder, exist_ok=True)
    if model.endswith(".tflite"):
        if is_newer(model, f"{folder}/model.tflite"):
            shutil.copy(model, f"{folder}/model.tflite")
        return
    if model not in architectures.ARCHITECTURES:
        if is_newer(model, f"{folder}/f32.onnx"):
            shutil.copy(model, f"{folder}/f32.onnx")
    elif not exists("f32.onnx"):
        import onnx

        onnx.save(architectures.to_onnx(model), f"{folder}/f32.onnx")
    # All kinds are made together, and float32 always is.
    if model in architectures.ARCHITECTURES and not exists("f32.tflite") and any(
            asked(f"{kind}.tflite") for kind in ("f32", "int8", "int16")):
        architectures.to_tensorflow_lite(model, folder)
    for name, activations in (("qdq.onnx", "QUInt8"), ("qdq16.onnx", "QInt16")):
        if asked(name) and not exists(name):
            try:
                quantize_onnx(f"{folder}/f32.onnx", f"{folder}/{name}", activations)
            except (ImportError, ValueError) as error:
                print(f"{os.path.basename(folder)}: ONNX Runtime doesn't quantize it: {error}")
    if asked("net.param") and not exists("net.param"):
        make_ncnn(f"{folder}/f32.onnx", folder)


def inputs_of(model):
    """What all programs that run the model get: [(name, array)]."""
    if model.endswith(".tflite"):
        from ai_edge_litert.interpreter import Interpreter

        return [(tensor["name"], noise(tensor["shape"].tolist(), tensor["dtype"])) for tensor in Interpreter(model).get_input_details()]
    import onnxruntime

    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return [(tensor.name, noise(tensor.shape)) for tensor in session.get_inputs()]


def ours(options, model, inputs, folder):
    """A function that times the model compiled for the emulated NPU."""
    artifact = f"{folder}/model.synap"
    compiler = f"{options.bin}/compiler/convert/cli/synap"
    if is_newer(compiler, artifact) or is_newer(model, artifact):
        subprocess.run([compiler, "convert", "--silent", "--model", model, "--target", "VS680",
                        "--out-dir", folder], check=True)
    files = []
    for _, values in inputs:
        files.append(f"{folder}/input_{len(files)}.bin")
        values.tofile(files[-1])
    command = [f"{options.bin}/runtime/cli/synap_cli", "-m", artifact, "-r", str(options.runs), *files]
    environment = {**os.environ, "SYNAP_NUM_THREADS": str(options.threads)}

    def measure():
        output = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
        return float(re.search(r"median: ([0-9.]+)", output).group(1))

    return measure


def onnx_runtime(options, model, inputs):
    import onnxruntime

    session_options = onnxruntime.SessionOptions()
    session_options.intra_op_num_threads = options.threads
    session_options.inter_op_num_threads = 1
    session_options.log_severity_level = 3  # its advice on how models were exported
    session = onnxruntime.InferenceSession(model, session_options, providers=["CPUExecutionProvider"])
    feeds = dict(inputs)
    return lambda: median_ms(lambda: session.run(None, feeds), options.runs)


def tensorflow_lite(options, model, inputs):
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(model, num_threads=options.threads)
    interpreter.allocate_tensors()
    for tensor, (_, values) in zip(interpreter.get_input_details(), inputs):
        interpreter.set_tensor(tensor["index"], values)
    return lambda: median_ms(interpreter.invoke, options.runs)


def ncnn_net(options, model, inputs):
    import ncnn

    net = ncnn.Net()
    net.opt.num_threads = options.threads
    net.load_param(model)
    net.load_model(f"{os.path.dirname(model)}/net.bin")
    image = ncnn.Mat(inputs[0][1][0])

    def run():
        extractor = net.create_extractor()
        extractor.input(net.input_names()[0], image)
        for name in net.output_names():
            extractor.extract(name)

    return lambda: median_ms(run, options.runs)


def runners(options, folder):
    """What to time: {column: function}, of the files in the folder."""
    found, inputs = {}, {}
    for column, (name, our_column) in COLUMNS.items():
        file = f"{folder}/{name}"
        if not os.path.exists(file) or not re.search(options.columns, column):
            continue
        peer = {".onnx": onnx_runtime, ".tflite": tensorflow_lite, ".param": ncnn_net}[os.path.splitext(name)[1]]
        model = f"{folder}/f32.onnx" if column.startswith("ncnn") else file
        try:
            if model not in inputs:
                inputs[model] = inputs_of(model)
            found[column] = peer(options, file, inputs[model])
        except ImportError as error:
            print(f"{column}: {error}")
            continue
        if our_column not in found:
            found[our_column] = ours(options, model, inputs[model], f"{folder}/{our_column.replace(' ', '_')}")
    return found


def machine():
    with open("/proc/cpuinfo") as file:
        text = file.read()
    model = re.search(r"model name\s*: (.*)", text)
    extensions = [flag for flag in ("avx2", "avx_vnni", "avx512_vnni", "amx_int8") if re.search(rf"\b{flag}\b", text)]
    return f"{model.group(1) if model else os.uname().machine}, {os.cpu_count()} processors, {' '.join(extensions)}"


def versions():
    for module in ("onnxruntime", "ai_edge_litert", "ncnn"):
        with contextlib.suppress(ImportError):
            yield f"{module} {getattr(__import__(module), '__version__', '')}".strip()


def measure(options, name, folder):
    """Prints a network's figures; returns {peer's column: median ratio}."""
    measures = runners(options, folder)
    times = {column: [] for column in measures}
    for _ in range(options.rounds):
        for column, run in measures.items():
            time.sleep(options.pause)
            times[column].append(run())
    print(f"{name}, threads: {options.threads}")
    for column, values in times.items():
        print(f"  {column:15}{min(values):9.2f}{statistics.median(values):9.2f}{max(values):9.2f}", flush=True)
    ratios = {}
    for column, (_, our_column) in COLUMNS.items():
        if column in times:
            rounds = [a / b for a, b in zip(times[our_column], times[column])]
            ratios[column] = statistics.median(rounds)
            print(f"  {our_column} / {column}: {ratios[column]:.2f} ({min(rounds):.2f} to {max(rounds):.2f})", flush=True)
    return ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", help="ONNX or TensorFlow Lite files, or names in architectures.py; default: all of those")
    parser.add_argument("--bin", default="bazel-bin", help="where the programs were built")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=9, help="inferences in a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--columns", default="", metavar="REGEX", help="only peers' columns that match, such as 'QDQ|int8'")
    parser.add_argument("--pause", type=float, default=PAUSE, help="seconds before each measurement")
    parser.add_argument("--folder", help="keeps the networks' files here; those that are there aren't made again")
    parser.add_argument("--prepare", action="store_true", help="make the files in --folder, and measure nothing")
    options = parser.parse_args()
    if options.prepare and not options.folder:
        parser.error("--prepare without --folder would make files that nobody sees")
    with contextlib.ExitStack() as stack:
        root = options.folder or stack.enter_context(tempfile.TemporaryDirectory())
        models = options.models or list(architectures.ARCHITECTURES)
        for model in models:
            if model not in architectures.ARCHITECTURES and not (model.endswith((".onnx", ".tflite")) and os.path.isfile(model)):
                parser.error(f"{model}: expected a file .onnx or .tflite, or one of {', '.join(architectures.ARCHITECTURES)}")
        networks = {os.path.splitext(os.path.basename(model))[0]: model for model in models}
        if len(networks) < len(models):
            parser.error("two models have the same name, by which their files and figures are told apart")
        for name, model in networks.items():
            prepare(options, model, f"{root}/{name}")
        if options.prepare:
            return
        print(f"{machine()}; {', '.join(versions())}; milliseconds: least, median, largest of {options.rounds} rounds")
        table = {name: measure(options, name, f"{root}/{name}") for name in networks}
    columns = [column for column in COLUMNS if any(column in ratios for ratios in table.values())]
    print("\n| network | " + " | ".join(columns) + " |\n" + "|---" * (len(columns) + 1) + "|")
    for name, ratios in table.items():
        cells = [f"{ratios[column]:.2f}" if column in ratios else "" for column in columns]
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()

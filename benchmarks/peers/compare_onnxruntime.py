#!/usr/bin/env python3
"""Times compiled models on the emulated NPU against ONNX Runtime, in turns, with one thread each.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install -r benchmarks/peers/requirements.txt
    ./bazelw build //compiler/cli:synap //runtime/cli:synap_cli
    /tmp/peers/bin/python benchmarks/peers/compare_onnxruntime.py --bin bazel-bin model.onnx [--meta model.yaml] ...

Each model is converted twice, without quantization and, where its metafile asks for it, quantized. A row is the median of
--rounds rounds; in each round ONNX Runtime (float32), our float32 and our uint8 run one after the other, so that a
machine whose speed drifts is unfair to none. Ratios below 1 are ours being faster.
"""

import argparse
import os
import re
import statistics
import subprocess
import tempfile
import time

import numpy
import onnxruntime


def convert(options, model, meta, out):
    command = [f"{options.bin}/compiler/cli/synap", "convert", "--silent", "--model", model, "--target", "VS680"]
    command += ["--out-dir", out]
    if meta:
        command += ["--meta", meta]
    subprocess.run(command, check=True)
    return f"{out}/model.synap"


def time_ours(options, model):
    """Median of --runs inferences in milliseconds."""
    command = [f"{options.bin}/runtime/cli/synap_cli", "-m", model, "-r", str(options.runs), "random"]
    environment = {**os.environ, "SYNAP_NUM_THREADS": "1"}
    output = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    return float(re.search(r"median: ([0-9.]+)", output).group(1))


def make_session(model):
    session_options = onnxruntime.SessionOptions()
    session_options.intra_op_num_threads = 1
    session_options.inter_op_num_threads = 1
    session_options.log_severity_level = 3  # its advice on how models were exported
    return onnxruntime.InferenceSession(model, session_options, providers=["CPUExecutionProvider"])


def time_onnxruntime(options, session):
    feeds = {}
    for tensor in session.get_inputs():
        shape = [dim if isinstance(dim, int) else 1 for dim in tensor.shape]
        feeds[tensor.name] = numpy.random.default_rng(1).random(shape, dtype=numpy.float32)
    times = []
    for _ in range(options.runs + 1):
        start = time.perf_counter()
        session.run(None, feeds)
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times[1:])


def without_quantization(meta, folder):
    """A copy of the metafile that ends where its `quantization` section, the last one, begins."""
    text = open(meta, encoding="utf-8").read()
    path = os.path.join(folder, "float.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(re.split(r"(?m)^quantization:", text)[0])
    return path


def compare(options, model, meta, folder):
    variants = {"float32": convert(options, model, without_quantization(meta, folder) if meta else None, f"{folder}/f")}
    if meta:
        variants["uint8"] = convert(options, model, meta, f"{folder}/q")
    session = make_session(model)
    times = {name: [] for name in ["onnxruntime", *variants]}
    for _ in range(options.rounds):
        times["onnxruntime"].append(time_onnxruntime(options, session))
        for name, path in variants.items():
            times[name].append(time_ours(options, path))
    return {name: statistics.median(values) for name, values in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="+", help="ONNX files, each with its metafile behind a colon if it has one")
    parser.add_argument("--bin", default="bazel-bin", help="where the programs were built")
    parser.add_argument("--runs", type=int, default=9, help="inferences in a round")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(f"{'model':28} {'ORT f32':>9} {'ours f32':>9} {'ours u8':>9} {'f32/ORT':>8} {'u8/ORT':>8}")
    for item in options.models:
        model, _, meta = item.partition(":")
        with tempfile.TemporaryDirectory() as folder:
            row = compare(options, model, meta, folder)
        ort, ours, quantized = row["onnxruntime"], row["float32"], row.get("uint8")
        quantized_columns = f"{quantized:9.2f} {ours / ort:8.2f} {quantized / ort:8.2f}" if quantized else \
            f"{'-':>9} {ours / ort:8.2f} {'-':>8}"
        print(f"{os.path.basename(model)[:28]:28} {ort:9.2f} {ours:9.2f} {quantized_columns}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compares what quantization costs here with what it costs with ONNX Runtime's quantize_static: same models, same pictures.

    python3 -m venv .cache/peers && .cache/peers/bin/pip install -r benchmarks/peers/requirements.txt onnx pillow sympy
    ./bazelw build //compiler/convert/cli:synap //runtime/cli:synap_cli
    .cache/peers/bin/python benchmarks/peers/compare_quantizers.py --bin bazel-bin --keep /tmp/quantizers \\
        --pictures a.jpg b.jpg ... --models model.onnx...

Every second picture calibrates, all are measured. --samples takes values instead: a folder with the folders 0, 1... of the
inputs in their order, each with one .npy for each sample, as stream_samples.py writes them. A
figure is the mean over the outputs of their signal to quantization noise ratio in dB, over all pictures against ONNX Runtime's
float32; outputs that no picture changes are left out. Columns: the best of
MinMax, Entropy and Percentile, and ours with algorithm standard and with auto, or those of --ways, for uint8 (a scale and a zero point for each tensor)
and for int8 with a scale for each channel of the weights. ONNX Runtime's quantized models run without its optimizations: their
operators then compute in float between exact integers, which no kernel's own rounding makes worse. --keep holds what ONNX Runtime
made, which takes the most time; --options and --data-type try other settings of ours. --outputs cuts a model at tensors inside of
it: where it sorts what it found, no two of its forms have the same order.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile

import emulated_npu
import numpy
import onnx
import onnx.utils
import onnxruntime
from onnxruntime import quantization
from onnxruntime.quantization.shape_inference import quant_pre_process
from onnxruntime_quantizer import Samples, prepare, session_of
from PIL import Image

# Of all inputs: mean, scale and order of the channels ("": gray).
MODELS = {
    "FastestDet_352": (0, 255, "bgr"),
    "convnext_tiny": (127.5, 63.75, "rgb"),
    "deit_tiny_patch16_224": (127.5, 63.75, "rgb"),
    "efficientformer_l1": (127.5, 63.75, "rgb"),
    "fastvit_t8": (127.5, 63.75, "rgb"),
    "mobilenetv4_conv_small": (127.5, 63.75, "rgb"),
    "mobilevit_s": (0, 255, "rgb"),
    "rtdetr-l": (0, 255, "rgb"),
    "swin_t": (127.5, 63.75, "rgb"),
    "vit_b_16": (127.5, 63.75, "rgb"),
    "vitTracker": (127.5, 63.75, "rgb"),
    "blazeface_short_range": (127.5, 127.5, "rgb"),
    "mobilenet_v2_0.35_128_st": (127.5, 127.5, "rgb"),
    "model": (0, 255, "rgb"),  # models/yolov5_face
    "st_ssd_mobilenet_v1_025_256": (127.5, 127.5, "rgb"),
    "super_resolution_op": (0, 255, ""),
    "ultraface_RFB-320": (127, 128, "rgb"),
    "ultraface_slim-320_simplified": (127, 128, "rgb"),
    "yolov5n-0.5-face_640": (0, 255, "rgb"),
    "yolox_nano_opencv_zoo": (0, 1, "rgb"),
    "yunet_n_320_320": (0, 1, "bgr"),
}
SCHEMES = {"uint8": ("uint8", "asymmetric_affine"), "int8_by_channel": ("int8", "perchannel_symmetric_affine")}
METHODS = quantization.CalibrationMethod
PEERS = (METHODS.MinMax, METHODS.Entropy, METHODS.Percentile)
WAYS = {"standard": "algorithm: standard", "auto": "algorithm: auto", "fast": "effort: fast", "best": "effort: best"}


def sample_of(picture, shape, mean, scale, order):
    """A picture as the input's values, stretched to its size."""
    channels = len(order) or 1
    channels_first = shape[1] == channels
    height, width = shape[2:] if channels_first else shape[1:3]
    image = Image.open(picture).convert("RGB" if order else "L").resize((width, height), Image.Resampling.BILINEAR)
    values = (numpy.asarray(image, numpy.float32).reshape(height, width, channels) - mean) / scale
    if order == "bgr":
        values = values[:, :, ::-1]
    if channels_first:
        values = values.transpose(2, 0, 1)
    return numpy.ascontiguousarray(values[None], numpy.float32)


class Comparison:
    """One model: its samples, what they should give, and the figures of quantized forms of it."""

    def __init__(self, options, model, folder):
        path = model
        if options.outputs:
            inputs = [value.name for value in onnx.load(path, load_external_data=False).graph.input]
            onnx.utils.extract_model(path, f"{folder}/cut.onnx", inputs, options.outputs)
            path = f"{folder}/cut.onnx"
        self.options, self.path, self.folder = options, path, folder
        session = session_of(path, plain=False)
        self.shapes = {each.name: [size if isinstance(size, int) else 1 for size in each.shape] for each in session.get_inputs()}
        if options.samples:
            self.samples = self.load(options.samples)
            self.shapes = {name: list(values.shape) for name, values in self.samples[0].items()}
        else:
            normalization = MODELS[pathlib.Path(model).stem]
            self.samples = [{name: sample_of(picture, shape, *normalization) for name, shape in self.shapes.items()}
                            for picture in options.pictures]
        self.outputs = [output.name for output in session.get_outputs()]
        self.expected = [session.run(self.outputs, sample) for sample in self.samples]

    def load(self, folder):
        files = [sorted(pathlib.Path(folder, str(place)).glob("*.npy")) for place in range(len(self.shapes))]
        if not files[0] or len({len(each) for each in files}) > 1:
            counts = ", ".join(f"{len(each)} in {place}" for place, each in enumerate(files))
            sys.exit(f"{folder}: found {counts} .npy files, expected as many in each, one or more")
        return [dict(zip(self.shapes, map(numpy.load, sample))) for sample in zip(*files, strict=True)]

    def calibration(self):
        return self.samples[::2]

    def sqnr(self, found):
        """`found`: for each sample the outputs' values."""
        figures = []
        for index in range(len(self.outputs)):
            reference = numpy.stack([outputs[index] for outputs in self.expected]).astype(numpy.float64)
            if numpy.ptp(reference, axis=0).max() == 0:
                continue
            values = numpy.stack([outputs[index] for outputs in found]).reshape(reference.shape)
            noise = float(((reference - values) ** 2).sum())
            figures.append(10 * numpy.log10(float((reference ** 2).sum()) / max(noise, 1e-30)))
        return float(numpy.mean(figures))

    def of_peer(self, method, scheme):
        kept = pathlib.Path(self.folder, f"{method.name}_{scheme}.json")
        if not kept.exists():
            kept.write_text(json.dumps(self.sqnr(self.run_peer(method, scheme))), encoding="utf-8")
        return json.loads(kept.read_text(encoding="utf-8"))

    def run_peer(self, method, scheme):
        prepared, quantized = f"{self.folder}/float.onnx", f"{self.folder}/quantized.onnx"
        if not os.path.exists(prepared):
            prepare(self.path, f"{self.folder}/opset.onnx")
            model = onnx.load(f"{self.folder}/opset.onnx")
            for each in model.graph.input:
                for size, dimension in zip(self.shapes.get(each.name, ()), each.type.tensor_type.shape.dim):
                    dimension.dim_value = size
            onnx.save(model, f"{self.folder}/opset.onnx")
            quant_pre_process(f"{self.folder}/opset.onnx", prepared)
        by_channel = scheme != "uint8"
        kind = quantization.QuantType.QInt8 if by_channel else quantization.QuantType.QUInt8
        samples = Samples(self.calibration())
        quantization.quantize_static(prepared, quantized, samples, per_channel=by_channel, activation_type=kind, weight_type=kind,
                                     calibrate_method=method, calibration_cache_path=f"{self.folder}/{method.name}.ranges")
        session = session_of(quantized, plain=True)
        return [session.run(self.outputs, sample) for sample in self.samples]

    def of_ours(self, way, scheme):
        with tempfile.TemporaryDirectory() as folder:
            for i, sample in enumerate(self.calibration()):
                for place, values in enumerate(sample.values()):
                    os.makedirs(f"{folder}/{place}", exist_ok=True)
                    numpy.save(f"{folder}/{place}/{i:03}.npy", values)
            meta = self.metafile(folder, way, scheme)
            inputs, outputs = emulated_npu.convert(self.options.bin, self.path, folder, "--meta", meta)
            names = [output["name"] for output in outputs]
            found = []
            for sample in self.samples:
                emulated_npu.run(self.options.bin, folder, [emulated_npu.quantized(sample[each["name"]], each) for each in inputs])
                found.append([numpy.fromfile(f"{folder}/output_float_{names.index(name)}.dat", numpy.float32)
                              for name in self.outputs])
        return self.sqnr(found)

    def metafile(self, folder, way, scheme):
        data_type, scheme_name = SCHEMES[scheme]
        lines = ["inputs:"]
        for name, shape in self.shapes.items():
            lines += [f"  - name: {name}", f"    shape: {shape}"]
        lines += ["dequantize_outputs: true"] if not self.options.integer_outputs else []
        lines += ["quantization:", f"  dataset: {[f'{place}/*.npy' for place in range(len(self.shapes))]}",
                  f"  data_type: {self.options.data_type or data_type}",
                  f"  scheme: {scheme_name}", f"  {WAYS[way]}"]
        lines += [f"  options: {{{self.options.options}}}"] if self.options.options else []
        path = f"{folder}/meta.yaml"
        pathlib.Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path


def compare(options, path):
    with tempfile.TemporaryDirectory() as temporary:
        folder = f"{options.keep}/{pathlib.Path(path).stem}" if options.keep else temporary
        os.makedirs(folder, exist_ok=True)
        comparison = Comparison(options, path, folder)
        row = []
        for scheme in SCHEMES:
            row.append(max(comparison.of_peer(method, scheme) for method in PEERS))
            row += [comparison.of_ours(way, scheme) for way in options.ways]
        return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", nargs="+", required=True)
    inputs = parser.add_mutually_exclusive_group(required=True)
    inputs.add_argument("--pictures", nargs="+")
    inputs.add_argument("--samples", help="folder of values")
    parser.add_argument("--bin", default="bazel-bin", help="where the programs were built")
    parser.add_argument("--keep", help="folder of ONNX Runtime's results; only for the same models, pictures and --outputs")
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=["standard", "auto"], help="columns of ours")
    parser.add_argument("--options", help="for our quantization.options, for example 'bias_correction: fast'")
    parser.add_argument("--data-type", help="for our quantization.data_type instead of the column's")
    parser.add_argument("--outputs", nargs="+", help="tensors that take the place of the models' outputs")
    parser.add_argument("--integer-outputs", action="store_true", help="our outputs leave with 8 bits")
    options = parser.parse_args()
    for path in options.models:
        if options.pictures and pathlib.Path(path).stem not in MODELS:
            parser.error(f"{path}: unknown model, expected one of {', '.join(MODELS)}")
    onnxruntime.set_default_logger_severity(3)
    columns = ["ORT best", *options.ways]
    print(f"{'':32} " + " ".join(f"{scheme:^{10 * len(columns) - 1}}" for scheme in SCHEMES))
    print(f"{'model':32} " + f"{' '.join(f'{column:>9}' for column in columns)} " * len(SCHEMES))
    rows = []
    for path in options.models:
        rows.append(compare(options, path))
        print(f"{pathlib.Path(path).stem:32} " + " ".join(f"{figure:9.2f}" for figure in rows[-1]), flush=True)
    print(f"{'mean':32} " + " ".join(f"{figure:9.2f}" for figure in numpy.mean(rows, axis=0)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

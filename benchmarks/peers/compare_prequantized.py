#!/usr/bin/env python3
"""Compares public models that come quantized, converted without a metafile, with their own runtimes on the same pictures.

    python3 -m venv .cache/peers && .cache/peers/bin/pip install -r benchmarks/peers/prequantized_requirements.txt
    ./bazelw build //compiler/convert/cli:synap //runtime/cli:synap_cli //runtime/cli:synap_cli_ic
    .cache/peers/bin/python benchmarks/peers/compare_prequantized.py --bin bazel-bin --data ../shared/data

A row is a model. Both sides get pictures of the input's size: the emulated NPU as .png files through synap_cli_ic or synap_cli,
TensorFlow Lite or ONNX Runtime as real numbers, normalized as MODELS says (from the models' own documentation), in the input's
quantizer; a uint8 input gets the pixels. Networks that don't take pictures get the same random bytes, or random numbers. "same" says
for how many pictures the top class, the detections or the segmentation are the same. The exit status is 1 if any differ.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

import emulated_npu
import numpy
import onnxruntime
import tensorflow
from PIL import Image

PICTURES = ["coral_parrot.jpg", "coral_cat.bmp", "ortex_goldfish.jpg", "tfsupport_burger.jpg", "tfsupport_cats_and_dogs.jpg",
            "tfsupport_sparrow.png"]
PEOPLE = ["yolov5face_sample.jpg", "ortex_satya.jpg"]  # for detectors

ZERO_TO_ONE, MINUS_ONE_TO_ONE, PIXELS = (0, 255), (127.5, 127.5), (0, 1)
IMAGENET = ([123.675, 116.28, 103.53], [58.395, 57.12, 57.375])

# File, what its outputs are, and the mean and scale that its authors normalize pixels with (None: the input isn't a picture).
MODELS = [
    ("tflite/mobilenet_v1_0.25_128_quant.tflite", "classes", MINUS_ONE_TO_ONE),
    ("tflite/mobilenet_v1_0.25_224_quant_meta.tflite", "classes", MINUS_ONE_TO_ONE),
    ("tflite/mobilenet_v2_1.0_224_quant.tflite", "classes", MINUS_ONE_TO_ONE),
    ("tflite/mobilenet_edgetpu_0.75_224_ptq.tflite", "classes", MINUS_ONE_TO_ONE),
    ("tflite/tinymaix_mbnet128_0.25_quant.tflite", "classes", ZERO_TO_ONE),
    ("tflite/tinymaix_cifar10_quant.tflite", "classes", ZERO_TO_ONE),
    ("tflite/mlperf_tiny_ic_resnet8_int8.tflite", "classes", PIXELS),
    ("tflite/mlperf_tiny_vww_96_int8.tflite", "classes", ZERO_TO_ONE),
    ("tflite/ai_edge_conv_fc_mnist_srq_a8w8.tflite", "classes", ZERO_TO_ONE),
    ("onnx/shufflenet-v2-12-int8.onnx", "classes", IMAGENET),
    ("tflite/yolov8n_320_int8.tflite", "yolov8", ZERO_TO_ONE),
    ("tflite/coco_ssd_mobilenet_v1_1.0_quant_2018_06_29_no_metadata.tflite", "ssd", MINUS_ONE_TO_ONE),
    ("tflite/coco_ssd_mobilenet_v1_1.0_quant_2018_06_29.tflite", "ssd", MINUS_ONE_TO_ONE),
    ("tflite/yunet_full_integer_quant.tflite", "numbers", ZERO_TO_ONE),
    ("tflite/deeplabv3_mnv2_dm05_pascal_quant.tflite", "segments", MINUS_ONE_TO_ONE),
    ("tflite/mlperf_tiny_kws_int8.tflite", "classes", None),
    ("tflite/mlperf_tiny_str_ww.tflite", "classes", None),
    ("tflite/micro_speech_quantized.tflite", "classes", None),
    ("tflite/micro_speech_lstm.tflite", "classes", None),
    ("tflite/ds_cnn_small_int16.tflite", "classes", None),
    ("tflite/keras_lstm_mnist_ptq.tflite", "classes", None),
    ("tflite/mlperf_tiny_ad01_int8.tflite", "numbers", None),
    ("tflite/dtln_noise_suppression.tflite", "numbers", None),
    ("tflite/hello_world_int8.tflite", "numbers", None),
]


class TfLite:
    """TensorFlow Lite's default kernels (XNNPACK), or its reference kernels."""

    def __init__(self, model, reference):
        kinds = tensorflow.lite.experimental.OpResolverType
        self.interpreter = tensorflow.lite.Interpreter(
            model, num_threads=2, experimental_preserve_all_tensors=True,
            experimental_op_resolver_type=kinds.BUILTIN_REF if reference else kinds.AUTO)
        self.interpreter.allocate_tensors()
        self.tensors = {details["name"]: details for details in self.interpreter.get_tensor_details()}
        self.input = self.interpreter.get_input_details()[0]
        self.shape, self.dtype = tuple(self.input["shape"]), self.input["dtype"]
        self.channels_last = True

    def quantized(self, real):
        scale, zero_point = self.input["quantization"]
        limits = numpy.iinfo(self.dtype)
        return numpy.clip(numpy.rint(real / scale + zero_point), limits.min, limits.max).astype(self.dtype)

    def run(self, value, outputs):
        """The outputs of these names as they are stored, and as real numbers."""
        self.interpreter.reset_all_variables()
        self.interpreter.set_tensor(self.input["index"], value.reshape(self.shape))
        try:
            self.interpreter.invoke()
        except RuntimeError:  # a custom operator at the end, which isn't in the package; what is before it has been computed
            pass
        raw = [self.interpreter.get_tensor(self.tensors[name]["index"]) for name in outputs]
        return raw, [self.real(name, values) for name, values in zip(outputs, raw)]

    def real(self, name, values):
        scale, zero_point = self.tensors[name]["quantization"]
        return (values.astype(numpy.float64) - zero_point) * scale if scale else values.astype(numpy.float64)

    def anchors(self):
        """Of a TFLite_Detection_PostProcess: [n,4] as y, x, h, w of the centre."""
        for details in self.tensors.values():
            if len(details["shape"]) == 2 and details["shape"][1] == 4 and "anchors" in details["name"]:
                return self.real(details["name"], self.interpreter.get_tensor(details["index"]))
        raise RuntimeError("no anchors")


class OnnxRuntime:
    def __init__(self, model):
        self.session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
        self.input = self.session.get_inputs()[0]
        self.shape, self.dtype = tuple(self.input.shape), numpy.float32
        self.channels_last = False

    def quantized(self, real):
        return real.astype(numpy.float32)

    def run(self, value, outputs):
        values = self.session.run(list(outputs), {self.input.name: value.reshape(self.shape)})
        return values, [array.astype(numpy.float64) for array in values]


def picture_of(path, peer):
    """[h,w] or [h,w,3] of the input's size."""
    _, height, width, channels = peer.shape if peer.channels_last else (peer.shape[i] for i in (0, 2, 3, 1))
    image = Image.open(path).convert("L" if channels == 1 else "RGB")
    return image.resize((width, height), Image.Resampling.BILINEAR)


def their_input(picture, normalization, peer):
    pixels = numpy.asarray(picture).astype(numpy.float64)
    if peer.dtype == numpy.uint8:
        return pixels.astype(numpy.uint8)
    mean, scale = (numpy.asarray(value, numpy.float64) for value in normalization)
    real = (pixels - mean) / scale
    return peer.quantized(real if peer.channels_last else real.transpose(2, 0, 1))


def run_ours(options, folder, file, outputs):
    """The outputs as they are stored, and as real numbers; for classifiers also synap_cli_ic's best class."""
    arguments = ["-m", "model.synap", "--dump-raw", "--dump-out", file]
    subprocess.run([os.path.abspath(f"{options.bin}/runtime/cli/synap_cli"), *arguments], cwd=folder, check=True,
                   capture_output=True)
    raw = [numpy.fromfile(f"{folder}/output_raw_{i}.dat", emulated_npu.dtype_of(output)) for i, output in enumerate(outputs)]
    real = [numpy.fromfile(f"{folder}/output_float_{i}.dat", numpy.float32) for i in range(len(outputs))]
    return raw, [values.astype(numpy.float64) for values in real]


def best_class(options, folder, file):
    arguments = ["-m", "model.synap", "--top", "1", file]
    text = subprocess.run([os.path.abspath(f"{options.bin}/runtime/cli/synap_cli_ic"), *arguments], cwd=folder, check=True,
                          capture_output=True, text=True).stdout
    item = json.loads(text)["items"][0]
    return f"{item['class_index']} ({item['confidence']:.2f})", item["class_index"]


def top_classes(values):
    """The best value's indices: several, where they are equal."""
    flat = values.ravel()
    return numpy.flatnonzero(flat == flat.max())


def overlap(a, b):
    """Intersection over union of two boxes x0, y0, x1, y1."""
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    both = max(width, 0) * max(height, 0)
    return both / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both)


def suppressed(boxes, threshold=0.5):
    """Greedy non-maximum suppression of (score, class, box)."""
    kept = []
    for box in sorted(boxes, key=lambda item: -item[0]):
        if all(overlap(box[2], other[2]) <= threshold for other in kept):
            kept.append(box)
    return kept


def yolov8_boxes(reals):
    """Of [1,84,n]: centre x, y, w, h as parts of the picture, 80 scores."""
    values = reals[0].reshape(84, -1)
    boxes = []
    for i in numpy.flatnonzero(values[4:].max(axis=0) >= 0.4):
        x, y, w, h = values[:4, i]
        boxes.append((values[4:, i].max(), int(values[4:, i].argmax()), (x - w / 2, y - h / 2, x + w / 2, y + h / 2)))
    return suppressed(boxes)


def ssd_boxes(reals, anchors):
    """Of [1,n,4] as y, x, h, w and [1,n,91] with a background class, as TFLite_Detection_PostProcess decodes them."""
    encoded, scores = sorted((values.reshape(len(anchors), -1) for values in reals), key=lambda values: values.shape[1])
    boxes = []
    for i in numpy.flatnonzero(scores[:, 1:].max(axis=1) >= 0.5):
        y, x = encoded[i, :2] / 10 * anchors[i, 2:] + anchors[i, :2]
        h, w = numpy.exp(encoded[i, 2:] / 5) * anchors[i, 2:]
        boxes.append((scores[i, 1:].max(), int(scores[i, 1:].argmax()), (x - w / 2, y - h / 2, x + w / 2, y + h / 2)))
    return suppressed(boxes)


def same_boxes(ours, theirs):
    """As many of each class, each overlapping one of theirs by 90 %, with scores within 0.05."""
    rest = list(theirs)
    for score, kind, box in ours:
        match = next((other for other in rest if other[1] == kind and abs(other[0] - score) < 0.05
                      and overlap(other[2], box) >= 0.9), None)
        if match is None:
            return False
        rest.remove(match)
    return not rest


def boxes_text(boxes):
    classes = ", ".join(f"{kind} {score:.2f}" for score, kind, _ in boxes[:3])
    return f"{len(boxes)} boxes" + (f": {classes}" if boxes else "") + (", ..." if len(boxes) > 3 else "")


def judge(kind, ours, theirs, peer):
    """What each found, in words, and whether it is the same."""
    if kind == "yolov8" or kind == "ssd":
        decode = yolov8_boxes if kind == "yolov8" else lambda reals: ssd_boxes(reals, peer.anchors())
        mine, other = decode(ours), decode(theirs)
        return boxes_text(mine), boxes_text(other), same_boxes(mine, other)
    if kind == "segments":
        equal = (ours[0].ravel() == theirs[0].ravel()).mean()
        texts = [f"classes {' '.join(str(int(v)) for v in numpy.unique(values[0]))}" for values in (ours, theirs)]
        return f"{texts[0]}, {100 * equal:.1f} % of the pixels", texts[1], equal > 0.95
    if kind == "numbers":
        return f"{ours[0].ravel()[0]:.3g} ...", f"{theirs[0].ravel()[0]:.3g} ...", None
    best = top_classes(ours[0])
    return f"{best[0]} ({ours[0].max():.2f})", f"{theirs[0].argmax()} ({theirs[0].max():.2f})", bool(
        set(best) & set(top_classes(theirs[0])))


def steps_apart(ours, theirs):
    """The largest difference of all outputs in steps, or as a part of the range where they are float."""
    worst = []
    for mine, other in zip(ours, theirs):
        if mine.dtype == numpy.float32:
            worst.append(f"{emulated_npu.part_of_range(other.ravel().astype(numpy.float32), mine):.1e} of range")
        else:
            worst.append(numpy.abs(mine.astype(numpy.int64) - other.ravel().astype(numpy.int64)).max())
    numbers = [value for value in worst if not isinstance(value, str)]
    return max(numbers) if numbers else worst[0]


def read_as(folder):
    """What model_info.txt says of the pixels."""
    with open(f"{folder}/model_info.txt", encoding="utf-8") as file:
        for line in file:
            if line.startswith("    pictures: "):
                text = line.split(": ", 1)[1].strip().strip('"').split(":")[0]
                return text.replace("pixels become ", "").replace("pixels are ", "").replace("pictures are ", "")
    return ""


def inputs_of(options, folder, pictures, normalization, peer):
    """For each run: the file for us, the array for them."""
    if normalization is None:
        generator = numpy.random.default_rng(7)
        limits = numpy.iinfo(peer.dtype)
        for i in range(len(pictures)):
            value = generator.integers(limits.min, limits.max, peer.shape, dtype=peer.dtype, endpoint=True)
            value.tofile(f"{folder}/random_{i}.dat")
            yield f"random_{i}.dat", value
        return
    for i, name in enumerate(pictures):
        picture = picture_of(f"{options.data}/images/{name}", peer)
        picture.save(f"{folder}/picture_{i}.png")
        yield f"picture_{i}.png", their_input(picture, normalization, peer)


def compare(options, model, kind, normalization, folder):
    """A row; and whether all was the same."""
    path = f"{options.data}/{model}"
    _, outputs = emulated_npu.convert(options.bin, path, folder)
    peer = OnnxRuntime(path) if model.endswith(".onnx") else TfLite(path, options.reference)
    rows, apart = [], []
    pictures = PICTURES + (PEOPLE if kind in ("yolov8", "ssd") else [])
    for file, value in inputs_of(options, folder, pictures, normalization, peer):
        raw, real = run_ours(options, folder, file, outputs)
        their_raw, their_real = peer.run(value, [output["name"] for output in outputs])
        ours, theirs, same = judge(kind, real, their_real, peer)
        apart.append(steps_apart(raw, their_raw))
        if kind == "classes" and normalization is not None:
            ours, best = best_class(options, folder, file)
            same = best in top_classes(their_real[0])
        rows.append((ours, theirs, apart[-1] <= 4 if same is None else same))
    same = sum(row[2] for row in rows)
    shown = next((row for row in rows if not row[2]), rows[0])
    last = max(apart) if not isinstance(apart[0], str) else apart[0]
    name = os.path.basename(model)
    data = "" if normalization is not None else " random"
    return f"| {name} | {read_as(folder)} | {shown[0]} | {shown[1]} | {last} | {same} of {len(rows)}{data} |", same == len(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", help="parts of file names; all models by default")
    parser.add_argument("--bin", default="bazel-bin", help="where the programs were built")
    parser.add_argument("--reference", action="store_true", help="TensorFlow Lite's reference kernels instead of XNNPACK")
    parser.add_argument("--data", default="../shared/data", help="the folder with tflite/, onnx/ and images/")
    options = parser.parse_args()
    print("| model | pixels | ours | theirs | apart | same |\n|---|---|---|---|---|---|")
    failures = 0
    for model, kind, normalization in MODELS:
        if options.models and not any(part in model for part in options.models):
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                row, same = compare(options, model, kind, normalization, folder)
            except (RuntimeError, subprocess.CalledProcessError) as error:
                row, same = f"| {os.path.basename(model)} | | {error} | | | refused |", False
        failures += not same
        print(row, flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

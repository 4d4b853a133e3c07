#!/usr/bin/env python3
"""make_goldens.py FOLDER: writes what ONNX Runtime computes, goldens/*.npz for the networks in FOLDER and that of ../yolov5_face.

Needs numpy and onnxruntime (goldens/ was made with 1.31.1 on the CPU provider, optimisations off). The input are drawn faces, which
rules/checker draws too, so a golden holds only two numbers of it; and of each output some hundred values at equal distances.
"""

import pathlib
import sys

import numpy
import onnxruntime
from pattern import distance, pattern

# Model: mean and scale of its input.
MODELS = {
    "FastestDet_352": (0, 255),
    "mobilenet_v2_0.35_128_st": (127.5, 127.5),
    "ultraface_RFB-320": (127, 128),
    "yolov5n-0.5-face_640": (0, 255),
    "yolox_nano_opencv_zoo": (0, 1),
    "yunet_n_320_320": (0, 1),
}


def golden(path, mean, scale):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    (model_input,) = session.get_inputs()
    shape = [size if isinstance(size, int) else 1 for size in model_input.shape]
    arrays = {"pattern__" + model_input.name: numpy.array([mean, scale], numpy.float32)}
    values = session.run(None, {model_input.name: pattern(shape, mean, scale)})
    for output, value in zip(session.get_outputs(), values):
        every = distance(value)
        arrays["every__" + output.name] = numpy.array([every], numpy.int64)
        arrays["sampled__" + output.name] = value.reshape(-1)[::every]
    return arrays


def write(model, mean, scale, path):
    arrays = golden(model, mean, scale)
    numpy.savez_compressed(path, **arrays)
    print(path, {key: (value.shape, value.min(), value.max()) for key, value in arrays.items()})


def main():
    here = pathlib.Path(__file__).parent
    for name, (mean, scale) in MODELS.items():
        write(pathlib.Path(sys.argv[1]) / (name + ".onnx"), mean, scale, here / "goldens" / (name + ".npz"))
    ours = here.parent / "yolov5_face"
    write(ours / "model.onnx", 0, 255, ours / "reference.npz")


if __name__ == "__main__":
    main()

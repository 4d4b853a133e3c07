#!/usr/bin/env python3
"""make_goldens.py FOLDER: writes what ONNX Runtime computes, goldens/*.npz for the networks in FOLDER and that of ../yolov5_face.

Needs numpy and onnxruntime (goldens/ was made with 1.31.1 on the CPU provider, optimisations off). The input are drawn faces, which
rules/checker draws too, so a golden holds only two numbers of it; and of each output some hundred values at equal distances.
"""

import pathlib
import sys

import numpy
import onnxruntime

# Model: mean and scale of its input.
MODELS = {
    "FastestDet_352": (0, 255),
    "mobilenet_v2_0.35_128_st": (127.5, 127.5),
    "ultraface_RFB-320": (127, 128),
    "yolov5n-0.5-face_640": (0, 255),
    "yolox_nano_opencv_zoo": (0, 1),
    "yunet_n_320_320": (0, 1),
}
VALUES = 2000  # of each output


# Drawn faces: centre and size, in a picture of 320x320.
FACES = [(160, 170, 140), (45, 275, 30), (260, 290, 20), (285, 60, 24)]
# Their parts: ellipses by centre and radii in hundredths of the size, and their colour in the three channels.
PARTS = [
    (0, -20, 88, 115, (60, 50, 40)),
    (0, 0, 75, 100, (155, 190, 225)),
    (-32, -38, 20, 4, (60, 60, 60)),
    (32, -38, 20, 4, (60, 60, 60)),
    (-32, -20, 16, 9, (235, 235, 235)),
    (32, -20, 16, 9, (235, 235, 235)),
    (-32, -20, 8, 8, (30, 30, 30)),
    (32, -20, 8, 8, (30, 30, 30)),
    (-8, 20, 5, 4, (70, 90, 110)),
    (8, 20, 5, 4, (70, 90, 110)),
    (0, 50, 28, 9, (50, 100, 150)),
]


def pattern(shape, mean, scale):
    """PatternInput of rules/checker/reference.h."""
    _, c, y, x = numpy.indices(shape, dtype=numpy.int64)
    u, v = x * 320 // shape[3], y * 320 // shape[2]
    pixel = 96 + (u * 3 + v * 5) % 64 + 8 * c
    for centre_x, centre_y, size in FACES:
        for part_x, part_y, radius_x, radius_y, colour in PARTS:
            across = ((u - centre_x) * 100 - part_x * size) * radius_y
            down = ((v - centre_y) * 100 - part_y * size) * radius_x
            inside = across**2 + down**2 < (radius_x * radius_y * size) ** 2
            pixel = numpy.where(inside, numpy.array(colour)[c % 3], pixel)
    return (pixel.astype(numpy.float32) - numpy.float32(mean)) / numpy.float32(scale)


def distance(output):
    """Of the sampled elements: coprime to the last dimension, so that all its positions come up."""
    every = max(1, output.size // VALUES)
    while numpy.gcd(every, output.shape[-1]) != 1:
        every += 1
    return every


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

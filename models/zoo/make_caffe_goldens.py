#!/usr/bin/env python3
"""make_caffe_goldens.py FOLDER: writes what OpenCV computes, goldens/*.npz for the Caffe networks in FOLDER.

Needs numpy and opencv-python-headless (goldens/ was made with 4.14.0). As make_goldens.py otherwise.
"""

import pathlib
import sys

import cv2
import numpy
from pattern import distance, pattern

# Network: its input, the shape of that, mean and scale, and its outputs.
NETWORKS = {
    "RFB-320": ("input", (1, 3, 240, 320), (127, 128), ["boxes", "scores"]),
    "det3": ("data", (1, 3, 48, 48), (127.5, 128), ["conv6-2", "conv6-3", "prob1"]),
}


def golden(stem, name, shape, normalization, outputs):
    network = cv2.dnn.readNetFromCaffe(stem + ".prototxt", stem + ".caffemodel")
    network.setInput(pattern(shape, *normalization), name)
    arrays = {"pattern__" + name: numpy.array(normalization, numpy.float32)}
    for output, value in zip(outputs, network.forward(outputs)):
        every = distance(value)
        arrays["every__" + output] = numpy.array([every], numpy.int64)
        arrays["sampled__" + output] = value.reshape(-1)[::every]
    return arrays


def main():
    here = pathlib.Path(__file__).parent
    for network, arguments in NETWORKS.items():
        arrays = golden(str(pathlib.Path(sys.argv[1]) / network), *arguments)
        numpy.savez_compressed(here / "goldens" / (network + ".npz"), **arrays)
        print(network, {key: (value.shape, value.min(), value.max()) for key, value in arrays.items()})


if __name__ == "__main__":
    main()

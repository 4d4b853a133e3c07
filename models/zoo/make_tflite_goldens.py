#!/usr/bin/env python3
"""make_tflite_goldens.py FOLDER: writes what TensorFlow Lite computes, goldens/*.npz for the .tflite networks in FOLDER.

Needs numpy and tensorflow (goldens/ was made with 2.21.0, its reference kernels). As make_goldens.py otherwise.
"""

import pathlib
import sys

import numpy
import tensorflow
from pattern import distance, pattern

# Model: mean and scale of its input.
MODELS = {
    "blazeface_short_range": (127.5, 127.5),
    "mobilenet_v1_0.25_224_float": (127.5, 127.5),
}


def golden(path, mean, scale):
    reference = tensorflow.lite.experimental.OpResolverType.BUILTIN_REF
    interpreter = tensorflow.lite.Interpreter(str(path), experimental_op_resolver_type=reference)
    interpreter.allocate_tensors()
    (model_input,) = interpreter.get_input_details()
    batch, height, width, channels = model_input["shape"]
    image = pattern((batch, channels, height, width), mean, scale).transpose(0, 2, 3, 1)
    interpreter.set_tensor(model_input["index"], numpy.ascontiguousarray(image))
    interpreter.invoke()
    arrays = {"pattern__" + model_input["name"]: numpy.array([mean, scale], numpy.float32)}
    for output in interpreter.get_output_details():
        value = interpreter.get_tensor(output["index"])
        # A / in a name would be a folder in the archive; a network's only output needs no name.
        name = output["name"].replace("/", "_")
        every = distance(value)
        arrays["every__" + name] = numpy.array([every], numpy.int64)
        arrays["sampled__" + name] = value.reshape(-1)[::every]
    return arrays


def main():
    here = pathlib.Path(__file__).parent
    for name, (mean, scale) in MODELS.items():
        arrays = golden(pathlib.Path(sys.argv[1]) / (name + ".tflite"), mean, scale)
        numpy.savez_compressed(here / "goldens" / (name + ".npz"), **arrays)
        print(name, {key: (value.shape, value.min(), value.max()) for key, value in arrays.items()})


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""make_tensorflow_goldens.py FOLDER: writes what TensorFlow computes, goldens/*.npz for the frozen graphs in FOLDER.

Needs numpy and tensorflow (goldens/ was made with 2.21.0). As make_goldens.py otherwise.
"""

import pathlib
import sys

import numpy
import tensorflow
from pattern import distance, pattern

# Graph: its input, height and width of that, mean and scale, and its output.
GRAPHS = {
    "mnet_mobilenet_0.25_128": ("input_1", (128, 128), (127.5, 127.5), "output_0"),
    "segm_lite_v681_opt": ("input_1", (96, 160), (0, 255), "segment"),
}


def golden(path, name, size, normalization, output):
    graph_def = tensorflow.compat.v1.GraphDef()
    graph_def.ParseFromString(path.read_bytes())
    image = pattern((1, 3, *size), *normalization).transpose(0, 2, 3, 1)
    with tensorflow.Graph().as_default() as graph:
        tensorflow.import_graph_def(graph_def, name="")
        with tensorflow.compat.v1.Session(graph=graph) as session:
            value = session.run(output + ":0", {name + ":0": image})
    every = distance(value)
    return {
        "pattern__" + name: numpy.array(normalization, numpy.float32),
        "every__" + output: numpy.array([every], numpy.int64),
        "sampled__" + output: value.reshape(-1)[::every],
    }


def main():
    here = pathlib.Path(__file__).parent
    for graph, arguments in GRAPHS.items():
        arrays = golden(pathlib.Path(sys.argv[1]) / (graph + ".pb"), *arguments)
        numpy.savez_compressed(here / "goldens" / (graph + ".npz"), **arrays)
        print(graph, {key: (value.shape, value.min(), value.max()) for key, value in arrays.items()})


if __name__ == "__main__":
    main()

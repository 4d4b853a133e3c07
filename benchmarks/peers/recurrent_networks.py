#!/usr/bin/env python3
"""Writes recurrent networks as ONNX: DTLN's two halves, one step of sound at a time, and keyword spotters over 49 frames.

    benchmarks/peers/recurrent_networks.py /tmp/recurrent
    benchmarks/peers/stream_samples.py --model /tmp/recurrent/dtln_1.onnx --out /tmp/recurrent/dtln_1 --magnitudes \\
        --frame 512 --hop 128 --every 31 speech/*.wav
    benchmarks/peers/compare_quantizers.py --models /tmp/recurrent/dtln_1.onnx --samples /tmp/recurrent/dtln_1 --ways standard best

The weights are random, with biases of forget gates as trained networks have them, so that cell states reach some 100. DTLN (Westhausen
and Meyer, arXiv:2005.07551): instant normalization, two LSTMs of 128 units, a mask; one tensor [1, 2, 128, 2] holds both states of both
layers, and the cells are spelled out, as tf2onnx writes them. The second half reads the frame itself, without --magnitudes. The
spotters are ONNX's LSTM and GRU; their samples are made with --frame 640 --hop 320 --steps 49 --bands 10.
"""

import argparse
import pathlib
import sys

import numpy
import onnx
from onnx import helper, numpy_helper

UNITS = 128


class Network:
    """A graph in the making: constants and nodes by the names of their results."""

    def __init__(self, seed):
        self.random = numpy.random.default_rng(seed)
        self.nodes, self.constants = [], []

    def constant(self, values, dtype=numpy.float32):
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(numpy.asarray(values, dtype), name))
        return name

    def normal(self, deviation, *shape):
        return self.random.normal(0, deviation, shape)

    def node(self, kind, operands, name=None, outputs=1, **attributes):
        name = name or f"{kind}_{len(self.nodes)}"
        names = [name] if outputs == 1 else [f"{name}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, operands, names, **attributes))
        return names[0] if outputs == 1 else names

    def axes(self, kind, x, *axes, name=None):
        return self.node(kind, [x, self.constant(axes, numpy.int64)], name)

    def dense(self, x, inputs, width, gain):
        weights = self.constant(self.normal(gain / numpy.sqrt(inputs), inputs, width))
        return self.node("Add", [self.node("MatMul", [x, weights]), self.constant(self.normal(1, width))])

    def part(self, x, axis, index):
        bounds = [self.constant([value], numpy.int64) for value in (index, index + 1, axis)]
        return self.axes("Squeeze", self.node("Slice", [x, *bounds]), axis)

    def normalized(self, x):
        centered = self.node("Sub", [x, self.node("ReduceMean", [x], axes=[1])])
        variance = self.node("ReduceMean", [self.node("Mul", [centered, centered])], axes=[1])
        return self.node("Div", [centered, self.node("Sqrt", [self.node("Add", [variance, self.constant(1e-7)])])])

    def lstm_step(self, x, inputs, hidden, cell):
        of_x = self.node("MatMul", [x, self.constant(self.normal(1.2 / numpy.sqrt(inputs), inputs, 4 * UNITS))])
        of_h = self.node("MatMul", [hidden, self.constant(self.normal(1 / numpy.sqrt(UNITS), UNITS, 4 * UNITS))])
        bias = numpy.concatenate([self.normal(1, UNITS), self.normal(1, UNITS), 3.5 + self.normal(1.5, UNITS), self.normal(0.5, UNITS)])
        gates = self.node("Add", [self.node("Add", [of_x, of_h]), self.constant(bias)])
        parts = self.node("Split", [gates, self.constant([UNITS] * 4, numpy.int64)], outputs=4, axis=1)
        take, show, keep = (self.node("Sigmoid", [part]) for part in parts[:3])
        taken = self.node("Mul", [take, self.node("Tanh", [parts[3]])])
        cell = self.node("Add", [self.node("Mul", [keep, cell]), taken])
        return self.node("Mul", [show, self.node("Tanh", [cell])]), cell

    def model(self, inputs, outputs):
        values = [[helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape) for name, shape in each.items()]
                  for each in (inputs, outputs)]
        graph = helper.make_graph(self.nodes, "network", *values, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        onnx.checker.check_model(model)
        return model


def dtln(half):
    """The first half makes a mask of a spectrum's magnitudes, the second one of features that it learned."""
    network = Network(7)
    width, features = (257, 257) if half == 1 else (512, 256)
    frame = encoded = network.axes("Squeeze", "frame", 1)
    if half == 2:
        encoded = network.node("MatMul", [frame, network.constant(network.normal(4 / numpy.sqrt(width), width, features))])
    y, inputs, states = network.normalized(encoded), features, []
    for layer in range(2):
        both = network.part("states", 1, layer)
        y, cell = network.lstm_step(y, inputs, network.part(both, 2, 0), network.part(both, 2, 1))
        inputs = UNITS
        joined = network.node("Concat", [network.axes("Unsqueeze", each, 2) for each in (y, cell)], axis=2)
        states.append(network.axes("Unsqueeze", joined, 1))
    mask = network.node("Sigmoid", [network.dense(y, UNITS, features, 3)])
    if half == 2:
        decoder = network.constant(network.normal(1 / numpy.sqrt(features), features, width))
        mask = network.node("MatMul", [network.node("Mul", [mask, encoded]), decoder])
    network.axes("Unsqueeze", mask, 1, name="result")
    network.node("Concat", states, "next_states", axis=1)
    shapes = {"frame": [1, 1, width], "states": [1, 2, UNITS, 2]}
    return network.model(shapes, {"result": shapes["frame"], "next_states": shapes["states"]})


def spotter(cell, frames=49, features=10, units=64, words=12):
    network = Network(3)
    gates = {"GRU": 3, "LSTM": 4}[cell]
    x, inputs = network.node("Transpose", ["features"], perm=[1, 0, 2]), features
    for _ in range(2):
        bias = network.normal(0.4, 1, 2 * gates * units)
        if cell == "GRU":
            bias[:, :units] += 1  # of the update gate
        else:
            bias[:, 2 * units:3 * units] += 1.5  # of the forget gate
        weights = [network.normal(gain / numpy.sqrt(width), 1, gates * units, width) for gain, width in ((1.3, inputs), (1.1, units))]
        attributes = {"linear_before_reset": 1} if cell == "GRU" else {}
        y = network.node(cell, [x, *map(network.constant, weights), network.constant(bias)], hidden_size=units, **attributes)
        x, inputs = network.axes("Squeeze", y, 1), units
    last = network.node("Gather", [x, network.constant(frames - 1, numpy.int64)], axis=0)
    network.node("Softmax", [network.dense(last, units, words, 2)], "words", axis=1)
    return network.model({"features": [1, frames, features]}, {"words": [1, words]})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for half in (1, 2):
        onnx.save(dtln(half), folder / f"dtln_{half}.onnx")
    for cell in ("LSTM", "GRU"):
        onnx.save(spotter(cell), folder / f"spotter_{cell.lower()}.onnx")
    return 0


if __name__ == "__main__":
    sys.exit(main())

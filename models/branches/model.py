"""model.py: writes model.onnx, two branches of five convolutions with random weights. Needs numpy and onnx.

A branch has 578 million multiply-accumulates: enough to run beside the other one (docs/delegates.md).
"""

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

SIZE = 224
CHANNELS = 16
LAYERS = 5


def main():
    random = numpy.random.default_rng(0)
    nodes, weights = [], []

    def conv(name, source, channels, out):
        scale = numpy.sqrt(2 / (9 * channels))
        values = scale * random.standard_normal((out, channels, 3, 3), numpy.float32)
        weights.append(numpy_helper.from_array(values.astype(numpy.float32), name + ".weight"))
        nodes.append(helper.make_node("Conv", [source, name + ".weight"], [name + ".sums"], name, pads=[1, 1, 1, 1]))
        nodes.append(helper.make_node("Relu", [name + ".sums"], [name + ".out"], name + ".relu"))
        return name + ".out"

    stem = conv("stem", "input", 3, CHANNELS)
    ends = []
    for branch in ("left", "right"):
        end = stem
        for layer in range(LAYERS):
            end = conv("%s_%d" % (branch, layer), end, CHANNELS, CHANNELS)
        ends.append(end)
    nodes.append(helper.make_node("Add", ends, ["joined"], "join"))
    conv("last", "joined", CHANNELS, 4)

    inputs = [helper.make_tensor_value_info("input", TensorProto.FLOAT, [1, 3, SIZE, SIZE])]
    outputs = [helper.make_tensor_value_info("last.out", TensorProto.FLOAT, [1, 4, SIZE, SIZE])]
    graph = helper.make_graph(nodes, "branches", inputs, outputs, weights)
    onnx.save(helper.make_model(graph, ir_version=7, opset_imports=[helper.make_opsetid("", 13)]), "model.onnx")


if __name__ == "__main__":
    main()

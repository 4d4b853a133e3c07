#!/usr/bin/env python3
"""Writes the corpus of //compiler/import/onnx:onnx_fuzz beside this file: small ONNX models, sound and hostile.

Needs nothing but Python: the few protocol buffer messages are put together by hand.
"""

import os
import struct

FLOAT, INT32, INT64, STRING, FLOAT16 = 1, 6, 7, 8, 10
MIN, MAX = -(2**63), 2**63 - 1


def varint(value):
    value &= 2**64 - 1
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def number(tag, value):
    return varint(tag << 3) + varint(value)


def text(tag, value):
    value = value if isinstance(value, bytes) else value.encode()
    return varint(tag << 3 | 2) + varint(len(value)) + value


def attribute(name, value):
    out = text(1, name)
    if isinstance(value, bytes):
        return out + text(5, value) + number(20, 4)  # a TensorProto
    if isinstance(value, str):
        return out + text(4, value) + number(20, 3)
    if isinstance(value, float):
        return out + varint(2 << 3 | 5) + struct.pack("<f", value) + number(20, 1)
    if isinstance(value, int):
        return out + number(3, value) + number(20, 2)
    if isinstance(value[0], float):
        return out + b"".join(varint(7 << 3 | 5) + struct.pack("<f", v) for v in value) + number(20, 6)
    return out + b"".join(number(8, v) for v in value) + number(20, 7)


def node(op, inputs, outputs, **attributes):
    out = b"".join(text(1, i) for i in inputs) + b"".join(text(2, o) for o in outputs)
    return out + text(3, outputs[0] + "_node") + text(4, op) + b"".join(
        text(5, attribute(k, v)) for k, v in attributes.items())


def tensor(name, dims, values, dtype=INT64):
    code = {FLOAT: "f", INT32: "i", INT64: "q", FLOAT16: "H"}[dtype]
    raw = struct.pack("<%d%s" % (len(values), code), *values)
    return b"".join(number(1, d) for d in dims) + number(2, dtype) + text(8, name) + text(9, raw)


def value(name, dims, dtype=FLOAT):
    shape = b"".join(text(1, text(2, d) if isinstance(d, str) else number(1, d)) for d in dims)
    return text(1, name) + text(2, text(1, number(1, dtype) + text(2, shape)))


def model(nodes, tensors=(), inputs=(), outputs=("y",), opset=13):
    graph = b"".join(text(1, n) for n in nodes) + text(2, "fuzz")
    graph += b"".join(text(5, t) for t in tensors) + b"".join(text(11, i) for i in inputs)
    graph += b"".join(text(12, text(1, o)) for o in outputs)
    return number(1, 8) + text(7, graph) + text(8, number(2, opset))


IMAGE = value("x", ["n", 2, 4, 4])
LINE = value("x", [6])
CORPUS = {
    "conv": model([node("Conv", ["x", "w", "b"], ["c"], auto_pad="SAME_UPPER", strides=[2, 2]),
                   node("BatchNormalization", ["c", "b", "b", "b", "b"], ["n"]),
                   node("Clip", ["n", "", "six"], ["y"])],
                  [tensor("w", [2, 2, 3, 3], [0.5] * 36, FLOAT), tensor("b", [2], [1, 2], FLOAT),
                   tensor("six", [], [6.0], FLOAT)], [IMAGE]),
    "conv_extremes": model([node("Conv", ["x", "w"], ["y"], strides=[MAX, 1], dilations=[1, MAX],
                                 pads=[MAX, MIN, 1, 1], group=MIN)],
                           [tensor("w", [2, 2, 1, 1], [1] * 4, FLOAT)], [IMAGE]),
    "conv_transpose": model([node("ConvTranspose", ["x", "w"], ["y"], output_shape=[9, 8], strides=[2, 2])],
                            [tensor("w", [2, 3, 2, 2], [1] * 24, FLOAT)], [IMAGE]),
    "pools": model([node("MaxPool", ["x"], ["a"], kernel_shape=[3, 3], ceil_mode=1, pads=[1, 1, 1, 1]),
                    node("AveragePool", ["a"], ["b"], kernel_shape=[2, 2], auto_pad="SAME_LOWER"),
                    node("GlobalAveragePool", ["b"], ["y"])], [], [IMAGE]),
    "resize": model([node("Resize", ["x", "", "s"], ["y"], mode="linear")],
                    [tensor("s", [4], [1, 1, 2, 1e30], FLOAT)], [IMAGE]),
    "upsample": model([node("Upsample", ["x", "s"], ["y"])], [tensor("s", [4], [1, 1, 2, 2], FLOAT)],
                      [IMAGE], opset=9),
    "shape_arithmetic": model([node("Shape", ["x"], ["s"]), node("Slice", ["s", "i", "j"], ["t"]),
                               node("Concat", ["t", "m"], ["u"], axis=0), node("Reshape", ["x", "u"], ["y"])],
                              [tensor("i", [1], [0]), tensor("j", [1], [2]), tensor("m", [1], [-1])], [IMAGE]),
    "slice_extremes": model([node("Slice", ["x", "a", "b", "c", "d"], ["y"])],
                            [tensor("a", [1], [MAX]), tensor("b", [1], [MIN]), tensor("c", [1], [-1]),
                             tensor("d", [1], [MIN + 1])], [LINE]),
    "pad_extremes": model([node("Pad", ["x", "p"], ["y"], mode="reflect")], [tensor("p", [2], [MIN, MAX])], [LINE]),
    "tile_huge": model([node("Tile", ["x", "r"], ["y"])], [tensor("r", [1], [2**45])], [LINE]),
    "expand_huge": model([node("Expand", ["w", "r"], ["y"])],
                         [tensor("r", [2], [2**20, 2**20]), tensor("w", [1], [1], FLOAT)]),
    "constant_of_shape_huge": model([node("ConstantOfShape", ["r"], ["y"], value=tensor("", [1], [7]))],
                                    [tensor("r", [2], [2**20, 2**20])]),
    "range": model([node("Range", ["a", "b", "c"], ["y"])],
                   [tensor("a", [], [0.0], FLOAT), tensor("b", [], [1e30], FLOAT), tensor("c", [], [1e-30], FLOAT)]),
    "split_gather": model([node("Split", ["x"], ["a", "b", "c"]), node("Gather", ["b", "i"], ["d"]),
                           node("NonZero", ["i"], ["z"])], [tensor("i", [2], [-1, 1])], [LINE], ["d", "z"]),
    "gemm": model([node("Gemm", ["x", "w", "c"], ["y"], transB=1, alpha=0.5)],
                  [tensor("w", [3, 6], [1] * 18, FLOAT), tensor("c", [1, 3], [1, 2, 3], FLOAT)],
                  [value("x", ["n", 6])]),
    "half": model([node("Add", ["x", "w"], ["y"])], [tensor("w", [6], [0x3C00] * 6, FLOAT16)], [LINE]),
    "int32": model([node("Mul", ["x", "w"], ["y"])], [tensor("w", [6], [3] * 6, INT32)],
                   [value("x", [6], INT32)]),
    "old_softmax": model([node("Softmax", ["x"], ["y"])], [], [IMAGE], opset=11),
    "depth_to_space": model([node("DepthToSpace", ["x"], ["y"], blocksize=MAX)], [], [IMAGE]),
    "cycle": model([node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"])], [], [LINE], ["b"]),
    "duplicate": model([node("Relu", ["x"], ["y"]), node("Abs", ["x"], ["y"])], [], [LINE]),
    "computed_weights": model([node("Conv", ["x", "w"], ["y"])], [], [IMAGE, value("w", [3, 2, 1, 1])]),
    "experimental": model([node("ImageScaler", ["x"], ["a"], scale=0.5, bias=[1.0, 2.0]),
                           node("Crop", ["a"], ["b"], border=[1, 0, 0, 1]), node("Affine", ["b"], ["c"], alpha=2.0),
                           node("ScaledTanh", ["c"], ["d"], beta=3.0), node("ParametricSoftplus", ["d"], ["y"])],
                          [], [IMAGE], opset=7),
    "crop_extremes": model([node("Crop", ["x"], ["y"], border=[MAX, MIN, MAX, MIN], scale=[MAX, MIN])], [], [IMAGE], opset=7),
    "scan_without_operands": model([node("Scan", [], ["y"], num_scan_inputs=1)], [], [LINE], opset=8),
    "unknown_op": model([node("If", ["x"], ["y"])], [], [LINE]),
    "short_data": model([node("Identity", ["w"], ["y"])], [tensor("w", [2**20, 2**19], [1.0], FLOAT)]),
    "string_input": model([node("Identity", ["x"], ["y"])], [], [value("x", [1], STRING)]),
    "lfs_pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
}
CORPUS["truncated"] = CORPUS["conv"][:-9]


def main():
    folder = os.path.dirname(os.path.abspath(__file__))
    for name, data in CORPUS.items():
        with open(os.path.join(folder, name + ".onnx"), "wb") as out:
            out.write(data)


if __name__ == "__main__":
    main()

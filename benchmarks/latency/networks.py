"""Networks of published.csv by architecture, as ONNX files with random weights: the time of an inference doesn't depend on them.

    python3 -m venv /tmp/networks && /tmp/networks/bin/pip install numpy onnx
    /tmp/networks/bin/python benchmarks/latency/networks.py OUT_FOLDER [NAME ...]

Batch normalization is folded into the convolutions. A network's docstring names its source. Sizes that its benchmark doesn't publish are
chosen by the multiply-accumulates that the published time on the CPU suggests, never by a time on the NPU; docs/latency.md says which.
"""

import functools
import math
import pathlib
import sys

import numpy
import onnx
from onnx import helper


class Net:
    """Writes one network, node by node. Tensors are names; images are NCHW."""

    def __init__(self, name, shape, from_tflite):
        self.from_tflite = from_tflite
        self.name, self.nodes, self.weights, self.shapes = name, [], [], {"input": list(shape)}
        self.input, self.random = "input", numpy.random.default_rng(0)

    def channels(self, x):
        return self.shapes[x][1]

    def size(self, x):
        return self.shapes[x][2:]

    def constant(self, values, dtype=numpy.float32):
        name = f"w{len(self.weights)}"
        self.weights.append(onnx.numpy_helper.from_array(numpy.asarray(values, dtype), name))
        return name

    def node(self, op, inputs, shape, **attributes):
        name = f"{op.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        self.shapes[name] = list(shape)
        return name

    def unary(self, op, x, **attributes):
        return self.node(op, [x], self.shapes[x], **attributes)

    def activate(self, x, activation):
        if activation is None:
            return x
        if activation == "relu6":
            return self.node("Clip", [x, self.constant(0), self.constant(6)], self.shapes[x])
        if activation == "silu":
            # A quantized TensorFlow Lite network has two quantized operators here, which the board's compiler keeps apart. No pass fuses a
            # hard sigmoid of this slope with the product; its layer costs what that of the sigmoid does.
            return self.mul(x, self.unary("HardSigmoid" if self.from_tflite else "Sigmoid", x))
        if activation == "mish":
            return self.mul(x, self.unary("Tanh", self.unary("Softplus", x)))
        if activation == "lrelu":
            return self.unary("LeakyRelu", x, alpha=0.1)
        if activation == "prelu":
            return self.node("PRelu", [x, self.constant(numpy.full((self.channels(x), 1, 1), 0.1))], self.shapes[x])
        return self.unary({"relu": "Relu", "sigmoid": "Sigmoid", "tanh": "Tanh", "hswish": "HardSwish", "hsigmoid": "HardSigmoid"}[activation], x)

    def conv(self, x, out, kernel=1, stride=1, activation=None, groups=1, dilation=1, same=True):
        """`same`: padded as TensorFlow's SAME, else not at all. `kernel`: of both axes, or (height, width)."""
        kernel = kernel if isinstance(kernel, tuple) else (kernel, kernel)
        size, pads, outs = self.size(x), [[], []], []
        for k, n in zip(kernel, size):
            reach = (k - 1) * dilation + 1
            o = math.ceil(n / stride) if same else (n - reach) // stride + 1
            pad = max(0, (o - 1) * stride + reach - n) if same else 0
            outs.append(o), pads[0].append(pad // 2), pads[1].append(pad - pad // 2)
        weight = self.random.standard_normal((out, self.channels(x) // groups, *kernel), numpy.float32)
        weight /= math.sqrt(weight[0].size)
        y = self.node("Conv", [x, self.constant(weight), self.constant(numpy.zeros(out))], [self.shapes[x][0], out, *outs],
                      kernel_shape=kernel, strides=[stride] * 2, dilations=[dilation] * 2, pads=pads[0] + pads[1], group=groups)
        return self.activate(y, activation)

    def depthwise(self, x, kernel=3, stride=1, activation=None, dilation=1):
        return self.conv(x, self.channels(x), kernel, stride, activation, self.channels(x), dilation)

    def conv_transpose(self, x, out, kernel, activation=None):
        """Doubles the size."""
        n, c, h, w = self.shapes[x]
        weight = self.random.standard_normal((c, out, kernel, kernel), numpy.float32) / math.sqrt(c * kernel * kernel)
        pad = kernel - 2
        y = self.node("ConvTranspose", [x, self.constant(weight), self.constant(numpy.zeros(out))], [n, out, 2 * h, 2 * w],
                      kernel_shape=[kernel] * 2, strides=[2, 2], pads=[pad // 2, pad // 2, pad - pad // 2, pad - pad // 2])
        return self.activate(y, activation)

    def pool(self, x, kernel, stride, op="MaxPool", same=True):
        n, c, *size = self.shapes[x]
        outs = [math.ceil(s / stride) if same else (s - kernel) // stride + 1 for s in size]
        pads = [max(0, (o - 1) * stride + kernel - s) if same else 0 for o, s in zip(outs, size)]
        return self.node(op, [x], [n, c, *outs], kernel_shape=[kernel] * 2, strides=[stride] * 2,
                         pads=[p // 2 for p in pads] + [p - p // 2 for p in pads])

    def mean(self, x):
        return self.node("GlobalAveragePool", [x], [*self.shapes[x][:2], 1, 1])

    def binary(self, op, a, b):
        shape = numpy.broadcast_shapes(self.shapes.get(a, ()), self.shapes.get(b, ()))
        return self.node(op, [a, b], shape)

    def add(self, a, b):
        return self.binary("Add", a, b)

    def mul(self, a, b):
        return self.binary("Mul", a, b)

    def concat(self, xs, axis=1):
        shape = list(self.shapes[xs[0]])
        shape[axis] = sum(self.shapes[x][axis] for x in xs)
        return self.node("Concat", xs, shape, axis=axis)

    def slice(self, x, begin, end, axis=1):
        shape = list(self.shapes[x])
        shape[axis] = end - begin
        starts, ends, axes = (self.constant([v], numpy.int64) for v in (begin, end, axis))
        return self.node("Slice", [x, starts, ends, axes], shape)

    def resize(self, x, size, mode="nearest"):
        n, c = self.shapes[x][:2]
        sizes = self.constant([n, c, *size], numpy.int64)
        return self.node("Resize", [x, "", "", sizes], [n, c, *size], mode=mode,
                         coordinate_transformation_mode="asymmetric" if mode == "nearest" else "half_pixel",
                         **({"nearest_mode": "floor"} if mode == "nearest" else {}))

    def upsample(self, x, factor=2, mode="nearest"):
        return self.resize(x, [factor * s for s in self.size(x)], mode)

    def depth_to_space(self, x, block):
        n, c, h, w = self.shapes[x]
        return self.node("DepthToSpace", [x], [n, c // block**2, h * block, w * block], blocksize=block)

    def reshape(self, x, shape):
        return self.node("Reshape", [x, self.constant(shape, numpy.int64)], shape)

    def transpose(self, x, perm):
        return self.node("Transpose", [x], [self.shapes[x][p] for p in perm], perm=perm)

    def softmax(self, x, axis=-1):
        return self.unary("Softmax", x, axis=axis)

    def instance_norm(self, x):
        c = self.channels(x)
        return self.node("InstanceNormalization", [x, self.constant(numpy.ones(c)), self.constant(numpy.zeros(c))], self.shapes[x])

    def classify(self, x, classes):
        x = self.conv(x if self.size(x) == [1, 1] else self.mean(x), classes)
        return self.softmax(self.reshape(x, [self.shapes[x][0], classes]))

    def save(self, path, outputs):
        graph = helper.make_graph(
            self.nodes, self.name, [helper.make_tensor_value_info(self.input, onnx.TensorProto.FLOAT, self.shapes["input"])],
            [helper.make_tensor_value_info(o, onnx.TensorProto.FLOAT, self.shapes[o]) for o in outputs], self.weights)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8), path)


# Networks. Each takes the Net and returns its outputs.


def mobilenet_v1(net, width):
    """arXiv:1704.04861, table 1."""
    def wide(c):
        return max(8, int(c * width))

    x = net.conv(net.input, wide(32), 3, 2, "relu6")
    for channels, stride in [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1)]:
        x = net.conv(net.depthwise(x, 3, stride, "relu6"), wide(channels), activation="relu6")
    return [net.classify(x, 1001)]


def posenet(net):
    """MobileNetV1 0.75 with output stride 16: the last stride becomes a dilation (tfjs-models/posenet), and four 1x1 heads."""
    x, dilation = net.conv(net.input, 24, 3, 2, "relu6"), 1
    for channels, stride in [(48, 1), (96, 2), (96, 1), (192, 2), (192, 1), (384, 2), *[(384, 1)] * 5, (768, 2), (768, 1)]:
        if channels == 768 and stride == 2:
            stride, dilation = 1, 2
        x = net.conv(net.depthwise(x, 3, stride, "relu6", 1 if channels < 768 else dilation), channels, activation="relu6")
    return [net.conv(x, c) for c in (17, 34, 32, 32)]


def inverted_residual(net, x, wide, out, kernel=3, stride=1, activation="relu6", se=0, dilation=1, gate="hsigmoid"):
    before = x
    if wide != net.channels(x):
        x = net.conv(x, wide, activation=activation)
    x = net.depthwise(x, kernel, stride, activation, dilation)
    if se:
        y = net.conv(net.mean(x), se, activation="relu" if gate == "hsigmoid" else "silu")
        x = net.mul(x, net.conv(y, wide, activation=gate))
    x = net.conv(x, out)
    return net.add(before, x) if stride == 1 and out == net.channels(before) else x


MOBILENET_V2 = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]


def mobilenet_v2(net):
    """arXiv:1801.04381, table 2."""
    x = net.conv(net.input, 32, 3, 2, "relu6")
    for expansion, channels, repeats, stride in MOBILENET_V2:
        for i in range(repeats):
            x = inverted_residual(net, x, net.channels(x) * expansion, channels, 3, stride if i == 0 else 1)
    return [net.classify(net.conv(x, 1280, activation="relu6"), 1001)]


MOBILENET_V3 = [  # kernel, expansion, out, squeeze, hard swish, stride
    (3, 16, 16, 0, 0, 1), (3, 64, 24, 0, 0, 2), (3, 72, 24, 0, 0, 1), (5, 72, 40, 24, 0, 2), (5, 120, 40, 32, 0, 1), (5, 120, 40, 32, 0, 1),
    (3, 240, 80, 0, 1, 2), (3, 200, 80, 0, 1, 1), (3, 184, 80, 0, 1, 1), (3, 184, 80, 0, 1, 1), (3, 480, 112, 120, 1, 1),
    (3, 672, 112, 168, 1, 1), (5, 672, 160, 168, 1, 2), (5, 960, 160, 240, 1, 1), (5, 960, 160, 240, 1, 1)]


def mobilenet_v3(net, minimalistic=False):
    """arXiv:1905.02244, table 1; the minimalistic form has 3x3 kernels, relu and no squeeze."""
    swish = "relu" if minimalistic else "hswish"
    x = net.conv(net.input, 16, 3, 2, swish)
    for kernel, wide, out, se, hard, stride in MOBILENET_V3:
        x = inverted_residual(net, x, wide, out, 3 if minimalistic else kernel, stride, swish if hard else "relu", 0 if minimalistic else se)
    x = net.mean(net.conv(x, 960, activation=swish))
    return [net.classify(net.conv(x, 1280, activation=swish), 1001)]


def efficientnet_b4(net):
    """arXiv:1905.11946 with width 1.4 and depth 1.8."""
    def wide(c):
        rounded = max(8, int(c * 1.4 + 4) // 8 * 8)
        return rounded + 8 if rounded < 0.9 * c * 1.4 else rounded

    x = net.conv(net.input, wide(32), 3, 2, "silu")
    for kernel, expansion, channels, repeats, stride in [(3, 1, 16, 1, 1), (3, 6, 24, 2, 2), (5, 6, 40, 2, 2), (3, 6, 80, 3, 2), (5, 6, 112, 3, 1),
                                                         (5, 6, 192, 4, 2), (3, 6, 320, 1, 1)]:
        for i in range(math.ceil(repeats * 1.8)):
            before = net.channels(x)
            x = inverted_residual(net, x, before * expansion, wide(channels), kernel, stride if i == 0 else 1, "silu", max(1, before // 4), gate="sigmoid")
    return [net.classify(net.conv(x, wide(1280), activation="silu"), 1000)]


def inception_v3(net):
    """arXiv:1512.00567, as in tensorflow/models/research/slim, without the auxiliary head."""
    relu = functools.partial(net.conv, activation="relu")

    def tower(x, *steps):
        for out, kernel, *stride in steps:
            x = relu(x, out, kernel, stride[0] if stride else 1, same=not stride)
        return x

    x = relu(relu(net.input, 32, 3, 2, same=False), 32, 3, same=False)
    x = net.pool(relu(x, 64, 3), 3, 2, same=False)
    x = net.pool(relu(relu(x, 80, 1, same=False), 192, 3, same=False), 3, 2, same=False)
    for out in (32, 64, 64):
        x = net.concat([tower(x, (64, 1)), tower(x, (48, 1), (64, 5)), tower(x, (64, 1), (96, 3), (96, 3)),
                        tower(net.pool(x, 3, 1, "AveragePool"), (out, 1))])
    x = net.concat([tower(x, (384, 3, 2)), tower(x, (64, 1), (96, 3), (96, 3, 2)), net.pool(x, 3, 2, same=False)])
    for c in (128, 160, 160, 192):
        x = net.concat([tower(x, (192, 1)), tower(x, (c, 1), (c, (1, 7)), (192, (7, 1))),
                        tower(x, (c, 1), (c, (7, 1)), (c, (1, 7)), (c, (7, 1)), (192, (1, 7))),
                        tower(net.pool(x, 3, 1, "AveragePool"), (192, 1))])
    x = net.concat([tower(x, (192, 1), (320, 3, 2)), tower(x, (192, 1), (192, (1, 7)), (192, (7, 1)), (192, 3, 2)), net.pool(x, 3, 2, same=False)])
    for _ in range(2):
        a, b = tower(x, (384, 1)), tower(x, (448, 1), (384, 3))
        x = net.concat([tower(x, (320, 1)), tower(a, (384, (1, 3))), tower(a, (384, (3, 1))), tower(b, (384, (1, 3))), tower(b, (384, (3, 1))),
                        tower(net.pool(x, 3, 1, "AveragePool"), (192, 1))])
    return [net.classify(x, 1001)]


def inception_v4(net):
    """arXiv:1602.07261, figures 3 to 9."""
    relu = functools.partial(net.conv, activation="relu")

    def tower(x, *steps):
        for out, kernel, *stride in steps:
            x = relu(x, out, kernel, stride[0] if stride else 1, same=not stride)
        return x

    x = relu(relu(relu(net.input, 32, 3, 2, same=False), 32, 3, same=False), 64, 3)
    x = net.concat([net.pool(x, 3, 2, same=False), tower(x, (96, 3, 2))])
    x = net.concat([tower(x, (64, 1), (96, 3, 1)), tower(x, (64, 1), (64, (7, 1)), (64, (1, 7)), (96, 3, 1))])
    x = net.concat([tower(x, (192, 3, 2)), net.pool(x, 3, 2, same=False)])
    for _ in range(4):
        x = net.concat([tower(net.pool(x, 3, 1, "AveragePool"), (96, 1)), tower(x, (96, 1)), tower(x, (64, 1), (96, 3)), tower(x, (64, 1), (96, 3), (96, 3))])
    x = net.concat([net.pool(x, 3, 2, same=False), tower(x, (384, 3, 2)), tower(x, (192, 1), (224, 3), (256, 3, 2))])
    for _ in range(7):
        x = net.concat([tower(net.pool(x, 3, 1, "AveragePool"), (128, 1)), tower(x, (384, 1)), tower(x, (192, 1), (224, (1, 7)), (256, (7, 1))),
                        tower(x, (192, 1), (192, (1, 7)), (224, (7, 1)), (224, (1, 7)), (256, (7, 1)))])
    x = net.concat([net.pool(x, 3, 2, same=False), tower(x, (192, 1), (192, 3, 2)), tower(x, (256, 1), (256, (1, 7)), (320, (7, 1)), (320, 3, 2))])
    for _ in range(3):
        a, b = tower(x, (384, 1)), tower(x, (384, 1), (448, (1, 3)), (512, (3, 1)))
        x = net.concat([tower(net.pool(x, 3, 1, "AveragePool"), (256, 1)), tower(x, (256, 1)), tower(a, (256, (1, 3))), tower(a, (256, (3, 1))),
                        tower(b, (256, (3, 1))), tower(b, (256, (1, 3)))])
    return [net.classify(x, 1001)]


def yolov5_backbone(net, x, width, depth, conv):
    """The three strides that the head joins: yolov5's models/yolov5s.yaml, from the layer at stride 4 on."""
    def c3(x, out, repeats, shortcut=True):
        y, half = conv(x, out // 2, 1), out // 2
        for _ in range(max(1, round(repeats * depth))):
            z = conv(conv(y, half, 1), half, 3)
            y = net.add(y, z) if shortcut else z
        return conv(net.concat([y, conv(x, half, 1)]), out, 1)

    return c3, [int(c * width) for c in (64, 128, 256, 512, 1024)]


def yolov5_neck(net, p3, p4, p5, c3, conv, channels):
    _, _, c256, c512, c1024 = channels
    n5 = conv(p5, c512, 1)
    n4 = conv(c3(net.concat([net.upsample(n5), p4]), c512, 3, False), c256, 1)
    out3 = c3(net.concat([net.upsample(n4), p3]), c256, 3, False)
    out4 = c3(net.concat([conv(out3, c256, 3, 2), n4]), c512, 3, False)
    out5 = c3(net.concat([conv(out4, c512, 3, 2), n5]), c1024, 3, False)
    return out3, out4, out5


def yolov5(net, width, depth):
    """ultralytics/yolov5 6.0 with its exported decoding: sigmoid, grid, anchors, one [1, n, 85] output."""
    conv = functools.partial(net.conv, activation="silu")
    c3, channels = yolov5_backbone(net, None, width, depth, conv)
    c64, c128, c256, c512, c1024 = channels
    x = conv(net.input, c64, 6, 2)
    p3 = c3(conv(c3(conv(x, c128, 3, 2), c128, 3), c256, 3, 2), c256, 6)
    p4 = c3(conv(p3, c512, 3, 2), c512, 9)
    p5 = c3(conv(p4, c1024, 3, 2), c1024, 3)
    pools = [conv(p5, c512, 1)]
    for _ in range(3):
        pools.append(net.pool(pools[-1], 5, 1))
    p5 = conv(net.concat(pools), c1024, 1)
    detections = []
    for x in yolov5_neck(net, p3, p4, p5, c3, conv, channels):
        h, w = net.size(x)
        x = net.transpose(net.reshape(net.conv(x, 255), [1, 3, 85, h, w]), [0, 1, 3, 4, 2])
        x = net.unary("Sigmoid", x)
        grid = net.constant(net.random.random((1, 3, h, w, 2)))
        xy = net.mul(net.add(net.mul(net.slice(x, 0, 2, 4), net.constant(2)), grid), net.constant(8))
        wh = net.mul(net.binary("Pow", net.mul(net.slice(x, 2, 4, 4), net.constant(2)), net.constant(2)), grid)
        x = net.concat([xy, wh, net.slice(x, 4, 85, 4)], 4)
        detections.append(net.reshape(x, [1, 3 * h * w, 85]))
    return [net.concat(detections, 1)]


def yolov5s_face(net, tails=True, outputs=(0, 1, 2)):
    """deepcam-cn/yolov5-face, models/yolov5s.yaml: a stem with two branches, pooling of 3, 5, 7, outputs of 3 * 16."""
    conv = functools.partial(net.conv, activation="silu")
    c3, channels = yolov5_backbone(net, None, 0.5, 0.33, conv)
    c64, c128, c256, c512, c1024 = channels
    x = conv(net.input, c64, 3, 2)
    x = conv(net.concat([conv(conv(x, c64 // 2, 1), c64, 3, 2), net.pool(x, 2, 2)]), c64, 1)
    p3 = c3(conv(c3(x, c128, 3), c256, 3, 2), c256, 9)
    p4 = c3(conv(p3, c512, 3, 2), c512, 9)
    x = conv(conv(p4, c1024, 3, 2), c512, 1)
    p5 = c3(conv(net.concat([x, *(net.pool(x, k, 1) for k in (3, 5, 7))]), c1024, 1), c1024, 3, False)
    results = []
    for i, x in enumerate(yolov5_neck(net, p3, p4, p5, c3, conv, channels)):
        if i in outputs:
            h, w = net.size(x)
            x = net.conv(x, 48)
            results.append(net.transpose(net.reshape(x, [1, 3, 16, h, w]), [0, 1, 3, 4, 2]) if tails else x)
    return results


def yolov8s(net, masks=False, keypoints=False):
    """ultralytics' yolov8s, -seg and -pose with their exported decoding."""
    conv = functools.partial(net.conv, activation="silu")

    def c2f(x, out, repeats, shortcut):
        x = conv(x, out, 1)
        parts = [net.slice(x, 0, out // 2), net.slice(x, out // 2, out)]
        for _ in range(repeats):
            y = conv(conv(parts[-1], out // 2, 3), out // 2, 3)
            parts.append(net.add(parts[-1], y) if shortcut else y)
        return conv(net.concat(parts), out, 1)

    x = c2f(conv(conv(net.input, 32, 3, 2), 64, 3, 2), 64, 1, True)
    p3 = c2f(conv(x, 128, 3, 2), 128, 2, True)
    p4 = c2f(conv(p3, 256, 3, 2), 256, 2, True)
    pools = [conv(c2f(conv(p4, 512, 3, 2), 512, 1, True), 256, 1)]
    for _ in range(3):
        pools.append(net.pool(pools[-1], 5, 1))
    p5 = conv(net.concat(pools), 512, 1)
    n4 = c2f(net.concat([net.upsample(p5), p4]), 256, 1, False)
    n3 = c2f(net.concat([net.upsample(n4), p3]), 128, 1, False)
    n4 = c2f(net.concat([conv(n3, 128, 3, 2), n4]), 256, 1, False)
    n5 = c2f(net.concat([conv(n4, 256, 3, 2), p5]), 512, 1, False)
    classes = 1 if keypoints else 80
    boxes, extras = [], []
    for x in (n3, n4, n5):
        n = math.prod(net.size(x))
        box = net.conv(conv(conv(x, 64, 3), 64, 3), 64)
        score = net.conv(conv(conv(x, 128, 3), 128, 3), classes)
        boxes.append(net.reshape(net.concat([box, score]), [1, 64 + classes, n]))
        if masks:
            extras.append(net.reshape(net.conv(conv(conv(x, 32, 3), 32, 3), 32), [1, 32, n]))
        if keypoints:
            extras.append(net.reshape(net.conv(conv(conv(x, 51, 3), 51, 3), 51), [1, 51, n]))
    x = net.concat(boxes, 2)
    n = net.shapes[x][2]
    box = net.transpose(net.reshape(net.slice(x, 0, 64), [1, 4, 16, n]), [0, 2, 1, 3])
    box = net.reshape(net.conv(net.softmax(box, 1), 1), [1, 4, n])
    anchors = net.constant(net.random.random((1, 2, n)))
    low, high = net.binary("Sub", net.slice(box, 0, 2), anchors), net.add(net.slice(box, 2, 4), anchors)
    box = net.concat([net.mul(net.add(low, high), net.constant(0.5)), net.binary("Sub", high, low)])
    box = net.mul(box, net.constant(net.random.random((1, 1, n))))
    parts = [box, net.unary("Sigmoid", net.slice(x, 64, 64 + classes))]
    if masks:
        protos = conv(net.conv_transpose(conv(n3, 128, 3), 128, 2), 128, 3)
        return [net.concat([*parts, net.concat(extras, 2)]), conv(protos, 32, 1)]
    if keypoints:
        points = net.reshape(net.concat(extras, 2), [1, 17, 3, n])
        xy = net.mul(net.add(net.mul(net.slice(points, 0, 2, 2), net.constant(2)), net.constant(net.random.random((2, n)))), net.constant(8))
        parts.append(net.reshape(net.concat([xy, net.unary("Sigmoid", net.slice(points, 2, 3, 2))], 2), [1, 51, n]))
    return [net.concat(parts)]


def yolo_v4_tiny(net):
    """AlexeyAB/darknet cfg/yolov4-tiny.cfg, boxes and scores as hunglc007/tensorflow-yolov4-tflite exports them for TensorFlow Lite."""
    conv = functools.partial(net.conv, activation="lrelu")
    x, route = conv(conv(net.input, 32, 3, 2), 64, 3, 2), None
    for c in (64, 128, 256):
        x = conv(x, c, 3)
        first = conv(net.slice(x, c // 2, c), c // 2, 3)
        second = conv(first, c // 2, 3)
        route = conv(net.concat([second, first]), c, 1)
        x = net.pool(net.concat([x, route]), 2, 2)
    x = conv(conv(x, 512, 3), 256, 1)
    heads = [net.conv(conv(x, 512, 3), 255), net.conv(conv(net.concat([net.upsample(conv(x, 128, 1)), route]), 256, 3), 255)]
    boxes, scores = [], []
    for x in heads:
        h, w = net.size(x)
        x = net.transpose(net.reshape(x, [1, 3, 85, h * w]), [0, 1, 3, 2])
        grid = net.constant(net.random.random((1, 3, h * w, 2)))
        xy = net.mul(net.add(net.unary("Sigmoid", net.slice(x, 0, 2, 3)), grid), net.constant(16))
        wh = net.mul(net.unary("Exp", net.slice(x, 2, 4, 3)), grid)
        boxes.append(net.reshape(net.concat([xy, wh], 3), [1, 3 * h * w, 4]))
        score = net.mul(net.unary("Sigmoid", net.slice(x, 4, 5, 3)), net.unary("Sigmoid", net.slice(x, 5, 85, 3)))
        scores.append(net.reshape(score, [1, 3 * h * w, 80]))
    return [net.concat(boxes, 1), net.concat(scores, 1)]


def deeplab_v3_plus(net, classes):
    """arXiv:1802.02611 on MobileNetV2 with output stride 16, as the mobilenet_v2 variants of tensorflow/models/research/deeplab."""
    x = net.conv(net.input, 32, 3, 2, "relu6")
    for expansion, channels, repeats, step in MOBILENET_V2:
        for i in range(repeats):
            wanted = step if i == 0 else 1
            dilation = 2 if channels >= 160 else 1
            x = inverted_residual(net, x, net.channels(x) * expansion, channels, 3, 1 if channels == 160 else wanted, dilation=dilation)
    size = net.size(x)
    image = net.resize(net.conv(net.mean(x), 256, activation="relu"), size, "linear")
    aspp = [image, net.conv(x, 256, activation="relu")]
    x = net.conv(net.concat(aspp), 256, activation="relu")
    return [net.resize(net.conv(x, classes), net.shapes["input"][2:], "linear")]


def unet(net):
    """arXiv:1505.04597 with 16 channels at full size (the published shape of its first pooling) and padded convolutions."""
    conv = functools.partial(net.conv, kernel=3, activation="relu")
    x, skips = net.input, []
    for c in (16, 32, 64, 128):
        x = conv(conv(x, c), c)
        skips.append(x)
        x = net.pool(x, 2, 2)
    x = conv(conv(x, 256), 256)
    for c in (128, 64, 32, 16):
        x = net.concat([net.conv_transpose(x, c, 2), skips.pop()])
        x = conv(conv(x, c), c)
    return [net.conv(x, 3)]


def dped(net, width):
    """arXiv:1704.02470: 9x9, four residual blocks, two 3x3, 9x9 and tanh."""
    x = net.conv(net.input, width, 9, activation="relu")
    for _ in range(4):
        x = net.add(x, net.conv(net.conv(x, width, 3, activation="relu"), width, 3, activation="relu"))
    x = net.conv(net.conv(x, width, 3, activation="relu"), width, 3, activation="relu")
    return [net.conv(x, 3, 9, activation="tanh")]


def imdn(net):
    """arXiv:1909.11856, IMDN_AS: two strided convolutions in front, six blocks of 64 channels, and its way back by depth to space."""
    conv = functools.partial(net.conv, activation="lrelu")
    x = first = conv(conv(conv(net.input, 64, 3), 64, 3, 2), 64, 3, 2)
    blocks = []
    for _ in range(6):
        rest, kept = x, []
        for _ in range(3):
            y = conv(rest, 64, 3)
            kept.append(net.slice(y, 0, 16))
            rest = net.slice(y, 16, 64)
        y = net.concat([*kept, net.conv(rest, 16, 3)])
        gate = net.conv(net.conv(net.mean(y), 4, activation="relu"), 64, activation="sigmoid")
        x = net.add(x, net.conv(net.mul(y, gate), 64))
        blocks.append(x)
    x = net.add(net.conv(conv(net.concat(blocks), 64, 1), 64, 3), first)
    return [net.depth_to_space(net.conv(x, 48, 3), 4)]


def punet(net):
    """The baseline of the Learned Smartphone ISP challenge of 2021 (MediaTek-NeuroPilot/mai21-learned-smartphone-isp), 16 maps."""
    def block(x, c):
        return net.conv(net.conv(x, c, 3, activation="lrelu"), c, 3, activation="lrelu")

    d1 = block(net.input, 16)
    d2 = block(net.pool(d1, 2, 2), 32)
    d3 = block(net.pool(d2, 2, 2), 64)
    d4 = block(net.pool(d3, 2, 2), 128)
    x = block(net.pool(d4, 2, 2), 256)
    for _ in range(2):
        x = net.add(block(x, 256), x)
    x = net.conv_transpose(block(x, 256), 128, 3, "lrelu")
    x = net.conv_transpose(block(net.concat([d4, x]), 128), 64, 3, "lrelu")
    x = net.conv_transpose(block(net.concat([d3, x]), 64), 32, 3, "lrelu")
    x = net.conv_transpose(block(net.concat([block(d2, 32), x]), 32), 16, 3, "lrelu")
    x = block(net.concat([block(d1, 16), x, d1]), 16)
    x = net.conv(net.conv_transpose(x, 4, 3, "lrelu"), 3, 3, activation="tanh")
    return [net.add(net.mul(x, net.constant(0.58)), net.constant(0.5))]


def srgan(net):
    """arXiv:1609.04802, figure 4: sixteen residual blocks of 64 channels, two shuffles."""
    x = first = net.conv(net.input, 64, 9, activation="prelu")
    for _ in range(16):
        x = net.add(x, net.conv(net.conv(x, 64, 3, activation="prelu"), 64, 3))
    x = net.add(first, net.conv(x, 64, 3))
    for _ in range(2):
        x = net.activate(net.depth_to_space(net.conv(x, 256, 3), 2), "prelu")
    return [net.conv(x, 3, 9, activation="tanh")]


def vgg(net):
    """VDSR, arXiv:1511.04587: twenty 3x3 convolutions of 64 channels and a residual."""
    x = net.input
    for _ in range(19):
        x = net.conv(x, 64, 3, activation="relu")
    return [net.add(net.conv(x, 1, 3), net.input)]


def xlsr(net):
    """arXiv:2105.10288: four parallel branches, three blocks of grouped convolutions, clipped ReLU."""
    def block(x):
        groups = [net.conv(net.slice(x, 8 * i, 8 * i + 8), 8, 3, activation="relu") for i in range(4)]
        return net.conv(net.concat(groups), 32, 1)

    side = net.conv(net.input, 16, 3, activation="relu")
    x = net.conv(net.concat([net.conv(net.input, 8, 3) for _ in range(4)]), 32, activation="relu")
    for _ in range(3):
        x = block(x)
    x = net.conv(net.concat([net.conv(x, 32, 1, activation="relu"), side]), 32, activation="relu")
    return [net.node("Clip", [net.depth_to_space(net.conv(x, 27, 3), 3), net.constant(0), net.constant(1)], [1, 3, 1080, 1920])]


def test_64(net):
    """64 convolutions of 5x5 and 132 channels; the manual's 913,519,411,200 operations confirm it."""
    x = net.input
    for _ in range(64):
        x = net.conv(x, 132, 5)
    return [x]


NETWORKS = {
    "mobilenet_v1_025_224": (mobilenet_v1, (1, 3, 224, 224), {"width": 0.25}),
    "mobilenet_v2_224": (mobilenet_v2, (1, 3, 224, 224), {}),
    "mobilenet_v2_224_b4": (mobilenet_v2, (4, 3, 224, 224), {}),
    "mobilenet_v2_224_b8": (mobilenet_v2, (8, 3, 224, 224), {}),
    "mobilenet_v3_512_minimalistic": (mobilenet_v3, (1, 3, 512, 512), {"minimalistic": True}),
    "mobilenet_v3_512": (mobilenet_v3, (1, 3, 512, 512), {}),
    "mobilenet_v3_512_b4": (mobilenet_v3, (4, 3, 512, 512), {}),
    "efficientnet_b4_380": (efficientnet_b4, (1, 3, 380, 380), {"from_tflite": True}),
    "inception_v3_346": (inception_v3, (1, 3, 346, 346), {}),
    "inception_v4_299": (inception_v4, (1, 3, 299, 299), {}),
    "posenet_075_257": (posenet, (1, 3, 257, 257), {}),
    "yolov5s_640x480": (yolov5, (1, 3, 480, 640), {"width": 0.5, "depth": 0.33, "from_tflite": True}),
    "yolov5m_640x480": (yolov5, (1, 3, 480, 640), {"width": 0.75, "depth": 0.67, "from_tflite": True}),
    "yolov5s_face_640x640": (yolov5s_face, (1, 3, 640, 640), {}),
    "yolov5s_face_640x480": (yolov5s_face, (1, 3, 480, 640), {}),
    "yolov5s_face_640x480_pruned": (yolov5s_face, (1, 3, 480, 640), {"tails": False}),
    "yolov5s_face_640x480_one": (yolov5s_face, (1, 3, 480, 640), {"tails": False, "outputs": (1,)}),
    "yolov8s_640": (yolov8s, (1, 3, 640, 640), {}),
    "yolov8s_seg_224": (yolov8s, (1, 3, 224, 224), {"masks": True}),
    "yolov8s_seg_640x352": (yolov8s, (1, 3, 352, 640), {"masks": True}),
    "yolov8s_pose_640x352": (yolov8s, (1, 3, 352, 640), {"keypoints": True}),
    "yolo_v4_tiny_416": (yolo_v4_tiny, (1, 3, 416, 416), {}),
    "deeplab_v3_plus_513": (deeplab_v3_plus, (1, 3, 513, 513), {"classes": 21}),
    "unet_384": (unet, (1, 3, 384, 384), {}),
    "unet_1024": (unet, (1, 3, 1024, 1024), {}),
    "dped_192x128": (dped, (1, 3, 128, 192), {"width": 64}),
    "imdn_1024": (imdn, (1, 3, 1024, 1024), {}),
    "punet_960x544": (punet, (1, 4, 544, 960), {}),
    "srgan_128": (srgan, (1, 3, 128, 128), {}),
    "srgan_256": (srgan, (1, 3, 256, 256), {}),
    "vgg_256": (vgg, (1, 1, 256, 256), {}),
    "xlsr_640x360": (xlsr, (1, 3, 360, 640), {}),
    "test_64_128": (test_64, (1, 132, 128, 128), {}),
}


def main():
    folder, names = pathlib.Path(sys.argv[1]), sys.argv[2:] or list(NETWORKS)
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        make, shape, options = NETWORKS[name]
        net = Net(name, shape, options.pop("from_tflite", False))
        net.save(folder / f"{name}.onnx", make(net, **options))


if __name__ == "__main__":
    main()

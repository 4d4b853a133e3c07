"""Networks by architecture, with random weights: the time of an inference doesn't depend on what they hold.

Normalization is already folded into the convolutions. Sources: MobileNetV2, arXiv:1801.04381, table 2; ResNet-50,
arXiv:1512.03385, table 1, with the stride in the 3x3 convolution; YOLOv8n: the published yolov8.yaml with depth 0.33 and width
0.25, cut at the raw box and class maps.
"""

import contextlib
import io

import numpy


def mobilenet_v2(net):
    x = net.conv(net.input, 32, 3, 2, activation="relu6")
    for expansion, channels, repeats, stride in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
                                                 (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]:
        for i in range(repeats):
            before, wide = x, net.channels(x) * expansion
            if expansion > 1:
                x = net.conv(x, wide, activation="relu6")
            x = net.conv(x, wide, 3, stride if i == 0 else 1, groups=wide, activation="relu6")
            x = net.conv(x, channels)
            x = net.add(before, x) if i > 0 else x
    return [net.classify(net.conv(x, 1280, activation="relu6"), 1000)]


def resnet50(net):
    x = net.max_pool(net.conv(net.input, 64, 7, 2, activation="relu"), 3, 2)
    for width, repeats in [(64, 3), (128, 4), (256, 6), (512, 3)]:
        for i in range(repeats):
            stride = 2 if i == 0 and width > 64 else 1
            shortcut = net.conv(x, 4 * width, 1, stride) if i == 0 else x
            x = net.conv(x, width, activation="relu")
            x = net.conv(x, width, 3, stride, activation="relu")
            x = net.relu(net.add(net.conv(x, 4 * width), shortcut))
    return [net.classify(x, 1000)]


def yolov8n(net):
    def conv(x, channels, kernel=3, stride=1):
        return net.conv(x, channels, kernel, stride, activation="silu")

    def c2f(x, channels, repeats, shortcut):
        parts = net.halves(conv(x, channels, 1))
        for _ in range(repeats):
            y = conv(conv(parts[-1], channels // 2), channels // 2)
            parts = [*parts, net.add(parts[-1], y) if shortcut else y]
        return conv(net.concat(parts), channels, 1)

    x = conv(conv(net.input, 16, stride=2), 32, stride=2)
    x = conv(c2f(x, 32, 1, True), 64, stride=2)
    p3 = c2f(x, 64, 2, True)
    p4 = c2f(conv(p3, 128, stride=2), 128, 2, True)
    pools = [conv(c2f(conv(p4, 256, stride=2), 256, 1, True), 128, 1)]
    for _ in range(3):
        pools.append(net.max_pool(pools[-1], 5, 1))
    p5 = conv(net.concat(pools), 256, 1)
    n4 = c2f(net.concat([net.upsample(p5), p4]), 128, 1, False)
    n3 = c2f(net.concat([net.upsample(n4), p3]), 64, 1, False)
    n4 = c2f(net.concat([conv(n3, 64, stride=2), n4]), 128, 1, False)
    n5 = c2f(net.concat([conv(n4, 128, stride=2), p5]), 256, 1, False)
    return [net.conv(conv(conv(level, width), width), width) for level in (n3, n4, n5) for width in (64, 80)]


ARCHITECTURES = {"mobilenet_v2": (mobilenet_v2, 224), "resnet50": (resnet50, 224), "yolov8n": (yolov8n, 640)}


class OnnxNetwork:
    """Opset 13, batch 1, [N,C,H,W]. A tensor is its name."""

    def __init__(self, size):
        from onnx import TensorProto, helper, numpy_helper

        self.helper, self.to_proto, self.float = helper, numpy_helper.from_array, TensorProto.FLOAT
        self.random = numpy.random.default_rng(1)
        self.nodes, self.weights = [], []
        self.input = "input"
        self.width = {"input": 3}
        self.border = helper.make_tensor_value_info("input", self.float, [1, 3, size, size])

    def channels(self, x):
        return self.width[x]

    def node(self, op, inputs, channels, **attributes):
        output = f"{op.lower()}_{len(self.nodes)}"
        self.nodes.append(self.helper.make_node(op, inputs, [output], name=output, **attributes))
        self.width[output] = channels
        return output

    def constant(self, values):
        name = f"constant_{len(self.weights)}"
        self.weights.append(self.to_proto(values, name))
        return name

    def weight(self, shape):
        """Keeps the variance of what passes through a ReLU."""
        deviation = (2 / max(1, int(numpy.prod(shape[1:])))) ** 0.5
        return self.constant(self.random.normal(0, deviation, shape).astype(numpy.float32))

    def conv(self, x, channels, kernel=1, stride=1, groups=1, activation=None):
        operands = [x, self.weight([channels, self.width[x] // groups, kernel, kernel]), self.weight([channels])]
        x = self.node("Conv", operands, channels, kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[kernel // 2] * 4,
                      group=groups)
        if activation == "relu6":
            return self.node("Clip", [x, self.constant(numpy.float32(0)), self.constant(numpy.float32(6))], channels)
        if activation == "silu":
            return self.node("Mul", [x, self.node("Sigmoid", [x], channels)], channels)
        return self.relu(x) if activation == "relu" else x

    def relu(self, x):
        return self.node("Relu", [x], self.width[x])

    def max_pool(self, x, kernel, stride):
        return self.node("MaxPool", [x], self.width[x], kernel_shape=[kernel] * 2, strides=[stride] * 2,
                         pads=[kernel // 2] * 4)

    def add(self, a, b):
        return self.node("Add", [a, b], self.width[a])

    def concat(self, parts):
        return self.node("Concat", parts, sum(self.width[part] for part in parts), axis=1)

    def halves(self, x):
        half = self.width[x] // 2

        def part(begin):
            limits = [self.constant(numpy.array([value], numpy.int64)) for value in (begin, begin + half, 1)]
            return self.node("Slice", [x, *limits], half)

        return [part(0), part(half)]

    def upsample(self, x):
        scales = self.constant(numpy.array([1, 1, 2, 2], numpy.float32))
        return self.node("Resize", [x, "", scales], self.width[x], mode="nearest",
                         coordinate_transformation_mode="asymmetric", nearest_mode="floor")

    def classify(self, x, classes):
        x = self.node("GlobalAveragePool", [x], self.width[x])
        x = self.node("Flatten", [x], self.width[x])
        return self.node("Gemm", [x, self.weight([classes, self.width[x]]), self.weight([classes])], classes, transB=1)


class KerasNetwork:
    """[N,H,W,C], batch 1."""

    def __init__(self, size):
        import keras

        self.layers = keras.layers
        self.input = keras.Input((size, size, 3), batch_size=1)

    def channels(self, x):
        return x.shape[-1]

    def conv(self, x, channels, kernel=1, stride=1, groups=1, activation=None):
        if groups == 1:
            layer = self.layers.Conv2D(channels, kernel, stride, padding="same", bias_initializer="random_normal")
        else:
            layer = self.layers.DepthwiseConv2D(kernel, stride, padding="same", bias_initializer="random_normal")
        x = layer(x)
        if activation == "relu6":
            return self.layers.ReLU(max_value=6)(x)
        if activation == "silu":
            return self.layers.Multiply()([x, self.layers.Activation("sigmoid")(x)])
        return self.relu(x) if activation == "relu" else x

    def relu(self, x):
        return self.layers.ReLU()(x)

    def max_pool(self, x, kernel, stride):
        return self.layers.MaxPooling2D(kernel, stride, padding="same")(x)

    def add(self, a, b):
        return self.layers.Add()([a, b])

    def concat(self, parts):
        return self.layers.Concatenate()(parts)

    def halves(self, x):
        half = self.channels(x) // 2
        return [x[..., :half], x[..., half:]]

    def upsample(self, x):
        return self.layers.UpSampling2D(2)(x)

    def classify(self, x, classes):
        return self.layers.Dense(classes)(self.layers.GlobalAveragePooling2D()(x))


def to_onnx(name):
    """The network as an ONNX model."""
    import onnx

    build, size = ARCHITECTURES[name]
    net = OnnxNetwork(size)
    outputs = [net.helper.make_tensor_value_info(output, net.float, None) for output in build(net)]
    graph = net.helper.make_graph(net.nodes, name, [net.border], outputs, net.weights)
    model = net.helper.make_model(graph, opset_imports=[net.helper.make_opsetid("", 13)], ir_version=8)
    return onnx.shape_inference.infer_shapes(model)


def to_tensorflow_lite(name, folder):
    """Writes the network as float32 and as int8; returns {kind: path}."""
    import keras
    import tensorflow

    build, size = ARCHITECTURES[name]
    net = KerasNetwork(size)
    model = keras.Model(net.input, build(net))
    paths = {}
    for kind in ("f32 lite", "int8"):
        converter = tensorflow.lite.TFLiteConverter.from_keras_model(model)
        if kind == "int8":
            sample = numpy.random.default_rng(1).random((1, size, size, 3)).astype(numpy.float32)
            converter.optimizations = [tensorflow.lite.Optimize.DEFAULT]
            converter.representative_dataset = lambda: [[sample]]
            converter.target_spec.supported_ops = [tensorflow.lite.OpsSet.TFLITE_BUILTINS_INT8]
            converter.inference_input_type = converter.inference_output_type = tensorflow.int8
        paths[kind] = f"{folder}/{name}_{kind.split()[0]}.tflite"
        with contextlib.redirect_stdout(io.StringIO()):  # it lists every weight
            converted = converter.convert()
        with open(paths[kind], "wb") as file:
            file.write(converted)
    return paths

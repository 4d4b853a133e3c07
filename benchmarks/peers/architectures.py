"""Networks by architecture, with random weights: the time of an inference doesn't depend on what they hold.

Normalization is already folded into the convolutions where it follows them. Sources: MobileNetV2, arXiv:1801.04381, table 2;
ResNet-50, arXiv:1512.03385, table 1, with the stride in the 3x3 convolution; DenseNet-121, arXiv:1608.06993, table 1, with
normalization folded away and ReLU kept; EfficientNet-B0, arXiv:1905.11946, table 1; DeepLabv3 on MobileNetV2 of output stride
16, arXiv:1706.05587, with rates 6, 12 and 18, without the pooled branch; U-Net, arXiv:1505.04597, padded, of half its width; DeiT-Ti, arXiv:2012.12877,
table 1, with the mean of its tokens in place of the class token; YOLOv8n: the published yolov8.yaml with depth 0.33 and width
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


def densenet121(net):
    x = net.max_pool(net.conv(net.input, 64, 7, 2, activation="relu"), 3, 2)
    for block, repeats in enumerate((6, 12, 24, 16)):
        for _ in range(repeats):
            y = net.conv(net.conv(net.relu(x), 128, activation="relu"), 32, 3)
            x = net.concat([x, y])
        if block < 3:
            x = net.average_pool(net.conv(net.relu(x), net.channels(x) // 2), 2)
    return [net.classify(net.relu(x), 1000)]


def efficientnet_b0(net):
    x = net.conv(net.input, 32, 3, 2, activation="silu")
    for expansion, channels, repeats, stride, kernel in [(1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3),
                                                         (6, 112, 3, 1, 5), (6, 192, 4, 2, 5), (6, 320, 1, 1, 3)]:
        for i in range(repeats):
            before, narrow, wide = x, net.channels(x), net.channels(x) * expansion
            if expansion > 1:
                x = net.conv(x, wide, activation="silu")
            x = net.conv(x, wide, kernel, stride if i == 0 else 1, groups=wide, activation="silu")
            gate = net.conv(net.conv(net.global_pool(x), narrow // 4, activation="silu"), wide, activation="sigmoid")
            x = net.conv(net.multiply(x, gate), channels)
            x = net.add(before, x) if i > 0 else x
    return [net.classify(net.conv(x, 1280, activation="silu"), 1000)]


def deeplab_v3(net):
    x = net.conv(net.input, 32, 3, 2, activation="relu6")
    for expansion, channels, repeats, stride, dilation in [(1, 16, 1, 1, 1), (6, 24, 2, 2, 1), (6, 32, 3, 2, 1), (6, 64, 4, 2, 1),
                                                           (6, 96, 3, 1, 1), (6, 160, 3, 1, 2), (6, 320, 1, 1, 2)]:
        for i in range(repeats):
            before, wide = x, net.channels(x) * expansion
            if expansion > 1:
                x = net.conv(x, wide, activation="relu6")
            x = net.conv(x, wide, 3, stride if i == 0 else 1, groups=wide, activation="relu6", dilation=dilation)
            x = net.conv(x, channels)
            x = net.add(before, x) if i > 0 else x
    parts = [net.conv(x, 256, activation="relu")]
    parts += [net.conv(x, 256, 3, activation="relu", dilation=rate) for rate in (6, 12, 18)]
    x = net.conv(net.conv(net.concat(parts), 256, activation="relu"), 21)
    return [net.upsample(x, 16, linear=True)]


def unet(net):
    def twice(x, channels):
        return net.conv(net.conv(x, channels, 3, activation="relu"), channels, 3, activation="relu")

    x, skipped = net.input, []
    for channels in (32, 64, 128, 256):
        skipped.append(twice(x, channels))
        x = net.max_pool(skipped[-1], 2, 2)
    x = twice(x, 512)
    for skip in reversed(skipped):
        x = net.conv(net.upsample(x), net.channels(skip), 3, activation="relu")
        x = twice(net.concat([skip, x]), net.channels(skip))
    return [net.conv(x, 2)]


def deit_tiny(net):
    x = net.tokens(net.conv(net.input, 192, 16, 16))
    for _ in range(12):
        x = net.add(x, net.attention(net.layer_norm(x), 3))
        x = net.add(x, net.linear(net.gelu(net.linear(net.layer_norm(x), 768)), 192))
    return [net.linear(net.mean_token(net.layer_norm(x)), 1000)]


# {name: (function, input's height and width)}
ARCHITECTURES = {"mobilenet_v2": (mobilenet_v2, 224), "resnet50": (resnet50, 224), "yolov8n": (yolov8n, 640),
                 "densenet121": (densenet121, 224), "efficientnet_b0": (efficientnet_b0, 224), "deeplab_v3": (deeplab_v3, 512),
                 "unet": (unet, 256), "deit_tiny": (deit_tiny, 224)}


class OnnxNetwork:
    """Opset 17, batch 1, [N,C,H,W]; tokens [N,T,C]. A tensor is its name."""

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
        """[outputs, inputs...]; keeps the variance of what passes through a ReLU."""
        deviation = (2 / max(1, int(numpy.prod(shape[1:])))) ** 0.5
        return self.constant(self.random.normal(0, deviation, shape).astype(numpy.float32))

    def conv(self, x, channels, kernel=1, stride=1, groups=1, activation=None, dilation=1):
        operands = [x, self.weight([channels, self.width[x] // groups, kernel, kernel]), self.weight([channels])]
        border = 0 if stride == kernel else kernel // 2 * dilation
        x = self.node("Conv", operands, channels, kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[border] * 4,
                      group=groups, dilations=[dilation] * 2)
        if activation == "relu6":
            return self.node("Clip", [x, self.constant(numpy.float32(0)), self.constant(numpy.float32(6))], channels)
        if activation == "silu":
            return self.node("Mul", [x, self.node("Sigmoid", [x], channels)], channels)
        if activation == "sigmoid":
            return self.node("Sigmoid", [x], channels)
        return self.relu(x) if activation == "relu" else x

    def relu(self, x):
        return self.node("Relu", [x], self.width[x])

    def max_pool(self, x, kernel, stride):
        return self.node("MaxPool", [x], self.width[x], kernel_shape=[kernel] * 2, strides=[stride] * 2,
                         pads=[0 if stride == kernel else kernel // 2] * 4)

    def average_pool(self, x, stride):
        return self.node("AveragePool", [x], self.width[x], kernel_shape=[stride] * 2, strides=[stride] * 2)

    def global_pool(self, x):
        return self.node("GlobalAveragePool", [x], self.width[x])

    def add(self, a, b):
        return self.node("Add", [a, b], self.width[a])

    def multiply(self, a, b):
        return self.node("Mul", [a, b], self.width[a])

    def concat(self, parts):
        return self.node("Concat", parts, sum(self.width[part] for part in parts), axis=1)

    def halves(self, x):
        half = self.width[x] // 2

        def part(begin):
            limits = [self.constant(numpy.array([value], numpy.int64)) for value in (begin, begin + half, 1)]
            return self.node("Slice", [x, *limits], half)

        return [part(0), part(half)]

    def upsample(self, x, factor=2, linear=False):
        scales = self.constant(numpy.array([1, 1, factor, factor], numpy.float32))
        mode = {"mode": "linear", "coordinate_transformation_mode": "half_pixel"} if linear else {
            "mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
        return self.node("Resize", [x, "", scales], self.width[x], **mode)

    def reshape(self, x, shape):
        return self.node("Reshape", [x, self.constant(numpy.array(shape, numpy.int64))], self.width[x])

    def transpose(self, x, order):
        return self.node("Transpose", [x], self.width[x], perm=order)

    def tokens(self, x):
        return self.transpose(self.reshape(x, [1, self.width[x], -1]), [0, 2, 1])

    def layer_norm(self, x):
        ones = self.constant(numpy.ones(self.width[x], numpy.float32))
        return self.node("LayerNormalization", [x, ones, self.weight([self.width[x]])], self.width[x], axis=-1, epsilon=1e-6)

    def linear(self, x, channels):
        deviation = (2 / self.width[x]) ** 0.5
        weights = self.random.normal(0, deviation, [self.width[x], channels]).astype(numpy.float32)
        product = self.node("MatMul", [x, self.constant(weights)], channels)
        return self.node("Add", [product, self.weight([channels])], channels)

    def gelu(self, x):
        channels = self.width[x]
        erf = self.node("Erf", [self.multiply(x, self.constant(numpy.float32(0.5**0.5)))], channels)
        return self.multiply(self.multiply(x, self.node("Add", [erf, self.constant(numpy.float32(1))], channels)),
                             self.constant(numpy.float32(0.5)))

    def attention(self, x, heads):
        channels = self.width[x]

        def part(order):
            return self.transpose(self.reshape(self.linear(x, channels), [1, -1, heads, channels // heads]), order)

        query = self.multiply(part([0, 2, 1, 3]), self.constant(numpy.float32((channels // heads) ** -0.5)))
        weights = self.node("Softmax", [self.node("MatMul", [query, part([0, 2, 3, 1])], channels)], channels, axis=-1)
        mixed = self.node("MatMul", [weights, part([0, 2, 1, 3])], channels)
        return self.linear(self.reshape(self.transpose(mixed, [0, 2, 1, 3]), [1, -1, channels]), channels)

    def mean_token(self, x):
        return self.node("ReduceMean", [x], self.width[x], axes=[1], keepdims=0)

    def classify(self, x, classes):
        x = self.node("Flatten", [self.global_pool(x)], self.width[x])
        return self.node("Gemm", [x, self.weight([classes, self.width[x]]), self.weight([classes])], classes, transB=1)


class KerasNetwork:
    """[N,H,W,C], batch 1."""

    def __init__(self, size):
        import keras

        self.layers = keras.layers
        self.input = keras.Input((size, size, 3), batch_size=1)

    def channels(self, x):
        return x.shape[-1]

    def conv(self, x, channels, kernel=1, stride=1, groups=1, activation=None, dilation=1):
        options = {"padding": "same", "bias_initializer": "random_normal", "dilation_rate": dilation}
        if groups == 1:
            layer = self.layers.Conv2D(channels, kernel, stride, **options)
        else:
            layer = self.layers.DepthwiseConv2D(kernel, stride, **options)
        x = layer(x)
        if activation == "relu6":
            return self.layers.ReLU(max_value=6)(x)
        if activation == "silu":
            return self.multiply(x, self.layers.Activation("sigmoid")(x))
        if activation == "sigmoid":
            return self.layers.Activation("sigmoid")(x)
        return self.relu(x) if activation == "relu" else x

    def relu(self, x):
        return self.layers.ReLU()(x)

    def max_pool(self, x, kernel, stride):
        return self.layers.MaxPooling2D(kernel, stride, padding="same")(x)

    def average_pool(self, x, stride):
        return self.layers.AveragePooling2D(stride)(x)

    def global_pool(self, x):
        return self.layers.GlobalAveragePooling2D(keepdims=True)(x)

    def add(self, a, b):
        return self.layers.Add()([a, b])

    def multiply(self, a, b):
        return self.layers.Multiply()([a, b])

    def concat(self, parts):
        return self.layers.Concatenate()(parts)

    def halves(self, x):
        half = self.channels(x) // 2
        return [x[..., :half], x[..., half:]]

    def upsample(self, x, factor=2, linear=False):
        return self.layers.UpSampling2D(factor, interpolation="bilinear" if linear else "nearest")(x)

    def tokens(self, x):
        return self.layers.Reshape((-1, self.channels(x)))(x)

    def layer_norm(self, x):
        return self.layers.LayerNormalization(epsilon=1e-6)(x)

    def linear(self, x, channels):
        return self.layers.Dense(channels, bias_initializer="random_normal")(x)

    def gelu(self, x):
        return self.layers.Activation("gelu")(x)

    def attention(self, x, heads):
        import keras

        channels = self.channels(x)

        def part(order):
            split = self.layers.Reshape((-1, heads, channels // heads))(self.linear(x, channels))
            return self.layers.Permute(order)(split)

        query = part((2, 1, 3)) * (channels // heads) ** -0.5
        weights = self.layers.Softmax()(keras.ops.matmul(query, part((2, 3, 1))))
        mixed = self.layers.Permute((2, 1, 3))(keras.ops.matmul(weights, part((2, 1, 3))))
        return self.linear(self.layers.Reshape((-1, channels))(mixed), channels)

    def mean_token(self, x):
        return self.layers.GlobalAveragePooling1D()(x)

    def classify(self, x, classes):
        return self.layers.Dense(classes)(self.layers.GlobalAveragePooling2D()(x))


def to_onnx(name):
    """The network as an ONNX model."""
    import onnx

    build, size = ARCHITECTURES[name]
    net = OnnxNetwork(size)
    outputs = [net.helper.make_tensor_value_info(output, net.float, None) for output in build(net)]
    graph = net.helper.make_graph(net.nodes, name, [net.border], outputs, net.weights)
    model = net.helper.make_model(graph, opset_imports=[net.helper.make_opsetid("", 17)], ir_version=8)
    return onnx.shape_inference.infer_shapes(model)


def to_tensorflow_lite(name, folder):
    """Writes the network as f32.tflite, int8.tflite and, with int16 activations, int16.tflite."""
    import keras
    import tensorflow

    build, size = ARCHITECTURES[name]
    net = KerasNetwork(size)
    model = keras.Model(net.input, build(net))
    ops = tensorflow.lite.OpsSet
    kinds = {"f32": None, "int8": (ops.TFLITE_BUILTINS_INT8, tensorflow.int8),
             "int16": (ops.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8, tensorflow.int16)}
    for kind, quantized in kinds.items():
        converter = tensorflow.lite.TFLiteConverter.from_keras_model(model)
        if quantized:
            sample = numpy.random.default_rng(1).random((1, size, size, 3)).astype(numpy.float32)
            converter.optimizations = [tensorflow.lite.Optimize.DEFAULT]
            converter.representative_dataset = lambda: [[sample]]
            converter.target_spec.supported_ops = [quantized[0]]
            converter.inference_input_type = converter.inference_output_type = quantized[1]
        try:
            with contextlib.redirect_stdout(io.StringIO()):  # it lists every weight
                converted = converter.convert()
        except RuntimeError as error:  # no int16 form of an operator
            print(f"{name}, {kind}: {str(error).splitlines()[0]}")
            continue
        with open(f"{folder}/{kind}.tflite", "wb") as file:
            file.write(converted)

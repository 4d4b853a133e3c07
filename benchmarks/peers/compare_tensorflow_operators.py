#!/usr/bin/env python3
"""Compares single operators of TensorFlow 1 graphs on the emulated NPU with TensorFlow itself.

    python3 -m venv .cache/peers && .cache/peers/bin/pip install -r benchmarks/peers/tflite_requirements.txt
    ./bazelw build //compiler/convert/cli:synap //runtime/cli:synap_cli
    .cache/peers/bin/python benchmarks/peers/compare_tensorflow_operators.py [CASE...]

Each case is a graph from image x [1, 9, 11, 4] to y. A row is the largest difference, as a part of the range of what TensorFlow
computes; the exit status is 1 if one is above 1e-4.
"""

import argparse
import sys
import tempfile

import emulated_npu
import numpy
import tensorflow as tf

SHAPE = [1, 9, 11, 4]
METAFILE = f"inputs:\n- name: x\n  shape: {SHAPE}\noutputs:\n- name: y\n  dequantize: true\n"
TOLERANCE = 1e-4

tf1 = tf.compat.v1
generator = numpy.random.default_rng(1)


def noise(*shape):
    return tf.constant(generator.normal(size=shape).astype(numpy.float32))


CASES = {
    "conv_same_stride": lambda x: tf.nn.conv2d(x, noise(3, 3, 4, 5), [1, 2, 2, 1], "SAME"),
    "conv_dilation": lambda x: tf.nn.conv2d(x, noise(3, 3, 4, 5), 1, "SAME", dilations=2),
    "conv_groups": lambda x: tf.nn.conv2d(x, noise(3, 3, 2, 6), 1, "VALID"),
    "conv_explicit": lambda x: tf.nn.conv2d(x, noise(3, 3, 4, 5), 1, [[0, 0], [1, 2], [0, 1], [0, 0]]),
    "depthwise": lambda x: tf1.nn.depthwise_conv2d_native(x, noise(3, 3, 4, 1), [1, 2, 2, 1], "SAME"),
    "depthwise_multiplier": lambda x: tf1.nn.depthwise_conv2d_native(x, noise(3, 3, 4, 3), [1, 1, 1, 1], "SAME"),
    "transpose_same": lambda x: tf.nn.conv2d_transpose(x, noise(3, 3, 5, 4), [1, 18, 22, 5], 2, "SAME"),
    "transpose_same_odd": lambda x: tf.nn.conv2d_transpose(x, noise(4, 4, 5, 4), [1, 17, 21, 5], 2, "SAME"),
    "transpose_valid": lambda x: tf.nn.conv2d_transpose(x, noise(3, 3, 5, 4), [1, 19, 23, 5], 2, "VALID"),
    "atrous": lambda x: tf1.nn.atrous_conv2d(x, noise(3, 3, 4, 5), 3, "SAME"),
    "space_to_batch": lambda x: tf.batch_to_space(tf.space_to_batch(x, [3, 2], [[0, 0], [1, 0]]) * 2, [3, 2], [[0, 0], [0, 1]]),
    "average_pool": lambda x: tf.nn.avg_pool2d(x, 3, 2, "SAME"),
    "max_pool": lambda x: tf.nn.max_pool2d(x, [2, 3], [2, 1], "VALID"),
    "lrn": lambda x: tf.nn.lrn(x, 1, 1.5, 0.3, 0.75),
    "batch_norm": lambda x: tf1.nn.fused_batch_norm(x, noise(4), noise(4), noise(4), tf.abs(noise(4)), is_training=False)[0],
    "resize_bilinear": lambda x: tf1.image.resize_bilinear(x, [20, 13]),
    "resize_bilinear_corners": lambda x: tf1.image.resize_bilinear(x, [20, 13], align_corners=True),
    "resize_bilinear_half": lambda x: tf1.image.resize_bilinear(x, [20, 13], half_pixel_centers=True),
    "resize_nearest": lambda x: tf1.image.resize_nearest_neighbor(x, [20, 13]),
    "resize_nearest_corners": lambda x: tf1.image.resize_nearest_neighbor(x, [20, 13], align_corners=True),
    "resize_nearest_half": lambda x: tf1.image.resize_nearest_neighbor(x, [20, 13], half_pixel_centers=True),
    "strided_slice": lambda x: x[:, 1:-1:2, ::-1, tf.newaxis, 2],
    "ellipsis": lambda x: x[..., -3:],
    "split_v": lambda x: tf.concat(tf.split(x, [1, 2, 1], 3)[::-1], 3),
    "unpack": lambda x: tf.stack(tf.unstack(x, axis=3)[::-1], axis=1),
    "slice": lambda x: tf.slice(x, [0, 2, 1, 0], [1, -1, 5, 3]),
    "pad_v2": lambda x: tf.pad(x, [[0, 0], [1, 2], [0, 3], [0, 0]], constant_values=2.0),
    "mirror_pad": lambda x: tf.pad(x, [[0, 0], [1, 2], [0, 3], [0, 0]], "REFLECT"),
    "tile": lambda x: tf.tile(x, [1, 2, 1, 3]),
    "depth_to_space": lambda x: tf.nn.depth_to_space(x, 2),
    "space_to_depth": lambda x: tf.nn.space_to_depth(tf.pad(x, [[0, 0], [1, 0], [1, 0], [0, 0]]), 2),
    "mean": lambda x: tf.reduce_mean(x, [1, 2], keepdims=True),
    "sum": lambda x: tf.reduce_sum(x, -1),
    "prod": lambda x: tf.reduce_prod(x, [3]),
    "softmax": tf.nn.softmax,
    "softmax_axis": lambda x: tf.nn.softmax(x, axis=1),
    "log_softmax": tf.nn.log_softmax,
    "activations": lambda x: tf.nn.selu(x) + tf.nn.elu(x) * tf.nn.leaky_relu(x) - tf.nn.softplus(x) / (1 + tf.nn.softsign(x)),
    "functions": lambda x: tf.sqrt(tf.abs(x)) + tf.exp(x) - tf.math.log(tf.abs(x) + 1) + tf.math.rsqrt(tf.abs(x) + 0.5),
    "pow": lambda x: tf.pow(tf.abs(x), 1.5),
    "comparisons": lambda x: tf.where(x > 0.2, x, -x) + tf.cast(tf.logical_and(x <= 0.1, x >= -0.5), tf.float32),
    "floor_mod": lambda x: tf.math.floormod(x, 0.3) + tf.math.floordiv(x, 0.3),
    "squared_difference": lambda x: tf.math.squared_difference(x, noise(4)),
    "clip": lambda x: tf1.clip_by_value(x, -0.3, 0.4),
    "matmul": lambda x: tf.matmul(tf.reshape(x, [1, -1]), noise(9 * 11 * 4, 7)),
    "batch_matmul": lambda x: tf.matmul(x, x, transpose_b=True),
    "gather": lambda x: tf.gather(x, [2, 0, 1], axis=3),
    "transpose": lambda x: tf.transpose(x, [0, 3, 1, 2]),
    "flatten": lambda x: tf.reshape(x, [tf.shape(x)[0], -1]),
    "arg_max": lambda x: tf.cast(tf.argmax(x, 3), tf.float32),
    "l2_normalize": lambda x: tf.nn.l2_normalize(x, 3),
    "moments": lambda x: tf.nn.moments(x, [1, 2])[1],
    "add_n": lambda x: tf.add_n([x, x * 2, x * 3]),
    "broadcast_to": lambda x: x + tf.broadcast_to(noise(1, 1, 11, 1), [1, 9, 11, 4]),
    "range": lambda x: x * tf.cast(tf.range(0, 4), tf.float32),
    "fill": lambda x: x + tf.fill([9, 11, 1], 2.5),
    "reverse": lambda x: tf.reverse(x, [1, 3]),
    "cond": lambda x: tf1.cond(tf.constant(False), lambda: x + 1, lambda: x * 2),
    "dropout": lambda x: tf1.nn.dropout(x, keep_prob=tf.constant(1.0)) * 1.5,
}


def compare(options, build, folder):
    """The difference of a case."""
    with tf.Graph().as_default() as graph:
        x = tf1.placeholder(tf.float32, [None, *SHAPE[1:]], name="x")
        tf.identity(build(x), name="y")
        image = generator.uniform(-1, 1, SHAPE).astype(numpy.float32)
        with tf1.Session(graph=graph) as session:
            expected = session.run("y:0", {"x:0": image})
        content = graph.as_graph_def().SerializeToString()
    with open(f"{folder}/graph.pb", "wb") as file:
        file.write(content)
    with open(f"{folder}/meta.yaml", "w", encoding="utf-8") as file:
        file.write(METAFILE)
    emulated_npu.convert(options.bin, f"{folder}/graph.pb", folder, "--meta", f"{folder}/meta.yaml")
    emulated_npu.run(options.bin, folder, [image])
    found = numpy.fromfile(f"{folder}/output_float_0.dat", numpy.float32)
    return emulated_npu.part_of_range(expected, found.reshape(expected.shape))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help="default: all")
    parser.add_argument("--bin", default="bazel-bin", help="where the programs were built")
    options = parser.parse_args()
    tf1.disable_eager_execution()
    tf1.disable_control_flow_v2()
    failures = 0
    for name in options.cases or CASES:
        with tempfile.TemporaryDirectory() as folder:
            try:
                difference = compare(options, CASES[name], folder)
                print(f"{name}: {difference:.2e} of its range", flush=True)
                failures += difference > TOLERANCE
            except (RuntimeError, ValueError) as error:
                failures += 1
                print(f"{name}: {error}")
    print(f"{failures} of {len(options.cases or CASES)} differ by more than {TOLERANCE}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

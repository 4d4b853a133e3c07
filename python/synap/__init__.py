"""Runs models of edge NPUs bit by bit as the NPU would, on any PC, and converts them.

    import synap

    net = synap.Network("model.synap")
    rect = synap.Preprocessor().assign(net, "photo.jpg")
    net.predict()
    for found in synap.Detector().process(net, rect):
        print(found.class_index, found.confidence, found.bounding_box)

A failure is a synap.Error, whose text is one sentence; wrong arguments are TypeError, ValueError, IndexError or KeyError, and
files that can't be read OSError. Warnings go to the logger "synap" of Python's logging.
"""

from synap._synap import Error, Npu
from synap._synap import version as _version
from synap.chip import set_target, target
from synap.compiler import convert
from synap.input_data import InputData, Preprocessor
from synap.log import LogLevel, set_log_level
from synap.network import Network, Tensor, Tensors
from synap.postprocessing import Classifier, Detector, ImagePostprocessor, labels
from synap.results import ClassScore, Detection, Landmark, OutputImage, Quantizer, Rect
from synap.threads import set_thread_count, thread_count

__version__ = _version()

__all__ = [
    "ClassScore",
    "Classifier",
    "Detection",
    "Detector",
    "Error",
    "ImagePostprocessor",
    "InputData",
    "Landmark",
    "LogLevel",
    "Network",
    "Npu",
    "OutputImage",
    "Preprocessor",
    "Quantizer",
    "Rect",
    "Tensor",
    "Tensors",
    "convert",
    "labels",
    "set_log_level",
    "set_target",
    "set_thread_count",
    "target",
    "thread_count",
]

"""Classes and objects from a network's outputs, and the names of classes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, List, Tuple

import numpy as np

from synap import _synap, checks
from synap.files import PathLike
from synap.results import ClassScore, Detection, Landmark, OutputImage, Rect

if TYPE_CHECKING:
    from synap.network import Network


class Classifier:
    """Finds the classes with the highest confidences. top_count: number of classes, 0 for all."""

    def __init__(self, top_count: int = 1):
        self.top_count = checks.integer(top_count, "top_count", 0)

    def process(self, network: "Network") -> List[ClassScore]:
        """The best classes of the network's only output after predict(), the best first."""
        return [ClassScore(*item) for item in _synap.classify(network._handle, self.top_count)]

    def __repr__(self) -> str:
        return "synap.Classifier(top_count=%d)" % self.top_count


class Detector:
    """Decodes the objects that a detection network has found; its metafile names the format of its outputs.

    score_threshold: detections below it are discarded. max_detections: 0 for all. nms: whether to drop detections that
    overlap a better one by more than iou_threshold, measured by intersection over union, or over the smaller area if
    iou_with_min. Any number of threads may use an object, which works for one at a time.
    """

    def __init__(
        self,
        score_threshold: float = 0.5,
        max_detections: int = 0,
        nms: bool = True,
        iou_threshold: float = 0.5,
        iou_with_min: bool = False,
    ):
        self._handle = _synap.Detector(
            checks.real(score_threshold, "score_threshold"), checks.integer(max_detections, "max_detections", 0), bool(nms),
            checks.real(iou_threshold, "iou_threshold"), bool(iou_with_min))

    def process(self, network: "Network", input_rect: Tuple[int, int, int, int]) -> List[Detection]:
        """The objects, the most confident first, after predict(). input_rect: from Preprocessor.assign()."""
        return [_detection(item) for item in self._handle.process(network._handle, checks.rect(input_rect, "input_rect"))]


def _detection(item: "_synap._Item") -> Detection:
    class_index, confidence, box, landmarks, mask = item
    values = None if mask is None else np.ndarray(mask[:2], np.float32, mask[2])
    return Detection(class_index, confidence, Rect(*box), tuple(Landmark(*point) for point in landmarks), values)


class ImagePostprocessor:
    """Joins the outputs of a network that makes an image."""

    def process(self, network: "Network") -> OutputImage:
        """Luma and chroma (formats y8 and uv8 or vu8), or the only output, after predict(). The values aren't converted."""
        data, width, height, format = _synap.output_image(network._handle)
        return OutputImage(np.ndarray(len(data), np.uint8, data), width, height, format)


def labels(model_file: PathLike) -> List[str]:
    """The class names in the info.json beside the model, or in the nearest folder above it that has one; [] if none has."""
    return _synap.labels(os.fsencode(model_file))


def name_of(class_index: int, names: List[str]) -> str:
    """The name of a class, "" if it has none."""
    return names[class_index] if 0 <= class_index < len(names) else ""

"""What preprocessing, classification and detection return."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple, Optional, Tuple

import numpy as np


class Rect(NamedTuple):
    """Top left corner and size in pixels, x to the right, y down."""

    x: int
    y: int
    width: int
    height: int


class Landmark(NamedTuple):
    """A point of a detected object in pixels; z and visibility are 0 if the model has none."""

    x: int
    y: int
    z: int
    visibility: float


class Quantizer(NamedTuple):
    """real value = scale * (item - zero_point)"""

    scale: float
    zero_point: int


class ClassScore(NamedTuple):
    """A class and its confidence, which is normally in [0, 1]."""

    class_index: int
    confidence: float


@dataclasses.dataclass(frozen=True)
class OutputImage:
    """An image that a network has made.

    data: its bytes, uint8 [size]. format: "nv12", "nv21", "rgb", "bgra", "gray", ..., or "dat" if the output is no image;
    width and height are then 0.
    """

    data: np.ndarray = dataclasses.field(compare=False, repr=False)
    width: int
    height: int
    format: str

    def to_numpy(self) -> np.ndarray:
        """The pixels of an image of 8 bits, [height, width, channels]; a ValueError for others."""
        pixels = self.width * self.height
        channels = self.data.size // pixels if pixels else 0
        if self.format in ("nv12", "nv21") or not channels or channels * pixels != self.data.size:
            raise ValueError("the image is %s of %dx%d in %d bytes, expected whole bytes for each pixel" %
                             (self.format, self.width, self.height, self.data.size))
        return self.data.reshape(self.height, self.width, channels)


@dataclasses.dataclass(frozen=True)
class Detection:
    """A detected object.

    bounding_box and landmarks are in pixels of the image. mask is an array [height, width] over the whole input
    rectangle whose positive values mark the object, or None if the model has no masks.
    """

    class_index: int
    confidence: float
    bounding_box: Rect
    landmarks: Tuple[Landmark, ...] = ()
    mask: Optional[np.ndarray] = dataclasses.field(default=None, compare=False, repr=False)

"""Data for a network's inputs, and its conversion to them."""

from __future__ import annotations

import operator
import os
from typing import TYPE_CHECKING, Any, Optional, Tuple, Union

import numpy as np

from synap import _synap, arrays, checks, files
from synap.results import Rect

if TYPE_CHECKING:
    from synap.network import Network

_LAYOUTS = ("nhwc", "nchw")
_CHANNELS = {"rgb": (3, 4), "bgr": (3,), "bgra": (4,), "gray": (1,)}


class InputData:
    """An image, or raw data. Immutable: any number of threads may use it.

    source: the name of a file, whose suffix tells its type (jpg, png, bmp; rgb, bgr, bgra, gray, nv12 and nv21 with their
    size at the end of the name, as in frame_640x480.rgb; bin and dat for raw data); the bytes of a JPEG, PNG or BMP file;
    a picture of PIL, which is turned as its EXIF data say; or an array of uint8, [height, width] or
    [height, width, channels]. layout "nchw" means [channels, height, width]. format: that of an array: "rgb" (also with
    alpha), "bgr", "bgra" or "gray", by default by its number of channels.
    """

    def __init__(self, source: Any, *, layout: str = "nhwc", format: Optional[str] = None):
        if isinstance(source, (str, os.PathLike)):
            self._handle = _synap.InputData.from_file(files.readable(source))
        elif isinstance(source, (bytes, bytearray, memoryview)):
            self._handle = _synap.InputData.from_bytes(bytes(source), True)
        elif arrays.is_picture(source):
            self._handle = _pixels(arrays.picture_pixels(source), "nhwc", None)
        else:
            self._handle = _pixels(source, layout, format)

    @classmethod
    def raw(cls, data: Union[bytes, bytearray, memoryview]) -> "InputData":
        """Bytes in the tensor's own type and layout."""
        return cls._make(_synap.InputData.from_bytes(bytes(data), False))

    @classmethod
    def yuv(cls, data: Any, width: int, height: int, format: str = "nv12") -> "InputData":
        """A luma plane, then u and v interleaved at half the size ("nv12"), or v and u ("nv21")."""
        if format not in ("nv12", "nv21"):
            raise ValueError("format is '%s', expected 'nv12' or 'nv21'" % format)
        contiguous = np.ascontiguousarray(data) if isinstance(data, np.ndarray) else bytes(data)
        width, height = checks.integer(width, "width", 1), checks.integer(height, "height", 1)
        return cls._make(_synap.InputData.from_yuv(contiguous, width, height, format == "nv12"))

    @classmethod
    def of(cls, source: Any) -> "InputData":
        """The object itself if it is an InputData, else one made from it."""
        return source if isinstance(source, InputData) else cls(source)

    @classmethod
    def _make(cls, handle: "_synap.InputData") -> "InputData":
        made = cls.__new__(cls)
        made._handle = handle
        return made

    @property
    def handle(self) -> "_synap.InputData":
        """The extension's object."""
        return self._handle

    @property
    def size(self) -> Tuple[int, int]:
        """Width and height in pixels; 0 if it is no image or has no known size. An encoded image is decoded for it."""
        return self._handle.size

    @property
    def format(self) -> str:
        """"rgb", "bgr", "bgra", "gray", "nv12", "nv21", or "" for raw data."""
        return self._handle.format

    @property
    def nbytes(self) -> int:
        """Size of the data as it was given, in bytes."""
        return self._handle.nbytes

    def __repr__(self) -> str:
        return "<synap.InputData %s, %d bytes>" % (self.format or "raw", self.nbytes)


def _pixels(source: Any, layout: str, format: Optional[str]) -> "_synap.InputData":
    if layout not in _LAYOUTS:
        raise ValueError("layout is '%s', expected 'nhwc' or 'nchw'" % layout)
    pixels = arrays.image_pixels(source, layout == "nchw")
    channels = pixels.shape[1 if layout == "nchw" else 3]
    if format is None:
        format = "gray" if channels == 1 else "rgb"
    if format not in _CHANNELS:
        raise ValueError("format is '%s', expected one of %s" % (format, ", ".join(_CHANNELS)))
    if channels not in _CHANNELS[format]:
        raise ValueError("pixels have %d channels, expected %s for format '%s'" %
                         (channels, " or ".join(map(str, _CHANNELS[format])), format))
    return _synap.InputData.from_pixels(pixels, list(pixels.shape), layout == "nchw", format)


class Preprocessor:
    """Converts images to the size, channels, layout and type of a network's inputs.

    Images keep their proportions and get centred bands, unless the model's metafile says otherwise. roi: the part of the
    image that is processed, (x, y, width, height), for networks that were converted with cropping; None for all of it.
    """

    def __init__(self, roi: Optional[Tuple[int, int, int, int]] = None):
        self.roi = None if roi is None else checks.rect(roi, "roi")

    def assign(self, network: "Network", data: Any, index: int = 0) -> Rect:
        """Assigns to the input at `index` and those that belong to it (a chroma plane, the cropping rectangle).

        data: an InputData, or what one is made from. Returns the rectangle of the image that the input shows, bands
        included, which Detector.process() takes.
        """
        index = operator.index(index)
        if not 0 <= index < len(network.inputs):
            raise IndexError("no input at index %d of %d" % (index, len(network.inputs)))
        return Rect(*_synap.preprocess(network._handle, index, InputData.of(data).handle, self.roi))

    def __repr__(self) -> str:
        return "synap.Preprocessor(roi=%r)" % (self.roi,)

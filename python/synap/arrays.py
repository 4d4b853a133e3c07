"""Conversion of what users have (lists, arrays, pictures) to the arrays that tensors and images are assigned from."""

from __future__ import annotations

import struct
from typing import Any, Tuple

import numpy as np

# Types of values that tensors are assigned from, and the others with the type that holds their values.
_ASSIGNED_TYPES = ("uint8", "uint16", "uint32", "int16", "int32", "float32")
_WIDER_TYPES = {"bool": "uint8", "int8": "int16", "float16": "float32", "float64": "float32"}

_ORIENTATION_TAG = 0x0112  # of EXIF


def is_picture(value: Any) -> bool:
    """Whether `value` is a picture of PIL (Pillow), which needn't be installed."""
    return all(hasattr(value, name) for name in ("mode", "size", "convert", "getdata"))


def _upright(picture: Any) -> Any:
    """The picture, turned as its EXIF data say."""
    try:
        orientation = picture.getexif().get(_ORIENTATION_TAG, 1)
    except (AttributeError, KeyError, SyntaxError, TypeError, ValueError, struct.error):
        return picture  # no EXIF data, or damaged ones
    if orientation == 1:
        return picture
    from PIL import ImageOps  # which is there, since a picture is

    return ImageOps.exif_transpose(picture)


def picture_pixels(picture: Any) -> np.ndarray:
    """The pixels of a picture of PIL: uint8 [height, width] of gray, or [height, width, 3 or 4] of rgb or rgba.

    They are turned as the EXIF data say, as those of JPEG files are. Gray values of 16 bits become their high bytes, as in
    PNG files.
    """
    mode = picture.mode
    # Older versions of PIL give gray PNG files of 16 bits the mode of 32 bits.
    has_16_bits = mode.startswith("I;16") or (mode == "I" and getattr(picture, "format", None) == "PNG")
    picture = _upright(picture)
    if has_16_bits:
        return (np.asarray(picture) >> 8).astype(np.uint8)
    if mode in ("I", "F"):
        raise TypeError("a picture has the mode '%s', whose range of values isn't known, expected 8 or 16 bits; "
                        "scale it to 0 to 255 and convert it to 'L'" % mode)
    if mode not in ("L", "RGB", "RGBA"):
        has_alpha = mode in ("LA", "PA", "La", "RGBa") or "transparency" in getattr(picture, "info", {})
        mode = "L" if mode in ("1",) else "RGBA" if has_alpha else "RGB"
        picture = picture.convert(mode)
    return np.asarray(picture, dtype=np.uint8)


def image_pixels(pixels: Any, planar: bool) -> np.ndarray:
    """Contiguous uint8 pixels with 4 dimensions: [1, height, width, channels], or [1, channels, height, width] if planar.

    pixels: uint8 [height, width], or with channels as the last dimension (the first, if planar) and perhaps a batch of 1.
    """
    array = np.asarray(pixels)
    if array.dtype != np.uint8:
        raise TypeError("pixels are %s, expected uint8; convert them, or assign values to the tensor" % array.dtype)
    given = array.shape
    if array.ndim == 4 and given[0] == 1:
        array = array[0]
    if array.ndim == 2:
        array = array[np.newaxis] if planar else array[..., np.newaxis]
    channels = array.shape[0 if planar else -1] if array.ndim == 3 else 0
    if not 1 <= channels <= 4 or array.size == 0:
        expected = "[channels, height, width]" if planar else "[height, width, channels]"
        raise ValueError("pixels have the shape %s, expected %s of at most 4 channels" % (list(given), expected))
    return np.ascontiguousarray(array[np.newaxis])


def _without_ones(shape: Tuple[int, ...]) -> Tuple[int, ...]:
    """The shape without the leading dimensions of 1."""
    for i, dim in enumerate(shape):
        if dim != 1:
            return shape[i:]
    return ()


def check_shape(array: np.ndarray, name: str, shape: Tuple[int, ...]) -> None:
    """A ValueError unless the array has the tensor's shape, or it but for leading ones, or is a list of its items."""
    is_list = array.ndim == 1 and array.size == int(np.prod(shape))
    if not is_list and _without_ones(array.shape) != _without_ones(shape):
        raise ValueError("tensor '%s' gets an array of shape %s, expected %s" % (name, list(array.shape), list(shape)))


def _narrow_type(low: int, high: int, name: str) -> str:
    """The type of 32 bits for integers from `low` to `high`."""
    for kind in ("int32", "uint32"):
        limits = np.iinfo(kind)
        if limits.min <= low and high <= limits.max:
            return kind
    raise ValueError("tensor '%s' gets integers from %d to %d, expected -2147483648 to 2147483647, or 0 to 4294967295" %
                     (name, low, high))


def assigned_values(array: np.ndarray, name: str) -> np.ndarray:
    """The same values, contiguous, in a type that tensors are assigned from."""
    kind = array.dtype.newbyteorder("=").name
    if kind in ("int64", "uint64"):
        kind = _narrow_type(int(array.min()), int(array.max()), name)
    kind = _WIDER_TYPES.get(kind, kind)
    if kind not in _ASSIGNED_TYPES:
        raise TypeError("tensor '%s' gets values of type %s, expected integers or real numbers" % (name, array.dtype))
    return np.ascontiguousarray(array, dtype=kind)

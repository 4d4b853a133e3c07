"""Networks and their tensors."""

from __future__ import annotations

import os
from typing import Any, Iterator, List, Optional, Sequence, Tuple, Union, overload

import numpy as np

from synap import _synap, arrays, files
from synap.input_data import InputData
from synap.results import Quantizer


class Tensor:
    """An input or output of a Network, which it keeps.

    The arrays of to_numpy() share its memory: a write to an input's array is what the next predict() reads, and the next
    predict() overwrites what an output's array shows.
    """

    def __init__(self, handle: "_synap.Tensor"):
        self._handle = handle

    @property
    def name(self) -> str:
        """The name in the model that was converted, or in its metafile."""
        return self._handle.name

    @property
    def shape(self) -> Tuple[int, ...]:
        """The number of items in each dimension, in the order of layout."""
        return self._handle.shape

    @property
    def dtype(self) -> np.dtype:
        """numpy's type of the items; uint8 for uninterpreted bytes."""
        return np.dtype("uint8" if self.data_type == "byte" else self.data_type)

    @property
    def data_type(self) -> str:
        """The framework's name of the type: that of numpy, or "byte"."""
        return self._handle.data_type

    @property
    def layout(self) -> str:
        """"nchw", "nhwc", or "none" if the tensor is no image."""
        return self._handle.layout

    @property
    def format(self) -> str:
        """The format string of the metafile, such as "rgb" or "yolov5 landmarks=5"."""
        return self._handle.format

    @property
    def security(self) -> str:
        """"none" if the model isn't secure."""
        return self._handle.security

    @property
    def quantizer(self) -> Optional[Quantizer]:
        """The mapping of items to real numbers, None if they aren't quantized."""
        quantizer = self._handle.quantizer
        return None if quantizer is None else Quantizer(*quantizer)

    @property
    def size(self) -> int:
        """Number of items."""
        return self._handle.size

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return self._handle.nbytes

    def to_numpy(self) -> np.ndarray:
        """The items, as they are stored, in an array over the tensor's own memory: nothing is copied."""
        return np.ndarray(self.shape, self.dtype, self._handle.memory())

    def as_float(self) -> np.ndarray:
        """The data as real numbers, in a new array of float32."""
        return np.ndarray(self.shape, np.float32, self._handle.as_float())

    def assign(self, value: Any) -> None:
        """Stores data. What it means depends on its type:

        - an array, or numbers in a list: values, or pixels if uint8. They are normalized with mean and scale of the metafile
          ((value - mean) / scale) and quantized; those outside of the tensor's range saturate. Without both in the metafile,
          a tensor with a zero point takes its items. The shape is the tensor's, which may lack leading ones, or that of a
          list of all items. int64 arrays are copied to int64 tensors.
        - a picture of PIL, an InputData or the name of a file: converted as Preprocessor does.
        - bytes (or bytearray, memoryview): the stored form itself, copied unchanged.
        - a Tensor of the same type and size: copied unchanged.
        - an integer, to a scalar of an integral type: its item.
        """
        if isinstance(value, Tensor):
            self._handle.assign_tensor(value._handle)
        elif isinstance(value, (bytes, bytearray, memoryview)):
            self._assign_bytes(value)
        elif isinstance(value, (str, os.PathLike, InputData)) or arrays.is_picture(value):
            _synap.preprocess_tensor(self._handle, InputData.of(value).handle)
        elif self._is_scalar_integer() and isinstance(value, (int, np.integer)):
            self._assign_scalar(int(value))
        else:
            self._assign_array(np.asarray(value))

    def _is_scalar_integer(self) -> bool:
        return self._handle.is_scalar and self.data_type.startswith(("int", "uint"))

    def _assign_scalar(self, value: int) -> None:
        if -(2**31) <= value < 2**31:
            self._handle.assign_scalar(value)
            return
        limits = np.iinfo(self.dtype)
        if not limits.min <= value <= limits.max:
            raise ValueError("tensor '%s' gets %d, expected %d to %d" % (self.name, value, limits.min, limits.max))
        self._handle.assign_bytes(np.array([value], self.dtype))

    def _assign_bytes(self, data: Union[bytes, bytearray, memoryview]) -> None:
        size = memoryview(data).nbytes
        if size != self.nbytes:
            raise ValueError("tensor '%s' gets %d bytes, expected %d" % (self.name, size, self.nbytes))
        self._handle.assign_bytes(data if memoryview(data).c_contiguous else bytes(data))

    def _assign_array(self, array: np.ndarray) -> None:
        if array.dtype.kind not in "biuf":
            raise TypeError("tensor '%s' gets values of type %s, expected integers or real numbers" % (self.name, array.dtype))
        arrays.check_shape(array, self.name, self.shape)
        if array.dtype.name == self.data_type == "int64":
            self._handle.assign_bytes(np.ascontiguousarray(array, dtype=np.int64))
        else:
            values = arrays.assigned_values(array, self.name)
            self._handle.assign_values(values, values.dtype.name)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray:
        array = self.to_numpy()
        if dtype is None or array.dtype == dtype:
            return array.copy() if copy else array
        if copy is False:
            raise ValueError("tensor '%s' is %s, which needs a copy as %s" % (self.name, array.dtype, np.dtype(dtype)))
        return array.astype(dtype)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        text = "<synap.Tensor '%s' %s %s" % (self.name, self.data_type, list(self.shape))
        if self.layout != "none":
            text += " " + self.layout
        if self.format:
            text += " format='%s'" % self.format
        return text + ">"


class Tensors(Sequence[Tensor]):
    """The inputs, or the outputs, of a network, by index or by name."""

    def __init__(self, tensors: List[Tensor], what: str):
        self._tensors = tensors
        self._what = what

    def __len__(self) -> int:
        return len(self._tensors)

    @overload
    def __getitem__(self, key: Union[int, str]) -> Tensor: ...

    @overload
    def __getitem__(self, key: slice) -> List[Tensor]: ...

    def __getitem__(self, key: Union[int, str, slice]) -> Union[Tensor, List[Tensor]]:
        if isinstance(key, str):
            for tensor in self._tensors:
                if tensor.name == key:
                    return tensor
            names = ", ".join("'%s'" % tensor.name for tensor in self._tensors)
            raise KeyError("no %s is named '%s', expected one of %s" % (self._what, key, names))
        try:
            return self._tensors[key]
        except IndexError:
            raise IndexError("no %s at index %s of %d" % (self._what, key, len(self))) from None

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self._tensors)

    def __repr__(self) -> str:
        return "[%s]" % ", ".join(repr(tensor) for tensor in self._tensors)


class Network:
    """A model, loaded, that runs on the emulated NPU with the same bits on every machine.

    model: name of a .synap file, or its bytes; or of a .nb file, with `meta`, the .json of the same conversion.
    profiling: whether the layers are measured, for profile().

    Any number of threads may use a network; predict() and loading release the interpreter's lock.
    """

    def __init__(
        self,
        model: Union[files.PathLike, bytes, bytearray, memoryview],
        meta: Optional[Union[files.PathLike, bytes]] = None,
        *,
        profiling: bool = False,
    ):
        if isinstance(model, (bytes, bytearray, memoryview)):
            self.file: Optional[str] = None
            self._handle = _synap.Network.load_memory(model, meta, profiling)
        else:
            self.file = os.fsdecode(model)
            meta_file = b"" if meta is None else files.readable(os.fsdecode(meta))
            self._handle = _synap.Network.load_file(files.readable(model), meta_file, profiling)
        self._inputs = Tensors([Tensor(handle) for handle in self._handle.inputs], "input")
        self._outputs = Tensors([Tensor(handle) for handle in self._handle.outputs], "output")

    @property
    def inputs(self) -> Tensors:
        return self._inputs

    @property
    def outputs(self) -> Tensors:
        return self._outputs

    def predict(self) -> Tensors:
        """Runs the network on the data of its inputs; returns its outputs."""
        self._handle.predict()
        return self._outputs

    def profile(self) -> str:
        """The times of the layers in the last predict(), as text; "" if the network doesn't measure or hasn't run."""
        return self._handle.profile()

    def __repr__(self) -> str:
        file = "from memory" if self.file is None else "'%s'" % self.file
        return "<synap.Network %s, inputs %r, outputs %r>" % (file, self._inputs, self._outputs)

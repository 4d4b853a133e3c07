"""Vendors' tools that run an ONNX model, each in a simulator or on the processor: a class of the profile's name, with its version."""

import contextlib
import importlib.metadata
import os

import onnxruntime


@contextlib.contextmanager
def quiet():
    """Hides what libraries print, also past Python."""
    kept = [os.dup(1), os.dup(2)]
    with open(os.devnull, "wb") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
    try:
        yield
    finally:
        for place, file in enumerate(kept, start=1):
            os.dup2(file, place)
            os.close(file)


class Ort:
    """ONNX Runtime on the processor."""

    package = "onnxruntime"

    def __init__(self, path):
        self.session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])

    def run(self, feeds):
        return self.session.run(None, feeds)


class Qnn:
    """Qualcomm's HTP, emulated. A node that it doesn't take is an error."""

    package = "onnxruntime-qnn"

    def __init__(self, path):
        import onnxruntime_qnn  # pylint: disable=import-outside-toplevel

        name = onnxruntime_qnn.get_ep_name()
        if all(device.ep_name != name for device in onnxruntime.get_ep_devices()):
            onnxruntime.register_execution_provider_library(name, onnxruntime_qnn.get_library_path())
        settings = onnxruntime.SessionOptions()
        settings.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
        devices = [device for device in onnxruntime.get_ep_devices() if device.ep_name == name]
        # Without these two the oldest chip is emulated, which has no float16.
        chip = {"htp_arch": "75", "soc_model": "57"}
        settings.add_provider_for_devices(devices[:1], {"backend_path": onnxruntime_qnn.get_qnn_htp_path(), **chip})
        self.session = onnxruntime.InferenceSession(path, settings)

    def run(self, feeds):
        return self.session.run(None, feeds)


class OpenVino:
    """OpenVINO on the processor."""

    package = "openvino"

    def __init__(self, path):
        import openvino  # pylint: disable=import-outside-toplevel

        self.model = openvino.Core().compile_model(path, "CPU")

    def run(self, feeds):
        results = self.model(feeds)
        return [results[output] for output in self.model.outputs]


class Rknn:
    """Rockchip's simulator of an RK3588."""

    package = "rknn-toolkit2"

    def __init__(self, path):
        from rknn.api import RKNN  # pylint: disable=import-outside-toplevel

        self.tool = RKNN(verbose=False)
        self.tool.config(target_platform="rk3588")
        steps = {"load_onnx": lambda: self.tool.load_onnx(path), "build": lambda: self.tool.build(do_quantization=False),
                 "init_runtime": self.tool.init_runtime}
        for name, step in steps.items():
            if step() != 0:
                raise RuntimeError(f"{name} failed")

    def run(self, feeds):
        formats = ["nchw" if value.ndim == 4 else None for value in feeds.values()]
        results = self.tool.inference(list(feeds.values()), data_format=formats)
        if results is None:
            raise RuntimeError("inference failed")
        return results


TOOLS = {"openvino": OpenVino, "ort": Ort, "qnn": Qnn, "rknn": Rknn}


def version_of(tool):
    return f"{tool.package} {importlib.metadata.version(tool.package)}"

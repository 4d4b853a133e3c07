"""model.py: writes model.onnx, a network that gives its input back."""

import onnx
from onnx import TensorProto, helper

SHAPE = [1, 3, 480, 640]


def main():
    picture = helper.make_tensor_value_info("picture", TensorProto.UINT8, SHAPE)
    rgb = helper.make_tensor_value_info("rgb", TensorProto.UINT8, SHAPE)
    identity = helper.make_node("Identity", ["picture"], ["rgb"])
    graph = helper.make_graph([identity], "nv12_to_rgb", [picture], [rgb])
    onnx.save(helper.make_model(graph, ir_version=7, opset_imports=[helper.make_opsetid("", 13)]), "model.onnx")


if __name__ == "__main__":
    main()

"""The list of ops: one folder below //kernels for each op or family of ops.

Everything that goes over all ops (registry, conformance tests, mutation tests,
docs/ops.md) derives from this list. Adding an op is one folder and one line here.
"""

OP_FOLDERS = [
    "argmax",
    "binary",
    "concat",
    "conv2d",
    "conv_transpose2d",
    "convert",
    "cumsum",
    "depthwise_conv2d",
    "expand",
    "fully_connected",
    "gather",
    "grid_sample",
    "image_to_tensor",
    "lookup",
    "matmul",
    "normalization",
    "pad",
    "pool",
    "prelu",
    "reduce",
    "reshape",
    "resize",
    "scatter",
    "slice",
    "softmax",
    "top_k",
    "transpose",
    "unary",
    "where",
]

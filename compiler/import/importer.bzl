"""import_library and import_tests: the targets of importers, and what several of them depend on."""

load("//rules/private:cc.bzl", "synap_cc_library", "synap_cc_test")

# Libraries that nearly every file of an importer includes.
_BASICS = [
    "//base:status_macros",
    "//base:tensor_type",
    "//compiler/ir:graph",
    "//kernels:attributes",
    "//kernels:op_def",
    "//third_party:absl_container",
    "//third_party:absl_functional",
    "//third_party:absl_status",
    "//third_party:absl_strings",
    "//third_party:absl_types",
]

# For the mapping functions of a framework: the table that they are rows of, and what emits ops for every framework.
MAPPING_DEPS = [
    "//compiler/import:constant_operand",
    "//compiler/import:operator_table",
] + ["//compiler/import/emit:" + name for name in [
    "activation",
    "attention",
    "axes",
    "batch_space",
    "constant",
    "convolution",
    "einsum",
    "elementwise",
    "graph_builder",
    "indexing",
    "matmul",
    "nhwc",
    "normalization",
    "op_emitter",
    "op_name",
    "pooling",
    "recurrent",
    "reduction",
    "resize",
    "shape",
    "slice",
    "tensorflow_family",
    "volume",
    "window",
]]

# For the Framework row of a framework and the functions in it.
FRAMEWORK_DEPS = [
    "//base:file",
    "//compiler/import:framework",
    "//compiler/import:graph_border",
    "//compiler/import:import_options",
    "//compiler/import:imported_model",
    "//compiler/import:input_shape",
    "//compiler/import:model_files",
    "//compiler/import:model_summary",
    "//compiler/import:op_limits",
    "//compiler/import:operator_table",
    "//compiler/import:refused_nodes",
    "//compiler/import:unreadable_file",
    "//compiler/import:unsupported_ops",
    "//compiler/import/emit:graph_builder",
]

def import_library(name, srcs = None, hdrs = None, deps = [], **kwargs):
    """A library of an importer: one concept.

    Args:
      name: the target's name.
      srcs: sources and private headers; by default name + ".cc".
      hdrs: public headers; by default name + ".h".
      deps: libraries that it uses beside those that all libraries here may use.
      **kwargs: passed to synap_cc_library (visibility, testonly, ...).
    """
    synap_cc_library(
        name = name,
        srcs = srcs if srcs != None else [name + ".cc"],
        hdrs = hdrs if hdrs != None else [name + ".h"],
        deps = _BASICS + deps,
        **kwargs
    )

def import_tests(names, deps = [], **kwargs):
    """Tests of an importer, each <name>.cc.

    Args:
      names: the targets' names, which end in _test.
      deps: libraries that they use beside those that all tests here may use.
      **kwargs: passed to each synap_cc_test.
    """
    for name in names:
        synap_cc_test(
            name = name,
            deps = _BASICS + [
                "//base:file",
                "//compiler/import:evaluate_graph",
                "//compiler/import:import_options",
                "//compiler/import:imported_model",
                "//compiler/ir:text",
            ] + deps,
            **kwargs
        )

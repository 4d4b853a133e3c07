"""emitter_library: the targets of what importers emit for one theme of operators."""

load("//rules/private:cc.bzl", "synap_cc_tested_library")

def emitter_library(name, deps = [], test_deps = []):
    """Functions over OpEmitter, <name>.h and <name>.cc, and their test, <name>_test.cc.

    Args:
      name: the theme, which is the stem of its files.
      deps: libraries that it uses beside those that all themes may use.
      test_deps: libraries that the test uses beside the theme and those that all tests of themes may use.
    """
    synap_cc_tested_library(
        name = name,
        deps = [
            ":op_emitter",
            "//base:status_macros",
            "//base:tensor_type",
            "//compiler/ir:graph",
            "//third_party:absl_status",
            "//third_party:absl_strings",
        ] + deps,
        test_deps = [
            ":emitted_graph",
            ":op_emitter",
            "//base:tensor_type",
            "//compiler/import:evaluate_graph",
            "//compiler/ir:graph",
            "//third_party:absl_status",
        ] + test_deps,
    )

"""pass_library: the targets of one compiler pass."""

load(":cc.bzl", "synap_cc_tested_library")

def pass_library(name, deps = [], test_deps = []):
    """A pass, <name>.h and <name>.cc, and its test, <name>_test.cc: text IR in, text IR out.

    No pass is without a test: a build fails where the file is missing.

    Args:
      name: the pass's name; the stem of its files and its name on the command line.
      deps: libraries that the pass uses beside those that all passes may use.
      test_deps: libraries that the test uses beside the pass and those that all tests of passes may use.
    """
    synap_cc_tested_library(
        name = name,
        deps = [
            ":epilogue",
            ":op_attributes",
            ":permutation",
            ":replace_op",
            ":tensor_uses",
            "//base:check",
            "//base:status_macros",
            "//compiler/ir:graph",
            "//third_party:absl_status",
            "//third_party:absl_strings",
        ] + deps,
        test_deps = [
            "//compiler/ir:graph",
            "//compiler/ir:text",
            "//compiler/testing:run_pass",
            "//third_party:absl_strings",
        ] + test_deps,
    )

"""pass_library: the targets of one compiler pass."""

load(":cc.bzl", "synap_cc_library")

def pass_library(name, deps = []):
    """A pass: <name>.h and <name>.cc.

    Args:
      name: the pass's name; the stem of its files and its name on the command line.
      deps: what it needs beside what all passes may use.
    """
    synap_cc_library(
        name = name,
        srcs = [name + ".cc"],
        hdrs = [name + ".h"],
        deps = [
            ":rewrite",
            "//base:check",
            "//base:status_macros",
            "//compiler/ir:graph",
            "//third_party:absl_status",
            "//third_party:absl_strings",
        ] + deps,
    )

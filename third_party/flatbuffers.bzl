"""C++ from FlatBuffers schemas."""

load("//rules/private:copts.bzl", "LANGUAGE_COPTS")
load(":source_root.bzl", "source_root")

def flatbuffers_cc_library(name, srcs, deps = [], includes = [], flatc_args = [], **kwargs):
    """Compiles schemas with flatc: `dir/x.fbs` becomes `#include "dir/x_generated.h"`.

    Args:
      name: the cc_library's name.
      srcs: schemas of this package.
      deps: flatbuffers_cc_library targets whose headers the generated ones include.
      includes: labels of the schemas that srcs include, named from the repository's root.
      flatc_args: options of flatc after the repository's own.
      **kwargs: passed to cc_library (visibility, testonly, tags, ...).
    """
    outs = [src[:-len(".fbs")] + "_generated.h" for src in srcs]
    native.genrule(
        name = name + "_flatc",
        srcs = srcs + includes,
        outs = outs,
        cmd = " && ".join([
            "$(execpath //third_party:flatc) --cpp --cpp-std c++17 --scoped-enums --keep-prefix -I %s %s -o $(RULEDIR) %s" %
            (source_root(), " ".join(flatc_args), " ".join(["$(execpath %s)" % src for src in srcs])),
        ] + [
            # Warnings in generated code can't be mended here.
            "sed -i '1i #pragma GCC system_header' $(execpath %s)" % out
            for out in outs
        ]),
        tools = [
            "//third_party:compiler",
            "//third_party:flatc",
        ],
        visibility = ["//visibility:private"],
    )
    native.cc_library(
        name = name,
        hdrs = outs,
        copts = LANGUAGE_COPTS,
        deps = deps + ["//third_party:flatbuffers"],
        **kwargs
    )
